// Nodes and skin of a pad in one step, for host and device: GelSkin's loops turned about, so that each node
// and each point is written by one thread alone.
#pragma once

#include <cmath>

#include "taxel/batch/pad_scene.h"

namespace taxel::internal {

TAXEL_HD inline int StencilOffset(const PadPlan& plan, int n) {
  return n / 9 * plan.plane + n / 3 % 3 * plan.row + n % 3;
}

/// Coordinates of the first node of a particle's stencil.
TAXEL_HD inline void FirstNodeOf(const PadPlan& plan, int particle, int base[3]) {
  const int node = plan.cell_node[plan.cell_of[particle]];
  base[0] = plan.low[0] + node / plan.plane;
  base[1] = plan.low[1] + node % plan.plane / plan.row;
  base[2] = plan.low[2] + node % plan.row;
}

/// Where a particle and a point `r0` from it at rest are now: cells from the origin of the grid. `r`: from
/// the particle to the point now, or 0.
TAXEL_HD inline Triple<double> PlaceInGrid(const PadScene& s, int pad, int particle, const float r[3]) {
  const PadPlan& plan = s.plan;
  const std::size_t N = static_cast<std::size_t>(plan.particles);
  int base[3];
  FirstNodeOf(plan, particle, base);
  double x[3];
  for (std::size_t k = 0; k < 3; ++k)
    x[k] = base[k] + (s.state.u[(3 * static_cast<std::size_t>(pad) + k) * N + particle] +
                      (double(plan.f[k * N + particle]) + r[k]));
  return {x[0], x[1], x[2]};
}

TAXEL_HD inline Triple<double> PlaceOfPoint(const PadScene& s, int pad, int point) {
  const std::size_t N = static_cast<std::size_t>(s.plan.particles);
  const int p = s.plan.ride[point];
  const float* F = s.state.F + 9 * static_cast<std::size_t>(pad) * N + p;
  const float* r0 = s.plan.r0 + 3 * static_cast<std::size_t>(point);
  float r[3];
  for (std::size_t k = 0; k < 3; ++k)
    r[k] = F[3 * k * N] * r0[0] + F[(3 * k + 1) * N] * r0[1] + F[(3 * k + 2) * N] * r0[2] + r0[k];
  return PlaceInGrid(s, pad, p, r);
}

/// Outward normal of a point, which was `at_rest`.
TAXEL_HD inline Triple<double> NormalOfPoint(const PadScene& s, int pad, int point,
                                             const Triple<double>& at_rest) {
  const std::size_t N = static_cast<std::size_t>(s.plan.particles);
  const float* from = s.state.F + 9 * static_cast<std::size_t>(pad) * N + s.plan.ride[point];
  float F[9];
  for (std::size_t k = 0; k < 9; ++k) F[k] = from[k * N];
  return SkinNormal(F, true, at_rest);
}

TAXEL_HD inline Triple<double> Triple3(const double* v) { return {v[0], v[1], v[2]}; }

/// What acts on a point in the step of this row, and the impulse it starts from.
TAXEL_HD inline void LookAtPoint(const PadScene& s, int pad, int row, int point) {
  const PadPlan& plan = s.plan;
  const std::size_t at = static_cast<std::size_t>(pad) * plan.points + point;
  PadTouch t;
  t.x = PlaceOfPoint(s, pad, point);
  const KernelPose<double>& hand = s.pose(row, pad, s.objects);
  if (point >= plan.contact) {
    HoldBond(Triple3(plan.home + 3 * static_cast<std::size_t>(point - plan.contact)), hand,
             s.pose(row - 1, pad, s.objects), t.x, &t);
  } else {
    SkinSeeker seeker{t.x, {}, {}, point >= plan.contact - plan.rim};
    if (plan.normals) {
      const Triple<double> n = Triple3(plan.outward + 3 * static_cast<std::size_t>(point));
      seeker.outward = Rotate(hand, n);
      seeker.normal = NormalOfPoint(s, pad, point, n);
    }
    double nearest = kSkinNear;
    for (int o = 0; o < s.objects; ++o)
      MeetObject(s.object[o], s.pose(row, pad, o), s.pose(row - 1, pad, o), o, seeker, &nearest, &t);
    if (plan.floor)
      MeetObject(s.object[s.objects], s.pose(row, pad, s.objects + 1), s.pose(row - 1, pad, s.objects + 1),
                 s.objects, seeker, &nearest, &t);
    SkinMemory& memory = s.state.memory[static_cast<std::size_t>(pad) * plan.contact + point];
    if (t.object == SkinMeeting::kFree)
      memory = {};
    else
      t.drift = DriftOf(memory, t.object,
                        s.pose(row - 1, pad, t.object < s.objects ? t.object : s.objects + 1), t.x);
  }
  Triple<float> impulse = s.state.impulse[at];
  if (t.object == SkinMeeting::kFree)
    impulse = {};
  else
    impulse = t.object == SkinMeeting::kBond ? kSkinKeep * impulse : ContactStart(impulse, t.n);
  s.state.impulse[at] = impulse;
  s.change[at] = {impulse.x, impulse.y, impulse.z, t.object == SkinMeeting::kFree ? 0.0f : 1.0f};
  s.touch[at] = t;
}

/// Velocity of a node from what the cells around it give, with the skin's first impulses; and A_i.
TAXEL_HD inline void SumNode(const PadScene& s, int pad, int node) {
  const PadPlan& plan = s.plan;
  const float inverse = plan.inverse_mass[node];
  if (!(inverse > 0)) return;
  const PadNode* give = s.give + 27 * static_cast<std::size_t>(pad) * plan.cells;
  float x = 0, y = 0, z = 0;
  for (int n = 0; n < 27; ++n) {
    const int cell = plan.node_cell[node - StencilOffset(plan, n)];
    if (cell < 0) continue;
    const PadNode g = give[27 * static_cast<std::size_t>(cell) + n];
    x += g.x, y += g.y, z += g.z;
  }
  PadNode out{x * inverse + plan.gravity[0], y * inverse + plan.gravity[1], z * inverse + plan.gravity[2], 0};
  x = y = z = 0;
  const PadNode* change = s.change + static_cast<std::size_t>(pad) * plan.points;
  for (int e = plan.node_begin[node]; e < plan.node_begin[node + 1]; ++e) {
    const PadNode c = change[plan.node_point[e]];
    const float w = plan.node_weight[e];
    out.w += c.w * std::fabs(w);
    x += w * c.x, y += w * c.y, z += w * c.z;
  }
  out.x += inverse * x, out.y += inverse * y, out.z += inverse * z;
  s.nodes[static_cast<std::size_t>(pad) * plan.nodes + node] = out;
}

/// The changes of the impulses of a round.
TAXEL_HD inline void PushNode(const PadScene& s, int pad, int node) {
  const PadPlan& plan = s.plan;
  const PadNode* change = s.change + static_cast<std::size_t>(pad) * plan.points;
  float x = 0, y = 0, z = 0;
  for (int e = plan.node_begin[node]; e < plan.node_begin[node + 1]; ++e) {
    const PadNode c = change[plan.node_point[e]];
    const float w = plan.node_weight[e];
    x += w * c.x, y += w * c.y, z += w * c.z;
  }
  PadNode& out = s.nodes[static_cast<std::size_t>(pad) * plan.nodes + node];
  const float inverse = plan.inverse_mass[node];
  out.x += inverse * x, out.y += inverse * y, out.z += inverse * z;
}

/// A round of Jacobi's method at a point; after the last one friction remembers.
TAXEL_HD inline void RoundOfPoint(const PadScene& s, int pad, int row, int point, bool first, bool last) {
  const PadPlan& plan = s.plan;
  const std::size_t at = static_cast<std::size_t>(pad) * plan.points + point;
  PadTouch& t = s.touch[at];
  if (t.object == SkinMeeting::kFree) return;  // its change is 0
  const int begin = plan.point_node[point];
  const PadNode* nodes = s.nodes + static_cast<std::size_t>(pad) * plan.nodes;
  Triple<float> v;
  float sum = 0;
  for (int n = 0; n < 27; ++n) {
    const int node = begin + StencilOffset(plan, n);
    const PadNode q = nodes[node];
    const float w = plan.weight[static_cast<std::size_t>(n) * plan.points + point];
    v = v + Triple<float>{w * q.x, w * q.y, w * q.z};
    if (first) sum += std::fabs(w) * plan.inverse_mass[node] * q.w;
  }
  if (first) t.row_sum = sum;
  v = v - t.v;
  const Triple<float> before = s.state.impulse[at];
  Triple<float> next;
  if (t.object == SkinMeeting::kBond) {
    next = BondImpulse(before, v, t.drift, t.row_sum);
  } else {
    SkinMemory& memory = s.state.memory[static_cast<std::size_t>(pad) * plan.contact + point];
    const double friction = s.friction_of(pad, t.object);
    next = ContactImpulse(before, v, t.n, t.gap, GripOf(memory, t, friction), t.row_sum);
    if (last)
      Remember(t, friction, s.pose(row - 1, pad, t.object < s.objects ? t.object : s.objects + 1), t.x, next,
               &memory);
  }
  const Triple<float> d = next - before;
  s.state.impulse[at] = next;
  s.change[at] = {d.x, d.y, d.z, 1};
}

/// Of a point on what it touches: the body (an object or, last, the hand), -1: none; force and torque about
/// the origin of the grid in a step.
TAXEL_HD inline int LoadOfPoint(const PadScene& s, int pad, int point, double load[6]) {
  const std::size_t at = static_cast<std::size_t>(pad) * s.plan.points + point;
  const PadTouch& t = s.touch[at];
  if (t.object == SkinMeeting::kFree) return -1;
  const Triple<float> l = s.state.impulse[at];
  const Vec3 f{-double(l.x), -double(l.y), -double(l.z)};
  const Vec3 m = cross(Vec3{t.x.x, t.x.y, t.x.z}, f);
  for (int k = 0; k < 3; ++k) load[k] = f[k], load[3 + k] = m[k];
  return t.object == SkinMeeting::kBond || t.object >= s.objects ? s.objects : t.object;
}

/// Pose of a body after step `at_step` of `steps`.
TAXEL_HD inline KernelPose<double> PoseOnWay(const PadScene& s, const KernelPose<double>* from,
                                             const KernelPose<double>* to, int pad, int body, int at_step,
                                             int steps, bool smooth) {
  const int given = body < s.objects ? body : s.objects;  // the floor goes with the hand
  const std::size_t k = static_cast<std::size_t>(pad) * (s.objects + 1) + given;
  const double t = static_cast<double>(at_step) / steps;
  const double at = smooth ? t * t * t * (10 + t * (6 * t - 15)) : t;
  const KernelPose<double> X = at_step == 0 ? from[k] : Interpolate(from[k], to[k], at);
  return body > s.objects ? Compose(X, s.plan.floor_at_rest) : X;
}

}  // namespace taxel::internal
