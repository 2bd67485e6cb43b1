// Marker fields of many worlds on threads. Cases:
//   - equal to single fields bit for bit, for 1 and 3 threads, with fingers, two objects, the gravity pass,
//     creep, wrench and shared forces; published modes with two objects
//   - reset and zero_tangential of some worlds leave the others alone
//   - a masked step and a press from outside move these worlds alone; a press that begins inside moves none
//   - parameters of one world, kept through a reset; the lists of parameters are checked
//   - errors name world, finger and object, and no world has moved; nor has any after an interrupt
#include "taxel/batch/marker_batch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "../marker/marker_scenes.h"
#include "../shape/expect_error.h"
#include "taxel/math/interrupt.h"

namespace taxel {
using namespace internal;
namespace {

using test::Ball, test::FlatPad, test::Grid, test::RandomPath;

constexpr int kWorlds = 5, kFingers = 2;

MarkerIndenter Rod() { return SampleIndenter(Body(Cylinder{3e-3, 12e-3}, {}), 1.3e-3, 2); }

TaxelField Two(double creep = 0) {
  TaxelParameters p;
  p.creep = creep, p.friction = 0.4;
  return TaxelField(GelPad(FlatPad()), Grid(), {Ball(8e-3, 1.4e-3), Rod()}, p, 1);
}

// A path of its own for each world, finger and object: the rod leans beside the ball.
std::vector<std::vector<Pose>> Paths(int copies, int objects, int steps) {
  std::vector<std::vector<Pose>> out;
  for (int i = 0; i < copies * objects; ++i) {
    out.push_back(RandomPath(static_cast<std::uint64_t>(30 + i), steps));
    if (i % objects == 1)
      for (Pose& X : out.back()) {
        X.R = X.R * RotationAbout(normalized({1, 0.3, 0}), 1.2);
        X.p += Vec3{6e-3, -5e-3, -3.2e-3};
      }
  }
  return out;
}

std::vector<Pose> Row(const std::vector<std::vector<Pose>>& paths, int t) {
  std::vector<Pose> out;
  for (const auto& p : paths) out.push_back(p[static_cast<std::size_t>(t)]);
  return out;
}

// Three threads are each asked as they begin. Two wait for the third and go on; it lets them move some worlds
// and says yes.
std::atomic<int> questions{0};
bool TheThirdStops() {
  using std::chrono::milliseconds;
  if (++questions >= 3) {
    std::this_thread::sleep_for(milliseconds(20));
    return true;
  }
  for (int ms = 0; questions < 3 && ms < 10000; ++ms) std::this_thread::sleep_for(milliseconds(1));
  return false;
}

template <typename Batch, typename Step>
void ExpectUndone(Batch* batch, Batch* whole, int copies, int objects, const Step& step) {
  const auto paths = Paths(copies, objects, 8);
  for (int t = 0; t < 4; ++t) step(batch, Row(paths, t)), step(whole, Row(paths, t));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));  // the pause between two questions is over
  questions = 0;
  const InterruptCheck before = SetInterruptCheck(&TheThirdStops);
  EXPECT_THROW(step(batch, Row(paths, 4)), Interrupted);
  SetInterruptCheck(before);
  for (int t = 4; t < 8; ++t) EXPECT_EQ(step(batch, Row(paths, t)), step(whole, Row(paths, t))) << t;
}

// Worlds that had moved are where they were: the next steps give the bits of a batch that nobody stopped.
TEST(MarkerBatch, AnInterruptMovesNoWorld) {
  constexpr int kMany = 400;
  const auto step = [](MarkerBatch* b, const std::vector<Pose>& X) {
    std::vector<Vec3> u(static_cast<std::size_t>(b->worlds() * b->fingers() * b->markers()));
    b->Step(X, 1e-3, nullptr, u.data(), nullptr, nullptr);
    return u;
  };
  MarkerBatch batch(Two(0.3), kMany, 1, 3), whole(Two(0.3), kMany, 1, 1);
  ExpectUndone(&batch, &whole, kMany, 2, step);
}

