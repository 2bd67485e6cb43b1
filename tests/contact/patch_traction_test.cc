// Friction of a patch as a field over it:
//   - a uniform stretch is a uniform ratio, along it and tangential; its integral is the friction of the
//   blocks
//   - what the solver gives in place of the stretch is spread, by what the pieces could still take; the sum
//   is kept
//     as far as the bounds allow
//   - blocks that lost their normal force and still rub: no ratio without bound
//   - sliding everywhere: mu against the slip, all of the bound in use
//   - at rest: nothing; beside the patch: its mean
//   - a ball pressed and moved a little: the rim is nearer its bound than the middle
//   - the owner may be A or B; everything turned gives everything turned
#include "taxel/contact/patch_traction.h"

#include <gtest/gtest.h>

#include "scenes.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Backed;

constexpr double kPartner = 7, kDamping = 1e-3;
using Bound = PatchFriction::Bound;

// A pad with anchors on its skin, something pressed into it, and friction by its anchors' stretch.
struct Rubbing {
  Body pad = Body(Box{{0.08, 0.06, 0.01}}, Backed(5e4));
  Body object;
  Pose X_WO;
  bool owner_is_A;
  Anchors anchors;
  ContactSurface surface;
  Patch patch;
  FrictionParameters parameters;
  std::vector<AnchorState> states;
  PatchFriction friction;
  PatchTraction traction;
  std::vector<double> normal;
  std::vector<Vec3> force;

  Rubbing(const Primitive& shape, const Pose& X_OB, const Pose& X, bool pad_is_A, double mu, int count = 400)
      : object(shape, {}), X_WO(X), owner_is_A(pad_is_A), anchors(Skin(), count, 3), states(anchors.count()) {
    surface = pad_is_A ? ComputeContact(pad, X, object, X * X_OB) : ComputeContact(object, X * X_OB, pad, X);
    PatchOptions options;
    options.piece_size = anchors.spacing();
    patch.Build(surface, X.R, options);
    parameters.static_friction = parameters.dynamic_friction = mu;
    for (const PatchBlock& b : patch.blocks) normal.push_back(b.force);
    Step({}, 1e-3, Bound::kElastic);
  }
  static TriangleMesh Skin() {
    TriangleMesh m;
    m.vertices = {{-0.04, -0.03, 0.005}, {0.04, -0.03, 0.005}, {0.04, 0.03, 0.005}, {-0.04, 0.03, 0.005}};
    m.triangles = {{0, 1, 2}, {0, 2, 3}};
    return m;
  }
  // Moves the other body by v h relative to the pad, in the pad's frame.
  void Step(const Vec3& v_O, double h, Bound bound = Bound::kLagged) {
    RelativeMotion v;
    v.linear = (owner_is_A ? -1.0 : 1.0) * (X_WO.R * v_O);
    friction.Gather(patch, anchors, states.data(), kPartner, X_WO, owner_is_A, parameters, v, bound);
    std::vector<AnchorState> next(states.size());
    friction.Scatter(patch, states.data(), v, h, normal.data(),
                     [&](int a, const AnchorState& s) { next[a] = s; });
    states = next;
  }
  // Friction as the stretch says, at rest; then what the solver says instead.
  void Pull(const std::vector<Vec3>* solver = nullptr) {
    friction.Gather(patch, anchors, states.data(), kPartner, X_WO, owner_is_A, parameters, {},
                    Bound::kLagged);
    force.assign(patch.blocks.size(), Vec3{});
    for (std::size_t i = 0; i < patch.pieces.size(); ++i) {
      Vec3 f = -friction.piece_stiffnesses()[i] * friction.piece_stretches()[i];
      const double bound = friction.piece_bounds()[i];
      if (norm(f) > bound) f *= bound / norm(f);
      force[patch.pieces[i].block] += f;
    }
    if (solver) force = *solver;
    traction.Set(patch, friction, anchors, X_WO, owner_is_A, kDamping, normal.data(), force.data());
  }
  Vec3 Total() const {
    Vec3 sum;
    for (const Vec3& f : force) sum += f;
    return sum;
  }
  double Normal() const {
    double sum = 0;
    for (double n : normal) sum += n;
    return sum;
  }
  // The field over the pieces, each with its normal force.
  Vec3 Integral() const {
    Vec3 sum;
    for (const PatchPiece& p : patch.pieces) sum += p.force * traction.At(p.p_W, p.n_W).ratio_W;
    return sum;
  }
};

