// From pieces to blocks: what a few points must keep of the whole patch. The pieces are made in patch.cc.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "taxel/contact/patch.h"

namespace taxel {
namespace {

// docs/decisions.md says where these come from ("Where blocks are not spread, ...").
// The map that spreads the points: its scales, and its shear.
constexpr double kMostSpread = 1.6, kLeastSpread = 0.8, kMostShear = 0.2;
// Variance of r^2 over the square of its mean, from which on outer and inner blocks can share damping.
constexpr double kLeastSpreadOfDistances = 0.05;
// How much less or more than its share a block may damp, at twice the mean of r^2 or at the centre.
constexpr double kMostDampingSlope = 0.8;
// Force of a patch over the sum of its blocks', below which they nearly cancel.
constexpr double kNearlyCancelled = 0.3;
// What a block may lose of its force, and gain, to restore the wrench.
constexpr double kMostLoss = 0.8, kMostGain = 1;

}  // namespace

void Patch::MakeBlocks(const ContactSurface& surface, int level_blocks, double size) {
  // Blocks in the order of their first piece. A block's point lies on the line of action of its force, so
  // that a patch on a ball keeps pointing at the ball's middle: a ball that spins there feels nothing of its
  // normal rows.
  std::fill(block_of_.begin(), block_of_.end(), -1);
  sums_.clear();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    PatchPiece& piece = pieces[i];
    if (grid_block_[i] >= static_cast<int>(block_of_.size())) block_of_.resize(grid_block_[i] + 1, -1);
    int& b = block_of_[grid_block_[i]];
    if (b < 0) {
      b = static_cast<int>(blocks.size());
      blocks.push_back({{}, {}, 0, 0, {}, {}, grid_block_[i] < level_blocks, 1.0, 0.0});
      sums_.push_back({});
    }
    piece.block = b;
    blocks[b].slope_W += piece.slope_W;
    BlockSum& sum = sums_[b];
    sum.push += piece.force * piece.n_W;
    sum.moment += piece.force * piece.p_W;
    sum.load += piece.force;
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].force = norm(sums_[b].push);
    blocks[b].n_W = blocks[b].force > 0 ? sums_[b].push / blocks[b].force : mean_normal;
    blocks[b].p_W = sums_[b].moment / sums_[b].load;
  }
  for (const PatchPiece& piece : pieces) {
    PatchBlock& block = blocks[piece.block];
    const double c = dot(piece.n_W, block.n_W);
    block.stiffness += piece.stiffness * c * c;
    block.damping += piece.damping * c * c;
    sums_[piece.block].torque += cross(piece.p_W - block.p_W, piece.force * piece.n_W);
  }
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].force > 0) blocks[b].p_W += cross(blocks[b].n_W, sums_[b].torque) / blocks[b].force;
  for (PatchBlock& block : blocks) block.stiffness = std::max(block.stiffness, block.force / size);
  for (PatchBlock& block : blocks) block.slip_W = block.p_W;
  if (std::count_if(blocks.begin(), blocks.end(), [](const PatchBlock& b) { return b.level; }) >= 4) {
    SpreadForSpin(surface.center_of_pressure);
    SpreadBlocks();
    ShareDamping(surface.center_of_pressure);
  }
  RestoreWrench(surface);
}

void Patch::SpreadForSpin(const Vec3& c) {
  // Friction of a spinning patch has the torque sum f_i |r_i|; a block's middle is nearer than its pieces
  // are.
  double whole = 0, blocked = 0;
  for (const PatchPiece& p : pieces)
    if (blocks[p.block].level) whole += p.force * norm(p.p_W - c);
  for (const PatchBlock& b : blocks)
    if (b.level) blocked += b.force * norm(b.p_W - c);
  if (!(blocked > 0)) return;
  const double scale = std::clamp(whole / blocked, 1.0, 1.2);
  for (PatchBlock& b : blocks)
    if (b.level) b.slip_W = c + scale * (b.p_W - c);
}

