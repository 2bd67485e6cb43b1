#include "taxel/mujoco/marker_runtime.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/model_names.h"

namespace taxel::mujoco {
namespace {

void FindPoses(const mjData* d, const MarkerSensor& sensor, std::vector<Pose>* X_PI) {
  const Pose X_PW = Inverse(GeomPose(d, sensor.geom) * sensor.X_GP);
  X_PI->clear();
  for (const MarkerObject& o : sensor.objects) X_PI->push_back(X_PW * GeomPose(d, o.geom));
}

// With gravity_shift the motion stands in place of the weight.
void FindLoads(const mjModel* m, const mjData* d, const MarkerSensor& sensor,
               std::vector<GravityLoad>* loads) {
  loads->clear();
  if (!sensor.settings.sags()) return;
  const Pose X_PW = Inverse(GeomPose(d, sensor.geom) * sensor.X_GP);
  const mjtNum* g = m->opt.gravity;
  const Vec3 down_P = m->opt.disableflags & mjDSBL_GRAVITY ? Vec3{} : X_PW.R * Vec3{g[0], g[1], g[2]};
  const double length = norm(down_P);
  for (const MarkerObject& o : sensor.objects) {
    if (sensor.settings.gravity_shift > 0) {
      loads->push_back({length > 0 ? (sensor.settings.gravity_shift / length) * down_P : Vec3{}, {}});
      continue;
    }
    double mass = 0;
    Vec3 at_W{};
    for (const int b : o.bodies) {
      const double here = m->body_mass[b] * (1 - m->body_gravcomp[b]);
      mass += here;
      at_W += here * Vec3{d->xipos[3 * b], d->xipos[3 * b + 1], d->xipos[3 * b + 2]};
    }
    const double share = sensor.settings.gravity;
    loads->push_back(mass > 0 ? GravityLoad{(share * mass) * down_P, X_PW * (at_W / mass), share < 1}
                              : GravityLoad{});
  }
}

// Too far away to touch.
bool Apart(const MarkerSensor& sensor, const MarkerObject& object, const Pose& X_PI) {
  const Vec3 away = sensor.center_P - X_PI.p;
  if (std::isinf(object.extent)) return dot(away, X_PI.R * Vec3{0, 0, 1}) > sensor.extent;
  const double reach = sensor.extent + object.extent;
  return norm2(away) > reach * reach;
}

}  // namespace

MarkerRuntime::MarkerRuntime(std::shared_ptr<const MarkerScene> scene)
    : scene_(std::move(scene)), scratch_(scene_->sensors().size()) {
  for (std::size_t k = 0; k < scratch_.size(); ++k) {
    const MarkerSensor& sensor = scene_->sensors()[k];
    Scratch& s = scratch_[k];
    s.models.resize(sensor.objects.size());
    s.next.resize(sensor.objects.size());
    s.X_PI.reserve(sensor.objects.size());
    s.total.resize(sensor.markers_P.size());
    s.late.resize(sensor.settings.late() ? sensor.markers_P.size() : 0);
    s.out.resize(sensor.num_data());
    s.from.reserve(sensor.memory().size());
    s.at_rest.assign(sensor.memory().size(), 0.0);
    for (const MarkerObject& o : sensor.objects)
      s.points.push_back(sensor.layer ? sensor.layer->cells().count()
                                      : static_cast<int>(o.indenter->points_I.size()));
    poses_.reserve(std::max(poses_.capacity(), sensor.objects.size()));
  }
}

mjtNum* MarkerRuntime::State(const mjModel* m, mjData* d, const MarkerSensor& sensor) {
  return d->plugin_state + m->plugin_stateadr[sensor.instance] + sensor.state_offset;
}

const mjtNum* MarkerRuntime::Mended(int k, const mjtNum* state) {
  const MarkerSensor& sensor = scene_->sensors()[k];
  Scratch& s = scratch_[k];
  if (sensor.memory().Sane(state, s.points)) return state;
  if (!s.warned_state) {
    s.warned_state = true;
    mju_warning(
        "taxel: mjData.plugin_state of sensor '%s' holds numbers that taxel did not write (of another model, "
        "or damaged): the sensor starts anew; use mj_resetData, or restore a state of this model",
        sensor.name.c_str());
  }
  return s.at_rest.data();
}

bool MarkerRuntime::Due(const MarkerSensor& sensor, mjtNum time, const mjtNum* state) {
  const double rate = sensor.settings.rate;
  if (rate == 0 || !MarkerMemory::Started(state)) return true;
  // Frames lie at whole multiples of 1 / rate; time may also have been set back.
  const auto frame = [&](mjtNum t) { return std::floor(t * rate + 1e-6); };
  return frame(time) != frame(MarkerMemory::Time(state));
}

void MarkerRuntime::LookAt(const MarkerSensor& sensor, int i, const Pose* shift, Scratch* s) {
  const MarkerObject& object = sensor.objects[i];
  MarkerState& next = s->next[i];
  if (Apart(sensor, object, s->X_PI[i])) {
    next.started = true;
    next.X_PI = s->X_PI[i];
    next.ClearPoints();
    return;
  }
  if (!s->models[i]) {
    s->models[i] = MakeMarkerModel(sensor, object);
    for (MarkerState* m : {&next, &s->before}) m->Reserve(static_cast<std::size_t>(s->points[i]));
  }
  s->models[i]->Step(s->before, s->X_PI[i], shift, &next, &s->reading);
  for (std::size_t j = 0; j < s->total.size(); ++j) s->total[j] += s->reading.displacement[j];
  s->force_P += s->reading.force_P;
  s->torque_P += s->reading.torque_P;
}

void MarkerRuntime::FindShifts(const MarkerSensor& sensor, Scratch* s) {
  const std::size_t n = sensor.objects.size();
  s->shifts.assign(n, Pose{});
  for (std::size_t i = 0; i < n; ++i) {
    const auto with = static_cast<std::size_t>(sensor.objects[i].with);
    if (sensor.settings.gravity_shift > 0)
      s->shifts[i].p = s->loads[i].weight_P;
    else if (with < i)
      s->shifts[i] = s->shifts[with];
    if (sensor.settings.gravity_shift > 0 || with < i || sensor.objects[i].bodies.empty()) continue;
    s->patch.points_P.clear(), s->patch.areas.clear();
    GelSprings springs;
    for (std::size_t j = i; j < n; ++j)
      if (sensor.objects[j].with == sensor.objects[i].with && !s->next[j].index.empty())
        springs = s->models[j]->Contact(&s->patch);
    s->shifts[i] = GravityShift(s->loads[i], s->patch, springs);
  }
}

// As TaxelField has it, of the sum over the objects.
void MarkerRuntime::AddCreep(const MarkerSensor& sensor, mjtNum dt, const mjtNum* late, Scratch* s) {
  const TaxelParameters& p = sensor.settings.taxel;
  const double share = -std::expm1(-std::fmax(dt, 0) / p.creep_time);
  for (std::size_t i = 0; i < s->late.size(); ++i) {
    Vec3& u = s->total[i];
    const Vec3 before{late[3 * i], late[3 * i + 1], late[3 * i + 2]};
    s->late[i] = before + share * (u - before);
    u = u + p.creep * (s->late[i] - u);
  }
}

void MarkerRuntime::Look(const mjModel* m, const mjData* d, int k, mjtNum time, const mjtNum* state) {
  const MarkerSensor& sensor = scene_->sensors()[k];
  const MarkerMemory memory = sensor.memory();
  Scratch& s = scratch_[k];
  FindPoses(d, sensor, &poses_);
  FindLoads(m, d, sensor, &loads_);
  const int used = memory.Used(state);
  // Advance takes the time back from that of the next step.
  const bool same_time = !sensor.settings.late() || std::fabs(s.time - time) <= 1e-12 * (1 + std::fabs(time));
  if (s.looked && same_time && poses_ == s.X_PI && loads_ == s.loads &&
      static_cast<int>(s.from.size()) == used && std::equal(s.from.begin(), s.from.end(), state)) {
    s.time = time;
    return;
  }
  s.looked = false;
  s.time = time;
  s.X_PI = poses_;
  s.loads = loads_;
  s.from.assign(state, state + used);
  // With gravity twice: where things touch says how far they sag.
  for (const bool sagged : {false, true}) {
    if (sagged && !sensor.settings.sags()) break;
    if (sagged) FindShifts(sensor, &s);
    std::fill(s.total.begin(), s.total.end(), Vec3{});
    s.force_P = s.torque_P = {};
    int first = 0;
    for (std::size_t i = 0; i < sensor.objects.size(); ++i) {
      memory.Read(state, static_cast<int>(i), &first, &s.before);
      LookAt(sensor, static_cast<int>(i), sagged ? &s.shifts[i] : nullptr, &s);
    }
  }
  const mjtNum dt = MarkerMemory::Started(state) ? time - MarkerMemory::Time(state) : 0;
  if (sensor.settings.late()) AddCreep(sensor, dt, memory.Late(state), &s);
  mjtNum* out = s.out.data();
  for (const Vec3& v : s.total)
    for (int c = 0; c < 3; ++c) *out++ = v[c];
  if (sensor.settings.wrench)
    for (const Vec3& v : {s.force_P, s.torque_P})
      for (int c = 0; c < 3; ++c) *out++ = v[c];
  s.looked = true;
}

bool MarkerRuntime::Read(const mjModel* m, const mjData* d, int k, mjtNum time, const mjtNum* given,
                         mjtNum* out) {
  const MarkerSensor& sensor = scene_->sensors()[k];
  const mjtNum* state = Mended(k, given);
  if (!Due(sensor, time, state)) {
    std::copy_n(sensor.memory().Reading(state), sensor.num_data(), out);
    return false;
  }
  Look(m, d, k, time, state);
  std::copy(scratch_[k].out.begin(), scratch_[k].out.end(), out);
  return true;
}

void MarkerRuntime::Advance(const mjModel* m, const mjData* d, int k, mjtNum time, mjtNum* state) {
  const MarkerSensor& sensor = scene_->sensors()[k];
  if (Mended(k, state) != state) mju_zero(state, sensor.memory().size());
  if (!Due(sensor, time, state)) return;
  // What Read saw counts. Poses are not compared: after RK4 they are those of its last trial step.
  const Scratch& s = scratch_[k];
  const bool seen = s.looked && std::fabs(s.time - time) <= 1e-12 * (1 + std::fabs(time)) &&
                    static_cast<int>(s.from.size()) == sensor.memory().Used(state) &&
                    std::equal(s.from.begin(), s.from.end(), state);
  if (!seen) Look(m, d, k, time, state);  // sensors are switched off
  Commit(k, time, state);
}

void MarkerRuntime::Commit(int k, mjtNum time, mjtNum* state) {
  const MarkerSensor& sensor = scene_->sensors()[k];
  Scratch& s = scratch_[k];
  if (!s.looked) return;
  const MarkerMemory memory = sensor.memory();
  memory.Begin(state, time, s.out, s.late);
  int first = 0;
  bool room = true;
  for (std::size_t i = 0; i < s.next.size(); ++i)
    room &= memory.Append(state, static_cast<int>(i), &first, s.next[i]);
  if (room || s.warned) return;
  s.warned = true;
  mju_warning(
      "taxel: sensor '%s': %d points are inside the gel and there is room for %d, so some start anew each "
      "step; raise capacity (or point_radius, in mode layer cell)",
      sensor.name.c_str(), PointsInside(k), sensor.settings.capacity);
}

void MarkerRuntime::CheckShapes(const mjModel* m) {
  if (warned_shape_) return;
  const auto check = [&](int geom, const Vec3& size) {
    const mjtNum* now = m->geom_size + 3 * geom;
    if (warned_shape_ || (now[0] == size.x && now[1] == size.y && now[2] == size.z)) return;
    warned_shape_ = true;
    mju_warning(
        "taxel: the size of %s changed after the model was compiled; marker sensors keep the old one: "
        "compile "
        "the model again",
        GeomName(m, geom).c_str());
  };
  for (const MarkerSensor& s : scene_->sensors()) {
    check(s.geom, s.size);
    for (const MarkerObject& o : s.objects) check(o.geom, o.size);
  }
}

int MarkerRuntime::PointsInside(int k) const {
  int count = 0;
  for (const MarkerState& s : scratch_[k].next) count += static_cast<int>(s.index.size());
  return count;
}

}  // namespace taxel::mujoco