TEST(MarkerBatch, EqualsSingleFieldsBitForBit) {
  constexpr int kSteps = 12, kCopies = kWorlds * kFingers;
  const auto paths = Paths(kCopies, 2, kSteps);
  std::vector<Pose> shifts;
  for (int i = 0; i < kCopies; ++i)
    shifts.push_back({RotationAbout({0, 0.6, 0.8}, 0.004 * i), {1e-5 * i, -2e-4, -3e-5 * i}});
  const std::size_t n = Grid().size();
  for (const int threads : {1, 3}) {
    MarkerBatch batch(Two(0.3), kWorlds, kFingers, threads);
    EXPECT_EQ(batch.objects(), 2);
    std::vector<TaxelField> single(kCopies, Two(0.3));
    std::vector<Vec3> u(kCopies * n), wrench(2 * kCopies), forces(kCopies * n);
    double greatest = 0;
    for (int t = 0; t < kSteps; ++t) {
      const bool gravity = t % 3 == 2;
      const std::vector<Pose> row = Row(paths, t);
      batch.Step(row, 0.013, gravity ? shifts.data() : nullptr, u.data(), wrench.data(), forces.data());
      for (std::size_t i = 0; i < kCopies; ++i) {
        TaxelReading r;
        single[i].set_marker_forces(true);
        single[i].Step({row[2 * i], row[2 * i + 1]}, 0.013, gravity ? &shifts[i] : nullptr, &r);
        for (std::size_t m = 0; m < n; ++m) {
          ASSERT_EQ(u[i * n + m], r.displacement[m]);
          ASSERT_EQ(forces[i * n + m], r.marker_forces_P[m]);
          greatest = std::fmax(greatest, norm(r.displacement[m]));
        }
        ASSERT_EQ(wrench[2 * i], r.force_P);
        ASSERT_EQ(wrench[2 * i + 1], r.torque_P);
        ASSERT_EQ(batch.taxel_field(static_cast<int>(i) / kFingers, static_cast<int>(i) % kFingers).state(),
                  single[i].state());
      }
    }
    EXPECT_GT(greatest, 0.5);
  }
}

TEST(MarkerBatch, PublishedModesAddTheirObjects) {
  const auto paths = Paths(3, 2, 10);
  MarkerParameters p;
  const MarkerField ball(FlatPad(), Grid(), Ball(8e-3, 1.4e-3), p), rod(FlatPad(), Grid(), Rod(), p);
  const std::size_t n = Grid().size();
  for (const int threads : {1, 3}) {
    MarkerBatch batch(std::vector<MarkerField>{ball, rod}, 3, 1, threads);
    std::vector<MarkerField> single;
    for (int i = 0; i < 3; ++i) single.push_back(ball), single.push_back(rod);
    std::vector<Vec3> u(3 * n);
    for (int t = 0; t < 10; ++t) {
      const std::vector<Pose> row = Row(paths, t);
      batch.Step(row, 0, nullptr, u.data(), nullptr, nullptr);
      for (std::size_t i = 0; i < 3; ++i) {
        MarkerReading a, b;
        single[2 * i].Step(row[2 * i], &a);
        single[2 * i + 1].Step(row[2 * i + 1], &b);
        for (std::size_t m = 0; m < n; ++m)
          ASSERT_EQ(u[i * n + m], Vec3{} + a.displacement[m] + b.displacement[m]);
      }
    }
    Vec3 wrench[6];
    ExpectError([&] { batch.Step(Row(paths, 0), 0, nullptr, u.data(), wrench, nullptr); }, {"taxel"});
  }
}

TEST(MarkerBatch, ResetsAreByWorld) {
  const auto paths = Paths(kWorlds * kFingers, 2, 8);
  const std::size_t n = Grid().size();
  MarkerBatch batch(Two(), kWorlds, kFingers, 2);
  std::vector<Vec3> u(kWorlds * kFingers * n);
  for (int t = 0; t < 8; ++t) batch.Step(Row(paths, t), 0, nullptr, u.data(), nullptr, nullptr);
  const MarkerBatch before = batch;
  const std::uint8_t some[kWorlds] = {0, 1, 0, 0, 1}, other[kWorlds] = {0, 0, 1, 0, 0};
  batch.Reset(some);
  batch.ZeroTangential(other);
  for (int w = 0; w < kWorlds; ++w)
    for (int f = 0; f < kFingers; ++f) {
      TaxelField want = before.taxel_field(w, f);
      if (some[w]) want.Reset();
      if (other[w]) want.ZeroTangential();
      EXPECT_EQ(batch.taxel_field(w, f).state(), want.state()) << w << f;
    }
  batch.Reset(nullptr);
  for (int w = 0; w < kWorlds; ++w) EXPECT_FALSE(batch.taxel_field(w, 1).state().objects[0].started);
}

