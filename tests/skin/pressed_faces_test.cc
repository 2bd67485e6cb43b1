// The contact surface in the skin's frame:
//   - normals into the skin, whichever body it is; the force is that of the surface, in the skin's frame
//   - tilted poses, an empty surface, memory that is kept
//   - the walls of what is pressed in: which they are, what they carry; none on a ball, none when all faces
//   count
// and what one polygon adds to a cell:
//   - area, load, force, moment and peak against closed forms; any corner first, either winding; parts add up
#include "taxel/skin/pressed_faces.h"

#include <gtest/gtest.h>

#include "skin_scenes.h"

namespace taxel {
namespace {

using test::At;
using test::Press;
using test::Soft;

const Body kPad(Box{{0.08, 0.06, 0.03}}, test::Backed(5e4));
const Body kBall(Sphere{0.02}, {});
const Pose kBallPose = At({0.004, -0.006, 0.015 + 0.018});

CellLoad Whole(const PressedFaces& faces) {
  CellLoad sum;
  struct Corner {
    Vec3 p;
    double pressure;
  };
  for (int f = 0; f < faces.count(); ++f) {
    std::vector<Corner> corners;
    for (int i = faces.start[f]; i < faces.start[f + 1]; ++i)
      corners.push_back({faces.vertices[i], faces.pressures[i]});
    AddPolygon(corners.data(), static_cast<int>(corners.size()), faces.inward[f], 1, &sum);
  }
  return sum;
}

TEST(PressedFaces, TheForceOnTheSkinInItsFrame) {
  const Pose world[] = {{}, test::TiltedPose(), test::RandomPose(4, 1, 2.0)};
  for (const Pose& X : world)
    for (bool is_A : {true, false}) {
      const Press press(kPad, kBall, kBallPose, X, is_A);
      const PressedFaces faces = press.faces();
      const CellLoad sum = Whole(faces);
      ASSERT_GT(press.surface.normal_force, 0.1);
      EXPECT_NEAR(sum.load, press.surface.normal_force, 1e-13 * sum.load);
      EXPECT_NEAR(sum.area, press.surface.area, 1e-13 * sum.area);
      EXPECT_EQ(sum.peak, press.surface.max_pressure);
      EXPECT_LT(norm(sum.force - press.force_G()), 1e-12 * sum.load);
      EXPECT_LT(sum.force.z, -0.9 * sum.load);  // pressed from above, whichever body it is
      const Vec3 center = TransposeMul(X.R, press.surface.center_of_pressure - X.p);
      EXPECT_LT(norm(sum.center() - center), 1e-13);
      const Wrench w = is_A ? press.surface.WrenchOnA(X.p) : press.surface.WrenchOnB(X.p);
      EXPECT_LT(norm(sum.torque - TransposeMul(X.R, w.torque)), 1e-13 * sum.load);
      for (const Vec3& n : faces.inward) EXPECT_LT(n.z, 0);
      for (const Vec3& v : faces.vertices) {
        EXPECT_TRUE(faces.box.Distance2(v) == 0);
        EXPECT_LT(v.z, 0.015 + 1e-15);
      }
    }
}

TEST(PressedFaces, WallsAreSetApart) {
  const Body block(Box{{0.02, 0.015, 0.02}}, {});
  for (bool is_A : {true, false}) {
    const Press press(kPad, block, {RotationAbout({0, 0, 1}, 0.4), {0.004, -0.006, 0.015 + 0.01 - 0.002}},
                      test::TiltedPose(), is_A);
    const PressedFaces faces = press.faces(false), all = press.faces(true);
    CellLoad held;
    struct Corner {
      Vec3 p;
      double pressure;
    };
    int walls = 0;
    for (int f = 0; f < faces.count(); ++f) {
      EXPECT_EQ(all.grip[f], 1);
      // The bottom counts, the sides do not: the pressure does not change along their normals.
      const bool wall = std::fabs(faces.inward[f].z) < 0.5;
      EXPECT_NEAR(faces.grip[f], wall ? 0 : 1, 1e-9);
      walls += wall;
      std::vector<Corner> corners;
      for (int i = faces.start[f]; i < faces.start[f + 1]; ++i)
        corners.push_back({faces.vertices[i], faces.pressures[i]});
      AddPolygon(corners.data(), static_cast<int>(corners.size()), faces.inward[f], faces.grip[f], &held);
    }
    EXPECT_GE(walls, 4);
    // Together they are the whole surface.
    const ContactSurface& s = press.surface;
    const CellLoad& out = faces.left_out;
    EXPECT_GT(out.grip, 0.02 * s.normal_force);
    EXPECT_NEAR(held.grip + out.grip, s.normal_force, 1e-13 * s.normal_force);
    EXPECT_NEAR(held.load, s.normal_force, 1e-13 * s.normal_force);
    EXPECT_LT(norm(held.held + out.held - press.force_G()), 1e-13 * s.normal_force);
    const Wrench w = is_A ? s.WrenchOnA(press.X_WG.p) : s.WrenchOnB(press.X_WG.p);
    EXPECT_LT(norm(held.torque + out.torque - TransposeMul(press.X_WG.R, w.torque)), 1e-13 * s.normal_force);
    const Vec3 center = TransposeMul(press.X_WG.R, s.center_of_pressure - press.X_WG.p);
    EXPECT_LT(norm((held.moment + out.moment) / s.normal_force - center), 1e-13);
    EXPECT_EQ(all.left_out.grip, 0);
  }
  const PressedFaces ball = Press(kPad, kBall, kBallPose, test::TiltedPose()).faces(false);
  EXPECT_EQ(ball.left_out.grip, 0);
}

TEST(PressedFaces, EmptyAndReused) {
  PressedFaces faces = Press(kPad, kBall, kBallPose).faces();
  ASSERT_GT(faces.count(), 0);
  ContactSurface none;
  none.face_start.clear();
  faces.Set(none, true, test::TiltedPose());
  EXPECT_EQ(faces.count(), 0);
  EXPECT_EQ(faces.start, std::vector<int>{0});
  EXPECT_TRUE(faces.vertices.empty());
  EXPECT_EQ(Whole(faces).load, 0);
  EXPECT_EQ(CellLoad{}.center(), (Vec3{}));
  const Press press(kPad, kBall, kBallPose);
  faces.Set(press.surface, true, press.X_WG, true);
  const PressedFaces fresh = press.faces();
  EXPECT_EQ(faces.vertices, fresh.vertices);
  EXPECT_EQ(faces.start, fresh.start);
  EXPECT_EQ(faces.box.lo, fresh.box.lo);
}

struct Corner {
  Vec3 p;
  double pressure;
};

TEST(AddPolygon, ARectangleWithALinearPressure) {
  // p = a + b x on [0, w] x [0, h], tilted: load = (a + b w / 2) w h, and the first moment of x is
  // (a w^2 / 2 + b w^3 / 3) h.
  const Pose X = test::TiltedPose();
  const double w = 0.004, h = 0.0025, a = 900, b = 4e5;
  std::vector<Corner> corners;
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {w, 0.0}, {w, h}, {0.0, h}})
    corners.push_back({X * Vec3{x, y, 0}, a + b * x});
  const Vec3 inward = X.R * Vec3{0, 0, -1};
  const double load = (a + b * w / 2) * w * h, mx = (a * w * w / 2 + b * w * w * w / 3) * h;
  for (int first = 0; first < 4; ++first)
    for (bool turned : {false, true}) {
      std::vector<Corner> c = corners;
      std::rotate(c.begin(), c.begin() + first, c.end());
      if (turned) std::reverse(c.begin(), c.end());
      CellLoad cell;
      AddPolygon(c.data(), 4, inward, 1, &cell);
      EXPECT_NEAR(cell.area, w * h, 1e-14 * w * h);
      EXPECT_NEAR(cell.load, load, 1e-14 * load);
      EXPECT_LT(norm(cell.force - load * inward), 1e-14 * load);
      EXPECT_NEAR(cell.peak, a + b * w, 1e-12 * cell.peak);
      EXPECT_LT(norm(cell.center() - X * Vec3{mx / load, 0.5 * h, 0}), 1e-15);
    }
}

