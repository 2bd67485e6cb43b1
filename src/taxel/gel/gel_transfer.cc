#include "taxel/gel/gel_transfer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "taxel/gel/float8.h"
#include "taxel/gel/spline.h"

// Inlined into both versions of the loops below.
#define TAXEL_HOT [[gnu::always_inline]] inline

namespace taxel {
using namespace internal;
namespace {

constexpr int kRow = 4 * kReach, kPlane = 4 * kReach * kReach;
constexpr int kBases = 6;  // first nodes of a stencil: -1 to 4

/// First node and weights of eight particles along an axis.
struct Axis {
  Int8 base;
  Float8 f;  // from the first node, in [0.5, 1.5)
  Float8 w[3];
};

TAXEL_HOT Axis Weights(const Float8& x) {
  Axis a;
  a.base = Floor(x - 0.5f);
  a.f = x - __builtin_convertvector(a.base, Float8);
  SplineWeights(a.f, a.w);
  return a;
}

TAXEL_HOT GelMatrix<Float8> Rows(const float (*rows)[8]) {
  GelMatrix<Float8> out;
  for (int k = 0; k < 9; ++k) out.m[k] = LoadAs<Float8>(rows[k]);
  return out;
}

inline bool Any(const Int8& mask) {
#if defined(__AVX__)
  Float8 f;
  std::memcpy(&f, &mask, sizeof f);
  return __builtin_ia32_movmskps256(f) != 0;
#else
  for (int k = 0; k < 8; ++k)
    if (mask[k]) return true;
  return false;
#endif
}

TAXEL_HOT GelMatrix<Float8> Rotations(const GelMatrix<Float8>& F, const Float8& J) {
  GelMatrix<Float8> R = PolarStep(F);
  Int8 unsettled = {};
  for (int k = 0; k < 7; ++k) {
    const GelMatrix<Float8> next = PolarStep(R);
    Float8 change = {};
    for (int i = 0; i < 9; ++i) {
      const Float8 d = Abs(next.m[i] - R.m[i]);
      change = d > change ? d : change;
    }
    R = next;
    unsettled = ~(change < kPolarSettled);  // NaN counts
    if (!Any(unsettled)) break;
  }
  unsettled |= ~(J > kLeastTrustedJ);
  if (Any(unsettled)) [[unlikely]]
    for (int lane = 0; lane < 8; ++lane) {
      if (!unsettled[lane]) continue;
      float f[9], r[9];
      for (int i = 0; i < 9; ++i) f[i] = F.m[i][lane];
      RobustRotation(f, r);
      for (int i = 0; i < 9; ++i) R.m[i][lane] = r[i];
    }
  return R;
}

/// Six entries of tau of eight particles.
TAXEL_HOT void Stress(const GelNumbers& n, const GelMatrix<Float8>& F, const Float8& J, const Float8& Jbar,
                      Float8* tau) {
  const Float8 pressure = n.lambda * (Jbar - 1.0f) * J;
  if (n.law == GelLaw::kCorotated) {
    CorotatedStress(All8(n.mu), F, Rotations(F, J), pressure, tau);
  } else {
    const Float8 below = J * (2.0f - J * (1 / kLogBarrierFrom)) * (1 / kLogBarrierFrom);
    NeoHookeanStress(All8(n.mu), F, J > kLogBarrierFrom ? All8(1) : below, pressure, tau);
  }
}

/// kappa P of eight particles.
TAXEL_HOT GelMatrix<Float8> Piola(const GelNumbers& n, const GelMatrix<Float8>& F, const Float8& J,
                                  const Float8& Jbar) {
  const Float8 pressure = n.lambda * (Jbar - 1.0f);
  if (n.law == GelLaw::kCorotated) return CorotatedPiola(All8(n.mu), F, Rotations(F, J), pressure);
  const Float8 below = (2.0f - J * (1 / kLogBarrierFrom)) * (1 / kLogBarrierFrom);
  return NeoHookeanPiola(All8(n.mu), F, J > kLogBarrierFrom ? 1.0f / J : below, pressure);
}

/// Mean J of the particles in each cell, for cells -1 to 4 along each axis.
class CellVolumes {
 public:
  void Add(const ParticleGroup* groups, int count) {
    std::memset(sum_, 0, sizeof sum_);
    std::memset(number_, 0, sizeof number_);
    for (int first = 0; first < count; first += 8) {
      const ParticleGroup& g = groups[first / 8];
      const Int8 cell = Cells(g);
      for (int lane = 0; lane < std::min(8, count - first); ++lane) {
        sum_[cell[lane]] += g.J[lane];
        number_[cell[lane]] += 1;
      }
    }
    for (int k = 0; k < kBases * kBases * kBases; ++k) sum_[k] /= number_[k] > 0 ? number_[k] : 1.0f;
  }
  Float8 Mean(const Int8& cell) const {
    Float8 out;
    for (int lane = 0; lane < 8; ++lane) out[lane] = sum_[cell[lane]];
    return out;
  }
  static Int8 Cell(const Int8& i, const Int8& j, const Int8& k) {
    return ((i + 1) * kBases + (j + 1)) * kBases + (k + 1);
  }

