#include "taxel/gel/thread_crew.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace taxel {

struct ThreadCrew::Crew {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable start, done;
  std::uint64_t round = 0;
  int busy = 0;
  bool leave = false;
  const std::function<void(int, int)>* work = nullptr;
  std::atomic<int> next{0};
  int n = 0, chunk = 1;

  ~Crew() {
    {
      const std::lock_guard lock(mutex);
      leave = true;
    }
    start.notify_all();
    for (std::thread& t : threads) t.join();
  }

  void Wait(int thread) {
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        start.wait(lock, [&] { return leave || round != seen; });
        if (leave) return;
        seen = round;
      }
      Run(thread);
      bool last;
      {
        const std::lock_guard lock(mutex);
        last = --busy == 0;
      }
      if (last) done.notify_one();
    }
  }

  void Run(int thread) noexcept {
    for (int begin; (begin = next.fetch_add(chunk)) < n;)
      for (int i = begin; i < std::min(begin + chunk, n); ++i) (*work)(i, thread);
  }
};

ThreadCrew::ThreadCrew(int threads) : process_(getpid()) {
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (threads < 2) return;
  Hire(threads);
  size_ = static_cast<int>(crew_->threads.size()) + 1;
}

void ThreadCrew::Hire(int threads) {
  crew_ = std::make_unique<Crew>();
  Crew* crew = crew_.get();
  try {
    for (int k = 1; k < threads; ++k) crew->threads.emplace_back([crew, k] { crew->Wait(k); });
  } catch (const std::system_error&) {  // the machine gives no more: those that run do the work
  }
}

ThreadCrew::~ThreadCrew() {
  // Threads that a fork left behind cannot be joined, nor what they wait on be destroyed.
  if (process_ != getpid()) static_cast<void>(crew_.release());
}

void ThreadCrew::For(int n, int chunk, const std::function<void(int, int)>& work) {
  if (!crew_ || n <= chunk) {
    for (int i = 0; i < n; ++i) work(i, 0);
    return;
  }
  if (const pid_t process = getpid(); process != process_) {
    static_cast<void>(crew_.release());
    process_ = process;
    Hire(size_);
  }
  Crew& c = *crew_;
  {
    const std::lock_guard lock(c.mutex);
    c.work = &work, c.n = n, c.chunk = chunk, c.busy = static_cast<int>(c.threads.size());
    c.next.store(0);
    ++c.round;
  }
  c.start.notify_all();
  c.Run(0);
  std::unique_lock lock(c.mutex);
  c.done.wait(lock, [&c] { return c.busy == 0; });
}

}  // namespace taxel