void Patch::SpreadBlocks() {
  double k = 0;
  Vec3 c;
  for (const PatchPiece& p : pieces)
    if (blocks[p.block].level) k += p.stiffness, c += p.stiffness * p.p_W;
  if (!(k > 0)) return;
  c = c / k;
  double S[3] = {0, 0, 0}, Q[3] = {0, 0, 0};  // uu, uv, vv
  for (const PatchPiece& p : pieces) {
    if (!blocks[p.block].level) continue;
    const double u = dot(axis_u, p.p_W - c), v = dot(axis_v, p.p_W - c), g = p.stiffness / p.area;
    S[0] += p.stiffness * u * u + g * p.moment_uu;
    S[1] += p.stiffness * u * v + g * p.moment_uv;
    S[2] += p.stiffness * v * v + g * p.moment_vv;
  }
  Vec3 q;  // the blocks' own centre
  double kq = 0;
  for (const PatchBlock& b : blocks)
    if (b.level) q += b.stiffness * b.p_W, kq += b.stiffness;
  q = q / kq;
  for (const PatchBlock& b : blocks) {
    if (!b.level) continue;
    const double u = dot(axis_u, b.p_W - q), v = dot(axis_v, b.p_W - q);
    Q[0] += b.stiffness * u * u;
    Q[1] += b.stiffness * u * v;
    Q[2] += b.stiffness * v * v;
  }
  // Lower triangular factors; B = L_S L_Q^-1 maps the points.
  if (!(S[0] > 0 && Q[0] > 0)) return;
  const double s00 = std::sqrt(S[0]), s10 = S[1] / s00, s11sq = S[2] - s10 * s10;
  const double q00 = std::sqrt(Q[0]), q10 = Q[1] / q00, q11sq = Q[2] - q10 * q10;
  if (!(s11sq > 1e-8 * S[0]) || !(q11sq > 0) || !(S[0] > 1e-8 * S[2])) return;
  const double s11 = std::sqrt(s11sq), q11 = std::sqrt(q11sq);
  // Far from 1 where one corner is pressed flat and outweighs all else: then there is nothing to spread.
  if (s00 > kMostSpread * q00 || s11 > kMostSpread * q11) return;
  if (s00 < kLeastSpread * q00 || s11 < kLeastSpread * q11) return;
  const double b00 = s00 / q00, b11 = s11 / q11, b10 = (s10 - b11 * q10) / q00;
  if (std::fabs(b10) > kMostShear) return;
  // Normals follow the surface: how they turn with the place, by least squares.
  Vec3 nu, nv, n0;
  for (const PatchBlock& b : blocks)
    if (b.level) n0 += b.stiffness * b.n_W;
  n0 = n0 / kq;
  for (const PatchBlock& b : blocks) {
    if (!b.level) continue;
    const double u = dot(axis_u, b.p_W - q), v = dot(axis_v, b.p_W - q);
    nu += (b.stiffness * u) * (b.n_W - n0), nv += (b.stiffness * v) * (b.n_W - n0);
  }
  const double determinant = Q[0] * Q[2] - Q[1] * Q[1];
  Vec3 turn_u, turn_v;
  if (determinant > 1e-6 * Q[0] * Q[2]) {
    turn_u = (Q[2] * nu - Q[1] * nv) / determinant;
    turn_v = (Q[0] * nv - Q[1] * nu) / determinant;
  }
  const double shift_u = dot(axis_u, c - q), shift_v = dot(axis_v, c - q);
  for (PatchBlock& b : blocks) {
    if (!b.level) continue;
    const double u = dot(axis_u, b.p_W - q), v = dot(axis_v, b.p_W - q);
    const double du = shift_u + b00 * u - u, dv = shift_v + b10 * u + b11 * v - v;
    b.n_W = normalized(b.n_W + du * turn_u + dv * turn_v);
    b.p_W += du * axis_u + dv * axis_v;
  }
}

