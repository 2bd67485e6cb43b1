// Readings of the tactile sensors of one mjData.
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "taxel/mujoco/skin_sensor.h"
#include "taxel/skin/skin.h"

namespace taxel::mujoco {

/// What touches the geom of a sensor now.
struct SkinTouches {
  std::vector<SkinLoad> loads;
  int presser = -1;  ///< the geom that pushes hardest; -1: none
};

/// Scratch of the tactile sensors of a runtime. What must survive a step is in `state` arrays that the caller
/// owns (plugin_state).
class SkinReadings {
 public:
  /// Whether Read needs to know what touches: not where the sensor is paused or read on demand, or no sample
  /// is due, unless a `fresh` reading is asked for.
  static bool Looks(const SkinSensor& sensor, mjtNum time, const mjtNum* state, bool fresh);
  /// Reads sensor k into out (num_data() numbers). touches: null where Looks is false; numbers that are not
  /// due then keep their last value. state: its numbers of saved state, not changed.
  void Read(const mjModel* m, const mjData* d, const SkinSensor& sensor, int k, const SkinTouches* touches,
            const mjtNum* state, bool fresh, mjtNum* out);
  /// Only feels: for pictures, which must not change what comes later.
  void Look(const mjData* d, const SkinSensor& sensor, int k, const SkinTouches& touches);
  /// Moves the signal chain of sensor k past the step whose reading was the last one.
  void Advance(const SkinSensor& sensor, int k, mjtNum* state);
  /// For a reader, which sees no end of a step: moves the chain past the last reading once time has gone on,
  /// so that asking twice changes nothing. Where time went back the chain starts anew.
  void CatchUp(const SkinSensor& sensor, int k, mjtNum time, std::vector<double>* state);
  /// Forgets the last readings, or takes those of another data of the same model.
  void Reset() { scratch_.clear(); }
  void CopyStep(const SkinReadings& other) { scratch_ = other.scratch_; }
  /// What the last reading felt, before the signal chain. Empty before the first one.
  const SkinReading& felt(int k) const { return scratch_[k].felt; }
  bool Has(int k) const { return k < static_cast<int>(scratch_.size()) && scratch_[k].has; }

  /// Sets a state that taxel did not write to that of a sensor at rest, and warns of it once.
  void Mend(const SkinSensor& sensor, mjtNum* state);

  static bool Paused(const mjtNum* state) { return state[0] != 0; }
  static void SetPaused(mjtNum* state, bool paused) { state[0] = paused; }

 private:
  struct Scratch {
    SkinReading felt;
    std::vector<double> raw[3];
    mjtNum time = 0;
    bool has = false, pending = false;
    void SetRaw(const SkinSensor& sensor);  // what the chains are given, from what was felt
  };
  Scratch& ScratchOf(int k);
  void Feel(const mjData* d, const SkinSensor& sensor, const SkinTouches& touches, SkinReading* felt);

  std::vector<Scratch> scratch_;
  SkinWorkspace workspace_;
  bool warned_state_ = false;
};

}  // namespace taxel::mujoco
