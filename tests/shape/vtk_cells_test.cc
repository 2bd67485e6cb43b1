// What the VTK readers share:
//   - numbers in binary: every type, both byte orders, signs; indices that no int64 holds
//   - grids: tetrahedra are taken over with shifted points, lower cells are skipped, the rest is named and
//   refused
#include "taxel/shape/vtk_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

using Kind = VtkScalar::Kind;

template <class T>
std::vector<std::uint8_t> Bytes(T value, bool big_endian) {
  std::vector<std::uint8_t> out(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);  // the tests run on little-endian machines
  if (big_endian) std::reverse(out.begin(), out.end());
  return out;
}

template <class T>
void ExpectDecoded(T value, Kind kind) {
  const VtkScalar type{kind, static_cast<int>(sizeof value)};
  for (bool big : {false, true}) {
    EXPECT_EQ(DecodeDouble(Bytes(value, big).data(), type, big), static_cast<double>(value));
    EXPECT_EQ(DecodeInteger(Bytes(value, big).data(), type, big), static_cast<std::int64_t>(value));
  }
}

TEST(DecodeNumbers, OfEveryTypeInBothOrders) {
  ExpectDecoded<std::int8_t>(-103, Kind::kSigned);
  ExpectDecoded<std::uint8_t>(203, Kind::kUnsigned);
  ExpectDecoded<std::int16_t>(-30001, Kind::kSigned);
  ExpectDecoded<std::uint16_t>(60001, Kind::kUnsigned);
  ExpectDecoded<std::int32_t>(-2000000001, Kind::kSigned);
  ExpectDecoded<std::uint32_t>(4000000001u, Kind::kUnsigned);
  ExpectDecoded<std::int64_t>(-123456789012345, Kind::kSigned);
  ExpectDecoded<std::uint64_t>(123456789012345u, Kind::kUnsigned);
  ExpectDecoded<float>(-1234.5f, Kind::kFloat);
  ExpectDecoded<double>(987654.25, Kind::kFloat);
}

TEST(DecodeInteger, StaysInItsRange) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max(),
                         kMin = std::numeric_limits<std::int64_t>::min();
  const VtkScalar u64{Kind::kUnsigned, 8}, f64{Kind::kFloat, 8};
  EXPECT_EQ(DecodeInteger(Bytes(~std::uint64_t{0}, false).data(), u64, false), kMax);
  EXPECT_EQ(DecodeInteger(Bytes(1e300, false).data(), f64, false), kMax);
  EXPECT_EQ(DecodeInteger(Bytes(-1e300, false).data(), f64, false), kMin);
  EXPECT_EQ(DecodeInteger(Bytes(std::nan(""), false).data(), f64, false), kMin);
  EXPECT_EQ(DecodeInteger(Bytes(7.9, false).data(), f64, false), 7);
}

// A point, a tetrahedron, a triangle and another tetrahedron.
VtkGrid Grid() {
  VtkGrid g;
  g.points = {{0.1, 0.2, 0.3}, {1.1, 0.4, 0.2}, {0.3, 1.7, 0.1}, {0.2, 0.1, 1.9}, {1, 2, -0.3}};
  g.offsets = {0, 1, 5, 8, 12};
  g.connectivity = {4, 0, 1, 2, 3, 0, 1, 2, 2, 1, 0, 4};
  g.types = {1, 10, 5, 10};
  return g;
}

TEST(AppendTets, TakesTetrahedraAndShiftsTheirPoints) {
  TetMesh mesh;
  AppendTets(Grid(), "gel.vtk", &mesh);
  AppendTets(Grid(), "gel.vtk", &mesh);
  EXPECT_EQ(mesh.vertices.size(), 10u);
  EXPECT_EQ(mesh.vertices[9], (Vec3{1, 2, -0.3}));
  EXPECT_EQ(mesh.tets,
            (std::vector<std::array<int, 4>>{{0, 1, 2, 3}, {2, 1, 0, 4}, {5, 6, 7, 8}, {7, 6, 5, 9}}));
}

void ExpectRefused(const VtkGrid& grid, std::initializer_list<std::string> parts) {
  TetMesh mesh;
  ExpectError([&] { AppendTets(grid, "gel.vtk", &mesh); }, parts);
}

TEST(AppendTets, RefusesWhatItCannotRead) {
  const auto with_type = [](std::int64_t type) {
    VtkGrid g = Grid();
    g.types[1] = type;
    return g;
  };
  ExpectRefused(with_type(12), {"'gel.vtk'", "cell 1", "type 12 (hexahedron)", "taxel mesh"});
  ExpectRefused(with_type(24), {"type 24 (quadratic tetrahedron)", "element order 1"});
  ExpectRefused(with_type(99), {"type 99", "which VTK does not define"});
  ExpectRefused(with_type(-1), {"type -1"});
  VtkGrid far = Grid(), nan = Grid(), falling = Grid(), beyond = Grid(), short_tet = Grid(),
          stranger = Grid();
  far.points[2].y = 1e101;
  ExpectRefused(far, {"point 2", "1e+101", "finite and at most"});
  nan.points[0].z = std::nan("");
  ExpectRefused(nan, {"point 0", "nan"});
  falling.offsets = {0, 5, 1, 8, 12};
  ExpectRefused(falling, {"cell 1", "offsets 5 to 1", "must not fall"});
  beyond.offsets[4] = 13;
  ExpectRefused(beyond, {"cell 3", "offsets 8 to 13", "12"});
  short_tet.offsets = {0, 1, 4, 8, 12};
  ExpectRefused(short_tet, {"cell 1 is a tetrahedron with 3 points"});
  stranger.connectivity[3] = 5;
  ExpectRefused(stranger, {"cell 1 uses point 5", "5 points (counted from 0)"});
  stranger.connectivity[3] = -1;
  ExpectRefused(stranger, {"uses point -1"});
}

TEST(CheckHasTets, NeedsOne) {
  TetMesh mesh;
  ExpectError([&] { CheckHasTets(mesh, 7, "gel.vtk"); },
              {"'gel.vtk'", "7 cells, but no tetrahedron", "taxel mesh"});
  mesh.tets.push_back({0, 1, 2, 3});
  EXPECT_NO_THROW(CheckHasTets(mesh, 7, "gel.vtk"));
}

}  // namespace
}  // namespace taxel
