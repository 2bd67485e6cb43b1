#include "taxel/shape/vtk_cells.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "taxel/math/error.h"
#include "taxel/shape/text_scan.h"

namespace taxel::internal {

namespace {

constexpr std::int64_t kTetrahedron = 10;

std::uint64_t DecodeBits(const std::uint8_t* bytes, int count, bool big_endian) {
  std::uint64_t bits = 0;
  for (int i = 0; i < count; ++i) bits = bits << 8 | bytes[big_endian ? i : count - 1 - i];
  return bits;
}

double DecodeFloat(std::uint64_t bits, int bytes) {
  if (bytes == 4) {
    const auto low = static_cast<std::uint32_t>(bits);
    float value;
    std::memcpy(&value, &low, sizeof value);
    return value;
  }
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::int64_t SignExtend(std::uint64_t bits, int bytes) {
  const int unused = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// Cells of dimension 0 to 2: the rim of the body or its marks, no part of its volume.
bool HasNoVolume(std::int64_t type) {
  return (type >= 0 && type <= 9) || (type >= 21 && type <= 23) || type == 28 || type == 30 ||
         (type >= 34 && type <= 36) || (type >= 68 && type <= 70) || (type >= 75 && type <= 77);
}

const char* VolumeName(std::int64_t type) {
  switch (type) {
    case 11:
      return "voxel";
    case 12:
      return "hexahedron";
    case 13:
      return "wedge";
    case 14:
      return "pyramid";
    case 15:
      return "pentagonal prism";
    case 16:
      return "hexagonal prism";
    case 24:
      return "quadratic tetrahedron";
    case 25:
      return "quadratic hexahedron";
    case 26:
      return "quadratic wedge";
    case 27:
      return "quadratic pyramid";
    case 29:
      return "triquadratic hexahedron";
    case 31:
      return "quadratic linear wedge";
    case 32:
      return "biquadratic quadratic wedge";
    case 33:
      return "biquadratic quadratic hexahedron";
    case 37:
      return "triquadratic pyramid";
    case 41:
      return "convex point set";
    case 42:
      return "polyhedron";
    case 71:
      return "Lagrange tetrahedron";
    case 72:
      return "Lagrange hexahedron";
    case 73:
      return "Lagrange wedge";
    case 78:
      return "Bezier tetrahedron";
    case 79:
      return "Bezier hexahedron";
    default:
      return nullptr;
  }
}

[[noreturn]] void FailType(const std::string& who, std::int64_t type) {
  const char* volume = VolumeName(type);
  const std::string what =
      "has type " + std::to_string(type) + (volume ? " (" + std::string(volume) + ")" : "");
  if (!volume) throw Error(who + what + ", which VTK does not define; write linear tetrahedra (type 10)");
  if (type == 24 || type == 71 || type == 78)
    throw Error(who + what +
                "; only linear tetrahedra (type 10) can be read: write the mesh with element order 1");
  throw Error(who + what +
              "; only linear tetrahedra (type 10) can be read: split the cells, for example with " +
              "pyvista's grid.triangulate(), or mesh the surface with 'taxel mesh IN.obj OUT.vtk'");
}

}  // namespace

double DecodeDouble(const std::uint8_t* bytes, VtkScalar type, bool big_endian) {
  const std::uint64_t bits = DecodeBits(bytes, type.bytes, big_endian);
  if (type.kind == VtkScalar::Kind::kFloat) return DecodeFloat(bits, type.bytes);
  if (type.kind == VtkScalar::Kind::kUnsigned) return static_cast<double>(bits);
  return static_cast<double>(SignExtend(bits, type.bytes));
}

std::int64_t DecodeInteger(const std::uint8_t* bytes, VtkScalar type, bool big_endian) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const std::uint64_t bits = DecodeBits(bytes, type.bytes, big_endian);
  if (type.kind == VtkScalar::Kind::kSigned) return SignExtend(bits, type.bytes);
  if (type.kind == VtkScalar::Kind::kUnsigned)
    return bits > static_cast<std::uint64_t>(kMax) ? kMax : static_cast<std::int64_t>(bits);
  const double value = DecodeFloat(bits, type.bytes);
  if (!(value > -0x1p63)) return kMin;  // NaN too: no index
  return value < 0x1p63 ? static_cast<std::int64_t>(value) : kMax;
}

void AppendTets(const VtkGrid& grid, const std::string& name, TetMesh* mesh) {
  const std::string who = "mesh file '" + name + "': ";
  for (std::size_t i = 0; i < grid.points.size(); ++i) {
    const Vec3& p = grid.points[i];
    for (int k = 0; k < 3; ++k)
      if (!(std::fabs(p[k]) <= kLargestCoordinate))
        throw Error(who + "point " + std::to_string(i) + " is (" + ToText(p.x) + ", " + ToText(p.y) + ", " +
                    ToText(p.z) + "); coordinates must be finite and at most " + ToText(kLargestCoordinate) +
                    " m: repair or remove it");
  }
  const auto point_count = static_cast<std::int64_t>(grid.points.size());
  const auto first = static_cast<std::int64_t>(mesh->vertices.size());
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (first + point_count > kMost || static_cast<std::int64_t>(mesh->tets.size() + grid.types.size()) > kMost)
    throw Error(who + "more than " + std::to_string(kMost) + " points or cells; simplify the mesh");
  const auto connectivity_count = static_cast<std::int64_t>(grid.connectivity.size());
  for (std::size_t c = 0; c < grid.types.size(); ++c) {
    const std::int64_t begin = grid.offsets[c], end = grid.offsets[c + 1];
    const auto cell = [c] { return "cell " + std::to_string(c) + " "; };
    if (begin < 0 || end < begin || end > connectivity_count)
      throw Error(who + cell() + "has the offsets " + std::to_string(begin) + " to " + std::to_string(end) +
                  "; they must not fall and end at " + std::to_string(connectivity_count) +
                  ", the size of the connectivity: the file is damaged, write it again");
    if (HasNoVolume(grid.types[c])) continue;
    if (grid.types[c] != kTetrahedron) FailType(who + cell(), grid.types[c]);
    if (end - begin != 4)
      throw Error(who + cell() + "is a tetrahedron with " + std::to_string(end - begin) +
                  " points; it must have 4: the file is damaged, write it again");
    std::array<int, 4> tet;
    for (int k = 0; k < 4; ++k) {
      const std::int64_t point = grid.connectivity[begin + k];
      if (point < 0 || point >= point_count)
        throw Error(who + cell() + "uses point " + std::to_string(point) + ", but there are " +
                    std::to_string(point_count) + " points (counted from 0)");
      tet[k] = static_cast<int>(first + point);
    }
    mesh->tets.push_back(tet);
  }
  mesh->vertices.insert(mesh->vertices.end(), grid.points.begin(), grid.points.end());
}

void CheckHasTets(const TetMesh& mesh, std::size_t cell_count, const std::string& name) {
  if (mesh.tets.empty())
    throw Error(
        "mesh file '" + name + "': " + std::to_string(cell_count) +
        " cells, but no tetrahedron (type 10); a soft body needs a volume: make one with 'taxel mesh IN.obj "
        "OUT.vtk'");
}

}  // namespace taxel::internal
