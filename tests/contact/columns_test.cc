// Cases: area of the columns of every shape; directions, axes and corners; all in clusters and their boxes; a
// height map over a tilted pad with a cut outline; shells of meshes with and without a list; quarters of
// cells; ridges of a cylinder; where a point is; what is refused.
#include "taxel/contact/columns.h"

#include <gtest/gtest.h>

#include <numeric>

#include "scenes.h"
#include "taxel/math/error.h"
#include "taxel/shape/primitive_tets.h"

namespace taxel {
using namespace internal;
namespace {

using test::kPi;

double Area(const ColumnSkin& skin) {
  return std::accumulate(skin.columns.begin(), skin.columns.end(), 0.0,
                         [](double sum, const Column& c) { return sum + c.area; });
}

FieldOptions Field(const Vec3& exposed = {0, 0, 1}, double thickness = 0) {
  FieldOptions f;
  f.kind = FieldKind::kColumns;
  f.exposed = exposed;
  f.thickness = thickness;
  return f;
}

void CheckForm(const ColumnSkin& skin) {
  ASSERT_FALSE(skin.empty());
  std::size_t listed = 0;
  for (const ColumnSkin::Cluster& k : skin.clusters) {
    listed += k.count;
    for (int i = k.first; i < k.first + k.count; ++i) {
      const Column& c = skin.columns[i];
      EXPECT_NEAR(norm(c.d), 1, 1e-12);
      EXPECT_NEAR(norm(cross(c.u, c.v) - c.d), 0, 1e-12);
      EXPECT_GT(c.area, 0);
      EXPECT_TRUE(k.box.Distance2(c.p) < 1e-24 && k.box.Distance2(c.p - c.length * c.d) < 1e-24);
      EXPECT_LE(norm(c.p - k.center), k.radius + 1e-12);
    }
  }
  EXPECT_EQ(listed, skin.columns.size());
}

TEST(Columns, HaveTheAreaOfTheSkin) {
  const double R = 0.011, L = 0.03;
  struct Case {
    Primitive shape;
    double area, tolerance;
  };
  const Case cases[] = {{Sphere{R}, 4 * kPi * R * R, 1e-12},
                        {Capsule{R, L}, 2 * kPi * R * (2 * R + L), 1e-12},
                        {Cylinder{R, L}, 2 * kPi * R * (R + L), 1e-12},
                        {Ellipsoid{{R, R, R}}, 4 * kPi * R * R, 1e-3},
                        {Ellipsoid{{0.01, 0.014, 0.02}}, 2.6496e-3, 3e-3},  // by numerical integration
                        {Box{{0.02, 0.03, 0.004}}, 6e-4, 1e-12}};
  for (const Case& c : cases)
    for (const double spacing : {0.0, 0.0021}) {
      const ColumnSkin skin = MakeColumns(c.shape, Field(), 0.003, spacing, "it");
      CheckForm(skin);
      EXPECT_NEAR(Area(skin), c.area, c.tolerance * c.area) << PrimitiveName(c.shape);
      if (spacing > 0) {
        EXPECT_NEAR(skin.columns.size() * spacing * spacing, c.area, 0.2 * c.area);
      }
    }
}

TEST(Columns, OfACurvedSkinStandOnIt) {
  const ColumnSkin skin = MakeColumns(Capsule{0.01, 0.03}, Field(), 0.004, 0, "it");
  for (const Column& c : skin.columns) {
    const Vec3 axis{0, 0, std::clamp(c.p.z, -0.015, 0.015)};
    EXPECT_NEAR(norm(c.p - axis), 0.01, 1e-12);
    EXPECT_NEAR(norm(normalized(c.p - axis) - c.d), 0, 1e-9);
    // Its corners draw together towards the axis: at depth z by 1 - z / R around it.
    double flat = 0, deep = 0;
    for (int i = 0; i < c.corners; ++i) {
      const int j = (i + 1) % c.corners;
      const auto at = [&](int k, double z) {
        return Vec3{c.s[k] - z * c.spread_s[k], c.t[k] - z * c.spread_t[k], 0};
      };
      flat += cross(at(i, 0), at(j, 0)).z, deep += cross(at(i, 0.003), at(j, 0.003)).z;
    }
    const double around = 1 - 0.003 / 0.01, along = std::fabs(c.p.z) < 0.015 ? 1 : around;
    EXPECT_NEAR(deep / flat, around * along, 0.01);
  }
}

TEST(Columns, OfACylinderEndAtItsRidge) {
  const ColumnSkin skin = MakeColumns(Cylinder{0.01, 0.03}, Field(), 0.004, 0, "it");
  int caps = 0;
  for (const Column& c : skin.columns) {
    const bool cap = std::fabs(c.d.z) > 0.5;
    caps += cap;
    EXPECT_NEAR(c.ridge, cap ? 0.01 - std::hypot(c.p.x, c.p.y) : 0.015 - std::fabs(c.p.z), 1e-9);
  }
  EXPECT_GT(caps, 100);
}

// A wedge: 20 x 12 mm, 3 mm thick on one side and 5 mm on the other, standing on a face that is not level.
TEST(Columns, OfAHeightMapHaveItsSlopeAndThickness) {
  const Vec3 v[8] = {{0, 0, 0},   {20, 0, 0}, {20, 12, 0}, {0, 12, 0},
                     {0, 0, 3e0}, {20, 0, 5}, {20, 12, 5}, {0, 12, 3}};
  TriangleMesh mesh;
  for (const Vec3& p : v) mesh.vertices.push_back(1e-3 * p);
  const int quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                           {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  for (const auto& q : quads)
    mesh.triangles.push_back({q[0], q[1], q[2]}), mesh.triangles.push_back({q[0], q[2], q[3]});
  const Mat3 R = RotationAbout({0.3, -0.8, 0.5}, 1.2);
  for (Vec3& p : mesh.vertices) p = R * p;
  const Vec3 out = R * Vec3{0, 0, 1};
  const ColumnSkin skin = MakeMeshColumns(mesh, Field(out), 1e-3, "wedge");
  CheckForm(skin);
  EXPECT_NEAR(Area(skin), 240e-6, 5e-6);
  for (const Column& c : skin.columns) {
    const Vec3 p = TransposeMul(R, c.p);
    EXPECT_NEAR(norm(c.d - out), 0, 1e-12);
    EXPECT_NEAR(c.length, 3e-3 + 0.1 * p.x, 3e-5);
    EXPECT_NEAR(p.z, c.length, 3e-5);
    EXPECT_NEAR(norm(TransposeMul(R, c.slope_s * c.u + c.slope_t * c.v) - Vec3{0.1, 0, 0}), 0, 0.02);
  }
}

TEST(Columns, UnderTheTrianglesOfAMesh) {
  const TriangleMesh ball = PrimitiveSurface(Sphere{0.01}, 0.0015);
  const ColumnSkin all = MakeMeshColumns(ball, Field({0, 1, 0}, 0.004), 0.002, "ball");
  CheckForm(all);
  // All but what looks against y within 45 degrees: (2 + sqrt 2) / 4 of it.
  EXPECT_NEAR(Area(all), 4 * kPi * 1e-4 * (2 + std::sqrt(2.0)) / 4, 0.03 * 4 * kPi * 1e-4);
  for (const Column& c : all.columns) EXPECT_GT(dot(c.d, normalized(c.p)), 0.99);
  FieldOptions listed = Field({0, 1, 0}, 0.004);
  listed.skin_triangles = {3, 5, 8};
  const ColumnSkin three = MakeMeshColumns(ball, listed, 0.01, "ball");
  EXPECT_EQ(three.columns.size(), 3u);
  // Cut into four, and again, where the spacing asks for it.
  EXPECT_GE(MakeMeshColumns(ball, listed, 0.0004, "ball").columns.size(), 12u);
  listed.skin_triangles = {100000};
  EXPECT_THROW(MakeMeshColumns(ball, listed, 0.01, "ball"), Error);
}

// What a quarter of a triangle is said to be is what its corners say, draw together they or not.
TEST(Columns, QuartersOfTrianglesAreFinished) {
  const ColumnSkin skin = MakeColumns(Sphere{0.012}, Field({0, 0, 1}, 0.003), 0.003, 0.0011, "ball");
  TriangleMesh tip;
  tip.vertices = {{0.001, 0.002, 0.007}, {0.0031, 0.0024, 0.0066}, {0.0014, 0.0042, 0.0061}, {0, 0, 0}};
  tip.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  const ColumnSkin shell = MakeMeshColumns(tip, Field({0, 0, 1}, 0.001), 0.01, "tip");
  int triangles = 0;
  for (const ColumnSkin* s : {&skin, &shell})
    for (const Column& c : s->columns) {
      if (c.corners != 3) continue;
      ++triangles;
      for (int k = 0; k < 4; ++k) {
        const Column q = c.Quarter(k);
        Column again = q;
        again.Finish();
        EXPECT_NEAR(q.area, again.area, 1e-9 * c.area);
        EXPECT_NEAR(q.mean_ss, again.mean_ss, 1e-9 * c.area);
        EXPECT_NEAR(q.mean_tt, again.mean_tt, 1e-9 * c.area);
        EXPECT_NEAR(q.radius, again.radius, 1e-9 * c.radius);
        if (std::isfinite(q.tight)) {
          EXPECT_NEAR(q.tight, again.tight, 1e-9 * q.tight);
        }
      }
    }
  EXPECT_GE(triangles, 4);
}

TEST(Columns, AreHalvedIntoQuarters) {
  for (const Primitive& shape : {Primitive{Sphere{0.01}}, Primitive{Box{{0.02, 0.03, 0.004}}}}) {
    const ColumnSkin skin = MakeColumns(shape, Field(), 0.003, 0.003, "it");
    for (const Column& c : skin.columns) {
      double area = 0;
      Vec3 middle;
      for (int k = 0; k < 4; ++k) {
        const Column q = c.Quarter(k);
        area += q.area;
        middle += 0.25 * (q.p - c.p);
        EXPECT_EQ(q.corners, c.corners);
        EXPECT_NEAR(q.length, c.length, 0);
        if (std::holds_alternative<Sphere>(shape)) {
          EXPECT_NEAR(norm(q.p), 0.01, 0.1 * c.sag + 1e-5);
        }
      }
      EXPECT_NEAR(area, c.area, 1e-9 * c.area);
      if (std::holds_alternative<Box>(shape)) {
        EXPECT_NEAR(norm(middle), 0, 1e-12);
      }
    }
  }
}

TEST(Columns, TellWhereAPointIs) {
  const ColumnSkin skin = MakeColumns(Box{{0.02, 0.03, 0.004}}, Field({0, 0, -1}), 0.004, 0, "it");
  const ColumnPlace in = FindColumn(skin, {0.0031, -0.0072, -0.0005});
  ASSERT_GE(in.column, 0);
  EXPECT_NEAR(in.depth, 0.0015, 1e-12);
  EXPECT_LT(norm(skin.columns[in.column].p - Vec3{0.0031, -0.0072, -0.002}), skin.spacing);
  EXPECT_LT(FindColumn(skin, {0.0031, -0.0072, -0.0025}).column, 0);  // before the skin
  EXPECT_LT(FindColumn(skin, {0.013, -0.0072, -0.0005}).column, 0);   // beside it
}

TEST(Columns, RefuseTooMany) {
  EXPECT_THROW(MakeColumns(Sphere{0.01}, Field(), 0.003, 1e-5, "ball"), Error);
  const TriangleMesh ball = PrimitiveSurface(Sphere{0.01}, 0.002);
  EXPECT_THROW(MakeMeshColumns(ball, Field({0, 0, 1}, 0.003), 1e-5, "ball"), Error);
}

}  // namespace
}  // namespace taxel
