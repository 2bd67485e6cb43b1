#include "taxel/skin/signal_chain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "taxel/math/error.h"
#include "taxel/skin/chain_random.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kHour = 3600;
static_assert(kMaxTaxels <= 1 << kTaxelBits);

// Two arrays a thread: what the cover leaves of the load, and the signal on its way.
struct Scratch {
  std::vector<double> load, signal;
};
Scratch& ThreadScratch(int count) {
  thread_local Scratch scratch;
  if (scratch.load.size() < static_cast<std::size_t>(count)) {
    scratch.load.resize(static_cast<std::size_t>(count));
    scratch.signal.resize(static_cast<std::size_t>(count));
  }
  return scratch;
}

double ListEntry(const std::vector<double>& list, int i) { return list.size() == 1 ? list[0] : list[i]; }

}  // namespace

SignalChain::StateMap SignalChain::MapState(const ChainOptions& options, const SampleLine& line, int taxels) {
  const std::int64_t n = taxels, pairs = static_cast<std::int64_t>(options.creep.size());
  const std::int64_t creep = options.hysteresis_width > 0 ? Hysteresis::kPlays * n : 0;
  const std::int64_t walk = creep + pairs * n, ring = walk + (options.drift_offset > 0 ? n : 0);
  const std::int64_t size = ring + line.state_size();
  if (size > kMaxState)
    throw Error(options.where + ": " + std::to_string(taxels) +
                " taxels with delay=" + ToText(options.delay) + " s need a state of " + std::to_string(size) +
                " numbers, more than " + std::to_string(kMaxState) + "; shorten the delay or lower the rate");
  return {0, static_cast<int>(creep), static_cast<int>(walk), static_cast<int>(ring), static_cast<int>(size)};
}

int SignalChain::StateSize(const ChainOptions& options, int taxels, double timestep) {
  CheckChain(options);
  CheckChainFits(options, taxels);
  return MapState(options, SampleLine(options, taxels, timestep), taxels).size;
}

SignalChain::SignalChain(const ChainOptions& options, const Layout& layout, double timestep, int channel,
                         bool signed_values)
    : options_(options),
      count_(layout.count()),
      signed_(signed_values),
      line_(options, count_, timestep),
      at_(MapState(options, line_, count_)),
      spread_(layout, options.spread, options.where),
      hysteresis_(options.hysteresis_width, options.hysteresis_scale),
      crosstalk_(layout, options.crosstalk, options.crosstalk_rows, options.where),
      noise_stream_(RandomStream(options.seed, RandomUse::kNoise, channel)),
      walk_stream_(RandomStream(options.seed, RandomUse::kWalk, channel)) {
  CheckChain(options);
  CheckChainFits(options, count_);
  for (const ChainOptions::Creep& c : options.creep) creep_decay_.push_back(std::exp(-timestep / c.tau));
  walk_step_ = options.drift_offset * std::sqrt(line_.period() / kHour);
  SetUpCells(layout, channel);
  SetUpConverter();
  SetUpDefects();
}

void SignalChain::SetUpCells(const Layout& layout, int channel) {
  const ChainOptions& o = options_;
  double factor = 1;  // from Pa to the unit, but for the area
  if (o.unit == Unit::kCounts) {
    const double codes = std::ldexp(1.0, signed_ ? o.bits - 1 : o.bits) - 1;
    if (codes < 1)
      throw Error(o.where + ": bits=1 leaves no room for the two signs of shear; give bits of 2 or more");
    factor = codes / o.full_scale;
  }
  // Log-normal with mean 1: exp(s N - s^2 / 2), s^2 = ln(1 + std^2).
  const double s2 = std::log1p(o.gain_std * o.gain_std), s = std::sqrt(s2);
  const std::uint64_t gains = RandomStream(o.seed, RandomUse::kGain, channel);
  const std::uint64_t offsets = RandomStream(o.seed, RandomUse::kOffset, channel);
  const std::uint64_t drifts = RandomStream(o.seed, RandomUse::kDrift, channel);
  const bool drift = o.drift_per_hour != 0 || o.drift_std > 0;
  for (int i = 0; i < count_; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    double gain = o.gains.empty() ? 1 : ListEntry(o.gains, i);
    if (o.gain_std > 0) gain = std::exp(s * Gaussian(gains, k) - 0.5 * s2);
    gain_.push_back(gain * factor * (o.unit == Unit::kNewton ? layout.areas[i] : 1));
    offset_.push_back(!o.offsets.empty() ? ListEntry(o.offsets, i)
                                         : o.offset_mean + o.offset_std * Gaussian(offsets, k));
    if (drift) drift_.push_back((o.drift_per_hour + o.drift_std * Gaussian(drifts, k)) / kHour);
  }
}

