// Geoms as bodies:
//   - pressed into a soft plane each type bears E / thickness times the volume that went in
//   - a mesh that is not convex is not its hull; soft height fields are refused
//   - the touchable surface of a backed pad is its skin
//   - the signature of a shape follows type, size and vertices, and nothing else
#include "taxel/mujoco/geom_body.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/contact/contact.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/engine.h"
#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Data;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;

constexpr double kModulus = 1e5, kThickness = 0.01, kDepth = 0.001;

// A bridge on two feet of 10 x 12 mm, 10 mm apart; y is the way through.
std::string BridgeMesh() {
  const double profile[8][2] = {{-15, 0}, {-5, 0}, {-5, 10}, {5, 10}, {5, 0}, {15, 0}, {15, 20}, {-15, 20}};
  std::string vertices, faces;
  for (const double y : {-6.0, 6.0})
    for (const auto& p : profile)
      vertices += std::to_string(1e-3 * p[0]) + " " + std::to_string(1e-3 * y) + " " +
                  std::to_string(1e-3 * p[1]) + "  ";
  const auto add = [&](int a, int b, int c) {
    faces += std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + "  ";
  };
  const int front[6][3] = {{0, 1, 2}, {0, 2, 7}, {2, 3, 6}, {2, 6, 7}, {3, 4, 5}, {3, 5, 6}};
  for (const auto& t : front) add(t[0], t[1], t[2]), add(t[0] + 8, t[2] + 8, t[1] + 8);
  for (int i = 0; i < 8; ++i) {
    const int j = (i + 1) % 8;
    add(i, i + 8, j + 8), add(i, j + 8, j);
  }
  return "<mesh name=\"bridge\" vertex=\"" + vertices + "\" face=\"" + faces + "\"/>";
}

// Every type, each 1 mm below z = 0.
Model Types() {
  return MustCompile(
      R"(<mujoco><asset>)" + BridgeMesh() +
      R"(<hfield name="hill" nrow="2" ncol="3" elevation="0 1 0 1 0 1" size="1 1 0.1 0.1"/></asset>
    <worldbody>
      <geom name="plane" type="plane" size="1 1 1"/>
      <geom name="sphere" type="sphere" size="0.02" pos="0.01 -0.02 0.019"/>
      <geom name="capsule" type="capsule" size="0.01 0.03" pos="0.01 -0.02 0.039"/>
      <geom name="ellipsoid" type="ellipsoid" size="0.01 0.02 0.03" pos="0.01 -0.02 0.029"/>
      <geom name="cylinder" type="cylinder" size="0.01 0.03" pos="0.01 -0.02 0.029"/>
      <geom name="box" type="box" size="0.01 0.02 0.03" pos="0.01 -0.02 0.029" euler="0 0 25"/>
      <geom name="bridge" type="mesh" mesh="bridge" pos="0.01 -0.02 -0.001" euler="0 0 25"/>
      <geom name="hill" type="hfield" hfield="hill"/>
    </worldbody></mujoco>)");
}

ContactSurface Pressed(const Model& m, const Data& d, const char* name) {
  BodyOptions soft;
  soft.modulus = kModulus;
  soft.field.thickness = kThickness;
  const int plane = Id(m, mjOBJ_GEOM, "plane"), geom = Id(m, mjOBJ_GEOM, name);
  return ComputeContact(MakeGeomBody(m.get(), geom, {}), GeomPose(d.get(), geom),
                        MakeGeomBody(m.get(), plane, soft), GeomPose(d.get(), plane));
}

