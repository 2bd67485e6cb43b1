#include "taxel/mujoco/rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace taxel::mujoco {
namespace {

double ClampImpedance(double imp) { return std::clamp(imp, double(mjMINIMP), double(mjMAXIMP)); }

// The impedance that gives a row the weight D, and the weight it then has.
double ImpedanceFor(double D, double A, double* realised) {
  const double imp = ClampImpedance(D * A / (1 + D * A));
  *realised = imp / ((1 - imp) * A);
  return imp;
}

mjContact BlankContact(const Vec3& p, double imp) {
  mjContact con;
  std::memset(&con, 0, sizeof(con));
  con.pos[0] = p.x, con.pos[1] = p.y, con.pos[2] = p.z;
  con.solimp[0] = con.solimp[1] = imp;
  con.solimp[2] = 0.001, con.solimp[3] = 0.5, con.solimp[4] = 1;
  con.efc_address = -1;
  con.flex[0] = con.flex[1] = con.elem[0] = con.elem[1] = con.vert[0] = con.vert[1] = -1;
  return con;
}

void SetAxis(mjContact* con, int row, const Vec3& v) {
  con->frame[3 * row] = v.x, con->frame[3 * row + 1] = v.y, con->frame[3 * row + 2] = v.z;
}

// A contact without normal direction: a constant row of force N0 and weight De (imp gives it), and two
// friction rows f_i = -G_i (v_i + bias_i) bounded by e_i N0, with G_0 = g and G_1 = g (e_1 / e_0)^2.
struct ConstantForce {
  Vec3 p_W, t1, t2;
  double e[2], g, De, imp, N0, bias[2];
};
mjContact ConstantForceContact(const ConstantForce& f, const RowContext& c) {
  const double h = c.step, ip = c.impratio;
  double dist = 1e-3, D0 = f.De, imp = f.imp;
  if (c.discrete) {
    // Here the engine adds h^2 K to the weight of the constant row; what it adds is taken off beforehand.
    dist = std::max(1e-3, 2 * h * h * f.N0 / f.De);
    D0 = f.De - h * h * f.N0 / dist;
    imp = ImpedanceFor(D0, c.inverse_mass, &D0);
  }
  mjContact con = BlankContact(f.p_W, imp);
  con.dim = 3;
  con.dist = -dist;
  con.friction[0] = f.e[0], con.friction[1] = f.e[1];
  con.friction[2] = con.friction[3] = con.friction[4] = f.e[0];
  con.solref[0] = -imp * f.N0 / (D0 * dist);
  con.solref[1] = -1e-12;
  con.solreffriction[0] = -1;
  con.solreffriction[1] = -imp * (f.g / (f.De * ip));
  if (c.discrete) {
    // Friction rows get the weight D of the constant row, with what the engine adds, and the damping B / (1 +
    // h B).
    const double D = ip * (D0 + h * h * f.N0 / dist), rate = std::min(f.g / D, (1 - 1e-6) / h);
    con.solreffriction[1] = -imp * rate / (1 - h * rate);
  }
  con.surfacevel[0] = f.bias[0], con.surfacevel[1] = f.bias[1];
  SetAxis(&con, 1, f.t1);
  SetAxis(&con, 2, f.t2);
  return con;
}

}  // namespace

double Implicitness(double step, double stiffness, double inverse_mass) {
  const double x = step * step * stiffness * inverse_mass;
  return std::clamp(0.5 + 0.5 * (x - 0.1) / 0.9, 0.5, 1.0);
}

mjContact MakeNormalContact(const NormalRow& row, const RowContext& c) {
  const double h = c.step;
  double k = row.stiffness, force = row.force, D, imp, damping;
  // Sliding may take back what the row expects from the velocity along its normal (k v_n), up to all of it.
  // It never adds to it: a corner driven into a pad would be thrown out by a force that it would only meet
  // later.
  const double expected = k * row.normal_velocity;
  const double rate = std::clamp(row.sliding_rate, std::min(expected, 0.0), std::max(expected, 0.0));
  // The numerical part of the damping looks ahead by (b - c) / k seconds. Where sliding takes the force away
  // faster than that, less far: the row's force must start above zero, or the row is left out.
  double most = c.discrete ? h * k : row.implicitness * h * k;
  if (rate < 0) most = std::min(most, row.damping + 0.95 * row.force / -rate * k);
  double ahead;
  if (!c.discrete) {
    damping = std::max(row.damping, most);
    imp = ImpedanceFor(h * damping, c.inverse_mass, &D);
    if (D < 0.999 * h * damping) {
      // Stiffer than the engine can weigh: softer, and with the force that this spring has at the same depth.
      // The whole force on a softer spring would be a deeper depth, and give back more than came in.
      damping = D / h;
      if (k > damping / h) force *= damping / h / k, k = damping / h;
    }
    ahead = std::max(0.0, damping - row.damping) / row.stiffness;
  } else {
    // The engine evaluates spring and damper at the end of the step by itself: force k r + (c + h k) v. The
    // row carries as little weight of its own as it may; looking less far ahead means a softer spring.
    k = most / h;
    imp = mjMINIMP;
    D = imp / ((1 - imp) * c.inverse_mass * row.rho);
    damping = std::max(row.damping - h * k, 1e-12);
    ahead = std::max(0.0, damping + h * k - row.damping) / row.stiffness;
  }
  mjContact con = BlankContact(row.p_W, imp);
  con.dim = 1;
  con.dist = -(force + ahead * rate) / k;
  con.solref[0] = -imp * k / D;
  con.solref[1] = -imp * damping / D;
  Vec3 t1, t2;
  MakeFrame(row.n_W, &t1, &t2);
  SetAxis(&con, 0, row.n_W);
  SetAxis(&con, 1, t1);
  SetAxis(&con, 2, t2);
  return con;
}

