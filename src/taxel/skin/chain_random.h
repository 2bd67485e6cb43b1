// Random numbers of a signal chain: normal, counter-based, a stream for each use.
#pragma once

#include <cmath>
#include <cstdint>

#include "taxel/math/random.h"

namespace taxel::internal {

enum class RandomUse : std::uint64_t { kGain = 1, kOffset, kDrift, kWalk, kNoise, kDead, kJitter };

/// Seed of the stream of one use and channel (0 to 255), so that no two stages share numbers.
inline std::uint64_t RandomStream(std::uint64_t seed, RandomUse use, int channel = 0) {
  return RandomBits(seed, static_cast<std::uint64_t>(use) * 256 + static_cast<std::uint64_t>(channel));
}

struct GaussianPair {
  double first, second;
};

/// Two independent standard normal numbers for (seed, index), by Box and Muller:
///     sqrt(-2 ln u) (cos, sin)(2 pi v),  u in (0, 1], v in [0, 1), 53 bits each.
/// Tails are right up to 8.57, where u ends. @pre index < 2^63.
inline GaussianPair Gaussians(std::uint64_t seed, std::uint64_t index) {
  const double u = 1 - RandomUniform(seed, 2 * index), v = RandomUniform(seed, 2 * index + 1);
  const double radius = std::sqrt(-2 * std::log(u)), angle = 2 * M_PI * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Number `index` of the stream: the pairs one after the other.
inline double Gaussian(std::uint64_t seed, std::uint64_t index) {
  const GaussianPair pair = Gaussians(seed, index >> 1);
  return index & 1 ? pair.second : pair.first;
}

/// Taxels that one sample has room for in the numbering of noise: 2^16 = kMaxTaxels.
inline constexpr int kTaxelBits = 16;
/// Adds scale * (normal number of (stream, sample, i)) to values[i].
inline void AddGaussians(std::uint64_t stream, std::int64_t sample, double scale, int count, double* values) {
  const std::uint64_t first = static_cast<std::uint64_t>(sample) << (kTaxelBits - 1);
  for (int i = 0; i < count; i += 2) {
    const GaussianPair pair = Gaussians(stream, first + static_cast<std::uint64_t>(i / 2));
    values[i] += scale * pair.first;
    if (i + 1 < count) values[i + 1] += scale * pair.second;
  }
}

}  // namespace taxel::internal
