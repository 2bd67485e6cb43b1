// A press as "Elastic Interaction of Particles" simulates it (Algorithm 1, steps a to f): two pads, moved
// towards each other by their hands, and a rigid object between them.
//
// The unit domain D of the paper: lengths in domains, density 2, E = 3; its numbers and the slips that were
// mended are in docs/gel-eip.md. This is the published model, kept for comparison: the press is dynamic (Mach
// 0.3), and there is no force. GelSolver is the model for new work.
#pragma once

#include <memory>
#include <vector>

#include "taxel/gel/chamfer.h"
#include "taxel/gel/gel_material.h"
#include "taxel/math/pose.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

enum class EipContact {
  kStop,    ///< step d as printed: a particle that is inside the object stands still
  kMixing,  ///< the authors' code: the object is a heavy mass at rest in the same grid
};

struct EipOptions {
  int grid = 128;  ///< cells along a side of the domain
  GelMaterial material{3, 0.25, 2, GelLaw::kCorotated};
  double speed = 0.4;  ///< of each hand, domains a second
  double dt = 2e-3;    ///< s
  int steps = 256;     ///< at most
  double gap = 0.2;    ///< between the contact faces at the start, domains
  /// Stop when the chamfer distance of pad 0's contact layer exceeds this; <= 0: never.
  double chamfer = 1e-4;
  ChamferForm form = ChamferForm::kMean;
  int check_every = 4;  ///< steps
  EipContact contact = EipContact::kStop;
  double object_density = 10;  ///< kMixing
  /// The authors' code also adds v_hand / 100 to the gathered velocity; the paper does not.
  bool hand_offset = false;
  /// The deformation follows the blended motion of Eq. 8, not the grid's velocity as in Eqs. 9 and 11.
  bool follow_blend = false;
  int threads = 1;
};

/// Throws Error for numbers out of range, and for a step beyond a CFL number of 1.
void CheckEipOptions(const EipOptions& o);

/// Throws Error for an object without end, and for one that the pads cannot reach.
void CheckEipObject(const EipOptions& o, const MarkerDistance& object, const Pose& X_DO);

struct EipPad {
  /// Displacement of the contact layer from where the hand has carried it, 61 x 61, in the pad's frame P: x
  /// along x of D, z out of the pad towards the object; entry i 61 + j stands at ((i - 30) s, (j - 30) s, 0).
  std::vector<Vec3> image;
  Pose X_DP;           ///< at the end; the origin in the middle of the undeformed contact face
  double chamfer = 0;  ///< of its contact layer
};

struct EipResult {
  EipPad pads[2];        ///< 0: below, facing +y; 1: above, facing -y
  int steps = 0;         ///< taken
  bool stopped = false;  ///< by the chamfer distance
};

/// A press that can be stepped, for films and series; RunEipPress does all of it.
class EipPress {
 public:
  /// The object does not move; X_DO: its pose in D. Throws the errors of CheckEipObject.
  EipPress(const EipOptions& options, const MarkerDistance& object, const Pose& X_DO);
  ~EipPress();
  EipPress(EipPress&&) noexcept;
  EipPress& operator=(EipPress&&) noexcept;

  /// False when the press is over.
  bool Step();
  EipResult Result() const;
  int steps() const;
  double chamfer(int pad) const;  ///< as of the last look (check_every)
  /// Positions (domains) and layers of all particles, pad 0 first; layer 0 touches.
  std::vector<Vec3> Positions() const;
  const std::vector<int>& layers() const;
  /// Displacements of one layer of a pad as EipPad::image.
  std::vector<Vec3> LayerImage(int pad, int layer) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

EipResult RunEipPress(const EipOptions& options, const MarkerDistance& object, const Pose& X_DO);

}  // namespace taxel
