// What the two kinds of VTK files share: numbers in binary form, and cells that become tetrahedra.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// Type of one number in a VTK file.
struct VtkScalar {
  enum class Kind { kSigned, kUnsigned, kFloat } kind = Kind::kFloat;
  int bytes = 0;  // 1, 2, 4 or 8; floats 4 or 8
};

/// Decodes the number at `bytes`.
double DecodeDouble(const std::uint8_t* bytes, VtkScalar type, bool big_endian);
/// As above for indices. Floats are cut to whole numbers; what no int64 can hold becomes the nearest end of
/// its range.
std::int64_t DecodeInteger(const std::uint8_t* bytes, VtkScalar type, bool big_endian);

/// An unstructured grid as VTK stores it: cell c has type types[c] and the points
/// connectivity[offsets[c]] ... connectivity[offsets[c + 1] - 1].
struct VtkGrid {
  std::vector<Vec3> points;
  std::vector<std::int64_t> offsets;  // number of cells + 1, the first is 0
  std::vector<std::int64_t> connectivity;
  std::vector<std::int64_t> types;
};

/// Appends the tetrahedra of the grid (VTK type 10), with all of its points, to the mesh. Vertices, lines and
/// surface cells are skipped. Throws Error for: a point that is not finite or beyond 1e100 m, inconsistent
/// offsets, a tetrahedron without 4 points, a point out of range, another volume type, an unknown type.
void AppendTets(const VtkGrid& grid, const std::string& name, TetMesh* mesh);
/// Throws Error when the mesh of the file has no tetrahedron.
void CheckHasTets(const TetMesh& mesh, std::size_t cell_count, const std::string& name);

}  // namespace taxel::internal
