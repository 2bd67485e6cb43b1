// Presses of the paper, short ones. Cases: before touch only the hands move; the two pads and the two sides
// of a pad show the same for an object that looks the same to them, and the right one the other for one that
// does not; where the object is the image is; no particle enters it; the images against the positions; the
// chamfer distance against all pairs, and as the end; a series equals the run, on any number of threads; the
// authors' mixing slows the pad; the other options; everything that is refused.
#include "taxel/gel/eip_press.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

constexpr int kSide = 61, kLayer = kSide * kSide, kPad = 10 * kLayer;
const Pose kMiddle{{}, {0.5, 0.5, 0.5}};

EipOptions Quick(int steps) {
  EipOptions o;
  o.grid = 64;
  o.dt = 4e-3;
  o.gap = 0.165;  // the ball is 0.0025 away
  o.chamfer = 0;
  o.steps = steps;
  return o;
}
MarkerDistance Ball() { return MarkerDistance(Primitive{Sphere{0.08}}); }
double Largest(const std::vector<Vec3>& image) {
  double most = 0;
  for (const Vec3& v : image) most = std::max(most, norm(v));
  return most;
}

TEST(EipPress, BeforeTouchOnlyTheHandsMove) {
  EipOptions o = Quick(5);
  o.gap = 0.3;
  EipPress press(o, Ball(), kMiddle);
  const std::vector<Vec3> before = press.Positions();
  ASSERT_EQ(before.size(), 2u * kPad);
  ASSERT_EQ(press.layers().size(), before.size());
  while (press.Step()) {
  }
  const std::vector<Vec3> after = press.Positions();
  const double way = o.speed * o.dt * 5;
  for (std::size_t p = 0; p < before.size(); p += 97) {
    // The hand's layer goes all the way, those before it are dragged along.
    const double moved = (p < kPad ? 1 : -1) * (after[p].y - before[p].y);
    EXPECT_GT(moved, -1e-6);
    EXPECT_LT(moved, way * 1.001);
    EXPECT_EQ(press.layers()[p], static_cast<int>(p) % kPad / kLayer);
    EXPECT_NEAR(before[p].x, after[p].x, 0.05 * way);
  }
  const EipResult r = press.Result();
  EXPECT_EQ(r.steps, 5);
  EXPECT_FALSE(r.stopped);
  EXPECT_NEAR(r.pads[0].X_DP.p.y, 0.35 + way, 1e-12);
  EXPECT_NEAR(r.pads[1].X_DP.p.y, 0.65 - way, 1e-12);
}

TEST(EipPress, PadsAndSidesSeeTheSame) {
  EipPress press(Quick(16), Ball(), kMiddle);
  while (press.Step()) {
  }
  const EipResult r = press.Result();
  const std::vector<Vec3>&a = r.pads[0].image, &b = r.pads[1].image;
  const double size = Largest(a);
  EXPECT_GT(size, 0.005);
  const auto at = [](int i, int j) { return static_cast<std::size_t>(i * kSide + j); };
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      // Half a turn about x takes one pad to the other, and their frames with them.
      EXPECT_LT(norm(a[at(i, j)] - b[at(i, j)]), 0.01 * size);
      const Vec3 m = a[at(kSide - 1 - i, j)];
      EXPECT_LT(norm(a[at(i, j)] - Vec3{-m.x, m.y, m.z}), 0.01 * size);
    }
  EXPECT_NEAR(r.pads[0].chamfer, r.pads[1].chamfer, 0.02 * r.pads[0].chamfer);
  EXPECT_LT(a[at(30, 30)].z, -0.5 * size);  // the middle is held back most
}

// A small ball off the middle, below and to one side: pad 0 meets it, at that place of its frame.
TEST(EipPress, TheImageIsWhereTheObjectIs) {
  const Vec3 at{0.56, 0.46, 0.44};
  EipPress press(Quick(14), MarkerDistance(Primitive{Sphere{0.045}}), {RotationAbout({0, 1, 0}, 0.7), at});
  while (press.Step()) {
  }
  const EipResult r = press.Result();
  Vec3 middle;
  double sum = 0, other = 0;
  // Held back by the object more than the layer is as a whole.
  std::vector<double> depth;
  for (const Vec3& v : r.pads[0].image) depth.push_back(v.z);
  std::vector<double> sorted = depth;
  std::nth_element(sorted.begin(), sorted.begin() + kLayer / 2, sorted.end());
  const double usual = sorted[kLayer / 2];
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const double d = std::max(0.0, usual - depth[static_cast<std::size_t>(i * kSide + j)] - 2e-3);
      middle += d * Vec3{(i - 30) * 0.24 / 61, (j - 30) * 0.24 / 61, 0};
      sum += d;
    }
  ASSERT_GT(sum, 0);
  const Vec3 wanted = Inverse(r.pads[0].X_DP) * at, got = middle / sum;
  EXPECT_NEAR(got.x, wanted.x, 0.004);
  EXPECT_NEAR(got.y, wanted.y, 0.004);
  EXPECT_NEAR(wanted.x, 0.06, 1e-12);
  EXPECT_NEAR(wanted.y, 0.06, 1e-12);  // y of pad 0 is -z of D
  for (const Vec3& v : r.pads[1].image) other = std::max(other, -v.z);
  EXPECT_LT(other, 0.3 * -*std::min_element(depth.begin(), depth.end()));
}

