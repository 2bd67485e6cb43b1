// Soft bodies on a height field:
//   - the same surface as on a rigid mesh of all its triangles, for curved, flat and meshed bodies, tilted
//   - a field that is a plane, against the half space, at its middle and across many cells
//   - the sides push outwards; apart there is nothing; rigid bodies and half spaces are refused
#include <gtest/gtest.h>

#include <cmath>

#include "../shape/expect_error.h"
#include "scenes.h"
#include "taxel/shape/read_mesh.h"

namespace taxel {
namespace {

using test::At;
using test::Backed;
using test::Soft;

struct Terrain {
  std::vector<float> data;
  HeightField field;
  template <class Height>
  Terrain(int rows, int cols, Height height) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c) data.push_back(static_cast<float>(height(r, c)));
    field = {rows, cols, 0.3, 0.2, 0.1, 0.05, data.data()};
  }
  Body mesh() const {
    TriangleMesh all;
    TrianglesNear(field, {{-1, -1, -1}, {1, 1, 1}}, &all);
    return Body(all, {});
  }
};

ContactSurface Touch(const Body& A, const Pose& X_WA, const HeightField& field, const Pose& X_WF) {
  ContactWorkspace workspace;
  ContactSurface surface;
  ComputeContact(A, X_WA, field, X_WF, {}, &workspace, &surface);
  return surface;
}

TEST(HeightFieldContact, IsThatOfTheMesh) {
  const Terrain hills(34, 47, [](int r, int c) { return 0.5 + 0.3 * std::sin(0.6 * r) * std::cos(0.5 * c); });
  const Body mesh = hills.mesh();
  std::vector<Body> feet;
  feet.emplace_back(Sphere{0.025}, Soft(5e4));
  feet.emplace_back(Capsule{0.012, 0.04}, Backed(8e4, 0.006));
  feet.emplace_back(Cylinder{0.015, 0.05}, Soft(4e4));
  feet.emplace_back(Box{{0.05, 0.03, 0.04}}, Soft(7e4));
  feet.emplace_back(ReadTetMesh(TAXEL_TEST_DATA "/l_shape_h10.vtk"), Soft(5e4));
  int touching = 0;
  for (std::size_t i = 0; i < feet.size(); ++i)
    for (int k = 0; k < 12; ++k) {
      const Pose X_WF = test::RandomPose(11, k, 0.3);
      const Pose X_FA{test::RandomRotation(12, k),
                      {0.04 * (k % 5) - 0.1, 0.03 * (k % 3) - 0.04, 0.02 + 0.006 * k}};
      const ContactSurface found = Touch(feet[i], X_WF * X_FA, hills.field, X_WF),
                           expected = ComputeContact(feet[i], X_WF * X_FA, mesh, X_WF);
      EXPECT_NEAR(found.normal_force, expected.normal_force, 1e-9 * (1 + expected.normal_force)) << i << k;
      EXPECT_NEAR(found.area, expected.area, 1e-9 * (1e-6 + expected.area)) << i << k;
      EXPECT_LT(norm(found.wrench_on_A.force - expected.wrench_on_A.force),
                1e-9 * (1 + expected.normal_force));
      EXPECT_LT(norm(found.wrench_on_A.torque - expected.wrench_on_A.torque),
                1e-9 * (1 + expected.normal_force));
      touching += !found.empty();
    }
  EXPECT_GT(touching, 30);
}

TEST(HeightFieldContact, APlaneIsAPlane) {
  // Steps of float heights are exact here.
  const Terrain slope(17, 33, [](int r, int c) { return r / 64.0 + c / 128.0; });
  const Vec3 along{0.6 / 32, 0, 0.1 / 128}, across{0, 0.4 / 16, 0.1 / 64};
  const Vec3 n = normalized(cross(along, across));
  Mat3 R;
  const Vec3 e1 = normalized(along), e2 = cross(n, e1);
  for (int k = 0; k < 3; ++k) R(k, 0) = e1[k], R(k, 1) = e2[k], R(k, 2) = n[k];
  const Pose X_WF = test::RandomPose(13, 1, 0.3), X_WP = X_WF * Pose{R, slope.field.at(0, 0)};
  const Body plane(HalfSpace{}, {});
  for (const Body& foot : {Body(Box{{0.09, 0.07, 0.03}}, Backed(5e4)), Body(Sphere{0.04}, Soft(5e4))}) {
    // A pad with its skin down, 2 mm deep.
    const bool pad = std::holds_alternative<Box>(*foot.primitive());
    const Mat3 turned = RotationAbout({1, 0, 0}, 3.141592653589793) * RotationAbout({0, 0, 1}, 0.4);
    const Pose X_WA = X_WP * Pose{turned, {0.31, 0.17, (pad ? 0.015 : 0.04) - 0.002}};
    const ContactSurface found = Touch(foot, X_WA, slope.field, X_WF),
                         expected = ComputeContact(foot, X_WA, plane, X_WP);
    const double tolerance = pad ? 1e-6 : 5e-3;  // a pad is flat; the ball's facets are refined alike
    ASSERT_GT(expected.normal_force, 0.5);
    EXPECT_NEAR(found.normal_force, expected.normal_force, tolerance * expected.normal_force);
    EXPECT_LT(norm(found.wrench_on_A.force - expected.wrench_on_A.force), tolerance * expected.normal_force);
  }
}

TEST(HeightFieldContact, SidesAndNothing) {
  const Terrain block(4, 5, [](int, int) { return 0.5; });
  const Body ball(Sphere{0.03}, Soft(5e4));
  const struct {
    Vec3 at, force;
  } cases[] = {{{0.327, 0.02, 0}, {1, 0, 0}},     {{-0.327, 0.02, 0}, {-1, 0, 0}},
               {{0.1, 0.227, 0}, {0, 1, 0}},      {{0.1, -0.227, 0}, {0, -1, 0}},
               {{0.1, 0.03, -0.077}, {0, 0, -1}}, {{0.1, 0.03, 0.077}, {0, 0, 1}}};
  for (const auto& c : cases) {
    const ContactSurface s = Touch(ball, At(c.at), block.field, {});
    ASSERT_GT(s.normal_force, 0.1);
    EXPECT_LT(norm(normalized(s.wrench_on_A.force) - c.force), 1e-2);
  }
  EXPECT_TRUE(Touch(ball, At({0.1, 0, 0.1}), block.field, {}).empty());
  EXPECT_TRUE(Touch(ball, At({0.5, 0, 0.02}), block.field, {}).empty());
  ExpectError([&] { Touch(Body(Sphere{0.03}, {}), {}, block.field, {}); }, {"rigid", "height field"});
  BodyOptions ground = Soft(5e4);
  ground.field.thickness = 0.01;
  ExpectError([&] { Touch(Body(HalfSpace{}, ground), {}, block.field, {}); }, {"half space", "height field"});
}

}  // namespace
}  // namespace taxel