void SignalChain::SetUpConverter() {
  const ChainOptions& o = options_;
  clip_lo_ = signed_ ? -o.saturation_hi : o.saturation_lo;
  clip_hi_ = o.saturation_hi;
  if (o.unit != Unit::kCounts) return;
  const double half = std::ldexp(1.0, o.bits - 1), highest = 2 * half - 1;
  if (o.inverted) code_sign_ = -1;
  code_zero_ = signed_ ? half : o.inverted ? highest : 0;
  // lo may lie above 0; then it is the least reading.
  clip_lo_ = std::max(clip_lo_, signed_ ? 1 - half : 0.0);
  clip_hi_ = std::min(clip_hi_, signed_ ? half - 1 : highest);
}

void SignalChain::SetUpDefects() {
  const auto n = static_cast<std::size_t>(count_);
  std::vector<double> signal(n, 0.0);
  no_load_.resize(n);
  Electronics(0, nullptr, signal.data(), no_load_.data());
  Convert(no_load_.data());

  std::vector<bool> is_dead(n, false), is_stuck(n, false);
  for (int i : options_.dead) is_dead[static_cast<std::size_t>(i)] = true;
  for (int i : options_.stuck) is_stuck[static_cast<std::size_t>(i)] = true;
  // The smallest of one random number a taxel. No channel in the stream: a dead cell is dead in all of them.
  const std::uint64_t stream = RandomStream(options_.seed, RandomUse::kDead);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair{RandomBits(stream, a), a} < std::pair{RandomBits(stream, b), b};
  });
  const auto drawn = static_cast<std::size_t>(std::lround(options_.dead_fraction * count_));
  for (std::size_t k = 0; k < drawn; ++k) is_dead[order[k]] = true;
  for (std::size_t i = 0; i < n; ++i)
    if (is_stuck[i])
      defects_.emplace_back(static_cast<int>(i), options_.stuck_value);
    else if (is_dead[i])
      defects_.emplace_back(static_cast<int>(i), no_load_[i]);
  for (const auto& [i, value] : defects_) no_load_[static_cast<std::size_t>(i)] = value;
}

void SignalChain::Reset(double* state) const { std::fill_n(state, at_.size, 0.0); }

bool SignalChain::Sane(const double* state) const {
  double sum = 0;  // not a number as soon as one is not finite
  for (int i = 0; i < at_.size; ++i) sum += 0 * state[i];
  return sum == 0 && line_.Sane(state + at_.line);
}

bool SignalChain::SampleDue(double time, const double* state) const {
  return !line_.holds() || remembers() || line_.Due(line_.Number(time), state + at_.line);
}

void SignalChain::Output(double time, const double* raw, const double* state, double* out) const {
  const std::int64_t number = line_.Number(time);
  if (!line_.holds() || (line_.Due(number, state + at_.line) && line_.ArrivesAtOnce(number, time))) {
    Measure(time, number, Spread(raw), state, out);
    return;
  }
  const double* held = line_.Newest(number, time, state + at_.line);
  std::copy_n(held ? held : no_load_.data(), count_, out);
}

