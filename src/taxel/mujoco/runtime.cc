#include "taxel/mujoco/runtime.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "taxel/contact/bristle_law.h"
#include "taxel/math/check_rigid.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/geom_body.h"
#include "taxel/mujoco/handle.h"
#include "taxel/mujoco/rows.h"

namespace taxel::mujoco {
namespace {

int SolverNumber(const mjData* d) { return d->timer[mjTIMER_CONSTRAINT].number; }

int PassNumber(const mjData* d) { return d->timer[mjTIMER_POS_COLLISION].number; }

// As MuJoCo orders a pair: by type, then by number.
std::pair<int, int> Ordered(const mjModel* m, int g1, int g2) {
  return m->geom_type[g1] <= m->geom_type[g2] ? std::pair(g1, g2) : std::pair(g2, g1);
}

// Friction of a block of bristles, about the present velocity.
AffineRow AffineRowOf(const PatchBlock& block, const FrictionBlock& f, const Vec3& at, const Vec3& velocity) {
  AffineRow row;
  const Vec3 along = Tangential(f.along_W, block.n_W);
  // Axes that do not turn with the noise of a body at rest.
  if (norm(along) > 0.5 && f.along_damping < 0.999 * f.damping) {
    row.t1 = normalized(along);
    row.t2 = cross(block.n_W, row.t1);
  } else {
    MakeFrame(block.n_W, &row.t1, &row.t2);
  }
  row.p_W = at;
  row.slope[0] = f.along_damping;
  row.slope[1] = f.damping;
  row.bound = f.bound;
  row.force[0] = dot(f.force_W, row.t1), row.force[1] = dot(f.force_W, row.t2);
  row.velocity[0] = dot(velocity, row.t1), row.velocity[1] = dot(velocity, row.t2);
  return row;
}

// A block on the flank of a patch loses its force faster when the body leaves along the mean normal m than
// along the block's own n: by k c - s . (m - c n) over c a metre along n, with c = n . m and s the slope
// within the face. A step that leaps out of a deep overlap needs the whole of it, or the flanks throw the
// body out faster than it came. What is to be added to k, three times k at most.
double ExitStiffness(const Patch& patch, const PatchBlock& block) {
  const double c = dot(block.n_W, patch.mean_normal);
  if (c < 0.3) return 0;
  const double more = -dot(block.slope_W, patch.mean_normal - c * block.n_W) / c;
  return std::clamp(more, 0.0, 3 * block.stiffness);
}

constexpr double kExplicitLimit = 0.25;   // of h^2 k / m
constexpr double kCoreAcceleration = 20;  // m/s2: what starts from rest is foreseen up to twice gravity

// The block whose point is nearest to p.
int NearestBlock(const Patch& patch, const Vec3& p) {
  int nearest = -1;
  for (std::size_t b = 0; b < patch.blocks.size(); ++b)
    if (nearest < 0 || norm2(patch.blocks[b].p_W - p) < norm2(patch.blocks[nearest].p_W - p))
      nearest = static_cast<int>(b);
  return nearest;
}

bool ByGeoms(const Touch* a, const Touch* b) {
  return a->geom1 != b->geom1 ? a->geom1 < b->geom1 : a->geom2 < b->geom2;
}

}  // namespace

int plugin_slot = -1;

Runtime* FindRuntime(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nplugin; ++i) {
    if (m->plugin[i] != plugin_slot) continue;
    if (Runtime* runtime = RuntimeOf(d, d->plugin_data[i])) return runtime;
    if (d->plugin_data[i] == 0) return nullptr;
    // Copied bit by bit from another mjData (pickled): it gets its own.
    try {
      d->plugin_data[i] = AddRuntime(d, std::make_unique<Runtime>(Scene::Of(m), i));
    } catch (const std::exception& e) {
      mju_warning("taxel: %s", e.what());
      d->plugin_data[i] = 0;
    }
    return RuntimeOf(d, d->plugin_data[i]);
  }
  return nullptr;
}

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

bool SavedState::Append(int key, const AnchorState& state) {
  const int i = count();
  if (i >= capacity()) return false;
  mjtNum* s = slot(i);
  s[0] = key, s[1] = state.partner, s[2] = state.normal_force, s[3] = state.elastic_force;
  s[4] = state.stretch_O.x, s[5] = state.stretch_O.y, s[6] = state.stretch_O.z;
  data_[1] = i + 1;
  return true;
}

