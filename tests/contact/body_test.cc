// Body:
//   - every refusal names the body, the value and the way out
//   - PressureAt: closed forms for every shape and field; tetrahedra; rigid; outside
//   - Surface: closed, of the right size; a half space as a square; the given triangles
//   - what it says about itself
#include "taxel/contact/body.h"

#include <gtest/gtest.h>

#include <limits>

#include "../shape/expect_error.h"
#include "scenes.h"
#include "taxel/contact/prepare.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/read_mesh.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/watertight.h"

namespace taxel {
using namespace internal;
namespace {

using test::Backed;
using test::Laplace;
using test::Soft;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Shape>
void ExpectRefused(const Shape& shape, BodyOptions options, std::initializer_list<std::string> parts) {
  options.name = "pad";
  ExpectError([&] { Body(shape, options); }, {"'pad'"});
  ExpectError([&] { Body(shape, options); }, parts);
}

BodyOptions With(double BodyOptions::*member, double value) {
  BodyOptions o = Soft(1e5);
  o.*member = value;
  return o;
}

TEST(BodyRefuses, OptionsOutOfRange) {
  const Sphere s{0.03};
  ExpectRefused(s, Soft(-5), {"modulus is -5 Pa", "positive pressure", "or 0 for a rigid one"});
  ExpectRefused(s, Soft(kNaN), {"modulus is nan"});
  ExpectRefused(s, Soft(kInf), {"modulus is inf"});
  ExpectRefused(s, With(&BodyOptions::resolution, -0.1), {"resolution is -0.1", "0 is automatic"});
  ExpectRefused(s, With(&BodyOptions::dissipation, -2), {"dissipation is -2", "0 or more (s/m)"});
  ExpectRefused(s, With(&BodyOptions::static_friction, kNaN), {"static_friction is nan", "finite"});
  ExpectRefused(s, With(&BodyOptions::dynamic_friction, -1), {"dynamic_friction is -1"});
  BodyOptions slippery = With(&BodyOptions::static_friction, 0.3);
  slippery.dynamic_friction = 0.5;
  ExpectRefused(s, slippery, {"dynamic_friction 0.5", "static_friction 0.3", "sticking"});
  ExpectRefused(s, Backed(1e5, -0.01), {"thickness is -0.01", "metres"});
  for (double start : {0.0, 1.0, -0.2, kNaN}) {
    BodyOptions o = Backed(1e5, 0.01);
    o.field.stiffening_start = start;
    ExpectRefused(s, o, {"stiffening_start is ", "between 0 and 1 (0.8 is usual)"});
  }
  for (double core : {0.0, 1.0, kNaN}) {
    BodyOptions o = Laplace(1e5);
    o.field.core_fraction = core;
    ExpectRefused(s, o, {"core_fraction is ", "between 0 and 1"});
  }
  for (const Vec3& exposed : {Vec3{}, Vec3{kNaN, 0, 1}, Vec3{kInf, 0, 0}}) {
    BodyOptions o = Backed(1e5, 0.01);
    o.field.exposed = exposed;
    ExpectRefused(s, o, {"`exposed` has no direction", "(0, 0, 1)"});
  }
}

TEST(BodyRefuses, SizesThatCannotBeMetres) {
  ExpectRefused(Primitive{Sphere{0}}, {}, {"radius is 0", "greater than 0 (metres)"});
  ExpectRefused(Primitive{Box{{0.1, kNaN, 0.1}}}, {}, {"size y is nan"});
  ExpectRefused(Primitive{Cylinder{0.1, -3}}, {}, {"length is -3"});
  ExpectRefused(Primitive{Capsule{1e-8, 0.1}}, {}, {"radius is 1e-08 m", "micrometre"});
  ExpectRefused(Primitive{Ellipsoid{{1, 2, 50}}}, Soft(1e5), {"semi-axis z is 50 m", "divide by 1000"});
  EXPECT_NO_THROW(Body(Ellipsoid{{1, 2, 50}}, {}));  // rigid things may be large
  ExpectRefused(Primitive{Box{{2000, 1, 1}}}, {}, {"2000 m, more than 1000 m"});
}

TEST(BodyRefuses, FieldsThatDoNotFitTheShape) {
  ExpectRefused(Primitive{HalfSpace{}}, Soft(1e5),
                {"soft half space needs the thickness", "p = modulus x depth"});
  ExpectRefused(Primitive{HalfSpace{}}, Backed(1e5), {"soft half space needs the thickness"});
  ExpectRefused(Primitive{HalfSpace{}}, Laplace(1e5), {"not defined for a half space", "'distance'"});
  ExpectRefused(Primitive{Sphere{0.03}}, Backed(1e5), {"sphere needs its thickness", "at most 0.03"});
  ExpectRefused(Primitive{Sphere{0.03}}, Backed(1e5, 0.031),
                {"thickness 0.031 m", "inscribed radius, 0.03 m"});
  ExpectRefused(Primitive{Box{{0.08, 0.05, 0.02}}}, Backed(1e5, 0.021),
                {"thickness 0.021 m", "box is thick, 0.02 m"});
  // Options that would do nothing.
  ExpectRefused(Primitive{Sphere{0.03}}, Backed(0),
                {"a pressure field has no effect on a rigid body", "modulus"});
  ExpectRefused(Primitive{Sphere{0.03}}, Backed(0, 0.01), {"thickness 0.01 m has no effect on a rigid body"});
  BodyOptions thick = Soft(1e5);
  thick.field.thickness = 0.01;
  ExpectRefused(Primitive{Sphere{0.03}}, thick,
                {"thickness is for a backed layer or a half space", "'backed'"});
  BodyOptions slanted = Backed(1e5);
  slanted.field.exposed = {0, 0.6, 0.8};
  ExpectRefused(Primitive{Box{{0.08, 0.05, 0.02}}}, slanted, {"(0, 0.6, 0.8)", "give +-x, +-y or +-z"});
}

TEST(Body, ASoftMeshListedTwiceCountsOnce) {
  const TriangleMesh once = test::BoxMesh({0.08, 0.05, 0.02});
  TriangleMesh twice = once;
  twice.triangles.insert(twice.triangles.end(), once.triangles.begin(), once.triangles.end());
  const Body ball(Primitive{Sphere{0.02}}, {});
  const Pose X{RotationAbout({0.2, 0.9, -0.3}, 0.4), {0.004, -0.003, 0.0285}};
  for (const FieldKind kind : {FieldKind::kDistance, FieldKind::kColumns}) {
    BodyOptions options = Soft(1e5);
    options.field.kind = kind;
    if (kind == FieldKind::kColumns) options.field.thickness = 0.004;
    const Body one(once, options), two(twice, options);
    EXPECT_TRUE(one.warnings().empty());
    ASSERT_EQ(two.warnings().size(), 1u);
    EXPECT_NE(two.warnings()[0].find("12 triangles of the mesh are listed twice"), std::string::npos);
    const double force = ComputeContact(ball, X, one, {}).normal_force;
    EXPECT_GT(force, 0.1);
    EXPECT_EQ(ComputeContact(ball, X, two, {}).normal_force, force);
  }
}

TEST(Body, ColumnsStandOnPartsThatTouchAlongAnEdge) {
  // Two boxes of 40 x 30 x 20 mm that have the edge x = y = 0 in common.
  TriangleMesh both = test::BoxMesh({0.04, 0.03, 0.02});
  const TriangleMesh box = both;
  for (Vec3& v : both.vertices) v += Vec3{0.02, 0.015, 0};
  for (const Vec3& v : box.vertices) both.vertices.push_back(v - Vec3{0.02, 0.015, 0});
  for (const auto& t : box.triangles) both.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  BodyOptions columns = Soft(1e5);
  columns.field.kind = FieldKind::kColumns;
  columns.field.thickness = 0.004;
  const Body pair(both, columns), single(box, columns), rigid(Primitive{Sphere{0.02}}, {});
  for (const double side : {1.0, -1.0}) {
    const Vec3 middle{side * 0.02, side * 0.015, 0}, at{0.003, -0.002, 0.0293};
    const ContactSurface s = ComputeContact(rigid, {{}, middle + at}, pair, {});
    const ContactSurface expected = ComputeContact(rigid, {{}, at}, single, {});
    EXPECT_GT(expected.normal_force, 0.1);
    EXPECT_NEAR(s.normal_force, expected.normal_force, 1e-2 * expected.normal_force);
    EXPECT_NEAR(norm(s.center_of_pressure - middle - expected.center_of_pressure), 0, 2e-4);
  }
  // A ball over the common edge stands on a corner of each, to what columns make of a rim.
  double corners = 0;
  for (const double side : {1.0, -1.0})
    corners += ComputeContact(rigid, {{}, {side * 0.02, side * 0.015, 0.0293}}, single, {}).normal_force;
  const ContactSurface s = ComputeContact(rigid, {{}, {0, 0, 0.0293}}, pair, {});
  EXPECT_NEAR(s.normal_force, corners, 0.15 * corners);
  BodyOptions backed = Backed(1e5, 0.004);
  ExpectRefused(both, backed,
                {"1 edge shared by more than two triangles", "Field 'columns' takes it as it is"});
}

TEST(BodyRefuses, MeshesThatCannotWork) {
  const TriangleMesh good = test::BoxMesh({0.08, 0.05, 0.02});
  TriangleMesh open = good, inward = good, far = good, point = good, wrong = good, nan = good;
  open.triangles.pop_back();
  for (auto& t : inward.triangles) std::swap(t[1], t[2]);
  for (Vec3& v : far.vertices) v = 1000 * v;
  for (Vec3& v : point.vertices) v = {0.01, 0.02, 0.03};
  wrong.triangles[3][1] = 8;
  nan.vertices[5].y = kNaN;
  ExpectRefused(open, Soft(1e5), {"a soft mesh must be closed", "3 open edges", "taxel mesh"});
  EXPECT_NO_THROW(Body(open, {}));
  ExpectRefused(inward, Soft(1e5), {"face inwards", "volume -8", "reverse their order"});
  ExpectRefused(far, Soft(1e5), {"80 m long", "more than 10 m", "scale it by 0.001"});
  EXPECT_NO_THROW(Body(far, {}));
  ExpectRefused(point, {}, {"no extent"});
  ExpectRefused(wrong, {}, {"triangle 3 uses vertex 8", "8 vertices (counted from 0)"});
  ExpectRefused(nan, {}, {"vertex 5 is not finite"});
  ExpectRefused(TriangleMesh{}, {}, {"no triangles"});
  TriangleMesh needles;
  needles.vertices = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}};
  needles.triangles = {{0, 1, 2}};
  ExpectRefused(needles, {}, {"none of its triangles has an area"});
  BodyOptions sideways = Backed(1e5);
  sideways.field.back_triangles = {99};
  ExpectRefused(good, sideways, {"back_triangles names triangle 99", "0 to 11"});
}

