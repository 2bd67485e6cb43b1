// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace taxel {

/// Calls work(i, Scratch*) for i in [0, n), `chunk` of them at a time, on `threads` threads (0: all); each
/// thread has a Scratch of its own. What is thrown is kept: of several failures that with the lowest i is
/// returned, whatever the threads do, with i in `failed`; the others are still done.
template <typename Scratch, typename Work>
std::exception_ptr ParallelFor(std::size_t n, int threads, std::size_t chunk, std::size_t* failed,
                               const Work& work) {
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  threads =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), (n + chunk - 1) / chunk));
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  *failed = n;
  const auto run = [&] {
    Scratch scratch;
    for (std::size_t begin; (begin = next.fetch_add(chunk)) < n;)
      for (std::size_t i = begin; i < std::min(begin + chunk, n); ++i) {
        try {
          work(i, &scratch);
        } catch (...) {
          const std::lock_guard lock(failure_mutex);
          if (i < *failed) *failed = i, failure = std::current_exception();
        }
      }
  };
  std::vector<std::thread> crew;
  try {
    for (int k = 1; k < threads; ++k) crew.emplace_back(run);
  } catch (const std::system_error&) {  // the machine gives no more: those that run do the work
  }
  run();
  for (auto& t : crew) t.join();
  return failure;
}

}  // namespace taxel
