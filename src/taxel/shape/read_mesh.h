// Mesh files: one door for reading, by the name's extension, and the two formats taxel writes.
#pragma once

#include <string>
#include <vector>

#include "taxel/shape/tet_mesh.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// Reads a surface from a .obj or .stl file (parse_obj.h, parse_stl.h say how). Numbers are metres.
/// Upper and lower case in the extension are alike. Whether the surface is closed is not checked
/// (watertight.h). Throws Error for: another extension, a missing, empty or unreadable file, a folder, and
/// wrong content.
TriangleMesh ReadTriangleMesh(const std::string& path);

/// Reads tetrahedra from a .vtk or .vtu file (parse_vtk.h says how) and checks and orients them
/// (CheckAndOrient). Throws Error as above.
TetMesh ReadTetMesh(const std::string& path);

/// Writes a legacy ASCII VTK file that ReadTetMesh, ParaView, meshio and pyvista read. Each number is written
/// with the digits (up to 17) that give the same double back. `point_values`, when given, is one number per
/// vertex and appears under the name `value_name` (no blanks). Throws Error when the sizes differ or the file
/// cannot be written.
void WriteVtk(const TetMesh& mesh, const std::string& path, const std::vector<double>* point_values = nullptr,
              const std::string& value_name = "pressure");

/// Writes an OBJ file with the same digits. Throws Error when the file cannot be written.
void WriteObj(const TriangleMesh& mesh, const std::string& path);

}  // namespace taxel
