// One gel of a batch of mode layer, by a team of lanes: where its poses, numbers and memory lie. For host and
// device, so that all of a kernel but its launch is tested without a GPU.
#pragma once

#include "taxel/batch/cuda_layer.h"
#include "taxel/batch/world_pose.cuh"
#include "taxel/marker/layer_step.h"

namespace taxel::cuda {

/// Memory of a batch.
struct LayerBatchView {
  internal::LayerScene scene;
  int worlds, fingers;
  std::size_t memory_bytes;  ///< of one gel
  char* memory;              ///< (worlds, fingers, memory_bytes)
  const float* parameters;   ///< (worlds, kLayerParameterCount)

  TAXEL_HD int gels() const { return worlds * fingers; }
  TAXEL_HD internal::LayerMemory MemoryOf(int gel) const {
    return internal::LayerMemory::At(memory + static_cast<std::size_t>(gel) * memory_bytes, scene.objects);
  }
};

/// What a team knows of the gel at hand, in memory that all lanes see.
struct LayerGel {
  internal::LayerNumbers numbers;
};

TAXEL_HD inline Pose ToPose(const Pose32& X) {
  Pose out;
  for (int i = 0; i < 9; ++i) out.R.m[i] = static_cast<double>(X.r[i]);
  out.p = {static_cast<double>(X.t[0]), static_cast<double>(X.t[1]), static_cast<double>(X.t[2])};
  return out;
}

TAXEL_HD inline Pose ObjectInPad(const CudaPoses& p, const LayerBatchView& b, int gel, int object) {
  if (p.X_PI) {
    const std::size_t first = static_cast<std::size_t>(gel) * static_cast<std::size_t>(b.scene.objects);
    return ToPose(LoadPose12(p.X_PI + 16 * (first + static_cast<std::size_t>(object))));
  }
  const int world = gel / b.fingers;
  return Inverse(ToPose(PadPose(p, world, gel - world * b.fingers))) * ToPose(ThingPose(p, world, object));
}

TAXEL_HD inline Pose ShiftOf(const CudaStepArguments& a, std::size_t gel) {
  const float* by = a.shift + static_cast<std::size_t>(a.shift_numbers) * gel;
  if (a.shift_numbers == 16) return ToPose(LoadPose12(by));
  return {{}, {static_cast<double>(by[0]), static_cast<double>(by[1]), static_cast<double>(by[2])}};
}

/// Steps one gel; those of worlds that the mask leaves out stay as they are. kChunks: as of a LayerStep.
template <bool kChunks = true, typename Team>
TAXEL_HD inline internal::LayerOutcome StepGel(Team& team, const LayerBatchView& b,
                                               const CudaStepArguments& a, int gel,
                                               const internal::LayerScratch& scratch, LayerGel* shared) {
  const internal::LayerScene& s = b.scene;
  const int world = gel / b.fingers;
  if (a.mask && !a.mask[world]) return internal::LayerOutcome::kGood;
  const std::size_t at = static_cast<std::size_t>(gel);
  team.For(s.objects, [&](int o) {
    scratch.X[o] = ObjectInPad(a.poses, b, gel, o);
    scratch.X[o].p.z += static_cast<double>(a.lift);
    if (a.shift) scratch.shifted[o] = ShiftOf(a, at);
    if (o > 0) return;
    const float* row = b.parameters + kLayerParameterCount * world;
    shared->numbers = {row[kLayerFriction], row[kLayerYoung] / (2 * (1 + static_cast<float>(s.poisson))),
                       1 / row[kLayerPixel]};
  });
  const std::size_t first = 3 * at * static_cast<std::size_t>(s.markers);
  const internal::LayerOutput out{a.out.displacement + first, a.out.wrench ? a.out.wrench + 6 * at : nullptr,
                                  a.out.marker_forces ? a.out.marker_forces + first : nullptr};
  int rounds[2] = {};
  internal::LayerStep<Team, kChunks> step(&team, s, scratch, shared->numbers, rounds);
  return step.Run(scratch.X, a.shift != nullptr, b.MemoryOf(gel), out);
}

/// Which gels of a step are left to take: all, for a team without chunks; then those that it has left. With a
/// gravity pass teams with chunks take all gels by themselves.
struct LayerQueue {
  int* next;        ///< (2): places that teams without and with chunks have taken
  int* wide_count;  ///< gels that are left
  int* wide;        ///< (gels)
};

TAXEL_HD inline int TakePlace(int* next) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(next, 1);
#else
  return (*next)++;
#endif
}

/// By one lane of a team. -1: none is left.
template <bool kChunks>
TAXEL_HD inline int TakeGel(const LayerQueue& q, const LayerBatchView& b, const CudaStepArguments& a) {
  const int place = TakePlace(q.next + (kChunks ? 1 : 0));
  if (!kChunks || a.shift) return place < b.gels() ? place : -1;
  return place < *q.wide_count ? q.wide[place] : -1;
}
TAXEL_HD inline void LeaveGel(const LayerQueue& q, int gel) { q.wide[TakePlace(q.wide_count)] = gel; }

}  // namespace taxel::cuda
