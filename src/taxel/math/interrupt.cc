#include "taxel/math/interrupt.h"

#include <chrono>

namespace taxel {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPause = std::chrono::milliseconds(50);

std::atomic<InterruptCheck> installed{nullptr};
thread_local const std::atomic<bool>* stop_of_thread = nullptr;
thread_local Clock::time_point next_question;
thread_local int forbidden = 0;

}  // namespace

InterruptCheck SetInterruptCheck(InterruptCheck check) { return installed.exchange(check); }

void CheckInterrupt() {
  if (stop_of_thread && stop_of_thread->load(std::memory_order_relaxed)) throw Interrupted();
  const InterruptCheck check = installed.load(std::memory_order_acquire);
  if (!check || forbidden > 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_question) return;
  next_question = now + kPause;
  if (!check()) return;
  next_question = {};  // whoever tries again is told at once
  throw Interrupted();
}

NoInterrupt::NoInterrupt() { ++forbidden; }
NoInterrupt::~NoInterrupt() { --forbidden; }

StopScope::StopScope(const std::atomic<bool>* stop) : before_(stop_of_thread) { stop_of_thread = stop; }
StopScope::~StopScope() { stop_of_thread = before_; }

}  // namespace taxel
