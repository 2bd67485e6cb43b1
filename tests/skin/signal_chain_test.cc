// The whole signal chain (signal_chain_stages_test.cc has each stage alone):
//   - order of the stages; the state: zero at rest, size, copied midway; Output changes nothing
//   - rate, delay and the material between samples; raw that is not needed
//   - time that jumps back; threads; seeds and channels
#include "taxel/skin/signal_chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <thread>

#include "chain_device.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

using namespace chain_test;

// Every stage at once.
const Entries kAll = {{"unit", "N"},          {"spread", "0.003"},       {"hysteresis", "0.1 3e4"},
                      {"creep", "0.1 0.05"},  {"gain", "0.1"},           {"offset", "0.01 0.02"},
                      {"drift", "1 5"},       {"drift_offset", "0.3"},   {"crosstalk", "0.04"},
                      {"noise", "0.01 0.02"}, {"crosstalk_rows", "0.1"}, {"saturation", "-0.2 0.9"},
                      {"dead", "3"},          {"quantum", "0.001"},      {"stuck", "5"},
                      {"stuck_value", "0.7"}, {"dead_fraction", "0.2"},  {"rate", "170"},
                      {"delay", "0.02"},      {"jitter", "0.006"},       {"seed", "11"}};

TEST(SignalChain, StagesFollowTheirOrder) {
  // 10 -> gain 3: 30 -> offset 1: 31, the other 1 -> crosstalk half: 31.5 -> noise mean 0.2: 31.7 ->
  // saturation 31.6
  // -> quantum 0.5: 31.5; the neighbour 1 + 15.5 + 0.2 = 16.7 -> 16.5.
  EXPECT_EQ(Once({{"gains", "3"},
                  {"offsets", "1"},
                  {"crosstalk", "0.5"},
                  {"noise", "0.2 0"},
                  {"saturation", "31.6"},
                  {"quantum", "0.5"}},
                 TiltedGrid(1, 2), {10, 0}),
            (Doubles{31.5, 16.5}));
}

TEST(SignalChain, SizeOfTheState) {
  const auto size = [](const Entries& e) { return SignalChain::StateSize(Read(e), 15, kStep); };
  EXPECT_EQ(size({{"noise", "0 1"}, {"gain", "0.1"}, {"spread", "0.01"}, {"crosstalk", "0.1"}}), 0);
  EXPECT_EQ(size({{"hysteresis", "0.1 1e4"}}), 45);
  EXPECT_EQ(size({{"creep", "0.1 1 0.1 2"}}), 30);
  EXPECT_EQ(size({{"drift_offset", "1"}}), 15);
  EXPECT_EQ(size({{"rate", "100"}}), 2 + 16);
  EXPECT_EQ(size({{"delay", "0.009"}}), 2 + 7 * 16);
  EXPECT_EQ(size({{"hysteresis", "0.1 1e4"}, {"creep", "0.1 1"}, {"drift_offset", "1"}, {"rate", "100"}}),
            93);
  EXPECT_EQ(size(kAll), SignalChain(Read(kAll), TiltedGrid(3, 5), kStep).state_size());
  ChainOptions large = Read({{"delay", "15"}});
  EXPECT_THROW(SignalChain::StateSize(large, 65536, kStep), Error);
  EXPECT_THROW(SignalChain::StateSize(Read({{"dead", "15"}}), 15, kStep), Error);
  EXPECT_THROW(SignalChain(Read({{"gains", "1 2"}}), TiltedGrid(1, 3), kStep), Error);
}

TEST(SignalChain, ZerosAreTheStateAtRest) {
  const SignalChain chain(Read(kAll), TiltedGrid(3, 5), kStep);
  Doubles state(static_cast<std::size_t>(chain.state_size()), 3.14);
  chain.Reset(state.data());
  for (double v : state) EXPECT_EQ(v, 0);
}