mjContact MakeCoreContact(const CoreRow& row, const RowContext& c) {
  // f = b (w - v+) where that is positive: the velocity at the end of the step is at least w.
  const double h = c.step;
  const double w = -row.gap / (row.gap > 0 ? h : std::max(kCoreRecovery * h, kCoreRecoveryTime));
  double imp = mjMAXIMP, damping = 1 / h, added = 0;  // as heavy as the engine can weigh
  if (c.discrete) {
    // Here the engine adds h B + h^2 K to the weight of the row and divides what it aims at by it; the weight
    // of its own is kept small, and B makes up for it.
    double D;
    imp = ImpedanceFor(10 / c.inverse_mass, c.inverse_mass, &D);
    damping = 1e3 / h;
    added = std::fabs(w) * h;
  }
  const double dist = std::max(1e-3, 100 * std::fabs(w) * h);
  const double K = std::fabs(w) * (c.discrete ? 1 + h * damping : 1.0) / (h * (dist - added));
  mjContact con = BlankContact(row.p_W, imp);
  con.dim = 1;
  con.dist = w > 0 ? -dist : dist;
  con.solref[0] = -std::max(imp * K, 1e-12);
  con.solref[1] = -imp * damping;
  Vec3 t1, t2;
  MakeFrame(row.n_W, &t1, &t2);
  SetAxis(&con, 0, row.n_W);
  SetAxis(&con, 1, t1);
  SetAxis(&con, 2, t2);
  return con;
}

bool PredictsSlip(const TangentRow& row, const RowContext& c) {
  const double g = std::max(row.damping, c.step * row.stiffness);
  return std::hypot(row.stiffness * row.stretch[0] + g * row.velocity[0],
                    row.stiffness * row.stretch[1] + g * row.velocity[1]) > row.bound;
}

mjContact MakeTangentContact(const TangentRow& row, const RowContext& c) {
  const double h = c.step, ip = c.impratio, L = row.bound;
  double g = std::max(row.damping, h * row.stiffness), De;
  const double imp = ImpedanceFor(h * g / ip, c.inverse_mass, &De);
  g = std::min(g, De * ip / h);  // as stiff as the engine can weigh, at most
  const double kt = std::min(row.stiffness, g / h), b = g / (De * ip);
  const double bias[2] = {kt * row.stretch[0] / g, kt * row.stretch[1] / g};
  const double w[2] = {row.velocity[0] + bias[0], row.velocity[1] + bias[1]};
  const double speed = std::hypot(w[0], w[1]), q = g * speed;
  const bool slip = q > L;
  // e, the nominal friction coefficient: small, so that the force hardly rises beyond the bound.
  const double e = slip ? std::clamp(std::sqrt(0.02 * L / q), 1e-4, 0.01) : 0.01;
  double N0 = slip ? L * (1 + e * e / ip) / e - e * De * b * speed : L / e;
  N0 = std::max(N0, 1e-12);

  return ConstantForceContact({row.p_W, row.t1, row.t2, {e, e}, g, De, imp, N0, {bias[0], bias[1]}}, c);
}

mjContact MakeAffineContact(const AffineRow& row, const RowContext& c) {
  const double h = c.step, ip = c.impratio;
  const double lightest = ip * mjMINIMP / ((1 - mjMINIMP) * c.inverse_mass);
  if (h * row.slope[0] < lightest) {
    // Less than the engine can weigh: a row of this slope would act as a mass that the body drags along. The
    // force along t1 stays as it is instead: at its bound, with the row driven to twice that, which leaves
    // half of the damping across t1.
    TangentRow sliding;
    sliding.p_W = row.p_W, sliding.t1 = row.t1, sliding.t2 = row.t2;
    sliding.damping = 2 * std::max(row.slope[1], lightest / h);
    sliding.stiffness = sliding.damping / h;
    sliding.bound = std::hypot(row.force[0], row.force[1]);
    for (int i = 0; i < 2; ++i) {
      sliding.velocity[i] = row.velocity[i];
      sliding.stretch[i] = (2 * row.force[i] - sliding.damping * row.velocity[i]) / sliding.stiffness;
    }
    return MakeTangentContact(sliding, c);
  }
  // MuJoCo weighs the second friction row by the square of the ratio of the coefficients.
  const double e = 0.01, ratio = std::clamp(std::sqrt(row.slope[1] / row.slope[0]), 1.0, 30.0);
  const double slope[2] = {std::max(row.slope[0], row.slope[1] / (ratio * ratio)), row.slope[1]};
  double g = slope[0], De;
  const double imp = ImpedanceFor(h * g / ip, c.inverse_mass, &De);
  g = std::min(g, De * ip / h);  // as stiff as the engine can weigh, at most
  const double N0 = std::max(row.bound / e, 1e-12);
  const auto bias = [&](int i) { return row.force[i] / slope[i] - row.velocity[i]; };
  return ConstantForceContact({row.p_W, row.t1, row.t2, {e, e * ratio}, g, De, imp, N0, {bias(0), bias(1)}},
                              c);
}

}  // namespace taxel::mujoco
