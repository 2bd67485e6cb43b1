// Marker fields on the border between the library and its CUDA part (cuda_device.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "taxel/batch/cuda_poses.h"
#include "taxel/marker/gel_surface.h"
#include "taxel/shape/kernel_shape.h"

namespace taxel {

inline constexpr int kCudaApiVersion = 4;

/// Numbers of one world, in this order; CudaBatchSpec::parameters has them world by world.
enum CudaParameter : int {
  kLambdaD,
  kLambdaS,
  kFriction,
  kNormalStiffness,  ///< as printed: K A
  kShearStiffness,
  kSqueeze,
  kDilateScale,
  kShearScale,
  kCreep,
  kCreepTime,
  kParameterCount
};

enum class CudaMode : int { kTaxel, kPaper, kRelease };

/// Everything a batch is made from; pointers to host memory, read in `create` alone.
struct CudaBatchSpec {
  CudaMode mode = CudaMode::kTaxel;
  int worlds = 0, fingers = 0, objects = 0, markers = 0, substeps = 1;
  float force_lambda = 1;
  const float* marker_points = nullptr;   ///< (markers, 3)
  const float* marker_normals = nullptr;  ///< (markers, 3)
  const int* object_begin = nullptr;      ///< (objects + 1): first point of each object
  const float* points = nullptr;          ///< (points, 3)
  const float* normals = nullptr;         ///< (points, 3); zeros where there are none
  const float* areas = nullptr;           ///< (points)
  GelSurface<float> gel;                  ///< kTaxel
  float gel_box[6] = {};                  ///< low x y z, high x y z: no point inside the gel is outside
  KernelShape<float> pad;                 ///< kPaper, kRelease
  const KernelShape<float>* object_shapes = nullptr;  ///< kPaper, kRelease: (objects)
  const float* parameters = nullptr;                  ///< (worlds, kParameterCount)
};

/// Device memory; what is null is not written.
struct CudaStepOutput {
  float* displacement =
      nullptr;              ///< (worlds, fingers, markers, 3), px; not null. NaN where a pose is not finite
  float* wrench = nullptr;  ///< (worlds, fingers, 6): force, torque about the pad's origin, on the gel
  float* marker_forces = nullptr;  ///< (worlds, fingers, markers, 3), N
};

struct CudaStepArguments {
  CudaPoses poses;
  /// The gravity pass, in the pads' frames: (worlds, fingers, 3), m, or (worlds, fingers, 4, 4); null: none.
  const float* shift = nullptr;
  int shift_numbers = 3;  ///< of one: 3 or 16
  float dt = 0;
  /// (worlds, objects, 4, 4): where each object's points lie in its own frame; null: where they were sampled.
  const float* turns = nullptr;
  float lift = 0;                      ///< m along each pad's z, added to the objects' places
  const std::uint8_t* mask = nullptr;  ///< (worlds); where it is 0 nothing is read or written. Null: all
  CudaStepOutput out;
  void* stream = nullptr;
};

/// Cotangents in, gradients out; device memory. kTaxel alone, no creep, no shift, one substep. Gradients of
/// poses and parameters are added to what is there.
struct CudaVjpArguments {
  CudaStepArguments step;                ///< its poses are those of the step; outputs are not read
  const float* state_before = nullptr;   ///< (worlds, fingers, state_size): copied before the step
  const float* displacement = nullptr;   ///< (worlds, fingers, markers, 3)
  const float* wrench = nullptr;         ///< (worlds, fingers, 6) or null
  const float* stretch_after = nullptr;  ///< (worlds, fingers, points, 3) or null
  float* X_PI = nullptr;                 ///< (worlds, fingers, objects, 3, 4)
  float* X_PI_before = nullptr;          ///< (worlds, fingers, objects, 3, 4)
  float* stretch_before = nullptr;       ///< (worlds, fingers, points, 3)
  float* parameters = nullptr;           ///< (worlds, fingers, kParameterCount)
};

/// All functions return 0, or 1 with a message; none synchronises but create and the copies to and from the
/// host.
struct CudaApi {
  int version;
  int (*create)(const CudaBatchSpec* spec, void** batch, char* error, std::size_t size);
  void (*destroy)(void* batch);
  int (*step)(void* batch, const CudaStepArguments* arguments, char* error, std::size_t size);
  /// mask (worlds) of bytes on the device, or null for all. keep_normal: only the tangential memory goes.
  int (*reset)(void* batch, const std::uint8_t* mask, int keep_normal, void* stream, char* error,
               std::size_t size);
  /// parameters (worlds, kParameterCount), in device memory.
  int (*set_parameters)(void* batch, const float* parameters, void* stream, char* error, std::size_t size);
  /// Numbers of one finger's state: per object started, last pose (12), then its stretches (points, 3), then
  /// the late motion (markers, 3).
  std::size_t (*state_size)(void* batch);
  int (*get_state)(void* batch, float* state, void* stream, char* error, std::size_t size);
  int (*set_state)(void* batch, const float* state, void* stream, char* error, std::size_t size);
  int (*vjp)(void* batch, const CudaVjpArguments* arguments, char* error, std::size_t size);
};

extern "C" {
const CudaApi* TaxelCudaApi();
}

}  // namespace taxel
