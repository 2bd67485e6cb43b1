#include "taxel/mujoco/skin_reading.h"

#include <algorithm>

#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/geom_layout.h"
#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {
namespace {

void WriteTruth(const mjModel* m, const mjData* d, const SkinSensor& sensor,
                const std::vector<Touch*>& touches, const SkinReading& felt, mjtNum* out) {
  mju_zero(out, SkinOutputs::kTruth);
  const Pose X_WS = GeomPose(d, sensor.geom) * sensor.X_GS;
  const Touch* hardest = nullptr;
  for (const Touch* t : touches) {
    if (t->geom1 != sensor.geom && t->geom2 != sensor.geom) continue;
    if (!hardest || norm2(t->normal.force) > norm2(hardest->normal.force)) hardest = t;
  }
  if (!hardest) return;
  const Vec3 center = Inverse(sensor.X_GS) * felt.center_G;
  for (int k = 0; k < 3; ++k) out[k] = center[k];
  out[3] = felt.area;
  out[4] = felt.normal_load;
  const int other = hardest->geom1 == sensor.geom ? hardest->geom2 : hardest->geom1;
  const Pose X_SO = Inverse(X_WS) * (GeomPose(d, other) * DrawnFrame(m, other));
  for (int k = 0; k < 3; ++k) out[5 + k] = X_SO.p[k];
  mju_mat2Quat(out + 8, X_SO.R.m);
  if (out[8] < 0) mju_scl(out + 8, out + 8, -1, 4);
}

}  // namespace

void SkinReadings::Feel(const mjModel* m, mjData* d, Runtime* runtime, const SkinSensor& sensor,
                        SkinReading* felt) {
  loads_.clear();
  const SkinWants wants{sensor.outputs.shear, sensor.outputs.slip, sensor.outputs.saturated};
  for (Touch* t : runtime->Touches(m, d))
    if (t->geom1 == sensor.geom || t->geom2 == sensor.geom)
      loads_.push_back(runtime->LoadOf(m, d, t, sensor));
  sensor.skin->Read(loads_.data(), static_cast<int>(loads_.size()), GeomPose(d, sensor.geom), wants,
                    &workspace_, felt);
}

void SkinReadings::Scratch::SetRaw(const SkinSensor& sensor) {
  const int n = sensor.skin->count();
  const std::vector<double>& areas = sensor.skin->layout().areas;
  raw[0].assign(felt.values.begin(), felt.values.end());
  // The chain takes Pa; an aggregate in N is turned back for it.
  if (sensor.skin->options().aggregate == Aggregate::kForce)
    for (int i = 0; i < n; ++i) raw[0][i] /= areas[i];
  for (int c = 1; c < 3; ++c) {
    raw[c].assign(sensor.outputs.shear ? n : 0, 0.0);
    for (std::size_t i = 0; i < raw[c].size(); ++i)
      raw[c][i] = (c == 1 ? felt.forces[i].x : felt.forces[i].y) / areas[i];
  }
}

void SkinReadings::Read(const mjModel* m, mjData* d, Runtime* runtime, int k, const mjtNum* state, bool fresh,
                        mjtNum* out) {
  const std::vector<SkinSensor>& all = runtime->scene().skins();
  scratch_.resize(all.size());
  const SkinSensor& sensor = all[k];
  Scratch& s = scratch_[k];
  if (!fresh && (sensor.on_demand || Paused(state))) return;
  const int n = sensor.skin->count();
  const mjtNum* chain_state = state + SkinSensor::kPaused;
  const bool due = sensor.chains.empty() || sensor.chains[0].SampleDue(d->time, chain_state);
  if (due || fresh) {
    Feel(m, d, runtime, sensor, &s.felt);
    s.SetRaw(sensor);
    s.has = true;
  }
  s.time = d->time;
  s.pending = true;
  const int size = sensor.chain_state_size();
  for (std::size_t c = 0; c < sensor.chains.size(); ++c) {
    const int channel = static_cast<int>(c) + (sensor.outputs.pressure ? 0 : 1);
    sensor.chains[c].Output(d->time, due || fresh ? s.raw[channel].data() : nullptr, chain_state + c * size,
                            out);
    out += n;
  }
  if (!due && !fresh) return;
  if (sensor.outputs.slip) {
    std::copy(s.felt.slip.begin(), s.felt.slip.end(), out);
    out += n;
  }
  if (sensor.outputs.saturated) {
    std::copy(s.felt.saturated.begin(), s.felt.saturated.end(), out);
    out += n;
  }
  if (sensor.outputs.truth) WriteTruth(m, d, sensor, runtime->last_touches(), s.felt, out);
}

void SkinReadings::Mend(const SkinSensor& sensor, mjtNum* state) {
  bool sane = state[0] == 0 || state[0] == 1;
  for (std::size_t c = 0; c < sensor.chains.size(); ++c)
    sane = sane && sensor.chains[c].Sane(state + SkinSensor::kPaused + c * sensor.chain_state_size());
  if (sane) return;
  mju_zero(state, sensor.state_size);
  if (warned_state_) return;
  warned_state_ = true;
  mju_warning(
      "taxel: mjData.plugin_state of sensor '%s' holds numbers that taxel did not write (of another model, "
      "or "
      "damaged): the sensor starts anew; use mj_resetData, or restore a state of this model",
      sensor.name.c_str());
}

void SkinReadings::Look(const mjModel* m, mjData* d, Runtime* runtime, int k) {
  scratch_.resize(runtime->scene().skins().size());
  if (!PoseIsRigid(d, runtime->scene().skins()[k].geom)) return;
  // Not the raw values: they wait for Advance.
  Feel(m, d, runtime, runtime->scene().skins()[k], &scratch_[k].felt);
  scratch_[k].has = true;
}

void SkinReadings::CatchUp(const SkinSensor& sensor, int k, mjtNum time, std::vector<double>* state) {
  if (k >= static_cast<int>(scratch_.size()) || !scratch_[k].pending) return;
  if (time > scratch_[k].time) Advance(sensor, k, state->data());
  if (time < scratch_[k].time) {
    std::fill(state->begin(), state->end(), 0.0);
    scratch_[k].pending = false;
  }
}

void SkinReadings::Advance(const SkinSensor& sensor, int k, mjtNum* state) {
  if (k >= static_cast<int>(scratch_.size()) || !scratch_[k].pending) return;
  Scratch& s = scratch_[k];
  s.pending = false;
  mjtNum* chain_state = state + SkinSensor::kPaused;
  const int size = sensor.chain_state_size();
  for (std::size_t c = 0; c < sensor.chains.size(); ++c) {
    const int channel = static_cast<int>(c) + (sensor.outputs.pressure ? 0 : 1);
    mjtNum* own = chain_state + c * size;
    const bool due = sensor.chains[c].SampleDue(s.time, own);
    sensor.chains[c].Advance(s.time, due ? s.raw[channel].data() : nullptr, own);
  }
}

}  // namespace taxel::mujoco
