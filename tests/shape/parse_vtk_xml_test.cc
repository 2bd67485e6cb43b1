// ParseVtkXmlTets on its own (parse_vtk_test.cc has the files of other programs and every message):
//   - one piece and several, other elements between, arrays in another order
//   - appended raw data, which is no XML
//   - what is missing or does not fit is named
#include "taxel/shape/parse_vtk_xml.h"

#include <gtest/gtest.h>

#include <cstring>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

using Tets = std::vector<std::array<int, 4>>;

std::string File(const std::string& pieces, const std::string& tail = "") {
  return "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'><UnstructuredGrid>\n" + pieces +
         "</UnstructuredGrid>" + tail + "</VTKFile>";
}

std::string Piece(const std::string& points) {
  return "<Piece NumberOfPoints='4' NumberOfCells='2'><CellData><DataArray type='Int8' Name='types'>1 "
         "1</DataArray></CellData>\n<Cells><DataArray type='Int8' Name='types'>5 10</DataArray>"
         "<DataArray type='Int32' Name='offsets'>3 7</DataArray>"
         "<DataArray type='Int64' Name='connectivity'>0 1 2 3 1 0 2</DataArray></Cells>"
         "<Points><DataArray type='Float64' NumberOfComponents='3' " +
         points + "</Points></Piece>\n";
}
const std::string kInline = ">0.1 0.2 0.3 1.1 0.4 0.2 0.3 1.7 0.1 0.2 0.1 1.9</DataArray>";

TEST(ParseVtkXmlTets, ReadsAndJoinsPieces) {
  const TetMesh one = ParseVtkXmlTets(File(Piece(kInline)), "gel.vtu");
  ASSERT_EQ(one.vertices.size(), 4u);
  EXPECT_EQ(one.vertices[2], (Vec3{0.3, 1.7, 0.1}));
  EXPECT_EQ(one.tets, (Tets{{3, 1, 0, 2}}));  // the triangle is left out
  const TetMesh two = ParseVtkXmlTets(File(Piece(kInline) + Piece(kInline)), "gel.vtu");
  EXPECT_EQ(two.vertices.size(), 8u);
  EXPECT_EQ(two.tets, (Tets{{3, 1, 0, 2}, {7, 5, 4, 6}}));
}

TEST(ParseVtkXmlTets, ReadsAppendedBytesThatAreNoXml) {
  const double points[12] = {0.1, 0.2, 0.3, 1.1, 0.4, 0.2, 0.3, 1.7, 0.1, 0.2, 0.1, 1.9};
  const std::uint32_t size = sizeof points;
  std::string data(4 + sizeof points, '\0');
  std::memcpy(data.data(), &size, 4);
  std::memcpy(data.data() + 4, points, sizeof points);
  const std::string text = File(Piece("format='appended' offset='2'/>"),
                                "<AppendedData encoding='raw'>\n _<<" + data + "</AppendedData>");
  const TetMesh mesh = ParseVtkXmlTets(text, "gel.vtu");
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[3], (Vec3{0.2, 0.1, 1.9}));
}

TEST(ParseVtkXmlTets, NamesWhatIsWrong) {
  const auto expect = [](std::string text, const std::string& from, const std::string& to,
                         std::initializer_list<std::string> parts) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    ExpectError([&] { ParseVtkXmlTets(text.replace(at, from.size(), to), "gel.vtu"); }, parts);
  };
  const std::string good = File(Piece(kInline));
  expect(good, "<VTKFile", "<Mesh", {"'gel.vtu', line 1", "<Mesh>", "is this a VTK file?"});
  expect(good, "UnstructuredGrid'", "ImageData'", {"type 'ImageData'", "taxel mesh"});
  expect(good, "NumberOfCells='2'", "NumberOfCells='-2'", {"line 2", "NumberOfCells is '-2'"});
  expect(good, "NumberOfCells='2'", "NumberOfCells='3'", {"'types'", "2 numbers instead of 3"});
  expect(good, "NumberOfComponents='3'", "NumberOfComponents='4'", {"NumberOfComponents '4'", "must be 3"});
  expect(good, "'Int64' Name='connectivity'", "'Int64' Name='links'", {"no DataArray for its connectivity"});
  expect(good, ">3 7<", ">3 -7<", {"last of the offsets is -7"});
  expect(good, "3 1 0 2<", "3 1 0 4<", {"cell 1 uses point 4"});
  expect(good, "5 10<", "5 5<", {"2 cells, but no tetrahedron"});
  ExpectError([] { ParseVtkXmlTets(File(""), "gel.vtu"); }, {"no <Piece>"});
  ExpectError([] { ParseVtkXmlTets("<!-- -->", "gel.vtu"); }, {"no <VTKFile>"});
}

}  // namespace
}  // namespace taxel
