// Friction of a patch, from anchors to blocks and back:
//   - a uniform stretch comes out uniform, tangential to curved patches; the force is that of the anchors
//   - bounds: mu times the normal force of the last step, conserved when anchors leave the contact; elastic,
//     given; Stribeck
//   - another partner starts afresh, and leaves no force behind in the bound
//   - normal forces of the blocks reach the anchors, all of them
//   - the owner may be A or B; everything turned gives everything turned
//   - sliding: the force is mu N against the motion; sticking and back: nothing is left; torsion: against the
//     spin, 2/3 mu N R for a disc
#include "taxel/contact/patch_friction.h"

#include <gtest/gtest.h>

#include <numeric>

#include "scenes.h"

namespace taxel {
namespace {

using test::At;
using test::Backed;
using test::kPi;

constexpr double kPartner = 7;
using Bound = PatchFriction::Bound;

// A pad with anchors on its skin, and something pressed into it.
struct Touching {
  Body pad = Body(Box{{0.08, 0.06, 0.01}}, Backed(5e4));
  Body object;
  Pose X_WO, X_WB;
  Anchors anchors;
  ContactSurface surface;
  Patch patch;
  bool owner_is_A;

  Touching(const Primitive& shape, const Pose& X_OB, const Pose& X, bool pad_is_A, int count = 400)
      : object(shape, {}), X_WO(X), X_WB(X * X_OB), anchors(Skin(), count, 3), owner_is_A(pad_is_A) {
    surface = pad_is_A ? ComputeContact(pad, X_WO, object, X_WB) : ComputeContact(object, X_WB, pad, X_WO);
    PatchOptions options;
    options.piece_size = anchors.spacing();
    patch.Build(surface, X_WO.R, options);
  }
  static TriangleMesh Skin() {
    TriangleMesh m;
    m.vertices = {{-0.04, -0.03, 0.005}, {0.04, -0.03, 0.005}, {0.04, 0.03, 0.005}, {-0.04, 0.03, 0.005}};
    m.triangles = {{0, 1, 2}, {0, 2, 3}};
    return m;
  }
};

const Primitive kBlock = Box{{0.03, 0.022, 0.02}};
Pose BlockPose(double tilt = 0) {
  return {RotationAbout({0, 0, 1}, 0.3) * RotationAbout({1, 0, 0}, tilt),
          {0.006, -0.005, 0.005 + 0.01 - 0.001}};
}
const Primitive kBall = Sphere{0.02};
const Pose kBallPose = At({-0.004, 0.006, 0.005 + 0.02 - 0.0015});
const Primitive kDisc = Cylinder{0.012, 0.02};
const Pose kDiscPose = At({0.003, 0.002, 0.005 + 0.01 - 0.001});

AnchorState Remembers(const Vec3& stretch_O, double normal, double partner = kPartner) {
  AnchorState a;
  a.stretch_O = stretch_O;
  a.normal_force = a.elastic_force = normal;
  a.partner = partner;
  return a;
}

FrictionParameters Coulomb(double mu) {
  FrictionParameters p;
  p.static_friction = p.dynamic_friction = mu;
  return p;
}

double Sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double BlockBound(const PatchFriction& f) {
  double sum = 0;
  for (const FrictionBlock& b : f.blocks()) sum += b.bound;
  return sum;
}
// Elastic friction on A.
Wrench Force(const PatchFriction& f, const Patch& patch, bool pieces) {
  Wrench w;
  const std::size_t n = pieces ? patch.pieces.size() : patch.blocks.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 force = pieces ? -f.piece_stiffnesses()[i] * f.piece_stretches()[i]
                              : -f.blocks()[i].stiffness * f.blocks()[i].stretch_W;
    w.force += force;
    w.torque += cross(pieces ? patch.pieces[i].p_W : patch.blocks[i].p_W, force);
  }
  return w;
}

// Steps with the blocks' elastic forces as normal forces.
struct Stepper {
  const Touching& t;
  FrictionParameters parameters;
  std::vector<AnchorState> states;
  PatchFriction friction;

