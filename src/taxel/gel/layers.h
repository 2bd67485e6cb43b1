// Particles in layers, from the face that touches to the hand that holds.
#pragma once

#include <array>
#include <vector>

#include "taxel/math/vec3.h"

namespace taxel {

/// A layer for each point: 0 is next to the contact face, count - 1 next to the hand. `outward` is the
/// direction out of the contact face. The depth, measured against it from the outermost point to the
/// innermost, is cut into `count` equal slices; points of a lattice with `count` planes across that direction
/// fall into their planes exactly.
///
/// Throws Error for no point, a point or direction that is not finite, a zero direction, count < 1, or points
/// without depth when count > 1.
std::vector<int> LayersOf(const std::vector<Vec3>& points, const Vec3& outward, int count);

/// A box of particles in layers.
struct LayeredPad {
  std::vector<Vec3> points;     ///< layer by layer; in a layer the first in-plane axis is the slower one
  std::vector<int> layers;      ///< of each point: 0 contact .. count - 1 hand
  Vec3 outward;                 ///< out of the contact face
  std::array<int, 2> image{};   ///< rows and columns of a layer
  int count = 0;                ///< layers
  double volume_per_point = 0;  ///< m3
};

/// A box around `center` cut into counts[0] x counts[1] x counts[2] equal cells with a point in the middle of
/// each. `axis` (0, 1, 2) and `sign` (+1, -1) name the contact face. Rows and columns of a layer run along
/// the other two axes, in the order x, y, z, whatever the sign: two pads that face each other show the same
/// place at the same row and column.
///
/// Throws Error for a size that is not finite and > 0, counts < 1, more than kMaxFillPoints (fill.h) points,
/// and a wrong axis or sign.
LayeredPad MakeLayeredPad(const Vec3& size, const std::array<int, 3>& counts, int axis, int sign,
                          const Vec3& center);

/// The two sensors of "Elastic Interaction of Particles": boxes of 0.24 x 0.04 x 0.24 in a unit domain, 61 x
/// 10 x 61 particles each (2 a grid cell and axis at 128 cells), contact faces `gap` apart across y, the
/// first below and facing +y, the second above and facing -y.
struct EipPads {
  LayeredPad lower, upper;
};
EipPads MakeEipPads(double gap, const Vec3& center = {0.5, 0.5, 0.5});

inline constexpr Vec3 kEipPadSize{0.24, 0.04, 0.24};
inline constexpr std::array<int, 3> kEipPadCounts{61, 10, 61};

}  // namespace taxel
