// A loop whose turns do not depend on each other, on the cores at hand.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "taxel/math/interrupt.h"

namespace taxel::internal {

/// Calls use(i) for 0 <= i < n, in any order, from up to eight threads. Each turn must write to its own place
/// and throw nothing; then the result does not depend on the number of threads. A short loop (n below
/// `at_least`) stays on the caller's thread, and so does all of it where no thread can be had.
/// @throws Interrupted, once all threads have stopped (math/interrupt.h).
template <class Use>
void ForEachIndex(std::size_t n, std::size_t at_least, Use&& use, int threads = 0) {
  if (threads == 0)
    threads = static_cast<int>(std::min(8u, std::max(1u, std::thread::hardware_concurrency())));
  constexpr std::size_t kChunk = 256;
  std::atomic<std::size_t> next{0};
  const auto work = [&](bool ask) {
    for (std::size_t begin; (begin = next.fetch_add(kChunk)) < n;) {
      if (ask) CheckInterrupt();
      for (std::size_t i = begin; i < std::min(begin + kChunk, n); ++i) use(i);
    }
  };
  std::vector<std::thread> crew;
  if (n >= at_least) {
    try {
      for (int t = 1; t < threads; ++t) crew.emplace_back(work, false);
    } catch (const std::system_error&) {  // as many as there are
    }
  }
  std::exception_ptr stopped;
  try {
    work(true);
  } catch (const Interrupted&) {
    next = n;
    stopped = std::current_exception();
  }
  for (std::thread& t : crew) t.join();
  if (stopped) std::rethrow_exception(stopped);
}

}  // namespace taxel::internal
