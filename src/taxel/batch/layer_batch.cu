// Mode layer on a GPU: memory, kernels, and the table of functions the library loads.
//
// A block solves one gel after the other (layer_step.h), so that work memory is that of the blocks which run
// at the same time, not that of all worlds. Which block takes which gel is a matter of chance, and changes no
// bit. Cells that fit are worked on in shared memory, more of them in the block's own part of global memory.
#include <algorithm>

#include "taxel/batch/block_team.cuh"
#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/layer_gel.cuh"

namespace taxel::cuda {
using namespace internal;
namespace {

/// With three the 80 registers of a thread spill in the inner loop, and the traffic of that fills the second
/// level cache (11.4 ms where two take 3.6: benchmarks/results/layer_gpu.json).
constexpr int kBlocksPerSm = 2;
/// Chunks of four cells in shared memory: a ball with 205 cells in contact has some 130 within reach.
constexpr int kSmallChunks = 144;

/// What blocks share while a step runs.
struct LayerWorkers {
  char* slow;  // (blocks, slow_bytes)
  std::size_t slow_bytes;
  int* next;  // gel that no block has taken yet
  unsigned long long* overflows;
};

__global__ void __launch_bounds__(kLayerLanes, kBlocksPerSm)
    LayerStepKernel(const __grid_constant__ LayerBatchView b, const __grid_constant__ LayerWorkers workers,
                    const __grid_constant__ CudaStepArguments a) {
  extern __shared__ __align__(16) char fast[];
  __shared__ BlockTeamMemory team_memory;
  __shared__ LayerScratch scratch;
  __shared__ LayerGel shared;
  __shared__ int taken;
  BlockTeam team(&team_memory);
  if (threadIdx.x == 0)
    scratch = LayerScratch::Carve(b.scene, kSmallChunks, b.memory_bytes, fast,
                                  workers.slow + static_cast<std::size_t>(blockIdx.x) * workers.slow_bytes);
  for (;;) {
    __syncthreads();  // what the gel before has written is no longer read
    if (threadIdx.x == 0) taken = atomicAdd(workers.next, 1);
    __syncthreads();
    if (taken >= b.gels()) return;
    const LayerOutcome outcome = StepGel(team, b, a, taken, scratch, &shared);
    if (outcome == LayerOutcome::kOverflow && threadIdx.x == 0) atomicAdd(workers.overflows, 1ull);
  }
}

__global__ void __launch_bounds__(kLayerLanes)
    LayerResetKernel(const __grid_constant__ LayerBatchView b, const std::uint8_t* mask, bool keep_normal) {
  __shared__ BlockTeamMemory team_memory;
  const int gel = static_cast<int>(blockIdx.x);
  if (mask && !mask[gel / b.fingers]) return;
  BlockTeam team(&team_memory);
  ResetLayer(team, b.scene, keep_normal, b.MemoryOf(gel));
}

struct LayerBatch {
  explicit LayerBatch(const CudaLayerSpec& spec);
  void Step(const CudaStepArguments& a);

