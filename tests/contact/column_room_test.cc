// Columns that end in the middle:
//  - their room on spheres, capsules and ellipsoids, as shapes and as meshes, against closed forms;
//  - none reaches what is nearer to another side; a cut face that is glued shortens none;
//  - the pressure rises alike everywhere, and each ends flat where it ends;
//  - force and place of a ball against the distance field of the same mesh; energy is got back;
//  - derivatives by modulus and thickness against differences;
//  - a body in the middle finds the nearer way out; sharp edges warn; what is refused.
#include "taxel/contact/column_room.h"

#include <gtest/gtest.h>

#include "scenes.h"
#include "taxel/contact/body_data.h"
#include "taxel/contact/contact_gradient.h"
#include "taxel/contact/core_touch.h"
#include "taxel/contact/deep_touch.h"
#include "taxel/math/error.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/primitive_tets.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Soft;

BodyOptions ToMiddle(double modulus, double thickness = 0, double resolution = 0) {
  BodyOptions o = Soft(modulus);
  o.field.kind = FieldKind::kColumns;
  o.field.bone = Bone::kMiddle;
  o.field.thickness = thickness;
  o.resolution = resolution;
  return o;
}

// Flattened along z: the middle is a disc in the plane z = 0, at z / n_z under a point of the skin.
const Ellipsoid kEgg{{0.009, 0.012, 0.008}};

BodyOptions AllRound(BodyOptions o, const TriangleMesh& mesh) {
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) o.field.skin_triangles.push_back(t);
  return o;
}

double RoomOfEgg(const Vec3& p) {
  const Vec3 a = kEgg.semi_axes;
  return a.z * a.z * norm(Vec3{p.x / (a.x * a.x), p.y / (a.y * a.y), p.z / (a.z * a.z)});
}

TEST(ColumnRoom, IsTheDistanceToTheMiddle) {
  const Body ball(Sphere{0.01}, ToMiddle(1e5)), finger(Capsule{0.01, 0.02}, ToMiddle(1e5));
  for (const Body* body : {&ball, &finger})
    for (const Column& c : body->data().columns.columns) {
      EXPECT_NEAR(c.length, kRoomShare * 0.01, 0.011 * 0.01);  // what a ball may reach through the skin
      EXPECT_NEAR(c.modulus, c.length / 0.01, 1e-12);
    }
  const Body egg(kEgg, ToMiddle(1e5));
  for (const Column& c : egg.data().columns.columns)
    EXPECT_NEAR(c.length / (kRoomShare * RoomOfEgg(c.p)), 1, 0.06) << c.p.x << " " << c.p.y << " " << c.p.z;
  EXPECT_NEAR(egg.data().length, 0.008, 1e-12);
}

TEST(ColumnRoom, OfAMeshIsThatOfItsShape) {
  const TriangleMesh mesh = PrimitiveSurface(kEgg, 0.0012);
  const Body egg(mesh, AllRound(ToMiddle(1e5), mesh));
  const MeshDistance distance(mesh);
  double worst = 0;
  for (const Column& c : egg.data().columns.columns) {
    worst = std::max(worst, std::fabs(c.length / (kRoomShare * RoomOfEgg(c.p)) - 1));
    // Its end is its own: no other side is nearer.
    EXPECT_GT(distance.ClosestPoint(c.p - c.length * c.d).distance, 0.97 * c.length);
  }
  EXPECT_LT(worst, 0.12);
  EXPECT_NEAR(egg.data().length, 0.008, 1e-4);
  EXPECT_TRUE(egg.warnings().empty());
}

// Half of it, cut off at y = 0.
TriangleMesh HalfEgg() {
  constexpr int kAround = 36, kRings = 12;
  TriangleMesh mesh;
  for (int j = 0; j < kRings; ++j)
    for (int i = 0; i < kAround; ++i) {
      const double a = 0.5 * test::kPi * j / kRings, b = 2 * test::kPi * i / kAround;
      mesh.vertices.push_back(
          cwise_mul(kEgg.semi_axes, {std::cos(a) * std::cos(b), std::sin(a), std::cos(a) * std::sin(b)}));
    }
  const int tip = kRings * kAround, middle = tip + 1;
  mesh.vertices.push_back({0, kEgg.semi_axes.y, 0});
  mesh.vertices.push_back({0, 0, 0});
  for (int i = 0; i < kAround; ++i) {
    const int k = (i + 1) % kAround, last = (kRings - 1) * kAround;
    mesh.triangles.push_back({middle, i, k});
    for (int j = 0; j + 1 < kRings; ++j) {
      const int r = j * kAround, s = r + kAround;
      mesh.triangles.push_back({r + i, s + i, s + k});
      mesh.triangles.push_back({r + i, s + k, r + k});
    }
    mesh.triangles.push_back({tip, last + k, last + i});
  }
  return mesh;
}

