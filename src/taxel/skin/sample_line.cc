#include "taxel/skin/sample_line.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"
#include "taxel/skin/chain_random.h"

namespace taxel {
using namespace internal;

SampleLine::SampleLine(const ChainOptions& options, int taxels, double timestep)
    : rate_(options.rate),
      timestep_(timestep),
      delay_(options.delay),
      jitter_(options.jitter),
      stream_(RandomStream(options.seed, RandomUse::kJitter)),
      taxels_(taxels),
      period_(rate_ > 0 ? std::max(1 / rate_, timestep) : timestep) {
  const double longest = delay_ + 3 * jitter_;
  if (longest > 0) {
    // Samples fall on steps, so a stretch of time may hold one more than its length says; one for the newest
    // that has arrived.
    const double frames = std::floor(longest / period_) + 3;
    if (frames > kMaxFrames)
      throw Error(options.where + ": delay=" + ToText(delay_) + " s keeps " + ToText(frames) +
                  " samples on their way (one every " + ToText(period_) + " s), more than " +
                  std::to_string(kMaxFrames) + "; shorten the delay or lower the rate");
    frames_ = static_cast<int>(frames);
  } else if (rate_ > 0) {
    frames_ = 1;
  }
}

std::int64_t SampleLine::state_size() const {
  return frames_ > 0 ? 2 + static_cast<std::int64_t>(frames_) * (1 + taxels_) : 0;
}

bool SampleLine::Sane(const double* state) const {
  constexpr double kMost = 9e15;  // whole numbers end there
  return frames_ == 0 || (state[0] >= -kMost && state[0] <= kMost && state[1] >= 0 && state[1] <= kMost);
}

std::int64_t SampleLine::Number(double time) const {
  return static_cast<std::int64_t>(rate_ > 0 ? std::floor(time * rate_ + 1e-6)
                                             : std::round(time / timestep_));
}

bool SampleLine::Due(std::int64_t number, const double* state) const {
  return state[0] != static_cast<double>(number + 1);
}

double SampleLine::Arrival(std::int64_t number, double time) const {
  double delay = delay_;
  if (jitter_ > 0)
    delay += jitter_ * std::clamp(Gaussian(stream_, static_cast<std::uint64_t>(number)), -3.0, 3.0);
  return time + delay;
}

bool SampleLine::ArrivesAtOnce(std::int64_t number, double time) const {
  return Arrival(number, time) <= time + 1e-3 * timestep_;
}

const double* SampleLine::Newest(std::int64_t number, double time, const double* state) const {
  if (static_cast<double>(number + 1) < state[0]) return nullptr;
  const auto written = static_cast<std::int64_t>(state[1]);
  const std::int64_t stored = std::min<std::int64_t>(written, frames_);
  for (std::int64_t back = 1; back <= stored; ++back) {
    const double* frame = state + 2 + (written - back) % frames_ * (1 + taxels_);
    // Steps are added up with rounding; a thousandth of a step is far above that.
    if (frame[0] <= time + 1e-3 * timestep_) return frame + 1;
  }
  return nullptr;
}

double* SampleLine::Push(std::int64_t number, double time, double* state) const {
  if (static_cast<double>(number + 1) < state[0]) state[1] = 0;
  double* frame = state + 2 + static_cast<std::int64_t>(state[1]) % frames_ * (1 + taxels_);
  frame[0] = Arrival(number, time);
  state[0] = static_cast<double>(number + 1);
  state[1] += 1;
  return frame + 1;
}

}  // namespace taxel
