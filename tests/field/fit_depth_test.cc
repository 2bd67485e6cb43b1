// FitDepth:
//  - leaves the depth of a polyhedron alone where it is linear (a box cut along its medial axis: no value
//  changes);
//  - makes the integral of the depth over a meshed ball that of the exact depth, where interpolation is too
//  small;
//  - never gives a negative depth.
#include "taxel/field/fit_depth.h"

#include <gtest/gtest.h>

#include <numbers>

#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

std::vector<double> ExactDepth(const TetMesh& mesh, const MeshDistance& surface) {
  std::vector<double> depth;
  for (const Vec3& v : mesh.vertices) depth.push_back(surface.ClosestPoint(v).distance);
  return depth;
}

double Integral(const TetMesh& mesh, const std::vector<double>& depth) {
  double sum = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (int v : mesh.tets[t]) sum += 0.25 * TetVolume(mesh, static_cast<int>(t)) * depth[v];
  return sum;
}

TEST(FitDepth, LeavesLinearDepthAlone) {
  const TetMesh mesh = PrimitiveTets(Box{{0.05, 0.04, 0.018}}, 0);
  const MeshDistance surface(BoundarySurface(mesh));
  const std::vector<double> exact = ExactDepth(mesh, surface);
  std::vector<double> fitted = exact;
  FitDepth(mesh, surface, &fitted);
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(fitted[i], exact[i], 1e-15);
}

TEST(FitDepth, MakesTheIntegralOfABallRight) {
  const double R = 0.03;
  const TetMesh mesh = PrimitiveTets(Sphere{R}, 0.8 * R);
  // The exact field is that of a much finer surface.
  const MeshDistance surface(PrimitiveSurface(Sphere{R}, 0.08 * R));
  std::vector<double> depth = ExactDepth(mesh, surface);
  const double interpolated = Integral(mesh, depth);
  FitDepth(mesh, surface, &depth);
  const double fitted = Integral(mesh, depth);
  // int (R - r) over the ball is pi R^4 / 3; the mesh, whose flat sides cut the ball short, holds a little
  // less of it.
  const double ball = std::numbers::pi * R * R * R * R / 3;
  EXPECT_LT(interpolated, 0.96 * ball);
  EXPECT_NEAR(fitted / ball, 1, 0.03);
  for (const auto& t : BoundarySurface(mesh).triangles)
    for (int v : t) EXPECT_GT(depth[v], 0);
  for (double d : depth) EXPECT_GE(d, 0);
}

}  // namespace
}  // namespace taxel
