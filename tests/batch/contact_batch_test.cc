// ContactBatch:
//   - the summary of each query is that of the query alone, in order
//   - 1, 2, 5 and all threads give the same bits
//   - one pose stands for all, on either side; no pose at all gives no result
//   - errors: unequal numbers, negative threads; one wrong pose among many comes out of the threads
#include "taxel/batch/contact_batch.h"

#include <gtest/gtest.h>

#include <limits>

#include "../contact/scenes.h"
#include "../shape/expect_error.h"

namespace taxel {
namespace {

using test::Soft;

struct Scene {
  Body pad{Box{{0.08, 0.06, 0.018}}, Soft(3e4)};
  Body ball{Sphere{0.02}, Soft(8e4)};
  std::vector<Pose> X_WA, X_WB;

  explicit Scene(int n) {
    for (int i = 0; i < n; ++i) {
      X_WA.push_back(test::RandomPose(3, i, 0.2));
      // Some of them apart.
      X_WB.push_back(X_WA[i] *
                     Pose{test::RandomRotation(4, i),
                          {0.03 * std::sin(i), 0.02 * std::cos(i), test::Uniform(5, i, 0.018, 0.032)}});
    }
  }
};

void ExpectSameBits(const ContactSummary& a, const ContactSummary& b) {
  EXPECT_EQ(a.wrench_on_A.force, b.wrench_on_A.force);
  EXPECT_EQ(a.wrench_on_A.torque, b.wrench_on_A.torque);
  EXPECT_EQ(a.area, b.area);
  EXPECT_EQ(a.normal_force, b.normal_force);
  EXPECT_EQ(a.max_pressure, b.max_pressure);
  EXPECT_EQ(a.centroid, b.centroid);
  EXPECT_EQ(a.center_of_pressure, b.center_of_pressure);
  EXPECT_EQ(a.num_faces, b.num_faces);
}

void ExpectSummaryOf(const ContactSurface& s, const ContactSummary& summary) {
  ExpectSameBits(summary, {s.wrench_on_A, s.area, s.normal_force, s.max_pressure, s.centroid,
                           s.center_of_pressure, s.num_faces()});
}

TEST(ContactBatch, IsTheListOfSingleQueriesOnAnyNumberOfThreads) {
  const Scene scene(101);  // no multiple of the chunk
  ContactOptions options;
  options.facets_across = 6;
  const auto one = ContactBatch(scene.pad, scene.X_WA, scene.ball, scene.X_WB, options, 1);
  ASSERT_EQ(one.size(), 101u);
  int touching = 0;
  for (int i = 0; i < 101; ++i) {
    ExpectSummaryOf(ComputeContact(scene.pad, scene.X_WA[i], scene.ball, scene.X_WB[i], options), one[i]);
    touching += one[i].num_faces > 0;
  }
  EXPECT_GT(touching, 40);
  EXPECT_LT(touching, 101);
  for (int threads : {2, 5, 0}) {
    const auto many = ContactBatch(scene.pad, scene.X_WA, scene.ball, scene.X_WB, options, threads);
    ASSERT_EQ(many.size(), one.size());
    for (int i = 0; i < 101; ++i) ExpectSameBits(many[i], one[i]);
  }
}

TEST(ContactBatch, OnePoseStandsForAll) {
  const Scene scene(20);
  const Pose X = test::TiltedPose();
  std::vector<Pose> probes;
  for (int i = 0; i < 20; ++i) probes.push_back(X * test::At({0.002 * i, 0.001 * i, 0.026}));
  const auto a = ContactBatch(scene.pad, {X}, scene.ball, probes, {}, 2);
  const auto b = ContactBatch(scene.ball, probes, scene.pad, {X}, {}, 2);
  ASSERT_EQ(a.size(), 20u);
  ASSERT_EQ(b.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    ExpectSummaryOf(ComputeContact(scene.pad, X, scene.ball, probes[i]), a[i]);
    EXPECT_EQ(a[i].wrench_on_A.force, -b[i].wrench_on_A.force);
  }
  EXPECT_EQ(ContactBatch(scene.pad, {X}, scene.ball, {probes[3]}).size(), 1u);
  EXPECT_TRUE(ContactBatch(scene.pad, {}, scene.ball, {}).empty());
}

TEST(ContactBatch, RefusesWhatDoesNotFit) {
  const Scene scene(5);
  const std::vector<Pose> three(scene.X_WB.begin(), scene.X_WB.begin() + 3);
  ExpectError([&] { ContactBatch(scene.pad, scene.X_WA, scene.ball, three); },
              {"5 poses of A and 3 of B", "equally many", "one pose"});
  ExpectError([&] { ContactBatch(scene.pad, scene.X_WA, scene.ball, {}); }, {"5 poses of A and 0 of B"});
  ExpectError([&] { ContactBatch(scene.pad, scene.X_WA, scene.ball, scene.X_WB, {}, -2); },
              {"threads is -2", "0 (all) or more"});
}

TEST(ContactBatch, NoPosesNoResults) {
  const Scene scene(5);
  EXPECT_TRUE(ContactBatch(scene.pad, {}, scene.ball, {}).empty());
  EXPECT_TRUE(ContactBatch(scene.pad, {Pose{}}, scene.ball, {}).empty());
}

TEST(ContactBatch, AnErrorComesOutOfTheThreads) {
  Scene scene(200);
  scene.X_WB[137].p.z = std::numeric_limits<double>::quiet_NaN();
  for (int threads : {1, 2, 5})
    ExpectError([&] { ContactBatch(scene.pad, scene.X_WA, scene.ball, scene.X_WB, {}, threads); },
                {"contact batch, pose 137", "pose of B ('sphere')", "not finite"});
  scene.X_WB[40].p.x = 2e6;  // of two wrong ones the first is named
  for (int threads : {1, 2, 5})
    ExpectError([&] { ContactBatch(scene.pad, scene.X_WA, scene.ball, scene.X_WB, {}, threads); },
                {"contact batch, pose 40", "positions must be within 1e6 m"});
  const Body rigid(Sphere{0.02}, {}), other(Sphere{0.03}, {});
  ExpectError([&] { ContactBatch(rigid, scene.X_WA, other, {Pose{}}, {}, 3); }, {"are rigid"});
}

}  // namespace
}  // namespace taxel
