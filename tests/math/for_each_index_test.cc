// A loop on many threads: every turn once, the same result for any number of threads, short loops stay here.
#include "taxel/math/for_each_index.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taxel {
using namespace internal;
namespace {

TEST(ForEachIndex, EveryTurnOnceWhateverTheThreads) {
  for (std::size_t n : {0u, 1u, 255u, 256u, 257u, 10007u}) {
    std::vector<double> first;
    for (int threads : {1, 2, 5, 16}) {
      std::vector<int> turns(n, 0);
      std::vector<double> out(n);
      ForEachIndex(
          n, 0,
          [&](std::size_t i) {
            ++turns[i];
            out[i] = std::sin(0.37 * static_cast<double>(i));
          },
          threads);
      for (int t : turns) ASSERT_EQ(t, 1);
      if (threads == 1) first = out;
      EXPECT_EQ(out, first);
    }
  }
}

TEST(ForEachIndex, ShortLoopsStayOnTheCallersThread) {
  const std::thread::id here = std::this_thread::get_id();
  ForEachIndex(
      999, 1000, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), here); }, 4);
}

}  // namespace
}  // namespace taxel
