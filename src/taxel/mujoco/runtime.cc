#include "taxel/mujoco/runtime.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "taxel/contact/release_limit.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/collision_rules.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/foresee.h"
#include "taxel/mujoco/geom_body.h"
#include "taxel/mujoco/model_names.h"
#include "taxel/mujoco/touch_limits.h"
#include "taxel/mujoco/touch_rows.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

int SolverNumber(const mjData* d) { return d->timer[mjTIMER_CONSTRAINT].number; }

int PassNumber(const mjData* d) { return d->timer[mjTIMER_POS_COLLISION].number; }

// As MuJoCo orders a pair: by type, then by number.
std::pair<int, int> Ordered(const mjModel* m, int g1, int g2) {
  return m->geom_type[g1] <= m->geom_type[g2] ? std::pair(g1, g2) : std::pair(g2, g1);
}

bool ByGeoms(const Touch* a, const Touch* b) {
  return a->geom1 != b->geom1 ? a->geom1 < b->geom1 : a->geom2 < b->geom2;
}

}  // namespace

Runtime::Runtime(std::shared_ptr<const Scene> scene, int instance, bool sense_only)
    : scene_(std::move(scene)),
      instance_(instance),
      sense_only_(sense_only),
      warned_stale_(scene_->geoms().size(), false) {}

void Runtime::Rebuild(const mjModel* m, mjData* d) {
  scene_ = Scene::Of(m);
  warned_stale_.assign(scene_->geoms().size(), false);
  State(m, d).Clear();
  anchors_.clear(), next_.clear(), loaded_.clear(), stored_.clear();
  Reset();
}

void Runtime::Reset() {
  touches_.clear();
  pass_ = -1;
  skin_readings_.Reset();
}

bool Runtime::HasHelpers() const {
  return std::any_of(touches_.begin(), touches_.end(), [](const Touch* t) {
    return std::any_of(t->tangent_contact.begin(), t->tangent_contact.end(), [](int c) { return c >= 0; });
  });
}

SavedState Runtime::State(const mjModel* m, mjData* d) const {
  return {m, d->plugin_state + m->plugin_stateadr[instance_], SavedState::Size(m, scene_->anchor_room())};
}

mjtNum* Runtime::SkinState(const mjModel* m, mjData* d, int k) const {
  const SkinSensor& s = scene_->skins()[k];
  if (s.sensor < 0 || instance_ < 0) return nullptr;
  // The first instance keeps friction, too, and that comes first.
  const int friction = s.instance == instance_ ? SavedState::Size(m, scene_->anchor_room()) : 0;
  return d->plugin_state + m->plugin_stateadr[s.instance] + friction + s.state_offset;
}

void Runtime::AdvanceSkins(const mjModel* m, mjData* d) {
  for (int k = 0; k < static_cast<int>(scene_->skins().size()); ++k)
    if (mjtNum* state = SkinState(m, d, k)) {
      skin_readings_.Mend(scene_->skins()[k], state);
      skin_readings_.Advance(scene_->skins()[k], k, state);
    }
}

bool Runtime::Current(const mjData* d) const { return pass_ + 1 == PassNumber(d) && pass_time_ == d->time; }

void Runtime::LoadAnchors(const mjModel* m, mjData* d) {
  anchors_.resize(scene_->num_anchors());
  for (int key : loaded_) anchors_[key] = {};
  loaded_.clear();
  const SavedState state = State(m, d);
  int strange = 0;
  pairs_.clear();
  for (int i = 0; i < state.count(); ++i) {
    if (PairState pair; state.Read(i, &pair)) {
      pairs_.push_back(pair);
      continue;
    }
    AnchorState anchor;
    const int key = state.Read(i, &anchor);
    if (key < 0 || key >= scene_->num_anchors()) {
      ++strange;
      continue;
    }
    anchors_[key] = anchor;
    loaded_.push_back(key);
  }
  if ((strange == 0 && state.count_known()) || warned_state_) return;
  warned_state_ = true;
  mju_warning(
      "taxel: mjData.plugin_state holds %s that taxel did not write (of another model, or damaged): friction "
      "forgets that; use mj_resetData, or restore a state of this model",
      state.count_known() ? (std::to_string(strange) + " anchors of friction").c_str()
                          : "a number of anchors");
}

bool Runtime::BeginPass(const mjModel* m, mjData* d) {
  if (pass_ == PassNumber(d) && pass_time_ == d->time) return false;
  touches_.clear();
  pass_ = PassNumber(d);
  pass_time_ = d->time;
  solved_ = SolverNumber(d);
  LoadAnchors(m, d);
  return true;
}