  LayerBatchView view{};
  LayerWorkers workers{};
  std::size_t fast_bytes = 0;
  int blocks = 0;
  std::vector<Memory> keep;
  Memory parameters, memory, slow, next, overflows;
};

template <typename T>
const T* Keep(LayerBatch* b, const T* host, std::size_t count) {
  b->keep.push_back(Upload(host, count));
  return b->keep.back().template as<T>();
}

LayerBatch::LayerBatch(const CudaLayerSpec& spec) {
  if (spec.worlds < 1 || spec.fingers < 1 || spec.fingers > kMaxFingers)
    throw std::runtime_error("worlds and fingers (at most 16) must be at least 1");
  LayerScene& s = view.scene;
  s = *spec.scene;
  if (s.objects < 1 || s.objects > kMaxObjects) throw std::runtime_error("1 to 16 objects");
  const std::size_t cells = static_cast<std::size_t>(s.cells()), levels = static_cast<std::size_t>(s.levels);
  std::vector<LayerObject> objects(s.object, s.object + s.objects);
  for (LayerObject& o : objects)
    if (o.lattice.values)
      o.lattice.values =
          Keep(this, o.lattice.values, static_cast<std::size_t>(o.lattice.nx) * o.lattice.ny * o.lattice.nz);
  s.object = Keep(this, objects.data(), objects.size());
  s.place = s.flat ? nullptr : Keep(this, s.place, cells);
  s.valid = s.flat ? nullptr : Keep(this, s.valid, cells);
  s.marker = Keep(this, s.marker, static_cast<std::size_t>(s.markers));
  s.level_thickness = Keep(this, s.level_thickness, levels);
  s.tables = Keep(this, s.tables, levels * 6 * static_cast<std::size_t>(s.table_size));
  s.to_markers = Keep(this, s.to_markers, levels * cells * 6 * static_cast<std::size_t>(s.marker_room));

  view.worlds = spec.worlds, view.fingers = spec.fingers;
  parameters = Upload(spec.parameters, static_cast<std::size_t>(spec.worlds) * kLayerParameterCount);
  view.parameters = parameters.as<float>();
  const std::size_t gels = static_cast<std::size_t>(spec.worlds) * spec.fingers;
  view.memory_bytes = LayerMemory::Bytes(s.objects, s.most_chunks);
  workers.slow_bytes = LayerScratch::SlowBytes(s, kSmallChunks);
  fast_bytes = LayerScratch::FastBytes(s, kSmallChunks);
  AllowShared(LayerStepKernel, fast_bytes, "cells of a gel");
  int device = 0, processors = 0, resident = 0;
  Check(cudaGetDevice(&device), "device");
  Check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, LayerStepKernel, kLayerLanes, fast_bytes),
        "blocks at a time");
  blocks = static_cast<int>(
      std::min(gels, static_cast<std::size_t>(processors) * static_cast<std::size_t>(std::max(resident, 1))));
  memory = Memory(gels * view.memory_bytes);
  slow = Memory(static_cast<std::size_t>(blocks) * workers.slow_bytes);
  next = Memory(sizeof(int));
  overflows = Memory(sizeof(unsigned long long));
  Check(cudaMemset(memory.as<void>(), 0, gels * view.memory_bytes), "memory of the gels");
  Check(cudaMemset(overflows.as<void>(), 0, sizeof(unsigned long long)), "counter");
  Check(cudaStreamSynchronize(nullptr), "memory");  // the first step may be on another stream
  view.memory = memory.as<char>(), workers.slow = slow.as<char>();
  workers.next = next.as<int>(), workers.overflows = overflows.as<unsigned long long>();
}

void LayerBatch::Step(const CudaStepArguments& a) {
  if (!a.poses.X_PI && !(a.poses.position && a.poses.rotation))
    throw std::runtime_error("no poses; give X_PI, or positions and rotations");
  if (!a.out.displacement) throw std::runtime_error("nowhere to write the displacements to");
  if (a.turns) throw std::runtime_error("mode 'layer' has no sample points: there is nothing to turn");
  AllowShared(LayerStepKernel, fast_bytes, "cells of a gel");
  Check(cudaMemsetAsync(workers.next, 0, sizeof(int), Stream(a.stream)), "step");
  LayerStepKernel<<<blocks, kLayerLanes, fast_bytes, Stream(a.stream)>>>(view, workers, a);
  Check(cudaGetLastError(), "step");
}

LayerBatch& Of(void* batch) { return *static_cast<LayerBatch*>(batch); }

const CudaLayerApi kLayerApi = {
    kCudaLayerVersion,
    [](const CudaLayerSpec* spec, void** batch, char* error, std::size_t size) {
      return Guard(error, size, [&] { *batch = new LayerBatch(*spec); });
    },
    [](void* batch) { delete static_cast<LayerBatch*>(batch); },
    [](void* batch, const CudaStepArguments* a, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Step(*a); });
    },
    [](void* batch, const std::uint8_t* mask, int keep_normal, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        const LayerBatchView& b = Of(batch).view;
        LayerResetKernel<<<b.gels(), kLayerLanes, 0, Stream(stream)>>>(b, mask, keep_normal != 0);
        Check(cudaGetLastError(), "reset");
      });
    },
    [](void* batch, const float* parameters, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        const LayerBatch& b = Of(batch);
        Check(cudaMemcpyAsync(b.parameters.as<void>(), parameters,
                              sizeof(float) * kLayerParameterCount * static_cast<std::size_t>(b.view.worlds),
                              cudaMemcpyDeviceToDevice, Stream(stream)),
              "parameters");
      });
    },
    [](void* batch, std::uint64_t* count, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        unsigned long long found = 0;
        Check(cudaDeviceSynchronize(), "overflows");
        Check(cudaMemcpy(&found, Of(batch).workers.overflows, sizeof found, cudaMemcpyDeviceToHost),
              "overflows");
        *count = found;
      });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaLayerApi* taxel::TaxelCudaLayer() {
  return &taxel::cuda::kLayerApi;
}