 private:
  static Int8 Cells(const ParticleGroup& g) {
    return Cell(Floor(LoadAs<Float8>(g.x[0]) - 0.5f), Floor(LoadAs<Float8>(g.x[1]) - 0.5f),
                Floor(LoadAs<Float8>(g.x[2]) - 0.5f));
  }
  float sum_[kBases * kBases * kBases], number_[kBases * kBases * kBases];
};

/// Eight particles as the scatter reads them, particle by particle: q + A (i, j, k) is what node (i, j, k) of
/// the stencil gets, times its weight.
struct alignas(64) Staged {
  float q[32], ax[32], ay[32], az[32];  // (x, y, z, mass) of each
  float wxy[9][8], wz[3][8];
  std::int32_t node[8];
};

TAXEL_HOT void Stage(const TransferOptions& o, const ParticleGroup& g, const CellVolumes* volumes,
                     Staged* s) {
  const Axis x = Weights(LoadAs<Float8>(g.x[0])), y = Weights(LoadAs<Float8>(g.x[1])),
             z = Weights(LoadAs<Float8>(g.x[2]));
  GelMatrix<Float8> F = Rows(g.F);
  if (o.frame == GelFrame::kRest)
    for (int k = 0; k < 9; k += 4) F.m[k] += 1.0f;
  const Float8 J = LoadAs<Float8>(g.J);
  const Float8 Jbar = volumes ? volumes->Mean(CellVolumes::Cell(x.base, y.base, z.base)) : J;
  // Damped before the stress is added: a static stress must not lose a share of itself in every step.
  GelMatrix<Float8> A = Rows(g.C);
  Float8 v[3];
  for (int k = 0; k < 9; ++k) A.m[k] *= o.keep;
  for (int i = 0; i < 3; ++i) v[i] = o.rest[i] + o.keep * LoadAs<Float8>(g.v[i]);
  if (o.frame == GelFrame::kRest) {
    const GelMatrix<Float8> P = Piola(o.numbers, F, J, Jbar);
    for (int k = 0; k < 9; ++k) A.m[k] -= P.m[k];
  } else {
    Float8 tau[6];
    Stress(o.numbers, F, J, Jbar, tau);
    A.m[0] -= tau[0], A.m[1] -= tau[1], A.m[2] -= tau[2];
    A.m[3] -= tau[1], A.m[4] -= tau[3], A.m[5] -= tau[4];
    A.m[6] -= tau[2], A.m[7] -= tau[4], A.m[8] -= tau[5];
  }
  Float8 q[3];
  for (int i = 0; i < 3; ++i) q[i] = v[i] - (A.m[3 * i] * x.f + A.m[3 * i + 1] * y.f + A.m[3 * i + 2] * z.f);
  const Float8 zero = {};
  Transpose(q[0], q[1], q[2], All8(1), s->q);
  Transpose(A.m[0], A.m[3], A.m[6], zero, s->ax);
  Transpose(A.m[1], A.m[4], A.m[7], zero, s->ay);
  Transpose(A.m[2], A.m[5], A.m[8], zero, s->az);
  for (int k = 0; k < 9; ++k) StoreAs(x.w[k / 3] * y.w[k % 3], s->wxy[k]);
  for (int k = 0; k < 3; ++k) StoreAs(z.w[k], s->wz[k]);
  const Int8 node = ((x.base + 1) * kReach + (y.base + 1)) * kReach + (z.base + 1);
  std::memcpy(s->node, &node, sizeof node);
}

/// K particles of one cell: their nodes are read and written once.
template <int K>
TAXEL_HOT void ScatterSome(const Staged& s, int lane, float* nodes) {
  // Nodes k = 0 and 1 side by side, node 2 alone.
  Float8 row[K], dx[K], dy[K];
  Float4 row2[K], dx2[K], dy2[K];
  for (int p = 0; p < K; ++p) {
    const int l = lane + p;
    const Float4 q = LoadAs<Float4>(s.q + 4 * l), ax = LoadAs<Float4>(s.ax + 4 * l),
                 ay = LoadAs<Float4>(s.ay + 4 * l), az = LoadAs<Float4>(s.az + 4 * l);
    const float wz0 = s.wz[0][l], wz1 = s.wz[1][l], wz2 = s.wz[2][l];
    const Float8 wz = {wz0, wz0, wz0, wz0, wz1, wz1, wz1, wz1};
    row[p] = Join(q, q + az) * wz;
    dx[p] = Join(ax, ax) * wz, dy[p] = Join(ay, ay) * wz;
    row2[p] = (q + (az + az)) * wz2;
    dx2[p] = ax * wz2, dy2[p] = ay * wz2;
  }
  float* at = nodes + 4 * s.node[lane];
  for (int i = 0; i < 3; ++i) {
    Float8 v[K];
    Float4 v2[K];
    for (int p = 0; p < K; ++p) v[p] = row[p], v2[p] = row2[p];
    for (int j = 0; j < 3; ++j) {
      float* to = at + i * kPlane + j * kRow;
      Float8 sum = LoadAs<Float8>(to);
      Float4 sum2 = LoadAs<Float4>(to + 8);
      for (int p = 0; p < K; ++p) {
        const float w = s.wxy[3 * i + j][lane + p];
        sum += w * v[p], sum2 += w * v2[p];
        v[p] += dy[p], v2[p] += dy2[p];
      }
      StoreAs(sum, to);
      StoreAs(sum2, to + 8);
    }
    for (int p = 0; p < K; ++p) row[p] += dx[p], row2[p] += dx2[p];
  }
}

TAXEL_HOT void Scatter(const TransferOptions& options, const ParticleGroup* groups, int count,
                       ReachNodes* out) {
  std::memset(out->value, 0, sizeof out->value);
  CellVolumes volumes;
  if (options.average_volume) volumes.Add(groups, count);
  Staged s;
  for (int first = 0; first < count; first += 8) {
    Stage(options, groups[first / 8], options.average_volume ? &volumes : nullptr, &s);
    const int lanes = std::min(8, count - first);
    // Particles of one cell stand side by side, but for those that have drifted since they were sorted.
    for (int lane = 0; lane < lanes;) {
      int run = 1;
      while (run < 4 && lane + run < lanes && s.node[lane + run] == s.node[lane]) ++run;
      if (run == 4) {
        ScatterSome<4>(s, lane, out->value);
      } else if (run >= 2) {
        ScatterSome<2>(s, lane, out->value);
        run = 2;
      } else {
        ScatterSome<1>(s, lane, out->value);
      }
      lane += run;
    }
  }
}

/// `moved`: with a grid at rest; null: in space.
TAXEL_HOT float Gather(const ReachNodes& nodes, const HandMotion* hand, ParticleGroup* groups,
                       MovedGroup* moved, int count) {
  const Float8 zero = {};
  Float8 most = {};
  Int8 broken = {};
  for (int first = 0; first < count; first += 8) {
    ParticleGroup& g = groups[first / 8];
    const Axis x = Weights(LoadAs<Float8>(g.x[0])), y = Weights(LoadAs<Float8>(g.x[1])),
               z = Weights(LoadAs<Float8>(g.x[2]));
    alignas(32) float w[9][8];
    alignas(32) std::int32_t node[8];
    // Velocity and its first moments along x, y, z, particle by particle.
    alignas(32) float sum[32], mx[32], my[32], mz[32];
    for (int k = 0; k < 3; ++k) {
      StoreAs(x.w[k], w[k]);
      StoreAs(y.w[k], w[3 + k]);
      StoreAs(z.w[k], w[6 + k]);
    }
    const Int8 at = ((x.base + 1) * kReach + (y.base + 1)) * kReach + (z.base + 1);
    std::memcpy(node, &at, sizeof at);
    for (int lane = 0; lane < 8; ++lane) {
      const float* p = nodes.value + 4 * node[lane];
      Float8 s{}, sx{}, sy{};  // nodes k = 0, 1
      Float4 t{}, tx{}, ty{};  // node k = 2
      for (int i = 0; i < 3; ++i) {
        const float* q = p + i * kPlane;
        const float y0 = w[3][lane], y1 = w[4][lane], y2 = w[5][lane];
        const Float8 a1 = y1 * LoadAs<Float8>(q + kRow), a2 = y2 * LoadAs<Float8>(q + 2 * kRow);
        const Float4 b1 = y1 * LoadAs<Float4>(q + kRow + 8), b2 = y2 * LoadAs<Float4>(q + 2 * kRow + 8);
        const Float8 a = y0 * LoadAs<Float8>(q) + a1 + a2;
        const Float4 b = y0 * LoadAs<Float4>(q + 8) + b1 + b2;
        const float wi = w[i][lane];
        s += wi * a, t += wi * b;
        sy += wi * (a1 + a2 + a2), ty += wi * (b1 + b2 + b2);
        if (i > 0) {
          const float m = static_cast<float>(i) * wi;
          sx += m * a, tx += m * b;
        }
      }
      const float z0 = w[6][lane], z1 = w[7][lane], z2 = w[8][lane];
      const Float8 wz = {z0, z0, z0, z0, z1, z1, z1, z1};
      s *= wz, sx *= wz, sy *= wz;
      t *= z2;
      StoreAs(Low(s) + High(s) + t, sum + 4 * lane);
      StoreAs(Low(sx) + High(sx) + z2 * tx, mx + 4 * lane);
      StoreAs(Low(sy) + High(sy) + z2 * ty, my + 4 * lane);
      StoreAs(High(s) + t + t, mz + 4 * lane);
    }
    Float8 v[3], m[3][3];
    TransposeBack(sum, &v[0], &v[1], &v[2]);
    TransposeBack(mx, &m[0][0], &m[0][1], &m[0][2]);
    TransposeBack(my, &m[1][0], &m[1][1], &m[1][2]);
    TransposeBack(mz, &m[2][0], &m[2][1], &m[2][2]);
    GelMatrix<Float8> C;
    for (int i = 0; i < 3; ++i) {
      C.m[3 * i] = 4.0f * (m[0][i] - x.f * v[i]);
      C.m[3 * i + 1] = 4.0f * (m[1][i] - y.f * v[i]);
      C.m[3 * i + 2] = 4.0f * (m[2][i] - z.f * v[i]);
    }
    GelMatrix<Float8> gradient = C;
    if (hand) {
      const int group = first / 8;
      const Float8 alpha = LoadAs<Float8>(hand->alpha + 8 * group),
                   go = 1.0f - LoadAs<Float8>(hand->stopped + 8 * group);
      for (int i = 0; i < 3; ++i) {
        const Float8 led = LoadAs<Float8>(hand->hand + 24 * group + 8 * i),
                     slip = v[i] + hand->offset * led - led;
        if (hand->slope)
          for (int k = 0; k < 3; ++k)
            gradient.m[3 * i + k] =
                alpha * C.m[3 * i + k] + slip * LoadAs<Float8>(hand->slope + 24 * group + 8 * k);
        v[i] = go * (led + alpha * slip);
      }
    }
    GelMatrix<Float8> F = Rows(g.F);
    if (moved)
      for (int k = 0; k < 9; ++k) F.m[k] += C.m[k];
    else
      F = Advance(gradient, F);
    for (int k = 0; k < 9; ++k) StoreAs(C.m[k], g.C[k]), StoreAs(F.m[k], g.F[k]);
    for (int k = 0; moved && k < 9; k += 4) F.m[k] += 1.0f;
    StoreAs(Determinant(F), g.J);
    const Int8 live =
        Int8{0, 1, 2, 3, 4, 5, 6, 7} < count - first;  // an empty lane may stand where nodes are light
    for (int i = 0; i < 3; ++i) {
      StoreAs(v[i], g.v[i]);
      float* at_axis = moved ? moved[first / 8].u[i] : g.x[i];
      StoreAs(LoadAs<Float8>(at_axis) + v[i], at_axis);
      const Float8 d = live ? Abs(v[i]) : zero;
      most = d > most ? d : most;
      broken |= ~(d < 1e9f);
    }
  }
  if (count % 8 != 0) {  // empty lanes stay where they are
    ParticleGroup& g = groups[count / 8];
    for (int lane = count % 8; lane < 8; ++lane) {
      for (int i = 0; i < 3; ++i) g.x[i][lane] = 1, g.v[i][lane] = 0;
      for (int i = 0; moved && i < 3; ++i) moved[count / 8].u[i][lane] = 0;
      for (int k = 0; k < 9; ++k) g.C[k][lane] = 0, g.F[k][lane] = k % 4 == 0 && !moved ? 1.0f : 0.0f;
      g.J[lane] = 1;
    }
  }
  if (Any(broken)) return std::nanf("");
  float out = 0;
  for (int lane = 0; lane < 8; ++lane) out = std::fmax(out, most[lane]);
  return out;
}

// Where the machine has AVX-512, its 32 registers hold a stencil that AVX2's 16 do not (a tenth faster); the
// vectors stay eight wide. The results may differ in the last bit from one kind of machine to the other.
#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("avx512vl,avx512dq")]] void ScatterWide(const TransferOptions& options,
                                                      const ParticleGroup* groups, int count,
                                                      ReachNodes* out) {
  Scatter(options, groups, count, out);
}
[[gnu::target("avx512vl,avx512dq")]] float GatherWide(const ReachNodes& nodes, const HandMotion* hand,
                                                      ParticleGroup* groups, int count) {
  return Gather(nodes, hand, groups, nullptr, count);
}
[[gnu::target("avx512vl,avx512dq")]] float GatherWideAtRest(const ReachNodes& nodes, ParticleGroup* groups,
                                                            MovedGroup* moved, int count) {
  return Gather(nodes, nullptr, groups, moved, count);
}
const bool kWide = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif

}  // namespace

void ScatterBlock(const TransferOptions& options, const ParticleGroup* groups, int count, ReachNodes* out) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (kWide) return ScatterWide(options, groups, count, out);
#endif
  Scatter(options, groups, count, out);
}

float GatherBlock(const ReachNodes& nodes, const HandMotion* hand, ParticleGroup* groups, int count) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (kWide) return GatherWide(nodes, hand, groups, count);
#endif
  return Gather(nodes, hand, groups, nullptr, count);
}

float GatherBlockAtRest(const ReachNodes& nodes, ParticleGroup* groups, MovedGroup* moved, int count) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (kWide) return GatherWideAtRest(nodes, groups, moved, count);
#endif
  return Gather(nodes, nullptr, groups, moved, count);
}

}  // namespace taxel
