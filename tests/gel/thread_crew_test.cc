// Cases: every index once, for crews and chunks of all sizes, also more threads than work; the numbers of the
// threads; many rounds in a row; what one round wrote is seen in the next; nothing to do.
#include "taxel/gel/thread_crew.h"

#include <gtest/gtest.h>

#include <numeric>

namespace taxel {
namespace {

TEST(ThreadCrew, DoesEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    ThreadCrew crew(threads);
    ASSERT_EQ(crew.size(), threads);
    for (const int n : {0, 1, 5, 64, 1000})
      for (const int chunk : {1, 4, 7, 2000}) {
        std::vector<int> times(static_cast<std::size_t>(n), 0), who(times.size(), -1);
        crew.For(n, chunk, [&](int i, int thread) {
          ++times[static_cast<std::size_t>(i)];
          who[static_cast<std::size_t>(i)] = thread;
        });
        for (int i = 0; i < n; ++i) {
          ASSERT_EQ(times[static_cast<std::size_t>(i)], 1) << i;
          ASSERT_GE(who[static_cast<std::size_t>(i)], 0);
          ASSERT_LT(who[static_cast<std::size_t>(i)], threads);
        }
      }
  }
}

TEST(ThreadCrew, RoundsFollowEachOther) {
  ThreadCrew crew(3);
  constexpr int kSize = 97;
  std::vector<long> a(kSize, 1), b(kSize, 0);
  for (int round = 0; round < 2000; ++round) {
    crew.For(kSize, 5, [&](int i, int) {
      b[static_cast<std::size_t>(i)] = a[static_cast<std::size_t>((i + 1) % kSize)] + 1;
    });
    crew.For(kSize, 11, [&](int i, int) {
      a[static_cast<std::size_t>(i)] = b[static_cast<std::size_t>((i + 7) % kSize)];
    });
  }
  EXPECT_EQ(a, std::vector<long>(kSize, 2001));
}

TEST(ThreadCrew, AThreadHasItsOwnScratch) {
  ThreadCrew crew(4);
  std::vector<long> sums(4, 0);  // a race, were a number given to two threads
  crew.For(10000, 3, [&](int i, int thread) { sums[static_cast<std::size_t>(thread)] += i; });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0L), 10000L * 9999 / 2);
}

TEST(ThreadCrew, ZeroIsAllAndAnIdleCrewLeaves) {
  { const ThreadCrew crew(5); }
  EXPECT_GE(ThreadCrew(0).size(), 1);
}

}  // namespace
}  // namespace taxel
