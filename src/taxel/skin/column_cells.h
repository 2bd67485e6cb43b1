// Faces of a contact read by the columns they stand on: nothing is cut.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "taxel/contact/columns.h"
#include "taxel/skin/cell_loads.h"
#include "taxel/skin/column_taxels.h"

namespace taxel::internal {

/// For each column the taxels that its cell lies on; `share` tells what each gets of a face. A taxel that has
/// kWhole of a cell has all of it: under the steep rim of a dome the planes halfway between taxels lean. Of a
/// cell beyond the array (kBeyond) none has a part. Cells that lie on several are shared, where no more than
/// the part `split` of all of them do; else the result is empty, and faces must be cut.
ColumnTaxels TaxelsOfColumns(const ColumnSkin& skin, int taxels,
                             const std::function<void(const PressedFaces&, CellLoads*)>& share,
                             double split = 0);
inline constexpr double kWhole = 0.85, kBeyond = 0.02;

/// Adds each face to the taxels of its column.
void IntegrateColumns(const PressedFaces& faces, const std::vector<std::int32_t>& columns,
                      const ColumnTaxels& taxels, CellLoads* loads);

}  // namespace taxel::internal