TEST(BodyRefuses, TetrahedraThatCannotWork) {
  TetMesh lone;
  lone.vertices = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
  lone.tets = {{0, 1, 2, 3}};
  ExpectRefused(lone, Soft(1e5), {"every vertex of the tetrahedra lies on the surface", "inner vertices"});
  EXPECT_NO_THROW(Body(lone, {}));
  TetMesh flat = lone, wrong = lone, mixed = PrimitiveTets(Box{{0.1, 0.1, 0.1}});
  flat.vertices[3] = {0.05, 0.05, 0};
  ExpectRefused(flat, {}, {"tetrahedron 0 has no volume"});
  wrong.tets[0][2] = -1;
  ExpectRefused(wrong, {}, {"uses vertex -1"});
  std::swap(mixed.tets[2][0], mixed.tets[2][1]);
  ExpectRefused(mixed, Soft(1e5), {"1 of ", "inverted", "number 2", "taxel mesh"});
  ExpectRefused(TetMesh{}, {}, {"no tetrahedra"});
}

TEST(PressureAt, FollowsTheDistanceInEveryPrimitive) {
  const double E = 4e4;
  const Primitive shapes[] = {Sphere{0.03},         Box{{0.08, 0.05, 0.02}}, Cylinder{0.03, 0.02},
                              Cylinder{0.01, 0.06}, Capsule{0.01, 0.06},     Ellipsoid{{0.03, 0.02, 0.04}}};
  for (const Primitive& shape : shapes) {
    const Body body(shape, Soft(E)), rigid(shape, {}), shell(shape, Backed(E, 0.006));
    const bool box = std::holds_alternative<Box>(shape);
    const double inner = InscribedRadius(shape);
    const Box3 bounds = BoundingBox(shape);
    const std::vector<Layer> law = StiffeningLaw(E, 0.8);
    for (int i = 0; i < 400; ++i) {
      const Vec3 p = test::UniformInBox(3, i, 1.1 * bounds.lo, 1.1 * bounds.hi);
      const auto* e = std::get_if<Ellipsoid>(&shape);
      const double u = e ? 1 - norm(cwise_div(p, e->semi_axes)) : -SignedDistance(shape, p) / inner;
      EXPECT_NEAR(body.PressureAt(p), E * std::max(0.0, u), 1e-8);
      EXPECT_EQ(rigid.PressureAt(p), 0);
      if (box) continue;
      // A shell: full compression `thickness` below the surface, the same all round.
      const double expected = PressureOfDepth(law, u * inner / 0.006);
      EXPECT_NEAR(shell.PressureAt(p), expected, 1e-9 * expected + 1e-8);
    }
  }
}