const Primitive kBlock = Box{{0.03, 0.022, 0.02}};
const Pose kBlockPose{RotationAbout({0, 0, 1}, 0.3), {0.006, -0.005, 0.005 + 0.01 - 0.001}};
const Primitive kBall = Sphere{0.02};
const Pose kBallPose = At({-0.004, 0.006, 0.005 + 0.02 - 0.0015});

TEST(PatchTraction, AUniformStretchIsAUniformRatio) {
  for (bool pad_is_A : {false, true})
    for (const Pose& X : {Pose{}, test::TiltedPose()}) {
      Rubbing r(kBlock, kBlockPose, X, pad_is_A, 0.8);
      const Vec3 moved{2e-5, -1e-5, 0};
      r.Step(moved / 1e-3, 1e-3);
      r.Pull();
      const Vec3 total = r.Total();
      ASSERT_GT(norm(total), 0.01 * r.Normal());
      ASSERT_LT(norm(total), 0.7 * r.Normal());
      // On A, against its motion: the pad is dragged along, the block held back.
      const Vec3 against = (pad_is_A ? 1.0 : -1.0) * (X.R * normalized(moved));
      EXPECT_GT(dot(normalized(total), against), 0.9999);
      for (const PatchPiece& p : r.patch.pieces) {
        const Traction t = r.traction.At(p.p_W, p.n_W);
        EXPECT_NEAR(dot(t.ratio_W, p.n_W), 0, 1e-12);
        EXPECT_NEAR(t.capacity, 0.8, 0.01);
        if (dot(p.n_W, r.patch.mean_normal) > 0.99) {
          EXPECT_LT(norm(t.ratio_W - total / r.Normal()), 0.02 * norm(total) / r.Normal());
        }
      }
      EXPECT_LT(norm(r.Integral() - total), 0.01 * norm(total));
    }
}

TEST(PatchTraction, WhatTheSolverGivesIsSpread) {
  // Blocks with forces of their own, far from what the stretch says (nothing): the anchors keep their sum.
  for (bool pad_is_A : {false, true}) {
    Rubbing r(kBlock, kBlockPose, test::TiltedPose(), pad_is_A, 0.8);
    std::vector<Vec3> given;
    for (std::size_t b = 0; b < r.patch.blocks.size(); ++b) {
      const PatchBlock& block = r.patch.blocks[b];
      Vec3 f = cross(block.n_W, Vec3{0.3, 0.1 * b, 0.5});
      given.push_back(0.2 * block.force * f);
    }
    r.Pull(&given);
    EXPECT_LT(norm(r.Integral() - r.Total()), 0.02 * norm(r.Total()));
    for (const PatchPiece& p : r.patch.pieces) {
      const Traction t = r.traction.At(p.p_W, p.n_W);
      EXPECT_LT(norm(t.ratio_W), t.capacity * (1 + 1e-9));
    }
  }
}

TEST(PatchTraction, ABlockWithoutItsNormalForceRubsNoMoreThanItDid) {
  // The first blocks were let go by the solver in this step; their friction is still that of the step before.
  for (const double left : {0.0, 1e-9}) {
    Rubbing r(kBlock, kBlockPose, test::TiltedPose(), true, 0.8);
    std::vector<Vec3> given;
    for (const PatchBlock& block : r.patch.blocks)
      given.push_back(0.6 * block.force * normalized(cross(block.n_W, Vec3{0.3, 0.1, 0.5})));
    for (std::size_t b = 0; b < r.normal.size() / 2; ++b) r.normal[b] *= left;
    r.Pull(&given);
    const double mean = r.Normal() / r.patch.force;
    for (const PatchPiece& p : r.patch.pieces)
      EXPECT_LT(mean * norm(r.traction.At(p.p_W, p.n_W).ratio_W), 2 * 0.8);
    EXPECT_LT(mean * norm(r.Integral()), 2 * norm(r.Total()));
  }
}

