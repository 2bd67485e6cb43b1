#include "taxel/gel/gel_skin.h"

#include <cmath>

namespace taxel {
namespace {

/// Nodes with less mass than this (in particles) carry nothing: a point's weights are shared by the others.
constexpr float kLeastMass = 1e-4f;
/// Points nearer than this (cells) take part in the step.
constexpr double kNear = 0.5;

Triple<double> At(const Vec3& v) { return {v.x, v.y, v.z}; }
Triple<float> Small(const Triple<double>& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

}  // namespace

void GelSkin::Assign(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
                     const std::vector<Vec3>& normals, double spacing) {
  normal_ = normals;
  correction_ = static_cast<float>(spacing * spacing / 6);
  contact_ = contact.size();
  x_ = contact;
  x_.insert(x_.end(), bonded.begin(), bonded.end());
  home_ = bonded;
  target_ = bonded;
  target_velocity_.assign(bonded.size(), Vec3{});
  impulse_.assign(x_.size(), {});
  object_.assign(contact_, -1);
  block_.assign(x_.size(), -1);
  stencil_.resize(x_.size());
  touch_.resize(x_.size());
}

void GelSkin::ForgetBlocks() { block_.assign(x_.size(), -1); }

void GelSkin::MoveBonds(const KernelPose<double>& X, const KernelPose<double>& before) {
  for (std::size_t k = 0; k < home_.size(); ++k) {
    const Triple<double> now = Apply(X, At(home_[k])), then = Apply(before, At(home_[k]));
    target_[k] = {now.x, now.y, now.z};
    target_velocity_[k] = {now.x - then.x, now.y - then.y, now.z - then.z};
  }
}

bool GelSkin::Hang(const ParticleBlocks& particles, const GelGrid& grid, std::size_t point) {
  const std::vector<GridBlock>& blocks = particles.blocks();
  const Vec3& x = x_[point];
  std::int32_t& block = block_[point];
  int base[3], local[3];
  for (int k = 0; k < 3; ++k) base[k] = static_cast<int>(std::floor(x[k] - 0.5));
  bool inside = block >= 0;
  for (int k = 0; k < 3 && inside; ++k)
    inside = base[k] >> 2 == blocks[static_cast<std::size_t>(block)].at[k];
  if (!inside) block = particles.Find(base[0] >> 2, base[1] >> 2, base[2] >> 2);
  if (block < 0) return false;
  const GridBlock& b = blocks[static_cast<std::size_t>(block)];
  const Vec3& normal = normal_[point];
  float weight[3][3], surface[3][3];
  for (int k = 0; k < 3; ++k) {
    const float f = static_cast<float>(x[k] - base[k]), l = 1.5f - f, m = f - 1, r = f - 0.5f;
    weight[k][0] = 0.5f * l * l, weight[k][1] = 0.75f - m * m, weight[k][2] = 0.5f * r * r;
    const float n2 = static_cast<float>(normal[k] * normal[k]);
    for (int n = 0; n < 3; ++n) surface[k][n] = n2 * SurfaceKernel(f - static_cast<float>(n), correction_);
    local[k] = base[k] & 3;
  }
  const float* nodes = grid.nodes().data();
  Stencil& s = stencil_[point];
  float total = 0;
  for (int n = 0; n < 27; ++n) {
    const int p = n / 9, q = n / 3 % 3, r = n % 3;
    const int i = local[0] + p, j = local[1] + q, k = local[2] + r;
    const int near = b.near[9 * ((i >> 2) + 1) + 3 * ((j >> 2) + 1) + (k >> 2) + 1];
    s.node[n] = near < 0 ? -1 : near * kBlockNodes + ((i & 3) * kBlockCells + (j & 3)) * kBlockCells + (k & 3);
    s.w[n] = surface[0][p] * weight[1][q] * weight[2][r] + weight[0][p] * surface[1][q] * weight[2][r] +
             weight[0][p] * weight[1][q] * surface[2][r];
    if (s.node[n] < 0 || nodes[4 * s.node[n] + 3] < kLeastMass) s.node[n] = 0, s.w[n] = 0;
    total += s.w[n];
  }
  if (!(total > 0.05f)) return false;
  for (float& w : s.w) w /= total;
  return true;
}

GelSkin::Touch GelSkin::Look(std::size_t point, const std::vector<SkinObject>& objects) const {
  Touch t;
  if (point >= contact_) {
    const std::size_t k = point - contact_;
    t.object = kBond;
    t.v = Small(At(target_velocity_[k]));
    t.drift = Small(At(x_[point] - (target_[k] - target_velocity_[k])));
    return t;
  }
  double nearest = kNear;
  for (std::size_t o = 0; o < objects.size(); ++o) {
    const SkinObject& ob = objects[o];
    const Triple<double> q = (1 / ob.unit) * ApplyInverse(ob.X, At(x_[point]));
    const double reach = ob.radius + kNear / ob.unit;
    const Triple<double> d = q - At(ob.center);
    if (Dot(d, d) > reach * reach) continue;
    const double gap = ShapeDistance(ob.shape, q) * ob.unit;
    if (gap >= nearest) continue;
    nearest = gap;
    t.object = static_cast<int>(o);
    t.n = Small(Rotate(ob.X, ShapeGradient(ob.shape, q)));
    // The object has moved already: its motion is taken out of the gap again.
    t.v = Small(At(x_[point]) - Apply(ob.before, ob.unit * q));
    t.gap = static_cast<float>(gap) + Dot(t.v, t.n);
  }
  return t;
}

void GelSkin::Push(std::size_t point, const Triple<float>& impulse, float* nodes) const {
  const Stencil& s = stencil_[point];
  for (int n = 0; n < 27; ++n) {
    const float w = s.w[n] * inverse_[static_cast<std::size_t>(s.node[n])];
    float* v = nodes + 4 * s.node[n];
    v[0] += w * impulse.x, v[1] += w * impulse.y, v[2] += w * impulse.z;
  }
}

Triple<float> GelSkin::Velocity(std::size_t point, const float* nodes) const {
  const Stencil& s = stencil_[point];
  Triple<float> v{};
  for (int n = 0; n < 27; ++n) {
    const float* u = nodes + 4 * s.node[n];
    v.x += s.w[n] * u[0], v.y += s.w[n] * u[1], v.z += s.w[n] * u[2];
  }
  return v;
}

void GelSkin::Solve(const ParticleBlocks& particles, GelGrid* grid, const std::vector<SkinObject>& objects, int rounds,
                    ThreadCrew* crew, std::vector<SkinLoad>* loads, SkinLoad* hand) {
  loads->assign(objects.size(), {});
  *hand = {};
  if (x_.empty()) return;
  float* nodes = grid->nodes().data();
  const int points = static_cast<int>(x_.size());
  crew->For(points, 128, [&](int i, int) {
    const std::size_t p = static_cast<std::size_t>(i);
    touch_[p] = Look(p, objects);
    if (!Hang(particles, *grid, p)) touch_[p].object = kLost;
  });
  active_.clear();
  for (int i = 0; i < points; ++i) {
    const std::size_t p = static_cast<std::size_t>(i);
    const int object = touch_[p].object;
    if (p < contact_) object_[p] = object < 0 ? -1 : object;
    if (object == kFree || object == kLost)
      impulse_[p] = {};
    else
      active_.push_back(i);
  }
  shared_.resize(grid->nodes().size() / 4);
  inverse_.resize(shared_.size());
  for (const int i : active_)
    for (const std::int32_t n : stencil_[static_cast<std::size_t>(i)].node) {
      shared_[static_cast<std::size_t>(n)] = 0;
      inverse_[static_cast<std::size_t>(n)] = nodes[4 * n + 3] > 0 ? 1 / nodes[4 * n + 3] : 0;
    }
  for (const int i : active_) {
    const Stencil& s = stencil_[static_cast<std::size_t>(i)];
    for (int n = 0; n < 27; ++n) shared_[static_cast<std::size_t>(s.node[n])] += s.w[n];
  }
  for (const int i : active_) {
    const std::size_t p = static_cast<std::size_t>(i);
    const Stencil& s = stencil_[p];
    float sum = 0;
    for (int n = 0; n < 27; ++n)
      sum += s.w[n] * inverse_[static_cast<std::size_t>(s.node[n])] * shared_[static_cast<std::size_t>(s.node[n])];
    touch_[p].row_sum = sum;
    Push(p, impulse_[p], nodes);
  }
  change_.resize(active_.size());
  for (int round = 0; round < rounds; ++round) {
    crew->For(static_cast<int>(active_.size()), 128, [&](int k, int) {
      const std::size_t p = static_cast<std::size_t>(active_[static_cast<std::size_t>(k)]);
      const Touch& t = touch_[p];
      const Triple<float> v = Velocity(p, nodes) - t.v;
      const Triple<float> next =
          t.object == kBond
              ? BondImpulse(impulse_[p], v, t.drift, t.row_sum)
              : ContactImpulse(impulse_[p], v, t.n, t.gap,
                               static_cast<float>(objects[static_cast<std::size_t>(t.object)].friction), t.row_sum);
      change_[static_cast<std::size_t>(k)] = next - impulse_[p];
      impulse_[p] = next;
    });
    for (std::size_t k = 0; k < active_.size(); ++k) Push(static_cast<std::size_t>(active_[k]), change_[k], nodes);
  }
  for (const int i : active_) {
    const std::size_t p = static_cast<std::size_t>(i);
    const Triple<float>& l = impulse_[p];
    const Vec3 f{-double(l.x), -double(l.y), -double(l.z)};
    const int object = touch_[p].object;
    SkinLoad& load = object == kBond ? *hand : (*loads)[static_cast<std::size_t>(object)];
    load.force += f;
    load.torque += cross(x_[p], f);
  }
  crew->For(points, 128, [&](int i, int) {
    const std::size_t p = static_cast<std::size_t>(i);
    if (touch_[p].object == kLost) return;
    const Triple<float> v = Velocity(p, nodes);
    x_[p] += Vec3{v.x, v.y, v.z};
  });
}

}  // namespace taxel