int SavedState::Read(int i, AnchorState* state) const {
  constexpr double kMost = 1e15;  // N and m: no contact has more
  const mjtNum* s = slot(i);
  const auto within = [](mjtNum x, double low, double high) { return x >= low && x <= high; };  // no for NaN
  bool good = within(s[0], 0, 1e9) && within(s[1], 0, 1e9);
  for (int k = 2; k < kPerAnchor; ++k) good = good && within(s[k], -kMost, kMost);
  if (!good) return -1;
  state->partner = s[1], state->normal_force = s[2], state->elastic_force = s[3];
  state->stretch_O = {s[4], s[5], s[6]};
  return static_cast<int>(s[0]);
}

bool SavedState::MetricKnown() const {
  return std::all_of(data_ + 2, data_ + 2 + nv_, [](mjtNum x) { return std::fabs(x) <= 1e30; });
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
  for (int i = 0; i < state.count(); ++i) {
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

void Runtime::CollidePair(const mjModel* m, mjData* d, int geom1, int geom2) {
  try {
    Touch* touch = NewTouch();
    if (Find(m, d, geom1, geom2, touch)) {
      touch->model->BuildPatch(Context(m, d), touch);
    } else {
      touch->patch.Clear();
    }
    FindCore(m, d, touch);
    if (coupling() == Coupling::kExplicit) LimitExplicit(m, d, touch);
    // Bristles may be pressed beyond their length and push no more: that is still told.
    const bool saturated = touch->model == &BristleTouch() && touch->bristles.num_saturated() > 0;
    if (touch->patch.blocks.empty() && touch->core.empty() && !saturated) return;
    touch->block_normal_force.assign(touch->patch.blocks.size(), 0.0);
    touch->block_friction.assign(touch->patch.blocks.size(), Vec3{});
    touch->wrench = touch->normal = {};
    touch->friction_force = {};
    if (coupling() == Coupling::kRows) AddRows(m, d, touch);
    AddCoreRows(m, d, touch);
    touches_.insert(std::upper_bound(touches_.begin(), touches_.end(), touch, ByGeoms), touch);
  } catch (const std::exception& e) {
    mju_warning("taxel: %s with %s: %s", GeomName(m, geom1).c_str(), GeomName(m, geom2).c_str(), e.what());
  }
}

namespace {

RowContext RowContextOf(const mjModel* m, int body1, int body2) {
  RowContext c;
  c.step = m->opt.timestep;
  c.impratio = m->opt.impratio;
  c.inverse_mass = std::max(m->body_invweight0[2 * body1] + m->body_invweight0[2 * body2], double(mjMINVAL));
  c.discrete = m->opt.integrator == mjINT_DISCRETE;
  return c;
}

int AddContact(const mjModel* m, mjData* d, const Touch& touch, mjContact con) {
  con.geom[0] = con.geom1 = touch.geom1;
  con.geom[1] = con.geom2 = touch.geom2;
  const int at = d->ncon;
  return mj_addContact(m, d, &con) == 0 ? at : -1;
}

}  // namespace

void Runtime::FindCore(const mjModel* m, mjData* d, Touch* touch) {
  // What the fastest point of the patch covers in a step, and a little more for what accelerates it.
  const RelativeMotion v =
      RelativeBodyMotion(m, d, m->geom_bodyid[touch->geom1], m->geom_bodyid[touch->geom2]);
  double speed = 0;
  for (const PatchBlock& b : touch->patch.blocks) speed = std::max(speed, norm(v(b.p_W)));
  if (touch->patch.blocks.empty()) speed = norm(v(GeomPose(d, touch->owner).p));
  const double h = m->opt.timestep;
  touch->model->FindCore(Context(m, d), 2 * h * speed + kCoreAcceleration * h * h, touch);
}

void Runtime::LimitExplicit(const mjModel* m, const mjData* d, Touch* touch) {
  // Forces of the present pose are stable up to h^2 k / m = 4 for one spring; a quarter of a period is left
  // for what k and m hide (rotation about other axes, other contacts).
  const int bodies[2] = {m->geom_bodyid[touch->geom1], m->geom_bodyid[touch->geom2]};
  double lightest = mjMINVAL;
  for (const PatchBlock& b : touch->patch.blocks) {
    double A = 0;
    for (int body : bodies) {
      const mjtNum* c = d->xipos + 3 * body;
      A += m->body_invweight0[2 * body] +
           m->body_invweight0[2 * body + 1] * norm2(b.p_W - Vec3{c[0], c[1], c[2]});
    }
    lightest = std::max(lightest, A);
  }
  const double h = m->opt.timestep, most = kExplicitLimit / (h * h * lightest);
  touch->most_damping = h * most;
  if (touch->patch.stiffness <= most) return;
  if (touch->model == &PressureTouch()) {
    const double factor = most / touch->patch.stiffness;
    touch->patch.Scale(factor, factor);
  }
  scene_->WarnOnce("coupling=\"explicit\": " + GeomName(m, touch->geom1) + " with " +
                   GeomName(m, touch->geom2) + ": the contact is stiffer than a step of " + ToText(h) +
                   " s can carry and is softened to what it can; shorten the step, or use coupling=\"rows\"");
}

void Runtime::AddCoreRows(const mjModel* m, mjData* d, Touch* touch) {
  const RowContext c = RowContextOf(m, m->geom_bodyid[touch->geom1], m->geom_bodyid[touch->geom2]);
  touch->core_contact.assign(touch->core.size(), -1);
  touch->core_wrench = {};
  for (std::size_t i = 0; i < touch->core.size(); ++i) {
    const CoreTouch& core = touch->core[i];
    touch->core_contact[i] = AddContact(m, d, *touch, MakeCoreContact({core.p_W, core.n_W, core.gap}, c));
  }
}

void Runtime::AddRows(const mjModel* m, mjData* d, Touch* touch) {
  const int body1 = m->geom_bodyid[touch->geom1], body2 = m->geom_bodyid[touch->geom2];
  SavedState state = State(m, d);
  const RelativeMotion v = RelativeBodyMotion(m, d, body1, body2);
  const std::vector<FrictionBlock>& friction = touch->model->Friction(
      Context(m, d), v, state.started() ? PatchFriction::Bound::kLagged : PatchFriction::Bound::kElastic,
      touch);

  const RowContext c = RowContextOf(m, body1, body2);
  const double theta = Implicitness(c.step, touch->patch.stiffness, c.inverse_mass);
  const double steeper = 2 * theta - 1;  // only where the step does not resolve the contact
  const int blocks = static_cast<int>(touch->patch.blocks.size());
  touch->normal_contact.assign(blocks, -1);
  touch->tangent_contact.assign(blocks, -1);
  const auto add = [&](const mjContact& con) { return AddContact(m, d, *touch, con); };
  if (c.discrete && (!state.started() || !state.MetricKnown())) GuessDiscreteMetric(m, state.metric());
  for (int b = 0; b < blocks; ++b) {
    const PatchBlock& block = touch->patch.blocks[b];
    const double stiffness = block.stiffness + steeper * ExitStiffness(touch->patch, block);
    NormalRow row{block.p_W, block.n_W, block.force, stiffness, 0};
    row.damping = touch->parameters.dissipation * block.damping_share * block.force + block.damping;
    row.implicitness = theta;
    row.sliding_rate = stiffness / block.stiffness * dot(block.slope_W, v(block.p_W));
    row.normal_velocity = dot(block.n_W, v(block.p_W));
    if (c.discrete) row.rho = DiscreteDiagonalRatio(m, d, state.metric(), body1, body2, block.p_W, block.n_W);
    touch->normal_contact[b] = add(MakeNormalContact(row, c));
  }
  for (int b = 0; b < blocks; ++b) {
    const PatchBlock& block = touch->patch.blocks[b];
    const FrictionBlock& f = friction[b];
    if (!(f.bound > 0) || !(f.stiffness > 0 || (f.affine && f.damping > 0))) continue;
    const Vec3 vb = v(block.p_W);
    if (f.affine && norm(f.force_W) < f.bound) {
      const Vec3 at = block.p_W + f.sliding * (block.slip_W - block.p_W);
      touch->tangent_contact[b] = add(MakeAffineContact(AffineRowOf(block, f, at, vb), c));
      continue;
    }
    TangentRow row;
    MakeFrame(block.n_W, &row.t1, &row.t2);
    row.stiffness = f.stiffness;
    row.damping = f.damping;
    row.bound = f.bound;
    Vec3 stretch = f.stretch_W;
    if (f.affine) {
      // Any stiffness up to G / h stands for the same force at zero velocity.
      row.stiffness = std::clamp(f.stiffness, 1e-3 * f.damping / c.step, f.damping / c.step);
      stretch = (f.force_W - f.damping * Tangential(vb, block.n_W)) / row.stiffness;
    }
    row.stretch[0] = dot(stretch, row.t1), row.stretch[1] = dot(stretch, row.t2);
    row.velocity[0] = dot(vb, row.t1), row.velocity[1] = dot(vb, row.t2);
    row.p_W = PredictsSlip(row, c) ? block.slip_W : block.p_W;
    touch->tangent_contact[b] = add(MakeTangentContact(row, c));
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
    ReadCoreRows(d, touch);
    if (coupling() == Coupling::kRows) touch->model->TakeRows(touch);
  }
}

namespace {

// The row of a contact of this touch, or -1.
int RowOf(const mjData* d, const Touch& touch, int contact) {
  if (contact < 0 || contact >= d->ncon) return -1;
  const mjContact& con = d->contact[contact];
  return con.geom[0] == touch.geom1 && con.geom[1] == touch.geom2 ? con.efc_address : -1;
}

}  // namespace

void Runtime::ReadRows(mjData* d, Touch* touch) {
  touch->wrench = touch->normal = {};
  touch->friction_force = {};
  for (std::size_t b = 0; b < touch->patch.blocks.size(); ++b) {
    const PatchBlock& block = touch->patch.blocks[b];
    touch->block_normal_force[b] = 0;
    touch->block_friction[b] = {};
    if (const int row = RowOf(d, *touch, touch->normal_contact[b]); row >= 0)
      touch->block_normal_force[b] = d->efc_force[row];
    if (const int row = RowOf(d, *touch, touch->tangent_contact[b]); row >= 0) {
      const mjContact& con = d->contact[touch->tangent_contact[b]];
      const double f1 = d->efc_force[row + 1], f2 = d->efc_force[row + 2];
      touch->block_friction[b] = {f1 * con.frame[3] + f2 * con.frame[6],
                                  f1 * con.frame[4] + f2 * con.frame[7],
                                  f1 * con.frame[5] + f2 * con.frame[8]};
      const Vec3 at{con.pos[0], con.pos[1], con.pos[2]};  // where it slides, that is not the block's
      AddForce(&touch->wrench, touch->block_friction[b], at);
      // Its row acts on nothing; left in place it would count as normal force in mj_contactForce and
      // sensors.
      d->efc_force[row] = 0;
    }
    AddForce(&touch->wrench, touch->block_normal_force[b] * block.n_W, block.p_W);
    AddForce(&touch->normal, touch->block_normal_force[b] * block.n_W, block.p_W);
    touch->friction_force += touch->block_friction[b];
  }
}

void Runtime::ReadCoreRows(mjData* d, Touch* touch) {
  touch->core_wrench = {};
  for (std::size_t i = 0; i < touch->core.size(); ++i) {
    const int row = RowOf(d, *touch, touch->core_contact[i]);
    if (row < 0 || !(d->efc_force[row] > 0)) continue;
    const CoreTouch& core = touch->core[i];
    const Vec3 force = d->efc_force[row] * core.n_W;
    AddForce(&touch->core_wrench, force, core.p_W);
    // Friction and readings know the force of blocks; what the core holds is felt by the one in front of it.
    const int b = NearestBlock(touch->patch, core.p_W);
    if (b >= 0 && coupling() == Coupling::kRows)
      touch->block_normal_force[b] += std::max(0.0, dot(force, touch->patch.blocks[b].n_W));
  }
  touch->wrench = {touch->wrench.force + touch->core_wrench.force,
                   touch->wrench.torque + touch->core_wrench.torque};
  touch->normal = {touch->normal.force + touch->core_wrench.force,
                   touch->normal.torque + touch->core_wrench.torque};
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

SkinLoad Runtime::LoadOf(const mjModel* m, const mjData* d, Touch* touch, const SkinSensor& skin) const {
  return touch->model->Load(Context(m, d), coupling() == Coupling::kSense, skin, touch);
}

bool Runtime::PosesKnown(const mjModel* m, const mjData* d) {
  for (int g = 0; g < m->ngeom; ++g)
    if (d->geom_xmat[9 * g] != 0 || d->geom_xmat[9 * g + 1] != 0 || d->geom_xmat[9 * g + 2] != 0) return true;
  return false;
}

void Runtime::CheckPoses(const mjModel* m, const mjData* d) {
  if (!PosesKnown(m, d))
    throw Error("the geoms have no poses yet; call mujoco.mj_forward(model, data) first");
  for (int g = 0; g < m->ngeom; ++g)
    if (!PoseIsRigid(d, g)) CheckRigid(GeomPose(d, g), "the pose of " + GeomName(m, g));
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