TEST(MarkerBatch, MasksAndPressesLeaveOtherWorldsAlone) {
  MarkerBatch batch(Two(), kWorlds, kFingers, 3), other(Two(), kWorlds, kFingers, 1);
  const auto paths = Paths(kWorlds * kFingers, 2, 6);
  const auto markers = static_cast<std::size_t>(batch.markers());
  std::vector<Vec3> u(kWorlds * kFingers * markers), v = u;
  const std::uint8_t mask[kWorlds] = {1, 0, 1, 0, 0};
  batch.Step(Row(paths, 0), 0, nullptr, u.data(), nullptr, nullptr);
  const std::vector<Vec3> before = u;
  std::vector<Pose> X = Row(paths, 1);
  X[4].p[0] = std::numeric_limits<double>::quiet_NaN();  // of world 1, which does not move
  batch.Step(X, 0, nullptr, u.data(), nullptr, nullptr, mask);
  batch.Press(X, 0.03, 3, 0, nullptr, u.data(), nullptr, nullptr, mask);
  for (int j = 3; j >= 0; --j) {
    std::vector<Pose> lifted = Row(paths, 1);
    for (Pose& Y : lifted) Y.p[2] += j ? 0.03 * j / 3 : 0;
    other.Step(lifted, 0, nullptr, v.data(), nullptr, nullptr);
  }
  const std::size_t of_world = kFingers * markers;
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_EQ(u[i], mask[i / of_world] ? v[i] : before[i]);
  MarkerBatch same = batch;
  ExpectError([&] { batch.Press(Row(paths, 1), 1e-9, 2, 0, nullptr, v.data(), nullptr, nullptr); },
              {"still touches at a distance of"});
  batch.Step(Row(paths, 2), 0, nullptr, u.data(), nullptr, nullptr);
  same.Step(Row(paths, 2), 0, nullptr, v.data(), nullptr, nullptr);
  EXPECT_EQ(u, v);
  ExpectError([&] { batch.Press(Row(paths, 1), 0, 2, 0, nullptr, u.data(), nullptr, nullptr); },
              {"give a distance above 0"});
}

TEST(MarkerBatch, ParametersAreByWorld) {
  MarkerBatch batch(Two(), kWorlds, kFingers, 1);
  TaxelParameters p = Two().parameters();
  p.friction = 0.9, p.squeeze = 1;
  batch.SetParameters(3, p);
  batch.Reset(nullptr);
  for (int w = 0; w < kWorlds; ++w)
    for (int f = 0; f < kFingers; ++f)
      EXPECT_EQ(batch.taxel_field(w, f).parameters(), w == 3 ? p : Two().parameters());
  p.shear_stiffness = 0;
  ExpectError([&] { batch.SetParameters(2, p); }, {"world 2", "shear_stiffness"});
  EXPECT_EQ(batch.taxel_field(2, 0).parameters(), Two().parameters());
}

TEST(MarkerBatch, ErrorsNameThePlaceAndNothingMoves) {
  const auto paths = Paths(kWorlds * kFingers, 2, 9);
  MarkerBatch batch(Two(0.2), kWorlds, kFingers, 3);
  std::vector<Vec3> u(kWorlds * kFingers * Grid().size());
  for (int t = 0; t < 8; ++t) batch.Step(Row(paths, t), 0.1, nullptr, u.data(), nullptr, nullptr);
  const MarkerBatch before = batch;
  std::vector<Pose> row = Row(paths, 8);
  const std::size_t bad = (3 * kFingers + 1) * 2 + 1;
  const Pose good = row[bad];
  row[bad].p.y = std::numeric_limits<double>::quiet_NaN();
  const auto step = [&](double dt, const Pose* shift) {
    batch.Step(row, dt, shift, u.data(), nullptr, nullptr);
  };
  ExpectError([&] { step(0.1, nullptr); }, {"world 3", "finger 1", "object 1", "finite"});
  row[bad] = good;
  row[bad].R.m[0] += 0.1;
  ExpectError([&] { step(0.1, nullptr); }, {"world 3", "finger 1", "object 1", "rotation"});
  row[bad] = good;
  std::vector<Pose> shift(kWorlds * kFingers);
  shift[2 * kFingers + 1].p.x = std::numeric_limits<double>::infinity();
  ExpectError([&] { step(0.1, shift.data()); }, {"shift of world 2, finger 1", "finite"});
  ExpectError([&] { step(-0.1, nullptr); }, {"dt"});
  ExpectError([&] { step(std::numeric_limits<double>::quiet_NaN(), nullptr); }, {"dt"});
  row.pop_back();
  ExpectError([&] { step(0.1, nullptr); }, {"poses", "2 fingers"});
  for (int w = 0; w < kWorlds; ++w)
    for (int f = 0; f < kFingers; ++f)
      EXPECT_EQ(batch.taxel_field(w, f).state(), before.taxel_field(w, f).state());
}

TEST(MarkerBatch, WrongSizes) {
  ExpectError([] { MarkerBatch(Two(), 0, 1, 1); }, {"0 worlds"});
  ExpectError([] { MarkerBatch(Two(), 1, 0, 1); }, {"0 fingers"});
  ExpectError([] { MarkerBatch(Two(), 1, 1, -1); }, {"threads"});
  ExpectError([] { MarkerBatch(std::vector<MarkerField>{}, 1, 1, 1); }, {"no object"});
  MarkerParameters paper, release;
  release.mode = MarkerMode::kRelease;
  const MarkerField a(FlatPad(), Grid(), Rod(), paper), b(FlatPad(), Grid(), Rod(), release);
  ExpectError([&] { MarkerBatch(std::vector<MarkerField>{a, b}, 1, 1, 1); }, {"modes"});
}

}  // namespace
}  // namespace taxel
