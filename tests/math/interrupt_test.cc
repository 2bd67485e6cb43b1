// How long work is stopped:
//   - nobody is asked, nobody stops
//   - a yes throws, is asked again at once, and a no goes on
//   - a thread is asked some twenty times a second, not at each call
//   - work that must not end half-way is not
//   - the flag that threads share stops them without a question, and only as long as its scope lives
#include "taxel/math/interrupt.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace taxel {
namespace {

std::atomic<int> questions{0};
std::atomic<bool> answer{false};
bool Answer() {
  ++questions;
  return answer;
}

// Takes the question back, whatever happens.
class Asked {
 public:
  explicit Asked(bool yes) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));  // the last test's pause is over
    questions = 0, answer = yes;
    before_ = SetInterruptCheck(&Answer);
  }
  ~Asked() { SetInterruptCheck(before_); }

 private:
  InterruptCheck before_;
};

TEST(Interrupt, NobodyIsAsked) { EXPECT_NO_THROW(CheckInterrupt()); }

TEST(Interrupt, AYesThrowsUntilItIsANo) {
  const Asked asked(true);
  EXPECT_THROW(CheckInterrupt(), Interrupted);
  EXPECT_THROW(CheckInterrupt(), Interrupted);
  EXPECT_EQ(questions, 2);
  answer = false;
  EXPECT_NO_THROW(CheckInterrupt());
  EXPECT_EQ(questions, 3);
}

TEST(Interrupt, IsAskedSeldom) {
  const Asked asked(false);
  const auto start = std::chrono::steady_clock::now();
  int calls = 0;
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(120)) CheckInterrupt(), ++calls;
  EXPECT_GT(calls, 100);
  EXPECT_GE(questions, 1);
  EXPECT_LE(questions, 1 + calls / 10);
}

TEST(Interrupt, AStepIsNotStopped) {
  const Asked asked(true);
  {
    const NoInterrupt whole;
    const NoInterrupt nested;
    EXPECT_NO_THROW(CheckInterrupt());
  }
  EXPECT_EQ(questions, 0);
  EXPECT_THROW(CheckInterrupt(), Interrupted);
}

TEST(Interrupt, ASharedFlagStopsWithoutAQuestion) {
  std::atomic<bool> stop{false};
  {
    const StopScope scope(&stop);
    EXPECT_NO_THROW(CheckInterrupt());
    stop = true;
    EXPECT_THROW(CheckInterrupt(), Interrupted);
    std::thread([] { EXPECT_NO_THROW(CheckInterrupt()); }).join();
  }
  EXPECT_NO_THROW(CheckInterrupt());
}

}  // namespace
}  // namespace taxel