TEST(EipPress, NoParticleEntersTheObject) {
  const EipOptions o = Quick(20);
  const Pose X{RotationAbout(normalized({1, 2, -1}), 0.8), {0.49, 0.51, 0.52}};
  const MarkerDistance box(Primitive{Box{{0.1, 0.07, 0.12}}});
  EipPress press(o, box, X);
  while (press.Step()) {
  }
  double deepest = 0;
  const Pose X_OD = Inverse(X);
  for (const Vec3& p : press.Positions()) deepest = std::min(deepest, box.Value(X_OD * p));
  EXPECT_LT(deepest, 0);                      // it was touched
  EXPECT_GT(deepest, -1.5 * o.speed * o.dt);  // and stopped the particles after a step's way at most
}

TEST(EipPress, ImagesAreDisplacementsInThePadsFrame) {
  EipPress press(Quick(9), Ball(), {{}, {0.52, 0.49, 0.47}});
  const std::vector<Vec3> before = press.Positions();
  while (press.Step()) {
  }
  const std::vector<Vec3> after = press.Positions();
  const EipResult r = press.Result();
  for (const int pad : {0, 1})
    for (const int layer : {0, 4, 9}) {
      const std::vector<Vec3> image = press.LayerImage(pad, layer);
      const Pose X_PD = Inverse(r.pads[pad].X_DP);
      const Vec3 carried{0, (pad == 0 ? 1 : -1) * 0.4 * 4e-3 * 9, 0};
      // Each particle once, by its place in the start.
      int found = 0;
      for (int n = 0; n < kLayer; ++n) {
        const std::size_t p = static_cast<std::size_t>(pad * kPad + layer * kLayer + n);
        const Vec3 place = X_PD * (before[p] + carried);
        const int i = static_cast<int>(std::lround(place.x * 61 / 0.24)) + 30,
                  j = static_cast<int>(std::lround(place.y * 61 / 0.24)) + 30;
        ASSERT_TRUE(i >= 0 && i < kSide && j >= 0 && j < kSide);
        const Vec3 moved = TransposeMul(r.pads[pad].X_DP.R, after[p] - before[p] - carried);
        ASSERT_LT(norm(image[static_cast<std::size_t>(i * kSide + j)] - moved), 2e-7);
        ++found;
      }
      EXPECT_EQ(found, kLayer);
      if (layer == 0) {
        EXPECT_EQ(image, r.pads[pad].image);
      }
      if (layer == 9) {
        EXPECT_LT(Largest(image), 0.3 * Largest(r.pads[pad].image));  // the hand's layer goes with the hand
      }
    }
}

TEST(EipPress, TheChamferDistanceEndsThePress) {
  EipOptions o = Quick(200);
  o.chamfer = 2e-6, o.check_every = 3;
  EipPress press(o, Ball(), {{}, {0.5, 0.49, 0.51}});
  const std::vector<Vec3> start = press.Positions();
  int calls = 1;
  while (press.Step()) ++calls;
  EXPECT_EQ(press.steps(), calls);
  EXPECT_FALSE(press.Step());  // over is over
  EXPECT_EQ(press.steps(), calls);
  const EipResult r = press.Result();
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(r.steps % 3, 0);
  EXPECT_LT(r.steps, 60);
  EXPECT_GT(r.pads[0].chamfer, 2e-6);
  EXPECT_EQ(press.chamfer(0), r.pads[0].chamfer);
  // All pairs of every seventh point: the rest has the same mean, nearly.
  const std::vector<Vec3> now = press.Positions();
  const auto layer = [](const std::vector<Vec3>& all) {
    std::vector<Vec3> out(all.begin(), all.begin() + kLayer);
    Vec3 mean;
    for (const Vec3& p : out) mean += p / kLayer;
    for (Vec3& p : out) p -= mean;
    return out;
  };
  const std::vector<Vec3> a = layer(start), b = layer(now);
  const auto one_way = [](const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    double sum = 0;
    int n = 0;
    for (std::size_t k = 0; k < from.size(); k += 7, ++n) {
      double best = 1;
      for (const Vec3& q : to) best = std::min(best, norm2(q - from[k]));
      sum += best;
    }
    return sum / n;
  };
  EXPECT_NEAR(r.pads[0].chamfer / (one_way(a, b) + one_way(b, a)), 1, 0.02);
}

