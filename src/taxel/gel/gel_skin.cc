#include "taxel/gel/gel_skin.h"

#include <cmath>
#include <string>
#include <utility>

#include "taxel/gel/chamfer.h"
#include "taxel/gel/spline.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

/// Points nearer than this (cells) take part in the step.
constexpr double kNear = 0.5;

Triple<double> At(const Vec3& v) { return {v.x, v.y, v.z}; }
Triple<float> Small(const Triple<double>& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

}  // namespace

void GelSkin::Assign(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
                     const std::vector<Vec3>& particles) {
  NearestPoints nearest;
  nearest.Assign(particles);
  std::vector<Ride> ride;
  for (const std::vector<Vec3>* points : {&contact, &bonded})
    for (std::size_t k = 0; k < points->size(); ++k) {
      const Vec3& p = (*points)[k];
      int particle = -1;
      const double d2 = is_finite(p) ? nearest.SquaredDistance(p, &particle) : 2;
      if (!(d2 < 1))
        throw Error(std::string("gel: ") + (points == &contact ? "contact" : "held") + " point " +
                    std::to_string(k) +
                    " is more than a cell away from every particle; take points on the surface of the gel");
      const Vec3 r = p - particles[static_cast<std::size_t>(particle)];
      ride.push_back({particle, {static_cast<float>(r.x), static_cast<float>(r.y), static_cast<float>(r.z)}});
    }
  ride_ = std::move(ride);
  contact_ = contact.size();
  home_ = bonded;
  target_ = bonded;
  target_velocity_.assign(bonded.size(), Vec3{});
  impulse_.assign(ride_.size(), {});
  object_.assign(contact_, -1);
  grip_.assign(contact_, {});
  touch_.assign(ride_.size(), {});
}

/// Where the particle of a point is.
struct GelSkin::Carrier {
  const GridBlock* block;
  float x[3];  // from the first node of the block
  float r[3];  // F r0

  Carrier(const ParticleBlocks& particles, const Ride& ride) {
    const std::int32_t slot = particles.slot(static_cast<std::size_t>(ride.particle)), lane = slot & 7;
    const ParticleGroup& g = particles.groups()[static_cast<std::size_t>(slot >> 3)];
    block = &particles.block_of_slot(slot);
    for (int k = 0; k < 3; ++k) {
      x[k] = g.x[k][lane];
      r[k] = g.F[3 * k][lane] * ride.r0[0] + g.F[3 * k + 1][lane] * ride.r0[1] +
             g.F[3 * k + 2][lane] * ride.r0[2];
    }
  }
  /// Of the point, cells.
  Vec3 place() const {
    Vec3 out;
    for (int k = 0; k < 3; ++k) out[k] = double(kBlockCells) * block->at[k] + (double(x[k]) + r[k]);
    return out;
  }
};

Vec3 GelSkin::position(std::size_t point, const ParticleBlocks& particles) const {
  return Carrier(particles, ride_[point]).place();
}

void GelSkin::MoveBonds(const KernelPose<double>& X, const KernelPose<double>& before) {
  for (std::size_t k = 0; k < home_.size(); ++k) {
    const Triple<double> now = Apply(X, At(home_[k])), then = Apply(before, At(home_[k]));
    target_[k] = {now.x, now.y, now.z};
    target_velocity_[k] = {now.x - then.x, now.y - then.y, now.z - then.z};
  }
}

void GelSkin::ScaleImpulses(float factor) {
  for (Triple<float>& l : impulse_) l.x *= factor, l.y *= factor, l.z *= factor;
  for (Grip& grip : grip_) grip.pressed *= factor;
}

void GelSkin::Forget(int object) {
  for (Grip& grip : grip_)
    if (grip.object == object) grip = {};
}

