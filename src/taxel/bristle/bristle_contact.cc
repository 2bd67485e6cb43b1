#include "taxel/bristle/bristle_contact.h"

#include <algorithm>
#include <cmath>

#include "taxel/contact/friction_law.h"

namespace taxel {
namespace {

const AnchorState kBlank;

constexpr double kBristleEnd = 0.975;  // share of its length at which a bristle is flat, as a backed layer is

// What a point remembers of this partner.
const AnchorState& Mine(const AnchorState* states, int point, double partner) {
  return states[point].partner == partner ? states[point] : kBlank;
}

}  // namespace

bool BristleContact::Find(const BristlePoints& pad, const BristleOptions& options, const Pose& X_WP,
                          const ProbeTarget& body, const Pose& X_WT, bool pad_is_A) {
  pad_ = &pad;
  options_ = &options;
  X_WP_ = X_WP;
  sign_ = pad_is_A ? -1 : 1;
  num_saturated_ = 0;
  bristles_.clear();
  Probe(pad, X_WP, body, X_WT, &hits_);
  bool pushes = false;
  for (const ProbeHit& hit : hits_) {
    PressedBristle b{};
    b.point = hit.point;
    b.p_W = hit.p_W;
    // The hit's normal points into the pad.
    b.n_W = pad_is_A ? hit.n_W : -hit.n_W;
    b.penetration = hit.penetration;
    b.saturated = hit.saturated;
    num_saturated_ += hit.saturated;
    if (!(hit.saturated && options.friction.form == LuGreForm::kPaper)) {
      const SpringForce f = ForceAlongNormal(options, hit.penetration, hit.cosine);
      b.elastic = f.force, b.stiffness = f.stiffness;
    }
    pushes |= b.elastic > 0;
    bristles_.push_back(b);
  }
  return pushes;
}

void BristleContact::FillSurface(ContactSurface* s) const {
  s->Clear();
  const Layout& layout = pad_->layout();
  Vec3 moment, weighted;
  for (const PressedBristle& b : bristles_) {
    if (!(b.elastic > 0)) continue;
    const double area = layout.areas[b.point], pressure = b.elastic / area;
    const double width = layout.plane ? layout.grid.du : std::sqrt(area), height = area / width;
    Vec3 u = Tangential(X_WP_.R * layout.axes[b.point], b.n_W);
    if (!(norm(u) > 1e-6)) {
      Vec3 other;
      MakeFrame(b.n_W, &u, &other);
    }
    u = normalized(u);
    const Vec3 v = cross(b.n_W, u);
    for (const auto& [i, j] : {std::pair(-1, -1), std::pair(1, -1), std::pair(1, 1), std::pair(-1, 1)}) {
      s->vertices.push_back(b.p_W + (0.5 * i * width) * u + (0.5 * j * height) * v);
      s->pressures.push_back(pressure);
    }
    s->face_start.push_back(static_cast<int>(s->vertices.size()));
    s->normals.push_back(b.n_W);
    s->areas.push_back(area);
    s->centroids.push_back(b.p_W);
    s->face_pressures.push_back(pressure);
    const double gradient = b.stiffness / area, rigid = HUGE_VAL;
    s->gradients_A.push_back(sign_ < 0 ? gradient : rigid);
    s->gradients_B.push_back(sign_ < 0 ? rigid : gradient);
    s->area += area;
    s->normal_force += b.elastic;
    s->max_pressure = std::max(s->max_pressure, pressure);
    weighted += area * b.p_W;
    moment += b.elastic * b.p_W;
    AddForce(&s->wrench_on_A, b.elastic * b.n_W, b.p_W);
  }
  if (s->area > 0) s->centroid = weighted / s->area;
  if (s->normal_force > 0) s->center_of_pressure = moment / s->normal_force;
}

void BristleContact::BuildPatch(const ContactSurface& surface, const PatchOptions& options, Patch* patch) {
  pieces_.clear();
  piece_bristle_.clear();
  for (std::size_t i = 0; i < bristles_.size(); ++i) {
    const PressedBristle& b = bristles_[i];
    if (!(b.elastic > 0)) continue;
    PatchPiece piece{};
    piece.p_W = b.p_W;
    piece.n_W = b.n_W;
    piece.area = pad_->layout().areas[b.point];
    piece.force = b.elastic;
    piece.stiffness = b.stiffness;
    piece.damping = options_->damping;
    pieces_.push_back(piece);
    piece_bristle_.push_back(static_cast<int>(i));
  }
  patch->BuildPoints(pieces_, surface, X_WP_.R, options);
}

double BristleContact::LayerDepth(const BristlePoints& pad, const BristleOptions& options) {
  return options.friction.form == LuGreForm::kPaper ? HUGE_VAL : kBristleEnd * pad.depth();
}

void BristleContact::FindCore(const Patch& patch, double reach, std::vector<CoreTouch>* out) const {
  out->clear();
  const double depth = LayerDepth(*pad_, *options_);
  if (std::isinf(depth)) return;
  for (const PressedBristle& b : bristles_) {
    const Vec3 along_W = X_WP_.R * pad_->direction(b.point);
    const double gap = depth - dot(along_W, X_WP_ * pad_->tip(b.point) - b.p_W);
    if (gap <= reach) out->push_back({b.p_W, sign_ * along_W, gap});
  }
  KeepNearest(patch, out);
}

Vec3 BristleContact::Deflection(const PressedBristle& b, const AnchorState* states, double partner) const {
  return CarriedStretch(sign_ * (X_WP_.R * Mine(states, b.point, partner).stretch_O), b.n_W);
}

void BristleContact::ExpectedLoads(const AnchorState* states, double partner, PatchFriction::Bound bound) {
  const std::size_t n = pieces_.size();
  loads_.resize(n);
  if (bound == PatchFriction::Bound::kElastic) {
    for (std::size_t i = 0; i < n; ++i) loads_[i] = pieces_[i].force;
    return;
  }
  // As contact/patch_friction.cc does: the normal forces of the last step; what points carried that have left
  // the contact goes to the others by pressure.
  double total = 0, elastic = 0, sum = 0;
  for (int p = 0; p < pad_->count(); ++p)
    if (states[p].partner == partner) total += states[p].normal_force, elastic += states[p].elastic_force;
  const double mean = elastic > 0 ? total / elastic : 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    const AnchorState& s = Mine(states, bristles_[piece_bristle_[i]].point, partner);
    loads_[i] = pieces_[i].force * (s.elastic_force > 0 ? s.normal_force / s.elastic_force : mean);
    sum += loads_[i];
  }
  for (double& load : loads_) load *= sum > 0 ? total / sum : 0.0;
}

