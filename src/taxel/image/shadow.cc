#include "taxel/image/shadow.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"

namespace taxel {

void CheckLight(const ShadowLight& light) {
  if (!std::isfinite(light.azimuth)) throw Error("light: the azimuth is not a finite number");
  if (!(light.slope > 0) || !std::isfinite(light.slope))
    throw Error("light: slope " + ToText(light.slope) + " must be positive (the tangent of the elevation)");
  if (!(light.softness > 0) || !std::isfinite(light.softness))
    throw Error("light: softness " + ToText(light.softness) + " m must be positive");
  for (const float s : light.strength)
    if (!std::isfinite(s)) throw Error("light: a strength is not a finite number");
}

void ShadowDepth(const PixelGrid& grid, const float* height, const ShadowLight& light, float* depth) {
  const double dx = std::cos(light.azimuth), dy = std::sin(light.azimuth);
  const bool along_rows = std::fabs(dy) >= std::fabs(dx);  // whether a step goes from row to row
  const double major = along_rows ? dy : dx, minor = along_rows ? dx : dy;
  const int lines = along_rows ? grid.rows : grid.cols, length = along_rows ? grid.cols : grid.rows;
  const std::size_t line_stride = along_rows ? grid.cols : 1, stride = along_rows ? 1 : grid.cols;
  const int towards = major > 0 ? 1 : -1;
  const double across = minor / std::fabs(major);  // shift along the line a step, within [-1, 1]
  const float drop = static_cast<float>(light.slope * grid.pixel / std::fabs(major));
  const int shift = static_cast<int>(std::floor(across));
  const float weight = static_cast<float>(across - shift);
  // `depth` first holds the height of the shadow's edge, line after line away from the light.
  for (int k = 0; k < lines; ++k) {
    const int line = towards > 0 ? lines - 1 - k : k;
    float* edge = depth + line * line_stride;
    const float* h = height + line * line_stride;
    const float* before = edge + towards * static_cast<std::ptrdiff_t>(line_stride);
    for (int i = 0; i < length; ++i) {
      float value = h[i * stride];
      if (k > 0) {
        const int a = std::clamp(i + shift, 0, length - 1), b = std::clamp(i + shift + 1, 0, length - 1);
        value = std::max(value, (1 - weight) * before[a * stride] + weight * before[b * stride] - drop);
      }
      edge[i * stride] = value;
    }
  }
  for (std::size_t i = 0; i < grid.size(); ++i) depth[i] -= height[i];
}

}  // namespace taxel