void GelSkin::Look(std::size_t point, const Carrier& carrier, const std::vector<SkinObject>& objects) {
  Touch& t = touch_[point];
  t.x = carrier.place();
  t.object = kFree;
  if (point >= contact_) {
    const std::size_t k = point - contact_;
    t.object = kBond;
    t.v = Small(At(target_velocity_[k]));
    t.drift = Small(At(t.x - (target_[k] - target_velocity_[k])));
    return;
  }
  double nearest = kNear;
  for (std::size_t o = 0; o < objects.size(); ++o) {
    const SkinObject& ob = objects[o];
    const Triple<double> q = (1 / ob.unit) * ApplyInverse(ob.X, At(t.x));
    const double reach = ob.radius + kNear / ob.unit;
    const Triple<double> d = q - At(ob.center);
    if (Dot(d, d) > reach * reach) continue;
    const double gap = ShapeDistance(ob.shape, q) * ob.unit;
    if (gap >= nearest) continue;
    nearest = gap;
    t.object = static_cast<int>(o);
    t.n = Small(Rotate(ob.X, ShapeGradient(ob.shape, q)));
    // The object has moved already: its motion is taken out of the gap again.
    t.v = Small(At(t.x) - Apply(ob.before, ob.unit * q));
    t.gap = static_cast<float>(gap) + Dot(t.v, t.n);
  }
  if (t.object == kFree) return;
  const Grip& grip = grip_[point];
  const SkinObject& ob = objects[static_cast<std::size_t>(t.object)];
  t.drift = grip.object == t.object ? Small(At(t.x) - Apply(ob.before, grip.at)) : Triple<float>{};
}

SkinGrip<float> GelSkin::GripOf(std::size_t point, const std::vector<SkinObject>& objects) const {
  const Grip& grip = grip_[point];
  const Touch& t = touch_[point];
  return {static_cast<float>(objects[static_cast<std::size_t>(t.object)].friction),
          grip.object == t.object ? grip.pressed : 0.0f, t.drift};
}

void GelSkin::Remember(std::size_t point, const std::vector<SkinObject>& objects) {
  Grip& grip = grip_[point];
  const Touch& t = touch_[point];
  if (t.object == kFree) {
    grip = {};
    return;
  }
  const SkinObject& ob = objects[static_cast<std::size_t>(t.object)];
  const Triple<float>& l = impulse_[point];
  const float normal = Dot(l, t.n);
  const Triple<float> tangential = l - normal * t.n;
  const SkinGrip<float> law = GripOf(point, objects);
  const bool known = law.pressed > 0;
  const float most = 0.999f * FrictionBound(law, normal);
  const bool slid = ob.friction >= 0 && Dot(tangential, tangential) >= most * most;
  // Gripped where it was in this step. One that slides could be gripped so that its friction stays what it
  // is; but then every point that flickers to its bound stays there, and a gel held still works its way to
  // full slip.
  if (!known || slid) grip.at = ApplyInverse(ob.before, At(t.x));
  grip.pressed = known ? grip.pressed + kSkinFollow * (normal - grip.pressed) : normal;
  if (grip.pressed < 1e-12f) grip.pressed = 0;
  grip.object = t.object;
}

void GelSkin::Hang(std::size_t point, const Carrier& c) {
  Touch& t = touch_[point];
  int base[3];
  float w[3][3], lean[3][3];  // w_ip along an axis, and 4 (x_i - x_p) r
  for (int k = 0; k < 3; ++k) {
    base[k] = static_cast<int>(std::floor(c.x[k] - 0.5f));
    const float f = c.x[k] - static_cast<float>(base[k]);
    SplineWeights(f, w[k]);
    for (int n = 0; n < 3; ++n) lean[k][n] = 4 * (static_cast<float>(n) - f) * c.r[k];
  }
  for (int n = 0; n < 27; ++n) {
    const int p = n / 9, q = n / 3 % 3, r = n % 3;
    const int i = base[0] + p, j = base[1] + q, k = base[2] + r;
    const int near = c.block->near[9 * ((i >> 2) + 1) + 3 * ((j >> 2) + 1) + (k >> 2) + 1];
    t.node[n] = near * kBlockNodes + ((i & 3) * kBlockCells + (j & 3)) * kBlockCells + (k & 3);
    t.w[n] = w[0][p] * w[1][q] * w[2][r] * (1 + lean[0][p] + lean[1][q] + lean[2][r]);
  }
}

void GelSkin::Push(const Touch& t, const Triple<float>& impulse, float* nodes) const {
  for (int n = 0; n < 27; ++n) {
    const float w = t.w[n] * inverse_[static_cast<std::size_t>(t.node[n])];
    float* v = nodes + 4 * t.node[n];
    v[0] += w * impulse.x, v[1] += w * impulse.y, v[2] += w * impulse.z;
  }
}