Touch* Runtime::NewTouch() {
  // Those in use are always the first of the pool, in whatever order they are listed.
  if (touches_.size() == pool_.size()) pool_.push_back(std::make_unique<Touch>());
  return pool_[touches_.size()].get();
}

void Runtime::CopyStep(const Runtime& other) {
  if (scene_ != other.scene_) return;  // rebuilt since: the next pass will do
  while (pool_.size() < other.touches_.size()) pool_.push_back(std::make_unique<Touch>());
  touches_.clear();
  for (std::size_t i = 0; i < other.touches_.size(); ++i) {
    *pool_[i] = *other.touches_[i];
    touches_.push_back(pool_[i].get());
  }
  pass_ = other.pass_;
  pass_time_ = other.pass_time_;
  solved_ = other.solved_;
  anchors_ = other.anchors_;
  loaded_ = other.loaded_;
  skin_readings_.CopyStep(other.skin_readings_);
}

bool Runtime::Stale(const mjModel* m, int geom) {
  if (scene_->geoms()[geom].signature == ShapeSignature(m, geom)) return false;
  if (!warned_stale_[geom]) {
    warned_stale_[geom] = true;
    mju_warning("taxel: the shape of %s changed after the model was compiled; %s", GeomName(m, geom).c_str(),
                instance_ < 0 ? "make a new taxel.Reader(model)"
                              : "its contact is MuJoCo's own until you call taxel.rebuild(model, data)");
  }
  return true;
}

TouchContext Runtime::Context(const mjModel* m, const mjData* d) const {
  return {scene_.get(), m, d, anchors_.data(), &workspace_};
}

bool Runtime::Find(const mjModel* m, const mjData* d, int geom1, int geom2, Touch* touch) {
  touch->geom1 = geom1;
  touch->geom2 = geom2;
  touch->owner = scene_->Owner(geom1, geom2);
  touch->model = &TouchModelOf(*scene_, geom1, geom2);
  touch->parameters = scene_->Parameters(m, geom1, geom2);
  return touch->model->Find(Context(m, d), touch);
}

bool Runtime::Collide(const mjModel* m, mjData* d, int geom1, int geom2) {
  if (!scene_->Couples(geom1, geom2) || coupling() == Coupling::kSense) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Stale(m, geom1) || Stale(m, geom2) || !scene_->Ready(m, geom1, geom2)) return false;
  if (const char* why = UnsupportedOption(m); *why && coupling() == Coupling::kRows) {
    if (!warned_option_) mju_warning("taxel: %s; contact is MuJoCo's own until then", why);
    warned_option_ = true;
    return false;
  }
  const bool first = BeginPass(m, d);
  if (!d->threadpool) {
    CollidePair(m, d, geom1, geom2);
  } else if (first) {
    for (const auto& [g1, g2] : scene_->candidates())
      if (scene_->Couples(g1, g2) && Near(d, g1, g2) && MayCollide(m, g1, g2) && !Stale(m, g1) &&
          !Stale(m, g2) && scene_->Ready(m, g1, g2))
        CollidePair(m, d, Ordered(m, g1, g2).first, Ordered(m, g1, g2).second);
  }
  return true;
}

bool Runtime::Near(const mjData* d, int g1, int g2) const {
  const double reach = scene_->geoms()[g1].extent + scene_->geoms()[g2].extent;
  return !std::isfinite(reach) || norm2(GeomPose(d, g1).p - GeomPose(d, g2).p) <= reach * reach;
}

const PairState* Runtime::Remembered(const Touch& touch) const {
  const auto known = std::find_if(pairs_.begin(), pairs_.end(), [&](const PairState& p) {
    return p.geom1 == touch.geom1 && p.geom2 == touch.geom2;
  });
  return known != pairs_.end() ? &*known : nullptr;
}

void Runtime::WarnOfStep(const mjModel* m, const Touch& touch, bool softened) {
  if (warned_explicit_) return;
  warned_explicit_ = true;
  scene_->WarnOnce("coupling=\"explicit\": " + GeomName(m, touch.geom1) + " with " +
                   GeomName(m, touch.geom2) + ": the contact is stiffer than a step of " +
                   ToText(m->opt.timestep) + " s can carry and " +
                   (softened ? "is softened to what it can"
                             : "its bristles may throw the body off (taxel.bristle_step_advice)") +
                   "; shorten the step, or use coupling=\"rows\"");
}

