// Contact surfaces of all sorts, and what must hold of any patch, for the tests of patches.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scenes.h"
#include "taxel/contact/patch.h"

namespace taxel::test {
using namespace internal;

inline BodyOptions BackedDown(double modulus) {
  BodyOptions o = Backed(modulus);
  o.field.exposed = {0, 0, -1};
  return o;
}
inline BodyOptions Layer(double modulus, double thickness) {
  BodyOptions o = Soft(modulus);
  o.field.thickness = thickness;
  return o;
}

struct Scene {
  std::string name;
  ContactSurface surface;
  bool flat;
  bool walls = false;  // some faces are seen edge-on
};

// A plate cuts a backed box whose skin looks down, tilted about both axes: one flat polygon whose pressure is
// linear; with a sphere the pressure is not, and the gradient changes over the disc.
inline std::vector<Scene> Scenes() {
  std::vector<Scene> out;
  const Pose X = TiltedPose();
  const Body plate(HalfSpace{}, {}), box(Box{{0.05, 0.03, 0.02}}, BackedDown(5e4)),
      ball(Sphere{0.02}, Soft(1e5));
  for (double tilt : {0.0, 0.01, 0.06, 0.2}) {
    const Mat3 R = RotationAbout(normalized({0.7, -0.4, 0.2}), tilt);
    out.push_back({"plate in box, tilt " + std::to_string(tilt),
                   ComputeContact(box, X * Pose{R, {0.004, 0.003, 0.01 - 0.002}}, plate, X), true});
    out.push_back({"plate in box, the other way round, tilt " + std::to_string(tilt),
                   ComputeContact(plate, X, box, X * Pose{R, {0.004, 0.003, 0.01 - 0.002}}), true});
  }
  for (double depth : {1e-4, 0.002, 0.008})
    out.push_back({"ball on plate " + std::to_string(depth),
                   ComputeContact(ball, X * At({0.01, 0.02, 0.02 - depth}), plate, X), true});
  const Body pad(Box{{0.1, 0.08, 0.01}}, Backed(3e4)), hard(Sphere{0.015}, {}), rod(Cylinder{0.01, 0.04}, {});
  const Body field(HalfSpace{}, Layer(8e4, 0.02)), finger(Capsule{0.008, 0.03}, Soft(2e5));
  for (double depth : {0.0005, 0.003}) {
    out.push_back({"hard ball in pad " + std::to_string(depth),
                   ComputeContact(pad, X, hard, X * At({0.007, -0.003, 0.005 + 0.015 - depth})), false});
    out.push_back(
        {"lying rod in pad " + std::to_string(depth),
         ComputeContact(
             rod, X * Pose{RotationAbout(normalized({0.9, 0.3, 0}), 0.5 * kPi + 0.02), {0, 0, 0.015 - depth}},
             pad, X),
         false, true});
    out.push_back(
        {"soft finger in soft ground " + std::to_string(depth),
         ComputeContact(finger, X * Pose{RotationAbout({0, 1, 0}, 1.4), {0.01, 0, 0.009 - depth}}, field, X),
         false});
  }
  TriangleMesh groove;
  groove.vertices = {{0, -0.1, 0}, {0, 0.1, 0}, {0.1, -0.1, 0}, {0.1, 0.1, 0}, {0, -0.1, 0.1}, {0, 0.1, 0.1}};
  groove.triangles = {{0, 2, 1}, {1, 2, 3}, {0, 1, 4}, {1, 5, 4}};
  out.push_back(
      {"ball in a groove", ComputeContact(ball, X * At({0.0191, 0.01, 0.0187}), Body(groove, {}), X), false});
  return out;
}

inline Wrench Total(const Patch& patch) {
  Wrench w;
  for (const PatchBlock& b : patch.blocks) {
    w.force += b.force * b.n_W;
    w.torque += cross(b.p_W, b.force * b.n_W);
  }
  return w;
}

inline void ExpectFinite(const Patch& patch, const std::string& name) {
  for (const PatchPiece& p : patch.pieces) {
    EXPECT_TRUE(is_finite(p.p_W) && is_finite(p.n_W)) << name;
    EXPECT_TRUE(std::isfinite(p.force) && std::isfinite(p.stiffness) && std::isfinite(p.moment_uu)) << name;
    EXPECT_TRUE(p.block >= 0 && p.block < static_cast<int>(patch.blocks.size())) << name;
    EXPECT_GT(p.force, 0) << name;
    EXPECT_GT(p.area, 0) << name;
    EXPECT_GE(p.stiffness, 0) << name;
  }
  for (const PatchBlock& b : patch.blocks) {
    EXPECT_TRUE(is_finite(b.p_W) && is_finite(b.n_W)) << name;
    EXPECT_NEAR(norm(b.n_W), 1, 1e-12) << name;
    EXPECT_TRUE(std::isfinite(b.force) && std::isfinite(b.stiffness)) << name;
    EXPECT_GT(b.force, 0) << name;
    EXPECT_GT(b.stiffness, 0) << name;
  }
  EXPECT_TRUE(is_finite(Total(patch).force) && is_finite(Total(patch).torque)) << name;
}

}  // namespace taxel::test