TEST(GeomBody, EachTypeBearsTheVolumeThatWentIn) {
  const Model m = Types();
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  const double h = kDepth;
  const auto cap = [&](double a, double b, double c) {
    return M_PI * a * b * h * h * (3 * c - h) / (3 * c * c);
  };
  const struct {
    const char* name;
    double volume, tolerance;
  } cases[] = {
      {"sphere", cap(0.02, 0.02, 0.02), 5e-3},
      {"capsule", cap(0.01, 0.01, 0.01), 5e-3},
      {"ellipsoid", cap(0.01, 0.02, 0.03), 5e-3},
      {"cylinder", M_PI * 0.01 * 0.01 * h, 5e-3},
      {"box", 0.02 * 0.04 * h, 1e-9},
  };
  for (const auto& c : cases) {
    const Vec3 f = Pressed(m, d, c.name).wrench_on_A.force;
    const double expected = kModulus / kThickness * c.volume;
    EXPECT_NEAR(f.z, expected, c.tolerance * expected) << c.name;
    EXPECT_NEAR(std::hypot(f.x, f.y), 0, 1e-3 * expected) << c.name;
  }
}

TEST(GeomBody, AMeshIsNotItsHull) {
  const Model m = Types();
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  const ContactSurface s = Pressed(m, d, "bridge");
  // Two feet; the hull would stand on 30 x 12 mm. Vertices are floats.
  const double expected = kModulus / kThickness * kDepth * 2 * 0.010 * 0.012;
  EXPECT_NEAR(s.wrench_on_A.force.z, expected, 1e-4 * expected);
  EXPECT_NEAR(s.center_of_pressure.x, 0.01, 1e-6);
  EXPECT_NEAR(s.center_of_pressure.y, -0.02, 1e-6);
}

