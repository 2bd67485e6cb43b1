// What a marker sensor remembers:
//   - what is written is read, object by object; unused numbers are 0 again
//   - more points than room: told, and nothing beyond the room is touched
//   - counts that nobody wrote (negative, too large, not a number) do not lead beyond the room
#include "taxel/mujoco/marker_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace taxel::mujoco {
namespace {

MarkerSettings Settings(int capacity, double rate) {
  MarkerSettings s;
  s.rows = 2, s.cols = 1;
  s.capacity = capacity;
  s.rate = rate;
  return s;
}

MarkerState State(int points, double seed) {
  MarkerState s;
  s.started = true;
  s.X_PI = {RotationAbout({0, 0, 1}, seed), {seed, 2 * seed, -seed}};
  for (int i = 0; i < points; ++i) {
    s.index.push_back(3 * i + 1);
    s.f_P.push_back({seed * i, seed, 0.1 * i});
    s.phi.push_back(-seed - i);
  }
  return s;
}

TEST(MarkerMemory, WhatIsWrittenIsRead) {
  const MarkerMemory memory(Settings(10, 60), 3);
  ASSERT_EQ(memory.size(), 2 + 6 + 3 * 14 + 50);
  std::vector<mjtNum> data(memory.size(), 0.0);
  EXPECT_FALSE(MarkerMemory::Started(data.data()));
  const auto write = [&](int a, int b, int c) {
    memory.Begin(data.data(), 0.25, {1, 2, 3, 4, 5, 6}, {});
    int first = 0, k = 0;
    bool room = true;
    for (const int n : {a, b, c}) {
      room &= memory.Append(data.data(), k, &first, State(n, 0.1 * (1 + k)));
      ++k;
    }
    return room;
  };
  EXPECT_TRUE(write(4, 0, 5));
  EXPECT_TRUE(MarkerMemory::Started(data.data()));
  EXPECT_EQ(MarkerMemory::Time(data.data()), 0.25);
  EXPECT_EQ(memory.Reading(data.data())[4], 5);
  EXPECT_EQ(memory.Used(data.data()), 2 + 6 + 3 * 14 + 45);
  int first = 0, k = 0;
  for (const int n : {4, 0, 5}) {
    MarkerState now;
    memory.Read(data.data(), k, &first, &now);
    EXPECT_EQ(now, State(n, 0.1 * (1 + k)));
    ++k;
  }
  // Fewer points leave nothing behind.
  EXPECT_TRUE(write(1, 0, 0));
  EXPECT_EQ(std::accumulate(data.begin() + memory.Used(data.data()), data.end(), 0.0,
                            [](double sum, double x) { return sum + std::fabs(x); }),
            0);
}

TEST(MarkerMemory, TooManyPointsStayWithinTheRoom) {
  const MarkerMemory memory(Settings(6, 0), 2);
  std::vector<mjtNum> data(memory.size() + 1, 0.0);
  data.back() = 7;
  memory.Begin(data.data(), 0, {}, {});
  int first = 0;
  EXPECT_TRUE(memory.Append(data.data(), 0, &first, State(4, 0.1)));
  EXPECT_FALSE(memory.Append(data.data(), 1, &first, State(4, 0.2)));
  EXPECT_EQ(first, 6);
  EXPECT_EQ(data.back(), 7);
  MarkerState now;
  first = 4;
  memory.Read(data.data(), 1, &first, &now);
  EXPECT_EQ(now.index.size(), 2u);
}

TEST(MarkerMemory, StrangeCountsDoNoHarm) {
  const MarkerMemory memory(Settings(6, 0), 2);
  for (const double count : {-5.0, 1e300, std::nan(""), HUGE_VAL}) {
    std::vector<mjtNum> data(memory.size(), 0.0);
    data[2] = data[2 + 14] = 1;
    data[2 + 13] = data[2 + 14 + 13] = count;
    EXPECT_LE(memory.Used(data.data()), memory.size());
    int first = 0;
    for (const int k : {0, 1}) {
      MarkerState now;
      memory.Read(data.data(), k, &first, &now);
      EXPECT_LE(first, 6);
    }
  }
}

}  // namespace
}  // namespace taxel::mujoco
