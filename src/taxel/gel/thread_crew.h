// A crew of threads that waits between two pieces of work, for loops of well under a millisecond.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace taxel {

class ThreadCrew {
 public:
  /// 0: as many as the machine has.
  explicit ThreadCrew(int threads);
  ~ThreadCrew();
  ThreadCrew(const ThreadCrew&) = delete;
  ThreadCrew& operator=(const ThreadCrew&) = delete;

  int size() const { return static_cast<int>(crew_.size()) + 1; }
  /// work(i, thread) for i in [0, n), `chunk` of them at a time; back when all are done. What is thrown on a
  /// crew of two or more ends the program: check before. Not from two threads at once.
  void For(int n, int chunk, const std::function<void(int, int)>& work);

 private:
  void Wait(int thread);
  void Run(int thread) noexcept;

  std::vector<std::thread> crew_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool leave_ = false;
  const std::function<void(int, int)>* work_ = nullptr;
  std::atomic<int> next_{0};
  int n_ = 0, chunk_ = 1;
};

}  // namespace taxel