TEST(PressureAt, OfABackedBoxCountsFromTheExposedFace) {
  const double E = 3e4;
  BodyOptions o = Backed(E);
  o.field.exposed = {0, -1, 0};
  o.field.stiffening_start = 0.6;
  const Body pad(Box{{0.08, 0.05, 0.02}}, o);
  EXPECT_NEAR(pad.PressureAt({0.039, -0.025 + 0.01, -0.0099}), E * 0.2, 1e-9);
  EXPECT_NEAR(pad.PressureAt({-0.01, -0.025 + 0.03, 0.003}), E * 0.6, 1e-9);
  EXPECT_NEAR(pad.PressureAt({-0.01, -0.025 + 0.04, 0.003}), E * (0.6 + 0.4),
              1e-9);  // the first knot: u = 0.8
  // Beyond the last knot (u = 0.95, 3.4 E) the last slope goes on.
  EXPECT_NEAR(pad.PressureAt({0, 0.0249, 0}), E * (0.6 + 0.4 * 7 + 32 * (0.998 - 0.95)), 1e-6 * E);
  EXPECT_EQ(pad.PressureAt({0, -0.0251, 0}), 0);
  EXPECT_EQ(pad.PressureAt({0, 0.0251, 0}), 0);
  EXPECT_EQ(pad.PressureAt({0.0401, 0, 0}), 0);
}