BodyOptions Cut() {
  BodyOptions o = ToMiddle(1e5);
  o.field.exposed = {0, 1, 0};
  return o;
}

TEST(ColumnRoom, EndsWhereTheSkinDoes) {
  const Body cut(HalfEgg(), Cut());
  for (const Column& c : cut.data().columns.columns) {
    EXPECT_NEAR(c.length / (kRoomShare * RoomOfEgg(c.p)), 1, 0.12) << c.p.x << " " << c.p.y << " " << c.p.z;
    EXPECT_GT((c.p - c.length * c.d).y, -3e-4);  // at the rim normals are those of one side
  }
}

TEST(ColumnRoom, PressureRisesAlikeEverywhere) {
  const TriangleMesh mesh = PrimitiveSurface(kEgg, 0.0012);
  const Body egg(mesh, AllRound(ToMiddle(1e5, 0.008), mesh));
  for (const Vec3& n : {Vec3{0, 0, 1}, Vec3{0, 1, 0}, Vec3{1, 0, 0}, normalized(Vec3{1, 2, -1})}) {
    const Vec3 a = kEgg.semi_axes, p = cwise_mul(cwise_mul(a, a), n) / norm(cwise_mul(a, n));
    EXPECT_NEAR(egg.PressureAt(p - 0.002 * n), 1e5 * 0.002 / 0.008, 0.03 * 1e5 * 0.002 / 0.008);
  }
}

double Off(const Vec3& a, const Vec3& b) { return norm(a - b) / norm(b); }

TEST(ColumnRoom, HasTheForceOfTheDistanceField) {
  const TriangleMesh mesh = PrimitiveSurface(kEgg, 0.0012);
  const Body columns(mesh, AllRound(ToMiddle(1e5, 0.008), mesh)), field(mesh, Soft(1e5)),
      ball(Sphere{0.006}, {});
  for (const Vec3& n : {Vec3{0, 0, 1}, Vec3{1, 0, 0}, normalized(Vec3{1, 2, -1}), Vec3{0, 1, 0}}) {
    const Vec3 a = kEgg.semi_axes, p = cwise_mul(cwise_mul(a, a), n) / norm(cwise_mul(a, n));
    for (const double depth : {0.001, 0.002, 0.003}) {
      const Pose X = At(p + (0.006 - depth) * n);
      const ContactSurface x = ComputeContact(columns, {}, ball, X), y = ComputeContact(field, {}, ball, X);
      EXPECT_LT(Off(x.wrench_on_A.force, y.wrench_on_A.force), 0.05) << n.x << n.y << n.z << " " << depth;
      EXPECT_LT(norm(x.center_of_pressure - y.center_of_pressure), 2e-4);
    }
  }
}

// A ball goes in along one way and out along another: what it takes is what it gets.
TEST(ColumnRoom, GivesBackWhatItTook) {
  const TriangleMesh mesh = PrimitiveSurface(kEgg, 0.0012);
  const Body egg(mesh, AllRound(ToMiddle(1e5, 0.008), mesh)), ball(Sphere{0.006}, {});
  const Vec3 corners[] = {
      {0, 0.006, 0.016}, {0, 0.005, 0.0105}, {0.001, 0.012, 0.0075}, {0.001, 0.019, 0.004}};
  double work = 0, in = 0;
  constexpr int kSteps = 300;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < kSteps; ++i) {
      const Vec3 step = (corners[k + 1] - corners[k]) / kSteps, at = corners[k] + (i + 0.5) * step;
      const double dw = dot(ComputeContact(ball, At(at), egg, {}).wrench_on_A.force, step);
      work += dw, in += std::max(0.0, -dw);
    }
  EXPECT_LT(std::fabs(work), 0.02 * in);
}

TEST(ColumnRoom, Derivatives) {
  const TriangleMesh mesh = PrimitiveSurface(kEgg, 0.0015);
  const Body ball(Sphere{0.006}, {});
  const Pose X = At({0.001, 0.012, 0.0045});
  const auto force = [&](double modulus, double thickness) {
    return ComputeContact(Body(mesh, AllRound(ToMiddle(modulus, thickness), mesh)), {}, ball, X)
        .wrench_on_A.force;
  };
  ContactSurface surface;
  ContactWorkspace workspace;
  ContactGradient gradient;
  ComputeContactGradient(Body(mesh, AllRound(ToMiddle(1e5, 0.008), mesh)), {}, ball, X, {}, &workspace,
                         &surface, &gradient);
  const double h = 1e-6;
  const Vec3 by_thickness = (force(1e5, 0.008 + h) - force(1e5, 0.008 - h)) / (2 * h);
  EXPECT_LT(Off(gradient.by[kThicknessA].force, by_thickness), 1e-5);
  const Vec3 by_modulus = (force(1e5 + 1, 0.008) - force(1e5 - 1, 0.008)) / 2;
  EXPECT_LT(Off(gradient.by[kModulusA].force, by_modulus), 1e-6);
}