TEST(PatchTraction, SlidingEverywhere) {
  for (const auto& [shape, pose] : {std::pair{kBlock, kBlockPose}, std::pair{kBall, kBallPose}})
    for (bool pad_is_A : {false, true}) {
      Rubbing r(shape, pose, test::TiltedPose(), pad_is_A, 0.5);
      const Vec3 v{0.3, 0.4, 0};
      for (int i = 0; i < 20; ++i) r.Step(v, 2e-3);
      r.Pull();
      EXPECT_NEAR(norm(r.Total()), 0.5 * r.Normal(), 0.02 * r.Normal());
      const Vec3 against = (pad_is_A ? 1.0 : -1.0) * (r.X_WO.R * normalized(v));
      for (const PatchPiece& p : r.patch.pieces) {
        if (dot(p.n_W, r.patch.mean_normal) < 0.95) continue;
        const Traction t = r.traction.At(p.p_W, p.n_W);
        EXPECT_NEAR(norm(t.ratio_W), t.capacity, 0.02 * t.capacity);
        EXPECT_NEAR(t.capacity, 0.5, 0.02);
        // On the ball it leans with the surface.
        const Vec3 leaning = normalized(against - dot(against, p.n_W) * p.n_W);
        EXPECT_GT(dot(normalized(t.ratio_W), leaning), 0.995);
      }
    }
}

TEST(PatchTraction, AtRestNothingPulls) {
  Rubbing r(kBall, kBallPose, test::TiltedPose(), false, 0.6);
  r.Pull();
  for (const PatchPiece& p : r.patch.pieces) {
    const Traction t = r.traction.At(p.p_W, p.n_W);
    EXPECT_EQ(norm(t.ratio_W), 0);
    EXPECT_GT(t.capacity, 0.5);
  }
}

TEST(PatchTraction, BesideThePatchItsMean) {
  Rubbing r(kBall, kBallPose, test::TiltedPose(), true, 0.6);
  r.Step({0.01, 0, 0}, 1e-3);
  r.Pull();
  const Vec3 n = r.X_WO.R * Vec3{0, 0, 1};
  const Traction away = r.traction.At(r.X_WO * Vec3{0.038, -0.028, 0.005}, -1.0 * n);
  EXPECT_LT(norm(away.ratio_W - r.Total() / r.Normal()), 0.05 * norm(away.ratio_W));
  EXPECT_NEAR(away.capacity, 0.6, 0.01);
}

TEST(PatchTraction, TheRimIsNearerItsBound) {
  // Moved by less than it takes to slide: where little presses, that is much.
  for (bool pad_is_A : {false, true}) {
    Rubbing r(kBall, kBallPose, test::TiltedPose(), pad_is_A, 0.6, 3000);
    for (int i = 0; i < 5; ++i) r.Step({0.08, 0.02, 0}, 1e-3);
    r.Pull();
    const auto used = [&](double radius) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) {
        const double a = 0.3927 * k;
        const Vec3 p = r.X_WO * Vec3{-0.004 + radius * std::cos(a), 0.006 + radius * std::sin(a), 0.0045};
        const Traction t = r.traction.At(p, (pad_is_A ? -1.0 : 1.0) * (r.X_WO.R * Vec3{0, 0, 1}));
        sum += norm(t.ratio_W) / t.capacity / 16;
      }
      return sum;
    };
    // The contact's radius is sqrt(2 R d) = 7.7 mm.
    EXPECT_LT(used(0), used(0.004));
    EXPECT_LT(used(0.004), used(0.007));
    EXPECT_LT(used(0), 0.5);
    EXPECT_GT(used(0.007), 0.8);
  }
}

TEST(PatchTraction, TurnsWithEverything) {
  Rubbing a(kBall, kBallPose, {}, false, 0.6), b(kBall, kBallPose, test::TiltedPose(), false, 0.6);
  for (Rubbing* r : {&a, &b}) {
    r->Step({0.04, -0.02, 0}, 1e-3);
    r->Pull();
  }
  for (const Vec3& p : {Vec3{-0.004, 0.006, 0.004}, Vec3{0.001, 0.004, 0.0045}, Vec3{-0.008, 0.01, 0.0047}}) {
    const Traction ta = a.traction.At(p, {0, 0, 1}),
                   tb = b.traction.At(test::TiltedPose() * p, test::TiltedPose().R * Vec3{0, 0, 1});
    // The facets of the ball do not turn with it.
    EXPECT_LT(norm(test::TiltedPose().R * ta.ratio_W - tb.ratio_W), 1e-3);
    EXPECT_NEAR(ta.capacity, tb.capacity, 3e-3);
  }
}

}  // namespace
}  // namespace taxel