TEST(EipPress, ASeriesIsTheRunOnAnyNumberOfThreads) {
  EipOptions o = Quick(8);
  const EipResult run = RunEipPress(o, Ball(), {{}, {0.53, 0.5, 0.46}});
  for (const int threads : {1, 3}) {
    o.threads = threads;
    EipPress press(o, Ball(), {{}, {0.53, 0.5, 0.46}});
    EipPress moved = std::move(press);
    while (moved.Step()) moved.LayerImage(0, 3);
    const EipResult r = moved.Result();
    for (const int pad : {0, 1}) {
      EXPECT_EQ(r.pads[pad].image, run.pads[pad].image) << threads;
      EXPECT_EQ(r.pads[pad].chamfer, run.pads[pad].chamfer);
      EXPECT_EQ(r.pads[pad].X_DP, run.pads[pad].X_DP);
    }
  }
}

TEST(EipPress, MixingSlowsThePad) {
  const auto middle = [](double density) {  // how far the middle of the contact layer stays behind its rim
    EipOptions o = Quick(16);
    o.contact = EipContact::kMixing;
    o.object_density = density;
    const EipResult r = RunEipPress(o, Ball(), kMiddle);
    return r.pads[0].image[3].z - r.pads[0].image[30 * kSide + 30].z;
  };
  const double none = middle(1e-6), light = middle(1), heavy = middle(10);
  EXPECT_GT(light, none + 1e-3);
  EXPECT_GT(heavy, light + 1e-4);
}

TEST(EipPress, OptionsChangeTheMotion) {
  EipOptions o = Quick(14);
  const auto image = [&] { return RunEipPress(o, Ball(), kMiddle).pads[0].image; };
  const auto mean = [](const std::vector<Vec3>& image) {
    double sum = 0;
    for (const Vec3& v : image) sum += v.z / kLayer;
    return sum;
  };
  const std::vector<Vec3> plain = image();
  o.hand_offset = true;
  EXPECT_GT(mean(image()), mean(plain) + 1e-5);  // a hundredth of the hand's velocity on top
  o.hand_offset = false, o.follow_blend = true;
  EXPECT_GT(norm(image()[30 * kSide + 30] - plain[30 * kSide + 30]), 1e-5);
  o.follow_blend = false, o.material.law = GelLaw::kNeoHookean;
  EXPECT_GT(norm(image()[30 * kSide + 30] - plain[30 * kSide + 30]), 1e-6);
}

TEST(EipPress, WrongOptionsAreRefused) {
  const auto with = [](const std::function<void(EipOptions*)>& change) {
    return [change] {
      EipOptions o = Quick(4);
      change(&o);
      CheckEipOptions(o);
    };
  };
  ExpectError(with([](EipOptions* o) { o->material.young = -3; }), {"EIP press", "young is -3"});
  for (const int bad : {31, 1025, -1})
    ExpectError(with([&](EipOptions* o) { o->grid = bad; }), {"grid is", "32 to 1024"});
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    ExpectError(with([&](EipOptions* o) { o->dt = bad; }), {"dt is", "> 0"});
    ExpectError(with([&](EipOptions* o) { o->speed = bad; }), {"speed is", "> 0", "0.4"});
  }
  ExpectError(with([](EipOptions* o) { o->steps = 0; }), {"steps is 0", "at least 1"});
  ExpectError(with([](EipOptions* o) { o->check_every = 0; }), {"check_every is 0", "at least 1"});
  for (const double bad : {0.0, 0.81, std::nan("")})
    ExpectError(with([&](EipOptions* o) { o->gap = bad; }), {"gap is", "0 to 0.8"});
  ExpectError(with([](EipOptions* o) { o->dt = 0.02; }),
              {"CFL number is 1.7", "64 cells", "take dt below 0.0058"});
}

TEST(EipPress, WrongObjectsAreRefused) {
  const EipOptions o = Quick(4);
  ExpectError([&] { EipPress(o, MarkerDistance(Primitive{HalfSpace{}}), kMiddle); },
              {"no end", "closed shape"});
  ExpectError(
      [&] {
        EipPress(o, Ball(), {{}, {0.5, 3, 0.5}});
      },
      {"a ball of 0.1385", "(0.5, 3, 0.5)", "does not lie between the pads", "(0.5, 0.5, 0.5)"});
  ExpectError([&] { EipPress(o, Ball(), {{}, {0.5, std::nan(""), 0.5}}); }, {"pose", "not finite"});
  const EipPress press(o, Ball(), kMiddle);
  for (const auto& [pad, layer] : {std::pair{2, 0}, {-1, 0}, {0, 10}, {1, -1}})
    ExpectError([&, pad = pad, layer = layer] { press.LayerImage(pad, layer); },
                {"no layer", "pads 0 and 1", "0 (contact) to 9"});
  for (const int pad : {-1, 2}) ExpectError([&] { press.chamfer(pad); }, {"no pad", "0 (below) and 1"});
}

TEST(EipPress, AHandTooFastIsNamed) {
  EipOptions o = Quick(40);
  o.speed = 3;
  EipPress press(o, Ball(), kMiddle);
  ExpectError(
      [&] {
        while (press.Step()) {
        }
      },
      {"blow-up in step", "CFL number is 0.3", "0.768", "cells a step", "smaller dt"});
}

}  // namespace
}  // namespace taxel
