#include "taxel/gel/thread_crew.h"

#include <algorithm>
#include <system_error>

namespace taxel {

ThreadCrew::ThreadCrew(int threads) {
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  try {
    for (int k = 1; k < threads; ++k) crew_.emplace_back([this, k] { Wait(k); });
  } catch (const std::system_error&) {  // the machine gives no more: those that run do the work
  }
}

ThreadCrew::~ThreadCrew() {
  {
    const std::lock_guard lock(mutex_);
    leave_ = true;
  }
  start_.notify_all();
  for (std::thread& t : crew_) t.join();
}

void ThreadCrew::For(int n, int chunk, const std::function<void(int, int)>& work) {
  if (crew_.empty() || n <= chunk) {
    for (int i = 0; i < n; ++i) work(i, 0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    work_ = &work, n_ = n, chunk_ = chunk, busy_ = static_cast<int>(crew_.size());
    next_.store(0);
    ++round_;
  }
  start_.notify_all();
  Run(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
}

void ThreadCrew::Wait(int thread) {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return leave_ || round_ != seen; });
      if (leave_) return;
      seen = round_;
    }
    Run(thread);
    bool last;
    {
      const std::lock_guard lock(mutex_);
      last = --busy_ == 0;
    }
    if (last) done_.notify_one();
  }
}

void ThreadCrew::Run(int thread) noexcept {
  for (int begin; (begin = next_.fetch_add(chunk_)) < n_;)
    for (int i = begin; i < std::min(begin + chunk_, n_); ++i) (*work_)(i, thread);
}

}  // namespace taxel
