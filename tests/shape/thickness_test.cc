// MeasureThickness: tilted box (half its least size), a thin plate, a ball, a dumbbell of a thick and a thin
// part. GrowInscribedBall: centre of a ball from off-centre; a box from anywhere inside; an L from one leg.
#include "taxel/shape/thickness.h"

#include <gtest/gtest.h>

#include "taxel/shape/primitive_tets.h"
#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

using namespace test;

TEST(MeasureThickness, OfABox) {
  const Thickness t =
      MeasureThickness(MeshDistance(Transformed(TiltedPose(), PrimitiveSurface(Box{{0.03, 0.05, 0.02}}))));
  EXPECT_NEAR(t.greatest, 0.01, 5e-6);
  EXPECT_NEAR(t.thin, 0.01, 5e-6);
}

TEST(MeasureThickness, OfAPlate) {
  const Thickness t =
      MeasureThickness(MeshDistance(Transformed(TiltedPose(), PrimitiveSurface(Box{{0.1, 0.07, 0.001}}))));
  EXPECT_NEAR(t.greatest, 0.0005, 2.5e-7);
  EXPECT_NEAR(t.thin, 0.0005, 2.5e-7);
}

TEST(MeasureThickness, OfABall) {
  const Thickness t = MeasureThickness(MeshDistance(Icosphere(4, 0.05)));
  EXPECT_NEAR(t.greatest, 0.05, 0.002);
}

TEST(MeasureThickness, SeesTheThinPart) {
  // Two bodies, apart: a cube of 4 cm and a plate of 2 mm with more surface than the cube.
  TriangleMesh both = PrimitiveSurface(Box{{0.04, 0.04, 0.04}});
  const TriangleMesh plate = PrimitiveSurface(Box{{0.1, 0.1, 0.002}});
  const int base = static_cast<int>(both.vertices.size());
  for (const Vec3& v : plate.vertices) both.vertices.push_back(v + Vec3{0, 0, 0.05});
  for (const auto& t : plate.triangles) both.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
  const Thickness t = MeasureThickness(MeshDistance(both));
  EXPECT_NEAR(t.greatest, 0.02, 1e-5);  // 5e-4 of itself
  EXPECT_NEAR(t.thin, 0.001, 1e-6);
}

TEST(GrowInscribedBall, FindsTheLargest) {
  const Pose X = TiltedPose();
  const MeshDistance box(Transformed(X, PrimitiveSurface(Box{{0.03, 0.05, 0.02}})));
  const MeshDistance l(Transformed(X, LPrism(0.02, 0.05)));
  for (int i = 0; i < 20; ++i) {
    const Vec3 in_box = X * UniformInBox(4, i, {-0.014, -0.024, -0.009}, {0.014, 0.024, 0.009});
    EXPECT_NEAR(GrowInscribedBall(box, in_box, 0.005).radius, 0.01, 1e-5);
    // Where the legs meet, the ball in the corner touches the outer walls and the reflex edge:
    // r = (2 - sqrt(2)) w, 0.0117 for w = 2 cm; in a leg it is w / 2.
    const Vec3 in_corner = X * UniformInBox(5, i, {0.004, 0.004, 0.015}, {0.016, 0.016, 0.035});
    EXPECT_NEAR(GrowInscribedBall(l, in_corner, 0.005).radius, (2 - std::sqrt(2.0)) * 0.02, 1.2e-5);
  }
  const Ball ball = GrowInscribedBall(MeshDistance(Icosphere(4, 0.05)), {0.01, -0.02, 0.015}, 0.02);
  EXPECT_NEAR(ball.radius, 0.05, 2e-4);
  EXPECT_LT(norm(ball.center), 1e-3);
}

}  // namespace
}  // namespace taxel
