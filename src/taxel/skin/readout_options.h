// How a skin turns a contact surface into one value a taxel.
#pragma once

#include <cstdint>
#include <functional>

#include "taxel/skin/description.h"
#include "taxel/skin/window.h"

namespace taxel {

enum class Readout {
  kExact,  ///< the surface cut to each cell and integrated: the cells sum to the contact force
  kRays,   ///< pressure sampled by rays along the normal, as in HydroelasticTouch
};

enum class Aggregate {
  kMean,   ///< weighted mean of the pressure over the cell (weights normalised), Pa
  kSum,    ///< sum of weight x pressure over the samples (weights as they are), Pa
  kMax,    ///< greatest pressure, Pa
  kForce,  ///< mean times the area of the cell, N
  kUser,   ///< ReadoutOptions::combine
};

/// Which pressure a taxel feels.
enum class Source {
  kContact,  ///< the force that acts in the physics (damping included), shared over the surface
  kElastic,  ///< the pressure of the elastic field alone
};

struct ReadoutOptions {
  Readout method = Readout::kExact;
  Aggregate aggregate = Aggregate::kMean;
  Source source = Source::kContact;

  // Rays only.
  int samples = 20;            ///< along each side of a cell of a grid
  double density = 0;          ///< samples per m2 instead (grids: as a lattice; else Poisson-disk)
  double spacing = 0;          ///< Poisson-disk samples at least this far apart instead, m
  std::uint64_t seed = 1;      ///< of the Poisson-disk samples
  double radius = 0;           ///< receptive radius, m: fields may overlap. 0: the cell itself (grids)
  double angle = 0.25 * M_PI;  ///< samples whose normal is farther from the taxel's do not count
  Window window = Window::kNone;
  double window_width = 0;  ///< 0: the window's own default
  double reach = 0;         ///< how deep a ray looks, m; 0: as deep as it goes
  /// Instead of a window: weight of a sample by distance (m) and angle (rad) between the normals, at least 0.
  std::function<double(double distance, double angle)> weight;
  /// Instead of an aggregate: value of a taxel from the pressures of its samples (0 where a ray misses) and
  /// their weights (sum 1).
  std::function<double(const double* pressures, const double* weights, int count)> combine;

  // Exact only.
  double limit = 0;  ///< a cell ends this far from its taxel along its axes, m; 0: where the next one begins
};

/// Reads its keys: readout, aggregate, source, samples, sample_density, sample_spacing, seed, radius, angle
/// (degrees), window, window_width, reach, limit.
/// @throws Error for a wrong value or a key that the chosen read-out does not use.
ReadoutOptions ReadReadout(const Description& description);

/// @throws Error when options contradict each other.
void CheckReadout(const ReadoutOptions& options, const std::string& where);

}  // namespace taxel
