// What reads a plain mjData from outside (c_api.h), with a memory of its own.
#pragma once

#include <memory>
#include <vector>

#include "taxel/mujoco/marker_runtime.h"
#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {

/// What a marker sensor of a reader remembers; a reader has no plugin_state and sees no end of a step.
struct ReaderMarkers {
  std::vector<double> state;
  double time = 0;       ///< of the last reading
  bool pending = false;  ///< it is not in the state yet
};

struct Reader {
  std::unique_ptr<Runtime> runtime;
  const std::vector<Touch*>* touches = nullptr;
  std::vector<std::vector<double>> skin_state;  ///< the signal chains of its tactile sensors
  std::unique_ptr<MarkerRuntime> markers;
  std::vector<ReaderMarkers> marker_state;
};

}  // namespace taxel::mujoco
