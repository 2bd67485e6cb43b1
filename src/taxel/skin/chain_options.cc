#include "taxel/skin/chain_options.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"

namespace taxel {
namespace {

constexpr double kLargest = 1e12;  // of anything in Pa, N or counts

// From `least` to `most` numbers.
std::vector<double> Few(const Description& d, const std::string& key, std::size_t least, std::size_t most,
                        const std::string& allowed) {
  std::vector<double> x = d.Numbers(key);
  if (x.size() < least || x.size() > most) d.Fail(key, allowed);
  for (double v : x)
    if (std::fabs(v) > kLargest) d.Fail(key, allowed);
  return x;
}

// "mean std".
void ReadNormal(const Description& d, const std::string& key, double* mean, double* std) {
  if (!d.Has(key)) return;
  const std::string allowed = "\"mean std\": two numbers in the unit, std 0 or more";
  const std::vector<double> x = Few(d, key, 2, 2, allowed);
  if (x[1] < 0) d.Fail(key, allowed);
  *mean = x[0], *std = x[1];
}

void ReadMaterial(const Description& d, ChainOptions* o) {
  if (d.Has("spread")) o->spread = d.Number("spread");
  if (d.Has("hysteresis")) {
    const std::string allowed =
        "\"width scale\": width of the loop from 0 to 0.24 of the scale, and scale in Pa (> 0)";
    const std::vector<double> x = Few(d, "hysteresis", 2, 2, allowed);
    if (x[0] < 0 || x[0] > 0.24 || x[1] <= 0) d.Fail("hysteresis", allowed);
    o->hysteresis_width = x[0], o->hysteresis_scale = x[1];
  }
  if (d.Has("creep")) {
    const std::string allowed =
        "\"amount tau\", at most three pairs: amounts from -0.9 to 10 (their sum at least -0.9), tau in s (> "
        "0)";
    const std::vector<double> x = Few(d, "creep", 2, 6, allowed);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); i += 2) {
      if (i + 1 == x.size() || x[i] < -0.9 || x[i] > 10 || x[i + 1] <= 0) d.Fail("creep", allowed);
      o->creep.push_back({x[i], x[i + 1]});
      sum += x[i];
    }
    if (sum < -0.9) d.Fail("creep", allowed);
  }
}

void ReadCell(const Description& d, ChainOptions* o) {
  if (d.Has("gain")) o->gain_std = d.Number("gain");
  if (d.Has("gains")) {
    o->gains = d.Numbers("gains");
    for (double g : o->gains)
      if (g < 0 || g > 1000) d.Fail("gains", "a list of factors from 0 to 1000");
  }
  ReadNormal(d, "offset", &o->offset_mean, &o->offset_std);
  if (d.Has("offsets")) o->offsets = d.Numbers("offsets");
  if (d.Has("drift")) {
    const std::string allowed =
        "\"per_hour\" or \"per_hour std\": relative change per hour from -100 to 100, std from 0 to 100";
    const std::vector<double> x = Few(d, "drift", 1, 2, allowed);
    if (std::fabs(x[0]) > 100 || (x.size() == 2 && (x[1] < 0 || x[1] > 100))) d.Fail("drift", allowed);
    o->drift_per_hour = x[0];
    if (x.size() == 2) o->drift_std = x[1];
  }
  if (d.Has("drift_offset")) o->drift_offset = d.Number("drift_offset");
}

void ReadElectronics(const Description& d, ChainOptions* o) {
  if (d.Has("crosstalk")) o->crosstalk = d.Number("crosstalk");
  if (d.Has("crosstalk_rows")) o->crosstalk_rows = d.Number("crosstalk_rows");
  ReadNormal(d, "noise", &o->noise_mean, &o->noise_std);
  if (d.Has("saturation")) {
    const std::string allowed = "\"lo hi\" or \"hi\" in the unit, hi > 0 and hi > lo";
    const std::vector<double> x = Few(d, "saturation", 1, 2, allowed);
    if (x.back() <= 0 || (x.size() == 2 && x[0] >= x[1])) d.Fail("saturation", allowed);
    if (x.size() == 2) o->saturation_lo = x[0];
    o->saturation_hi = x.back();
  }
  if (d.Has("bits")) o->bits = d.Integer("bits");
  for (auto [key, value] : {std::pair{"full_scale", &o->full_scale}, {"quantum", &o->quantum}})
    if (d.Has(key)) {
      *value = d.Number(key, 0, kLargest, "a number greater than 0");
      if (*value == 0) d.Fail(key, "a number greater than 0");
    }
  if (d.Has("inverted")) o->inverted = d.Flag("inverted");
}