TEST(SignalChain, OutputChangesNothing) {
  Device device(kAll, TiltedGrid(3, 5));
  for (int s = 0; s < 60; ++s) {
    const Doubles raw = AnyLoad(15, 100 + s), before = device.state;
    const Doubles first = device.Output(raw), second = device.Output(raw);
    EXPECT_EQ(first, second);
    EXPECT_EQ(device.state, before);
    EXPECT_EQ(device.Step(raw), first);
    EXPECT_NE(device.state, before);
    // Asked once more for the step that is over, the device says the same.
    device.time -= kStep;
    EXPECT_EQ(device.Output(raw), first);
    device.time += kStep;
  }
}

TEST(SignalChain, ACopiedStateContinuesIdentically) {
  Device device(kAll, TiltedGrid(3, 5));
  for (int s = 0; s < 77; ++s) device.Step(AnyLoad(15, s));
  Device copy(kAll, TiltedGrid(3, 5));
  copy.state = device.state;
  copy.time = device.time;
  std::set<Doubles> seen;
  for (int s = 77; s < 200; ++s) {
    const Doubles out = device.Step(AnyLoad(15, s));
    EXPECT_EQ(copy.Step(AnyLoad(15, s)), out);
    seen.insert(out);
  }
  EXPECT_GT(seen.size(), 20u);  // and it did live
  EXPECT_EQ(std::memcmp(copy.state.data(), device.state.data(), copy.state.size() * sizeof(double)), 0);
}

TEST(SignalChain, RawIsNotNeededBetweenSamples) {
  Device device({{"rate", "125"}, {"noise", "0 1"}, {"drift_offset", "100"}}, TiltedGrid(2, 3));
  Doubles held;
  for (int s = 0; s < 200; ++s) {
    const bool due = device.chain.SampleDue(device.time, device.state.data());
    EXPECT_EQ(due, s % 4 == 0);
    if (due) {
      held = device.StepUniform(1000 * s);
      EXPECT_NEAR(held[0], 1000 * s, 50);
      continue;
    }
    Doubles out(6);
    device.chain.Output(device.time, nullptr, device.state.data(), out.data());
    EXPECT_EQ(out, held);
    device.chain.Advance(device.time, nullptr, device.state.data());
    device.time += kStep;
  }
}

TEST(SignalChain, TheMaterialFeelsWhatIsNotSampled) {
  // Pressed only between two samples: the device never shows the peak, but the residual stays.
  Device device({{"rate", "50"}, {"hysteresis", "0.2 1e4"}}, TiltedGrid(1, 2));
  for (int s = 0; s <= 10; ++s) {
    EXPECT_TRUE(device.chain.SampleDue(device.time, device.state.data()));
    const double out = device.StepUniform(s >= 3 && s <= 6 ? 1e4 : 0)[1];
    EXPECT_NEAR(out, s < 10 ? 0 : 1000, 1e-9) << s;
  }
}

TEST(SignalChain, BeforeTheFirstSampleArrivesThereIsNoLoad) {
  const Entries more = {{"delay", "0.01"}, {"offsets", "5"}, {"noise", "0 9"},
                        {"dead", "1"},     {"stuck", "0"},   {"stuck_value", "17"}};
  Device device(With(kMyrmex, more), TiltedGrid(1, 3));
  EXPECT_EQ(device.chain.no_load(), (Doubles{17, 4090, 4090}));
  for (int s = 0; s < 10; ++s) {
    const Doubles out = device.StepUniform(20475);
    EXPECT_EQ(out[0], 17);
    EXPECT_EQ(out[1], 4090);
    if (s < 5) {
      EXPECT_EQ(out[2], 4090);
    } else {
      EXPECT_NEAR(out[2], 2042, 50);
    }
  }
}