TEST(ColumnRoom, TheNearerWayOut) {
  const TriangleMesh mesh = PrimitiveSurface(kEgg, 0.0012);
  const Body egg(mesh, AllRound(ToMiddle(1e5, 0.008), mesh));
  for (const double z : {0.007, 0.003, -0.003, -0.007}) {
    const WayOut way = FindWayOut(egg, {0.0003, 0.0002, z});
    EXPECT_NEAR(way.depth, 0.008 - std::fabs(z), 2e-4) << z;
    EXPECT_GT(way.out.z * z, 0);
    EXPECT_NEAR(way.layer, 0.975 * kRoomShare * 0.008, 2e-4);
  }
}

// On a plane the face that is glued is hard, and the rest is not.
TEST(ColumnRoom, StandsOnWhatIsGlued) {
  const TriangleMesh half = HalfEgg();
  const Body cut(half, Cut()), plane(HalfSpace{}, {});
  for (const double tilt : {0.0, 0.3, 0.6}) {
    // y up, leaning; its lowest point 1 mm above the plane.
    const Mat3 R = RotationAbout({1, 0, 0}, 0.5 * test::kPi - tilt);
    double least = HUGE_VAL;
    for (const Vec3& v : half.vertices) least = std::min(least, (R * v).z);
    std::vector<CoreTouch> touches;
    FindMiddleTouches(cut, {R, {0, 0, 0.001 - least}}, plane, {}, 0.002, &touches);
    double gap = HUGE_VAL;
    for (const CoreTouch& c : touches) gap = std::min(gap, c.gap);
    EXPECT_NEAR(gap, 0.001, 4e-4) << tilt;
  }
  std::vector<CoreTouch> touches;
  FindMiddleTouches(cut, At({0, 0, 0.009}), plane, {}, 0.002, &touches);  // it lies on its side
  EXPECT_TRUE(touches.empty());
}

// The core begins sooner where a column is shorter: at its own pressure.
TEST(ColumnRoom, EachHasItsCore) {
  const TriangleMesh mesh = PrimitiveSurface(kEgg, 0.0012);
  const Body egg(mesh, AllRound(ToMiddle(1e5, 0.008), mesh)), ball(Sphere{0.006}, {});
  ASSERT_TRUE(CorePressureVaries(egg, ball));
  const double tip = 0.008 * 0.008 / 0.012;
  for (const auto& [p, n, room] : {std::tuple(Vec3{0, 0.012, 0}, Vec3{0, 1, 0}, tip),
                                   std::tuple(Vec3{0, 0, 0.008}, Vec3{0, 0, 1}, 0.008)}) {
    const double depth = 0.9 * room, end = 0.975 * kRoomShare * room;
    const ContactSurface s = ComputeContact(ball, At(p + (0.006 - depth) * n), egg, {});
    Patch patch;
    patch.Build(s, {}, {});
    std::vector<CoreTouch> touches;
    FindCoreTouches(s, patch, ball, egg, 0.001, &touches);
    ASSERT_FALSE(touches.empty());
    double least = HUGE_VAL;
    for (const CoreTouch& c : touches) least = std::min(least, c.gap);
    EXPECT_NEAR(least, end - depth, 0.08 * room);
  }
}

TEST(ColumnRoom, SharpEdgesWarn) {
  const TriangleMesh box = test::BoxMesh({0.02, 0.02, 0.01});
  const Body body(box, AllRound(ToMiddle(1e5), box));
  ASSERT_EQ(body.warnings().size(), 1u);
  EXPECT_NE(body.warnings()[0].find("sharp edges"), std::string::npos);
}

TEST(ColumnRoom, Refuses) {
  EXPECT_THROW(Body(Box{{0.02, 0.02, 0.01}}, ToMiddle(1e5)), Error);
  EXPECT_THROW(Body(Cylinder{0.01, 0.02}, ToMiddle(1e5)), Error);
  EXPECT_THROW(Body(HalfSpace{}, ToMiddle(1e5, 0.01)), Error);
  BodyOptions rigid = ToMiddle(0);
  EXPECT_THROW(Body(Sphere{0.01}, rigid), Error);
  BodyOptions field = ToMiddle(1e5);
  field.field.kind = FieldKind::kDistance;
  try {
    Body(Sphere{0.01}, field);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("choose field 'columns'"), std::string::npos);
  }
}

}  // namespace
}  // namespace taxel