void SignalChain::Advance(double time, const double* raw, double* state) const {
  const std::int64_t number = line_.Number(time);
  const bool sampled = !line_.holds() || line_.Due(number, state + at_.line);
  const bool stored = line_.holds() && sampled;
  const double* load = stored || remembers() ? Spread(raw) : nullptr;
  if (stored) Measure(time, number, load, state, line_.Push(number, time, state + at_.line));
  // After the sample was measured: this is the way to the next one.
  if (sampled && walk_step_ > 0) AddGaussians(walk_stream_, number, walk_step_, count_, state + at_.walk);
  if (remembers()) AdvanceMaterial(load, state);
}

const double* SignalChain::Spread(const double* raw) const {
  if (!spread_.on()) return raw;
  double* load = ThreadScratch(count_).load.data();
  spread_.Apply(raw, load);
  return load;
}

void SignalChain::Measure(double time, std::int64_t number, const double* load, const double* state,
                          double* out) const {
  double* signal = ThreadScratch(count_).signal.data();
  Material(load, state, signal);
  Electronics(time, options_.drift_offset > 0 ? state + at_.walk : nullptr, signal, out);
  if (options_.noise_std > 0) AddGaussians(noise_stream_, number, options_.noise_std, count_, out);
  Convert(out);
  for (const auto& [i, value] : defects_) out[i] = value;
}

void SignalChain::Material(const double* load, const double* state, double* signal) const {
  std::copy_n(load, count_, signal);
  if (hysteresis_.on())
    for (int i = 0; i < count_; ++i)
      signal[i] = hysteresis_.Reading(load[i], state + at_.hysteresis + Hysteresis::kPlays * i);
  for (std::size_t j = 0; j < creep_decay_.size(); ++j) {
    const double amount = options_.creep[j].amount;
    const double* z = state + at_.creep + static_cast<std::size_t>(count_) * j;
    for (int i = 0; i < count_; ++i) signal[i] += amount * z[i];
  }
}

void SignalChain::AdvanceMaterial(const double* load, double* state) const {
  for (int i = 0; i < count_; ++i) {
    double reading = load[i];
    if (hysteresis_.on()) {
      double* plays = state + at_.hysteresis + Hysteresis::kPlays * i;
      hysteresis_.Advance(load[i], plays);
      reading = hysteresis_.Reading(load[i], plays);
    }
    for (std::size_t j = 0; j < creep_decay_.size(); ++j) {
      double& z = state[at_.creep + static_cast<std::size_t>(count_) * j + static_cast<std::size_t>(i)];
      z = reading + (z - reading) * creep_decay_[j];
    }
  }
}

void SignalChain::Electronics(double time, const double* walk, double* signal, double* out) const {
  if (!drift_.empty())
    for (int i = 0; i < count_; ++i) signal[i] *= std::max(0.0, 1 + drift_[i] * time);
  for (int i = 0; i < count_; ++i) signal[i] = gain_[i] * signal[i] + offset_[i];
  if (walk)
    for (int i = 0; i < count_; ++i) signal[i] += walk[i];
  if (crosstalk_.on())
    crosstalk_.Apply(signal, out);
  else
    std::copy_n(signal, count_, out);
  if (options_.noise_mean != 0)
    for (int i = 0; i < count_; ++i) out[i] += options_.noise_mean;
}

void SignalChain::Convert(double* values) const {
  for (int i = 0; i < count_; ++i) values[i] = std::clamp(values[i], clip_lo_, clip_hi_);
  if (options_.unit == Unit::kCounts)
    for (int i = 0; i < count_; ++i) values[i] = code_zero_ + code_sign_ * std::round(values[i]);
  else if (options_.quantum > 0)  // adding 0 turns -0 into 0
    for (int i = 0; i < count_; ++i)
      values[i] = options_.quantum * std::round(values[i] / options_.quantum) + 0.0;
}

}  // namespace taxel
