#include "taxel/skin/balance.h"

#include <algorithm>
#include <cmath>

namespace taxel::internal {
namespace {

constexpr double kLeastTilt =
    0.1;  // factors of a tilted contact stay within this and its inverse, times the mean

// Solves the 3x3 system A x = b; false when it is singular for all we know.
bool Solve3(const double A[3][3], const double b[3], double x[3]) {
  const Vec3 r0{A[0][0], A[0][1], A[0][2]}, r1{A[1][0], A[1][1], A[1][2]}, r2{A[2][0], A[2][1], A[2][2]};
  const double det = dot(r0, cross(r1, r2));
  const double size = norm(r0) * norm(r1) * norm(r2);
  if (!(std::fabs(det) > 1e-9 * size) || size == 0) return false;
  const Vec3 v = (b[0] * cross(r1, r2) + b[1] * cross(r2, r0) + b[2] * cross(r0, r1)) / det;
  x[0] = v.x, x[1] = v.y, x[2] = v.z;
  return true;
}

// What the surface has beyond the cells.
CellLoad Uncovered(const ContactTotals& t, const CellLoads& cells) {
  CellLoad out;
  out.force = t.elastic;
  out.torque = t.elastic_torque;
  out.load = t.load;
  out.moment = t.load * t.center;
  for (int i : cells.active()) {
    out.force -= cells[i].force;
    out.torque -= cells[i].torque;
    out.load -= cells[i].load;
    out.moment -= cells[i].moment;
  }
  if (!(out.load > 1e-9 * t.load)) return {};
  out.grip = out.load;
  return out;
}

// A ring round a finger: its forces cancel, and what is left of them has no direction to go by.
bool Cancels(const ContactTotals& t) { return !(norm(t.elastic) > 0.01 * t.load); }

}  // namespace

ContactTotals TotalsOf(const SkinLoad& load, const PressedFaces& faces, const Pose& X_WG, bool acts) {
  const ContactSurface& s = *load.surface;
  const double sign = load.skin_is_A ? 1 : -1;
  ContactTotals t;
  t.elastic = sign * TransposeMul(X_WG.R, s.wrench_on_A.force);
  t.elastic_torque = sign * TransposeMul(X_WG.R, s.wrench_on_A.torque - cross(X_WG.p, s.wrench_on_A.force));
  t.center = TransposeMul(X_WG.R, s.center_of_pressure - X_WG.p);
  t.load = s.normal_force;
  t.area = s.area;
  if (load.normal && acts) {
    const CellLoad& walls = faces.left_out;
    t.elastic -= walls.held;
    t.elastic_torque -= walls.torque;
    if (t.load > walls.grip) t.center = (t.load * t.center - walls.moment) / (t.load - walls.grip);
    t.load -= walls.grip;
    t.acts = true;
    t.force = sign * TransposeMul(X_WG.R, load.normal->force);
    t.torque = sign * TransposeMul(X_WG.R, load.normal->torque - cross(X_WG.p, load.normal->force));
  }
  if (load.friction) t.friction = sign * TransposeMul(X_WG.R, *load.friction);
  return t;
}

double LoadFactor(const ContactTotals& t) {
  return t.acts && !Cancels(t) ? std::max(0.0, dot(t.force, t.elastic) / norm2(t.elastic)) : 1.0;
}

void BalanceCells(const ContactTotals& t, CellLoads* cells) {
  if (!t.acts || !(t.load > 0)) return;
  for (int i : cells->active()) (*cells)[i].force = (*cells)[i].held, (*cells)[i].load = (*cells)[i].grip;
  CellLoad outside = Uncovered(t, *cells);
  const Vec3 m = normalized(t.elastic);
  Vec3 e1, e2;
  MakeFrame(m, &e1, &e2);
  const double inverse = 1 / std::sqrt(t.area);
  const Vec3 torque = t.torque - cross(t.center, t.force);
  double A[3][3] = {}, b[3] = {dot(t.force, m), dot(torque, e1), dot(torque, e2)};
  // A cell with nothing but a wall carries nothing, and has no centre to go by.
  const auto each = [&](auto&& use) {
    for (int i : cells->active())
      if ((*cells)[i].grip > 0) use((*cells)[i]);
    if (outside.load > 0) use(outside);
  };
  each([&](const CellLoad& c) {
    const Vec3 x = c.center() - t.center;
    const Vec3 moment = c.torque - cross(t.center, c.force);
    const double phi[3] = {1, inverse * dot(x, e1), inverse * dot(x, e2)};
    for (int k = 0; k < 3; ++k) {
      A[0][k] += phi[k] * dot(c.force, m);
      A[1][k] += phi[k] * dot(moment, e1);
      A[2][k] += phi[k] * dot(moment, e2);
    }
  });
  double c[3];
  const double mean = LoadFactor(t);
  bool tilted = !Cancels(t) && Solve3(A, b, c);
  if (tilted)
    each([&](const CellLoad& cell) {
      const Vec3 x = cell.center() - t.center;
      // A sliver of the contact on the skin, far from the middle, must not be the long end of a lever.
      const double factor = c[0] + inverse * (c[1] * dot(x, e1) + c[2] * dot(x, e2));
      tilted &= factor > kLeastTilt * mean && factor < mean / kLeastTilt;
    });
  if (!tilted) c[0] = mean, c[1] = c[2] = 0;

  for (int i : cells->active())
    if (!((*cells)[i].grip > 0)) (*cells)[i].peak *= mean;
  Vec3 rest = t.force;
  double load = 0;
  const auto scale = [&](CellLoad& cell) {
    const Vec3 x = cell.center() - t.center;
    const double factor = c[0] + inverse * (c[1] * dot(x, e1) + c[2] * dot(x, e2));
    cell.force *= factor;
    cell.torque *= factor;
    cell.moment *= factor;
    cell.load *= factor;
    cell.grip *= factor;
    cell.held *= factor;
    cell.peak *= factor;
    rest -= cell.force;
    load += cell.load;
  };
  each(scale);
  if (load > 0) each([&](CellLoad& cell) { cell.force += (cell.load / load) * rest; });
}

void ShareRest(const ContactTotals& t, CellLoads* cells) {
  const double factor = LoadFactor(t), load = factor * t.load;
  if (!t.acts || !(load > 0)) return;
  const Vec3 rest = t.force - factor * t.elastic;
  for (int i : cells->active()) (*cells)[i].force += ((*cells)[i].load / load) * rest;
}

void AddFriction(const SkinLoad& load, const ContactTotals& t, const Pose& X_WG, const CellLoads& cells,
                 Vec3* friction, double* capacity) {
  const double sign = load.skin_is_A ? 1 : -1;
  const Vec3 m = normalized(t.elastic);
  double total = 0, pressed = 0;
  Vec3 moment;
  for (int i : cells.active()) {
    total += cells[i].grip;
    pressed += Cancels(t) ? cells[i].load : dot(cells[i].force, m);
    moment += cells[i].grip * cells[i].center();
  }
  // What is not over a taxel takes its share. How much that is, the force along the mean normal tells (rays
  // do not see the steep sides of an object, which carry load but cancel).
  const double acts = Cancels(t) ? t.load : t.acts ? dot(t.force, m) : norm(t.elastic);
  if (!(total > 0) || !(acts > 0) || !(pressed > 0)) return;
  const double whole = total / std::min(1.0, pressed / acts);
  if (!load.traction) {
    for (int i : cells.active()) friction[i] = (cells[i].grip / whole) * t.friction;
    return;
  }
  Vec3 rest = t.friction;
  for (int i : cells.active()) {
    const CellLoad& cell = cells[i];
    if (!(cell.grip > 0)) continue;
    const Vec3 inward = normalized(cell.held);
    const Traction found = load.traction->At(X_WG * cell.center(), sign * (X_WG.R * inward));
    friction[i] = (cell.grip * sign) * TransposeMul(X_WG.R, found.ratio_W);
    capacity[i] += cell.grip * found.capacity;
    rest -= friction[i];
  }
  if (whole > 1.001 * total) {
    Vec3 elsewhere = (whole * t.center - moment) / (whole - total);
    // Where little is missing its place is not known well.
    if (whole < 1.05 * total) elsewhere = t.center;
    const Traction found = load.traction->At(X_WG * elsewhere, sign * (X_WG.R * m));
    rest -= ((whole - total) * sign) * TransposeMul(X_WG.R, found.ratio_W);
  }
  // The field is interpolated; the sum is not left to that.
  for (int i : cells.active()) friction[i] += (cells[i].grip / whole) * rest;
}

}  // namespace taxel::internal
