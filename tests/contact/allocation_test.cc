// After a warm-up a query with the same workspace and surface allocates nothing, for all kinds of pairs:
//   curved, flat, half spaces, tetrahedra and triangles, soft and rigid; touching and apart
#include <gtest/gtest.h>

#include "../count_allocations.h"
#include "scenes.h"
#include "taxel/shape/read_mesh.h"

namespace taxel {
namespace {

using test::Backed;
using test::Soft;

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  std::vector<int> v(100);
  EXPECT_EQ(v.size(), 100u);
  EXPECT_GT(allocations.load(), before);
}

TEST(Allocation, AQueryWithWarmMemoryTakesNone) {
  const std::string data = TAXEL_TEST_DATA "/";
  const TetMesh ell = ReadTetMesh(data + "l_shape_h10.vtk");
  BodyOptions ground = Soft(9e4);
  ground.field.thickness = 0.02;
  std::vector<Body> zoo;
  zoo.emplace_back(Sphere{0.025}, Soft(5e4));
  zoo.emplace_back(Box{{0.05, 0.03, 0.04}}, Soft(7e4));
  zoo.emplace_back(Cylinder{0.015, 0.05}, Soft(4e4));
  zoo.emplace_back(Capsule{0.012, 0.04}, Backed(8e4, 0.01));
  zoo.emplace_back(Ellipsoid{{0.02, 0.03, 0.015}}, Soft(5e4));
  zoo.emplace_back(Box{{0.06, 0.05, 0.018}}, Backed(3e4));
  zoo.emplace_back(HalfSpace{}, ground);
  zoo.emplace_back(ell, Soft(5e4));
  zoo.emplace_back(ell, Backed(5e4));
  zoo.emplace_back(Sphere{0.025}, BodyOptions{});
  zoo.emplace_back(Cylinder{0.015, 0.05}, BodyOptions{});
  zoo.emplace_back(Box{{0.05, 0.03, 0.04}}, BodyOptions{});
  zoo.emplace_back(HalfSpace{}, BodyOptions{});
  zoo.emplace_back(ReadTriangleMesh(data + "dumbbell.obj"), BodyOptions{});
  const auto is_plane = [](const Body& b) {
    return b.primitive() && std::holds_alternative<HalfSpace>(*b.primitive());
  };
  int touching = 0;
  for (std::size_t a = 0; a < zoo.size(); ++a)
    for (std::size_t b = 0; b < zoo.size(); ++b) {
      if ((!zoo[a].soft() && !zoo[b].soft()) || (is_plane(zoo[a]) && is_plane(zoo[b]))) continue;
      for (Faces faces : {Faces::kPolygons, Faces::kTriangles}) {
        ContactOptions options;
        options.faces = faces;
        ContactWorkspace workspace;
        ContactSurface surface;
        const Pose X_WA = test::RandomPose(5, 20 * a + b, 0.1);
        const Pose X_WB =
            X_WA * Pose{test::RandomRotation(6, b), {0.012, 0.009, is_plane(zoo[b]) ? -0.02 : 0.02}};
        const Pose away = test::At({0, 0, 9});
        ComputeContact(zoo[a], X_WA, zoo[b], X_WB, options, &workspace, &surface);
        touching += !surface.empty();
        const long before = allocations;
        ComputeContact(zoo[a], X_WA, zoo[b], X_WB, options, &workspace, &surface);
        if (!is_plane(zoo[a]) && !is_plane(zoo[b]))
          ComputeContact(zoo[a], away * X_WA, zoo[b], X_WB, options, &workspace, &surface);
        const long same = allocations - before;
        EXPECT_EQ(same, 0) << zoo[a].name() << " " << zoo[b].name();
        // The results may go to the caller, the workspace need not: a fresh surface is all that is allocated
        // then.
        ContactSurface fresh;
        const long before_fresh = allocations;
        ComputeContact(zoo[a], X_WA, zoo[b], X_WB, options, &workspace, &fresh);
        if (!fresh.empty()) {
          EXPECT_GT(allocations.load(), before_fresh);
        }
      }
    }
  EXPECT_GT(touching, 200);
}

TEST(Allocation, AHeightFieldWithWarmMemoryTakesNone) {
  std::vector<float> heights(90 * 70);
  for (std::size_t i = 0; i < heights.size(); ++i) heights[i] = 0.5f + 0.01f * static_cast<float>(i % 13);
  const HeightField field{90, 70, 0.3, 0.4, 0.1, 0.05, heights.data()};
  const Body foot(Capsule{0.02, 0.04}, Backed(8e4, 0.01));
  ContactWorkspace workspace;
  ContactSurface surface;
  const auto press = [&](double x) {
    ComputeContact(foot, {test::RandomRotation(6, 1), {x, 0.01, 0.06}}, field, {}, {}, &workspace, &surface);
  };
  for (double x : {-0.02, 0.0, 0.02}) press(x);
  EXPECT_FALSE(surface.empty());
  const long before = allocations;
  for (double x : {0.02, 0.0, -0.02}) press(x);
  EXPECT_EQ(allocations.load(), before);
}

}  // namespace
}  // namespace taxel
