#include "taxel/mujoco/chain_text.h"

namespace taxel::mujoco {
namespace {

const char* UnitName(Unit unit) {
  return unit == Unit::kPascal ? "Pa" : unit == Unit::kNewton ? "N" : "counts";
}

void AddChannel(const SignalChain& c, Json* out) {
  out->Open('{').Key("gains").Open('[').Numbers(c.gains()).Close(']');
  out->Key("offsets").Open('[').Numbers(c.offsets()).Close(']');
  out->Key("drift").Open('[').Numbers(c.drift()).Close(']');
  out->Key("no_load").Open('[').Numbers(c.no_load()).Close(']').Key("defects").Open('[');
  for (const auto& [taxel, value] : c.defects()) out->Open('[').Number(taxel).Number(value).Close(']');
  out->Close(']').Key("noise_stream").Bits(c.noise_stream()).Key("walk_stream").Bits(c.walk_stream());
  const SignalChain::Converter k = c.converter();
  out->Key("lo").Number(k.lo).Key("hi").Number(k.hi).Key("zero").Number(k.zero).Key("sign").Number(k.sign);
  out->Close('}');
}

void AddNeighbours(const SignalChain& c, double fraction, Json* out) {
  out->Key("neighbours").Open('[');
  if (fraction > 0)
    for (int i = 0; i < c.count(); ++i) out->Open('[').Numbers(c.crosstalk().NeighboursOf(i)).Close(']');
  out->Close(']');
}

void AddSpread(const PointSpread& s, Json* out) {
  out->Key("spread").Open('{').Key("begin").Open('[').Numbers(s.begin()).Close(']');
  out->Key("from").Open('[').Numbers(s.from()).Close(']');
  out->Key("weight").Open('[').Numbers(s.weight()).Close(']').Close('}');
}

}  // namespace

void AddChains(const SkinSensor& s, Json* out) {
  const ChainOptions& c = s.chain;
  out->Key("chain").Open('{').Key("unit").Text(UnitName(c.unit)).Key("trivial").Number(c.trivial());
  out->Key("hysteresis").Open('[').Number(c.hysteresis_width).Number(c.hysteresis_scale).Close(']');
  out->Key("creep").Open('[');
  for (const ChainOptions::Creep& creep : c.creep)
    out->Open('[').Number(creep.amount).Number(creep.tau).Close(']');
  out->Close(']').Key("drift_offset").Number(c.drift_offset);
  out->Key("noise_mean").Number(c.noise_mean).Key("noise_std").Number(c.noise_std);
  out->Key("quantum").Number(c.quantum).Key("crosstalk").Number(c.crosstalk);
  out->Key("crosstalk_rows").Number(c.crosstalk_rows).Key("rate").Number(c.rate);
  out->Key("delay").Number(c.delay).Key("jitter").Number(c.jitter);
  if (!s.chains.empty()) {
    const SignalChain& first = s.chains[0];
    out->Key("jitter_stream").Bits(first.line().stream()).Key("frames").Number(first.line().frames());
    AddNeighbours(first, c.crosstalk, out);
    AddSpread(first.spread(), out);
  }
  out->Key("channels").Open('[');
  for (const SignalChain& chain : s.chains) AddChannel(chain, out);
  out->Close(']').Close('}');
}

}  // namespace taxel::mujoco
