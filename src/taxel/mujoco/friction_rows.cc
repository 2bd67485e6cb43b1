#include "taxel/mujoco/friction_rows.h"

#include "taxel/contact/bristle_law.h"

namespace taxel::mujoco {

mjContact MakeSpringFriction(const PatchBlock& block, const FrictionBlock& f, double stiffness,
                             const Vec3& stretch_W, const Vec3& velocity, const RowContext& c) {
  TangentRow row;
  MakeFrame(block.n_W, &row.t1, &row.t2);
  row.stiffness = stiffness;
  row.damping = f.damping;
  row.bound = f.bound;
  row.stretch[0] = dot(stretch_W, row.t1), row.stretch[1] = dot(stretch_W, row.t2);
  row.velocity[0] = dot(velocity, row.t1), row.velocity[1] = dot(velocity, row.t2);
  row.p_W = PredictsSlip(row, c) ? block.slip_W : block.p_W;
  return MakeTangentContact(row, c);
}

mjContact MakeAffineFriction(const PatchBlock& block, const FrictionBlock& f, const Vec3& velocity,
                             const RowContext& c) {
  AffineRow row;
  const Vec3 along = Tangential(f.along_W, block.n_W);
  // Axes that do not turn with the noise of a body at rest.
  if (norm(along) > 0.5 && f.along_damping < 0.999 * f.damping) {
    row.t1 = normalized(along);
    row.t2 = cross(block.n_W, row.t1);
  } else {
    MakeFrame(block.n_W, &row.t1, &row.t2);
  }
  row.p_W = block.p_W + f.sliding * (block.slip_W - block.p_W);
  row.slope[0] = f.along_damping;
  row.slope[1] = f.damping;
  row.bound = f.bound;
  row.force[0] = dot(f.force_W, row.t1), row.force[1] = dot(f.force_W, row.t2);
  row.velocity[0] = dot(velocity, row.t1), row.velocity[1] = dot(velocity, row.t2);
  return MakeAffineContact(row, c);
}

}  // namespace taxel::mujoco
