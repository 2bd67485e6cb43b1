// Against central differences of the query itself, at tilted, off-axis poses in a turned world. Cases:
//   - columns on a box, a finger, a height map and a plane, under every primitive and a mesh, soft ones too
//   - either order of the bodies; laws that stiffen; thickness and moduli of both
//   - the punch's own edges and the rim of the pad inside the contact
//   - other fields: distance, Laplace, backed boxes with and without their walls, soft on soft
//   - a column that begins to be touched: one-sided, continuous; nothing in contact: zeros
//   - rigid bodies have no modulus, a distance field no thickness
#include "taxel/contact/contact_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "taxel/shape/primitive_tets.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kModulus = 1.3e5;

struct Pair {
  std::function<Body(double modulus, double thickness)> A, B;
  double modulus_A = kModulus, thickness_A = 0.004, modulus_B = 0, thickness_B = 0;
  Pose X_WA = {}, X_WB = {};
  ContactOptions options = {};

  Wrench At(const double (&by)[kContactInputs]) const {
    Pose X = X_WB;
    X.p += {by[0], by[1], by[2]};
    const Vec3 turn{by[3], by[4], by[5]};
    if (norm(turn) > 0) X.R = RotationAbout(normalized(turn), norm(turn)) * X.R;
    return ComputeContact(A(modulus_A + by[kModulusA], thickness_A + by[kThicknessA]), X_WA,
                          B(modulus_B + by[kModulusB], thickness_B + by[kThicknessB]), X, options)
        .wrench_on_A;
  }
  ContactGradient Gradient() const {
    ContactWorkspace workspace;
    ContactSurface surface;
    ContactGradient out;
    ComputeContactGradient(A(modulus_A, thickness_A), X_WA, B(modulus_B, thickness_B), X_WB, options,
                           &workspace, &surface, &out);
    EXPECT_GT(surface.num_faces(), 0);
    return out;
  }
};

// Steps are small against the spacing of columns, and large against rounding; `coarse`: and against the noise
// of facets that are cut anew.
double Step(const Pair& pair, int input, bool coarse) {
  const double more = coarse ? 100 : 1;
  if (input < kTurnB) return 2e-8 * more;
  if (input < kModulusA) return 2e-6 * more;
  if (input == kModulusA || input == kModulusB)
    return 1e-4 * (input == kModulusA ? pair.modulus_A : pair.modulus_B) * std::sqrt(more);
  return 1e-5 * (input == kThicknessA ? pair.thickness_A : pair.thickness_B) * more;
}

// `within`: of the largest derivative of the same kind of input. (A ball does not care for turns.)
void Check(const Pair& pair, double within, const std::string& what, int inputs = kContactInputs) {
  const ContactGradient g = pair.Gradient();
  double zero[kContactInputs] = {};
  const Wrench now = pair.At(zero);
  EXPECT_LT(norm(g.wrench_on_A.force - now.force), 1e-12) << what;
  EXPECT_GT(norm(now.force), 0.05) << what;
  for (const auto& [first, last] : {std::pair(0, 2), {3, 5}, {6, 6}, {7, 7}, {8, 8}, {9, 9}}) {
    if (first >= inputs) return;
    Wrench differences[3];
    double most_f = 0, most_t = 0;
    for (int k = first; k <= last; ++k) {
      if (!g.has[k]) continue;
      double by[kContactInputs] = {};
      const double h = Step(pair, k, within > 1e-3);
      by[k] = h;
      const Wrench up = pair.At(by);
      by[k] = -h;
      const Wrench down = pair.At(by);
      differences[k - first] = {(up.force - down.force) / (2 * h), (up.torque - down.torque) / (2 * h)};
      most_f = std::max(most_f, norm(differences[k - first].force));
      most_t = std::max(most_t, norm(differences[k - first].torque));
    }
    for (int k = first; k <= last; ++k) {
      EXPECT_LE(norm(g.by[k].force - differences[k - first].force),
                within * most_f + 1e-3 * within * norm(now.force))
          << what << ", force by input " << k << ": " << g.by[k].force.x << " " << g.by[k].force.y << " "
          << g.by[k].force.z << " against " << differences[k - first].force.x << " "
          << differences[k - first].force.y << " " << differences[k - first].force.z;
      EXPECT_LE(norm(g.by[k].torque - differences[k - first].torque),
                within * most_t + 1e-2 * within * norm(now.torque))
          << what << ", torque by input " << k;
    }
  }
}