  Stepper(const Touching& touching, const FrictionParameters& p)
      : t(touching), parameters(p), states(t.anchors.count()) {}
  void Gather(const RelativeMotion& v, Bound bound) {
    friction.Gather(t.patch, t.anchors, states.data(), kPartner, t.X_WO, t.owner_is_A, parameters, v, bound);
  }
  void Step(const RelativeMotion& v, double h, Bound bound = Bound::kLagged) {
    Gather(v, bound);
    std::vector<double> normal;
    for (const PatchBlock& b : t.patch.blocks) normal.push_back(b.force);
    std::vector<AnchorState> next(states.size());
    friction.Scatter(t.patch, states.data(), v, h, normal.data(),
                     [&](int a, const AnchorState& s) { next[a] = s; });
    states = next;
  }
};

TEST(PatchFriction, AUniformStretchComesOutUniform) {
  for (bool pad_is_A : {false, true})
    for (const Pose& X : {Pose{}, test::TiltedPose()}) {
      const Touching t(kBlock, BlockPose(), X, pad_is_A);
      Stepper run(t, Coulomb(0.6));
      // The state is the displacement of the other body; blocks want that of A.
      const Vec3 s_O{3e-5, -2e-5, 0}, expected = (pad_is_A ? -1.0 : 1.0) * (X.R * s_O);
      for (AnchorState& a : run.states) a = Remembers(s_O, 0.1);
      run.Gather({}, Bound::kLagged);
      for (const Vec3& s : run.friction.piece_stretches()) EXPECT_LT(norm(s - expected), 1e-9 * norm(s_O));
      double stiffness = 0;
      for (const FrictionBlock& b : run.friction.blocks()) {
        EXPECT_LT(norm(b.stretch_W - expected), 1e-9 * norm(s_O));
        EXPECT_NEAR(b.damping, 1e-3 * b.stiffness, 1e-12 * b.stiffness);
        stiffness += b.stiffness;
      }
      EXPECT_NEAR(stiffness, 0.7 * t.patch.stiffness, 1e-9 * stiffness);
    }
}

TEST(PatchFriction, StretchIsTangentialOnCurvedAndTiltedPatches) {
  for (const auto& [shape, pose] : {std::pair{kBall, kBallPose}, std::pair{kBlock, BlockPose(0.05)}}) {
    const Touching t(shape, pose, test::TiltedPose(), false);
    Stepper run(t, Coulomb(0.6));
    for (int a = 0; a < t.anchors.count(); ++a)
      run.states[a] = Remembers(1e-5 * test::UniformDirection(3, a), 0.1);
    run.Gather({}, Bound::kLagged);
    for (std::size_t i = 0; i < t.patch.pieces.size(); ++i)
      EXPECT_LT(std::fabs(dot(run.friction.piece_stretches()[i], t.patch.pieces[i].n_W)), 1e-17);
    for (std::size_t b = 0; b < t.patch.blocks.size(); ++b)
      EXPECT_LT(std::fabs(dot(run.friction.blocks()[b].stretch_W, t.patch.blocks[b].n_W)), 1e-17);
  }
}

TEST(PatchFriction, TheBoundIsMuTimesTheLastNormalForce) {
  const Touching t(kBlock, BlockPose(0.03), test::TiltedPose(), false);
  Stepper run(t, Coulomb(0.45));
  double total = 0;
  for (int a = 0; a < t.anchors.count(); ++a) {
    // All anchors of the pad remember a force, also those that the block does not touch now.
    run.states[a] = Remembers({}, test::Uniform(5, a, 0, 0.2));
    total += run.states[a].normal_force;
  }
  run.Gather({}, Bound::kLagged);
  EXPECT_NEAR(Sum(run.friction.piece_bounds()), 0.45 * total, 1e-12 * total);
  EXPECT_NEAR(BlockBound(run.friction), 0.45 * total, 1e-12 * total);
  // All pressed alike: by pressure.
  for (std::size_t i = 0; i < t.patch.pieces.size(); ++i)
    EXPECT_NEAR(run.friction.piece_bounds()[i], 0.45 * total * t.patch.pieces[i].force / t.patch.force,
                1e-9 * total);
  // Where the solver pushed twice as hard as the pressure did, the bound is twice that of the rest.
  for (int a = 0; a < t.anchors.count(); ++a)
    if (t.anchors.points()[a].x > 0.006) run.states[a].normal_force *= 2;
  total = 0;
  for (const AnchorState& a : run.states) total += a.normal_force;
  run.Gather({}, Bound::kLagged);
  EXPECT_NEAR(BlockBound(run.friction), 0.45 * total, 1e-12 * total);
  double least = 1e9, most = 0;
  for (std::size_t i = 0; i < t.patch.pieces.size(); ++i) {
    const double ratio = run.friction.piece_bounds()[i] / t.patch.pieces[i].force;
    least = std::min(least, ratio), most = std::max(most, ratio);
  }
  EXPECT_NEAR(most / least, 2, 0.1);
}

TEST(PatchFriction, OtherBounds) {
  const Touching t(kBall, kBallPose, test::TiltedPose(), true);
  Stepper run(t, Coulomb(0.45));
  run.Gather({}, Bound::kElastic);
  EXPECT_NEAR(BlockBound(run.friction), 0.45 * t.patch.force, 1e-12 * t.patch.force);
  run.friction.piece_normal_forces().assign(t.patch.pieces.size(), 0.0);
  for (std::size_t i = 0; i < t.patch.pieces.size(); ++i) run.friction.piece_normal_forces()[i] = 0.01 * i;
  run.Gather({}, Bound::kGiven);
  for (std::size_t i = 0; i < t.patch.pieces.size(); ++i)
    EXPECT_DOUBLE_EQ(run.friction.piece_bounds()[i], 0.45 * (0.01 * i));
  // No history: no friction.
  run.Gather({}, Bound::kLagged);
  EXPECT_EQ(BlockBound(run.friction), 0);
}

TEST(PatchFriction, TheCoefficientFollowsTheSlipOfEachPiece) {
  const Touching t(kBlock, BlockPose(), test::TiltedPose(), false);
  FrictionParameters p = Coulomb(0.4);
  p.static_friction = 0.9;
  p.stribeck_speed = 0.02;
  Stepper run(t, p);
  const Vec3 along = t.X_WO.R.col(0), up = t.X_WO.R.col(2);
  run.Gather({{}, {}, {}}, Bound::kElastic);
  EXPECT_NEAR(BlockBound(run.friction), 0.9 * t.patch.force, 1e-12 * t.patch.force);
  run.Gather({0.02 * along + 0.7 * up, {}, {}}, Bound::kElastic);  // going away is not slipping
  EXPECT_NEAR(BlockBound(run.friction), (0.4 + 0.5 * std::exp(-1.0)) * t.patch.force, 1e-6 * t.patch.force);
  run.Gather({along, {}, {}}, Bound::kElastic);
  EXPECT_NEAR(BlockBound(run.friction), 0.4 * t.patch.force, 1e-12 * t.patch.force);
}

TEST(PatchFriction, NormalForcesOfTheBlocksReachTheAnchors) {
  for (bool pad_is_A : {false, true}) {
    const Touching t(kBall, kBallPose, test::TiltedPose(), pad_is_A);
    Stepper run(t, Coulomb(0.5));
    run.Gather({}, Bound::kElastic);
    std::vector<double> normal;
    double total = 0, stored = 0;
    for (std::size_t b = 0; b < t.patch.blocks.size(); ++b)
      normal.push_back(0.3 + 0.1 * b), total += normal.back();
    run.friction.Scatter(t.patch, run.states.data(), {}, 0.002, normal.data(),
                         [&](int, const AnchorState& s) {
                           EXPECT_EQ(s.partner, kPartner);
                           EXPECT_GE(s.normal_force, 0);
                           stored += s.normal_force;
                         });
    EXPECT_NEAR(stored, total, 1e-12 * total);
  }
}

TEST(PatchFriction, AnotherPartnerStartsAfresh) {
  const Touching t(kBlock, BlockPose(), test::TiltedPose(), false);
  Stepper run(t, Coulomb(0.5));
  for (AnchorState& a : run.states) a = Remembers({1e-4, 5e-5, 0}, 0.3, kPartner + 1);
  run.Gather({}, Bound::kLagged);
  for (const FrictionBlock& b : run.friction.blocks()) {
    EXPECT_EQ(b.stretch_W, Vec3{});
    EXPECT_EQ(b.bound, 0);  // the force was another's
  }
  // Half of the anchors are another's: neither their stretch nor their force counts.
  double own = 0;
  for (int a = 0; a < t.anchors.count(); a += 2) {
    run.states[a] = Remembers({-2e-5, 1e-5, 0}, 0.3);
    own += 0.3;
  }
  run.Gather({}, Bound::kLagged);
  EXPECT_NEAR(BlockBound(run.friction), 0.5 * own, 1e-12 * own);
  for (std::size_t i = 0; i < t.patch.pieces.size(); ++i) {
    const Vec3& s = run.friction.piece_stretches()[i];
    if (norm(s) > 0) {
      EXPECT_GT(dot(normalized(s), normalized(t.X_WO.R * Vec3{-2e-5, 1e-5, 0})), 1 - 1e-9);
    }
  }
}

TEST(PatchFriction, ForceBesideAnotherObjectIsNotLost) {
  // Some anchors under the block are held by something else. The normal force that the block got must come
  // back as its bound in the next step.
  const Touching t(kBlock, BlockPose(), test::TiltedPose(), false);
  Stepper run(t, Coulomb(0.5));
  const Vec3 middle = TransposeMul(t.X_WO.R, t.surface.centroid - t.X_WO.p);
  int held = 0;
  for (int a = 0; a < t.anchors.count(); ++a)
    if (norm(t.anchors.points()[a] - middle) < 0.009)
      run.states[a] = Remembers({}, 0.2, kPartner + 1), ++held;
  ASSERT_GT(held, 10);
  run.Gather({}, Bound::kElastic);
  std::vector<double> normal;
  for (const PatchBlock& b : t.patch.blocks) normal.push_back(b.force);
  std::vector<AnchorState> next = run.states;
  run.friction.Scatter(t.patch, run.states.data(), {}, 0.002, normal.data(),
                       [&](int a, const AnchorState& s) { next[a] = s; });
  run.states = next;
  run.Gather({}, Bound::kLagged);
  EXPECT_NEAR(BlockBound(run.friction), 0.5 * Sum(normal), 1e-9 * Sum(normal));
}

TEST(PatchFriction, SlidingSaturatesAtMuN) {
  for (const auto& [shape, pose] :
       {std::pair{kBlock, BlockPose(0.03)}, std::pair{kBall, kBallPose}, std::pair{kDisc, kDiscPose}})
    for (bool pad_is_A : {false, true})
      for (double breakaway : {1.0, 0.7, 0.0}) {
        const Touching t(shape, pose, test::TiltedPose(), pad_is_A);
        FrictionParameters p = Coulomb(0.5);
        p.breakaway = breakaway;
        Stepper run(t, p);
        const Vec3 along = t.X_WO.R * Vec3{0.8, -0.6, 0};
        // v is that of A relative to B.
        const RelativeMotion v{0.05 * along, {}, {}};
        for (int i = 0; i < 400; ++i) run.Step(v, 0.001, i ? Bound::kLagged : Bound::kElastic);
        run.Gather(v, Bound::kLagged);
        const bool flat = !std::holds_alternative<Sphere>(shape);
        double normal = 0;
        for (const PatchBlock& b : t.patch.blocks) normal += b.force;
        for (bool pieces : {true, false}) {
          const Vec3 f = Force(run.friction, t.patch, pieces).force;
          // Flat: to rounding. On a ball the tangents lean: the middle of the patch has most of the force,
          // its rim leans by sqrt(2 * 1.5 / 20) rad.
          EXPECT_NEAR(-dot(f, along), 0.5 * normal,
                      (flat ? (breakaway == 1 ? 1e-3 : 5e-3) : 0.06) * 0.5 * normal)
              << "breakaway " << breakaway;
          EXPECT_LT(norm(f + 0.5 * normal * along),
                    (flat ? 0.02 : 0.08) * normal);  // the block leans by 0.03
        }
        for (std::size_t b = 0; b < t.patch.blocks.size(); ++b) {
          const FrictionBlock& block = run.friction.blocks()[b];
          EXPECT_LE(block.stiffness * norm(block.stretch_W), block.bound * 1.3 + 1e-9);
        }
      }
}

TEST(PatchFriction, StickingAndBackLeavesNothing) {
  const Touching t(kBlock, BlockPose(), test::TiltedPose(), false);
  Stepper run(t, Coulomb(0.8));
  const RelativeMotion there{t.X_WO.R * Vec3{0.01, 0.004, 0}, {}, {}}, back{-there.linear, {}, {}};
  run.Step({}, 0.001, Bound::kElastic);
  for (int i = 0; i < 5; ++i) run.Step(there, 0.001);
  run.Gather({}, Bound::kLagged);
  const Wrench w = Force(run.friction, t.patch, false);
  EXPECT_LT(norm(w.force + 0.7 * t.patch.stiffness * 0.005 * there.linear), 1e-9 * norm(w.force));
  for (int i = 0; i < 5; ++i) run.Step(back, 0.001);
  run.Gather({}, Bound::kLagged);
  EXPECT_LT(norm(Force(run.friction, t.patch, false).force), 1e-12 * norm(w.force));
}

TEST(PatchFriction, TorsionOpposesTheSpin) {
  for (bool pad_is_A : {false, true})
    for (double spin : {2.0, -2.0}) {
      const Touching t(kDisc, kDiscPose, test::TiltedPose(), pad_is_A, 1500);
      Stepper run(t, Coulomb(0.5));
      const Vec3 n = t.X_WO.R.col(2), c = t.surface.centroid;
      const RelativeMotion v{{}, spin * n, c};
      for (int i = 0; i < 300; ++i) run.Step(v, 0.001, i ? Bound::kLagged : Bound::kElastic);
      run.Gather(v, Bound::kLagged);
      for (bool pieces : {true, false}) {
        const Wrench w = Force(run.friction, t.patch, pieces);
        const double torque = dot(w.torque - cross(c, w.force), n);
        // A disc that spins under even pressure: int mu p r dA = 2/3 mu N R. Anchors smear the pattern over
        // their spacing; sixteen points stand for it to a tenth.
        const double expected = -std::copysign(2.0 / 3 * 0.5 * t.patch.force * 0.012, spin);
        EXPECT_NEAR(torque / expected, 1, pieces ? 0.06 : 0.12) << pieces;
        EXPECT_LT(norm(w.force), 0.05 * 0.5 * t.patch.force);
      }
    }
}

TEST(PatchFriction, TheOwnerMayBeAOrB) {
  const Touching as_A(kBlock, BlockPose(0.02), test::TiltedPose(), true),
      as_B(kBlock, BlockPose(0.02), test::TiltedPose(), false);
  Stepper a(as_A, Coulomb(0.5)), b(as_B, Coulomb(0.5));
  // Motion of the block over the pad: the pad is B in the second.
  const RelativeMotion block_over_pad{as_A.X_WO.R * Vec3{0.02, 0.01, 0}, as_A.X_WO.R * Vec3{0, 0, 0.7},
                                      as_A.surface.centroid};
  const RelativeMotion opposite{-block_over_pad.linear, -block_over_pad.angular, block_over_pad.at};
  for (int i = 0; i < 60; ++i) {
    a.Step(opposite, 0.001, i ? Bound::kLagged : Bound::kElastic);
    b.Step(block_over_pad, 0.001, i ? Bound::kLagged : Bound::kElastic);
  }
  double longest = 0;
  for (int k = 0; k < as_A.anchors.count(); ++k) longest = std::max(longest, norm(a.states[k].stretch_O));
  ASSERT_GT(longest, 1e-5);
  for (int k = 0; k < as_A.anchors.count(); ++k) {
    EXPECT_LT(norm(a.states[k].stretch_O - b.states[k].stretch_O), 1e-6 * longest) << k;
    EXPECT_NEAR(a.states[k].normal_force, b.states[k].normal_force, 1e-6 * as_A.patch.force);
  }
  a.Gather(opposite, Bound::kLagged);
  b.Gather(block_over_pad, Bound::kLagged);
  const Wrench on_A = Force(a.friction, as_A.patch, true), on_B = Force(b.friction, as_B.patch, true);
  EXPECT_LT(norm(on_A.force + on_B.force), 1e-6 * norm(on_A.force));
  EXPECT_LT(norm(on_A.torque + on_B.torque), 1e-6 * norm(on_A.torque));
}

TEST(PatchFriction, TurnsWithTheScene) {
  const Pose X = test::RandomPose(9, 4, 0.3);
  // One large face; the facets of a ball may fall on either side of a border of the grid, by rounding.
  const Touching still(kBlock, BlockPose(0.02), {}, false), turned(kBlock, BlockPose(0.02), X, false);
  Stepper a(still, Coulomb(0.5)), b(turned, Coulomb(0.5));
  const RelativeMotion v{{0.02, 0.01, 0}, {0.3, -0.2, 0.8}, still.surface.centroid};
  const RelativeMotion Xv{X.R * v.linear, X.R * v.angular, X * v.at};
  for (int i = 0; i < 40; ++i) {
    a.Step(v, 0.001, i ? Bound::kLagged : Bound::kElastic);
    b.Step(Xv, 0.001, i ? Bound::kLagged : Bound::kElastic);
  }
  for (int k = 0; k < still.anchors.count(); ++k)
    EXPECT_LT(norm(a.states[k].stretch_O - b.states[k].stretch_O), 1e-9) << k;
  a.Gather(v, Bound::kLagged);
  b.Gather(Xv, Bound::kLagged);
  const Wrench w = Force(a.friction, still.patch, false), Xw = Force(b.friction, turned.patch, false);
  ASSERT_GT(norm(w.force), 0.1);
  EXPECT_LT(norm(Xw.force - X.R * w.force), 1e-5 * norm(w.force));
  EXPECT_LT(norm((Xw.torque - cross(X.p, Xw.force)) - X.R * w.torque), 1e-5 * norm(w.force) * 0.02);
}

TEST(PatchFriction, StretchTurnsWithTheOwner) {
  // A held object and its pad turn together: the force turns with them.
  const Touching before(kBlock, BlockPose(), {}, false),
      after(kBlock, BlockPose(), test::TiltedPose(), false);
  Stepper run(before, Coulomb(0.8));
  run.Step({}, 0.001, Bound::kElastic);
  run.Step({{0.03, 0.02, 0}, {}, {}}, 0.001);
  run.Gather({}, Bound::kLagged);
  const Vec3 f = Force(run.friction, before.patch, false).force;
  ASSERT_GT(norm(f), 0.01);
  PatchFriction friction;
  friction.Gather(after.patch, after.anchors, run.states.data(), kPartner, after.X_WO, false, Coulomb(0.8),
                  {}, Bound::kLagged);
  EXPECT_LT(norm(Force(friction, after.patch, false).force - after.X_WO.R * f), 1e-9 * norm(f));
}

TEST(PatchFriction, AnEmptyPatchGivesNothingAndStoresNothing) {
  const Touching t(kBlock, BlockPose(), test::TiltedPose(), false);
  Stepper run(t, Coulomb(0.5));
  for (AnchorState& a : run.states) a = Remembers({1e-5, 0, 0}, 0.1);
  run.Gather({}, Bound::kLagged);
  const Patch nothing;
  run.friction.Gather(nothing, t.anchors, run.states.data(), kPartner, t.X_WO, false, Coulomb(0.5), {},
                      Bound::kLagged);
  EXPECT_TRUE(run.friction.blocks().empty());
  run.friction.Scatter(nothing, run.states.data(), {}, 0.001, nullptr,
                       [](int, const AnchorState&) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace taxel
