// XML VTK files to a tetrahedral mesh.
#pragma once

#include <string>
#include <string_view>

#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// The XML half of ParseVtkTets (parse_vtk.h): <VTKFile type="UnstructuredGrid"> with its points and cells in
/// any of the encodings of xml_data_array.h. Elements that do not describe the grid are skipped.
TetMesh ParseVtkXmlTets(std::string_view bytes, const std::string& name);

}  // namespace taxel::internal
