#include "taxel/mujoco/engine.h"

#include <cmath>

#include "taxel/math/check_rigid.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/model_names.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

Vec3 At(const mjtNum* v) { return {v[0], v[1], v[2]}; }

}  // namespace

Pose GeomPose(const mjData* d, int geom) {
  Pose X;
  for (int i = 0; i < 9; ++i) X.R.m[i] = d->geom_xmat[9 * geom + i];
  X.p = At(d->geom_xpos + 3 * geom);
  return X;
}

bool PoseIsRigid(const mjData* d, int geom) { return IsRigid(GeomPose(d, geom)); }

bool PosesKnown(const mjModel* m, const mjData* d) {
  for (int g = 0; g < m->ngeom; ++g)
    if (d->geom_xmat[9 * g] != 0 || d->geom_xmat[9 * g + 1] != 0 || d->geom_xmat[9 * g + 2] != 0) return true;
  return false;
}

void CheckPoses(const mjModel* m, const mjData* d) {
  if (!PosesKnown(m, d))
    throw Error("the geoms have no poses yet; call mujoco.mj_forward(model, data) first");
  for (int g = 0; g < m->ngeom; ++g)
    if (!PoseIsRigid(d, g)) CheckRigid(GeomPose(d, g), "the pose of " + GeomName(m, g));
}

RelativeMotion BodyMotion(const mjModel* m, const mjData* d, int body) {
  RelativeMotion v{{}, {}, At(d->subtree_com + 3 * m->body_rootid[body])};
  for (int b = body; b > 0; b = m->body_parentid[b])
    for (int k = 0; k < m->body_dofnum[b]; ++k) {
      const int dof = m->body_dofadr[b] + k;
      v.angular += d->qvel[dof] * At(d->cdof + 6 * dof);
      v.linear += d->qvel[dof] * At(d->cdof + 6 * dof + 3);
    }
  return v;
}

RelativeMotion RelativeBodyMotion(const mjModel* m, const mjData* d, int body1, int body2) {
  const RelativeMotion a = BodyMotion(m, d, body1), b = BodyMotion(m, d, body2);
  return {b.linear - a(b.at), b.angular - a.angular, b.at};
}

namespace {

// Calls use(J, M) for each degree of freedom that moves the bodies against each other at p along n.
template <class Use>
void ForEachDof(const mjModel* m, const mjData* d, int body1, int body2, const Vec3& p_W, const Vec3& n_W,
                Use&& use) {
  // Degrees of freedom above both bodies move them together and cancel only where the chains meet.
  for (int side = 0; side < 2; ++side) {
    const int body = side ? body2 : body1, other = side ? body1 : body2;
    const Vec3 at = At(d->subtree_com + 3 * m->body_rootid[body]);
    for (int b = body; b > 0; b = m->body_parentid[b]) {
      bool common = false;
      for (int o = other; o > 0; o = m->body_parentid[o]) common |= o == b;
      if (common) break;  // a rigid motion of both: no relative velocity at a common point
      for (int k = 0; k < m->body_dofnum[b]; ++k) {
        const int dof = m->body_dofadr[b] + k;
        const Vec3 v = At(d->cdof + 6 * dof + 3) + cross(At(d->cdof + 6 * dof), p_W - at);
        use(dof, dot(v, n_W), d->M[m->M_rowadr[dof] + m->M_rownnz[dof] - 1]);
      }
    }
  }
}

}  // namespace

double DiscreteDiagonalRatio(const mjModel* m, const mjData* d, const double* S, int body1, int body2,
                             const Vec3& p_W, const Vec3& n_W) {
  double bare = 0, effective = 0;
  ForEachDof(m, d, body1, body2, p_W, n_W, [&](int dof, double J, double M) {
    bare += J * J / M;
    effective += J * J / (M + S[dof]);
  });
  return bare > 0 ? effective / bare : 1.0;
}

double InverseMassAlong(const mjModel* m, const mjData* d, int body1, int body2, const Vec3& p_W,
                        const Vec3& n_W) {
  double sum = 0;
  ForEachDof(m, d, body1, body2, p_W, n_W, [&](int, double J, double M) { sum += J * J / M; });
  return sum;
}

void GuessDiscreteMetric(const mjModel* m, double* S) {
  const double h = m->opt.timestep;
  for (int dof = 0; dof < m->nv; ++dof) {
    S[dof] = h * m->dof_damping[dof];
    const int joint = m->dof_jntid[dof];
    if (m->jnt_type[joint] == mjJNT_HINGE || m->jnt_type[joint] == mjJNT_SLIDE)
      S[dof] += h * h * m->jnt_stiffness[joint];
  }
  for (int i = 0; i < m->nactuator; ++i)
    if (const auto servo = JointServoOf(m, i))
      S[servo->dof] += h * std::fmax(servo->kv, 0) + h * h * std::fmax(servo->kp, 0);
}

std::optional<JointServo> JointServoOf(const mjModel* m, int i) {
  if (m->actuator_trntype[i] != mjTRN_JOINT || m->actuator_biastype[i] != mjBIAS_AFFINE) return std::nullopt;
  const int joint = m->actuator_trnid[2 * i];
  if (m->jnt_type[joint] != mjJNT_HINGE && m->jnt_type[joint] != mjJNT_SLIDE) return std::nullopt;
  const double gear = m->actuator_gear[6 * m->actuator_outadr[i]];
  const mjtNum* bias = m->actuator_biasprm + mjNBIAS * i;
  return JointServo{m->jnt_dofadr[joint], -gear * gear * bias[1], -gear * gear * bias[2]};
}

const char* UnsupportedOption(const mjModel* m, bool sleeps) {
  if (m->opt.cone != mjCONE_ELLIPTIC)
    return "soft contact needs the elliptic friction cone; set <option cone=\"elliptic\"/>";
  if (m->opt.integrator == mjINT_RK4)
    return "soft contact cannot run under integrator=\"RK4\"; use implicitfast, implicit, Euler or discrete";
  if (m->opt.enableflags & mjENBL_DIAGEXACT)
    return "soft contact cannot run with diagexact enabled; set <option><flag "
           "diagexact=\"disable\"/></option>";
  if (m->opt.enableflags & mjENBL_OVERRIDE)
    return "soft contact cannot run with contact override enabled; set <option><flag "
           "override=\"disable\"/></option>";
  if (sleeps || (m->opt.enableflags & mjENBL_SLEEP))
    return "soft contact cannot run with sleep enabled: the friction of a sleeping body would be forgotten; "
           "set "
           "<option><flag sleep=\"disable\"/></option>";
  if (m->opt.noslip_iterations > 0)
    return "soft contact cannot run with the noslip solver; set <option noslip_iterations=\"0\"/> (its "
           "friction "
           "does not slip anyway)";
  return "";
}

}  // namespace taxel::mujoco
