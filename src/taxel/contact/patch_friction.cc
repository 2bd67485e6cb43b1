#include "taxel/contact/patch_friction.h"

#include <algorithm>
#include <cmath>

#include "taxel/contact/bristle_law.h"

namespace taxel {
namespace {

// What an anchor remembers of this partner.
AnchorState Mine(const AnchorState& state, double partner) {
  return state.partner == partner ? state : AnchorState{};
}

}  // namespace

void PatchFriction::Gather(const Patch& patch, const Anchors& anchors, const AnchorState* states,
                           double partner, const Pose& X_WO, bool owner_is_A,
                           const FrictionParameters& parameters, const RelativeMotion& v_AB, Bound bound,
                           const std::vector<int>* anchor_of_column) {
  X_WO_ = X_WO;
  sign_ = owner_is_A ? -1 : 1;  // the state is that of the other body relative to the owner
  partner_ = partner;
  parameters_ = parameters;
  kind_ = bound;
  FindShares(patch, anchors, states, anchor_of_column);
  ExpectNormalForces(patch, states, anchors.count());
  StretchPieces(patch, states, v_AB);
}

void PatchFriction::FindShares(const Patch& patch, const Anchors& anchors, const AnchorState* states,
                               const std::vector<int>* anchor_of_column) {
  first_.assign(1, 0);
  weights_.clear();
  for (int a : touched_) slot_[a] = -1;
  touched_.clear();
  sums_.clear();
  slot_.resize(anchors.count(), -1);
  for (const PatchPiece& piece : patch.pieces) {
    Anchors::Weight found[Anchors::kMaxWeights];
    int n = 1;
    if (anchor_of_column && piece.column >= 0) {
      found[0] = {(*anchor_of_column)[piece.column], 1.0};
    } else {
      // Seen from the owner the contact's outward normal points at the other body.
      const Vec3 n_O = TransposeMul(X_WO_.R, sign_ * piece.n_W);
      n = anchors.Find(TransposeMul(X_WO_.R, piece.p_W - X_WO_.p), n_O, found);
    }
    // Anchors that hold something else take no part, unless there are no others: then they start afresh.
    const bool any_free = std::any_of(found, found + n, [&](const Anchors::Weight& w) {
      return states[w.anchor].partner == 0 || states[w.anchor].partner == partner_;
    });
    for (int k = 0; k < n; ++k) {
      const int a = found[k].anchor;
      if (any_free && states[a].partner != 0 && states[a].partner != partner_) continue;
      if (slot_[a] < 0) {
        slot_[a] = static_cast<int>(touched_.size());
        touched_.push_back(a);
        sums_.push_back({});
      }
      weights_.push_back({slot_[a], found[k].weight});
      sums_[slot_[a]].elastic += found[k].weight * piece.force;
      sums_[slot_[a]].stiffness += found[k].weight * parameters_.shear_ratio * piece.stiffness;
    }
    first_.push_back(static_cast<int>(weights_.size()));
  }
}

void PatchFriction::ExpectNormalForces(const Patch& patch, const AnchorState* states, int num_anchors) {
  // Normal forces of the last step: those of the anchors still in contact go to the pieces they share; the
  // rest is shared by pressure.
  if (kind_ == Bound::kGiven) return;
  const int pieces = static_cast<int>(patch.pieces.size());
  normal_.assign(pieces, 0.0);
  if (kind_ == Bound::kElastic) {
    for (int i = 0; i < pieces; ++i) normal_[i] = patch.pieces[i].force;
    return;
  }
  double total = 0, elastic = 0;
  for (int a = 0; a < num_anchors; ++a)
    if (states[a].partner == partner_) total += states[a].normal_force, elastic += states[a].elastic_force;
  const double mean = elastic > 0 ? total / elastic : 1.0;
  double sum = 0;
  for (int i = 0; i < pieces; ++i) {
    double normal = 0, pressure = 0;
    for (int k = first_[i]; k < first_[i + 1]; ++k) {
      const AnchorState state = Mine(states[touched_[weights_[k].anchor]], partner_);
      normal += weights_[k].weight * state.normal_force;
      pressure += weights_[k].weight * state.elastic_force;
    }
    normal_[i] = patch.pieces[i].force * (pressure > 0 ? normal / pressure : mean);
    sum += normal_[i];
  }
  for (double& n : normal_) n *= sum > 0 ? total / sum : 0.0;
}

void PatchFriction::StretchPieces(const Patch& patch, const AnchorState* states, const RelativeMotion& v_AB) {
  const int pieces = static_cast<int>(patch.pieces.size());
  stiffness_.assign(pieces, 0.0);
  bound_.assign(pieces, 0.0);
  stretch_.assign(pieces, Vec3{});
  slip_.assign(pieces, Vec3{});
  blocks_.assign(patch.blocks.size(), FrictionBlock{});
  block_elastic_.assign(patch.blocks.size(), 0.0);
  for (int i = 0; i < pieces; ++i) {
    const PatchPiece& piece = patch.pieces[i];
    slip_[i] = Tangential(v_AB(piece.p_W), piece.n_W);
    const double mu = StribeckCoefficient(norm(slip_[i]), parameters_.static_friction,
                                          parameters_.dynamic_friction, parameters_.stribeck_speed);
    stiffness_[i] = parameters_.shear_ratio * piece.stiffness;
    bound_[i] = mu * normal_[i];
    // An anchor's stretch is spread over its pieces in proportion to their depth: the total force is the
    // same, and where the anchor slides each of its pieces is at its own bound (a shallow rim yields before
    // the deep middle).
    Vec3 s_O;
    double weight = 0;
    for (int k = first_[i]; k < first_[i + 1]; ++k) {
      const Sum& sum = sums_[weights_[k].anchor];
      weight += weights_[k].weight;
      if (sum.elastic > 0)
        s_O += weights_[k].weight * (sum.stiffness / sum.elastic) *
               Mine(states[touched_[weights_[k].anchor]], partner_).stretch_O;
    }
    if (weight > 0 && stiffness_[i] > 0)
      stretch_[i] =
          CarriedStretch(sign_ * (X_WO_.R * ((piece.force / stiffness_[i] / weight) * s_O)), piece.n_W);

    FrictionBlock& block = blocks_[piece.block];
    block.stiffness += stiffness_[i];
    block.damping += parameters_.shear_damping * stiffness_[i];
    block.bound += bound_[i];
    block_elastic_[piece.block] += piece.force;
    block.stretch_W += stiffness_[i] * CarriedStretch(stretch_[i], patch.blocks[piece.block].n_W);
    for (int k = first_[i]; k < first_[i + 1]; ++k) {
      Sum& sum = sums_[weights_[k].anchor];
      const double w = weights_[k].weight;
      sum.bound += w * bound_[i];
      sum.place += w * piece.force * piece.p_W;
      sum.direction += w * piece.force * piece.n_W;
    }
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    FrictionBlock& block = blocks_[b];
    if (block.stiffness > 0) block.stretch_W = block.stretch_W / block.stiffness;
  }
}

void PatchFriction::Advance(const Patch& patch, const AnchorState* states, const RelativeMotion& v_AB,
                            double step, const double* block_normal_forces) {
  for (Sum& sum : sums_) sum.normal = 0;
  const int pieces = static_cast<int>(patch.pieces.size());
  if (kind_ != Bound::kGiven) {
    // A block's force goes to its pieces by pressure.
    for (int i = 0; i < pieces; ++i) {
      const PatchPiece& piece = patch.pieces[i];
      normal_[i] = block_normal_forces[piece.block] * piece.force / block_elastic_[piece.block];
    }
  }
  for (int i = 0; i < pieces; ++i) {
    // Anchors that hold something else take no part; the others take its share too.
    double weight = 0;
    for (int k = first_[i]; k < first_[i + 1]; ++k) weight += weights_[k].weight;
    for (int k = first_[i]; k < first_[i + 1]; ++k)
      sums_[weights_[k].anchor].normal += weights_[k].weight / weight * normal_[i];
  }
  updated_.resize(touched_.size());
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    const Sum& sum = sums_[i];
    AnchorState state;
    state.partner = partner_;
    state.normal_force = sum.normal;
    state.elastic_force = sum.elastic;
    if (sum.elastic > 0 && sum.stiffness > 0) {
      const Vec3 n = normalized(sum.direction);
      const Vec3 p = sum.place / sum.elastic;
      const Vec3 s = sign_ * (X_WO_.R * Mine(states[touched_[i]], partner_).stretch_O);
      const Vec3 next = AdvanceStretch(CarriedStretch(s, n), step * Tangential(v_AB(p), n),
                                       sum.bound / sum.stiffness, parameters_.breakaway);
      state.stretch_O = sign_ * TransposeMul(X_WO_.R, next);
    }
    updated_[i] = state;
  }
}

}  // namespace taxel
