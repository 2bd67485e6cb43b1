// The kernels of mode layer and the memory around them.
//
// A block solves one gel after the other (layer_step.h), so that work memory is that of the blocks which run
// at the same time, not that of all worlds. Which block takes which gel is a matter of chance, and changes no
// bit. First come the gels whose contact a window holds. The others are left in a list and follow in a second
// kernel, whose sums need more registers and more of the first-level cache, beside less shared memory.
#pragma once

#include <algorithm>

#include "taxel/batch/block_team.cuh"
#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/layer_gel.cuh"

namespace taxel::cuda {

/// As many as have room for their shared memory; of the second kernel, as have room for 128 registers a
/// thread.
inline constexpr int kLayerBlocksPerSm = 6, kLayerWideBlocksPerSm = 4;
/// Chunks of four cells in shared memory, as much as a window takes: some 500 cells.
inline constexpr int kLayerSmallChunks = 130;

/// What blocks share while a step runs.
struct LayerWorkers {
  char* slow;  // (blocks, slow_bytes)
  std::size_t slow_bytes;
  LayerQueue queue;
  unsigned long long* overflows;
};

/// @tparam Team a BlockTeam
/// @tparam kChunks whether this is the second kernel
template <typename Team, bool kChunks>
__global__ void __launch_bounds__(internal::kLayerLanes, kChunks ? kLayerWideBlocksPerSm : kLayerBlocksPerSm)
    LayerStepKernel(const __grid_constant__ LayerBatchView b, const __grid_constant__ LayerWorkers workers,
                    const __grid_constant__ CudaStepArguments a) {
  extern __shared__ __align__(16) char taxel_fast[];
  __shared__ internal::LayerScratch scratch;
  __shared__ LayerGel shared;
  __shared__ int taken;
  Team team;
  if (threadIdx.x == 0)
    scratch = internal::LayerScratch::Carve(
        b.scene, kLayerSmallChunks, b.memory_bytes, taxel_fast,
        workers.slow + static_cast<std::size_t>(blockIdx.x) * workers.slow_bytes);
  for (;;) {
    __syncthreads();  // what the gel before has written is no longer read
    if (threadIdx.x == 0) taken = TakeGel<kChunks>(workers.queue, b, a);
    __syncthreads();
    if (taken < 0) return;
    const internal::LayerOutcome outcome = StepGel<kChunks>(team, b, a, taken, scratch, &shared);
    if (threadIdx.x > 0) continue;
    if (outcome == internal::LayerOutcome::kOverflow) atomicAdd(workers.overflows, 1ull);
    if (outcome == internal::LayerOutcome::kWide) LeaveGel(workers.queue, taken);
  }
}

static __global__ void __launch_bounds__(internal::kLayerLanes)
    LayerResetKernel(const __grid_constant__ LayerBatchView b, const std::uint8_t* mask, bool keep_normal) {
  const int gel = static_cast<int>(blockIdx.x);
  if (mask && !mask[gel / b.fingers]) return;
  BlockTeam team;
  internal::ResetLayer(team, b.scene, keep_normal, b.MemoryOf(gel));
}

/// Gels in device memory.
template <typename Team>
class LayerBatch {
 public:
  explicit LayerBatch(const CudaLayerSpec& spec);
  void Step(const CudaStepArguments& a);

  LayerBatchView view{};
  LayerWorkers workers{};
  std::size_t fast_bytes = 0;
  int blocks = 0, wide_blocks = 0;  ///< of the two kernels
  Memory parameters, memory, slow, counters, wide, overflows;

 private:
  template <typename T>
  const T* Keep(const T* host, std::size_t count) {
    keep_.push_back(Upload(host, count));
    return keep_.back().template as<T>();
  }
  // The limit of shared memory belongs to a kernel, and another batch may have set it for its own size.
  void AllowFast() const {
    AllowShared(LayerStepKernel<Team, false>, fast_bytes, "cells of a gel");
    AllowShared(LayerStepKernel<Team, true>, fast_bytes, "cells of a gel");
  }
  template <typename Kernel>
  int BlocksOf(Kernel kernel) const {
    int device = 0, processors = 0, resident = 0;
    Check(cudaGetDevice(&device), "device");
    Check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
    Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, internal::kLayerLanes, fast_bytes),
          "blocks at a time");
    return std::min(view.gels(), processors * std::max(resident, 1));
  }
  std::vector<Memory> keep_;
};

