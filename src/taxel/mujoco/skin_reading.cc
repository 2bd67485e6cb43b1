#include "taxel/mujoco/skin_reading.h"

#include <algorithm>

#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/geom_layout.h"

namespace taxel::mujoco {
namespace {

void WriteTruth(const mjModel* m, const mjData* d, const SkinSensor& sensor, int presser,
                const SkinReading& felt, mjtNum* out) {
  mju_zero(out, SkinOutputs::kTruth);
  if (presser < 0) return;
  const Pose X_WS = GeomPose(d, sensor.geom) * sensor.X_GS;
  const Vec3 center = Inverse(sensor.X_GS) * felt.center_G;
  for (int k = 0; k < 3; ++k) out[k] = center[k];
  out[3] = felt.area;
  out[4] = felt.normal_load;
  const Pose X_SO = Inverse(X_WS) * (GeomPose(d, presser) * DrawnFrame(m, presser));
  for (int k = 0; k < 3; ++k) out[5 + k] = X_SO.p[k];
  mju_mat2Quat(out + 8, X_SO.R.m);
  if (out[8] < 0) mju_scl(out + 8, out + 8, -1, 4);
}

}  // namespace

SkinReadings::Scratch& SkinReadings::ScratchOf(int k) {
  if (k >= static_cast<int>(scratch_.size())) scratch_.resize(k + 1);
  return scratch_[k];
}

void SkinReadings::Feel(const mjData* d, const SkinSensor& sensor, const SkinTouches& touches,
                        SkinReading* felt) {
  const SkinWants wants{sensor.outputs.shear, sensor.outputs.slip, sensor.outputs.saturated};
  sensor.skin->Read(touches.loads.data(), static_cast<int>(touches.loads.size()), GeomPose(d, sensor.geom),
                    wants, &workspace_, felt);
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

bool SkinReadings::Looks(const SkinSensor& sensor, mjtNum time, const mjtNum* state, bool fresh) {
  if (fresh) return true;
  if (sensor.on_demand || Paused(state)) return false;
  return sensor.chains.empty() || sensor.chains[0].SampleDue(time, state + SkinSensor::kPaused);
}

void SkinReadings::Read(const mjModel* m, const mjData* d, const SkinSensor& sensor, int k,
                        const SkinTouches* touches, const mjtNum* state, bool fresh, mjtNum* out) {
  Scratch& s = ScratchOf(k);
  if (!fresh && (sensor.on_demand || Paused(state))) return;
  const int n = sensor.skin->count();
  const mjtNum* chain_state = state + SkinSensor::kPaused;
  if (touches) {
    Feel(d, sensor, *touches, &s.felt);
    s.SetRaw(sensor);
    s.has = true;
  }
  s.time = d->time;
  s.pending = true;
  const int size = sensor.chain_state_size();
  for (std::size_t c = 0; c < sensor.chains.size(); ++c) {
    const int channel = static_cast<int>(c) + (sensor.outputs.pressure ? 0 : 1);
    sensor.chains[c].Output(d->time, touches ? s.raw[channel].data() : nullptr, chain_state + c * size, out);
    out += n;
  }
  if (!touches) return;
  if (sensor.outputs.slip) {
    std::copy(s.felt.slip.begin(), s.felt.slip.end(), out);
    out += n;
  }
  if (sensor.outputs.saturated) {
    std::copy(s.felt.saturated.begin(), s.felt.saturated.end(), out);
    out += n;
  }
  if (sensor.outputs.truth) WriteTruth(m, d, sensor, touches->presser, s.felt, out);
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

void SkinReadings::Look(const mjData* d, const SkinSensor& sensor, int k, const SkinTouches& touches) {
  // Not the raw values: they wait for Advance.
  Scratch& s = ScratchOf(k);
  Feel(d, sensor, touches, &s.felt);
  s.has = true;
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
