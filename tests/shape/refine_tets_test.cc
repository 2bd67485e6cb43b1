// RefineTets, on tilted box and sphere meshes:
//   - splits to a greatest edge length: none longer remains, volume and soundness are kept
//   - grading towards a point: small elements near, large ones far, quality stays above a floor
//   - outer edges may be split off the edge: the surface of a sphere gains volume; new vertices lie on it
//   - a wish that would invert is not followed
//   - nothing wished, nothing done; max_tets stops it; same input, same bits; every new vertex is told
#include "taxel/shape/refine_tets.h"

#include <gtest/gtest.h>

#include <limits>

#include "taxel/shape/primitive_tets.h"
#include "test_meshes.h"
#include "tet_checks.h"

namespace taxel {
using namespace internal;
namespace {

using namespace test;

TetMesh Tilted(TetMesh mesh) {
  for (Vec3& p : mesh.vertices) p = TiltedPose() * p;
  return mesh;
}

Vec3 Middle(const TetEditor& mesh, const EdgeToSplit& e) {
  return 0.5 * (mesh.position(e.a) + mesh.position(e.b));
}

double LongestEdge(const TetMesh& mesh) {
  double longest = 0;
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t)
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j)
        longest = std::max(longest, norm(mesh.corner(t, i) - mesh.corner(t, j)));
  return longest;
}

SplitWish LongerThan(double length) {
  return [length](const TetEditor& mesh, const EdgeToSplit& e) -> std::optional<Vec3> {
    if (e.length <= length) return std::nullopt;
    return Middle(mesh, e);
  };
}

TEST(RefineTets, ReachesALength) {
  TetEditor edit(Tilted(PrimitiveTets(Box{{0.03, 0.05, 0.02}})));
  int told = 0;
  const int before = edit.num_vertices();
  EXPECT_TRUE(
      RefineTets(&edit, {}, LongerThan(0.006), [&](const TetEditor& mesh, int v, const EdgeToSplit& e) {
        EXPECT_EQ(v, mesh.num_vertices() - 1);
        EXPECT_LT(e.a, e.b);
        ++told;
      }));
  EXPECT_EQ(edit.num_vertices(), before + told);
  EXPECT_LE(LongestEdge(edit.mesh()), 0.006);
  ExpectSoundMesh(edit.mesh());
  EXPECT_EQ(EulerCharacteristic(edit.mesh()), 1);
  EXPECT_NEAR(TotalVolume(edit.mesh()), 3e-5, 3e-5 * 1e-12);
}

TEST(RefineTets, GradesTowardsAPoint) {
  TetEditor edit(Tilted(PrimitiveTets(Box{{0.03, 0.05, 0.02}}, 0.01)));
  double before = 1;
  for (int t = 0; t < edit.num_tets(); ++t) before = std::min(before, edit.Quality(t));
  const Vec3 corner = TiltedPose() * Vec3{0.015, 0.025, 0.01};
  auto allowed = [&](const Vec3& p) { return 0.0005 + 0.5 * norm(p - corner); };
  RefineLimits limits;
  limits.longest_edge_ratio = 1.5;
  EXPECT_TRUE(
      RefineTets(&edit, limits, [&](const TetEditor& mesh, const EdgeToSplit& e) -> std::optional<Vec3> {
        if (e.length <= allowed(Middle(mesh, e))) return std::nullopt;
        return Middle(mesh, e);
      }));
  ExpectSoundMesh(edit.mesh());
  double worst = 1;
  for (int t = 0; t < edit.num_tets(); ++t) worst = std::min(worst, edit.Quality(t));
  EXPECT_GT(worst, 0.05 * before);  // bisection of longest edges keeps the shapes within a bounded family
  EXPECT_LT(edit.num_tets(), 20'000);
}

TEST(RefineTets, FollowsACurvedSurface) {
  constexpr double kRadius = 0.03;
  TetEditor edit(PrimitiveTets(Sphere{kRadius}, 0.03));
  const double before = TotalVolume(edit.mesh());
  EXPECT_TRUE(RefineTets(&edit, {}, [&](const TetEditor& mesh, const EdgeToSplit& e) -> std::optional<Vec3> {
    const Vec3 middle = Middle(mesh, e);
    if (!e.boundary) return std::nullopt;
    if (!e.forced && kRadius - norm(middle) < 1e-4) return std::nullopt;
    return kRadius * normalized(middle);
  }));
  ExpectSoundMesh(edit.mesh());
  for (const auto& t : BoundarySurface(edit.mesh()).triangles)
    for (int v : t) EXPECT_NEAR(norm(edit.position(v)), kRadius, 1e-15);
  const double volume = TotalVolume(edit.mesh()), ball = 4.0 / 3 * M_PI * kRadius * kRadius * kRadius;
  EXPECT_GT(volume, before);
  EXPECT_NEAR(volume, ball, 0.01 * ball);  // three times the greatest sagitta, 1e-4 / 0.03
}

TEST(RefineTets, DoesNotInvert) {
  TetEditor edit(Tilted(PrimitiveTets(Box{{0.03, 0.05, 0.02}})));
  const int before = edit.num_tets();
  RefineLimits limits;
  limits.longest_edge_ratio = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(
      RefineTets(&edit, limits, [&](const TetEditor& mesh, const EdgeToSplit& e) -> std::optional<Vec3> {
        return Middle(mesh, e) + Vec3{0.5, 0, 0};
      }));
  EXPECT_EQ(edit.num_tets(), before);
}

TEST(RefineTets, StopsAtTheLimit) {
  TetEditor edit(Tilted(PrimitiveTets(Box{{0.03, 0.05, 0.02}})));
  RefineLimits limits;
  limits.max_tets = 1000;
  EXPECT_FALSE(RefineTets(&edit, limits, LongerThan(0.001)));
  EXPECT_LT(edit.num_tets(), 1100);
  ExpectSoundMesh(edit.mesh());
}

TEST(RefineTets, DoesNothingUnasked) {
  TetEditor edit(PrimitiveTets(Sphere{0.03}));
  const TetMesh before = edit.mesh();
  EXPECT_TRUE(RefineTets(&edit, {}, LongerThan(1)));
  EXPECT_EQ(edit.mesh().tets, before.tets);
}

TEST(RefineTets, IsDeterministic) {
  TetEditor a(Tilted(PrimitiveTets(Sphere{0.03}))), b(Tilted(PrimitiveTets(Sphere{0.03})));
  RefineTets(&a, {}, LongerThan(0.008));
  RefineTets(&b, {}, LongerThan(0.008));
  EXPECT_EQ(a.mesh().tets, b.mesh().tets);
  EXPECT_EQ(a.mesh().vertices, b.mesh().vertices);
}

}  // namespace
}  // namespace taxel
