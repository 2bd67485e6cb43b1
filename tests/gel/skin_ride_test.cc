// Cases: a point rides on the nearest particle and turns and stretches with it; its weights sum to 1 and are
// exact for linear fields, in a block beside the origin and across its border; points away from the gel are
// refused by name.
#include "taxel/gel/skin_ride.h"

#include <gtest/gtest.h>

#include <limits>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

const std::vector<Vec3> kParticles{{1.3, -2.2, 0.4}, {4.45, 0.6, -3.55}, {-6.1, 3.7, 7.9}};
const std::vector<Vec3> kPoints{{1.5, -2.4, 0.9}, {4.2, 0.9, -3.4}, {-6.0, 3.2, 8.3}};
const float kF[9] = {1.1f, 0.2f, -0.1f, 0.05f, 0.9f, 0.3f, -0.2f, 0.1f, 1.2f};

ParticleBlocks Stretched() {
  ParticleBlocks out;
  out.Assign(kParticles);
  for (std::size_t p = 0; p < kParticles.size(); ++p) {
    GelParticle q = out.Get(p);
    std::copy(kF, kF + 9, q.F);
    out.Set(p, q);
  }
  ThreadCrew crew(1);
  out.Sort(&crew);
  return out;
}

TEST(SkinRide, FollowsItsParticle) {
  const ParticleBlocks particles = Stretched();
  const std::vector<SkinRide> rides = RideOnNearest(kPoints, kParticles, "contact");
  ASSERT_EQ(rides.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rides[i].particle, static_cast<int>(i));
    const Vec3 r = kPoints[i] - kParticles[i], x = SkinCarrier(particles, rides[i]).place();
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(x[k], kParticles[i][k] + kF[3 * k] * r.x + kF[3 * k + 1] * r.y + kF[3 * k + 2] * r.z, 2e-6);
  }
}

TEST(SkinRide, WeightsAreExactForLinearFields) {
  const ParticleBlocks particles = Stretched();
  for (const SkinRide& ride : RideOnNearest(kPoints, kParticles, "contact")) {
    const SkinCarrier carrier(particles, ride);
    SkinNodes s;
    carrier.Hang(&s);
    double sum = 0;
    Vec3 at;
    for (int n = 0; n < 27; ++n) {
      const GridBlock& b = particles.blocks()[static_cast<std::size_t>(s.node[n] / kBlockNodes)];
      const int inside = s.node[n] % kBlockNodes;
      const Vec3 node{4.0 * b.at[0] + inside / 16, 4.0 * b.at[1] + inside / 4 % 4,
                      4.0 * b.at[2] + inside % 4};
      sum += s.w[n];
      at += double(s.w[n]) * node;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_NEAR(norm(at - carrier.place()), 0, 5e-6);
  }
}

TEST(SkinRide, RefusesPointsAwayFromTheGel) {
  const auto ride = [](const Vec3& p, const char* what) { RideOnNearest({kPoints[0], p}, kParticles, what); };
  ExpectError([&] { ride({1.3, -2.2, 1.5}, "held"); }, {"held point 1", "more than a cell"});
  ExpectError(
      [&] {
        ride({0, std::numeric_limits<double>::quiet_NaN(), 0}, "contact");
      },
      {"contact point 1"});
}

}  // namespace
}  // namespace taxel