void BristleContact::Gather(const Patch& patch, const AnchorState* states, double partner,
                            const LuGreParameters& law, const RelativeMotion& v_AB, double h,
                            PatchFriction::Bound bound) {
  ExpectedLoads(states, partner, bound);
  const bool passive = law.form == LuGreForm::kPassive;
  const std::size_t n = pieces_.size();
  offset_.resize(n);
  velocity_.resize(n);
  slope_.resize(n);
  cone_.resize(n);
  blocks_.assign(patch.blocks.size(), FrictionBlock{});
  sums_.assign(patch.blocks.size(), BlockSum{});
  for (std::size_t i = 0; i < n; ++i) {
    const PressedBristle& b = bristles_[piece_bristle_[i]];
    const int block = patch.pieces[i].block;
    const Vec3& n_B = patch.blocks[block].n_W;
    const double cone = law.static_friction * loads_[i];
    Vec3 z = Deflection(b, states, partner);
    if (passive) z = NoLongerThan(z, cone / law.sigma0);
    const Vec3 v = Tangential(v_AB(b.p_W), b.n_W);
    const double a = LuGreRate(law, norm(v), loads_[i]);
    // z' = (z + h v+) / (1 + h a);  F = sigma0 z' + sigma1 (v+ - a z') + c_t v+.
    double damping = law.sigma1;
    if (passive && (std::isinf(a) || dot(v - a * z, v) < 0)) damping = 0;
    const double keep = std::isinf(a) ? 0 : 1 / (1 + h * a);
    const double lost = std::isinf(a) ? 1 / h : a * keep;  // a / (1 + h a)
    const double f0 = law.sigma0 * keep - damping * lost;
    slope_[i] = (law.sigma0 * h + damping) * keep + law.viscosity;
    offset_[i] = f0 * z;
    velocity_[i] = v;
    cone_[i] = cone;
    // That takes the rate a as it is now. But a rises with the speed, so that a bristle which slides is held
    // back by the same force however fast: along its way F rises by (1 - s) / (1 + h a) of that slope, where
    // s is the share of the steady deflection. Across it the force turns with the velocity, and the slope
    // holds.
    const double speed = norm(v);
    double along = slope_[i];
    if (speed > 0) {
      const double share = std::isinf(a) ? 1 : a * dot(z, v) / (speed * speed);
      // At rest the direction of v is noise and must not count; it does in full from 1e-8 of the break-away
      // length a step on.
      const double counts = std::min(1.0, 1e8 * h * a);
      const double sliding =
          (slope_[i] - law.viscosity) * std::clamp(1 - share, 0.0, 1.0) * keep + law.viscosity;
      along += counts * (sliding - slope_[i]);
    }
    FrictionBlock& into = blocks_[block];
    into.damping += slope_[i];
    into.along_damping += along;
    into.along_W += slope_[i] * CarriedStretch(v, n_B);
    into.force_W += CarriedStretch(offset_[i] + slope_[i] * v, n_B);
    // As printed there is no bound; one far off.
    into.bound += passive ? cone : 4 * (norm(offset_[i]) + slope_[i] * speed) + 10 * cone;
    into.stiffness += std::max(f0, 0.0);
    into.sliding += law.sigma0 * norm(z);
    sums_[block].load += cone;
  }
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    FrictionBlock& block = blocks_[k];
    block.along_W = normalized(block.along_W);
    block.sliding = sums_[k].load > 0 ? std::clamp(block.sliding / sums_[k].load, 0.0, 1.0) : 1.0;
  }
}