TEST(PressureAt, OfASoftHalfSpaceGrowsWithDepth) {
  BodyOptions o = Soft(5e4);
  o.field.thickness = 0.02;
  const Body plane(HalfSpace{}, o), backed(HalfSpace{}, Backed(5e4, 0.02));
  EXPECT_NEAR(plane.PressureAt({3, -4, -0.004}), 5e4 * 0.2, 1e-9);
  EXPECT_NEAR(plane.PressureAt({3, -4, -0.04}), 5e4 * 2, 1e-9);
  EXPECT_EQ(plane.PressureAt({3, -4, 0.001}), 0);
  EXPECT_NEAR(backed.PressureAt({3, -4, -0.004}), 5e4 * 0.2, 1e-9);
  EXPECT_NEAR(backed.PressureAt({3, -4, -0.018}), 5e4 * 1.0, 1e-8);  // u = 0.9, the first knot: 0.8 + 0.2
}

TEST(PressureAt, OfMeshesAndLaplaceFields) {
  const double E = 1e5;
  // A box as a mesh has the field of the box; the mesher's promise is 1 % of the greatest depth.
  const Vec3 size{0.06, 0.04, 0.03};
  const Body mesh(test::BoxMesh(size), Soft(E));
  BodyOptions fine = Laplace(E);
  fine.resolution = 0.003;
  const Body laplace(Sphere{0.03}, fine);
  for (int i = 0; i < 300; ++i) {
    const Vec3 p = test::UniformInBox(5, i, -0.5 * size, 0.5 * size);
    EXPECT_NEAR(mesh.PressureAt(p), -E * SignedDistance(Box{size}, p) / 0.015, 0.02 * E);
    const double r = test::Uniform(6, i, 0.016, 0.0299);
    // u = R / r - 1 outside the core of half the radius; ten layers of tetrahedra come to some per cent.
    EXPECT_NEAR(laplace.PressureAt(r * test::UniformDirection(7, i)), E * (0.03 / r - 1), 0.05 * E);
  }
  EXPECT_NEAR(laplace.PressureAt({0.001, 0.002, 0.003}), E, 1e-9 * E);
  EXPECT_EQ(mesh.PressureAt({0.031, 0, 0}), 0);
  ASSERT_NE(mesh.tets(), nullptr);
  EXPECT_EQ(mesh.tets()->vertices.size(), mesh.vertex_pressures()->size());
}

