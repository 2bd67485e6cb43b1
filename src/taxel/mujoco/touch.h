// Two geoms that touch, and the models of contact that know what happens between them.
#pragma once

#include <mujoco/mujoco.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "taxel/bristle/bristle_contact.h"
#include "taxel/contact/contact.h"
#include "taxel/contact/core_touch.h"
#include "taxel/contact/deep_touch.h"
#include "taxel/contact/patch.h"
#include "taxel/contact/patch_friction.h"
#include "taxel/contact/patch_traction.h"
#include "taxel/contact/sliding_traction.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/engine_force.h"
#include "taxel/mujoco/rows.h"
#include "taxel/mujoco/scene.h"
#include "taxel/skin/skin_load.h"

namespace taxel::mujoco {

class TouchModel;

/// Sensing only: friction has no memory and fades below this speed, m/s.
inline constexpr double kStictionSpeed = 1e-4;

/// Two geoms that touch in the current step. A is geom 2, B is geom 1: normals point from geom 1 into geom 2
/// like MuJoCo's, and forces are those on geom 2.
struct Touch {
  int geom1 = -1, geom2 = -1;
  int owner = -1;
  const TouchModel* model = nullptr;
  ContactSurface surface;
  std::vector<double> core_pressures;  ///< by face, where they differ
  Patch patch;
  PairParameters parameters;
  PatchFriction friction;   ///< pressure fields
  BristleContact bristles;  ///< bristles
  /// Rows: contacts of block b are normal_contact[b] and tangent_contact[b] (-1: none) in mjData.contact.
  std::vector<int> normal_contact, tangent_contact;
  std::vector<double> block_normal_force;
  std::vector<Vec3> block_friction;
  /// Where a layer is flat or would be at the end of the step; contact c is core_contact[c].
  std::vector<CoreTouch> core;
  std::vector<int> core_contact;
  Wrench core_wrench;  ///< what those hold, on geom 2
  /// Explicit coupling: the most damping that a step can carry, N s/m.
  double most_damping = HUGE_VAL;
  Wrench wrench;  ///< on geom 2, about the world origin; what acts in the physics
  Wrench normal;  ///< its part without friction
  Vec3 friction_force;
  RelativeMotion motion;  ///< of geom 2 relative to geom 1, at the start of the step
  double energy = 0;      ///< elastic, of the whole patch, J
  double budget = 0;      ///< what it may still give back (contact/release_limit.h), J
  bool held_back = false;
  Vec3 center;  ///< sensing only, with an empty surface: where the engine pushes
  // How friction is spread over the surface, and forces at points; made when a skin asks.
  internal::PatchTraction held;
  internal::SlidingTraction sliding;
  std::vector<PointLoad> points;

  bool owner_is_2() const { return owner == geom2; }
  /// How the owner's memory calls the other geom.
  double partner() const { return 1 + (owner_is_2() ? geom1 : geom2); }
};

/// What a model of contact looks at.
struct TouchContext {
  const Scene* scene;
  const mjModel* m;
  const mjData* d;
  const AnchorState* anchors = nullptr;  ///< all of the scene, at the start of the step
  ContactWorkspace* workspace = nullptr;
  /// A geom that is looked at where it will be (foresee.h); -1: none.
  int moved_geom = -1;
  Pose moved = {};

  Pose pose(int geom) const { return geom == moved_geom ? moved : GeomPose(d, geom); }
  const SceneGeom& owner(const Touch& t) const { return scene->geoms()[t.owner]; }
  const Body& body(int geom) const { return scene->geoms()[geom].shape->body(m, geom); }
  const Anchors& anchors_of(const Touch& t) const { return owner(t).shape->anchors(m, t.owner); }
  const AnchorState* memory(const Touch& t) const { return anchors + owner(t).first_anchor; }
};

/// A model of contact between two geoms, the same for all of its kind: from poses to a patch of blocks, which
/// become rows of MuJoCo's solver (or explicit forces), and back to what is remembered and felt.
class TouchModel {
 public:
  virtual ~TouchModel() = default;
  /// Fills touch->surface from the geoms' poses; false when nothing touches. Geoms, owner and parameters are
  /// set.
  virtual bool Find(const TouchContext& c, Touch* touch) const = 0;
  virtual void BuildPatch(const TouchContext& c, Touch* touch) const = 0;
  /// After BuildPatch: fills touch->core with what comes within `reach` (m) of a core.
  virtual void FindCore(const TouchContext& c, double reach, Touch* touch) const = 0;
  /// What the layers give until one is flat, m; infinite: they have no core.
  virtual double LayerDepth(const TouchContext& c, const Touch& touch) const = 0;
  /// After FindCore: a part of the push, where the model can give one.
  virtual bool Weaken(double /*factor*/, Touch*) const { return false; }
  /// The longest step, s, that explicit forces of the touch bear, from the masses that they move along the
  /// normal and across it; infinite where they are weakened instead.
  virtual double LargestStep(double /*normal_mass*/, double /*mass_across*/, const Touch&) const {
    return HUGE_VAL;
  }
  /// A touch that pushes nothing and is near no core is still told.
  virtual bool StillTold(const Touch&) const { return false; }
  /// Rows: what friction does to the blocks. The result is valid until the next step.
  virtual const std::vector<FrictionBlock>& Friction(const TouchContext& c, const RelativeMotion& v,
                                                     PatchFriction::Bound bound, Touch* touch) const = 0;
  /// Rows: the friction of one block as a contact, from the velocity of geom 2 relative to geom 1 there;
  /// nothing where there is none.
  virtual std::optional<mjContact> FrictionContact(const PatchBlock& block, const FrictionBlock& friction,
                                                   const Vec3& velocity, const RowContext& c) const = 0;
  /// Rows: block_normal_force and block_friction were read.
  virtual void TakeRows(Touch*) const {}
  /// Explicit coupling: wrenches and block forces from the present velocity.
  virtual void ExplicitForces(const TouchContext& c, const RelativeMotion& v, Touch* touch) const = 0;
  /// End of a step: what the owner's anchors remember, appended to `out` with their numbers.
  virtual void Remember(const TouchContext& c, const RelativeMotion& v, Touch* touch,
                        std::vector<std::pair<int, AnchorState>>* out) const = 0;
  /// Sensing only: wrenches without memory.
  virtual void Sense(const TouchContext& c, const RelativeMotion& v, Touch* touch) const = 0;
  /// Sensing only, after Sense: scales what the touch does to the force of the engine's own contacts. What
  /// acts is then that, shared out as the model has it.
  virtual void TakeEngine(const PairForce& engine, Touch* touch) const = 0;
  /// What the touch does to a skin on one of its geoms. `sensing`: after Sense, else after the forces.
  virtual SkinLoad Load(const TouchContext& c, bool sensing, const SkinSensor& skin, Touch* touch) const = 0;
};

/// Hydroelastic surfaces; bristles.
const TouchModel& PressureTouch();
const TouchModel& BristleTouch();
/// That of a pair of geoms.
inline const TouchModel& TouchModelOf(const Scene& scene, int g1, int g2) {
  return scene.Bristled(g1, g2) ? BristleTouch() : PressureTouch();
}

}  // namespace taxel::mujoco