void Runtime::CollidePair(const mjModel* m, mjData* d, int geom1, int geom2) {
  try {
    Touch* touch = NewTouch();
    if (Find(m, d, geom1, geom2, touch)) {
      touch->model->BuildPatch(Context(m, d), touch);
    } else {
      touch->patch.Clear();
    }
    touch->motion = RelativeBodyMotion(m, d, m->geom_bodyid[geom1], m->geom_bodyid[geom2]);
    touch->energy = ElasticEnergy(touch->patch);
    const double reach = CoreReach(m, d, *touch);
    touch->model->FindCore(Context(m, d), reach, touch);
    if (touch->patch.blocks.empty() && touch->core.empty()) Foresee(Context(m, d), reach, touch, &ahead_);
    if (coupling() == Coupling::kExplicit)
      if (const ExplicitStep step = LimitExplicit(m, d, touch); step != ExplicitStep::kCarried)
        WarnOfStep(m, *touch, step == ExplicitStep::kSoftened);
    LimitRelease(m, d, Remembered(*touch), coupling() == Coupling::kRows, touch);
    if (touch->patch.blocks.empty() && touch->core.empty() && !touch->model->StillTold(*touch)) return;
    touch->block_normal_force.assign(touch->patch.blocks.size(), 0.0);
    touch->block_friction.assign(touch->patch.blocks.size(), Vec3{});
    touch->wrench = touch->normal = {};
    touch->friction_force = {};
    if (coupling() == Coupling::kRows) AddRows(Context(m, d), d, State(m, d), touch);
    AddCoreRows(m, d, touch);
    touches_.insert(std::upper_bound(touches_.begin(), touches_.end(), touch, ByGeoms), touch);
  } catch (const std::exception& e) {
    mju_warning("taxel: %s with %s: %s", GeomName(m, geom1).c_str(), GeomName(m, geom2).c_str(), e.what());
  }
}

void Runtime::ApplyForces(const mjModel* m, mjData* d) {
  if (coupling() != Coupling::kExplicit || !Current(d)) return;
  for (Touch* touch : touches_) {
    const int body1 = m->geom_bodyid[touch->geom1], body2 = m->geom_bodyid[touch->geom2];
    const RelativeMotion v = RelativeBodyMotion(m, d, body1, body2);
    touch->model->ExplicitForces(Context(m, d), v, touch);
    touch->core_wrench = {};  // not known yet
    const Vec3 at = touch->surface.center_of_pressure;
    const Vec3 torque = touch->wrench.torque - cross(at, touch->wrench.force);
    const mjtNum p[3] = {at.x, at.y, at.z};
    for (int side = 0; side < 2; ++side) {
      const double s = side ? 1 : -1;
      const mjtNum f[3] = {s * touch->wrench.force.x, s * touch->wrench.force.y, s * touch->wrench.force.z};
      const mjtNum t[3] = {s * torque.x, s * torque.y, s * torque.z};
      mj_applyFT(m, d, f, t, p, side ? body2 : body1, d->qfrc_passive);
    }
  }
}

void Runtime::ReadForces(const mjModel*, mjData* d) {
  // Only once the solver has run since the pass, and each time it has.
  if (coupling() == Coupling::kSense || !Current(d) || SolverNumber(d) <= solved_) return;
  solved_ = SolverNumber(d);
  for (Touch* touch : touches_) {
    if (coupling() == Coupling::kRows) {
      ReadRows(d, touch);
    } else {  // the forces are there; those of the core of an earlier run are replaced
      touch->wrench = {touch->wrench.force - touch->core_wrench.force,
                       touch->wrench.torque - touch->core_wrench.torque};
      touch->normal = {touch->normal.force - touch->core_wrench.force,
                       touch->normal.torque - touch->core_wrench.torque};
    }
    ReadCoreRows(d, coupling() == Coupling::kRows, touch);
    if (coupling() == Coupling::kRows) touch->model->TakeRows(touch);
  }
}

