// Cases: points ride on linear velocities exactly; what the nodes gain the objects lose, impulse and moment;
// after the rounds no point goes into its object; the nearest of two objects presses; an object that turns;
// bonds follow the hand; points away from the gel are refused; the same on three threads.
#include "taxel/gel/gel_skin.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"
#include "taxel/gel/gel_core.h"
#include "taxel/shape/to_kernel_shape.h"

namespace taxel {
using namespace internal;
namespace {

const float kNoGravity[3] = {0, 0, 0};

/// 4 x 4.5 x 3 cells, the top face at z = 3.1, the bottom at 0.1.
struct Scene {
  std::vector<Vec3> x, top, bottom;
  std::unique_ptr<GelCore> core;
  GelSkin skin;
  std::vector<MarkerDistance> distances;
  std::vector<SkinObject> objects;
  std::vector<GelSkinLoad> loads;
  GelSkinLoad hand;

  explicit Scene(int threads = 1) {
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 9; ++j) {
        const Vec3 p{0.5 * i + 0.35, 0.5 * j - 1.6, 0.1};
        for (int k = 0; k < 6; ++k) x.push_back(p + Vec3{0, 0, 0.5 * k + 0.25});
        bottom.push_back(p), top.push_back(p + Vec3{0, 0, 3});
      }
    core = std::make_unique<GelCore>(x, TransferOptions{}, threads);
  }
  void Assign(bool bonds) { skin.Assign(top, bonds ? bottom : std::vector<Vec3>{}, x); }
  void Move(const std::function<Vec3(const Vec3&)>& v) {
    for (std::size_t p = 0; p < x.size(); ++p) {
      GelParticle q = core->particles().Get(p);
      const Vec3 u = v(x[p]), o = v({});
      const Vec3 g[3] = {v({1, 0, 0}) - o, v({0, 1, 0}) - o, v({0, 0, 1}) - o};
      for (int k = 0; k < 3; ++k) {
        q.v[k] = static_cast<float>(u[k]);
        for (int j = 0; j < 3; ++j) q.C[3 * k + j] = static_cast<float>(g[j][k]);
      }
      core->particles().Set(p, q);
    }
    core->Scatter(kNoGravity);
  }
  void Add(const Primitive& shape, const Pose& now, const Pose& before, double friction) {
    distances.reserve(4);
    distances.emplace_back(shape);
    SkinObject o;
    o.shape = ToKernelShape(distances.back(), "object");
    o.radius = std::numeric_limits<double>::infinity();
    o.friction = friction;
    o.X = ToKernelPose(now), o.before = ToKernelPose(before);
    objects.push_back(o);
  }
  void Solve(int rounds) {
    skin.Solve(core->particles(), &core->grid(), objects, rounds, &core->crew(), &loads, &hand);
  }
  /// The points go on with the nodes.
  void Ride() { core->Gather(nullptr, ""); }
  Vec3 At(std::size_t point) const { return skin.position(point, core->particles()); }
  /// Momentum of the grid and its moment about the origin.
  std::pair<Vec3, Vec3> Momentum() {
    Vec3 p, L;
    const auto& blocks = core->particles().blocks();
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (int n = 0; n < kBlockNodes; ++n) {
        const float* v = core->grid().node(static_cast<int>(b), n / 16, n / 4 % 4, n % 4);
        const Vec3 at{4.0 * blocks[b].at[0] + n / 16, 4.0 * blocks[b].at[1] + n / 4 % 4,
                      4.0 * blocks[b].at[2] + n % 4};
        const Vec3 m = double(v[3]) * Vec3{v[0], v[1], v[2]};
        p += m, L += cross(at, m);
      }
    return {p, L};
  }
};

/// Faces down at height z, turned by a little about a tilted axis.
Pose FacingDown(double z, double tilt = 0) {
  return {RotationAbout(normalized({1, 0.4, 0}), tilt) * RotationAbout({1, 0, 0}, 3.141592653589793),
          {2, 0.5, z}};
}

TEST(GelSkin, PointsRideOnLinearVelocities) {
  Scene s;
  s.Assign(true);
  const auto field = [](const Vec3& p) {
    return Vec3{0.02 * p.y - 0.01, 0.03 * p.z + 0.01 * p.x, -0.02 * p.x + 0.1};
  };
  s.Move(field);
  s.Ride();  // bonds are not solved for
  for (std::size_t k = 0; k < s.top.size(); ++k) {
    EXPECT_LT(norm(s.At(k) - s.top[k] - field(s.top[k])), 2e-6);
    EXPECT_LT(norm(s.At(s.top.size() + k) - s.bottom[k] - field(s.bottom[k])), 2e-6);
  }
}

TEST(GelSkin, ObjectsLoseWhatTheNodesGain) {
  for (const double friction : {0.0, 0.3, -1.0}) {
    Scene s;
    s.Assign(false);
    s.Move([](const Vec3& p) { return Vec3{0.05 + 0.01 * p.y, -0.02, 0.08 + 0.01 * p.x}; });
    s.Add(HalfSpace{}, FacingDown(3.12, 0.02), FacingDown(3.14, 0.01), friction);
    const auto [p0, L0] = s.Momentum();
    s.Solve(4);
    const auto [p1, L1] = s.Momentum();
    ASSERT_EQ(s.loads.size(), 1u);
    EXPECT_GT(s.loads[0].force.z, 1);
    EXPECT_LT(norm(s.loads[0].force + (p1 - p0)), 1e-5 * norm(p1 - p0));
    EXPECT_LT(norm(s.loads[0].torque + (L1 - L0)), 1e-5 * norm(L1 - L0));
    Vec3 sum;
    for (const auto& l : s.skin.impulses()) sum += Vec3{l.x, l.y, l.z};
    EXPECT_LT(norm(sum + s.loads[0].force), 1e-5 * norm(sum));
    for (const int o : s.skin.objects()) EXPECT_EQ(o, 0);
  }
}

TEST(GelSkin, ContactHoldsAfterSomeRounds) {
  // A round takes out what is uniform; the rest converges.
  for (const double friction : {0.0, -1.0}) {
    Scene s;
    s.Assign(false);
    s.Move([](const Vec3& p) { return Vec3{0.04, 0.01, 0.08 + 0.01 * p.x}; });
    s.Add(HalfSpace{}, FacingDown(3.1), FacingDown(3.1), friction);
    s.Solve(60);
    s.Ride();
    for (std::size_t k = 0; k < s.top.size(); ++k) {
      const Vec3 moved = s.At(k) - s.top[k];
      EXPECT_NEAR(moved.z, 0, 3e-3);
      if (friction < 0) {
        EXPECT_NEAR(moved.x, 0, 3e-3);
      } else {
        EXPECT_GT(moved.x, 0.02);
      }
    }
  }
}

TEST(GelSkin, AUniformMotionEndsInOneRound) {
  Scene s;
  s.Assign(false);
  s.Move([](const Vec3&) { return Vec3{0, 0, 0.1}; });
  s.Add(HalfSpace{}, FacingDown(3.14), FacingDown(3.14), 0);  // 0.04 may still be gone
  s.Solve(1);
  s.Ride();
  double mean = 0;
  for (std::size_t k = 0; k < s.top.size(); ++k)
    mean += (s.At(k) - s.top[k]).z / static_cast<double>(s.top.size());
  EXPECT_NEAR(mean, 0.04, 0.004);
}

TEST(GelSkin, TheNearestObjectPresses) {
  Scene s;
  s.Assign(false);
  s.Move([](const Vec3&) { return Vec3{0, 0, 0.3}; });
  // A ball over each end, and one that is too far.
  for (const Vec3& at : {Vec3{0.5, 0, 6.2}, Vec3{3.5, 0, 6.2}, Vec3{2, 0, 9}})
    s.Add(Sphere{3}, {{}, at}, {{}, at}, 0);
  s.Solve(2);
  for (std::size_t k = 0; k < s.top.size(); ++k) {
    const double a = norm(s.top[k] - Vec3{0.5, 0, 6.2}) - 3, b = norm(s.top[k] - Vec3{3.5, 0, 6.2}) - 3;
    const int wanted = std::min(a, b) >= 0.5 ? -1 : (a <= b ? 0 : 1);
    if (std::fabs(a - b) > 1e-9) {
      EXPECT_EQ(s.skin.objects()[k], wanted);
    }
    if (wanted < 0) {
      EXPECT_EQ(s.skin.impulses()[k], Triple<float>{});
    }
  }
  EXPECT_GT(s.loads[0].force.z, 0);
  EXPECT_GT(s.loads[1].force.z, 0);
  EXPECT_EQ(s.loads[2].force, Vec3{});
}

TEST(GelSkin, BondsFollowTheHand) {
  Scene s;
  s.Assign(true);
  s.Move([](const Vec3&) { return Vec3{0, 0, 0}; });
  const Pose before{}, now{RotationAbout(normalized({0.2, 1, 0.5}), 0.01), {0.03, -0.02, 0.05}};
  s.skin.MoveBonds(ToKernelPose(now), ToKernelPose(before));
  const auto [p0, L0] = s.Momentum();
  s.Solve(60);
  EXPECT_LT(norm(s.hand.force + (s.Momentum().first - p0)), 1e-4 * norm(s.hand.force));
  EXPECT_LT(norm(s.hand.torque + (s.Momentum().second - L0)), 1e-4 * norm(s.hand.torque));
  s.Ride();
  for (std::size_t k = 0; k < s.bottom.size(); ++k)
    EXPECT_LT(norm(s.At(s.top.size() + k) - now * s.bottom[k]), 3e-3);
  EXPECT_EQ(s.skin.contact_points(), s.top.size());
}

TEST(GelSkin, PointsAwayFromTheGelAreRefused) {
  Scene s;
  s.Assign(false);
  ExpectError(
      [&] {
        s.skin.Assign({s.top[0], {2, 0.4, 6.5}}, {}, s.x);
      },
      {"contact point 1", "more than a cell", "surface"});
  ExpectError(
      [&] {
        s.skin.Assign(s.top, {s.bottom[0], s.bottom[1], {0, std::nan(""), 0}}, s.x);
      },
      {"held point 2"});
  EXPECT_EQ(s.skin.size(), s.top.size());  // as before
}

TEST(GelSkin, TheSameOnThreeThreads) {
  std::vector<Vec3> wanted;
  for (const int threads : {1, 3}) {
    Scene s(threads);
    s.Assign(true);
    s.Move([](const Vec3& p) { return Vec3{0.05, 0.01 * p.y, 0.1}; });
    s.Add(Sphere{5}, {{}, {1.3, 0.2, 8}}, {{}, {1.3, 0.2, 8.1}}, 0.4);
    s.Solve(3);
    s.Ride();
    std::vector<Vec3> now;
    for (std::size_t k = 0; k < s.skin.size(); ++k) now.push_back(s.At(k));
    if (wanted.empty()) wanted = now;
    EXPECT_EQ(now, wanted);
  }
}

TEST(GelSkin, WithoutPointsNothingHappens) {
  Scene s;
  s.Move([](const Vec3&) { return Vec3{0, 0, 0.1}; });
  s.Add(HalfSpace{}, FacingDown(3), FacingDown(3), 0.5);
  const std::vector<float> before = s.core->grid().nodes();
  s.Solve(2);
  EXPECT_EQ(s.core->grid().nodes(), before);
  ASSERT_EQ(s.loads.size(), 1u);
  EXPECT_EQ(s.loads[0].force, Vec3{});
}

}  // namespace
}  // namespace taxel