TEST(AddPolygon, PartsAddUp) {
  // A pentagon far from the origin, whole and cut in two: nothing is lost to cancellation.
  const Vec3 away{3, -2, 5};
  const std::vector<Corner> p = {{away + Vec3{0, 0, 0}, 10},
                                 {away + Vec3{2e-3, 0, 0}, 50},
                                 {away + Vec3{3e-3, 1e-3, 0}, 90},
                                 {away + Vec3{1e-3, 2e-3, 0}, 70},
                                 {away + Vec3{0, 1e-3, 0}, 30}};
  CellLoad whole, parts;
  AddPolygon(p.data(), 5, {0, 0, -1}, 1, &whole);
  const std::vector<Corner> left = {p[0], p[1], p[2]}, right = {p[0], p[2], p[3], p[4]};
  AddPolygon(left.data(), 3, {0, 0, -1}, 1, &parts);
  AddPolygon(right.data(), 4, {0, 0, -1}, 1, &parts);
  EXPECT_NEAR(parts.area, whole.area, 1e-12 * whole.area);
  EXPECT_NEAR(parts.load, whole.load, 1e-12 * whole.load);
  EXPECT_LT(norm(parts.center() - whole.center()), 1e-14);
  EXPECT_EQ(parts.peak, whole.peak);
}

TEST(AddPolygon, NoPressureIsContactWithoutLoad) {
  const std::vector<Corner> p = {{{0, 0, 0}, 0}, {{1e-3, 0, 0}, 0}, {{0, 1e-3, 0}, 0}};
  CellLoad cell;
  AddPolygon(p.data(), 3, {0, 0, -1}, 1, &cell);
  EXPECT_NEAR(cell.area, 5e-7, 1e-21);
  EXPECT_EQ(cell.load, 0);
  EXPECT_EQ(cell.center(), (Vec3{}));
}

}  // namespace
}  // namespace taxel
