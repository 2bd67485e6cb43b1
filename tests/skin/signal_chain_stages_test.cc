// Each stage of the signal chain alone against its parameters, on tilted layouts that are not square:
//   - units; spread; creep at several times and timesteps, recovery; hysteresis
//   - gains, offsets, drift and its walk; crosstalk; noise: moments and independence
//   - saturation; codes, inverted and signed; quantum; defects
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "chain_device.h"
#include "taxel/math/error.h"
#include "taxel/skin/signal_chain.h"

namespace taxel {
using namespace internal;
namespace {

using namespace chain_test;

TEST(SignalChainStages, TrivialHandsOnThePressure) {
  const Layout layout = TiltedGrid(3, 5);
  const Doubles raw = AnyLoad(15);
  EXPECT_EQ(Once({}, layout, raw), raw);
  EXPECT_EQ(SignalChain::StateSize(Read({}), 15, kStep), 0);
}

TEST(SignalChainStages, UnitsConvert) {
  Layout layout = TiltedGrid(2, 4);
  layout.areas[3] = 1e-4;
  const Doubles raw = AnyLoad(8), newtons = Once({{"unit", "N"}}, layout, raw);
  for (int i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(newtons[i], raw[i] * layout.areas[i]);
}

TEST(SignalChainStages, SpreadKeepsTheForce) {
  for (const Layout& layout : {TiltedGrid(6, 11), FreePoints(40), TiltedCylinder(5, 9)}) {
    const Doubles raw = AnyLoad(layout.count());
    double sum = 0;
    for (double f : Once({{"unit", "N"}, {"spread", "0.006"}}, layout, raw)) sum += f;
    EXPECT_NEAR(sum, TotalForce(layout, raw), 1e-12 * sum);
    EXPECT_GT(norm(layout.points[1] - layout.points[0]), 0);
    EXPECT_NE(Once({{"spread", "0.006"}}, layout, raw)[1], raw[1]);
  }
}

// y = x (1 + sum a (1 - exp(-t / tau))) while x is held; after unloading at T: sum a x (e^{-(t-T)/tau} -
// e^{-t/tau}).
TEST(SignalChainStages, CreepFollowsItsCurveAtAnyTimestep) {
  const double a[2] = {0.12, -0.05}, tau[2] = {0.03, 0.7}, load = 3e4, T = 0.96;
  const Layout layout = TiltedGrid(2, 3);
  for (double timestep : {0.0005, 0.004, 0.02, 0.16}) {
    Device device({{"creep", "0.12 0.03 -0.05 0.7"}}, layout, timestep);
    const int steps = static_cast<int>(std::lround(2 * T / timestep));
    for (int s = 0; s <= steps; ++s) {
      const double t = s * timestep;
      const bool pressed = s < steps / 2;
      const Doubles out = device.StepUniform(pressed ? load : 0);
      double expected = pressed ? load : 0;
      for (int j = 0; j < 2; ++j)
        expected +=
            a[j] * load *
            (pressed ? 1 - std::exp(-t / tau[j]) : std::exp(-(t - T) / tau[j]) - std::exp(-t / tau[j]));
      ASSERT_NEAR(out[4], expected, 1e-12 * load) << timestep << " at " << t;
    }
  }
}

// The load changes at every step: the exact solution of tau z' = x - z for loads held over a step, by
// superposition.
TEST(SignalChainStages, CreepOfAChangingLoad) {
  Device device({{"creep", "0.3 0.01"}}, TiltedGrid(1, 3));
  Doubles history;
  for (std::uint64_t s = 0; s < 60; ++s) {
    const double x = 1e4 * RandomUniform(2, s);
    double z = 0;
    for (std::size_t k = 0; k < history.size(); ++k) {
      const double age = kStep * static_cast<double>(history.size() - k);
      z += history[k] * (std::exp(-(age - kStep) / 0.01) - std::exp(-age / 0.01));
    }
    EXPECT_NEAR(device.StepUniform(x)[2], x + 0.3 * z, 1e-12 * 1e4);
    history.push_back(x);
  }
}

TEST(SignalChainStages, HysteresisLoopAndItsCreep) {
  const double scale = 2e4, width = 0.15;
  Device device({{"hysteresis", "0.15 2e4"}}, TiltedGrid(2, 3));
  const auto sweep = [&](double from, double to) {
    double out = 0;
    for (int s = 1; s <= 50; ++s) out = device.StepUniform(from + (to - from) * s / 50)[5];
    return out;
  };
  EXPECT_DOUBLE_EQ(sweep(0, scale), scale * (1 - width / 2));
  EXPECT_NEAR(sweep(scale, scale / 2), scale * (0.5 + width / 2), 1e-9);
  EXPECT_NEAR(sweep(scale / 2, 0), scale * width / 2, 1e-9);
  EXPECT_NEAR(sweep(0, scale / 2), scale * (0.5 - width / 2), 1e-9);
  // Creep works on what hysteresis gives.
  Device both({{"hysteresis", "0.15 2e4"}, {"creep", "0.5 0.01"}}, TiltedGrid(2, 3));
  double out = 0;
  for (int s = 0; s < 500; ++s) out = both.StepUniform(scale)[1];
  EXPECT_NEAR(out, 1.5 * scale * (1 - width / 2), 1e-9);
}

TEST(SignalChainStages, GainsHaveMeanOneAndTheirSpread) {
  const Layout layout = TiltedGrid(100, 130);
  for (double std : {0.05, 0.5}) {
    const int n = layout.count();
    const Doubles out = Once({{"gain", ToText(std)}, {"seed", "3"}}, layout, Doubles(n, 1000.0));
    double sum = 0, squares = 0;
    for (double v : out) {
      EXPECT_GT(v, 0);
      sum += v / 1000, squares += (v / 1000 - 1) * (v / 1000 - 1);
    }
    EXPECT_NEAR(sum / n, 1, 5 * std / std::sqrt(n));
    // Kurtosis of the log-normal law: 16 s^2 + 3 to first order, 8.9 for s = 0.5; the error of the variance
    // follows.
    EXPECT_NEAR(squares / n, std * std, 5 * std * std * std::sqrt((std > 0.1 ? 8.9 : 3.1) / n));
  }
}

TEST(SignalChainStages, OffsetsAndLists) {
  const Layout layout = TiltedGrid(100, 130);
  const int n = layout.count();
  double sum = 0, squares = 0;
  const Doubles offsets = Once({{"offset", "-20 8"}, {"seed", "4"}}, layout, Doubles(n, 0.0));
  for (double v : offsets) sum += v, squares += (v + 20) * (v + 20);
  EXPECT_NEAR(sum / n, -20, 5 * 8 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 8, 5 * 8 / std::sqrt(2 * n));
  // Channels have their own.
  EXPECT_NE(Once({{"offset", "-20 8"}, {"seed", "4"}}, layout, Doubles(n, 0.0), 1)[0], offsets[0]);

  const Layout small = TiltedGrid(1, 3);
  EXPECT_EQ(Once({{"gains", "1 2 0.5"}, {"offsets", "0.25 -1 3"}}, small, {100, 100, 100}),
            (Doubles{100.25, 199, 53}));
  EXPECT_EQ(Once({{"gains", "2"}, {"offsets", "-1"}}, small, {1, 2, 3}), (Doubles{1, 3, 5}));
}

TEST(SignalChainStages, SensitivityDrifts) {
  const Layout layout = TiltedGrid(60, 70);
  const int n = layout.count();
  Device device({{"drift", "-0.2 0.03"}, {"seed", "6"}}, layout);
  EXPECT_EQ(device.StepUniform(1000), Doubles(n, 1000.0));
  device.time = 1.5 * 3600;
  double sum = 0, squares = 0;
  for (double v : device.StepUniform(1000)) {
    const double per_hour = (v / 1000 - 1) / 1.5;
    sum += per_hour, squares += (per_hour + 0.2) * (per_hour + 0.2);
  }
  EXPECT_NEAR(sum / n, -0.2, 5 * 0.03 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.03, 5 * 0.03 / std::sqrt(2 * n));
  Device worn({{"drift", "-0.5"}, {"offsets", "7"}}, TiltedGrid(1, 2));
  worn.time = 1800;
  EXPECT_DOUBLE_EQ(worn.StepUniform(1000)[1], 757);
  worn.time = 3 * 3600;
  EXPECT_EQ(worn.StepUniform(1000)[1], 7);  // not below no sensitivity
}

TEST(SignalChainStages, OffsetsWalkAtRandom) {
  const Layout layout = TiltedGrid(30, 40);
  const int n = layout.count(), hours_steps = 400;
  // 400 steps of 36 s are 4 hours, or 100 samples at 1 / 144 Hz: the same spread, 5 sqrt(4). Creep needs
  // every step, the walk only goes on with the samples.
  for (const Entries& e :
       {Entries{{"drift_offset", "5"}}, Entries{{"drift_offset", "5"}, {"rate", "0.006944444444"}},
        Entries{{"drift_offset", "5"}, {"rate", "0.006944444444"}, {"creep", "0.1 1"}}}) {
    Device device(e, layout, 36);
    Doubles out, middle;
    for (int s = 0; s <= hours_steps; ++s) {
      out = device.StepUniform(0);
      ASSERT_TRUE(s > 0 || out == Doubles(n, 0.0));
      if (s == hours_steps / 2) middle = out;
    }
    double first = 0, second = 0, mixed = 0;
    for (int i = 0; i < n; ++i) {
      const double a = middle[i], b = out[i] - middle[i];
      first += a * a / n, second += b * b / n, mixed += a * b / n;
    }
    const double variance = 25 * 2, error = 5 * variance * std::sqrt(2.0 / n);  // of two hours
    EXPECT_NEAR(first, variance, error);
    EXPECT_NEAR(second, variance, error);
    EXPECT_NEAR(mixed, 0, error);  // the two halves know nothing of each other
  }
}

TEST(SignalChainStages, CrosstalkLeaksTheSignal) {
  Doubles raw(15, 0.0);
  raw[7] = 1000;
  const Doubles out = Once({{"crosstalk", "0.05"}, {"gains", "2"}}, TiltedGrid(3, 5), raw);
  for (int i = 0; i < 15; ++i)
    EXPECT_DOUBLE_EQ(out[i], i == 7 ? 2000 : (i == 2 || i == 6 || i == 8 || i == 12) ? 100 : 0) << i;
}

// 15 taxels, 7000 samples: 105000 numbers. Tolerances are five standard errors of each estimate.
TEST(SignalChainStages, NoiseIsNormalAndIndependent) {
  const int n = 15, samples = 7000, all = n * samples;
  const double mean = 3, std = 12;
  Device device({{"noise", "3 12"}, {"seed", "5"}}, TiltedGrid(3, 5));
  std::vector<Doubles> z;  // standardised
  for (int s = 0; s < samples; ++s) {
    z.push_back(device.StepUniform(1000));
    for (double& v : z.back()) v = (v - 1000 - mean) / std;
  }
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (const Doubles& sample : z)
    for (double v : sample) m1 += v, m2 += v * v, m3 += v * v * v, m4 += v * v * v * v;
  EXPECT_NEAR(m1 / all, 0, 5 / std::sqrt(all));
  EXPECT_NEAR(m2 / all, 1, 5 * std::sqrt(2.0 / all));
  EXPECT_NEAR(m3 / all, 0, 5 * std::sqrt(15.0 / all));
  EXPECT_NEAR(m4 / all, 3, 5 * std::sqrt(96.0 / all));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int lag : {0, 1, 2}) {
        if (lag == 0 && i == j) continue;
        double product = 0;
        for (int s = lag; s < samples; ++s) product += z[s][i] * z[s - lag][j];
        EXPECT_NEAR(product / samples, 0, 5 / std::sqrt(samples)) << i << ' ' << j << " lag " << lag;
      }
}

TEST(SignalChainStages, NoiseBelongsToTheSampleNotToTheStep) {
  // One sample in five steps: noise changes with it, and is that of its number.
  Device device({{"noise", "0 1"}, {"rate", "100"}}, TiltedGrid(2, 3));
  Doubles last;
  int changes = 0;
  for (int s = 0; s < 100; ++s) {
    const Doubles out = device.StepUniform(50);
    changes += out != last;
    last = out;
  }
  EXPECT_EQ(changes, 20);
  Device other({{"noise", "0 1"}, {"rate", "100"}}, TiltedGrid(2, 3), 0.01 / 4);
  other.time = 0.19;  // sample 19, as the last one above
  EXPECT_EQ(other.StepUniform(50), last);
}

TEST(SignalChainStages, SaturationClips) {
  const Layout layout = TiltedGrid(1, 4);
  const Doubles raw = {-50, 20, 300, 5000};
  EXPECT_EQ(Once({{"saturation", "1000"}}, layout, raw), (Doubles{-50, 20, 300, 1000}));
  EXPECT_EQ(Once({{"saturation", "25 250"}}, layout, raw), (Doubles{25, 25, 250, 250}));
  const Doubles shear = {-50, 20, 300, -5000};
  EXPECT_EQ(Once({{"saturation", "30 250"}}, layout, shear, 1, true), (Doubles{-50, 20, 250, -250}));
}

TEST(SignalChainStages, CodesRoundAndEndAtTheLastOne) {
  const Layout layout = TiltedGrid(2, 4);
  // 10 Pa a code.
  const Doubles raw = {0, 4.9, 5.1, 14.9, 15.1, 40950, 40944, 1e6}, codes = {0, 0, 1, 1, 2, 4095, 4094, 4095};
  Doubles inverted;
  for (double c : codes) inverted.push_back(4095 - c);
  Entries straight = kMyrmex;
  straight.pop_back();
  EXPECT_EQ(Once(straight, layout, raw), codes);
  EXPECT_EQ(Once(kMyrmex, layout, raw), inverted);
  EXPECT_EQ(Once(straight, layout, Doubles(8, -300.0)), Doubles(8, 0.0));
  EXPECT_EQ(Once(kMyrmex, layout, Doubles(8, -300.0)), Doubles(8, 4095.0));
  // Exactly half a code goes up.
  Entries exact = {{"unit", "counts"}, {"bits", "8"}, {"full_scale", "255"}};
  EXPECT_EQ(Once(exact, layout, {0.5, 1.5, 2.5, 2.49, 254.5, 254.4, 255, 300}),
            (Doubles{1, 2, 3, 2, 255, 254, 255, 255}));
  // A switch.
  EXPECT_EQ(
      Once({{"unit", "counts"}, {"bits", "1"}, {"full_scale", "1000"}}, TiltedGrid(1, 3), {0, 499, 501}),
      (Doubles{0, 0, 1}));
}

TEST(SignalChainStages, CodesOfShearHaveTheirZeroInTheMiddle) {
  const Layout layout = TiltedGrid(1, 6);
  const Entries e = {{"unit", "counts"}, {"bits", "8"}, {"full_scale", "127"}};
  const Doubles raw = {0, 1, -1, 127, -127, -5000};
  EXPECT_EQ(Once(e, layout, raw, 1, true), (Doubles{128, 129, 127, 255, 1, 1}));
  EXPECT_EQ(Once(With(e, {{"inverted", "true"}}), layout, raw, 1, true),
            (Doubles{128, 127, 129, 1, 255, 255}));
  try {
    Once({{"unit", "counts"}, {"bits", "1"}, {"full_scale", "1"}}, layout, raw, 1, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "sensor 'tip': bits=1 leaves no room for the two signs of shear; give bits of 2 or more");
  }
}

TEST(SignalChainStages, CountsOfNoiseOffsetAndSaturationAreCountsOfLoad) {
  const Entries e = With(kMyrmex, {{"offsets", "100"}, {"saturation", "20 3000"}});
  EXPECT_EQ(Once(e, TiltedGrid(1, 3), {0, 10000, 40000}), (Doubles{3995, 2995, 1095}));
  // Rounding a signal with noise wider than a code loses nothing on average.
  Device device({{"unit", "counts"}, {"bits", "12"}, {"full_scale", "40950"}, {"noise", "0 4"}},
                TiltedGrid(2, 5));
  double sum = 0, squares = 0;
  const int samples = 4000, all = 10 * samples;
  for (int s = 0; s < samples; ++s)
    for (double v : device.StepUniform(20003)) sum += v, squares += (v - 2000.3) * (v - 2000.3);
  EXPECT_NEAR(sum / all, 2000.3, 5 * 4 / std::sqrt(all));
  EXPECT_NEAR(squares / all, 16 + 1.0 / 12, 5 * 16 * std::sqrt(2.0 / all));
}

TEST(SignalChainStages, QuantumRounds) {
  EXPECT_EQ(Once({{"quantum", "0.25"}}, TiltedGrid(2, 3), {0.1, 0.125, 0.374, -0.126, -0.1, 10.13}, 1, true),
            (Doubles{0, 0.25, 0.25, -0.25, 0, 10.25}));
  EXPECT_FALSE(std::signbit(Once({{"quantum", "1"}}, TiltedGrid(1, 1), {-0.3})[0]));
}

TEST(SignalChainStages, DeadAndStuck) {
  const Layout layout = TiltedGrid(2, 4);
  EXPECT_EQ(Once({{"dead", "1 6"}, {"stuck", "2"}, {"stuck_value", "-5"}, {"noise", "0 0"}}, layout,
                 Doubles(8, 70.0)),
            (Doubles{70, 0, -5, 70, 70, 70, 0, 70}));
  Device device(With(kMyrmex, {{"dead", "0"}, {"stuck", "1"}, {"stuck_value", "17"}, {"noise", "0 30"}}),
                layout);
  for (int s = 0; s < 20; ++s) {
    const Doubles out = device.StepUniform(20000);
    EXPECT_EQ(out[0], 4095);
    EXPECT_EQ(out[1], 17);
    EXPECT_NE(out[2], 4095);
  }
  // The no-load value has the offset in it.
  EXPECT_EQ(Once({{"dead", "1"}, {"offsets", "0 9 0"}}, TiltedGrid(1, 3), {5, 5, 5}), (Doubles{5, 9, 5}));
}

TEST(SignalChainStages, DeadFractionIsExactAndTheSameInAllChannels) {
  const Layout layout = TiltedGrid(20, 33);  // 660: a twentieth is 33
  const auto dead = [&](const char* seed, int channel) {
    std::set<int> which;
    const Doubles out =
        Once({{"dead_fraction", "0.05"}, {"seed", seed}}, layout, Doubles(660, 1.0), channel, channel > 0);
    for (int i = 0; i < 660; ++i)
      if (out[i] == 0) which.insert(i);
    return which;
  };
  EXPECT_EQ(dead("1", 0).size(), 33u);
  EXPECT_EQ(dead("1", 0), dead("1", 2));
  EXPECT_NE(dead("1", 0), dead("2", 0));
  EXPECT_EQ(Once({{"dead_fraction", "1"}}, TiltedGrid(2, 2), Doubles(4, 1.0)), Doubles(4, 0.0));
}

}  // namespace
}  // namespace taxel
