// SolveLaplace:
//   - ball: u(r) = (1/r - 1/R) / (1/rc - 1/R), at two core sizes; the error falls with the resolution, solved
//   directly and by iteration
//   - flat plate: linear between the faces and the core, away from the rim
//   - 0 on the surface, 1 in the core, between 0 and 1 elsewhere; the same for a tilted copy
//   - refused: core fraction out of range, wrong number of depths, no inner vertex, no depth
#include "taxel/field/laplace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"
#include "taxel/math/pose.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

std::vector<double> Depths(const Primitive& shape, const TetMesh& mesh) {
  std::vector<double> depth;
  for (const Vec3& p : mesh.vertices) depth.push_back(std::max(0.0, -SignedDistance(shape, p)));
  return depth;
}

/// Greatest error over the shell, core radius (1 - fraction) R.
double BallError(double resolution, double fraction) {
  const Sphere ball{0.04};
  const TetMesh mesh = PrimitiveTets(ball, resolution);
  const std::vector<double> u = SolveLaplace(mesh, Depths(ball, mesh), fraction);
  const double core = (1 - fraction) * ball.radius;
  double worst = 0;
  for (std::size_t v = 0; v < u.size(); ++v) {
    const double r = std::max(norm(mesh.vertices[v]), core);
    worst = std::max(worst, std::fabs(u[v] - (1 / r - 1 / ball.radius) / (1 / core - 1 / ball.radius)));
  }
  return worst;
}

TEST(SolveLaplace, MatchesTheClosedFormOfABall) {
  // Layers of 10, 5 and 4 mm put vertices exactly on a core of 20 mm, layers of 5 mm on one of 10 mm. The
  // first mesh is solved directly, the others by iteration.
  const double coarse = BallError(0.01, 0.5), fine = BallError(0.005, 0.5), finer = BallError(0.004, 0.5);
  EXPECT_LT(coarse, 0.05);
  EXPECT_LT(fine, 0.4 * coarse);
  EXPECT_LT(finer, 0.75 * fine);
  EXPECT_LT(BallError(0.005, 0.75), 0.05);  // a smaller core has a steeper field near it
}

TEST(SolveLaplace, IsLinearAcrossAPlate) {
  const Box plate{{0.1, 0.08, 0.008}};
  const TetMesh mesh = PrimitiveTets(plate, 0.002);
  const std::vector<double> u = SolveLaplace(mesh, Depths(plate, mesh), 0.5);
  int checked = 0;
  for (std::size_t v = 0; v < u.size(); ++v) {
    const Vec3 p = mesh.vertices[v];
    if (std::fabs(p.x) > 0.03 || std::fabs(p.y) > 0.02) continue;
    EXPECT_NEAR(u[v], std::min(1.0, (0.004 - std::fabs(p.z)) / 0.002), 1e-3);
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

TEST(SolveLaplace, KeepsItsBoundsAndIgnoresTheFrame) {
  const Capsule shape{0.02, 0.05};
  TetMesh mesh = PrimitiveTets(shape, 0.005);
  const std::vector<double> depth = Depths(shape, mesh);
  const std::vector<double> u = SolveLaplace(mesh, depth, 0.7);
  for (std::size_t v = 0; v < u.size(); ++v) {
    EXPECT_GE(u[v], 0);
    EXPECT_LE(u[v], 1);
    if (depth[v] >= 0.7 * 0.02 * (1 + 1e-9)) {
      EXPECT_EQ(u[v], 1);
    }
    if (depth[v] < 1e-12) {
      EXPECT_EQ(u[v], 0);
    } else {
      EXPECT_GT(u[v], 0);
    }
  }
  const Pose X{RotationAbout(normalized({0.3, -0.7, 0.5}), 1.1), {0.1, 0.2, -0.3}};
  for (Vec3& p : mesh.vertices) p = X * p;
  const std::vector<double> tilted = SolveLaplace(mesh, depth, 0.7);
  for (std::size_t v = 0; v < u.size(); ++v) EXPECT_NEAR(tilted[v], u[v], 1e-9);
}

void ExpectRefused(const TetMesh& mesh, const std::vector<double>& depth, double fraction, const char* word) {
  try {
    SolveLaplace(mesh, depth, fraction);
    ADD_FAILURE() << "no error about " << word;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
  }
}

TEST(SolveLaplace, RefusesWrongInput) {
  const Box box{{0.03, 0.05, 0.02}};
  const TetMesh mesh = PrimitiveTets(box);
  const std::vector<double> depth = Depths(box, mesh);
  for (double fraction : {0.0, 1.0, -0.5, std::nan("")})
    ExpectRefused(mesh, depth, fraction, "core_fraction");
  ExpectRefused(mesh, {0.0, 1.0}, 0.5, "2 depths");
  ExpectRefused(mesh, std::vector<double>(depth.size(), 0.0), 0.5, "depth > 0");
  TetMesh lone;
  lone.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  lone.tets = {{0, 1, 2, 3}};
  ExpectRefused(lone, std::vector<double>(4, 0.0), 0.5, "surface");
}

}  // namespace
}  // namespace taxel
