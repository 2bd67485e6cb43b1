// Particles in the order of their blocks and cells, and the table of the blocks. A stable sort, so the order
// depends on the past of the particles alone.
#pragma once

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/gel_state.cuh"

namespace taxel::cuda {

inline constexpr int kSortThreads = 256;

/// Key of a particle: its block, then its cell in the block; 64 keys a block.
__global__ void KeyKernel(GelScene scene, GelState state, unsigned* keys, int* order) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= scene.total) return;
  const int3 c = CellOf(state.position[p]);
  const unsigned world =
      static_cast<unsigned>(__float_as_int(state.velocity[p].w)) / static_cast<unsigned>(scene.particles);
  const unsigned block = world * scene.blocks_a_world +
                         ((c.x / kSide) * scene.blocks[1] + c.y / kSide) * scene.blocks[2] + c.z / kSide;
  keys[p] = block * kBlockNodes3 + ((c.x % kSide) * kSide + c.y % kSide) * kSide + c.z % kSide;
  order[p] = p;
}

__global__ void PermuteKernel(GelScene scene, const int* order, GelState from, GelState to) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= scene.total) return;
  const int q = order[p];
  const float4 velocity = from.velocity[q];
  to.position[p] = from.position[q];
  to.velocity[p] = velocity;
  to.a0[p] = from.a0[q], to.a1[p] = from.a1[q];
  to.f0[p] = from.f0[q], to.f1[p] = from.f1[q];
  to.tail[p] = from.tail[q];
  if (scene.pads == 0) return;
  const int id = __float_as_int(velocity.w), world = id / scene.particles;
  const int place = scene.layer_of[id - world * scene.particles];
  if (place >= 0) scene.layer_slot[world * scene.pads * scene.layer + place] = p;
}

/// True for the first particle of a block.
struct BeginsBlock {
  const unsigned* keys;
  __device__ bool operator()(int p) const {
    return p == 0 || keys[p] / kBlockNodes3 != keys[p - 1] / kBlockNodes3;
  }
};

/// Before the new table is written.
__global__ void ForgetBlocksKernel(GelScene scene) {
  const int active = min(scene.watch->active, scene.most_active);
  for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < active; b += gridDim.x * blockDim.x)
    scene.table[scene.key[b]] = -1;
}

/// Numbers the blocks with particles. @pre watch->filled and start are those of the select.
__global__ void FilledBlocksKernel(GelScene scene, const unsigned* keys) {
  const int found = scene.watch->filled, filled = min(found, scene.most_filled);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (found > scene.most_filled) Report(scene, GelTrouble::kBlocks, 0, static_cast<float>(found));
    if (found == filled) scene.start[filled] = scene.total;
    scene.watch->active = filled;
  }
  for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < filled; b += gridDim.x * blockDim.x) {
    const int key = static_cast<int>(keys[scene.start[b]] / kBlockNodes3);
    scene.key[b] = key;
    scene.table[key] = b;
  }
}

/// Key of the block beside another one; -1 beyond the domain.
__device__ inline int KeyBeside(const GelScene& s, int key, int d) {
  const BlockPlace at = PlaceOf(s, key);
  const int x = at.x + d / 9 - 1, y = at.y + d / 3 % 3 - 1, z = at.z + d % 3 - 1;
  if (x < 0 || y < 0 || z < 0 || x >= s.blocks[0] || y >= s.blocks[1] || z >= s.blocks[2]) return -1;
  return at.world * s.blocks_a_world + (x * s.blocks[1] + y) * s.blocks[2] + z;
}

/// The blocks around those with particles. Their numbers differ from run to run, what their nodes hold does
/// not.
__global__ void BlocksAroundKernel(GelScene scene) {
  const int n = 27 * min(scene.watch->filled, scene.most_filled);
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    const int key = KeyBeside(scene, scene.key[k / 27], k % 27);
    if (key < 0 || atomicCAS(&scene.table[key], -1, -2) != -1) continue;
    const int b = atomicAdd(&scene.watch->active, 1);
    if (b >= scene.most_active) {
      Report(scene, GelTrouble::kBlocks, 0, static_cast<float>(b));
      continue;
    }
    scene.key[b] = key;
    scene.table[key] = b;
  }
}

__global__ void NeighboursKernel(GelScene scene) {
  const int n = 27 * min(scene.watch->active, scene.most_active);
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    const int key = KeyBeside(scene, scene.key[k / 27], k % 27);
    scene.near[k] = key < 0 ? -1 : scene.table[key];
  }
}

/// Memory of the sort, and its launches.
class GelSort {
 public:
  GelSort() = default;
  GelSort(const GelScene& scene)
      : keys_(Bytes(scene)), sorted_(Bytes(scene)), order_(Bytes(scene)), sorted_order_(Bytes(scene)) {
    unsigned long long most =
        static_cast<unsigned long long>(scene.worlds) * scene.blocks_a_world * kBlockNodes3 - 1;
    for (bits_ = 1; most >>= 1;) ++bits_;
    std::size_t sort = 0, select = 0;
    Check(cub::DeviceRadixSort::SortPairs(nullptr, sort, keys_.as<unsigned>(), sorted_.as<unsigned>(),
                                          order_.as<int>(), sorted_order_.as<int>(), scene.total, 0, bits_),
          "memory of the sort");
    Check(cub::DeviceSelect::If(nullptr, select, thrust::counting_iterator<int>(0), scene.start,
                                &scene.watch->filled, scene.total, BeginsBlock{sorted_.as<unsigned>()}),
          "memory of the sort");
    bytes_ = sort > select ? sort : select;
    scratch_ = Memory(bytes_);
  }

  /// From one state to another.
  void Run(const GelScene& scene, const GelState& from, const GelState& to, int processors,
           cudaStream_t stream) {
    const int blocks = (scene.total + kSortThreads - 1) / kSortThreads, few = 4 * processors;
    KeyKernel<<<blocks, kSortThreads, 0, stream>>>(scene, from, keys_.as<unsigned>(), order_.as<int>());
    std::size_t bytes = bytes_;
    Check(cub::DeviceRadixSort::SortPairs(scratch_.as<void>(), bytes, keys_.as<unsigned>(),
                                          sorted_.as<unsigned>(), order_.as<int>(), sorted_order_.as<int>(),
                                          scene.total, 0, bits_, stream),
          "sort");
    PermuteKernel<<<blocks, kSortThreads, 0, stream>>>(scene, sorted_order_.as<int>(), from, to);
    ForgetBlocksKernel<<<few, kSortThreads, 0, stream>>>(scene);
    bytes = bytes_;
    Check(
        cub::DeviceSelect::If(scratch_.as<void>(), bytes, thrust::counting_iterator<int>(0), scene.start,
                              &scene.watch->filled, scene.total, BeginsBlock{sorted_.as<unsigned>()}, stream),
        "blocks");
    FilledBlocksKernel<<<few, kSortThreads, 0, stream>>>(scene, sorted_.as<unsigned>());
    BlocksAroundKernel<<<few, kSortThreads, 0, stream>>>(scene);
    NeighboursKernel<<<few, kSortThreads, 0, stream>>>(scene);
    Check(cudaGetLastError(), "sort");
  }

 private:
  static std::size_t Bytes(const GelScene& scene) { return 4 * static_cast<std::size_t>(scene.total); }
  Memory keys_, sorted_, order_, sorted_order_, scratch_;
  std::size_t bytes_ = 0;
  int bits_ = 1;
};

}  // namespace taxel::cuda
