// A layer that is glued to something stiff, on a mesh:
//   - a flat pad, tilted: skin and back by direction, side walls neither; depth / thickness right up to the
//   walls
//   - with a given thickness; at points on the surface
//   - a dome: the skin is curved, the thickness varies, u runs from 0 to 1 everywhere
//   - skin and back by number, alone or together
//   - refused: numbers out of range, a triangle that is both, nothing exposed, nothing glued
#include "taxel/field/backed_layer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../contact/scenes.h"
#include "../shape/expect_error.h"

namespace taxel {
using namespace internal;
namespace {

FieldOptions Exposed(const Vec3& direction) {
  FieldOptions o;
  o.kind = FieldKind::kBacked;
  o.exposed = direction;
  return o;
}

// The half ball z >= 0 of an icosphere with a flat base: a dome of radius R.
TriangleMesh Dome(double R) {
  TriangleMesh m = test::Icosphere(3, R);
  for (Vec3& v : m.vertices) v.z = std::max(v.z, 0.0);
  std::erase_if(m.triangles, [&](const auto& t) {
    const Vec3 a = m.vertices[t[0]], b = m.vertices[t[1]], c = m.vertices[t[2]];
    return norm(cross(b - a, c - a)) < 1e-12;
  });
  return m;
}

TEST(FindLayerFaces, ByDirectionOnATiltedPad) {
  const Pose X = test::TiltedPose();
  const TriangleMesh pad = test::Transformed(X, test::BoxMesh({0.08, 0.05, 0.02}));
  for (int axis = 0; axis < 3; ++axis)
    for (double sign : {-3.0, 1.0}) {
      Vec3 e;
      e[axis] = sign;
      const LayerFaces faces = FindLayerFaces(pad, Exposed(X.R * e), "pad");
      ASSERT_EQ(faces.skin.size(), 2u);
      ASSERT_EQ(faces.back.size(), 2u);
      for (int t : faces.skin) EXPECT_GT(dot(normalized(AreaNormal2(pad, t)), X.R * e), 0.99);
      for (int t : faces.back) EXPECT_LT(dot(normalized(AreaNormal2(pad, t)), X.R * e), -0.99);
    }
}

TEST(FindLayerFaces, ByNumber) {
  const TriangleMesh pad = test::BoxMesh({0.08, 0.05, 0.02});
  FieldOptions o = Exposed({0, 0, 1});
  o.back_triangles = {0, 4};
  LayerFaces faces = FindLayerFaces(pad, o, "pad");
  EXPECT_EQ(faces.back, (std::vector<int>{0, 4}));
  EXPECT_EQ(faces.skin.size(), 2u);  // still by direction
  o.skin_triangles = {2};
  faces = FindLayerFaces(pad, o, "pad");
  EXPECT_EQ(faces.skin, std::vector<int>{2});
  // A triangle that looks along `exposed` but is named as glued is glued.
  FieldOptions inverted = Exposed({0, 0, 1});
  inverted.back_triangles = {2};
  faces = FindLayerFaces(pad, inverted, "pad");
  EXPECT_EQ(faces.back, std::vector<int>{2});
  EXPECT_EQ(faces.skin, std::vector<int>{3});
}

TEST(FindLayerFaces, RefusesWhatCannotBe) {
  const TriangleMesh pad = test::BoxMesh({0.08, 0.05, 0.02});
  FieldOptions o = Exposed({0, 0, 1});
  o.back_triangles = {3, 12};
  ExpectError([&] { FindLayerFaces(pad, o, "pad"); },
              {"'pad'", "back_triangles names triangle 12", "0 to 11"});
  o.back_triangles = {-1};
  ExpectError([&] { FindLayerFaces(pad, o, "pad"); }, {"triangle -1"});
  o.back_triangles = {3};
  o.skin_triangles = {2, 3};
  ExpectError([&] { FindLayerFaces(pad, o, "pad"); }, {"triangle 3 is both skin and back"});
  // An open lid: nothing on the other side.
  TriangleMesh lid = pad;
  lid.triangles = {pad.triangles[2], pad.triangles[3]};
  ExpectError(
      [&] {
        FindLayerFaces(lid, Exposed({0, 0, 1}), "lid");
      },
      {"'lid'", "exposed = (0, 0, 1)", "45 degrees", "nothing is glued", "give back_triangles"});
  ExpectError(
      [&] {
        FindLayerFaces(lid, Exposed({0, 0.6, -0.8}), "lid");
      },
      {"no face looks along exposed = (0, 0.6, -0.8)", "60 degrees", "give skin_triangles"});
}

TEST(LayerDepth, IsDepthOverThicknessOnAFlatPad) {
  const Pose X = test::TiltedPose();
  const Vec3 size{0.08, 0.05, 0.02};
  const TriangleMesh pad = test::Transformed(X, test::BoxMesh(size));
  const LayerFaces faces = FindLayerFaces(pad, Exposed(X.R * Vec3{0, 0, 1}), "pad");
  std::vector<Vec3> points;
  std::vector<double> depth;
  for (int i = 0; i < 500; ++i) {
    Vec3 p = test::UniformInBox(3, i, -0.5 * size, 0.5 * size);
    if (i % 3 == 0) p.x = 0.04;  // on a side wall: no edge effect
    if (i % 5 == 0) p.z = 0.01;
    if (i % 7 == 0) p.z = -0.01;
    points.push_back(X * p);
    depth.push_back(0.01 - p.z);
  }
  const auto own = LayerDepth(pad, faces, 0, points), given = LayerDepth(pad, faces, 0.012, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(own[i], depth[i] / 0.02, 1e-13);
    EXPECT_NEAR(given[i], depth[i] / 0.012, 1e-13);
  }
}

TEST(LayerDepth, OfADomeRunsFromItsSkinToItsBase) {
  const double R = 0.03;
  const TriangleMesh dome = test::Transformed(test::TiltedPose(), Dome(R));
  const Vec3 up = test::TiltedPose().R.col(2);
  FieldOptions o = Exposed(up);
  LayerFaces faces = FindLayerFaces(dome, o, "dome");
  for (int t : faces.back) EXPECT_LT(dot(normalized(AreaNormal2(dome, t)), up), -0.999);
  // The rim of the skin is steeper than 60 degrees to `exposed`: name it.
  o.skin_triangles.clear();
  for (int t = 0; t < static_cast<int>(dome.triangles.size()); ++t)
    if (dot(normalized(AreaNormal2(dome, t)), up) > -0.5) o.skin_triangles.push_back(t);
  EXPECT_GT(o.skin_triangles.size(), faces.skin.size());
  faces = FindLayerFaces(dome, o, "dome");
  std::vector<Vec3> points;
  std::vector<double> expected;
  for (int i = 0; i < 300; ++i) {
    Vec3 p = test::Uniform(4, i, 0, 0.95) * R * test::UniformDirection(5, i);
    p.z = std::fabs(p.z);
    points.push_back(test::TiltedPose() * p);
    expected.push_back((R - norm(p)) / (R - norm(p) + p.z));
  }
  const auto u = LayerDepth(dome, faces, 0, points);
  // The facets (640) lie up to R 0.07^2 = 1.5e-4 m inside the ball: 2 % of a thickness of 1 cm, more near the
  // rim.
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(u[i], expected[i], 0.06) << i;
}

}  // namespace
}  // namespace taxel
