// Legacy VTK files to a tetrahedral mesh.
#pragma once

#include <string>
#include <string_view>

#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// The legacy half of ParseVtkTets (parse_vtk.h): DATASET UNSTRUCTURED_GRID, ASCII or BINARY (big endian),
/// with CELLS as counts and indices (versions 1 to 4) or as OFFSETS and CONNECTIVITY (version 5). Reading
/// stops when POINTS, CELLS and CELL_TYPES are complete; what follows them is data on the grid, and is not
/// looked at.
TetMesh ParseVtkLegacyTets(std::string_view bytes, const std::string& name);

}  // namespace taxel::internal
