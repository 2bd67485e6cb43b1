// EqualPressureInColumn against EqualPressure, for all pairs of columns of two curved bodies at tilted poses:
//  - sphere/sphere, ellipsoid/capsule, cylinder/sphere, squat cylinder/ellipsoid: same force, torque, area
//  and faces;
//  - it takes most of the pairs that meet (else it would be of no use), and adds nothing when it says false.
#include "taxel/contact/column_intersect.h"

#include <gtest/gtest.h>

#include "scenes.h"
#include "taxel/contact/revolve.h"

namespace taxel {
using namespace internal;
namespace {

struct Case {
  const char* name;
  Primitive A, B;
  Vec3 direction;  // from A to B
  double distance;
};

class Columns : public testing::TestWithParam<Case> {};

std::vector<Cell> Cells(const Primitive& shape, const Approach& approach) {
  RevolvedShape cuts;
  cuts.Cut(shape, approach, {0.3, -0.5, 0.8}, {});
  std::vector<Cell> cells;
  cuts.AppendCells(1, &cells);
  return cells;
}

Cell InFrame(const Pose& X, const Cell& cell) {
  Cell out = cell;
  for (int i = 0; i < cell.num_planes; ++i) out.planes[i] = Transform(X, cell.planes[i]);
  out.depth = Transform(X, cell.depth);
  out.center = X * cell.center;
  out.axis = X.R * cell.axis;
  for (int i = 0; i < cell.num_edges; ++i) out.outer[i] = X * cell.outer[i], out.inner[i] = X * cell.inner[i];
  return out;
}

SoftPiece ToPiece(const Cell& c, const std::vector<Layer>& law) {
  return {c.planes, c.num_planes, c.depth, c.center, c.radius, &law, c.max_depth, c.axis, c.width};
}

TEST_P(Columns, AgreesWithTheGeneralKernel) {
  const Case& c = GetParam();
  const Pose X_AB{RotationAbout({0.2, 0.9, -0.4}, 1.1), c.distance * normalized(c.direction)};
  const Approach a = ApproachOfPrimitives(c.A, X_AB, c.B);
  ASSERT_FALSE(a.separated);
  Approach b = a;
  b.n_A = -TransposeMul(X_AB.R, a.n_A);
  const std::vector<Layer> law_A = LinearLaw(1e5), law_B = LinearLaw(3e5);
  const Pose X_WA{RotationAbout({1, -0.3, 0.5}, 0.7), {0.01, -0.02, 0.05}};
  ContactSurface fast, slow;
  FaceSink to_fast({}, false, &fast), to_slow({}, false, &slow);
  int taken = 0, all = 0;
  for (const Cell& cell_B : Cells(c.B, b)) {
    const Cell moved = InFrame(X_AB, cell_B);
    const SoftPiece second = ToPiece(moved, law_B);
    for (const Cell& column : Cells(c.A, a)) {
      const SoftPiece first = ToPiece(column, law_A);
      const int before = fast.num_faces(), before_slow = slow.num_faces();
      EqualPressure(X_WA, first, second, &to_slow);
      const bool done = EqualPressureInColumn(X_WA, column, first, second, &to_fast);
      if (!done) {
        EXPECT_EQ(fast.num_faces(), before);
        EqualPressure(X_WA, first, second, &to_fast);
      }
      if (slow.num_faces() > before_slow) ++all, taken += done;
    }
  }
  to_fast.Finish();
  to_slow.Finish();
  ASSERT_GT(all, 30);
  EXPECT_GT(taken, all / 5) << all;
  // The vertices come by another road: 1e-13 m of 1e-2 m each.
  EXPECT_NEAR(fast.area, slow.area, 1e-10 * slow.area);
  EXPECT_LT(norm(fast.wrench_on_A.force - slow.wrench_on_A.force), 1e-10 * slow.normal_force);
  EXPECT_LT(norm(fast.wrench_on_A.torque - slow.wrench_on_A.torque), 1e-11 * slow.normal_force);
  EXPECT_NEAR(fast.max_pressure, slow.max_pressure, 1e-9 * slow.max_pressure);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, Columns,
    testing::Values(
        Case{"Spheres", Sphere{0.05}, Sphere{0.03}, {0.3, 0.4, 0.9}, 0.076},
        Case{"EllipsoidCapsule", Ellipsoid{{0.03, 0.02, 0.05}}, Capsule{0.02, 0.06}, {0.9, 0.2, 0.1}, 0.046},
        Case{"CylinderSphere", Cylinder{0.02, 0.1}, Sphere{0.04}, {0.8, -0.5, 0.2}, 0.055},
        Case{"SquatCylinderEllipsoid",
             Cylinder{0.05, 0.02},
             Ellipsoid{{0.03, 0.04, 0.02}},
             {0.1, 0.2, 1},
             0.033}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace taxel