TEST(GeomBody, WhatCannotTouchIsRefusedWithAWayOut) {
  const Model m = Types();
  ASSERT_TRUE(m);
  const auto message = [&](const char* name, const BodyOptions& options) -> std::string {
    try {
      MakeGeomBody(m.get(), Id(m, mjOBJ_GEOM, name), options);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  BodyOptions soft;
  soft.modulus = kModulus;
  const std::string hill = message("hill", soft);
  EXPECT_NE(hill.find("geom 'hill' is a height field"), std::string::npos) << hill;
  EXPECT_NE(hill.find("use a mesh"), std::string::npos) << hill;
  EXPECT_EQ(message("hill", {}), "");
  const std::string plane = message("plane", soft);
  EXPECT_NE(plane.find("needs the thickness"), std::string::npos) << plane;
  EXPECT_EQ(message("plane", {}), "");
}

TEST(GeomBody, AnOpenMeshIsToldWhatItCanBeHere) {
  // A wedge without one of its triangles, as rigid as one likes, and the same told in the compiler's error.
  const auto xml = [](const std::string& extension) {
    return "<mujoco><option cone=\"elliptic\"/>" + extension + R"(<asset><mesh name="wedge"
        vertex="0 0 0  0.031 0 0  0 0.029 0  0.001 0.002 0.037" face="0 2 1  0 1 3  1 2 3"/></asset>
        <worldbody><geom name="finger" type="mesh" mesh="wedge"/></worldbody></mujoco>)";
  };
  const Model m = MustCompile(xml(""));
  ASSERT_TRUE(m);
  BodyOptions soft;
  EXPECT_NO_THROW(MakeGeomBody(m.get(), 0, soft));
  soft.modulus = kModulus;
  std::string error;
  EXPECT_FALSE(test::Compile(xml(R"(<extension><plugin plugin="taxel"><instance name="skin">
        <config key="modulus" value="1e5"/></instance></plugin></extension><custom><tuple name="skin">
        <element objtype="geom" objname="finger"/></tuple></custom>)"),
                             &error));
  for (const char* part : {"geom 'finger' is soft and its mesh is not closed: 3 open edges",
                           "The first (metres): (", "Close it in its file", "type=\"capsule\"",
                           "bristles (stiffness, depth", "which need no closed mesh"})
    EXPECT_NE(error.find(part), std::string::npos) << part << " not in: " << error;
}

TEST(GeomBody, ABranchedMeshIsSoftWithColumns) {
  // Two wedges with an edge in common.
  const Model m = MustCompile(R"(<mujoco><asset><mesh name="wedges" vertex="0 0 -0.02  0 0 0.02  0.04 0 -0.015
      0.035 0.03 0.01  -0.04 0 0.015  -0.035 -0.03 -0.01" face="0 1 3  0 3 2  0 2 1  1 2 3  0 1 5  0 5 4  0 4 1
      1 4 5"/></asset><worldbody><geom name="finger" type="mesh" mesh="wedges"/></worldbody></mujoco>)");
  ASSERT_TRUE(m);
  BodyOptions soft;
  soft.modulus = kModulus;
  try {
    MakeGeomBody(m.get(), 0, soft);
    ADD_FAILURE() << "tetrahedra in a branched mesh";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("geom 'finger' is soft and its mesh is not closed: 1 edge shared by more than two"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("field=\"columns\", which takes it as it is"), std::string::npos) << text;
  }
  soft.field.kind = FieldKind::kColumns;
  soft.field.thickness = 0.001;
  EXPECT_NO_THROW(MakeGeomBody(m.get(), 0, soft));
}

TEST(GeomBody, ABackedPadIsTouchedOnItsSkin) {
  const Model m = Types();
  ASSERT_TRUE(m);
  const auto area = [&](const char* name, const BodyOptions& options) {
    return SurfaceArea(TouchableSurface(MakeGeomBody(m.get(), Id(m, mjOBJ_GEOM, name), options)));
  };
  BodyOptions backed;
  backed.modulus = kModulus;
  EXPECT_NEAR(area("box", backed), 8 * (0.01 * 0.02 + 0.02 * 0.03 + 0.03 * 0.01), 1e-12);
  backed.field.kind = FieldKind::kBacked;
  EXPECT_NEAR(area("box", backed), 4 * 0.01 * 0.02, 1e-12);
  backed.field.exposed = {-1, 0, 0};
  EXPECT_NEAR(area("box", backed), 4 * 0.02 * 0.03, 1e-12);
  // A sphere is a shell, exposed all round.
  backed.field.thickness = 0.01;
  EXPECT_NEAR(area("sphere", backed), 4 * M_PI * 0.02 * 0.02, 0.02 * 4 * M_PI * 0.02 * 0.02);
  EXPECT_EQ(area("plane", {}), 0);
}

TEST(ShapeSignature, FollowsTypeSizeAndVerticesAlone) {
  const Model m = Types();
  ASSERT_TRUE(m);
  const int box = Id(m, mjOBJ_GEOM, "box"), bridge = Id(m, mjOBJ_GEOM, "bridge");
  const auto of = [&](int geom) { return ShapeSignature(m.get(), geom); };
  const std::uint64_t before = of(box), mesh_before = of(bridge);
  for (int k = 0; k < 3; ++k) {
    mjtNum& size = m->geom_size[3 * box + k];
    const mjtNum old = size;
    size = std::nextafter(old, 1);
    EXPECT_NE(of(box), before) << k;
    size = old;
  }
  m->geom_type[box] = mjGEOM_ELLIPSOID;
  EXPECT_NE(of(box), before);
  m->geom_type[box] = mjGEOM_BOX;
  m->geom_pos[3 * box] += 0.1, m->geom_friction[3 * box] = 0.1f, m->geom_rgba[4 * box] = 0.1f;
  EXPECT_EQ(of(box), before);

  const int mesh = m->geom_dataid[bridge];
  for (const int k : {0, 3 * m->mesh_vertnum[mesh] - 1}) {
    float& x = m->mesh_vert[3 * m->mesh_vertadr[mesh] + k];
    const float old = x;
    x = std::nextafter(old, 1.0f);
    EXPECT_NE(of(bridge), mesh_before) << k;
    x = old;
  }
  EXPECT_EQ(of(bridge), mesh_before);
}

}  // namespace
}  // namespace taxel::mujoco
