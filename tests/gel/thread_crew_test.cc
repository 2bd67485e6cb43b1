// Cases: every index once, for crews and chunks of all sizes, also more threads than work; the numbers of the
// threads; many rounds in a row; what one round wrote is seen in the next; nothing to do; the child of a fork
// works, and both processes end their crews.
#include "taxel/gel/thread_crew.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Its threads stay behind in the parent: a crew that waits for them would wait for ever.
TEST(ThreadCrew, WorksInTheChildOfAFork) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no threads after a fork";
#endif
  const auto sum = [](ThreadCrew* crew) {
    std::vector<long> sums(static_cast<std::size_t>(crew->size()), 0);
    crew->For(1000, 3, [&](int i, int thread) { sums[static_cast<std::size_t>(thread)] += i; });
    return std::accumulate(sums.begin(), sums.end(), 0L);
  };
  auto used = std::make_unique<ThreadCrew>(3), idle = std::make_unique<ThreadCrew>(4);
  // Both have worked: all threads wait. One that is still starting may hold a lock of AddressSanitizer's,
  // which unlike the C library's stays locked in the child.
  ASSERT_EQ(sum(used.get()), 499500);
  ASSERT_EQ(sum(idle.get()), 499500);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    const bool good = sum(used.get()) == 499500 && sum(used.get()) == 499500;
    used.reset(), idle.reset();  // one that worked here, one that did not
    _exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(sum(used.get()), 499500);
}

TEST(ThreadCrew, ZeroIsAllAndAnIdleCrewLeaves) {
  { const ThreadCrew crew(5); }
  EXPECT_GE(ThreadCrew(0).size(), 1);
}

}  // namespace
}  // namespace taxel
