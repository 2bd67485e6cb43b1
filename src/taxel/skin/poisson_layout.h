// Taxels spread evenly over a surface: blue noise.
#pragma once

#include <cstdint>

#include "taxel/shape/triangle_mesh.h"
#include "taxel/skin/layout_data.h"

namespace taxel {

/// Poisson-disk points on a surface, at least `spacing` (m) apart where their normals are within 96 degrees,
/// and so many that none fits in between (shape/sample_surface.h; beside right-angled edges a gap may be up
/// to twice as wide). Normals are those of the triangles; areas are the shares of the surface
/// (skin/taxel_area.h), which add up to all of it. Same input and seed: same bits.
/// @throws Error for a bad mesh, a spacing that is not > 0, and more than kMaxTaxels.
Layout PoissonLayout(const TriangleMesh& mesh, double spacing, std::uint64_t seed);

/// Exactly `count` points. About four times as many Poisson-disk points are drawn and the one most crowded by
/// the others is removed until `count` are left (weighted sample elimination, Yuksel 2015, "Sample
/// elimination for generating Poisson disk sample sets"). Coverage stays even; the least spacing is as a rule
/// 0.6 to 0.8 of that of the densest packing, sqrt(2 area / (sqrt(3) count)).
Layout PoissonLayoutOf(const TriangleMesh& mesh, int count, std::uint64_t seed);

}  // namespace taxel
