// The border between the library and its CUDA part for gels of particles; plain C types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taxel/gel/gel_law.h"
#include "taxel/shape/kernel_shape.h"

namespace taxel {

inline constexpr int kCudaGelVersion = 1;

/// A rigid object that particles may meet.
struct CudaGelObject {
  KernelShape<float> shape;         ///< in the object's own units
  float center[3] = {};             ///< of a ball around the shape, own units
  float radius = 0;                 ///< of that ball; infinite: everywhere
  int first_point = 0, points = 0;  ///< of CudaGelSpec::object_points
};

enum class CudaChamfer : int { kMean, kSum };

/// Everything a batch is made from: `worlds` copies of the same start. Lengths in cells, time in steps, mass
/// in particles, as in gel_law.h. Pointers to host memory, read in `create` alone.
struct CudaGelSpec {
  int worlds = 0, particles = 0;
  int cells[3] = {};  ///< of the domain: multiples of 4, 16 to 1024. Particles stay 3 cells inside
  const double* position = nullptr;    ///< (particles, 3)
  const float* velocity = nullptr;     ///< (particles, 3); null: zero
  const float* deformation = nullptr;  ///< (particles, 9) row-major; null: 1
  GelNumbers numbers;
  bool average_volume = false;  ///< see TransferOptions
  float keep = 1;               ///< of velocities relative to the hand, a step
  float gravity[3] = {};

  /// The hands of Eq. 8: pad of every particle, alpha of every particle, particles of the contact layer of
  /// every pad. No pads: no hands, and the rest of this struct is not read.
  int pads = 0, layer = 0;
  const std::uint8_t* pad = nullptr;  ///< (particles)
  const float* alpha = nullptr;       ///< (particles)
  const int* contact = nullptr;       ///< (pads, layer)
  /// (particles, 3), 1 / cell: gradient of alpha, and F follows the blended motion; null: F follows the grid.
  const float* alpha_slope = nullptr;
  float hand_offset = 0;  ///< of the hand's velocity, added to the gathered one (the authors' code)
  int objects = 0;
  const CudaGelObject* object = nullptr;
  float unit = 1;  ///< cells for one unit of the objects' lengths
  /// Eq. 8 with the particles' stop: one inside the object does not move in this step.
  bool stop_inside = false;
  /// The authors' way: the object's points, of mass `point_mass` each, rest on the same grid.
  bool mix_momentum = false;
  const float* object_points = nullptr;  ///< (points, 3), own units of the objects
  float point_mass = 0;                  ///< so that a node gets less than 4096
  /// A world stops when the chamfer distance of pad 0's contact layer, centred, to its start exceeds this
  /// (cells^2; kSum: summed); 0: never.
  float stop_chamfer = 0;
  CudaChamfer chamfer = CudaChamfer::kMean;
  int check_every = 1;
};

/// Where the worlds begin; host memory.
struct CudaGelPlaces {
  const int* object = nullptr;  ///< (worlds): which object; -1: none. Null: none anywhere
  const float* X_GO = nullptr;  ///< (worlds, 12): 3 x 4 row-major, pose of the object in the grid, cells
  const float* hand = nullptr;  ///< (worlds, pads, 3): velocities of the hands, cells a step; null: at rest
};

/// What a look at the device says.
struct CudaGelStatus {
  int step = 0;                ///< steps done
  int filled = 0, active = 0;  ///< blocks with particles, and with those around them
  int stopped = 0;             ///< worlds that have stopped
  float fastest = 0;           ///< greatest motion along an axis in a step since the last look, cells
};

/// All functions return 0, or 1 with a message. `advance` with wait = 0 does not wait for the GPU and does
/// not look for errors; all others wait.
struct CudaGelApi {
  int version;
  int (*create)(const CudaGelSpec* spec, void** batch, char* error, std::size_t size);
  void (*destroy)(void* batch);
  /// Back to the start, with other objects.
  int (*place)(void* batch, const CudaGelPlaces* places, char* error, std::size_t size);
  /// `steps` steps; the particles are sorted every `sort_every` of them, 0: as often as their speed asks.
  int (*advance)(void* batch, int steps, int sort_every, int wait, CudaGelStatus* status, char* error,
                 std::size_t size);
  /// State of a world by particle; host memory, null: not wanted.
  int (*read)(void* batch, int world, double* position, float* velocity, float* deformation, char* error,
              std::size_t size);
  /// Contact layers less where the hand has carried them, (worlds, pads, layer, 3); chamfer (worlds, pads);
  /// steps done (worlds) and whether stopped (worlds). Host memory, null: not wanted.
  int (*read_layers)(void* batch, float* displacement, float* chamfer, int* steps, std::uint8_t* stopped,
                     char* error, std::size_t size);
  /// Milliseconds of one launch of each: sort, scatter, grid, gather, stop check (5 numbers; median of
  /// `repeats`). Runs one step a repeat.
  int (*profile)(void* batch, int repeats, float* milliseconds, char* error, std::size_t size);
};

extern "C" {
const CudaGelApi* TaxelCudaGel();
}

}  // namespace taxel
