#include "taxel/contact/patch_traction.h"

#include <algorithm>
#include <cmath>

namespace taxel::internal {
namespace {

// Friction is held within the bound of the step before, so a block that has just lost its normal force still
// rubs. Skins multiply the ratio of the two by a load that is spread over the whole contact, so it is taken
// to at least this part of what the block would bear then; else a hit that ends would read as a thousandfold
// shear.
constexpr double kLeastBorne = 0.5;

}  // namespace

void PatchTraction::Set(const Patch& patch, const PatchFriction& friction, const Anchors& anchors,
                        const Pose& X_WO, bool owner_is_A, double shear_damping,
                        const double* block_normal_forces, const Vec3* block_friction) {
  friction_ = &friction;
  anchors_ = &anchors;
  X_WO_ = X_WO;
  sign_ = owner_is_A ? -1 : 1;
  const int pieces = static_cast<int>(patch.pieces.size()), blocks = static_cast<int>(patch.blocks.size());
  piece_.resize(pieces);
  rest_.assign(block_friction, block_friction + blocks);
  elastic_.assign(blocks, 0.0);
  room_.assign(blocks, 0.0);
  for (int i = 0; i < pieces; ++i) {
    const PatchPiece& p = patch.pieces[i];
    const double bound = friction.piece_bounds()[i];
    Vec3 f = -friction.piece_stiffnesses()[i] *
             (friction.piece_stretches()[i] + shear_damping * friction.piece_velocities()[i]);
    if (const double size = norm(f); size > bound) f *= bound / size;
    piece_[i] = f;
    rest_[p.block] -= f;
    elastic_[p.block] += p.force;
    room_[p.block] += std::max(0.0, bound - norm(f)) + 1e-6 * bound;
  }
  double pressed = 0, elastic = 0;
  for (int b = 0; b < blocks; ++b) pressed += block_normal_forces[b], elastic += elastic_[b];
  const double mean = elastic > 0 ? pressed / elastic : 0.0;
  sums_.assign(friction.num_touched(), Sum{});
  whole_ = {};
  for (int i = 0; i < pieces; ++i) {
    const PatchPiece& p = patch.pieces[i];
    const double bound = friction.piece_bounds()[i];
    // A piece at its bound cannot pull harder, but it can be turned or relieved: only what lies along its
    // pull is shared by the room that is left.
    const double room = std::max(0.0, bound - norm(piece_[i])) + 1e-6 * bound;
    const double by_room = room_[p.block] > 0 ? room / room_[p.block] : 0;
    piece_[i] += by_room * rest_[p.block];
    if (const double size = norm(piece_[i]); size > bound && size > 0) piece_[i] *= bound / size;
    const double borne = elastic_[p.block] > 0 ? block_normal_forces[p.block] / elastic_[p.block] : 0.0;
    const double normal = std::max(borne, kLeastBorne * mean) * p.force;
    for (int k = friction.share_start()[i]; k < friction.share_start()[i + 1]; ++k) {
      const Anchors::Weight& w = friction.piece_shares()[k];
      Sum& sum = sums_[w.anchor];
      sum.friction += w.weight * piece_[i];
      sum.normal += w.weight * normal;
      sum.bound += w.weight * bound;
    }
    whole_.friction += piece_[i];
    whole_.normal += normal;
    whole_.bound += bound;
  }
}

Traction PatchTraction::At(const Vec3& p_W, const Vec3& n_W) const {
  Anchors::Weight found[Anchors::kMaxWeights];
  const int n =
      anchors_->Find(TransposeMul(X_WO_.R, p_W - X_WO_.p), TransposeMul(X_WO_.R, sign_ * n_W), found);
  Sum at;
  double weight = 0;
  for (int k = 0; k < n; ++k) {
    const int i = friction_->touched_index(found[k].anchor);
    if (i < 0 || !(sums_[i].normal > 0)) continue;
    // Ratios are what is interpolated: an anchor at the rim has little force but a say of its own.
    at.friction += (found[k].weight / sums_[i].normal) * sums_[i].friction;
    at.bound += found[k].weight * sums_[i].bound / sums_[i].normal;
    weight += found[k].weight;
  }
  if (!(weight > 0)) {
    if (!(whole_.normal > 0)) return {};
    return {whole_.friction / whole_.normal, whole_.bound / whole_.normal};
  }
  const Vec3 ratio = at.friction / weight;
  return {ratio - dot(ratio, n_W) * n_W, at.bound / weight};
}

}  // namespace taxel::internal
