// Paths of many worlds with their gradients, on threads.
#pragma once

#include <cstddef>
#include <vector>

#include "taxel/batch/marker_batch.h"
#include "taxel/marker/layer_vjp.h"
#include "taxel/marker/taxel_vjp.h"

namespace taxel {

/// Steps of all worlds and fingers along a path, from where the batch is, and their gradient; modes taxel and
/// layer:
///
///     MarkerRollout rollout(batch, path, threads, pixels.data());
///     rollout.Backward(cotangents.data(), poses.data(), parameters.data());
///
/// The batch itself stays where it is. In mode layer contacts are solved to the end (LayerTape). Results do
/// not depend on the number of threads.
class MarkerRollout {
 public:
  /// path: steps x worlds x fingers x objects; displacement: steps x worlds x fingers x markers, px. threads
  /// 0: all. Throws Error for a published mode, creep or (mode taxel) substeps, which have no gradient, for
  /// a path of another size, for a bad pose, and for what LayerTape refuses.
  MarkerRollout(const MarkerBatch& batch, const std::vector<Pose>& path, int threads, Vec3* displacement);

  MarkerRollout(MarkerRollout&&) = default;
  MarkerRollout& operator=(MarkerRollout&&) = default;

  std::size_t steps() const { return steps_; }
  std::size_t worlds() const { return worlds_; }
  std::size_t fingers() const { return fingers_; }
  std::size_t objects() const { return objects_; }
  std::size_t markers() const { return markers_; }

  /// cotangents: as the displacements. poses: as the path; parameters: worlds x fingers, of all steps
  /// together.
  void Backward(const Vec3* cotangents, PoseGradient* poses, TaxelParameterGradient* parameters) const;
  void Backward(const Vec3* cotangents, PoseGradient* poses, LayerParameterGradient* parameters) const;
  /// Which of the two there is; the other throws Error.
  bool layer() const { return !layer_tapes_.empty(); }

 private:
  std::size_t worlds_, fingers_, objects_, markers_, steps_ = 0;
  int threads_;
  template <typename Tape, typename Gradient>
  void Sweep(const std::vector<Tape>& tapes, const Vec3* cotangents, PoseGradient* poses,
             Gradient* parameters) const;
  std::vector<TaxelTape> tapes_;        // worlds x fingers
  std::vector<LayerTape> layer_tapes_;  // worlds x fingers
};

}  // namespace taxel
