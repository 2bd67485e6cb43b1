// The border between the library and what steps many pads of a gel, on the host (pad_loops.h) or in the CUDA
// part; plain C types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taxel/batch/pad_scene.h"

namespace taxel {

inline constexpr int kCudaPadsVersion = 1;

/// Most steps of a call of `advance`.
inline constexpr int kPadSteps = 256;

/// `count` steps of a way of `steps` steps, after the first `begin` of them.
struct PadWay {
  const KernelPose<double>* from = nullptr;  ///< (pads, objects + 1): objects, hand; cells
  const KernelPose<double>* to = nullptr;
  int steps = 0, begin = 0, count = 0;
  bool smooth = false;
};

/// What a call of `advance` did; host memory.
struct PadReport {
  double* load = nullptr;  ///< (pads, objects + 1, 6): sums over its steps; the hand is last
  unsigned long long* trouble =
      nullptr;               ///< (pads): step since the batch was made << 32 | particle; all bits: none
  float* fastest = nullptr;  ///< (pads): of the last step
};

/// What is to be read, in SI units, float. Memory of the device that steps; null: not wanted.
struct GelPadReading {
  double cell = 1, origin[3] = {}, impulse = 1;  ///< m; m; N for one of a step's impulses
  float* skin_position = nullptr;                ///< (pads, contact without rim, 3)
  float* skin_force = nullptr;                   ///< the same
  /// (pads, contact without rim, 3): less where the hand, at `hand` (pads, host memory), has carried them.
  float* displacement = nullptr;
  const KernelPose<double>* hand = nullptr;
  float* traction = nullptr;     ///< (pads, contact without rim, 3): forces over `area` (m^2, host memory)
  const double* area = nullptr;  ///< (contact without rim)
  float* position = nullptr;     ///< (pads, particles, 3)
  float* deformation = nullptr;  ///< (pads, particles, 9)
};

/// All functions return 0, or 1 with a message; all wait.
struct CudaPadsApi {
  int version;
  /// Pointers of the plan are to host memory, read here alone.
  int (*create)(const PadPlan* plan, int pads, int threads, void** batch, char* error, std::size_t size);
  void (*destroy)(void* batch);
  /// objects, then the floor; friction (pads, objects). Lattices lie in host memory, which stays until others
  /// are set.
  int (*set_objects)(void* batch, const SkinObject* object, const double* friction, int objects, char* error,
                     std::size_t size);
  /// Pads that have blown up stay where they are until `restore` mends them.
  int (*advance)(void* batch, const PadWay* way, const PadReport* report, char* error, std::size_t size);
  int (*read)(void* batch, const GelPadReading* reading, char* error, std::size_t size);
  /// Friction lets go of this object in the pads whose byte is not 0.
  int (*forget)(void* batch, int object, const std::uint8_t* pads, char* error, std::size_t size);
  std::size_t (*state_size)(void* batch);
  /// All that the pads remember; host memory.
  int (*save)(void* batch, void* state, char* error, std::size_t size);
  int (*restore)(void* batch, const void* state, char* error, std::size_t size);
};

extern "C" {
const CudaPadsApi* TaxelCudaPads();
}

}  // namespace taxel
