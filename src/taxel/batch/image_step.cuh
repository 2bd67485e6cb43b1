// A grey image for every world and finger: a block each, the surface in shared memory.
#pragma once

#include "taxel/batch/cuda_images.h"
#include "taxel/batch/world_pose.cuh"

namespace taxel::cuda {

inline constexpr int kImageThreads = 256;

/// Device memory of a batch.
struct ImageScene {
  int worlds, fingers;
  ImagePlane<float> plane;
  KernelShape<float> object;
  ImageSkin skin;
  GreyCamera camera;
};

/// Dynamic shared memory: the height and, with a membrane, the obstacle below it.
inline std::size_t ImageMemory(int rows, int cols, bool membrane) {
  return sizeof(float) * rows * cols * (membrane ? 2 : 1);
}

/// Calls work(i, r, c) for the thread's pixels; without divisions in the loop.
template <typename Work>
__device__ inline void ForPixels(int rows, int cols, const Work& work) {
  const int down = kImageThreads / cols, right = kImageThreads - down * cols;
  int i = threadIdx.x, r = i / cols, c = i - r * cols;
  for (; r < rows; i += kImageThreads) {
    work(i, r, c);
    r += down, c += right;
    if (c >= cols) c -= cols, ++r;
  }
}

/// Half a sweep. A warp takes 16 pixels of one colour in each of two rows: with an even number of columns
/// they lie in 32 different banks.
__device__ inline void RelaxColour(const SkinRelaxation& skin, float* height, const float* obstacle, int rows,
                                   int cols, int colour) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int across = ((cols + 1) / 2 + 15) / 16, tasks = (rows + 1) / 2 * across;
  for (int task = warp; task < tasks; task += kImageThreads / 32) {
    const int pair = task / across;
    const int r = 2 * pair + (lane >> 4),
              c = 2 * (16 * (task - pair * across) + (lane & 15)) + ((r + colour) & 1);
    if (r >= rows || c >= cols) continue;
    const int i = r * cols + c;
    height[i] = RelaxedHeight(skin, height, obstacle[i], rows, cols, r, c);
  }
}

template <bool kMembrane>
__global__ void __launch_bounds__(kImageThreads)
    ImageKernel(const __grid_constant__ ImageScene s, const __grid_constant__ CudaImageArguments a) {
  extern __shared__ __align__(16) float surface[];
  const int rows = s.plane.rows, cols = s.plane.cols;
  float* height = surface;
  float* obstacle = surface + rows * cols;
  const int wf = blockIdx.x, world = wf / s.fingers, finger = wf - world * s.fingers;
  const std::size_t first = static_cast<std::size_t>(wf) * rows * cols;
  const Pose32 X_PI = ObjectPose(a.poses, s.fingers, world, finger);

  bool pressed = false;
  ForPixels(rows, cols, [&](int i, int r, int c) {
    const float depth = PenetrationAt(s.object, X_PI, s.plane, r, c);
    height[i] = depth;
    if constexpr (kMembrane) obstacle[i] = depth;
    if (a.out.depth) a.out.depth[first + i] = depth;
    pressed = pressed || depth > 0;
  });
  pressed = __syncthreads_or(pressed);
  if (!a.out.grey && !a.out.bytes) return;
  if constexpr (kMembrane) {
    for (int sweep = 0; pressed && sweep < s.skin.sweeps; ++sweep)
      for (int colour = 0; colour < 2; ++colour) {
        RelaxColour(s.skin.relaxation, height, obstacle, rows, cols, colour);
        __syncthreads();
      }
  }
  ForPixels(rows, cols, [&](int i, int r, int c) {
    const float grey =
        pressed ? GreyAt(s.camera, height, rows, cols, s.plane.pixel, r, c) : s.camera.grey_background[i];
    if (a.out.grey) a.out.grey[first + i] = grey;
    if (a.out.bytes) a.out.bytes[first + i] = ToByte(grey);
  });
}

}  // namespace taxel::cuda
