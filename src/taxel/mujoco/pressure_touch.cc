// Contact of geoms with a pressure field.
#include <algorithm>
#include <cmath>

#include "taxel/contact/body_data.h"
#include "taxel/contact/friction_law.h"
#include "taxel/contact/normal_law.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/friction_rows.h"
#include "taxel/mujoco/geom_body.h"
#include "taxel/mujoco/model_names.h"
#include "taxel/mujoco/touch.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

// A backed box that holds something without a field: it is touched where it has none.
void WarnOfSides(const TouchContext& c, const Touch& touch) {
  for (int geom : {touch.geom1, touch.geom2}) {
    const Body& body = c.body(geom);
    const Primitive* shape = body.primitive();
    if (!body.soft() || !IsLayer(body.options().field.kind) || !shape || !std::holds_alternative<Box>(*shape))
      continue;
    const Vec3 e = body.options().field.exposed;
    c.scene->WarnOnce(
        GeomName(c.m, geom) +
        " is touched on a side without a field: a backed box is soft on the face `exposed` alone, here (" +
        ToText(e.x) + ", " + ToText(e.y) + ", " + ToText(e.z) +
        "); elsewhere it is hard, without friction, and reads nothing. Turn `exposed` to the face that "
        "is meant");
  }
}

// Where the columns are the owner's, the anchors that remember for them.
const std::vector<int>* ColumnAnchors(const TouchContext& c, const Touch& touch) {
  const bool own = !touch.surface.columns.empty() && touch.surface.columns_of_A == touch.owner_is_2() &&
                   !c.body(touch.owner).data().columns.empty();
  return own ? &c.owner(touch).shape->column_anchors(c.m, touch.owner) : nullptr;
}

class PressureModel : public TouchModel {
 public:
  bool Find(const TouchContext& c, Touch* touch) const override {
    ContactOptions options;
    options.facets_across = c.scene->settings().facets_across;
    const Body& A = c.body(touch->geom2);
    const Pose X_WA = c.pose(touch->geom2), X_WB = c.pose(touch->geom1);
    // MuJoCo orders a pair by type: a height field comes before all that can touch it.
    if (c.m->geom_type[touch->geom1] == mjGEOM_HFIELD)
      ComputeContact(A, X_WA, HeightFieldOf(c.m, touch->geom1), X_WB, options, c.workspace, &touch->surface);
    else
      ComputeContact(A, X_WA, c.body(touch->geom1), X_WB, options, c.workspace, &touch->surface);
    return !touch->surface.empty() && touch->surface.normal_force > 0;
  }

  void BuildPatch(const TouchContext& c, Touch* touch) const override {
    PatchOptions options;
    options.blocks_per_side = c.scene->settings().blocks_per_side;
    options.piece_size = c.anchors_of(*touch).spacing();
    const Body &A = c.body(touch->geom2), &B = c.body(touch->geom1);
    options.core_pressure = touch->surface.size_factor * CorePressure(A, B);
    if (CorePressureVaries(A, B)) {
      touch->core_pressures.clear();
      for (int f = 0; f < touch->surface.num_faces(); ++f)
        touch->core_pressures.push_back(touch->surface.size_factor * CorePressure(touch->surface, f, A, B));
      options.core_pressures = &touch->core_pressures;
    }
    options.depth = ContactDepth(touch->surface, A, B);
    touch->patch.Build(touch->surface, c.pose(touch->owner).R, options);
  }

  double LayerDepth(const TouchContext& c, const Touch& touch) const override {
    return DepthToCore(c.body(touch.geom2), c.body(touch.geom1));
  }

  void FindCore(const TouchContext& c, double reach, Touch* touch) const override {
    const Body &A = c.body(touch->geom2), &B = c.body(touch->geom1);
    FindCoreTouches(touch->surface, touch->patch, A, B, reach, &touch->core);
    double push = 1;
    const Pose X_WA = c.pose(touch->geom2), X_WB = c.pose(touch->geom1);
    // A height field is a mesh; its body is but a stand-in.
    const bool terrain = c.m->geom_type[touch->geom1] == mjGEOM_HFIELD;
    if (!terrain) FindMiddleTouches(A, X_WA, B, X_WB, reach, &touch->core);
    if (touch->core.empty() && !terrain &&
        FindDeepTouch(touch->surface, A, X_WA, B, X_WB, reach, &touch->core)) {
      if (c.moved_geom < 0) WarnOfSides(c, *touch);
      push = kLeastPush;
    }
    push = std::min(push, PushBeyondCore(A, B, touch->core));
    if (push < 1) touch->patch.Scale(push, 1);
  }

  bool Weaken(double factor, Touch* touch) const override {
    touch->patch.Scale(factor, factor);
    return true;
  }

  const std::vector<FrictionBlock>& Friction(const TouchContext& c, const RelativeMotion& v,
                                             PatchFriction::Bound bound, Touch* touch) const override {
    touch->friction.Gather(touch->patch, c.anchors_of(*touch), c.memory(*touch), touch->partner(),
                           GeomPose(c.d, touch->owner), touch->owner_is_2(), touch->parameters.friction, v,
                           bound, ColumnAnchors(c, *touch));
    return touch->friction.blocks();
  }

  std::optional<mjContact> FrictionContact(const PatchBlock& block, const FrictionBlock& f,
                                           const Vec3& velocity, const RowContext& c) const override {
    if (!(f.bound > 0) || !(f.stiffness > 0)) return {};
    return MakeSpringFriction(block, f, f.stiffness, f.stretch_W, velocity, c);
  }

