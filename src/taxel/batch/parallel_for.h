// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "taxel/math/interrupt.h"

namespace taxel::internal {

/// Calls work(i, Scratch*) for i in [0, n), `chunk` of them at a time, on `threads` threads (0: all); each
/// thread has a Scratch of its own. What is thrown is kept: of several failures that with the lowest i is
/// returned, whatever the threads do, with i in `failed`; the others are still done.
///
/// An interrupt ends it between two pieces, and inside a piece that calls CheckInterrupt; it is returned
/// before any other failure.
template <typename Scratch, typename Work>
std::exception_ptr ParallelFor(std::size_t n, int threads, std::size_t chunk, std::size_t* failed,
                               const Work& work) {
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  threads =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), (n + chunk - 1) / chunk));
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable left;
  int at_work = 0;
  std::exception_ptr failure, interrupt;
  *failed = n;
  const auto interrupted = [&] {
    const std::lock_guard lock(mutex);
    if (!interrupt) interrupt = std::current_exception();
    stop = true;
  };
  const auto run = [&] {
    const StopScope scope(&stop);
    Scratch scratch;
    for (std::size_t begin; (begin = next.fetch_add(chunk)) < n;)
      for (std::size_t i = begin; i < std::min(begin + chunk, n); ++i) {
        try {
          CheckInterrupt();
          work(i, &scratch);
        } catch (const Interrupted&) {
          return interrupted();
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (i < *failed) *failed = i, failure = std::current_exception();
        }
      }
  };
  std::vector<std::thread> crew;
  try {
    for (int k = 1; k < threads; ++k) {
      crew.emplace_back([&] {
        run();
        const std::lock_guard lock(mutex);
        --at_work;
        left.notify_one();
      });
      const std::lock_guard lock(mutex);
      ++at_work;
    }
  } catch (const std::system_error&) {  // the machine gives no more: those that run do the work
  }
  run();
  // The others may be at a long piece, and only this thread is asked whether to stop.
  {
    std::unique_lock lock(mutex);
    while (at_work > 0) {
      left.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();
      try {
        if (!stop) CheckInterrupt();
      } catch (const Interrupted&) {
        interrupted();
      }
      lock.lock();
    }
  }
  for (auto& t : crew) t.join();
  return interrupt ? interrupt : failure;
}

}  // namespace taxel::internal