void BristleContact::Share(const Patch& patch, const LuGreParameters& law, const double* block_normal_forces,
                           const Vec3* block_friction) {
  const std::size_t n = pieces_.size();
  sums_.assign(patch.blocks.size(), BlockSum{});
  for (PressedBristle& b : bristles_) b.normal = b.speed = 0, b.push_W = b.friction_W = {};
  for (std::size_t i = 0; i < n; ++i) {
    BlockSum& s = sums_[patch.pieces[i].block];
    s.elastic += pieces_[i].force * pieces_[i].n_W;
    s.load += pieces_[i].force;
    s.slope += slope_[i];
    s.rest += -offset_[i] - slope_[i] * velocity_[i];
  }
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    BlockSum& s = sums_[k];
    // Along their own normals they add up to the block's force; what that leaves over is shared by load.
    const double along = dot(s.elastic, patch.blocks[k].n_W);
    s.normal = along > 0 ? block_normal_forces[k] / along : 0.0;
    s.elastic = block_normal_forces[k] * patch.blocks[k].n_W - s.normal * s.elastic;
    s.rest = block_friction[k] - s.rest;
  }
  for (std::size_t i = 0; i < n; ++i) {
    PressedBristle& b = bristles_[piece_bristle_[i]];
    const BlockSum& s = sums_[patch.pieces[i].block];
    b.normal = s.normal * b.elastic;
    b.push_W = b.normal * b.n_W + (b.elastic / s.load) * s.elastic;
    b.speed = norm(velocity_[i]);
    b.friction_W = -offset_[i] - slope_[i] * velocity_[i];
    if (s.slope > 0) b.friction_W += (slope_[i] / s.slope) * s.rest;
  }
  if (law.form == LuGreForm::kPaper) return;
  // No bristle beyond its cone; what that takes away goes to the others by load.
  for (BlockSum& s : sums_) s.rest = {};
  for (std::size_t i = 0; i < n; ++i) {
    PressedBristle& b = bristles_[piece_bristle_[i]];
    const Vec3 held = NoLongerThan(b.friction_W, cone_[i]);
    sums_[patch.pieces[i].block].rest += b.friction_W - held;
    b.friction_W = held;
  }
  for (std::size_t i = 0; i < n; ++i) {
    PressedBristle& b = bristles_[piece_bristle_[i]];
    const BlockSum& s = sums_[patch.pieces[i].block];
    b.friction_W += (b.elastic / s.load) * s.rest;
  }
}

