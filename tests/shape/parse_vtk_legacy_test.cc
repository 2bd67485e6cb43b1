// ParseVtkLegacyTets on its own (parse_vtk_test.cc has the files of other programs and every message):
//   - versions 2 and 5, ASCII and binary, sections in another order, metadata and fields between
//   - what follows the grid is not looked at; what is missing, doubled or cut off is named
#include "taxel/shape/parse_vtk_legacy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

using Tets = std::vector<std::array<int, 4>>;

const std::string kPoints = "POINTS 5 double\n0.1 0.2 0.3 1.1 0.4 0.2\n0.3 1.7 0.1 0.2 0.1 1.9 1 2 -3e-1\n";
const std::string kTypes = "CELL_TYPES 2\n10 10\n";
const std::string kCells = "CELLS 2 10\n4 0 1 2 3\n4 2 1 0 4\n";

std::string Head(const std::string& version, const std::string& form) {
  return "# vtk DataFile Version " + version + "\nwith a title: CELLS 9\n" + form +
         "\nDATASET UNSTRUCTURED_GRID\n";
}

void ExpectGrid(const std::string& text) {
  const TetMesh mesh = ParseVtkLegacyTets(text, "gel.vtk");
  ASSERT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.vertices[1], (Vec3{1.1, 0.4, 0.2}));
  EXPECT_EQ(mesh.vertices[4], (Vec3{1, 2, -0.3}));
  EXPECT_EQ(mesh.tets, (Tets{{0, 1, 2, 3}, {2, 1, 0, 4}}));
}

template <class T>
std::string Big(std::initializer_list<T> values) {
  std::string out;
  for (T v : values) {
    char bytes[sizeof v];
    std::memcpy(bytes, &v, sizeof v);
    for (std::size_t k = sizeof v; k-- > 0;) out += bytes[k];
  }
  return out;
}

TEST(ParseVtkLegacyTets, ReadsBothVersionsInAnyOrder) {
  ExpectGrid(Head("2.0", "ASCII") + kPoints + kCells + kTypes);
  ExpectGrid(Head("4.2", "ascii") + kTypes + kCells + kPoints);
  ExpectGrid(Head("5.1", "ASCII") + kPoints +
             "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 2 1 0 4\n" + kTypes);
  ExpectGrid(Head("3.0", "ASCII") + "METADATA\nINFORMATION 0\n\nFIELD f 1\ntime 1 1 double\n0.5\n" + kPoints +
             kCells + kTypes + "CELL_DATA 2\nnonsense");
}

TEST(ParseVtkLegacyTets, ReadsBinary) {
  const std::string points = "POINTS 5 double\n" + Big({0.1, 0.2, 0.3, 1.1, 0.4, 0.2, 0.3, 1.7, 0.1}) +
                             Big({0.2, 0.1, 1.9, 1.0, 2.0, -0.3}) + "\n";
  ExpectGrid(Head("3.0", "BINARY") + points + "CELLS 2 10\n" + Big({4, 0, 1, 2, 3, 4, 2, 1, 0, 4}) +
             "\nCELL_TYPES 2\n" + Big({10, 10}));
}

TEST(ParseVtkLegacyTets, NamesWhatIsWrong) {
  const auto expect = [](const std::string& text, std::initializer_list<std::string> parts) {
    ExpectError([&] { ParseVtkLegacyTets(text, "gel.vtk"); }, parts);
  };
  const std::string head = Head("3.0", "ASCII");
  expect("# vtk\n", {"'gel.vtk', line 1", "# vtk DataFile Version 3.0"});
  expect(Head("6.0", "ASCII"), {"version '6.0'", "1 to 5"});
  expect(Head("3.0", "HEX"), {"line 3", "'HEX' instead of ASCII or BINARY"});
  expect(head + kPoints + kCells, {"end of the file before CELL_TYPES"});
  expect(head + kPoints + kPoints, {"line 8", "POINTS for the second time"});
  expect(head + kPoints + kCells + "CELL_TYPES 1\n10\n", {"CELLS holds 2 cells, but CELL_TYPES 1"});
  expect(head + "POINTS 2147483647 float\n1 2 3\n", {"POINTS announces 6442450941 values"});
  expect(head + "POINTS 1 float\n1 2 x\n", {"line 6", "z of point 0 is 'x'"});
  expect(head + kPoints + "CELLS 2 9\n4 0 1 2 3 4 2 1 0\n", {"cell 1 does not fit", "9 numbers"});
  expect(head + kPoints + "CELLS 1 10\n4 0 1 2 3 4 2 1 0 4\n", {"1 cells take 5 of the announced 10"});
  expect(Head("3.0", "BINARY") + "POINTS 5 double\n1234", {"byte ", "bytes for 0 at most"});
}

}  // namespace
}  // namespace taxel