  void ExplicitForces(const TouchContext& c, const RelativeMotion& v, Touch* touch) const override {
    const int pieces = static_cast<int>(touch->patch.pieces.size());
    std::vector<double>& normal = touch->friction.piece_normal_forces();
    normal.assign(pieces, 0.0);
    const double dissipation =
        std::min(touch->parameters.dissipation, touch->most_damping / std::max(touch->patch.force, 1e-300));
    for (int i = 0; i < pieces; ++i) {
      const PatchPiece& p = touch->patch.pieces[i];
      normal[i] = HuntCrossleyPressure(p.force, 0, dissipation, dot(v(p.p_W), p.n_W), 0);
    }
    Friction(c, v, PatchFriction::Bound::kGiven, touch);
    double shear = 0;
    for (const double kt : touch->friction.piece_stiffnesses()) shear += kt;
    const double shear_damping =
        std::min(touch->parameters.friction.shear_damping, touch->most_damping / std::max(shear, 1e-300));
    // The pieces carry most of the torque; the rest, from the pressure's slope within them, comes exactly.
    touch->wrench = {};
    Wrench elastic, rubbing;
    std::fill(touch->block_normal_force.begin(), touch->block_normal_force.end(), 0.0);
    std::fill(touch->block_friction.begin(), touch->block_friction.end(), Vec3{});
    for (int i = 0; i < pieces; ++i) {
      const PatchPiece& p = touch->patch.pieces[i];
      const double kt = touch->friction.piece_stiffnesses()[i];
      Vec3 f = -kt *
               (touch->friction.piece_stretches()[i] + shear_damping * touch->friction.piece_velocities()[i]);
      const double size = norm(f), bound = touch->friction.piece_bounds()[i];
      if (size > bound) f *= bound / size;
      AddForce(&touch->wrench, normal[i] * p.n_W + f, p.p_W);
      AddForce(&rubbing, f, p.p_W);
      AddForce(&elastic, p.force * p.n_W, p.p_W);
      touch->block_normal_force[p.block] += normal[i];
      touch->block_friction[p.block] += f;
    }
    touch->wrench.force += touch->patch.wrench.force - elastic.force;
    touch->wrench.torque += touch->patch.wrench.torque - elastic.torque;
    touch->normal = {touch->wrench.force - rubbing.force, touch->wrench.torque - rubbing.torque};
    touch->friction_force = rubbing.force;
  }

  void Remember(const TouchContext& c, const RelativeMotion& v, Touch* touch,
                std::vector<std::pair<int, AnchorState>>* out) const override {
    touch->friction.Scatter(touch->patch, c.memory(*touch), v, c.m->opt.timestep,
                            touch->block_normal_force.data(),
                            [&](int anchor, const AnchorState& s) { out->emplace_back(anchor, s); });
  }

  void Sense(const TouchContext&, const RelativeMotion& v, Touch* touch) const override {
    const FrictionParameters& mu = touch->parameters.friction;
    touch->wrench = touch->normal = touch->surface.wrench_on_A;
    touch->friction_force = {};
    for (int f = 0; f < touch->surface.num_faces(); ++f) {
      const Vec3 &p = touch->surface.centroids[f], &n = touch->surface.normals[f];
      const double force = touch->surface.areas[f] * touch->surface.face_pressures[f];
      const double vn = dot(v(p), n);
      const Vec3 vt = v(p) - vn * n;
      const double normal = HuntCrossleyPressure(force, 0, touch->parameters.dissipation, vn, 0);
      const double coefficient =
          StribeckFriction(norm(vt), mu.static_friction, mu.dynamic_friction,
                           std::max(mu.stribeck_speed, 10 * kStictionSpeed), kStictionSpeed);
      const Vec3 rubbing = FrictionTraction(vt, normal, coefficient);
      AddForce(&touch->wrench, (normal - force) * n + rubbing, p);
      AddForce(&touch->normal, (normal - force) * n, p);
      touch->friction_force += rubbing;
    }
  }

  void TakeEngine(const PairForce& engine, Touch* touch) const override {
    touch->wrench = engine.wrench;
    touch->friction_force = engine.friction;
    const Wrench& elastic = touch->surface.wrench_on_A;
    const double factor =
        norm2(elastic.force) > 0 ? dot(engine.normal, elastic.force) / norm2(elastic.force) : 0;
    // About the centre of the elastic pressure the torque is that of the image: a point contact knows nothing
    // of it, and must not tilt it.
    const Vec3& at = touch->surface.empty() ? engine.center : touch->surface.center_of_pressure;
    touch->center = engine.center;
    touch->normal.force = engine.normal;
    touch->normal.torque = cross(at, engine.normal) + factor * (elastic.torque - cross(at, elastic.force));
  }

  SkinLoad Load(const TouchContext& c, bool sensing, const SkinSensor& skin, Touch* touch) const override {
    SkinLoad load;
    load.surface = &touch->surface;
    load.skin_is_A = skin.geom == touch->geom2;
    load.normal = &touch->normal;
    load.friction = &touch->friction_force;
    load.at = &touch->center;
    if (sensing) {
      touch->sliding = SlidingTraction(touch->parameters.friction, touch->motion, kStictionSpeed);
      load.traction = &touch->sliding;
      load.walls_act = true;
    } else {
      touch->held.Set(touch->patch, touch->friction, c.anchors_of(*touch), GeomPose(c.d, touch->owner),
                      touch->owner_is_2(), touch->parameters.friction.shear_damping,
                      touch->block_normal_force.data(), touch->block_friction.data());
      load.traction = &touch->held;
    }
    return load;
  }
};

}  // namespace

const TouchModel& PressureTouch() {
  static const PressureModel model;
  return model;
}

}  // namespace taxel::mujoco
