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
}

void GelSkin::ForgetBlocks() { block_.assign(x_.size(), -1); }

void GelSkin::MoveBonds(const KernelPose<double>& X, const KernelPose<double>& before) {
  for (std::size_t k = 0; k < home_.size(); ++k) {
    const Triple<double> now = Apply(X, At(home_[k])), then = Apply(before, At(home_[k]));
    target_[k] = {now.x, now.y, now.z};
    target_velocity_[k] = {now.x - then.x, now.y - then.y, now.z - then.z};
  }
}

bool GelSkin::Stencil(const std::vector<GridBlock>& blocks, const ParticleBlocks& particles,
                      const GelGrid& grid, std::size_t point, std::int32_t* node, float* w) {
  const Vec3& x = x_[point];
  int base[3];
  float weight[3][3], surface[3][3];
  std::int32_t& block = block_[point];
  for (int k = 0; k < 3; ++k) base[k] = static_cast<int>(std::floor(x[k] - 0.5));
  bool inside = block >= 0;
  for (int k = 0; k < 3 && inside; ++k) {
    const int local = base[k] - kBlockCells * blocks[static_cast<std::size_t>(block)].at[k];
    inside = local >= 0 && local < kBlockCells;
  }
  if (!inside) block = particles.Find(base[0] >> 2, base[1] >> 2, base[2] >> 2);
  if (block < 0) return false;
  const GridBlock& b = blocks[static_cast<std::size_t>(block)];
  int local[3];
  for (int k = 0; k < 3; ++k) {
    const float f = static_cast<float>(x[k] - base[k]), l = 1.5f - f, m = f - 1, r = f - 0.5f;
    weight[k][0] = 0.5f * l * l, weight[k][1] = 0.75f - m * m, weight[k][2] = 0.5f * r * r;
    for (int n = 0; n < 3; ++n) surface[k][n] = SurfaceKernel(f - static_cast<float>(n), correction_);
    local[k] = base[k] - kBlockCells * b.at[k];
  }
  const float* nodes = grid.nodes().data();
  const Vec3& normal = normal_[point];
  const float n2[3] = {static_cast<float>(normal.x * normal.x), static_cast<float>(normal.y * normal.y),
                       static_cast<float>(normal.z * normal.z)};
  float total = 0;
  for (int n = 0; n < 27; ++n) {
    const int i = local[0] + n / 9, j = local[1] + n / 3 % 3, k = local[2] + n % 3;
    const int near = b.near[9 * ((i >> 2) + 1) + 3 * ((j >> 2) + 1) + (k >> 2) + 1];
    node[n] = near < 0 ? -1 : near * kBlockNodes + ((i & 3) * kBlockCells + (j & 3)) * kBlockCells + (k & 3);
    const int x = n / 9, y = n / 3 % 3, z = n % 3;
    w[n] = n2[0] * surface[0][x] * weight[1][y] * weight[2][z] +
           n2[1] * weight[0][x] * surface[1][y] * weight[2][z] +
           n2[2] * weight[0][x] * weight[1][y] * surface[2][z];
    if (node[n] < 0 || nodes[4 * node[n] + 3] < kLeastMass) node[n] = 0, w[n] = 0;
    total += w[n];
  }
  if (!(total > 0.05f)) return false;
  for (int n = 0; n < 27; ++n) w[n] /= total;
  return true;
}

