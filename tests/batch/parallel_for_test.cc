// Work on threads. Cases:
//   - every index once, whatever the number of threads and the chunk; none for n = 0; more threads than work
//   - each thread has a scratch of its own
//   - of several failures the one with the lowest index comes back, the rest is done all the same
//   - an interrupt ends it between two pieces, and inside pieces of other threads that look for it; it comes
//     back before other failures
#include "taxel/batch/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>

namespace taxel {
using namespace internal;
namespace {

struct Empty {};

TEST(ParallelFor, CallsEveryIndexOnce) {
  for (const std::size_t n : {0, 1, 7, 8, 9, 100})
    for (const int threads : {0, 1, 3, 16})
      for (const std::size_t chunk : {1, 8, 1000}) {
        std::vector<std::atomic<int>> calls(n);
        std::size_t failed = 12345;
        EXPECT_EQ(ParallelFor<Empty>(n, threads, chunk, &failed, [&](std::size_t i, Empty*) { ++calls[i]; }),
                  nullptr);
        for (const auto& c : calls) EXPECT_EQ(c, 1);
        EXPECT_EQ(failed, n);
      }
}

TEST(ParallelFor, ScratchBelongsToOneThread) {
  struct Owned {
    std::thread::id owner;
    int uses = 0;
  };
  std::atomic<int> wrong{0}, total{0};
  std::mutex mutex;
  std::set<Owned*> seen;
  std::size_t failed;
  ParallelFor<Owned>(500, 3, 4, &failed, [&](std::size_t, Owned* s) {
    if (s->uses++ == 0) s->owner = std::this_thread::get_id();
    wrong += s->owner != std::this_thread::get_id();
    ++total;
    const std::lock_guard lock(mutex);
    seen.insert(s);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(total, 500);
  EXPECT_LE(seen.size(), 3u);
}

TEST(ParallelFor, LowestFailureComesBackAndTheRestIsDone) {
  for (const int threads : {1, 3}) {
    std::atomic<int> done{0};
    std::size_t failed;
    const std::exception_ptr failure =
        ParallelFor<Empty>(200, threads, 8, &failed, [&](std::size_t i, Empty*) {
          if (i == 37 || i == 38 || i == 150) throw std::runtime_error(std::to_string(i));
          ++done;
        });
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failed, 37u);
    EXPECT_EQ(done, 197);
    try {
      std::rethrow_exception(failure);
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "37");
    }
  }
}

std::atomic<int> begun{0};
std::thread::id caller;
// As Python does it: only the thread that called is told to stop.
bool OnceBegun() { return std::this_thread::get_id() == caller && begun > 0; }

TEST(ParallelFor, AnInterruptEndsItEverywhere) {
  caller = std::this_thread::get_id();
  for (const int threads : {1, 2, 5}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    begun = 0;
    const InterruptCheck before = SetInterruptCheck(&OnceBegun);
    std::size_t failed;
    const std::exception_ptr failure =
        ParallelFor<Empty>(100000, threads, 1, &failed, [&](std::size_t i, Empty*) {
          ++begun;
          if (i == 0) throw std::runtime_error("not this one");
          for (;;) {  // never done by itself
            CheckInterrupt();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        });
    SetInterruptCheck(before);
    EXPECT_LE(begun, threads + 1);
    ASSERT_NE(failure, nullptr);
    EXPECT_THROW(std::rethrow_exception(failure), Interrupted);
  }
}

// The caller has nothing left to do and waits for a thread at a long piece.
TEST(ParallelFor, AnInterruptReachesTheLastThread) {
  caller = std::this_thread::get_id();
  begun = 0;
  const InterruptCheck before = SetInterruptCheck(&OnceBegun);
  std::size_t failed;
  const std::exception_ptr failure = ParallelFor<Empty>(2, 2, 1, &failed, [&](std::size_t, Empty*) {
    if (std::this_thread::get_id() == caller) {
      while (begun == 0) std::this_thread::yield();
      return;
    }
    ++begun;
    for (;;) {
      CheckInterrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  SetInterruptCheck(before);
  ASSERT_NE(failure, nullptr);
  EXPECT_THROW(std::rethrow_exception(failure), Interrupted);
}

}  // namespace
}  // namespace taxel
