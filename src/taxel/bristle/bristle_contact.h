// The pressed bristles of a pad against one body, as a solver wants them: forces in, forces out.
#pragma once

#include <vector>

#include "taxel/bristle/bristle_options.h"
#include "taxel/bristle/probe.h"
#include "taxel/contact/core_touch.h"
#include "taxel/contact/patch.h"
#include "taxel/contact/patch_friction.h"
#include "taxel/contact/surface.h"

namespace taxel {

/// One bristle that pushes, in the world frame. Normals point out of B into A like those of a contact
/// surface; forces are those on A.
struct PressedBristle {
  int point;
  Vec3 p_W, n_W;
  double penetration;
  double elastic, stiffness;  ///< of its spring, N and N/m
  bool saturated;
  // Set by the laws below.
  double normal = 0;  ///< normal force, N
  Vec3 push_W;        ///< the same as a vector: along n_W, but for what a solver's block turned it
  Vec3 friction_W;    ///< N
  double speed = 0;   ///< of sliding, m/s
};

/// Use, each step: Find; then either Explicit (forces from the present velocity), or BuildPatch, Gather, the
/// solver's rows, Share; then Advance, which returns what the bristles remember. The memory itself
/// (AnchorState, one a point) belongs to the caller: `stretch_O` is the deflection z, of the body relative to
/// the pad, in the pad's frame. All methods keep their memory.
class BristleContact {
 public:
  /// Probes. False when no bristle pushes. A saturated bristle pushes with the force at its full length,
  /// along its own axis; of the form `paper` it pushes no more, but is still listed.
  bool Find(const BristlePoints& pad, const BristleOptions& options, const Pose& X_WP,
            const ProbeTarget& body, const Pose& X_WT, bool pad_is_A);

  const std::vector<PressedBristle>& bristles() const { return bristles_; }
  int num_saturated() const { return num_saturated_; }
  /// One face a bristle: its share of the pad, at the point where it meets the body, with its elastic force
  /// as a pressure. For pictures and totals.
  void FillSurface(ContactSurface* surface) const;

  void BuildPatch(const ContactSurface& surface, const PatchOptions& options, Patch* patch);
  /// How far a bristle can be pressed before it is flat, m; infinite of the form `paper`, which lets go.
  static double LayerDepth(const BristlePoints& pad, const BristleOptions& options);
  /// Bristles that come within `reach` of being flat, by what is left of them (not by the penetration, which
  /// is less on a flank), the nearest of each of 3 x 3 cells; the way out is their own direction. None of the
  /// form `paper`, whose bristles let go.
  void FindCore(const Patch& patch, double reach, std::vector<CoreTouch>* out) const;

  /// Friction over one step with the velocity v+ at its end, to first order about the present one: F = F(v) +
  /// G (v+ - v), with another slope G along the way of sliding than across it. Each block gets the sums, and
  /// the cone as its bound (`paper`: none but one far off).
  void Gather(const Patch& patch, const AnchorState* states, double partner, const LuGreParameters& law,
              const RelativeMotion& v_AB, double step, PatchFriction::Bound bound);
  const std::vector<FrictionBlock>& blocks() const { return blocks_; }
  /// After the solver: what the blocks got, shared among their bristles.
  void Share(const Patch& patch, const LuGreParameters& law, const double* block_normal_forces,
             const Vec3* block_friction);

  /// Forces from the present velocity: F_n = k d + c_n d' (never pulling), friction by AdvanceLuGre.
  void Explicit(const AnchorState* states, double partner, const LuGreParameters& law,
                const RelativeMotion& v_AB, double step);
  /// The same without memory: friction of steady sliding, which fades below `stiction_speed`.
  void Steady(const LuGreParameters& law, const RelativeMotion& v_AB, double stiction_speed);

  /// After Steady: the pushes scaled so that they sum to `normal`, and `friction` shared out in proportion to
  /// them; nothing changes where no bristle pushes.
  void ScaleTo(const Vec3& normal, const Vec3& friction);

  /// Moves the deflections by the velocity at the end of the step; calls store(point, state).
  template <class Store>
  void Advance(const AnchorState* states, double partner, const LuGreParameters& law,
               const RelativeMotion& v_AB, double step, Store&& store) const {
    for (std::size_t i = 0; i < bristles_.size(); ++i)
      if (bristles_[i].elastic > 0)
        store(bristles_[i].point, Next(bristles_[i], states, partner, law, v_AB, step));
  }

  /// Sums of what acts on A, torque about the world origin.
  Wrench NormalWrench() const;
  Wrench FrictionWrench() const;

 private:
  Vec3 Deflection(const PressedBristle& b, const AnchorState* states, double partner) const;
  AnchorState Next(const PressedBristle& b, const AnchorState* states, double partner,
                   const LuGreParameters& law, const RelativeMotion& v_AB, double step) const;
  void ExpectedLoads(const AnchorState* states, double partner, PatchFriction::Bound bound);

  const BristlePoints* pad_ = nullptr;
  const BristleOptions* options_ = nullptr;
  Pose X_WP_;
  double sign_ = 1;  // the state is that of the body relative to the pad
  int num_saturated_ = 0;
  std::vector<ProbeHit> hits_;
  std::vector<PressedBristle> bristles_;  // by rising point
  std::vector<PatchPiece> pieces_;
  std::vector<int> piece_bristle_;  // piece to bristle: those that push
  std::vector<double> loads_;       // of the pieces, expected
  // Friction of the pieces as F = f0 + G v+, and their cone (0: the form knows none).
  std::vector<Vec3> offset_, velocity_;
  std::vector<double> slope_, cone_;
  std::vector<FrictionBlock> blocks_;
  struct BlockSum {
    Vec3 elastic, rest;
    double load = 0, slope = 0, normal = 0;
  };
  std::vector<BlockSum> sums_;
};

}  // namespace taxel
