// Contact of a pad with bristles.
#include <algorithm>
#include <cmath>

#include "taxel/bristle/advice.h"
#include "taxel/contact/bristle_law.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/friction_rows.h"
#include "taxel/mujoco/touch.h"
#include "taxel/skin/taxel_at.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

void SetWrenches(Touch* touch) {
  touch->normal = touch->bristles.NormalWrench();
  const Wrench rubbing = touch->bristles.FrictionWrench();
  touch->wrench = {touch->normal.force + rubbing.force, touch->normal.torque + rubbing.torque};
  touch->friction_force = rubbing.force;
}

class BristleModel : public TouchModel {
 public:
  bool Find(const TouchContext& c, Touch* touch) const override {
    const int other = touch->owner_is_2() ? touch->geom1 : touch->geom2;
    const bool pushes = touch->bristles.Find(
        *c.owner(*touch).bristles, *c.scene->settings().geoms[touch->owner].bristles, c.pose(touch->owner),
        c.scene->geoms()[other].shape->target(c.m, other), c.pose(other), touch->owner_is_2());
    touch->bristles.FillSurface(&touch->surface);
    return pushes || touch->bristles.num_saturated() > 0;
  }

  void BuildPatch(const TouchContext& c, Touch* touch) const override {
    PatchOptions options;
    options.blocks_per_side = c.scene->settings().blocks_per_side;
    touch->bristles.BuildPatch(touch->surface, options, &touch->patch);
  }

  void FindCore(const TouchContext&, double reach, Touch* touch) const override {
    touch->bristles.FindCore(touch->patch, reach, &touch->core);
  }

  double LayerDepth(const TouchContext& c, const Touch& touch) const override {
    return BristleContact::LayerDepth(*c.owner(touch).bristles,
                                      *c.scene->settings().geoms[touch.owner].bristles);
  }

  double LargestStep(double normal_mass, double mass_across, const Touch& touch) const override {
    const std::vector<PatchPiece>& pieces = touch.patch.pieces;
    if (pieces.empty()) return HUGE_VAL;
    BristleLoad load;
    load.mass = normal_mass;
    load.points = static_cast<int>(pieces.size());
    load.stiffness = touch.patch.stiffness / load.points;
    load.damping = pieces[0].damping;
    const double normal = AdviseStep(load).largest_explicit_step;
    const LuGreParameters& law = touch.parameters.lugre;
    if (!(law.static_friction > 0)) return normal;
    load.mass = mass_across;
    load.sigma0 = law.sigma0, load.sigma1 = law.sigma1, load.viscosity = law.viscosity;
    const StepAdvice across = AdviseStep(load);
    return across.friction_limits ? std::min(normal, across.largest_explicit_step) : normal;
  }

  // Bristles may be pressed beyond their length and push no more.
  bool StillTold(const Touch& touch) const override { return touch.bristles.num_saturated() > 0; }

  const std::vector<FrictionBlock>& Friction(const TouchContext& c, const RelativeMotion& v,
                                             PatchFriction::Bound bound, Touch* touch) const override {
    touch->bristles.Gather(touch->patch, c.memory(*touch), touch->partner(), touch->parameters.lugre, v,
                           c.m->opt.timestep, bound);
    return touch->bristles.blocks();
  }

  std::optional<mjContact> FrictionContact(const PatchBlock& block, const FrictionBlock& f,
                                           const Vec3& velocity, const RowContext& c) const override {
    if (!(f.bound > 0) || !(f.stiffness > 0 || f.damping > 0)) return {};
    if (norm(f.force_W) < f.bound) return MakeAffineFriction(block, f, velocity, c);
    // Any stiffness up to G / h stands for the same force at zero velocity.
    const double stiffness = std::clamp(f.stiffness, 1e-3 * f.damping / c.step, f.damping / c.step);
    const Vec3 stretch = (f.force_W - f.damping * Tangential(velocity, block.n_W)) / stiffness;
    return MakeSpringFriction(block, f, stiffness, stretch, velocity, c);
  }

  void TakeRows(Touch* touch) const override {
    touch->bristles.Share(touch->patch, touch->parameters.lugre, touch->block_normal_force.data(),
                          touch->block_friction.data());
  }

  void ExplicitForces(const TouchContext& c, const RelativeMotion& v, Touch* touch) const override {
    touch->bristles.Explicit(c.memory(*touch), touch->partner(), touch->parameters.lugre, v,
                             c.m->opt.timestep);
    SetWrenches(touch);
  }

  void Remember(const TouchContext& c, const RelativeMotion& v, Touch* touch,
                std::vector<std::pair<int, AnchorState>>* out) const override {
    touch->bristles.Advance(c.memory(*touch), touch->partner(), touch->parameters.lugre, v, c.m->opt.timestep,
                            [&](int point, const AnchorState& s) { out->emplace_back(point, s); });
  }

  void Sense(const TouchContext&, const RelativeMotion& v, Touch* touch) const override {
    touch->bristles.Steady(touch->parameters.lugre, v, kStictionSpeed);
    SetWrenches(touch);
  }

  void TakeEngine(const PairForce& engine, Touch* touch) const override {
    touch->bristles.ScaleTo(engine.normal, engine.friction);
    touch->wrench = engine.wrench;
    touch->normal = {engine.normal, cross(engine.center, engine.normal)};
    touch->friction_force = engine.friction;
    touch->center = engine.center;
  }

  SkinLoad Load(const TouchContext& c, bool, const SkinSensor& skin, Touch* touch) const override {
    SkinLoad load;
    load.skin_is_A = skin.geom == touch->geom2;
    touch->points.clear();
    const bool own = skin.geom == touch->owner;
    const Pose X_WG = GeomPose(c.d, skin.geom);
    for (const PressedBristle& b : touch->bristles.bristles()) {
      PointLoad p{};
      // A skin on what the bristles press (not on their own pad) feels them where they are.
      p.taxel =
          own ? skin.taxel_of_point[b.point]
              : TaxelAt(skin.skin->layout(), Inverse(X_WG) * b.p_W,
                        TransposeMul(X_WG.R, load.skin_is_A ? -b.n_W : b.n_W), skin.skin->options().limit);
      p.p_W = b.p_W;
      p.normal_W = b.push_W;
      p.elastic_W = b.elastic * b.n_W;
      p.friction_W = b.friction_W;
      p.load = b.normal;
      // What steady sliding at this speed would take: there it slides.
      p.capacity = SteadyFriction(touch->parameters.lugre, b.speed, b.normal);
      p.area = c.owner(*touch).bristles->layout().areas[b.point];
      p.saturated = own && b.saturated;
      touch->points.push_back(p);
    }
    if (touch->points.empty()) {  // the engine pushes where no bristle reaches
      load.surface = &touch->surface;
      load.normal = &touch->normal;
      load.at = &touch->center;
      return load;
    }
    load.points = touch->points.data();
    load.num_points = static_cast<int>(touch->points.size());
    return load;
  }
};

}  // namespace

const TouchModel& BristleTouch() {
  static const BristleModel model;
  return model;
}

}  // namespace taxel::mujoco
