// From what a taxel feels to what the device says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taxel/skin/description.h"
#include "taxel/skin/layout.h"

namespace taxel {

enum class Unit {
  kPascal,
  kNewton,
  kCounts,  ///< what an analogue-digital converter gives; needs full_scale and bits
};

/// Every stage is off by default. The order is that of the members: the load goes through the cover
/// (spread), the material (hysteresis, creep), the cell (gain, offset, drift), the wiring (crosstalk), the
/// amplifier (noise, saturation), the converter (quantisation), defects (dead, stuck), and the line (rate, delay,
/// jitter).
struct ChainOptions {
  Unit unit = Unit::kPascal;
  // (the helper fills in the stages)
};

}  // namespace taxel
