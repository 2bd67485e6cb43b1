// When samples are taken, and when they can be read: rate, delay and jitter.
#pragma once

#include <cstdint>

#include "taxel/skin/chain_options.h"

namespace taxel {

/// The time of a device. Sample numbers count periods since time 0:
///     rate given   floor(time rate + 1e-6), so that 0.1 + 0.2 does no harm
///     else         round(time / timestep): every step is a sample
/// Sample k is taken at the first step that has its number, and arrives delay + jitter N_k later. What is
/// read is the newest sample that has arrived.
///
/// The state is a ring of frames: number of the last sample plus one (0: none yet), frames written, then for
/// each frame the time it arrives and its values. A time that jumps back empties the ring: the line starts
/// anew.
class SampleLine {
 public:
  /// @throws Error when the delay keeps more than kMaxFrames samples on their way.
  SampleLine(const ChainOptions& options, int taxels, double timestep);

  /// False: every step is read at once and nothing is stored.
  bool holds() const { return frames_ > 0; }
  int frames() const { return frames_; }            ///< samples that it keeps
  std::uint64_t stream() const { return stream_; }  ///< of the random numbers of jitter
  std::int64_t state_size() const;
  double period() const { return period_; }  ///< between samples, s

  /// Its two counts are ones that can be, so that they lead to frames of the state.
  bool Sane(const double* state) const;

  std::int64_t Number(double time) const;
  /// True when this sample is not yet stored.
  bool Due(std::int64_t number, const double* state) const;
  /// When a sample taken at `time` can be read.
  double Arrival(std::int64_t number, double time) const;
  /// True when a sample taken now can be read now.
  bool ArrivesAtOnce(std::int64_t number, double time) const;
  /// Values of the newest stored sample that has arrived, or null.
  const double* Newest(std::int64_t number, double time, const double* state) const;
  /// Makes room for the sample taken now; the caller fills in the values.
  double* Push(std::int64_t number, double time, double* state) const;

 private:
  double rate_, timestep_, delay_, jitter_;
  std::uint64_t stream_;
  int taxels_;
  double period_;
  int frames_ = 0;
};

}  // namespace taxel
