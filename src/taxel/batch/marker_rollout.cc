#include "taxel/batch/marker_rollout.h"

#include <algorithm>
#include <string>

#include "taxel/batch/parallel_for.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

struct Nothing {};

// Calls work(copy) on threads and throws what it threw.
template <typename Work>
void ForEachCopy(std::size_t copies, int threads, const Work& work) {
  std::size_t failed;
  const std::exception_ptr failure =
      ParallelFor<Nothing>(copies, threads, 1, &failed, [&](std::size_t i, Nothing*) { work(i); });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

MarkerRollout::MarkerRollout(const MarkerBatch& batch, const std::vector<Pose>& path, int threads,
                             Vec3* displacement)
    : worlds_(static_cast<std::size_t>(batch.worlds())),
      fingers_(static_cast<std::size_t>(batch.fingers())),
      objects_(static_cast<std::size_t>(batch.objects())),
      markers_(static_cast<std::size_t>(batch.markers())),
      threads_(threads) {
  if (batch.taxel_fields().empty() && batch.layer_fields().empty())
    throw Error("marker rollout: the published modes have no gradient; use mode 'taxel' or 'layer'");
  if (threads < 0)
    throw Error("marker rollout: threads is " + std::to_string(threads) + "; give 0 (all) or more");
  const std::size_t copies = worlds_ * fingers_, row = copies * objects_;
  if (path.size() % row != 0)
    throw Error("marker rollout: " + std::to_string(path.size()) + " poses; give " + std::to_string(row) +
                " a step, one for each world, finger and object");
  steps_ = path.size() / row;
  tapes_.reserve(copies);
  for (const TaxelField& field : batch.taxel_fields()) tapes_.emplace_back(field);
  layer_tapes_.reserve(copies);
  for (const LayerField& field : batch.layer_fields())
    layer_tapes_.emplace_back(field, layer_tapes_.empty() ? nullptr : &layer_tapes_.back());
  ForEachCopy(copies, threads_, [&](std::size_t i) {
    for (std::size_t t = 0; t < steps_; ++t) {
      const auto first = path.begin() + static_cast<std::ptrdiff_t>(t * row + i * objects_);
      const std::vector<Pose> X(first, first + static_cast<std::ptrdiff_t>(objects_));
      const std::vector<Vec3>& u =
          layer() ? layer_tapes_[i].Step(X).displacement : tapes_[i].Step(X).displacement;
      std::copy(u.begin(), u.end(), displacement + (t * copies + i) * markers_);
    }
  });
}

template <typename Tape, typename Gradient>
void MarkerRollout::Sweep(const std::vector<Tape>& tapes, const Vec3* cotangents, PoseGradient* poses,
                          Gradient* parameters) const {
  const std::size_t copies = worlds_ * fingers_;
  ForEachCopy(copies, threads_, [&](std::size_t i) {
    std::vector<std::vector<Vec3>> rows(steps_);
    for (std::size_t t = 0; t < steps_; ++t) {
      const Vec3* row = cotangents + (t * copies + i) * markers_;
      rows[t].assign(row, row + markers_);
    }
    std::vector<std::vector<PoseGradient>> gradients;
    tapes[i].Backward(rows, &gradients, &parameters[i]);
    for (std::size_t t = 0; t < steps_; ++t)
      std::copy(gradients[t].begin(), gradients[t].end(), poses + (t * copies + i) * objects_);
  });
}

void MarkerRollout::Backward(const Vec3* cotangents, PoseGradient* poses,
                             TaxelParameterGradient* parameters) const {
  if (layer()) throw Error("marker rollout: mode 'layer' has the parameters of a LayerParameterGradient");
  Sweep(tapes_, cotangents, poses, parameters);
}

void MarkerRollout::Backward(const Vec3* cotangents, PoseGradient* poses,
                             LayerParameterGradient* parameters) const {
  if (!layer()) throw Error("marker rollout: mode 'taxel' has the parameters of a TaxelParameterGradient");
  Sweep(layer_tapes_, cotangents, poses, parameters);
}

}  // namespace taxel
