#include "taxel/skin/readout_options.h"

#include <cmath>

#include "taxel/math/error.h"

namespace taxel {

ReadoutOptions ReadReadout(const Description& d) {
  ReadoutOptions o;
  if (d.Has("readout")) o.method = static_cast<Readout>(d.Choice("readout", {"exact", "rays"}));
  if (d.Has("aggregate"))
    o.aggregate = static_cast<Aggregate>(d.Choice("aggregate", {"mean", "sum", "max", "force"}));
  if (d.Has("source")) o.source = static_cast<Source>(d.Choice("source", {"contact", "elastic"}));
  for (const char* key :
       {"samples", "sample_density", "sample_spacing", "angle", "window", "window_width", "reach"})
    if (o.method == Readout::kExact && d.Has(key))
      throw Error(d.where() + ": " + key +
                  " is for rays, and this sensor integrates exactly; add readout=\"rays\" or leave it out");
  if (o.method == Readout::kExact && d.Has("radius") && !d.Has("points") && !d.Has("file") && !d.Has("sites"))
    throw Error(
        d.where() +
        ": radius is for rays and for layouts that list points, and the cells of this sensor end where the "
        "next begin; add readout=\"rays\" or leave it out");
  const int ways = d.Has("samples") + d.Has("sample_density") + d.Has("sample_spacing");
  if (ways > 1)
    throw Error(d.where() +
                ": give one of samples (per side of a cell), sample_density (per m2) and "
                "sample_spacing (m), not " +
                std::to_string(ways));
  if (d.Has("samples")) o.samples = d.Integer("samples");
  if (d.Has("sample_density")) o.density = d.Number("sample_density");
  if (d.Has("sample_spacing")) o.spacing = d.Number("sample_spacing");
  if (d.Has("seed")) {
    const double seed = d.Number("seed", 0, 1e15, "a whole number from 0");
    if (seed != std::floor(seed)) d.Fail("seed", "a whole number from 0");
    o.seed = static_cast<std::uint64_t>(seed);
  }
  if (d.Has("radius")) o.radius = d.Number("radius");
  if (d.Has("angle")) o.angle = d.Number("angle") * M_PI / 180;
  if (d.Has("window"))
    o.window = static_cast<Window>(d.Choice("window", {"none", "gauss", "tukey", "square", "quadratic"}));
  if (d.Has("window_width")) {
    o.window_width = d.Number("window_width");
    if (o.window == Window::kTukey && o.window_width > 1) d.Fail("window_width", "at most 1 for tukey");
  }
  if (d.Has("reach")) o.reach = d.Number("reach");
  if (d.Has("limit")) o.limit = d.Number("limit");
  CheckReadout(o, d.where());
  return o;
}

void CheckReadout(const ReadoutOptions& o, const std::string& where) {
  if (o.method == Readout::kRays && o.limit > 0)
    throw Error(where + ": limit is for exact integration; rays have a receptive radius: radius");
  if (o.method == Readout::kExact && (o.weight || o.combine || o.window != Window::kNone))
    throw Error(where + ": weights and functions of one's own work on samples; add readout=\"rays\"");
  if (o.method == Readout::kExact && o.aggregate == Aggregate::kSum)
    throw Error(
        where +
        ": aggregate=\"sum\" adds samples, and exact integration has none; use force (N) or mean (Pa)");
  const bool sized = o.window == Window::kGauss || o.window == Window::kTukey;
  if (o.window_width != 0 && !sized)
    throw Error(where + ": window_width belongs to the windows gauss and tukey");
  if (o.weight && o.window != Window::kNone)
    throw Error(where + ": give a window or a weight function, not both");
  if (o.aggregate == Aggregate::kUser && !o.combine)
    throw Error(where + ": the aggregation function is missing");
}

}  // namespace taxel
