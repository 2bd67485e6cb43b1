// Anchors:
//   - as many as wanted, on the surface; errors
//   - weights: positive, sum 1, the greatest at the nearest anchor that faces the contact
//   - the voxel lists leave nothing out: the same as over all anchors, on curved, flat and concave bodies
//   - continuous as the point moves, across voxels and along a deep path
//   - over a flat skin independent of the depth; the other side of a thin pad takes no part
//   - every point of the surface finds anchors near it, out to edges and corners
#include "taxel/contact/anchors.h"

#include <gtest/gtest.h>

#include <limits>

#include "../shape/expect_error.h"
#include "scenes.h"
#include "taxel/shape/sample_surface.h"

namespace taxel {
namespace {

using test::BoxMesh;
using test::Icosphere;

constexpr double kReach = 1.5;

// The definition, over all anchors.
std::vector<double> Reference(const Anchors& anchors, const Vec3& p, const Vec3& n) {
  for (double least_cosine : {0.3, -2.0}) {
    double nearest = std::numeric_limits<double>::infinity();
    for (int a = 0; a < anchors.count(); ++a)
      if (dot(anchors.normals()[a], n) > least_cosine)
        nearest = std::min(nearest, norm2(p - anchors.points()[a]));
    if (std::isinf(nearest)) continue;
    std::vector<double> w(anchors.count(), 0.0);
    double sum = 0;
    for (int a = 0; a < anchors.count(); ++a) {
      if (dot(anchors.normals()[a], n) <= least_cosine) continue;
      const double R = kReach * anchors.spacing();
      const double t = std::max(0.0, 1 - (norm2(p - anchors.points()[a]) - nearest) / (R * R));
      w[a] = t * t;
      sum += w[a];
    }
    for (double& x : w) x /= sum;
    return w;
  }
  return {};
}

std::vector<double> Found(const Anchors& anchors, const Vec3& p, const Vec3& n) {
  Anchors::Weight found[Anchors::kMaxWeights];
  const int count = anchors.Find(p, n, found);
  EXPECT_GE(count, 1);
  EXPECT_LE(count, Anchors::kMaxWeights);
  std::vector<double> w(anchors.count(), 0.0);
  for (int k = 0; k < count; ++k) {
    EXPECT_GT(found[k].weight, 0);
    EXPECT_EQ(w[found[k].anchor], 0) << "an anchor stands twice in the list";
    w[found[k].anchor] = found[k].weight;
  }
  return w;
}

double Difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

struct Case {
  const char* name;
  TriangleMesh mesh;
};
std::vector<Case> Cases() {
  return {{"sphere", Icosphere(3, 0.03)},
          {"flat box", BoxMesh({0.07, 0.045, 0.012})},
          {"tilted box", test::Transformed(test::TiltedPose(), BoxMesh({0.05, 0.02, 0.03}))},
          {"torus", test::Torus(48, 24, 0.03, 0.011)}};
}

TEST(Anchors, AboutAsManyAsWanted) {
  for (const Case& c : Cases())
    for (int wanted : {16, 64, 256, 1000}) {
      const Anchors anchors(c.mesh, wanted, 3);
      // 0.7 area / r^2 is the mean over many sets; edges and small sets scatter about it.
      EXPECT_NEAR(anchors.count(), wanted, 0.2 * wanted + 2) << c.name;
      EXPECT_LE(anchors.count(), wanted) << c.name;
      EXPECT_EQ(anchors.points().size(), anchors.normals().size());
      for (int a = 0; a < anchors.count(); ++a) {
        EXPECT_NEAR(norm(anchors.normals()[a]), 1, 1e-12);
        for (int b = 0; b < a; ++b)
          if (dot(anchors.normals()[a], anchors.normals()[b]) >= 0) {
            EXPECT_GE(norm(anchors.points()[a] - anchors.points()[b]), anchors.spacing() * (1 - 1e-12));
          }
      }
    }
}

TEST(Anchors, OneAnchorIsEnough) {
  for (const Case& c : Cases()) {
    try {
      EXPECT_GE(Anchors(c.mesh, 1, 5).count(), 1);
    } catch (const Error& error) {
      ADD_FAILURE() << c.name << ": " << error.what();
    }
  }
}

TEST(Anchors, WeightsAddUpToOneAndTheNearestHasMost) {
  for (const Case& c : Cases()) {
    const Anchors anchors(c.mesh, 200, 7);
    for (const SurfaceSample& s : UniformSurfaceSamples(c.mesh, 500, 11)) {
      const std::vector<double> w = Found(anchors, s.point, s.normal);
      double sum = 0, nearest = std::numeric_limits<double>::infinity();
      int best = -1;
      for (int a = 0; a < anchors.count(); ++a) {
        sum += w[a];
        const double r = norm(s.point - anchors.points()[a]);
        if (dot(anchors.normals()[a], s.normal) > 0.3 && r < nearest) nearest = r, best = a;
      }
      EXPECT_NEAR(sum, 1, 1e-14);
      ASSERT_GE(best, 0);
      EXPECT_EQ(w[best], *std::max_element(w.begin(), w.end())) << c.name;
    }
  }
}

TEST(Anchors, TheVoxelsLeaveNothingOut) {
  // At and below the surface, where contact surfaces are; the normal leans as an object's edge makes it lean.
  for (const Case& c : Cases()) {
    const Anchors anchors(c.mesh, 200, 9);
    int i = 0;
    for (const SurfaceSample& s : UniformSurfaceSamples(c.mesh, 2000, 13)) {
      ++i;
      const double depth = test::Uniform(17, i, 0, 0.004);
      const Vec3 n = normalized(s.normal + 0.5 * test::UniformDirection(19, i));
      const Vec3 p = s.point - depth * s.normal;
      // Rounding of squares: 1e-12 is 1e4 units in the last place.
      EXPECT_LT(Difference(Found(anchors, p, n), Reference(anchors, p, n)), 1e-12)
          << c.name << ", sample " << i << ", depth " << depth;
    }
  }
}

TEST(Anchors, TheVoxelsLeaveNothingOutWhereTheNormalLeansFar) {
  // An object's side pressed into a round pad: normals up to 54 degrees from the skin's. Nearer to the
  // cut-off (73 degrees) an anchor may be struck from a list because of a rival that Find() then leaves out
  // by its normal.
  for (const Case& c : Cases()) {
    const Anchors anchors(c.mesh, 200, 9);
    int i = 0;
    for (const SurfaceSample& s : UniformSurfaceSamples(c.mesh, 2000, 23)) {
      ++i;
      Vec3 e1, e2;
      MakeFrame(s.normal, &e1, &e2);
      const double phi = test::Uniform(29, i, 0, 2 * test::kPi), lean = test::Uniform(31, i, 0, 0.95);
      const Vec3 n = std::cos(lean) * s.normal + std::sin(lean) * (std::cos(phi) * e1 + std::sin(phi) * e2);
      const Vec3 p = s.point - test::Uniform(37, i, 0, 0.002) * s.normal;
      EXPECT_LT(Difference(Found(anchors, p, n), Reference(anchors, p, n)), 1e-12)
          << c.name << ", sample " << i;
    }
  }
}

TEST(Anchors, WeightsAreContinuousAsThePointMoves) {
  for (const Case& c : Cases()) {
    const Anchors anchors(c.mesh, 150, 21);
    const std::vector<SurfaceSample> ends = UniformSurfaceSamples(c.mesh, 60, 23);
    int paths = 0;
    for (const SurfaceSample& from : ends)
      for (const SurfaceSample& to : ends) {
        const double length = norm(to.point - from.point);
        if (dot(from.normal, to.normal) < 0.9 || length < anchors.spacing() || length > 4 * anchors.spacing())
          continue;
        ++paths;
        // Across many voxels, sinking on the way; one step is 1 / 500 of the spacing.
        const int steps = static_cast<int>(500 * length / anchors.spacing());
        std::vector<double> before;
        for (int i = 0; i <= steps; ++i) {
          const double t = double(i) / steps;
          const Vec3 p = (1 - t) * from.point + t * to.point - 0.002 * t * from.normal;
          std::vector<double> now = Found(anchors, p, from.normal);
          // |dw/dx| <= 2 t' with t' = 2 |p_i - p_0| / R^2, over a sum >= 1: below 8 / spacing.
          if (i > 0) {
            ASSERT_LT(Difference(before, now), 8.0 / 500) << c.name << " at " << t;
          }
          before = std::move(now);
        }
        if (paths % 20 == 0) break;
      }
    EXPECT_GT(paths, 20) << c.name;
  }
}

TEST(Anchors, DepthBelowAFlatSkinDoesNotMatter) {
  const Vec3 size{0.07, 0.05, 0.02};
  const Pose X = test::TiltedPose();
  const Anchors anchors(test::Transformed(X, BoxMesh(size)), 300, 2);
  const Vec3 n = X.R.col(2);
  for (int i = 0; i < 200; ++i) {
    const Vec3 top = X * Vec3{test::Uniform(5, 2 * i, -0.03, 0.03), test::Uniform(5, 2 * i + 1, -0.02, 0.02),
                              0.5 * size.z};
    const std::vector<double> skin = Found(anchors, top, n);
    for (double depth : {0.001, 0.007, 0.018})
      // The difference of squares loses depth^2 / spacing^2 digits.
      EXPECT_LT(Difference(Found(anchors, top - depth * n, n), skin), 1e-12) << depth;
  }
}

TEST(Anchors, TheOtherSideOfAThinPadTakesNoPart) {
  const Vec3 size{0.06, 0.04, 0.002};  // spacing about 4 mm, twice the thickness
  const Anchors anchors(BoxMesh(size), 300, 4);
  ASSERT_GT(anchors.spacing(), size.z);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p{test::Uniform(6, 2 * i, -0.029, 0.029), test::Uniform(6, 2 * i + 1, -0.019, 0.019), -0.0005};
    for (double side : {1.0, -1.0}) {
      const std::vector<double> w = Found(anchors, p, normalized({0.1, -0.05, side}));
      for (int a = 0; a < anchors.count(); ++a)
        if (w[a] > 0) {
          EXPECT_GT(side * anchors.normals()[a].z, 0.9);
        }
    }
  }
}

TEST(Anchors, EveryPointOfTheSurfaceHasAnchorsNearIt) {
  for (const Case& c : Cases()) {
    const Anchors anchors(c.mesh, 120, 8);
    std::vector<SurfaceSample> samples = UniformSurfaceSamples(c.mesh, 1000, 31);
    for (int t = 0; t < static_cast<int>(c.mesh.triangles.size()); t += 7)  // edges and corners
      samples.push_back({c.mesh.corner(t, 0), normalized(AreaNormal2(c.mesh, t)), t});
    for (const SurfaceSample& s : samples) {
      const std::vector<double> w = Found(anchors, s.point, s.normal);
      double nearest = std::numeric_limits<double>::infinity(), farthest = 0;
      for (int a = 0; a < anchors.count(); ++a) {
        if (w[a] == 0) continue;
        nearest = std::min(nearest, norm(s.point - anchors.points()[a]));
        farthest = std::max(farthest, norm(s.point - anchors.points()[a]));
        EXPECT_GT(dot(anchors.normals()[a], s.normal), 0.3) << c.name;
      }
      // A maximal set leaves no point of a smooth surface farther than 1.05 spacing. At the edge of a box an
      // anchor of the other face may stand in the place of one of this face: twice that. Then r^2 < r_0^2 +
      // R^2.
      EXPECT_LT(nearest, 2.1 * anchors.spacing()) << c.name;
      EXPECT_LT(
          farthest,
          std::sqrt(nearest * nearest + kReach * kReach * anchors.spacing() * anchors.spacing()) + 1e-12)
          << c.name;
    }
  }
}

TEST(Anchors, PointsOutsideOfTheBodyFindTheNearest) {
  // Anchors lie inside of the body's box by up to a spacing, and rounding puts contact points beyond it.
  const Anchors anchors(BoxMesh({0.05, 0.03, 0.02}), 60, 12);
  for (int i = 0; i < 300; ++i) {
    Vec3 p = test::UniformInBox(14, i, {-0.025, -0.015, 0}, {0.025, 0.015, 0});
    p.z = 0.01 + test::Uniform(15, i, 0, 0.002);
    (i % 2 ? p.x : p.y) = i % 2 ? 0.0252 : -0.0153;
    EXPECT_LT(Difference(Found(anchors, p, {0, 0, 1}), Reference(anchors, p, {0, 0, 1})), 1e-12) << i;
  }
}

TEST(Anchors, TheSameSeedGivesTheSameAnchors) {
  const TriangleMesh mesh = BoxMesh({0.05, 0.03, 0.02});
  EXPECT_EQ(Anchors(mesh, 100, 6).points(), Anchors(mesh, 100, 6).points());
  EXPECT_NE(Anchors(mesh, 100, 6).points(), Anchors(mesh, 100, 7).points());
}

TEST(Anchors, RefusesWhatHasNoAnchors) {
  const TriangleMesh mesh = BoxMesh({0.05, 0.03, 0.02});
  ExpectError([&] { Anchors(mesh, 0, 1); }, {"number of anchors is 0", "at least 1"});
  ExpectError([&] { Anchors(mesh, -5, 1); }, {"number of anchors is -5", "at least 1"});
  EXPECT_THROW(Anchors({}, 10, 1), Error);
  TriangleMesh flat;
  flat.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  flat.triangles = {{0, 1, 2}};
  EXPECT_THROW(Anchors(flat, 10, 1), Error);
}

}  // namespace
}  // namespace taxel