const Pose kWorld{RotationFromQuaternion(0.8, 0.3, -0.4, 0.2), {0.31, -0.17, 0.05}};

Pose Tilted(const Vec3& p, double angle = 0.11) {
  return kWorld * Pose{RotationAbout(normalized(Vec3{0.6, -0.7, 0.3}), angle), p};
}

BodyOptions Soft(FieldKind kind, double modulus, double thickness = 0) {
  BodyOptions o;
  o.modulus = modulus;
  o.field.kind = kind;
  o.field.thickness = thickness;
  return o;
}

// A pad whose skin stays at z = 0 when its thickness varies: a box of which the layer is the upper part would
// be refused, so the box grows downwards and is shifted.
std::function<Body(double, double)> Rigid(const Primitive& shape) {
  return [shape](double, double) { return Body(shape, BodyOptions{}); };
}

std::function<Body(double, double)> Finger(const Primitive& shape, FieldKind kind = FieldKind::kColumns) {
  return
      [shape, kind](double modulus, double thickness) { return Body(shape, Soft(kind, modulus, thickness)); };
}

std::function<Body(double, double)> Pad(FieldKind kind, const Vec3& size, std::vector<double> law = {}) {
  return [=](double modulus, double thickness) {
    BodyOptions o =
        Soft(kind, modulus, kind == FieldKind::kBacked || kind == FieldKind::kColumns ? thickness : 0);
    o.field.law = law;
    return Body(Box{size}, o);
  };
}

const struct {
  const char* name;
  Primitive shape;
  double half;  // its lowest point below its middle, about
} kObjects[] = {{"ball", Sphere{0.008}, 0.008},
                {"box", Box{{0.012, 0.009, 0.01}}, 0.0055},
                {"cylinder", Cylinder{0.006, 0.01}, 0.0055},
                {"capsule", Capsule{0.005, 0.006}, 0.0081},
                {"ellipsoid", Ellipsoid{{0.009, 0.006, 0.007}}, 0.007},
                {"plane", HalfSpace{}, 0}};

TEST(ContactGradient, ColumnsUnderEveryPrimitive) {
  for (const auto& o : kObjects) {
    Pair pair{Pad(FieldKind::kColumns, {0.03, 0.024, 0.006}), Rigid(o.shape)};
    pair.X_WA = kWorld;
    pair.X_WB = Tilted({0.0013, -0.0021, 0.003 + o.half - 0.0009});
    if (std::holds_alternative<HalfSpace>(o.shape))  // its inside below must be above the pad
      pair.X_WB = kWorld * Pose{RotationAbout({1, 0, 0}, 3.05), {0.001, 0.002, 0.0022}};
    Check(pair, 2e-5, o.name);
  }
}

TEST(ContactGradient, OverTheRimOfThePad) {
  Pair pair{Pad(FieldKind::kColumns, {0.03, 0.024, 0.006}), Rigid(Sphere{0.008})};
  pair.X_WA = kWorld;
  pair.X_WB = Tilted({0.0135, 0.0101, 0.003 + 0.008 - 0.0011});
  Check(pair, 2e-5, "rim");
}

TEST(ContactGradient, RoundColumnsAndEitherOrder) {
  for (const Primitive& finger :
       {Primitive(Capsule{0.009, 0.02}), Primitive(Sphere{0.01}), Primitive(Cylinder{0.009, 0.02}),
        Primitive(Ellipsoid{{0.012, 0.009, 0.01}})}) {
    Pair pair{Finger(finger), Rigid(Box{{0.01, 0.012, 0.008}})};
    pair.thickness_A = 0.0025;
    pair.X_WA = kWorld;
    pair.X_WB = kWorld * Pose{RotationAbout(normalized(Vec3{0.2, 1, 0.1}), 1.4), {0.0126, 0.001, 0.002}};
    Check(pair, 3e-5, "finger, box");
    Pair other{pair.B, pair.A};
    other.modulus_A = 0, other.thickness_A = 0, other.modulus_B = kModulus, other.thickness_B = 0.0025;
    other.X_WA = pair.X_WB, other.X_WB = pair.X_WA;
    Check(other, 3e-5, "box, finger");
  }
}

