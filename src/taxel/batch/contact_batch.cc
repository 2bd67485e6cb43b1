#include "taxel/batch/contact_batch.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "taxel/math/error.h"

namespace taxel {
namespace {

ContactSummary Summarize(const ContactSurface& s) {
  return {s.wrench_on_A,        s.area,       s.normal_force, s.max_pressure, s.centroid,
          s.center_of_pressure, s.num_faces()};
}

}  // namespace

std::vector<ContactSummary> ContactBatch(const Body& A, const std::vector<Pose>& X_WA, const Body& B,
                                         const std::vector<Pose>& X_WB, const ContactOptions& options,
                                         int threads) {
  if (X_WA.size() + X_WB.size() <= 1) return {};  // no poses, or none beside a body that stands still
  const std::size_t n = std::max(X_WA.size(), X_WB.size());
  auto fits = [n](std::size_t k) { return k == n || k == 1; };
  if (!fits(X_WA.size()) || !fits(X_WB.size()))
    throw Error("contact batch: " + std::to_string(X_WA.size()) + " poses of A and " +
                std::to_string(X_WB.size()) +
                " of B; give equally many, or one pose for a body that stands still");
  if (threads < 0)
    throw Error("contact batch: threads is " + std::to_string(threads) + "; give 0 (all) or more");
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  constexpr std::size_t kChunk = 16;
  threads = static_cast<int>(std::min<std::size_t>(threads, (n + kChunk - 1) / kChunk));

  std::vector<ContactSummary> result(n);
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  std::size_t failed = n;  // of several wrong poses the first is named, whatever the threads do
  auto work = [&] {
    ContactWorkspace workspace;
    ContactSurface surface;
    for (std::size_t begin; (begin = next.fetch_add(kChunk)) < n;)
      for (std::size_t i = begin; i < std::min(begin + kChunk, n); ++i) {
        try {
          ComputeContact(A, X_WA[X_WA.size() == 1 ? 0 : i], B, X_WB[X_WB.size() == 1 ? 0 : i], options,
                         &workspace, &surface);
          result[i] = Summarize(surface);
        } catch (...) {
          const std::lock_guard lock(failure_mutex);
          if (i < failed) failed = i, failure = std::current_exception();
        }
      }
  };
  std::vector<std::thread> crew;
  try {
    for (int k = 1; k < threads; ++k) crew.emplace_back(work);
  } catch (const std::system_error&) {  // the machine gives no more: those that run do the work
  }
  work();
  for (auto& t : crew) t.join();
  if (failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& e) {
      throw Error("contact batch, pose " + std::to_string(failed) + ": " + e.what());
    }
  }
  return result;
}

}  // namespace taxel
