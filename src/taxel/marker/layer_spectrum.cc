#include "taxel/marker/layer_spectrum.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "taxel/marker/layer_window.h"

namespace taxel::internal {
namespace {

constexpr int kSize = LayerWindow::kSize;
using Complex = std::complex<double>;

Complex Turn(int steps) { return std::polar(1.0, -2 * std::numbers::pi * (steps % kSize) / kSize); }

}  // namespace

std::vector<float> LayerSpectrum(const LayerCells& cells, const LayerLevel& level) {
  constexpr int kFar = kLayerWindow - 1, kWide = 2 * kFar + 1;
  const int wide = 2 * cells.ny - 1;
  const std::size_t component = level.tables().size() / 6;
  std::vector<float> out(6 * 5 * kLayerFrequencies);
  for (std::size_t c = 0; c < 6; ++c) {
    const float* table = level.tables().data() + c * component;
    const bool odd = c == 3 || c == 4;
    for (int k = 0; k < kSize; ++k) {
      const int place = FourierPlace(k);
      if (!IsHalf(place)) continue;
      // Along y, then along x.
      Complex rows[kWide] = {};
      for (int di = -kFar; di <= kFar; ++di)
        for (int dj = -kFar; dj <= kFar; ++dj)
          if (std::abs(di) < cells.nx && std::abs(dj) < cells.ny)
            rows[di + kFar] +=
                static_cast<double>(table[(di + cells.nx - 1) * wide + dj + cells.ny - 1]) * Turn(dj * k);
      for (int n = 0; n < 5; ++n)
        for (int k2 = 0; k2 < 8; ++k2) {
          Complex sum = 0;
          for (int di = -kFar; di <= kFar; ++di) sum += rows[di + kFar] * Turn(di * (8 * n + k2));
          out[(c * 5 + static_cast<std::size_t>(n)) * kLayerFrequencies +
              static_cast<std::size_t>(k2 * kLayerHalf + place)] =
              static_cast<float>((odd ? sum.imag() : sum.real()) / (2 * kSize * kSize));
        }
    }
  }
  return out;
}

std::vector<float> FourierTurns() {
  std::vector<float> out;
  for (int n = 0; n < 5; ++n)
    for (int k = 0; k < 8; ++k) {
      out.push_back(static_cast<float>(Turn(n * k).real()));
      out.push_back(static_cast<float>(Turn(n * k).imag()));
    }
  return out;
}

}  // namespace taxel::internal
