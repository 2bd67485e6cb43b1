// Rate, delay and jitter:
//   - sample numbers when time is added up with rounding; rates that do not divide the steps
//   - a delay of so many samples is exactly so many
//   - what is read against a model with unlimited memory, for many lines: the ring is large enough
//   - jitter: mean, standard deviation and bound; the same for the same seed only
//   - time that jumps back; too long a delay; size of the state
#include "taxel/skin/sample_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "taxel/math/error.h"

namespace taxel {
namespace {

ChainOptions Line(double rate, double delay = 0, double jitter = 0, std::uint64_t seed = 0) {
  ChainOptions o;
  o.rate = rate, o.delay = delay, o.jitter = jitter, o.seed = seed;
  return o;
}

// One value a frame: the number of the physics step in which it was taken.
struct Device {
  SampleLine line;
  std::vector<double> state;

  Device(const ChainOptions& o, double timestep)
      : line(o, 1, timestep), state(static_cast<std::size_t>(line.state_size()), 0.0) {}

  // What is read at `time`, then the step is over. -1: nothing has arrived.
  double Step(double time, double value) {
    const std::int64_t number = line.Number(time);
    const bool due = line.Due(number, state.data());
    double read = -1;
    if (due && line.ArrivesAtOnce(number, time))
      read = value;
    else if (const double* held = line.Newest(number, time, state.data()))
      read = *held;
    if (due) *line.Push(number, time, state.data()) = value;
    return read;
  }
};

TEST(SampleLine, NumbersSurviveRounding) {
  for (double timestep : {0.001, 0.0003, 0.002}) {
    const SampleLine every(Line(0), 1, timestep);
    double time = 0;
    for (int step = 0; step < 20000; ++step, time += timestep) ASSERT_EQ(every.Number(time), step);
  }
  // 0.1 + 0.2 > 0.3, and 0.7 / 0.1 < 7.
  EXPECT_EQ(SampleLine(Line(10), 1, 0.001).Number(0.1 + 0.2), 3);
  EXPECT_EQ(SampleLine(Line(10), 1, 0.001).Number(0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1), 8);
  const SampleLine hundred(Line(100), 1, 0.001);
  double time = 0;
  for (int step = 0; step < 50000; ++step, time += 0.001) ASSERT_EQ(hundred.Number(time), step / 10);
}

TEST(SampleLine, NothingIsStoredWhenEveryStepIsReadAtOnce) {
  const SampleLine line(Line(0), 50, 0.001);
  EXPECT_FALSE(line.holds());
  EXPECT_EQ(line.state_size(), 0);
  EXPECT_EQ(line.period(), 0.001);
}

TEST(SampleLine, HoldsBetweenSamples) {
  Device device(Line(300), 0.001);  // samples at 0, 4, 7, 10, 14, ... ms
  double time = 0;
  for (int step = 0; step < 3000; ++step, time += 0.001) {
    const int number = step * 3 / 10;
    const int taken = (number * 10 + 2) / 3;
    ASSERT_EQ(device.Step(time, step), taken) << step;
  }
}

TEST(SampleLine, AboveThePhysicsRateEveryStepIsASample) {
  Device device(Line(3500), 0.001);
  EXPECT_EQ(device.line.period(), 0.001);
  double time = 0;
  for (int step = 0; step < 500; ++step, time += 0.001) ASSERT_EQ(device.Step(time, step), step);
}

TEST(SampleLine, DelayIsExactInSamples) {
  for (int delay : {1, 2, 7, 40}) {
    Device device(Line(0, delay * 0.002), 0.002);
    double time = 0;
    for (int step = 0; step < 5000; ++step, time += 0.002)
      ASSERT_EQ(device.Step(time, step), step < delay ? -1 : step - delay) << delay;
  }
  // Between two steps: the next one.
  Device between(Line(0, 0.0025), 0.001);
  double time = 0;
  for (int step = 0; step < 100; ++step, time += 0.001)
    ASSERT_EQ(between.Step(time, step), step < 3 ? -1 : step - 3);
  // At 100 Hz, 25 ms late, in steps of 1 ms.
  Device slow(Line(100, 0.025), 0.001);
  time = 0;
  for (int step = 0; step < 2000; ++step, time += 0.001)
    ASSERT_EQ(slow.Step(time, step), step < 25 ? -1 : (step - 25) / 10 * 10) << step;
}

TEST(SampleLine, ReadsTheNewestOfAllThatArrived) {
  int cases = 0;
  for (double timestep : {0.001, 0.0025})
    for (double rate : {0.0, 90.0, 300.0, 333.0, 399.0, 1000.0, 2700.0})
      for (double delay : {0.0, 0.0004, 0.003, 0.0101, 0.05})
        for (double part : {0.0, 0.1, 1 / 3.0}) {
          const double jitter = part * delay;
          const ChainOptions o = Line(rate, delay, jitter, 3);
          const SampleLine reference(o, 1, timestep);
          if (!reference.holds()) continue;
          Device device(o, timestep);
          std::vector<std::pair<double, int>> sent;  // arrival, step: never forgotten
          std::int64_t last = -1;
          double time = 0;
          for (int step = 0; step < 400; ++step, time += timestep) {
            if (const std::int64_t k = reference.Number(time); k != last) {
              sent.emplace_back(reference.Arrival(k, time), step);
              last = k;
            }
            double expected = -1;
            for (const auto& [arrival, taken] : sent)
              if (arrival <= time + 1e-3 * timestep) expected = taken;
            ASSERT_EQ(device.Step(time, step), expected)
                << timestep << ' ' << rate << ' ' << delay << ' ' << jitter << " step " << step;
          }
          ++cases;
        }
  EXPECT_GT(cases, 150);
}

TEST(SampleLine, JitterHasItsStandardDeviation) {
  const double delay = 0.02, jitter = 0.004;
  const SampleLine line(Line(0, delay, jitter, 5), 1, 0.001);
  const int n = 100000;
  double sum = 0, squares = 0, least = 1, most = 0;
  for (int k = 0; k < n; ++k) {
    const double d = line.Arrival(k, 0.5) - 0.5;
    sum += d, squares += (d - delay) * (d - delay);
    least = std::min(least, d), most = std::max(most, d);
  }
  EXPECT_NEAR(sum / n, delay, 5 * jitter / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.9975 * jitter, 5 * jitter / std::sqrt(2 * n));
  // Some of 1e5 lie beyond 3 and are cut there.
  EXPECT_NEAR(least, delay - 3 * jitter, 1e-12);
  EXPECT_NEAR(most, delay + 3 * jitter, 1e-12);

  const SampleLine same(Line(0, delay, jitter, 5), 7, 0.001), other(Line(0, delay, jitter, 6), 1, 0.001);
  int equal = 0;
  for (int k = 0; k < 1000; ++k) {
    EXPECT_EQ(same.Arrival(k, 0.5), line.Arrival(k, 0.5));
    equal += other.Arrival(k, 0.5) == line.Arrival(k, 0.5);
  }
  EXPECT_LT(equal, 10);  // both cut on the same side: 1000 x 2 x 0.00135^2
}

TEST(SampleLine, ATimeThatJumpsBackStartsAnew) {
  Device device(Line(100, 0.03), 0.001);
  for (int step = 0; step < 1000; ++step) device.Step(step * 0.001, step);
  // Back to 0.5 s. Frames of the old future (0.97 to 0.99 s) and past never come back.
  for (int step = 500; step < 1500; ++step) {
    const double read = device.Step(step * 0.001, 10000 + step);
    ASSERT_EQ(read, step < 530 ? -1 : 10000 + (step - 30) / 10 * 10) << step;
  }
  // A little back: samples that had arrived by then are gone as well.
  Device near(Line(100, 0.03), 0.001);
  for (int step = 0; step < 1000; ++step) near.Step(step * 0.001, step);
  for (int step = 985; step < 1015; ++step) ASSERT_EQ(near.Step(step * 0.001, 10000), -1) << step;
  EXPECT_EQ(near.Step(1.015, 10000), 10000);
  // Without a delay there is a sample at once; forwards as well.
  Device held(Line(100), 0.001);
  EXPECT_EQ(held.Step(5.0, 1), 1);
  EXPECT_EQ(held.Step(5.001, 2), 1);
  EXPECT_EQ(held.Step(0.001, 3), 3);
  EXPECT_EQ(held.Step(0.002, 4), 3);
  EXPECT_EQ(held.Step(100.0, 5), 5);
}

TEST(SampleLine, SizeOfTheState) {
  EXPECT_EQ(SampleLine(Line(100), 12, 0.001).state_size(), 2 + 13);
  EXPECT_EQ(SampleLine(Line(0, 0.0045), 12, 0.001).state_size(), 2 + (4 + 3) * 13);
  EXPECT_EQ(SampleLine(Line(100, 0.0045), 12, 0.001).state_size(), 2 + 3 * 13);
  EXPECT_EQ(SampleLine(Line(0, 0.0041, 0.0001), 12, 0.001).state_size(), 2 + (4 + 3) * 13);
}

TEST(SampleLine, TooLongADelayIsAnError) {
  ChainOptions o = Line(0, 20);
  o.where = "sensor 'slow'";
  try {
    SampleLine(o, 4, 0.001);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(
        e.what(),
        "sensor 'slow': delay=20 s keeps 20003 samples on their way (one every 0.001 s), more than 10000; "
        "shorten the delay or lower the rate");
  }
  o.rate = 100;
  EXPECT_EQ(SampleLine(o, 4, 0.001).state_size(), 2 + 2003 * 5);
}

}  // namespace
}  // namespace taxel
