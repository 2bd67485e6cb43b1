// What a tactile device does to the pressure on its cells, as plain numbers: every stage of the signal chain.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "taxel/skin/description.h"

namespace taxel {

enum class Unit {
  kPascal,
  kNewton,  ///< pressure times the area of the cell
  kCounts,  ///< what an analogue-digital converter gives; needs full_scale and bits
};

/// Every stage is off by default. The order is that of the members: the load goes through the cover (spread),
/// the material (hysteresis, creep), the cell (gain, offset, drift), the wiring (crosstalk), the amplifier
/// (noise, saturation), the converter (quantisation), defects (dead, stuck), and the line (rate, delay,
/// jitter).
///
/// With x the mean pressure of a cell, u the unit's factor (1, area, or codes per Pa), t the time in hours
/// and N a normal random number of its own:
///
///     p = spread(x)                                        Pa
///     h = hysteresis(p)                                    Pa
///     m = h + sum_j amount_j z_j,  tau_j dz_j/dt = h - z_j  Pa
///     s = gain max(0, 1 + drift t) u m + offset + walk(t)  unit
///     c = s + crosstalk sum(neighbours) + crosstalk_rows mean(same row and column)
///     v = clamp(c + noise_mean + noise_std N, saturation)
///     reading = code or multiple of the quantum nearest to v; dead and stuck taxels: constant
///
/// and the reading is taken every 1/rate and told `delay` later.
///
/// "In the unit" means Pa, N or counts. Counts before the converter are counts of load: 0 without load, and
/// rising with it even where the code is inverted. The no-load value of a taxel is its reading without load,
/// noise and drift; its offset and the mean of the noise are in it.
struct ChainOptions {
  std::string where = "signal chain";  ///< opens every message

  Unit unit = Unit::kPascal;  ///< key `unit`: Pa, N or counts

  // --- Cover ---

  /// Key `spread`, m: standard deviation of the Gaussian by which the cover spreads a load. Keeps the load
  /// (sum of pressure times area), and a uniform pressure stays uniform (skin/point_spread.h). 0 to 1.
  double spread = 0;

  // --- Material: loads in Pa, whatever the unit ---

  /// Key `hysteresis`, "width scale": when the load goes from 0 to `scale` (Pa) and back, again and again,
  /// the two branches lie width * scale apart in the middle, one above and one below the true load; a smaller
  /// swing has a loop in proportion. After a load of scale/2 or more is gone, width * scale / 2 stays as
  /// residual. Rate independent (skin/hysteresis.h). Width 0 to 0.24, scale > 0.
  double hysteresis_width = 0;
  double hysteresis_scale = 0;

  /// Key `creep`, "amount tau", at most three pairs: under a constant load from rest the reading is
  /// load (1 + sum amount (1 - exp(-t/tau))), and it recovers in the same way. tau in s, > 0. Amount -0.9 to
  /// 10, negative where the reading sinks under load; their sum at least -0.9. The load of a step counts as
  /// constant until the next one; for that the integration is exact.
  struct Creep {
    double amount = 0;
    double tau = 0;
    friend bool operator==(const Creep&, const Creep&) = default;
  };
  std::vector<Creep> creep;

  // --- Cell ---

  /// Key `gain`: standard deviation of the gains of the taxels, mean 1. Log-normal, so that none is negative.
  /// 0 to 1. Key `gains` instead: the gains, one a taxel or one for all, 0 to 1000.
  double gain_std = 0;
  std::vector<double> gains;

  /// Key `offset`, "mean std" in the unit: normal, one a taxel. Key `offsets` instead: the offsets, one a
  /// taxel or one for all.
  double offset_mean = 0;
  double offset_std = 0;
  std::vector<double> offsets;

  /// Key `drift`, "per_hour [std]": relative change of the sensitivity per hour of simulated time since time
  /// 0, with the spread of it from taxel to taxel. -100 to 100; std 0 to 100. No sensitivity falls below 0.
  double drift_per_hour = 0;
  double drift_std = 0;