TEST(SignalChain, DelayIsThatOfTheWholeReading) {
  const Entries plain = {{"noise", "0 3"}, {"hysteresis", "0.1 1e4"}, {"creep", "0.2 0.05"}, {"gain", "0.1"}};
  const Entries late = With(plain, {{"delay", "0.014"}});  // seven steps
  Device now(plain, TiltedGrid(3, 4)), then(late, TiltedGrid(3, 4));
  std::vector<Doubles> outputs;
  for (int s = 0; s < 300; ++s) {
    outputs.push_back(now.Step(AnyLoad(12, s)));
    const Doubles out = then.Step(AnyLoad(12, s));
    EXPECT_EQ(out, s < 7 ? Doubles(12, 0.0) : outputs[s - 7]);
  }
}

TEST(SignalChain, ATimeThatJumpsBackBreaksNothing) {
  for (const Entries& e : {kAll, Entries{{"noise", "0 1"}}, Entries{{"rate", "100"}}}) {
    Device device(e, TiltedGrid(3, 5));
    for (int s = 0; s < 300; ++s) device.Step(AnyLoad(15, s));
    device.time = 0.1;
    EXPECT_TRUE(device.chain.SampleDue(device.time, device.state.data()));
    for (int s = 0; s < 300; ++s)
      for (double v : device.Step(AnyLoad(15, s))) ASSERT_TRUE(std::isfinite(v));
  }
  Device held({{"rate", "100"}, {"delay", "0.02"}}, TiltedGrid(1, 1));
  for (int s = 0; s < 300; ++s) held.StepUniform(1);
  held.time = 0.2;
  for (int s = 0; s < 30; ++s) EXPECT_EQ(held.StepUniform(2)[0], s < 10 ? 0 : 2) << s;
}

// ---- Random numbers ----

Doubles Trace(const SignalChain& chain, std::uint64_t world) {
  Doubles state(static_cast<std::size_t>(chain.state_size()), 0.0),
      out(static_cast<std::size_t>(chain.count())), all;
  for (int s = 0; s < 150; ++s) {
    const Doubles raw = AnyLoad(chain.count(), 1000 * world + static_cast<std::uint64_t>(s));
    chain.Output(s * kStep, raw.data(), state.data(), out.data());
    chain.Advance(s * kStep, raw.data(), state.data());
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

TEST(SignalChain, SameBitsWhateverTheThreads) {
  // Two chains of different size, so that scratch memory of a thread is shared by both.
  const SignalChain small(Read(kAll), TiltedGrid(3, 5), kStep), large(Read(kAll), TiltedGrid(9, 7), kStep);
  std::vector<Doubles> one(16), four(16);
  const auto work = [&](std::size_t w, std::vector<Doubles>* results) {
    (*results)[w] = Trace(w % 2 ? small : large, w);
  };
  for (std::size_t w = 0; w < 16; ++w) work(w, &one);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t w = 0; w < 16; ++w)
        if ((w / 2) % 4 == t) work(15 - w, &four);
    });
  for (std::thread& t : threads) t.join();
  for (std::size_t w = 0; w < 16; ++w)
    ASSERT_EQ(std::memcmp(one[w].data(), four[w].data(), one[w].size() * sizeof(double)), 0) << w;
}

TEST(SignalChain, SeedsAndChannelsHaveTheirOwnStreams) {
  for (const Entries& stage :
       {Entries{{"noise", "0 5"}}, Entries{{"gain", "0.1"}}, Entries{{"offset", "0 3"}},
        Entries{{"drift", "0 9"}}, Entries{{"drift_offset", "50"}}}) {
    const auto trace = [&](const char* seed, int channel) {
      return Trace(
          SignalChain(Read(With(stage, {{"seed", seed}})), TiltedGrid(3, 5), kStep, channel, channel > 0), 1);
    };
    const Doubles base = trace("1", 0);
    EXPECT_EQ(trace("1", 0), base);
    for (const Doubles& other : {trace("2", 0), trace("1", 1), trace("1", 2)}) {
      int equal = 0;
      // The first step aside: nothing has drifted yet.
      for (std::size_t i = 15; i < base.size(); ++i) equal += base[i] == other[i];
      EXPECT_EQ(equal, 0) << stage[0].first;
    }
  }
}

}  // namespace
}  // namespace taxel
