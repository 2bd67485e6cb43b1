// A value made when it is first asked for: once, for all threads; an error is remembered.
#include "taxel/math/on_first_use.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace taxel {
using namespace internal;
namespace {

TEST(OnFirstUse, IsMadeOnceForAllThreads) {
  const OnFirstUse<std::vector<int>> lazy;
  EXPECT_FALSE(lazy.made());
  std::atomic<int> made{0};
  const std::vector<int>* seen[8] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      seen[i] = &lazy([&] {
        ++made;
        return std::vector<int>{3, 1, 4};
      });
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(lazy.made());
  for (const auto* s : seen) EXPECT_EQ(s, seen[0]);
  EXPECT_EQ(seen[0]->at(2), 4);
}

TEST(OnFirstUse, RemembersItsError) {
  const OnFirstUse<int> lazy;
  int tries = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      lazy([&]() -> int {
        ++tries;
        throw Error("too large");
      });
      ADD_FAILURE();
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "too large");
    }
  }
  EXPECT_EQ(tries, 1);
  EXPECT_FALSE(lazy.made());
}

}  // namespace
}  // namespace taxel
