// Taxels that each hold whole columns: a face of the contact then belongs to one of them as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "taxel/contact/columns.h"
#include "taxel/skin/cell_loads.h"

namespace taxel::internal {

/// For each column the taxel that its cell lies in, -1 where it lies beyond the array. Empty unless all lie
/// in one (kWhole) or in none (kBeyond): then faces must be cut. `share` tells what each taxel gets of a
/// face. Not the whole of a cell: under the steep rim of a dome the planes halfway between taxels lean.
std::vector<int> TaxelsOfColumns(const ColumnSkin& skin, int taxels,
                                 const std::function<void(const PressedFaces&, CellLoads*)>& share);
inline constexpr double kWhole = 0.85, kBeyond = 0.02;

/// Adds each face to the taxel of its column.
void IntegrateColumns(const PressedFaces& faces, const std::vector<std::int32_t>& columns,
                      const std::vector<int>& taxels, CellLoads* loads);

}  // namespace taxel::internal
