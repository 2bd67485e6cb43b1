#include "taxel/gel/layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "taxel/gel/fill.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

std::string Text(const Vec3& v) { return "(" + ToText(v.x) + ", " + ToText(v.y) + ", " + ToText(v.z) + ")"; }

}  // namespace

std::vector<int> LayersOf(const std::vector<Vec3>& points, const Vec3& outward, int count) {
  if (points.empty()) throw Error("layers: no point; fill a shape first");
  if (!is_finite(outward) || outward == Vec3{})
    throw Error("layers: outward is " + Text(outward) + "; give the direction out of the contact face");
  if (count < 1) throw Error("layers: count is " + std::to_string(count) + "; give 1 or more");
  const Vec3 n = normalized(outward);
  double top = -std::numeric_limits<double>::infinity(), bottom = -top;
  std::vector<double> height(points.size());
  double reach = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    height[i] = dot(points[i], n);
    if (!std::isfinite(height[i]))
      throw Error("layers: point " + std::to_string(i) + " is " + Text(points[i]) + "; it must be finite");
    top = std::max(top, height[i]);
    bottom = std::min(bottom, height[i]);
    reach = std::max(reach, norm(points[i]));
  }
  std::vector<int> layers(points.size(), 0);
  if (count == 1) return layers;
  const double depth = top - bottom;
  if (depth <= 1e-12 * reach)
    throw Error("layers: the points lie in one plane across " + Text(outward) + "; they make 1 layer, not " +
                std::to_string(count) + ": turn outward or use a smaller spacing");
  // Planes k of a lattice are at depth k / (count - 1), in the middle part of slice k: rounding moves none.
  for (std::size_t i = 0; i < points.size(); ++i)
    layers[i] = std::min(count - 1, static_cast<int>(std::floor((top - height[i]) / depth * count)));
  return layers;
}

LayeredPad MakeLayeredPad(const Vec3& size, const std::array<int, 3>& counts, int axis, int sign,
                          const Vec3& center) {
  if (axis < 0 || axis > 2)
    throw Error("layered pad: axis is " + std::to_string(axis) + "; give 0, 1 or 2 for x, y or z");
  if (sign != 1 && sign != -1) throw Error("layered pad: sign is " + std::to_string(sign) + "; give 1 or -1");
  if (!is_finite(center)) throw Error("layered pad: center is " + Text(center) + "; it must be finite");
  double total = 1;
  for (int k = 0; k < 3; ++k) {
    if (!std::isfinite(size[k]) || size[k] <= 0)
      throw Error("layered pad: size is " + Text(size) +
                  "; each side must be finite and greater than 0 (metres)");
    if (counts[k] < 1)
      throw Error("layered pad: count along " + std::string(1, "xyz"[k]) + " is " +
                  std::to_string(counts[k]) + "; give 1 or more");
    total *= counts[k];
  }
  if (total > kMaxFillPoints)
    throw Error("layered pad: " + ToText(total) + " points; at most " + ToText(kMaxFillPoints) +
                " are allowed: use smaller counts");
  const int row_axis = axis == 0 ? 1 : 0, col_axis = axis == 2 ? 1 : 2;
  LayeredPad pad;
  pad.count = counts[axis];
  pad.image = {counts[row_axis], counts[col_axis]};
  pad.outward[axis] = sign;
  pad.volume_per_point = size.x * size.y * size.z / total;
  pad.points.reserve(static_cast<std::size_t>(total));
  pad.layers.reserve(static_cast<std::size_t>(total));
  const auto at = [&](int k, int i) { return center[k] + ((i + 0.5) / counts[k] - 0.5) * size[k]; };
  for (int layer = 0; layer < pad.count; ++layer)
    for (int row = 0; row < pad.image[0]; ++row)
      for (int col = 0; col < pad.image[1]; ++col) {
        Vec3 p;
        p[axis] = at(axis, sign > 0 ? pad.count - 1 - layer : layer);
        p[row_axis] = at(row_axis, row);
        p[col_axis] = at(col_axis, col);
        pad.points.push_back(p);
        pad.layers.push_back(layer);
      }
  return pad;
}

EipPads MakeEipPads(double gap, const Vec3& center) {
  if (!std::isfinite(gap) || gap < 0)
    throw Error("EIP pads: gap is " + ToText(gap) +
                "; it is the distance of the two contact faces: give 0 or more");
  const Vec3 aside{0, 0.5 * (gap + kEipPadSize.y), 0};
  return {MakeLayeredPad(kEipPadSize, kEipPadCounts, 1, 1, center - aside),
          MakeLayeredPad(kEipPadSize, kEipPadCounts, 1, -1, center + aside)};
}

}  // namespace taxel