void ReadDefects(const Description& d, ChainOptions* o) {
  const int most = std::numeric_limits<int>::max();
  if (d.Has("dead")) o->dead = d.Integers("dead", 0, most, "a list of taxels (whole numbers from 0)");
  if (d.Has("dead_fraction")) o->dead_fraction = d.Number("dead_fraction");
  if (d.Has("stuck")) o->stuck = d.Integers("stuck", 0, most, "a list of taxels (whole numbers from 0)");
  const bool value = d.Has("stuck_value");
  if (value) o->stuck_value = d.Number("stuck_value");
  if (value && o->stuck.empty())
    throw Error(o->where + ": stuck_value is given but no taxel is stuck; name them with stuck=\"...\"");
  if (!value && !o->stuck.empty())
    throw Error(o->where + ": stuck needs stuck_value, the reading of the stuck taxels in the unit");
}

void ReadLine(const Description& d, ChainOptions* o) {
  if (d.Has("rate")) {
    const std::string allowed =
        "a rate greater than 0 and at most 1e6 Hz; leave it out to sample at every step";
    o->rate = d.Number("rate", 0, 1e6, allowed);
    if (o->rate == 0) d.Fail("rate", allowed);
  }
  if (d.Has("delay")) o->delay = d.Number("delay");
  if (d.Has("jitter")) o->jitter = d.Number("jitter");
  if (d.Has("seed"))
    o->seed = static_cast<std::uint64_t>(
        d.Integer("seed", 0, std::numeric_limits<int>::max(), "a whole number from 0 to 2147483647"));
}

}  // namespace

bool ChainOptions::trivial() const {
  ChainOptions plain;
  plain.where = where;
  plain.seed = seed;
  return *this == plain;
}

ChainOptions ReadChain(const Description& description) {
  ChainOptions o;
  o.where = description.where();
  if (description.Has("unit")) o.unit = static_cast<Unit>(description.Choice("unit", {"Pa", "N", "counts"}));
  ReadMaterial(description, &o);
  ReadCell(description, &o);
  ReadElectronics(description, &o);
  ReadDefects(description, &o);
  ReadLine(description, &o);
  CheckChain(o);
  return o;
}

void CheckChain(const ChainOptions& o) {
  const auto fail = [&](const std::string& what) { throw Error(o.where + ": " + what); };
  if (o.unit == Unit::kCounts) {
    if (o.bits < 1 || !(o.full_scale > 0))
      fail(
          "unit=\"counts\" needs bits and full_scale (Pa at the highest code), as in bits=\"12\" "
          "full_scale=\"60000\"");
    if (o.quantum > 0) fail("quantum is for unit Pa or N; counts are whole numbers already, set by bits");
    const double highest = std::ldexp(1.0, o.bits) - 1;
    if (std::isfinite(o.saturation_hi) && o.saturation_hi > highest)
      fail("saturation ends at " + ToText(o.saturation_hi) + " counts, but " + std::to_string(o.bits) +
           " bits end at " + ToText(highest) + "; give bits more or saturation less");
    if (!o.stuck.empty() &&
        (o.stuck_value < 0 || o.stuck_value > highest || o.stuck_value != std::floor(o.stuck_value)))
      fail("stuck_value=" + ToText(o.stuck_value) + " is not a code: a whole number from 0 to " +
           ToText(highest));
  } else {
    const std::string way_out = " belongs to unit=\"counts\"; for Pa or N give quantum, or set the unit";
    if (o.bits > 0) fail("bits" + way_out);
    if (o.full_scale > 0) fail("full_scale" + way_out);
    if (o.inverted) fail("inverted" + way_out);
  }
  if (o.gain_std > 0 && !o.gains.empty()) fail("gain draws the gains and gains gives them; keep one");
  if ((o.offset_mean != 0 || o.offset_std > 0) && !o.offsets.empty())
    fail("offset draws the offsets and offsets gives them; keep one");
  for (int i : o.stuck)
    if (std::find(o.dead.begin(), o.dead.end(), i) != o.dead.end())
      fail("taxel " + std::to_string(i) + " is both dead and stuck; keep one");
  // The small allowance is for thirds that have no exact decimal.
  if (3 * o.jitter > o.delay * (1 + 1e-9))
    fail("jitter=" + ToText(o.jitter) + " s needs a delay of at least three times that, " +
         ToText(3 * o.jitter) + " s (delay=" + ToText(o.delay) + "): no sample arrives before it is taken");
}

void CheckChainFits(const ChainOptions& o, int taxels) {
  const std::string n = std::to_string(taxels);
  for (const auto& [key, list] : {std::pair{"gains", &o.gains}, {"offsets", &o.offsets}})
    if (list->size() > 1 && list->size() != static_cast<std::size_t>(taxels))
      throw Error(o.where + ": " + key + " has " + std::to_string(list->size()) + " numbers for " + n +
                  " taxels; give one a taxel, or one for all");
  for (const auto& [key, list] : {std::pair{"dead", &o.dead}, {"stuck", &o.stuck}})
    for (int i : *list)
      if (i < 0 || i >= taxels)
        throw Error(o.where + ": " + key + " names taxel " + std::to_string(i) +
                    ", but the taxels are 0 to " + std::to_string(taxels - 1));
}

}  // namespace taxel
