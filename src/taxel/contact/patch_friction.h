// Friction of one patch: stretch of the anchors in, forces of the blocks out, and back.
#pragma once

#include <vector>

#include "taxel/contact/anchors.h"
#include "taxel/contact/patch.h"

namespace taxel {

struct FrictionParameters {
  double static_friction = 0, dynamic_friction = 0;
  double stribeck_speed = 0.01;  ///< m/s
  double shear_ratio = 0.7;      ///< tangential over normal stiffness of a piece
  double shear_damping = 1e-3;   ///< s: tangential damping = shear_damping x tangential stiffness
  double breakaway = 1;          ///< 0: LuGre, 1: elastic until it slides (bristle_law.h)
};

/// What an anchor remembers. `partner` tells the geom it touches (0: none), so that touching something else
/// starts afresh.
struct AnchorState {
  Vec3 stretch_O;            ///< displacement of the other body relative to this anchor since it stuck, m
  double normal_force = 0;   ///< of the last step, N
  double elastic_force = 0;  ///< what the pressure alone gave then, N
  double partner = 0;
};

/// Motion of A relative to B, as a rigid velocity field v(x) = linear + angular x (x - at).
struct RelativeMotion {
  Vec3 linear, angular, at;
  Vec3 operator()(const Vec3& p) const { return linear + cross(angular, p - at); }
};

/// Tangential part of a block.
struct FrictionBlock {
  double stiffness = 0, damping = 0;  ///< N/m, N s/m
  double bound = 0;                   ///< most friction force, N
  Vec3 stretch_W;                     ///< of A relative to B, tangential to the block's normal, m
  /// Of bristles, whose friction is not a spring alone: what resists now, how it rises with the velocity
  /// along the direction of sliding (and by `damping` across it), and the share of the bound in use.
  Vec3 force_W, along_W;
  double along_damping = 0, sliding = 0;
};

/// The anchors belong to the owner O, which is A or B. Use: Gather at the start of a step, the solver's or an
/// explicit law's force, then Scatter at its end.
///
/// The bound is mu times the normal force of the *last* step: the friction impulse then equals mu times the
/// normal impulse, one step late, and nothing couples slip into the normal force. A force whose anchors left
/// the contact is shared among those still in it by pressure, so a patch that moves over the skin loses none.
class PatchFriction {
 public:
  enum class Bound {
    kLagged,   ///< mu x the normal force of the last step
    kElastic,  ///< mu x the elastic force now: no history yet (first step after a reset)
    kGiven,    ///< set_normal_forces() was called: explicit coupling
  };

  /// Computes the tangential stiffness, bound and stretch of every piece and block.
  /// @param anchor_of_column  where the pieces have columns, and those are the owner's (Anchors::OfColumns)
  void Gather(const Patch& patch, const Anchors& anchors, const AnchorState* states, double partner,
              const Pose& X_WO, bool owner_is_A, const FrictionParameters& parameters,
              const RelativeMotion& v_AB, Bound bound, const std::vector<int>* anchor_of_column = nullptr);
  /// Explicit coupling: normal forces of the pieces, before Gather(kGiven).
  std::vector<double>& piece_normal_forces() { return normal_; }

  /// Moves the stretch of the anchors by v_AB over `step` with the bounds of Gather, and stores the normal
  /// forces that the blocks got (kGiven: of the pieces). Calls `store(anchor, state)`.
  template <class Store>
  void Scatter(const Patch& patch, const AnchorState* states, const RelativeMotion& v_AB, double step,
               const double* block_normal_forces, Store&& store) {
    Advance(patch, states, v_AB, step, block_normal_forces);
    for (std::size_t i = 0; i < touched_.size(); ++i) store(touched_[i], updated_[i]);
  }

  const std::vector<FrictionBlock>& blocks() const { return blocks_; }
  const std::vector<Vec3>& piece_stretches() const { return stretch_; }
  const std::vector<double>& piece_stiffnesses() const { return stiffness_; }
  const std::vector<double>& piece_bounds() const { return bound_; }
  const std::vector<Vec3>& piece_velocities() const { return slip_; }

  /// The anchors in contact are numbered 0 .. num_touched() - 1; touched_index: -1 for the others.
  int num_touched() const { return static_cast<int>(touched_.size()); }
  int touched_index(int anchor) const { return slot_[anchor]; }
  /// Shares of piece i among them: piece_shares()[share_start()[i]] .. ; `anchor` is the number of a touched
  /// one.
  const std::vector<int>& share_start() const { return first_; }
  const std::vector<Anchors::Weight>& piece_shares() const { return weights_; }

 private:
  struct Sum {
    double elastic = 0, stiffness = 0, bound = 0, normal = 0;
    Vec3 place, direction;
  };
  // The three steps of Gather: which anchors share each piece; normal forces of the pieces, but for kGiven;
  // stiffness, bound and stretch of pieces and blocks.
  void FindShares(const Patch& patch, const Anchors& anchors, const AnchorState* states,
                  const std::vector<int>* anchor_of_column);
  void ExpectNormalForces(const Patch& patch, const AnchorState* states, int num_anchors);
  void StretchPieces(const Patch& patch, const AnchorState* states, const RelativeMotion& v_AB);
  void Advance(const Patch& patch, const AnchorState* states, const RelativeMotion& v_AB, double step,
               const double* block_normal_forces);

  Pose X_WO_;
  double sign_ = 1, partner_ = 0;
  Bound kind_ = Bound::kLagged;
  FrictionParameters parameters_;
  std::vector<int> first_;                // per piece, into weights_
  std::vector<Anchors::Weight> weights_;  // `anchor` counts touched anchors, after Gather
  std::vector<int> touched_, slot_;       // slot_: anchor to touched, -1
  std::vector<Sum> sums_;
  std::vector<AnchorState> updated_;
  std::vector<double> stiffness_, bound_, normal_, block_elastic_;
  std::vector<Vec3> stretch_, slip_;
  std::vector<FrictionBlock> blocks_;
};

}  // namespace taxel
