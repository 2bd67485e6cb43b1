// How long work is stopped from outside: Ctrl-C in Python, a button in a program.
#pragma once

#include <atomic>
#include <exception>

namespace taxel {

/// Somebody asked to stop. Whatever was being made is gone; whatever was being moved on stands at a whole
/// step. Not an Error: nothing was wrong with the input.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Says whether to stop. Asked some twenty times a second by each thread that is in long work, so it must be
/// safe to call from any of them.
using InterruptCheck = bool (*)();
/// One for the process, as a signal handler is; null (the default) asks nobody. Returns the one before.
InterruptCheck SetInterruptCheck(InterruptCheck check);

/// Called by long loops on the thread that asked for the work. @throws Interrupted
void CheckInterrupt();

/// Work that must not end half-way, a step of the physics: while it lives, CheckInterrupt does not ask.
class NoInterrupt {
 public:
  NoInterrupt();
  ~NoInterrupt();
  NoInterrupt(const NoInterrupt&) = delete;
  NoInterrupt& operator=(const NoInterrupt&) = delete;
};

/// Work that several threads share: while it lives, CheckInterrupt on this thread also throws once `stop` is
/// set.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

}  // namespace taxel