void Patch::ShareDamping(const Vec3& c) {
  // Rolling loses sum f_i r_i^2, but the points were spread for their stiffness; the outer ones damp less (or
  // more), the sum stays.
  double whole = 0, f = 0, f2 = 0, f4 = 0;
  for (const PatchPiece& p : pieces)
    if (blocks[p.block].level)
      whole += p.force * norm2(p.p_W - c) + p.force / p.area * (p.moment_uu + p.moment_vv);
  for (const PatchBlock& b : blocks) {
    if (!b.level) continue;
    const double r2 = norm2(b.p_W - c);
    f += b.force, f2 += b.force * r2, f4 += b.force * r2 * r2;
  }
  if (!(f2 > 0)) return;
  const double mean = f2 / f, spread = f4 / f / (mean * mean) - 1;
  if (!(spread > kLeastSpreadOfDistances)) return;
  const double slope = std::clamp((whole / f2 - 1) / spread, -kMostDampingSlope, kMostDampingSlope);
  for (PatchBlock& b : blocks)
    if (b.level) b.damping_share = std::clamp(1 + slope * (norm2(b.p_W - c) / mean - 1), 0.1, 3.0);
}

void Patch::RestoreWrench(const ContactSurface& surface) {
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  const Vec3 c = surface.center_of_pressure;
  const Wrench w{wrench.force, wrench.torque - cross(c, wrench.force)};

  // The force first: it matters most, and one or two points can carry nothing else.
  // Where they nearly cancel (jaws from both sides) a factor for all of them would answer to what is left.
  Vec3 sum;
  double length = 0, total = 0;
  for (const PatchBlock& b : blocks) {
    sum += b.force * b.n_W;
    total += b.force;
    length = std::max(length, norm(b.p_W - c));
  }
  if (norm(w.force) > kNearlyCancelled * total) {
    const double along = dot(sum, w.force);
    if (!(along > 0)) return;
    const double scale = dot(w.force, w.force) / along;
    for (PatchBlock& b : blocks) b.force *= scale;
  }
  if (blocks.size() < 3 || !(length > 0)) return;

  const auto direction = [&](const PatchBlock& b) {
    const Vec3 t = cross(b.p_W - c, b.n_W) / length;
    return Vector6(b.n_W.x, b.n_W.y, b.n_W.z, t.x, t.y, t.z);
  };
  // Then the rest, as if the patch moved a little. Blocks that would lose most of their force or
  // more than double it are held there and the others take over. Directions with next to no stiffness are not
  // driven; the rounds make up for what that leaves undone in the others.
  held_.assign(blocks.size(), 0);
  change_.assign(blocks.size(), 0.0);
  Eigen::LDLT<Matrix6> solver;
  bool fresh = true;  // who is held has changed
  for (int round = 0; round < 4; ++round) {
    Vector6 missing(w.force.x, w.force.y, w.force.z, w.torque.x / length, w.torque.y / length,
                    w.torque.z / length);
    Matrix6 G = Matrix6::Zero();
    int free_blocks = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Vector6 d = direction(blocks[i]);
      missing -= (blocks[i].force + change_[i]) * d;
      if (held_[i]) continue;
      if (fresh) G += blocks[i].stiffness * d * d.transpose();
      ++free_blocks;
    }
    if (free_blocks < 3) break;
    if (fresh) {
      G.diagonal().array() += 1e-3 * G.trace() / 6;
      solver.compute(G);
    }
    fresh = false;
    const Vector6 motion = solver.solve(missing);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (held_[i]) continue;
      change_[i] += blocks[i].stiffness * direction(blocks[i]).dot(motion);
      const double bounded =
          std::clamp(change_[i], -kMostLoss * blocks[i].force, kMostGain * blocks[i].force);
      if (bounded != change_[i]) {
        change_[i] = bounded;
        held_[i] = 1;
        fresh = true;
      }
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].force += change_[i];
}

}  // namespace taxel