void Runtime::Advance(const mjModel* m, mjData* d) {
  AdvanceSkins(m, d);
  if (coupling() == Coupling::kSense) return;
  SavedState state = State(m, d);
  // Time has moved on by one step already.
  const bool current = pass_ + 1 == PassNumber(d);
  if (current) {
    pass_time_ = d->time;
    ReadForces(m, d);
  }
  state.Clear();
  if (current && !touches_.empty()) {
    next_.resize(scene_->num_anchors());
    for (int key : stored_) next_[key] = {};
    stored_.clear();
    for (Touch* touch : touches_) {
      const SceneGeom& owner = scene_->geoms()[touch->owner];
      const RelativeMotion v =
          RelativeBodyMotion(m, d, m->geom_bodyid[touch->geom1], m->geom_bodyid[touch->geom2]);
      remembered_.clear();
      touch->model->Remember(Context(m, d), v, touch, &remembered_);
      for (const auto& [anchor, memory] : remembered_) {
        AnchorState& into = next_[owner.first_anchor + anchor];
        if (into.partner == 0) stored_.push_back(owner.first_anchor + anchor);
        // Two objects at one anchor: the one pressed harder holds it.
        if (into.partner == 0 || into.normal_force < memory.normal_force) into = memory;
      }
    }
    std::sort(stored_.begin(), stored_.end());
    for (int key : stored_)
      if (!state.Append(key, next_[key]) && !warned_full_) {
        warned_full_ = true;
        mju_warning(
            "taxel: more than %d anchors touch at once and some friction is forgotten; raise anchors in the "
            "instance",
            state.capacity());
      }
    for (const Touch* touch : touches_)
      if (!touch->patch.blocks.empty()) state.Append({touch->geom1, touch->geom2, BudgetAtEnd(m, d, *touch)});
  }
  if (m->opt.integrator == mjINT_DISCRETE && d->efm_active && d->efm_sdiag)
    std::copy(d->efm_sdiag, d->efm_sdiag + m->nv, state.metric());
  if (!state.MetricKnown()) mju_zero(state.metric(), static_cast<int>(m->nv));
  state.set_started();
}

void Runtime::Sense(const mjModel* m, mjData* d) {
  touches_.clear();
  if (!PosesKnown(m, d)) return;
  engine_.Clear();
  if (scale_to_engine()) engine_.Read(m, d);
  for (const auto& [g1, g2] : scene_->candidates()) {
    if (!scene_->Couples(g1, g2)) continue;
    if (!Near(d, g1, g2)) continue;
    if (Stale(m, g1) || Stale(m, g2) || !scene_->Ready(m, g1, g2)) continue;
    Touch* touch = NewTouch();
    const auto [first, second] = Ordered(m, g1, g2);
    const PairForce* engine = engine_.Find(first, second);
    try {
      if (!Find(m, d, first, second, touch)) {
        if (!engine || norm2(engine->normal) == 0) continue;
        // Nothing overlaps (a margin, or a hollow of a mesh that MuJoCo fills), but the engine pushes.
        touch->surface.Clear();
        touch->parameters = scene_->Parameters(m, first, second);
      }
    } catch (const std::exception& e) {
      scene_->WarnOnce(GeomName(m, g1) + " with " + GeomName(m, g2) + ": " + e.what());
      continue;
    }
    touch->motion = RelativeBodyMotion(m, d, m->geom_bodyid[first], m->geom_bodyid[second]);
    touch->model->Sense(Context(m, d), touch->motion, touch);
    if (engine) touch->model->TakeEngine(*engine, touch);
    touches_.push_back(touch);
  }
  std::sort(touches_.begin(), touches_.end(), ByGeoms);
}

const SkinTouches& Runtime::TouchesOn(const mjModel* m, mjData* d, const SkinSensor& skin) {
  skin_touches_.loads.clear();
  skin_touches_.presser = -1;
  double most = -1;
  for (Touch* t : Touches(m, d)) {
    if (t->geom1 != skin.geom && t->geom2 != skin.geom) continue;
    skin_touches_.loads.push_back(t->model->Load(Context(m, d), coupling() == Coupling::kSense, skin, t));
    const double push = norm2(t->normal.force);
    if (skin_touches_.presser >= 0 && !(push > most)) continue;
    most = push;
    skin_touches_.presser = t->geom1 == skin.geom ? t->geom2 : t->geom1;
  }
  return skin_touches_;
}

void Runtime::ReadSkin(const mjModel* m, mjData* d, int k, const mjtNum* state, bool fresh, mjtNum* out) {
  const SkinSensor& skin = scene_->skins()[k];
  const bool looks = SkinReadings::Looks(skin, d->time, state, fresh);
  skin_readings_.Read(m, d, skin, k, looks ? &TouchesOn(m, d, skin) : nullptr, state, fresh, out);
}

void Runtime::LookAtSkin(const mjModel* m, mjData* d, int k) {
  const SkinSensor& skin = scene_->skins()[k];
  if (PoseIsRigid(d, skin.geom)) skin_readings_.Look(d, skin, k, TouchesOn(m, d, skin));
}

const std::vector<Touch*>& Runtime::Touches(const mjModel* m, mjData* d) {
  if (coupling() == Coupling::kSense) {
    Sense(m, d);
  } else if (!Current(d) && pass_ + 1 != PassNumber(d)) {
    touches_.clear();
  }
  return touches_;
}

}  // namespace taxel::mujoco