TEST(Surface, IsClosedAndOfTheRightSize) {
  const Primitive shapes[] = {Sphere{0.03},         Box{{0.08, 0.05, 0.02}}, Cylinder{0.03, 0.02},
                              Cylinder{0.01, 0.06}, Capsule{0.01, 0.06},     Ellipsoid{{0.03, 0.02, 0.04}}};
  for (const Primitive& shape : shapes) {
    const TriangleMesh m = Body(shape, Soft(1e5)).Surface();
    EXPECT_TRUE(CheckWatertight(m).ok());
    EXPECT_GT(EnclosedVolume(m), 0);
    for (const Vec3& v : m.vertices) EXPECT_NEAR(SignedDistance(shape, v), 0, 1e-9);
    const Vec3 size = BoundingBox(m).size(), true_size = BoundingBox(shape).size();
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(size[k], true_size[k], 0.02 * true_size[k]);
  }
  const TriangleMesh plane = Body(HalfSpace{}, {}).Surface(0.3);
  EXPECT_NEAR(SurfaceArea(plane), 0.09, 1e-15);
  for (std::size_t t = 0; t < plane.triangles.size(); ++t)
    EXPECT_GT(AreaNormal2(plane, static_cast<int>(t)).z, 0);
  const TriangleMesh given = test::BoxMesh({0.08, 0.05, 0.02});
  EXPECT_EQ(Body(given, {}).Surface().triangles, given.triangles);
  EXPECT_EQ(Body(given, Soft(1e5)).Surface().triangles, given.triangles);
  const TetMesh tets = ReadTetMesh(TAXEL_TEST_DATA "/l_shape_h10.vtk");
  EXPECT_NEAR(EnclosedVolume(Body(tets, Soft(1e5)).Surface()), TotalVolume(tets), 1e-12);
}

TEST(Body, SaysWhatItIs) {
  BodyOptions o = Laplace(1e5);
  const Body named(Sphere{0.03}, o), rigid(Box{{1, 1, 1}}, {}), mesh(test::BoxMesh({1, 1, 1}), {});
  EXPECT_TRUE(named.soft());
  EXPECT_EQ(named.name(), "sphere");
  ASSERT_NE(named.primitive(), nullptr);  // though it is meshed
  EXPECT_EQ(std::get<Sphere>(*named.primitive()).radius, 0.03);
  EXPECT_NE(named.tets(), nullptr);
  EXPECT_FALSE(rigid.soft());
  EXPECT_EQ(rigid.tets(), nullptr);
  EXPECT_EQ(rigid.vertex_pressures(), nullptr);
  EXPECT_EQ(mesh.primitive(), nullptr);
  EXPECT_EQ(mesh.name(), "mesh");
  const Body copy = named;  // cheap: the same data
  EXPECT_EQ(&copy.data(), &named.data());
}

}  // namespace
}  // namespace taxel