TEST(ContactGradient, MeasuredLawsAndDeepPresses) {
  for (const double deep : {0.0015, 0.0034}) {
    Pair pair{Pad(FieldKind::kColumns, {0.03, 0.024, 0.006}, {0.2, 0.1, 0.5, 0.6, 0.9, 3.0}),
              Rigid(Ellipsoid{{0.009, 0.006, 0.007}})};
    pair.X_WA = kWorld;
    pair.X_WB = Tilted({0.0013, -0.0021, 0.003 + 0.007 - deep});
    Check(pair, 2e-5, "law");
  }
}

TEST(ContactGradient, SoftOnColumns) {
  Pair pair{Pad(FieldKind::kColumns, {0.03, 0.024, 0.006}), Finger(Sphere{0.008}, FieldKind::kDistance)};
  pair.modulus_B = 4e5;
  pair.X_WA = kWorld;
  pair.X_WB = Tilted({0.0013, -0.0021, 0.003 + 0.008 - 0.0013});
  Check(pair, 2e-5, "soft ball");
  Pair both{Pad(FieldKind::kColumns, {0.03, 0.024, 0.006}), Finger(Capsule{0.007, 0.01})};
  both.modulus_B = 3e5, both.thickness_B = 0.002;
  both.X_WA = kWorld;
  both.X_WB = kWorld * Pose{RotationAbout(normalized(Vec3{0.2, 1, 0.1}), 1.4), {0.001, -0.002, 0.0089}};
  // Whose columns count is decided by the content of the bodies: a step of the modulus may turn it round.
  Check(both, 3e-5, "columns on columns", kModulusA);
}

TEST(ContactGradient, MeshesOnColumns) {
  const TriangleMesh ball = PrimitiveSurface(Ellipsoid{{0.009, 0.007, 0.008}}, 0.002);
  for (const double tilt : {0.11, 0.7}) {
    Pair pair{Pad(FieldKind::kColumns, {0.03, 0.024, 0.006}),
              [&](double, double) { return Body(ball, BodyOptions{}); }};
    pair.X_WA = kWorld;
    pair.X_WB = Tilted({0.0013, -0.0021, 0.003 + 0.0078 - 0.0012}, tilt);
    Check(pair, 5e-5, "mesh");
  }
  // A dome over its back, under a box.
  const TriangleMesh pad = PrimitiveSurface(Box{{0.03, 0.024, 0.006}}, 0.03);
  Pair dome{[&](double modulus, double) { return Body(pad, Soft(FieldKind::kColumns, modulus)); },
            Rigid(Box{{0.012, 0.009, 0.01}})};
  dome.X_WA = kWorld;
  dome.X_WB = Tilted({0.0013, -0.0021, 0.003 + 0.0055 - 0.0009});
  const ContactGradient g = dome.Gradient();
  EXPECT_TRUE(g.has[kThicknessA]);  // all columns in proportion
  EXPECT_NEAR(g.by[kModulusA].force.z * kModulus, g.wrench_on_A.force.z, 1e-12);
}

TEST(ContactGradient, PolygonsOfDistanceFields) {
  for (const auto& o : kObjects) {
    Pair pair{Pad(FieldKind::kDistance, {0.03, 0.024, 0.008}), Rigid(o.shape)};
    pair.thickness_A = 0;
    pair.X_WA = kWorld;
    pair.X_WB = Tilted({0.0013, -0.0021, 0.004 + o.half - 0.0009});
    if (std::holds_alternative<HalfSpace>(o.shape))
      pair.X_WB = kWorld * Pose{RotationAbout({1, 0, 0}, 3.05), {0.001, 0.002, 0.0034}};
    const bool flat = std::holds_alternative<Box>(o.shape) || std::holds_alternative<HalfSpace>(o.shape);
    Check(pair, flat ? 1e-5 : 0.05, o.name);
    EXPECT_TRUE(pair.Gradient().complete) << o.name;
  }
}

