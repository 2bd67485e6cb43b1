// ContactSurface:
//   - the torque moves with the point; the wrench on B is the opposite of that on A
//   - the arrays fit together: counts, unit normals, counter-clockwise faces, areas, centroids, pressures
//   - the totals are the sums of the faces; the centre of pressure carries the torque of a flat contact
//   - Clear empties everything and keeps the memory
#include "taxel/contact/surface.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenes.h"

namespace taxel {
namespace {

ContactSurface TiltedContact(Faces faces) {
  const Pose X = test::TiltedPose();
  ContactOptions options;
  options.faces = faces;
  const Body pad(Box{{0.08, 0.06, 0.018}}, test::Soft(3e4)), ball(Sphere{0.02}, {});
  return ComputeContact(pad, X, ball, X * test::At({0.031, -0.017, 0.026}), options);
}

TEST(ContactSurface, TheTorqueMovesWithThePoint) {
  const ContactSurface s = TiltedContact(Faces::kPolygons);
  const Vec3 p{0.3, -0.1, 0.7};
  const Wrench a = s.WrenchOnA(p), b = s.WrenchOnB(p);
  EXPECT_EQ(a.force, s.wrench_on_A.force);
  EXPECT_LT(norm(a.torque - (s.wrench_on_A.torque + cross(-p, a.force))), 1e-15);
  EXPECT_EQ(b.force, -a.force);
  EXPECT_EQ(b.torque, -a.torque);
  EXPECT_GT(norm(a.torque), 0);
}

TEST(ContactSurface, FacesAndTotalsFitTogether) {
  for (Faces faces : {Faces::kPolygons, Faces::kTriangles}) {
    const ContactSurface s = TiltedContact(faces);
    const int n = s.num_faces();
    ASSERT_GT(n, 50);
    EXPECT_FALSE(s.empty());
    ASSERT_EQ(s.face_start.size(), n + 1u);
    EXPECT_EQ(s.face_start.front(), 0);
    EXPECT_EQ(s.face_start.back(), static_cast<int>(s.vertices.size()));
    EXPECT_EQ(s.pressures.size(), s.vertices.size());
    for (std::size_t size : {s.normals.size(), s.centroids.size(), s.face_pressures.size(),
                             s.gradients_A.size(), s.gradients_B.size()})
      ASSERT_EQ(size, n + 0u);
    double area = 0, load = 0, most = 0;
    Vec3 force, centroid;
    for (int k = 0; k < n; ++k) {
      const int begin = s.face_start[k], end = s.face_start[k + 1];
      ASSERT_GE(end - begin, 3);
      if (faces == Faces::kTriangles) {
        ASSERT_EQ(end - begin, 3);
      }
      EXPECT_NEAR(norm(s.normals[k]), 1, 1e-12);
      double a = 0, p = 0;
      Vec3 c;
      for (int i = begin + 1; i + 1 < end; ++i) {
        const double t = 0.5 * dot(s.normals[k], cross(s.vertices[i] - s.vertices[begin],
                                                       s.vertices[i + 1] - s.vertices[begin]));
        EXPECT_GE(t, -1e-16);  // counter-clockwise
        a += t;
        p += t * (s.pressures[begin] + s.pressures[i] + s.pressures[i + 1]) / 3;
        c += t / 3 * (s.vertices[begin] + s.vertices[i] + s.vertices[i + 1]);
      }
      EXPECT_NEAR(a, s.areas[k], 1e-12 * s.areas[k]);
      EXPECT_NEAR(p, a * s.face_pressures[k], 1e-9 * p + 1e-15);
      EXPECT_LT(norm(c / a - s.centroids[k]), 1e-9);
      for (int i = begin; i < end; ++i) most = std::max(most, s.pressures[i]);
      area += a;
      load += p;
      force += p * s.normals[k];
      centroid += c;
      // The slope along the normal: at most E / 0.009 m, and 0 where the face looks the other way.
      EXPECT_GE(s.gradients_A[k], 0);
      EXPECT_LE(s.gradients_A[k], 3e4 / 0.009 * (1 + 1e-12));
      EXPECT_TRUE(std::isinf(s.gradients_B[k]));
    }
    EXPECT_NEAR(s.area, area, 1e-12 * area);
    EXPECT_NEAR(s.normal_force, load, 1e-12 * load);
    EXPECT_EQ(s.max_pressure, most);
    EXPECT_LT(norm(s.wrench_on_A.force - force), 1e-12 * load);
    EXPECT_LT(norm(s.centroid - centroid / area), 1e-12);
    // Out of the ball (B) into the pad (A): the ball, above in the pad's frame, pushes the pad down.
    EXPECT_LT(dot(s.wrench_on_A.force, test::TiltedPose().R.col(2)), 0);
  }
}

TEST(ContactSurface, TheCentreOfPressureCarriesTheTorqueOfAFlatContact) {
  // A plate tilted by 0.02 rad on a backed pad: all normals are alike, so the torque about the centre is
  // zero.
  const Pose X = test::TiltedPose();
  const Body pad(Box{{0.08, 0.06, 0.018}}, test::Backed(3e4)), plate(HalfSpace{}, {});
  const Pose X_WB = X * Pose{RotationAbout({1, 0, 0}, test::kPi + 0.02), {0.004, 0.003, 0.0085}};
  const ContactSurface s = ComputeContact(pad, X, plate, X_WB);
  ASSERT_FALSE(s.empty());
  // Rounding: force (N) x lever (m) x 1e-15.
  EXPECT_LT(norm(s.WrenchOnA(s.center_of_pressure).torque), 1e-14 * s.normal_force);
  EXPECT_GT(norm(s.center_of_pressure - s.centroid), 1e-3);
}

TEST(ContactSurface, ClearEmptiesAndKeepsTheMemory) {
  ContactSurface s = TiltedContact(Faces::kPolygons);
  const auto capacity = s.vertices.capacity();
  s.Clear();
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.num_faces(), 0);
  EXPECT_TRUE(s.vertices.empty() && s.pressures.empty() && s.normals.empty() && s.centroids.empty());
  EXPECT_TRUE(s.face_pressures.empty() && s.gradients_A.empty() && s.gradients_B.empty());
  EXPECT_EQ(s.area, 0);
  EXPECT_EQ(s.normal_force, 0);
  EXPECT_EQ(s.max_pressure, 0);
  EXPECT_EQ(s.centroid, Vec3{});
  EXPECT_EQ(s.center_of_pressure, Vec3{});
  EXPECT_EQ(s.wrench_on_A.force, Vec3{});
  EXPECT_EQ(s.wrench_on_A.torque, Vec3{});
  EXPECT_EQ(s.vertices.capacity(), capacity);
}

}  // namespace
}  // namespace taxel
