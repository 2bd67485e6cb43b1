// Many presses of "Elastic Interaction of Particles" on a GPU.
#pragma once

#include <vector>

#include "taxel/batch/cuda_gel_batch.h"
#include "taxel/gel/eip_press.h"

namespace taxel::internal {

/// As RunEipPresses, in float on the GPU, some hundred presses at a time; options.threads is not read. Throws
/// its errors, and Error for a grid that is no multiple of 4, an object too dense for the GPU's sums
/// (kMixing), and where there is no GPU.
std::vector<EipResult> RunEipPressesCuda(const EipOptions& options,
                                         const std::vector<MarkerDistance>& objects,
                                         const std::vector<int>& which, const std::vector<Pose>& X_DO);

/// The two pads and the objects as a CudaGel wants them; `spec` points into the other members.
struct EipGel {
  EipGel(const EipOptions& options, const std::vector<MarkerDistance>& objects, int worlds);
  EipGel(const EipGel&) = delete;
  EipGel& operator=(const EipGel&) = delete;

  std::vector<double> position;   ///< (particles, 3), cells
  std::vector<std::uint8_t> pad;  ///< (particles)
  std::vector<float> alpha;       ///< (particles)
  std::vector<float> slope;       ///< (particles, 3), with follow_blend
  std::vector<int> contact;  ///< (2, 61 x 61): particles of the contact layers in the order of EipPad::image
  std::vector<CudaGelBody> bodies;
  CudaGelSpec spec;
};

/// Of one press on a GPU. layers (2, 61 x 61, 3): displacements of the contact layers, cells along the axes
/// of D; chamfer (2), cells^2.
EipResult ToEipResult(const EipOptions& options, const float* layers, const float* chamfer, int steps,
                      bool stopped);

}  // namespace taxel::internal
