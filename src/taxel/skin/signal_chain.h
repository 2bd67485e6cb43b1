// From what a taxel feels to what the device says.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "taxel/skin/chain_options.h"
#include "taxel/skin/crosstalk.h"
#include "taxel/skin/hysteresis.h"
#include "taxel/skin/layout_data.h"
#include "taxel/skin/point_spread.h"
#include "taxel/skin/sample_line.h"

namespace taxel {

/// The stages of ChainOptions (chain_options.h is the manual) at work on one channel of a skin.
///
///     SignalChain chain(options, layout, timestep);
///     std::vector<double> state(chain.state_size());                // zeros: at rest
///     every step:
///       if (chain.SampleDue(time, state)) raw = pressures at time;  // else raw may be null
///       chain.Output(time, raw, state, out);                        // as often as you like
///       chain.Advance(time, raw, state);                            // once
///
/// All memory is in the caller's state, a plain array that may be copied bit by bit; zeros are the state at
/// rest. Immutable; may be used by many threads at once on different states (or for Output on the same).
/// Random numbers depend on (seed, channel, taxel, sample number) alone: same bits whatever the threads and
/// the order. No allocation after the first call in a thread.
///
/// Output(t) after Advance(t) gives the same as before it, except for creep and drift_offset without rate and
/// delay: those are then one step further.
class SignalChain {
 public:
  /// `channel` keys the random numbers (0 pressure, 1 and 2 shear). signed_values: readings may be negative
  /// (shear): saturation is symmetric, quantisation has its zero at mid scale.
  /// @param timestep of the physics, s, > 0
  /// @throws Error when options contradict each other or do not fit the layout.
  SignalChain(const ChainOptions& options, const Layout& layout, double timestep, int channel = 0,
              bool signed_values = false);

  /// Numbers of saved state, from what is known before the layout is: options, number of taxels, physics
  /// timestep.
  /// @throws Error as the constructor, and when the state would be larger than kMaxState.
  static int StateSize(const ChainOptions& options, int taxels, double timestep);
  static constexpr int kMaxState = 100'000'000;

  int count() const { return count_; }
  int state_size() const { return at_.size; }
  /// Reading of every taxel without load, noise and drift.
  const std::vector<double>& no_load() const { return no_load_; }
  /// Of each taxel: from Pa to the unit, and what is added in it.
  const std::vector<double>& gains() const { return gain_; }
  const std::vector<double>& offsets() const { return offset_; }

  // For engines that run the same chain elsewhere.
  const std::vector<double>& drift() const { return drift_; }  ///< of each gain, per s; empty: none
  /// Taxels that always give the same value, and which.
  const std::vector<std::pair<int, double>>& defects() const { return defects_; }
  std::uint64_t noise_stream() const { return noise_stream_; }
  std::uint64_t walk_stream() const { return walk_stream_; }
  const PointSpread& spread() const { return spread_; }
  const Crosstalk& crosstalk() const { return crosstalk_; }
  const SampleLine& line() const { return line_; }
  /// Values are held to lo .. hi; of counts the code is zero + sign x the nearest whole number.
  struct Converter {
    double lo, hi, zero, sign;
  };
  Converter converter() const { return {clip_lo_, clip_hi_, code_zero_, code_sign_}; }

  /// Sets all to zero.
  void Reset(double* state) const;
  /// False for a state that no chain leaves behind: a number that is not finite, or counts out of range. The
  /// other calls need a sane one.
  bool Sane(const double* state) const;

  /// True when Output and Advance need `raw` at this time: a new sample is due, or the material remembers
  /// (hysteresis, creep) and must feel the load of every step, sampled or not. False: no new sample is due,
  /// the output is the held one and `raw` may be null.
  bool SampleDue(double time, const double* state) const;

  /// What the device says at `time`; raw in Pa (mean pressure of the cell), one a taxel; out must not overlap
  /// it. Does not change the state: may be called many times in a step.
  void Output(double time, const double* raw, const double* state, double* out) const;

  /// Moves the state past `time`, once a step, with the same raw.
  void Advance(double time, const double* raw, double* state) const;

 private:
  // Where the parts of the state begin.
  struct StateMap {
    int hysteresis = 0, creep = 0, walk = 0, line = 0, size = 0;
  };
  static StateMap MapState(const ChainOptions& options, const SampleLine& line, int taxels);

  void SetUpCells(const Layout& layout, int channel);
  void SetUpConverter();
  void SetUpDefects();

  bool remembers() const { return hysteresis_.on() || !creep_decay_.empty(); }  // the material
  const double* Spread(const double* raw) const;
  void Measure(double time, std::int64_t number, const double* load, const double* state, double* out) const;
  void Material(const double* load, const double* state, double* signal) const;
  void AdvanceMaterial(const double* load, double* state) const;
  void Electronics(double time, const double* walk, double* signal, double* out) const;  // up to the noise
  void Convert(double* values) const;

  ChainOptions options_;
  int count_;
  bool signed_;
  SampleLine line_;
  StateMap at_;
  PointSpread spread_;
  Hysteresis hysteresis_;
  Crosstalk crosstalk_;
  std::vector<double> creep_decay_;  // over a step, for each pair
  std::vector<double> gain_, offset_,
      drift_;  // one a taxel; gain from Pa to the unit, drift per s (empty: none)
  std::uint64_t noise_stream_, walk_stream_;
  double walk_step_ = 0;
  double clip_lo_, clip_hi_;              // saturation and the ends of the codes
  double code_zero_ = 0, code_sign_ = 1;  // code = zero + sign * counts
  std::vector<std::pair<int, double>> defects_;
  std::vector<double> no_load_;
};

}  // namespace taxel