template <typename Team>
LayerBatch<Team>::LayerBatch(const CudaLayerSpec& spec) {
  if (spec.worlds < 1 || spec.fingers < 1 || spec.fingers > kMaxFingers)
    throw std::runtime_error("worlds and fingers (at most 16) must be at least 1");
  internal::LayerScene& s = view.scene;
  s = *spec.scene;
  if (s.objects < 1 || s.objects > kMaxObjects) throw std::runtime_error("1 to 16 objects");
  const std::size_t cells = static_cast<std::size_t>(s.cells()), levels = static_cast<std::size_t>(s.levels);
  std::vector<internal::LayerObject> objects(s.object, s.object + s.objects);
  for (internal::LayerObject& o : objects)
    if (o.lattice.values)
      o.lattice.values =
          Keep(o.lattice.values, static_cast<std::size_t>(o.lattice.nx) * o.lattice.ny * o.lattice.nz);
  s.object = Keep(objects.data(), objects.size());
  s.place = s.flat ? nullptr : Keep(s.place, cells);
  s.valid = s.flat ? nullptr : Keep(s.valid, cells);
  s.marker = Keep(s.marker, static_cast<std::size_t>(s.markers));
  s.level_thickness = Keep(s.level_thickness, levels);
  s.tables = Keep(s.tables, levels * 6 * static_cast<std::size_t>(s.table_size));
  s.spectra = Keep(s.spectra, levels * internal::LayerScene::kSpectrumSize);
  s.turns = Keep(s.turns, 2 * 40);
  s.to_markers = Keep(s.to_markers, levels * cells * 6 * static_cast<std::size_t>(s.marker_room));

  view.worlds = spec.worlds, view.fingers = spec.fingers;
  parameters = Upload(spec.parameters, static_cast<std::size_t>(spec.worlds) * kLayerParameterCount);
  view.parameters = parameters.as<float>();
  const std::size_t gels = static_cast<std::size_t>(spec.worlds) * spec.fingers;
  view.memory_bytes = internal::LayerMemory::Bytes(s.objects, s.most_chunks);
  workers.slow_bytes = internal::LayerScratch::SlowBytes(s, kLayerSmallChunks);
  fast_bytes = internal::LayerScratch::FastBytes(s, kLayerSmallChunks);
  AllowFast();
  blocks = BlocksOf(LayerStepKernel<Team, false>), wide_blocks = BlocksOf(LayerStepKernel<Team, true>);
  memory = Memory(gels * view.memory_bytes);
  slow = Memory(static_cast<std::size_t>(std::max(blocks, wide_blocks)) * workers.slow_bytes);
  counters = Memory(3 * sizeof(int));
  wide = Memory(gels * sizeof(int));
  overflows = Memory(sizeof(unsigned long long));
  Check(cudaMemset(memory.as<void>(), 0, gels * view.memory_bytes), "memory of the gels");
  Check(cudaMemset(overflows.as<void>(), 0, sizeof(unsigned long long)), "counter");
  Check(cudaStreamSynchronize(nullptr), "memory");  // the first step may be on another stream
  view.memory = memory.as<char>(), workers.slow = slow.as<char>();
  workers.queue = {counters.as<int>(), counters.as<int>() + 2, wide.as<int>()};
  workers.overflows = overflows.as<unsigned long long>();
}

template <typename Team>
void LayerBatch<Team>::Step(const CudaStepArguments& a) {
  if (!a.poses.X_PI && !(a.poses.position && a.poses.rotation))
    throw std::runtime_error("no poses; give X_PI, or positions and rotations");
  if (!a.out.displacement) throw std::runtime_error("nowhere to write the displacements to");
  if (a.turns) throw std::runtime_error("mode 'layer' has no sample points: there is nothing to turn");
  AllowFast();
  const cudaStream_t stream = Stream(a.stream);
  Check(cudaMemsetAsync(counters.as<void>(), 0, 3 * sizeof(int), stream), "step");
  if (!a.shift)
    LayerStepKernel<Team, false><<<blocks, internal::kLayerLanes, fast_bytes, stream>>>(view, workers, a);
  LayerStepKernel<Team, true><<<wide_blocks, internal::kLayerLanes, fast_bytes, stream>>>(view, workers, a);
  Check(cudaGetLastError(), "step");
}

}  // namespace taxel::cuda
