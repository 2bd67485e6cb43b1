// A crew of threads that waits between two pieces of work, for loops of well under a millisecond.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

namespace taxel {

/// Threads do not live on in the child of a fork: there the first For makes new ones.
class ThreadCrew {
 public:
  /// 0: as many as the machine has.
  explicit ThreadCrew(int threads);
  ~ThreadCrew();
  ThreadCrew(const ThreadCrew&) = delete;
  ThreadCrew& operator=(const ThreadCrew&) = delete;

  int size() const { return size_; }
  /// work(i, thread) for i in [0, n), `chunk` of them at a time; back when all are done. What is thrown on a
  /// crew of two or more ends the program: check before. Not from two threads at once.
  void For(int n, int chunk, const std::function<void(int, int)>& work);

 private:
  struct Crew;
  void Hire(int threads);

  int size_ = 1;
  pid_t process_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace taxel
