// Particles spread as blue noise inside a solid.
#pragma once

#include <cstdint>

#include "taxel/gel/fill.h"

namespace taxel {

/// Poisson-disk points of a solid: no two nearer than `radius` (metres), without the axes and planes of a
/// lattice. volume_per_point() is the solid's volume over their number.
///
/// Method: dart throwing in cells of edge radius / sqrt(3), which hold one point at most. Each round visits
/// the cells still open in random order and throws one dart in each. Open cells are then halved along each
/// axis and the parts that one point covers, or that lie outside, are dropped; three times over. What may
/// stay bare at the end is narrower than about radius / 10.
///
/// Density: 0.71 of a lattice of spacing `radius` deep inside (random placing jams at 0.733), more with the
/// points near the surface, which may lie on it: 0.73 for a block of 100,000 points, 0.8 for a thin ring. So
/// radius = 0.89 spacing gives about as many points as a lattice of that spacing.
///
/// Same input and seed: same bits. Throws Error as FillLattice does, at most kMaxPoissonPoints points.
Filling FillPoissonDisk(const SolidShape& solid, double radius, std::uint64_t seed = 0);

inline constexpr double kMaxPoissonPoints = 1e7;

}  // namespace taxel
