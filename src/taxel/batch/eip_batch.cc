#include "taxel/batch/eip_batch.h"

#include <exception>

#include "taxel/batch/parallel_for.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;

std::vector<EipResult> RunEipPresses(const EipOptions& options, const std::vector<MarkerDistance>& objects,
                                     const std::vector<int>& which, const std::vector<Pose>& X_DO) {
  CheckEipOptions(options);
  if (which.size() != X_DO.size())
    throw Error("EIP presses: " + std::to_string(which.size()) + " objects chosen and " +
                std::to_string(X_DO.size()) + " poses; give one of each a press");
  for (std::size_t k = 0; k < which.size(); ++k)
    if (which[k] < 0 || which[k] >= static_cast<int>(objects.size()))
      throw Error("EIP presses: press " + std::to_string(k) + " asks for object " + std::to_string(which[k]) +
                  "; there are " + std::to_string(objects.size()));
  EipOptions one = options;
  one.threads = 1;
  std::vector<EipResult> out(which.size());
  std::size_t failed;
  struct None {};
  const std::exception_ptr failure =
      ParallelFor<None>(which.size(), options.threads, 1, &failed, [&](std::size_t k, None*) {
        out[k] = RunEipPress(one, objects[static_cast<std::size_t>(which[k])], X_DO[k]);
      });
  if (failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& e) {
      throw Error("EIP presses: press " + std::to_string(failed) + ": " + e.what());
    }
  }
  return out;
}

}  // namespace taxel
