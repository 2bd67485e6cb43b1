#include "taxel/batch/contact_batch.h"

#include <algorithm>
#include <exception>
#include <string>

#include "taxel/batch/parallel_for.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
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
  std::vector<ContactSummary> result(n);
  struct Scratch {
    ContactWorkspace workspace;
    ContactSurface surface;
  };
  std::size_t failed = n;
  const std::exception_ptr failure =
      ParallelFor<Scratch>(n, threads, 16, &failed, [&](std::size_t i, Scratch* s) {
        ComputeContact(A, X_WA[X_WA.size() == 1 ? 0 : i], B, X_WB[X_WB.size() == 1 ? 0 : i], options,
                       &s->workspace, &s->surface);
        result[i] = Summarize(s->surface);
      });
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