void BristleContact::Explicit(const AnchorState* states, double partner, const LuGreParameters& law,
                              const RelativeMotion& v_AB, double h) {
  for (PressedBristle& b : bristles_) {
    b.normal = b.speed = 0;
    b.push_W = b.friction_W = {};
    if (!(b.elastic > 0)) continue;
    const Vec3 v = v_AB(b.p_W), slip = Tangential(v, b.n_W);
    b.normal = std::max(0.0, b.elastic - options_->damping * dot(v, b.n_W));
    b.push_W = b.normal * b.n_W;
    b.friction_W = -AdvanceLuGre(law, Deflection(b, states, partner), slip, b.normal, h).force;
    b.speed = norm(slip);
  }
}

void BristleContact::Steady(const LuGreParameters& law, const RelativeMotion& v_AB, double stiction_speed) {
  for (PressedBristle& b : bristles_) {
    const Vec3 v = v_AB(b.p_W), slip = Tangential(v, b.n_W);
    b.normal = b.elastic > 0 ? std::max(0.0, b.elastic - options_->damping * dot(v, b.n_W)) : 0.0;
    b.push_W = b.normal * b.n_W;
    b.speed = norm(slip);
    const double force = SteadyFriction(law, b.speed, b.normal);
    b.friction_W = FrictionTraction(slip, 1, RegularizedCoulomb(b.speed, force, stiction_speed));
  }
}

AnchorState BristleContact::Next(const PressedBristle& b, const AnchorState* states, double partner,
                                 const LuGreParameters& law, const RelativeMotion& v_AB, double h) const {
  AnchorState next;
  next.partner = partner;
  next.normal_force = b.normal;
  next.elastic_force = b.elastic;
  const Vec3 z =
      AdvanceLuGre(law, Deflection(b, states, partner), Tangential(v_AB(b.p_W), b.n_W), b.normal, h)
          .deflection;
  next.stretch_O = sign_ * TransposeMul(X_WP_.R, z);
  return next;
}

void BristleContact::ScaleTo(const Vec3& normal, const Vec3& friction) {
  Vec3 sum;
  double load = 0;
  for (const PressedBristle& b : bristles_) sum += b.push_W, load += b.normal;
  if (!(load > 0)) return;
  // A ring of bristles round a finger: their pushes cancel, and have no direction to go by.
  const bool cancels = !(norm(sum) > 0.01 * load);
  const double factor = cancels ? norm(normal) / load : std::max(0.0, dot(normal, sum) / norm2(sum));
  const Vec3 rest = normal - factor * sum;
  for (PressedBristle& b : bristles_) {
    const double share = b.normal / load;
    b.push_W = factor * b.push_W + share * rest;
    b.normal *= factor;
    b.friction_W = share * friction;
  }
}

Wrench BristleContact::NormalWrench() const {
  Wrench w;
  for (const PressedBristle& b : bristles_) AddForce(&w, b.push_W, b.p_W);
  return w;
}

Wrench BristleContact::FrictionWrench() const {
  Wrench w;
  for (const PressedBristle& b : bristles_) AddForce(&w, b.friction_W, b.p_W);
  return w;
}

}  // namespace taxel