TEST(ContactGradient, PolygonsOfBackedLayersWithTheirWalls) {
  for (const Vec3& at : {Vec3{0.0013, -0.0021, 0.0077}, Vec3{0.0131, 0.0098, 0.0076}}) {
    Pair pair{Pad(FieldKind::kBacked, {0.03, 0.024, 0.006}), Rigid(Box{{0.012, 0.009, 0.01}})};
    pair.X_WA = kWorld;
    pair.X_WB = Tilted(at);
    Check(pair, 1e-5, "backed");
    Pair other{pair.B, pair.A};
    other.modulus_A = 0, other.thickness_A = 0, other.modulus_B = kModulus, other.thickness_B = 0.004;
    other.X_WA = pair.X_WB, other.X_WB = pair.X_WA;
    Check(other, 1e-5, "backed second");
  }
}

TEST(ContactGradient, PolygonsSoftOnSoft) {
  Pair pair{Pad(FieldKind::kDistance, {0.03, 0.024, 0.008}), Pad(FieldKind::kDistance, {0.012, 0.009, 0.01})};
  pair.thickness_A = 0;
  pair.modulus_B = 3e5;
  pair.X_WA = kWorld;
  pair.X_WB = Tilted({0.0013, -0.0021, 0.004 + 0.0055 - 0.0012});
  Check(pair, 1e-5, "boxes");
  Pair round{Finger(Sphere{0.01}, FieldKind::kBacked), Finger(Capsule{0.008, 0.01}, FieldKind::kDistance)};
  round.thickness_A = 0.004, round.modulus_B = 3e5;
  round.X_WA = kWorld;
  round.X_WB = kWorld * Pose{RotationAbout(normalized(Vec3{0.2, 1, 0.1}), 1.4), {0.001, -0.002, 0.0165}};
  Check(round, 0.02, "round");
}

TEST(ContactGradient, PolygonsOfTetrahedra) {
  const Vec3 size{0.02, 0.016, 0.01};
  Pair pair{[&](double modulus, double) {
              BodyOptions o = Soft(FieldKind::kLaplace, modulus);
              o.resolution = 0.003;
              return Body(Box{size}, o);
            },
            Rigid(Box{{0.012, 0.009, 0.01}})};
  pair.thickness_A = 0;
  pair.X_WA = kWorld;
  pair.X_WB = Tilted({0.0013, -0.0021, 0.005 + 0.0055 - 0.0012});
  EXPECT_FALSE(pair.Gradient().complete);  // of the punch's sides some pieces are dropped
  pair.options.cull = false;
  Check(pair, 1e-4, "laplace");
}

TEST(ContactGradient, AColumnThatIsJustTouchedHasADerivativeToEitherSide) {
  // A flat punch on flat columns: force 0 before the touch and E A / h beyond it, and continuous.
  const auto pad = Pad(FieldKind::kColumns, {0.03, 0.024, 0.006});
  const Body A = pad(kModulus, 0.004), B(Box{{0.006, 0.005, 0.01}}, BodyOptions{});
  ContactWorkspace workspace;
  ContactSurface surface;
  ContactGradient g;
  const double stiffness = kModulus * 0.006 * 0.005 / 0.004;
  for (const auto& [depth, slope] : {std::pair(-1e-9, 0.0), {1e-9, stiffness}}) {
    ComputeContactGradient(A, Pose{}, B, {Mat3{}, {0.001, 0.002, 0.008 - depth}}, {}, &workspace, &surface,
                           &g);
    EXPECT_NEAR(g.by[kShiftB + 2].force.z, slope, 1e-6 * stiffness);
    EXPECT_LT(norm(g.wrench_on_A.force), 1e-4);
  }
  EXPECT_FALSE(g.has[kModulusB] || g.has[kThicknessB]);
  ComputeContactGradient(A, Pose{}, B, {Mat3{}, {0.001, 0.002, 0.1}}, {}, &workspace, &surface, &g);
  for (const Wrench& w : g.by) EXPECT_EQ(norm(w.force) + norm(w.torque), 0);
  EXPECT_EQ(g.faces.num_faces(), 0);
  const Body distance = Pad(FieldKind::kDistance, {0.03, 0.024, 0.006})(kModulus, 0);
  ComputeContactGradient(distance, Pose{}, B, {Mat3{}, {0.001, 0.002, 0.0078}}, {}, &workspace, &surface, &g);
  EXPECT_TRUE(g.has[kModulusA]);
  EXPECT_FALSE(g.has[kThicknessA]);
}

}  // namespace
}  // namespace taxel
