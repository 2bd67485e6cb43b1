// Counter-based random numbers: the value depends on (seed, index) alone, so any thread may draw any number.
#pragma once

#include <cstdint>

#include "taxel/math/vec3.h"

namespace taxel::internal {

/// 64 random bits for (seed, index): two rounds of the splitmix64 finaliser over both words.
TAXEL_HD inline std::uint64_t RandomBits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = index + 0x9e3779b97f4a7c15ull * (seed + 1);
  for (int round = 0; round < 2; ++round) {
    z += 0x9e3779b97f4a7c15ull ^ seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
  }
  return z;
}

/// Uniform in [0, 1) with 53 bits.
TAXEL_HD inline double RandomUniform(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(RandomBits(seed, index) >> 11) * 0x1.0p-53;
}

}  // namespace taxel::internal
