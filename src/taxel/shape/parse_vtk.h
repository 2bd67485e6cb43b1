// VTK files, legacy or XML, to a tetrahedral mesh.
#pragma once

#include <string>
#include <string_view>

#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// Reads the tetrahedra of an unstructured grid, metres, from either kind of VTK file; the content tells
/// which.
///
/// - Legacy (.vtk): versions 1 to 5, ASCII and BINARY.
/// - XML (.vtu): ascii, inline base64, appended raw and appended base64; both byte orders and header types;
/// uncompressed
///   or vtkZLibDataCompressor; one or more pieces (points that pieces share stay separate).
///
/// Vertices, lines and surface cells in the grid are skipped, as are point and cell data. Other volume cells
/// (hexahedra, quadratic tetrahedra, ...) are errors. The order of the corners is kept as written: run
/// CheckAndOrient on the result (ReadTetMesh does).
///
/// `name` is the file's name in messages. Time and memory are linear in the file (in the unpacked size when
/// it is compressed, which is at most 1032 times larger). Throws Error.
TetMesh ParseVtkTets(std::string_view bytes, const std::string& name);

}  // namespace taxel::internal