void GelSkin::Solve(const std::vector<GridBlock>& blocks, const ParticleBlocks& particles, GelGrid* grid,
                    const std::vector<SkinObject>& objects, int rounds, std::vector<SkinLoad>* loads,
                    SkinLoad* hand) {
  float* nodes = grid->nodes().data();
  active_.clear();
  for (std::size_t p = 0; p < x_.size(); ++p) {
    Active a;
    a.point = static_cast<int>(p);
    a.object = -1;
    if (p < contact_) {
      double nearest = kNear;
      for (std::size_t o = 0; o < objects.size(); ++o) {
        const SkinObject& ob = objects[o];
        Triple<double> q = ApplyInverse(ob.X, At(x_[p]));
        q = (1 / ob.unit) * q;
        const double reach = ob.radius + kNear / ob.unit;
        const Triple<double> d = q - At(ob.center);
        if (Dot(d, d) > reach * reach) continue;
        const double gap = ShapeDistance(ob.shape, q) * ob.unit;
        if (gap >= nearest) continue;
        nearest = gap;
        a.object = static_cast<int>(o);
        a.n = Small(Rotate(ob.X, ShapeGradient(ob.shape, q)));
        // The gap the step begins with: the object has moved already, so its motion is taken out again.
        const Triple<double> then = Apply(ob.before, ob.unit * q);
        a.v = Small(At(x_[p]) - then);
        a.gap = static_cast<float>(gap) + Dot(a.v, a.n);
      }
      object_[p] = a.object;
      if (a.object < 0) {
        impulse_[p] = {};
        continue;
      }
    } else {
      const std::size_t k = p - contact_;
      a.v = Small(At(target_velocity_[k]));
      const Vec3 before = target_[k] - target_velocity_[k];
      a.drift = Small(At(x_[p] - before));
    }
    if (!Stencil(blocks, particles, *grid, p, a.node, a.w)) {
      impulse_[p] = {};
      continue;
    }
    active_.push_back(a);
  }
  sum_.resize(grid->nodes().size() / 4);
  for (const Active& a : active_)
    for (int n = 0; n < 27; ++n) sum_[static_cast<std::size_t>(a.node[n])] = 0;
  for (Active& a : active_)
    for (int n = 0; n < 27; ++n) {
      const float m = nodes[4 * a.node[n] + 3];
      a.over_mass[n] = m > 0 ? a.w[n] / m : 0;
      sum_[static_cast<std::size_t>(a.node[n])] += a.w[n];
    }
  const auto apply = [&](const Active& a, const Triple<float>& l) {
    for (int n = 0; n < 27; ++n) {
      float* v = nodes + 4 * a.node[n];
      v[0] += a.over_mass[n] * l.x, v[1] += a.over_mass[n] * l.y, v[2] += a.over_mass[n] * l.z;
    }
  };
  for (Active& a : active_) {
    a.row_sum = 0;
    for (int n = 0; n < 27; ++n) a.row_sum += a.over_mass[n] * sum_[static_cast<std::size_t>(a.node[n])];
    apply(a, impulse_[static_cast<std::size_t>(a.point)]);
  }
  std::vector<Triple<float>> change(active_.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const Active& a = active_[k];
      Triple<float> v{};
      for (int n = 0; n < 27; ++n) {
        const float* u = nodes + 4 * a.node[n];
        v.x += a.w[n] * u[0], v.y += a.w[n] * u[1], v.z += a.w[n] * u[2];
      }
      v = v - a.v;
      Triple<float>& l = impulse_[static_cast<std::size_t>(a.point)];
      const Triple<float> next =
          a.object < 0
              ? BondImpulse(l, v, a.drift, a.row_sum)
              : ContactImpulse(l, v, a.n, a.gap,
                               static_cast<float>(objects[static_cast<std::size_t>(a.object)].friction),
                               a.row_sum);
      change[k] = next - l;
      l = next;
    }
    for (std::size_t k = 0; k < active_.size(); ++k) apply(active_[k], change[k]);
  }
  loads->assign(objects.size(), {});
  *hand = {};
  for (const Active& a : active_) {
    const Triple<float>& l = impulse_[static_cast<std::size_t>(a.point)];
    const Vec3 f{-double(l.x), -double(l.y), -double(l.z)};
    SkinLoad& load = a.object < 0 ? *hand : (*loads)[static_cast<std::size_t>(a.object)];
    load.force += f;
    load.torque += cross(x_[static_cast<std::size_t>(a.point)], f);
  }
}

void GelSkin::Carry(const std::vector<GridBlock>& blocks, const ParticleBlocks& particles,
                    const GelGrid& grid) {
  std::int32_t node[27];
  float w[27];
  const float* nodes = grid.nodes().data();
  for (std::size_t p = 0; p < x_.size(); ++p) {
    if (!Stencil(blocks, particles, grid, p, node, w)) continue;
    Vec3 v;
    for (int n = 0; n < 27; ++n)
      for (int k = 0; k < 3; ++k) v[k] += double(w[n]) * nodes[4 * node[n] + k];
    x_[p] += v;
  }
}

}  // namespace taxel