Triple<float> GelSkin::Velocity(const Touch& t, const float* nodes) {
  Triple<float> v{};
  for (int n = 0; n < 27; ++n) {
    const float* u = nodes + 4 * t.node[n];
    v.x += t.w[n] * u[0], v.y += t.w[n] * u[1], v.z += t.w[n] * u[2];
  }
  return v;
}

void GelSkin::Solve(const ParticleBlocks& particles, GelGrid* grid, const std::vector<SkinObject>& objects,
                    int rounds, ThreadCrew* crew, std::vector<GelSkinLoad>* loads, GelSkinLoad* hand) {
  loads->assign(objects.size(), {});
  *hand = {};
  if (ride_.empty()) return;
  float* nodes = grid->nodes().data();
  const int points = static_cast<int>(ride_.size());
  crew->For(points, 128, [&](int i, int) {
    const std::size_t p = static_cast<std::size_t>(i);
    const Carrier carrier(particles, ride_[p]);
    Look(p, carrier, objects);
    if (touch_[p].object != kFree) Hang(p, carrier);
  });
  active_.clear();
  for (int i = 0; i < points; ++i) {
    const std::size_t p = static_cast<std::size_t>(i);
    const int object = touch_[p].object;
    if (p < contact_) object_[p] = object < 0 ? -1 : object;
    if (object == kFree)
      impulse_[p] = {};
    else
      active_.push_back(i);
  }
  shared_.resize(grid->nodes().size() / 4);
  inverse_.resize(shared_.size());
  for (const int i : active_)
    for (const std::int32_t n : touch_[static_cast<std::size_t>(i)].node) {
      shared_[static_cast<std::size_t>(n)] = 0;
      inverse_[static_cast<std::size_t>(n)] = nodes[4 * n + 3] > 0 ? 1 / nodes[4 * n + 3] : 0;
    }
  for (const int i : active_) {
    const Touch& t = touch_[static_cast<std::size_t>(i)];
    for (int n = 0; n < 27; ++n) shared_[static_cast<std::size_t>(t.node[n])] += std::fabs(t.w[n]);
  }
  for (const int i : active_) {
    const std::size_t p = static_cast<std::size_t>(i);
    Touch& t = touch_[p];
    float sum = 0;
    for (int n = 0; n < 27; ++n)
      sum += std::fabs(t.w[n]) * inverse_[static_cast<std::size_t>(t.node[n])] *
             shared_[static_cast<std::size_t>(t.node[n])];
    t.row_sum = sum;
    impulse_[p] = t.object == kBond ? kSkinKeep * impulse_[p] : ContactStart(impulse_[p], t.n);
    Push(t, impulse_[p], nodes);
  }
  change_.resize(active_.size());
  for (int round = 0; round < rounds; ++round) {
    crew->For(static_cast<int>(active_.size()), 128, [&](int k, int) {
      const std::size_t p = static_cast<std::size_t>(active_[static_cast<std::size_t>(k)]);
      const Touch& t = touch_[p];
      const Triple<float> v = Velocity(t, nodes) - t.v;
      const Triple<float> next =
          t.object == kBond ? BondImpulse(impulse_[p], v, t.drift, t.row_sum)
                            : ContactImpulse(impulse_[p], v, t.n, t.gap, GripOf(p, objects), t.row_sum);
      change_[static_cast<std::size_t>(k)] = next - impulse_[p];
      impulse_[p] = next;
    });
    for (std::size_t k = 0; k < active_.size(); ++k)
      Push(touch_[static_cast<std::size_t>(active_[k])], change_[k], nodes);
  }
  crew->For(static_cast<int>(contact_), 256,
            [&](int i, int) { Remember(static_cast<std::size_t>(i), objects); });
  for (const int i : active_) {
    const std::size_t p = static_cast<std::size_t>(i);
    const Touch& t = touch_[p];
    const Triple<float>& l = impulse_[p];
    const Vec3 f{-double(l.x), -double(l.y), -double(l.z)};
    GelSkinLoad& load = t.object == kBond ? *hand : (*loads)[static_cast<std::size_t>(t.object)];
    load.force += f;
    load.torque += cross(t.x, f);
  }
}

}  // namespace taxel
