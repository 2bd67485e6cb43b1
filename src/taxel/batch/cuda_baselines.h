// The border between the library and its CUDA part for FOTS and TacSL; cuda_api.h has the one for the marker
// fields. Plain C types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taxel/batch/cuda_api.h"
#include "taxel/marker/fots_law.h"

namespace taxel {

inline constexpr int kCudaBaselinesVersion = 3;

enum class CudaBaselineKind : int { kFots, kTacSl };

/// Numbers of one world, in this order.
enum CudaFotsParameter : int {
  kFotsLambdaD,
  kFotsLambdaS,
  kFotsLambdaT,
  kFotsDilateScale,
  kFotsParameterCount
};
enum CudaTacSlParameter : int { kTacSlNormal, kTacSlTangential, kTacSlFriction, kTacSlParameterCount };

/// Everything a batch is made from: one object, the same pad on all fingers. Pointers to host memory, read in
/// `create` alone.
struct CudaBaselineSpec {
  CudaBaselineKind kind = CudaBaselineKind::kFots;
  int worlds = 0, fingers = 0, markers = 0;
  const float* marker_points = nullptr;  ///< (markers, 3); of TacSL: the points
  KernelShape<float> object;
  FotsRule<float> fots;               ///< kFots
  bool unit_shear = false;            ///< kTacSl
  const float* parameters = nullptr;  ///< (worlds, kFotsParameterCount or kTacSlParameterCount)
};

/// Device memory. kFots writes `displacement`, kTacSl the others; what is null is not written.
struct CudaBaselineOutput {
  float* displacement = nullptr;  ///< (worlds, fingers, markers, 3), px
  float* depth = nullptr;         ///< (worlds, fingers, markers), m
  float* normal = nullptr;        ///< (worlds, fingers, markers), N: above 0 when pressed
  float* shear = nullptr;         ///< (worlds, fingers, markers, 2), N: on the gel along x, y of the pad
};

struct CudaBaselineArguments {
  CudaPoses poses;               ///< of one object
  const float* shift = nullptr;  ///< kFots: (worlds, fingers, 3), m, in the pads' frames; null: no gravity
  /// kTacSl: (worlds, fingers, 6), velocity of the object's origin and angular velocity relative to the pad,
  /// in the pad's frame [m/s, rad/s]. Null: from the pose of the step before and dt; 0 in the first step.
  const float* velocity = nullptr;
  float dt = 0;
  /// (worlds) of bytes; null: all. Worlds that are not chosen stay as they are, and nothing is written for
  /// them.
  const std::uint8_t* mask = nullptr;
  CudaBaselineOutput out;
  void* stream = nullptr;
};

/// All functions return 0, or 1 with a message; none synchronises but create. Poses are not looked at: NaN
/// gives NaN or no contact.
struct CudaBaselineApi {
  int version;
  int (*create)(const CudaBaselineSpec* spec, void** batch, char* error, std::size_t size);
  void (*destroy)(void* batch);
  int (*step)(void* batch, const CudaBaselineArguments* arguments, char* error, std::size_t size);
  /// mask (worlds) of bytes on the device, or null for all.
  int (*reset)(void* batch, const std::uint8_t* mask, void* stream, char* error, std::size_t size);
  /// As CudaBaselineSpec::parameters, in device memory.
  int (*set_parameters)(void* batch, const float* parameters, void* stream, char* error, std::size_t size);
  /// Numbers of one finger's state. kTacSl: started, last pose (3 x 4). kFots: started, touching, pose at the
  /// start (3 x 4), tracked point (3), quaternions at the start and now (w, x, y, z each).
  std::size_t (*state_size)(void* batch);
  int (*get_state)(void* batch, float* state, void* stream, char* error, std::size_t size);
  int (*set_state)(void* batch, const float* state, void* stream, char* error, std::size_t size);
};

extern "C" {
const CudaBaselineApi* TaxelCudaBaselines();
}

}  // namespace taxel
