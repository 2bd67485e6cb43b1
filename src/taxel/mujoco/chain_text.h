// The signal chains of a sensor in words, for engines that run them elsewhere (mujoco/scene_text.h).
//
//   unit, trivial, hysteresis [width, scale], creep [[amount, tau] ...], drift_offset, noise_mean, noise_std,
//   quantum, crosstalk, crosstalk_rows, rate, delay, jitter, jitter_stream, frames,
//   spread {begin, from, weight} and neighbours (a list a taxel), both empty where there are none
//   channels   of pressure and the two of shear, as far as they are told: {gains, offsets, drift, no_load,
//              defects [[taxel, value] ...], noise_stream, walk_stream, lo, hi, zero, sign}
// Streams are whole numbers of 64 bits, as text. lo, hi: null where nothing ends.
#pragma once

#include "taxel/mujoco/json_text.h"
#include "taxel/mujoco/skin_sensor.h"

namespace taxel::mujoco {

/// Adds the key "chain" to an open object.
void AddChains(const SkinSensor& sensor, Json* out);

}  // namespace taxel::mujoco
