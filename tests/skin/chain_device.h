// A signal chain with its state and its clock, for tests.
#pragma once

#include "chain_layouts.h"
#include "taxel/skin/signal_chain.h"

namespace taxel::chain_test {

using Entries = Description::Entries;
using Doubles = std::vector<double>;

inline constexpr double kStep = 0.002;

inline ChainOptions Read(const Entries& entries) { return ReadChain(Description("sensor 'tip'", entries)); }

/// A chain with its state.
struct Device {
  SignalChain chain;
  double timestep, time = 0;
  Doubles state;

  Device(const Entries& entries, const Layout& layout, double step = kStep, int channel = 0,
         bool shear = false)
      : chain(Read(entries), layout, step, channel, shear),
        timestep(step),
        state(static_cast<std::size_t>(chain.state_size()), 0.0) {}

  Doubles Output(const Doubles& raw) const {
    Doubles out(static_cast<std::size_t>(chain.count()), -1e99);
    chain.Output(time, raw.data(), state.data(), out.data());
    return out;
  }
  Doubles Step(const Doubles& raw) {
    Doubles out = Output(raw);
    chain.Advance(time, raw.data(), state.data());
    time += timestep;
    return out;
  }
  Doubles StepUniform(double raw) { return Step(Doubles(static_cast<std::size_t>(chain.count()), raw)); }
};

inline Doubles Once(const Entries& entries, const Layout& layout, const Doubles& raw, int channel = 0,
                    bool shear = false) {
  return Device(entries, layout, kStep, channel, shear).Output(raw);
}

/// The converter of the Myrmex, 10 Pa a code.
inline const Entries kMyrmex = {
    {"unit", "counts"}, {"bits", "12"}, {"full_scale", "40950"}, {"inverted", "true"}};
inline Entries With(Entries entries, const Entries& more) {
  entries.insert(entries.end(), more.begin(), more.end());
  return entries;
}

}  // namespace taxel::chain_test