  /// Key `drift_offset`, unit per sqrt(hour): each offset walks at random; after t hours of samples the
  /// standard deviation is drift_offset sqrt(t). One step of the walk a sample, kept in the state.
  double drift_offset = 0;

  // --- Wiring ---

  /// Key `crosstalk`: part of the signal of each neighbour that is added. Neighbours on a grid: the four
  /// beside it (across the seam where the grid closes round a body); else all taxels within 1.5 of the mean
  /// distance to the nearest one (skin/crosstalk.h). 0 to 0.5.
  double crosstalk = 0;
  /// Key `crosstalk_rows`: part of the mean of all others in the same row and column that is added, as in
  /// resistive matrices read line by line. Grids only. 0 to 1.
  double crosstalk_rows = 0;

  // --- Amplifier ---

  /// Key `noise`, "mean std" in the unit: N(mean, std), independent from taxel to taxel and sample to sample.
  double noise_mean = 0;
  double noise_std = 0;

  /// Key `saturation`, "lo hi" or "hi" in the unit: readings outside are clipped. Shear: to -hi .. hi.
  double saturation_lo = -std::numeric_limits<double>::infinity();
  double saturation_hi = std::numeric_limits<double>::infinity();

  // --- Converter ---

  /// Counts only, both needed. Key `bits`: codes run from 0 to 2^bits - 1; 1 to 24. Key `full_scale`, Pa:
  /// load of the highest code (gain 1). Shear: code 2^(bits-1) is zero, +-full_scale is 2^(bits-1) - 1 codes
  /// away.
  int bits = 0;
  double full_scale = 0;
  /// Key `inverted`, counts only: the highest code is no load and 0 is full scale (Myrmex: 12 bits, 4095 = no
  /// load). Shear: the sign turns round, zero stays at mid scale.
  bool inverted = false;
  /// Key `quantum`, Pa and N only, in the unit: readings are multiples of it. > 0; halves away from zero.
  double quantum = 0;

  // --- Defects ---

  /// Key `dead`: taxels (counted from 0) that always give their no-load value. Key `dead_fraction`, 0 to 1:
  /// that part of all taxels (to the nearest whole one), drawn by the seed, the same in every channel. Both:
  /// all of them.
  std::vector<int> dead;
  double dead_fraction = 0;
  /// Keys `stuck` and `stuck_value`: taxels that always give this value (in the unit; counts: the code
  /// itself).
  std::vector<int> stuck;
  double stuck_value = 0;

  // --- Line ---

  /// Key `rate`, Hz: sample k is taken at the first step at or after k / rate and held. Above the rate of the
  /// physics each step sees the newest sample. 0: every step is a sample. Up to 1e6.
  double rate = 0;
  /// Key `delay`, s: a sample taken at t can be read at the first step at or after t + delay. Before the
  /// first one arrives the reading is the no-load value. 0 to 1000, and at most kMaxFrames samples on their
  /// way.
  double delay = 0;
  /// Key `jitter`, s: the delay of each sample is delay + jitter N, N normal and cut at +-3 (which
  /// leaves 99.75 % of the standard deviation), the same for all taxels and channels. A sample overtaken by a
  /// later one is lost. At most delay / 3.
  double jitter = 0;

  /// Key `seed`, 0 to 2147483647: of all random numbers. Two chains with the same seed have the same noise
  /// (in a model each sensor adds its number).
  std::uint64_t seed = 0;

  /// True when the chain hands on the pressure as it is.
  bool trivial() const;
  friend bool operator==(const ChainOptions&, const ChainOptions&) = default;
};

/// Greatest number of samples that `delay` may keep on their way.
inline constexpr int kMaxFrames = 10000;

/// Reads its keys from a description. @throws Error naming key, value, what is allowed.
ChainOptions ReadChain(const Description& description);

/// @throws Error when options contradict each other.
void CheckChain(const ChainOptions& options);
/// @throws Error when a list does not fit the number of taxels.
void CheckChainFits(const ChainOptions& options, int taxels);

}  // namespace taxel
