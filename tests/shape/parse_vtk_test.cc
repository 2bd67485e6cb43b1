// Cases: the same five tetrahedra in every kind of file that VTK 9.7, pyvista and meshio 5.3 write;
// hand-written legacy versions, several pieces, comments and quotes in XML; each error of either kind;
// hostile counts; shared arrays.
#include "taxel/shape/parse_vtk.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

using Tet = std::array<int, 4>;

std::string Load(const std::string& file) {
  std::ifstream in(TAXEL_TEST_DATA "/readers/" + file, std::ios::binary);
  EXPECT_TRUE(in.good()) << file;
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

TetMesh Parse(const std::string& bytes) { return ParseVtkTets(bytes, "gel.vtk"); }

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

// A sheared box, filled by five tetrahedra.
const std::vector<Vec3> kPoints = {{0.0123, -0.0457, 0.0789}, {0.0433, -0.0387, 0.0749},
                                   {0.0373, -0.0117, 0.0839}, {0.0063, -0.0187, 0.0879},
                                   {0.0173, -0.0567, 0.1019}, {0.0483, -0.0497, 0.0979},
                                   {0.0423, -0.0227, 0.1069}, {0.0113, -0.0297, 0.1109}};
const std::vector<Tet> kTets = {{0, 1, 3, 4}, {1, 2, 3, 6}, {1, 6, 4, 5}, {3, 4, 6, 7}, {1, 3, 4, 6}};

// VTK's ASCII writers keep 6 (legacy) or 11 (XML) digits: enough for these coordinates, which have 4. The
// binary ones hold sums such as 0.0879 - 1e-17. A float (7 digits) or a swapped byte would show.
constexpr double kTolerance = 1e-15;

class ParseVtkFiles : public testing::TestWithParam<const char*> {};

TEST_P(ParseVtkFiles, GivesTheFiveTetrahedra) {
  const TetMesh mesh = Parse(Load(GetParam()));
  ASSERT_EQ(mesh.vertices.size(), kPoints.size());
  for (std::size_t i = 0; i < kPoints.size(); ++i)
    EXPECT_LE(norm(mesh.vertices[i] - kPoints[i]), kTolerance) << i;
  EXPECT_EQ(mesh.tets, kTets);
}

INSTANTIATE_TEST_SUITE_P(Writers, ParseVtkFiles,
                         testing::Values("meshio_ascii_4.vtk", "meshio_ascii_5.vtk", "meshio_binary_4.vtk",
                                         "meshio_binary_5.vtk", "vtk_ascii_4.vtk", "vtk_ascii_5.vtk",
                                         "vtk_binary_4.vtk", "vtk_binary_5.vtk", "meshio_ascii.vtu",
                                         "meshio_base64.vtu", "meshio_zlib.vtu", "meshio_uint64_zlib.vtu",
                                         "vtk_ascii.vtu", "vtk_base64_big.vtu", "vtk_base64_zlib.vtu",
                                         "vtk_appended_raw.vtu", "vtk_appended_raw_zlib_big.vtu",
                                         "vtk_appended_base64.vtu", "vtk_appended_base64_zlib.vtu",
                                         "pyvista_default.vtu"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

// Every file cut at every byte, or with a byte changed, ends in a mesh or in an Error.
TEST_P(ParseVtkFiles, DamageIsNeverMoreThanAnError) {
  const std::string bytes = Load(GetParam());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::string changed = bytes;
    changed[n] = static_cast<char>(changed[n] ^ 0x11);
    for (const std::string& damaged : {bytes.substr(0, n), changed}) {
      try {
        for (const Tet& tet : Parse(damaged).tets)
          for (int v : tet) ASSERT_TRUE(v >= 0 && v < 1000);
      } catch (const Error&) {
      }
    }
  }
}

const std::string kLegacy =
    "# vtk DataFile Version 2.0\ntwo tets\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
    "0.1 0.2 0.3\n1.1 0.4 0.2\n0.3 1.7 0.1\n0.2 0.1 1.9 1 2 -3e-1\n"
    "CELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 2 1 0 4\nCELL_TYPES 3\n10 5\n10\n";

TEST(ParseVtkLegacy, ReadsVersion2) {
  const TetMesh mesh = Parse(kLegacy);
  ASSERT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.vertices[3], (Vec3{0.2, 0.1, 1.9}));
  EXPECT_EQ(mesh.vertices[4], (Vec3{1, 2, -0.3}));
  EXPECT_EQ(mesh.tets, (std::vector<Tet>{{0, 1, 2, 3}, {2, 1, 0, 4}}));
}

TEST(ParseVtkLegacy, AcceptsCrLfLowerCaseAndEndWithoutNewline) {
  std::string crlf;
  for (char c : Replaced(kLegacy, "DATASET UNSTRUCTURED_GRID", "dataset unstructured_grid"))
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(Parse(crlf).tets.size(), 2u);
  EXPECT_EQ(Parse(kLegacy.substr(0, kLegacy.size() - 1)).tets.size(), 2u);
}

TEST(ParseVtkLegacy, ReadsVersion5WithoutOffsets) {
  EXPECT_EQ(Parse(Replaced(kLegacy, "2.0", "5.1")).tets.size(), 2u);
}

TEST(ParseVtkLegacy, StopsBehindTheGrid) {
  EXPECT_EQ(Parse(kLegacy + "POINT_DATA 5\n\xff\xfe nonsense").tets.size(), 2u);
}

TEST(ParseVtkLegacy, SkipsFieldsOfEveryKindBeforeTheGrid) {
  const std::string field =
      "FIELD FieldData 3\na 2 1 bit\n1 0\nb 1 2 string\nPOINTS 7 float\n\nc 1 1 double\n2.5\n";
  EXPECT_EQ(Parse(Replaced(kLegacy, "POINTS 5", field + "POINTS 5")).tets.size(), 2u);
}

TEST(ParseVtkLegacy, ErrorsNameFileLineValueAndWayOut) {
  const auto expect = [](const std::string& from, const std::string& to,
                         std::initializer_list<std::string> parts) {
    ExpectError([&] { Parse(Replaced(kLegacy, from, to)); }, parts);
  };
  ExpectError([] { Parse(""); }, {"'gel.vtk'", "empty"});
  ExpectError([] { Parse("solid x"); },
              {"'gel.vtk', line 1", "'solid'", "# vtk DataFile Version", "<VTKFile"});
  ExpectError([] { Parse("\n \t"); }, {"starts with ''"});
  expect("# vtk DataFile Version", "# an OBJ file",
         {"line 1", "'# an OBJ file 2.0'", "# vtk DataFile Version 3.0"});
  expect("2.0", "6.0", {"line 1", "version '6.0'", "1 to 5"});
  expect("ASCII", "TEXT", {"line 3", "'TEXT'", "ASCII or BINARY"});
  expect("UNSTRUCTURED_GRID", "POLYDATA", {"line 4", "'POLYDATA'", "UNSTRUCTURED_GRID", "taxel mesh"});
  expect("POINTS 5", "POINTS -5", {"line 5", "the number of POINTS", "'-5'", "0 to 2147483647"});
  expect("POINTS 5", "POINTS 4294967301", {"line 5", "'4294967301'", "2147483647"});
  expect("POINTS 5", "POINTS 2147483647", {"line 5", "POINTS announces 6442450941 values", "cut off"});
  expect("POINTS 5 float", "POINTS 5 quad", {"line 5", "type 'quad'", "float, double"});
  expect("POINTS 5 float", "POINTS 6 float", {"line 10", "x of point 5", "'CELLS'"});
  expect("1.1 0.4", "1.1 0,4", {"line 7", "y of point 1", "'0,4'"});
  expect("1.1 0.4", "1.1 nan", {"line 7", "y of point 1", "'nan'", "finite"});
  expect("POINTS", "PUNKTE", {"line 5", "unknown section 'PUNKTE'", "POINTS, CELLS"});
  expect("CELLS 3 14", "CELLS 3 999", {"line 10", "CELLS announces 999 values"});
  expect("CELLS 3 14", "CELLS 3 12", {"cell 2", "announced 12 numbers"});
  expect("CELLS 3 14", "CELLS 2 14", {"2 cells take 9 of the announced 14"});
  expect("CELLS 3 14", "CELLS 99 14", {"99 cells in 14 numbers"});
  expect("4 2 1 0 4", "4 2 1 x 4", {"line 13", "number 12 of the 14 of CELLS", "'x'", "whole number"});
  expect("4 2 1 0 4", "4 2 1 0 5", {"cell 2", "point 5", "5 points (counted from 0)"});
  expect("4 2 1 0 4", "4 2 1 0 -1", {"cell 2", "point -1"});
  expect("4 2 1 0 4", "4 2 1 0 9223372036854775807", {"cell 2", "point 9223372036854775807"});
  expect("CELLS 3 14\n4 0 1 2 3\n3 0 1 2", "CELLS 3 14\n3 1 2 3\n4 0 1 2 4",
         {"cell 0", "3 points", "must have 4"});
  expect("4 0 1 2 3\n", "-4 0 1 2 3\n", {"cell 0"});
  expect("CELL_TYPES 3\n10 5\n10", "CELL_TYPES 2\n10 5", {"3 cells", "2 types", "one type per cell"});
  expect("CELL_TYPES 3\n10 5\n10", "POINT_DATA 5\n", {"line 14", "'POINT_DATA' before CELL_TYPES"});
  expect("CELL_TYPES 3\n10 5\n10\n", "", {"the end of the file before CELL_TYPES", "cut off"});
  expect("CELL_TYPES 3", "CELLS 3 14", {"line 14", "CELLS for the second time"});
  expect("10 5\n10\n", "10 5\n", {"CELL_TYPES"});
  expect("10 5\n10\n", "5 5 5\n", {"3 cells, but no tetrahedron", "taxel mesh"});
  expect("10 5\n10\n", "10 5 13\n", {"cell 2", "type 13 (wedge)", "triangulate()", "taxel mesh"});
  expect("10 5\n10\n", "10 5 24\n", {"cell 2", "type 24 (quadratic tetrahedron)", "element order 1"});
  expect("10 5\n10\n", "10 5 250\n", {"cell 2", "type 250", "does not define"});
  expect("POINTS 5", "FIELD f 1\na 1 999999 int\n1\nPOINTS 5", {"line 6", "FIELD announces 999999"});
  expect("POINTS 5", "FIELD f 2147483647\nPOINTS 5", {"FIELD"});
}

TEST(ParseVtkLegacy, HexahedraOfVtkAreNamed) {
  ExpectError([] { Parse(Load("hexahedron.vtk")); }, {"cell 0", "type 12 (hexahedron)", "split the cells"});
}

TEST(ParseVtkLegacy, BinaryErrorsNameTheByte) {
  const std::string bytes = Load("vtk_binary_4.vtk");
  ExpectError([&] { Parse(Replaced(bytes, "POINTS 8 double", "POINTS 800 double")); },
              {"'gel.vtk', byte ", "announces 2400"});
  ExpectError([&] { Parse(Replaced(bytes, "CELLS 7 33", "CELLS 7 9999999")); },
              {"byte ", "announces 9999999"});
  const std::size_t point = bytes.find("POINTS 8 double\n") + 16;
  std::string broken = bytes;
  broken[point + 24] = '\x7f', broken[point + 25] = '\xf0';  // x of point 1 becomes a NaN
  ExpectError([&] { Parse(broken); }, {"point 1", "(nan, ", "finite"});
}

TEST(ParseVtkLegacy, OffsetsMustBeInOrder) {
  const std::string text = Load("vtk_ascii_5.vtk");
  ExpectError([&] { Parse(Replaced(text, "0 4 8 12", "0 4 3 12")); }, {"cell 1", "offsets 4 to 3"});
  ExpectError([&] { Parse(Replaced(text, "23 26", "23 27")); }, {"cell 6", "offsets 23 to 27", "26"});
  ExpectError([&] { Parse(Replaced(text, "0 4 8 12", "-4 4 8 12")); }, {"cell 0", "offsets -4 to 4"});
  ExpectError([&] { Parse(Replaced(text, "CONNECTIVITY", "OFFSETS")); },
              {"'OFFSETS' instead of CONNECTIVITY"});
}

std::string Xml(const std::string& pieces, const std::string& attributes = "") {
  return "<?xml version='1.0'?>\n<!-- <VTKFile> in a comment -->\n<VTKFile type=\"UnstructuredGrid\" " +
         attributes + ">\n<UnstructuredGrid>\n" + pieces + "</UnstructuredGrid>\n</VTKFile>\n";
}
const std::string kPiece =
    "<Piece NumberOfPoints='4' NumberOfCells='1'>\n<PointData><DataArray type='Float32' Name='p'>9 9 9 "
    "9</DataArray>"
    "</PointData>\n<Points><DataArray type='Float64' NumberOfComponents='3' format='ascii'>\n"
    "0.1 0.2 0.3 1.1 0.4 0.2 0.3 1.7 0.1 0.2 0.1 1.9 </DataArray></Points>\n<Cells>\n"
    "<DataArray type='Int32' Name='connectivity'>0 1 2 3</DataArray>\n<DataArray type='Int32' "
    "Name='offsets'>4"
    "</DataArray>\n<DataArray type='UInt8' Name='types'>10</DataArray>\n</Cells>\n</Piece>\n";

TEST(ParseVtkXml, JoinsPieces) {
  const TetMesh mesh = Parse(Xml(kPiece + Replaced(kPiece, "0.1 0.2 0.3 ", "0.7 0.2 0.3 ") +
                                 "<Piece NumberOfPoints='0' NumberOfCells='0'></Piece>"));
  ASSERT_EQ(mesh.vertices.size(), 8u);
  EXPECT_EQ(mesh.vertices[4], (Vec3{0.7, 0.2, 0.3}));
  EXPECT_EQ(mesh.tets, (std::vector<Tet>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(ParseVtkXml, ErrorsNameFilePlaceValueAndWayOut) {
  const auto expect = [](const std::string& from, const std::string& to,
                         std::initializer_list<std::string> parts) {
    ExpectError([&] { Parse(Replaced(Xml(kPiece, "byte_order='LittleEndian'"), from, to)); }, parts);
  };
  expect("type=\"UnstructuredGrid\"", "type='PolyData'",
         {"'gel.vtk', line 3", "'PolyData'", "UnstructuredGrid", "taxel mesh"});
  expect("<VTKFile type", "<mesh type", {"line 3", "<mesh>", "<VTKFile>"});
  expect("LittleEndian'", "Middle'", {"line 3", "byte_order is 'Middle'", "LittleEndian, BigEndian"});
  expect("byte_order='LittleEndian'", "header_type='UInt16'", {"header_type is 'UInt16'", "UInt32, UInt64"});
  expect("byte_order='LittleEndian'", "compressor='vtkLZ4DataCompressor'",
         {"'vtkLZ4DataCompressor'", "vtkZLibDataCompressor or none"});
  expect("byte_order='LittleEndian'", "byte_order", {"line 3", "'byte_order' has no value"});
  expect("byte_order='LittleEndian'", "byte_order=3", {"line 3", "'byte_order'", "quotation marks"});
  expect(" in a comment -->", "", {"line 2", "'-->' is missing"});
  expect("</VTKFile>", "", {"ends inside <VTKFile>", "cut off"});
  expect("</Cells>", "</Sells>", {"line 13", "</Sells> closes <Cells>"});
  expect("</VTKFile>", "</VTKFile></VTKFile>", {"</VTKFile> closes nothing"});
  expect("<Cells>", "<Cells <", {"line 9", "not well formed"});
  expect("NumberOfPoints='4'", "NumberOfPoints='four'", {"line 5", "NumberOfPoints is 'four'", "2147483647"});
  expect("NumberOfCells='1'", "", {"line 5", "NumberOfCells is ''"});
  expect("NumberOfCells='1'", "NumberOfCells='2147483647'", {"'types'", "1 numbers instead of 2147483647"});
  expect("NumberOfPoints='4'", "NumberOfPoints='2147483647'",
         {"'points'", "12 numbers instead of 6442450941"});
  expect("NumberOfComponents='3'", "NumberOfComponents='2'",
         {"line 7", "NumberOfComponents '2'", "must be 3"});
  expect("type='Float64'", "type='Half'", {"line 7", "'points' has type 'Half'", "Float32, Float64"});
  expect("format='ascii'", "format='hex'", {"line 7", "format 'hex'", "ascii, binary, appended"});
  expect("format='ascii'", "format='appended' offset='-1'", {"line 7", "offset '-1'"});
  expect("format='ascii'", "format='appended' offset='0'", {"'points'", "no <AppendedData>"});
  expect("1.7", "l.7", {"line 8", "number 7 of DataArray 'points'", "'l.7'"});
  expect("1.7", "-nan", {"point 2", "(0.3, -nan, 0.1)", "finite"});
  expect("0 1 2 3<", "0 1 2 4<", {"cell 0", "point 4", "4 points"});
  expect("0 1 2 3<", "0 1 2<", {"'connectivity'", "3 numbers instead of 4"});
  expect("0 1 2 3<", "0 1 2 3.5<", {"line 10", "number 3 of DataArray 'connectivity'", "'3.5'"});
  expect("Name='offsets'>4", "Name='offsets'>-4", {"last of the offsets is -4"});
  expect("Name='offsets'", "Name='ends'",
         {"line 5", "no DataArray for its offsets", "points, connectivity, offsets and types"});
  expect("'types'>10", "'types'>12", {"cell 0", "type 12 (hexahedron)"});
  expect("'types'>10", "'types'>5", {"1 cells, but no tetrahedron"});
  expect("<Piece", "<Points><DataArray NumberOfComponents='3'/></Points><Piece",
         {"line 5", "outside of a <Piece>"});
  ExpectError([] { Parse(Xml("")); }, {"no <Piece>"});
  ExpectError([] { Parse("<?xml?>"); }, {"line 1", "no <VTKFile>"});
}

TEST(ParseVtkXml, CompressorsOfOthersAreNamed) {
  ExpectError([] { Parse(Load("vtk_lz4.vtu")); },
              {"'vtkLZ4DataCompressor'", "vtkZLibDataCompressor or none"});
  ExpectError([] { Parse(Load("meshio_lzma.vtu")); }, {"'vtkLZMADataCompressor'"});
}

TEST(ParseVtkXml, BinaryErrorsNameTheArray) {
  const std::string raw = Load("vtk_appended_raw.vtu"), base64 = Load("vtk_appended_base64.vtu");
  ExpectError([&] { Parse(Replaced(raw, "header_type=\"UInt64\"", "header_type=\"UInt32\"")); },
              {"bytes instead of", "header_type"});
  ExpectError([&] { Parse(Replaced(raw, "LittleEndian", "BigEndian")); },
              {"'points'", "bytes instead of 192", "byte_order"});
  ExpectError([&] { Parse(Replaced(raw, "encoding=\"raw\"", "encoding=\"hex\"")); },
              {"encoding 'hex'", "raw, base64"});
  ExpectError([&] { Parse(Replaced(raw, "offset=\"116\"", "offset=\"99999999\"")); },
              {"'points'", "offset 99999999"});
  ExpectError([&] { Parse(raw.substr(0, raw.find("\n   _") + 100)); }, {"'gel.vtk'"});
  ExpectError([&] { Parse(Replaced(raw, "\n   _", "\n   ?")); }, {"'_' is missing"});
  const std::size_t data = base64.find("\n   _") + 5;
  std::string broken = base64;
  for (std::size_t i = data; i < data + 1000 && broken[i] != '\n'; ++i) broken[i] = '*';
  ExpectError([&] { Parse(broken); }, {"'*'", "base64", "byte "});
  EXPECT_THROW(Parse(base64.substr(0, data + 300)), Error);
  const std::string zlib = Load("meshio_zlib.vtu");
  ExpectError([&] { Parse(Replaced(zlib, "NumberOfPoints=\"8\"", "NumberOfPoints=\"9\"")); },
              {"'points'", "1 blocks", "data of 216 bytes"});
}

// Thousands of pieces that all name the same appended bytes would fill the memory from a small file.
TEST(ParseVtkXml, SharedArraysAreRefused) {
  std::string pieces;
  const std::string array = "format='appended' offset='0'/>";
  for (int i = 0; i < 2000; ++i)
    pieces +=
        "<Piece NumberOfPoints='8000' NumberOfCells='1'><Points><DataArray type='Float32' "
        "NumberOfComponents='3' " +
        array +
        "</Points><Cells><DataArray type='Int32' Name='connectivity'>0 1 2 3</DataArray><DataArray "
        "type='Int32' Name='offsets'>4</DataArray><DataArray type='UInt8' Name='types'>10</DataArray></Cells>"
        "</Piece>\n";
  const std::uint32_t size = 8000 * 12;
  std::string data(reinterpret_cast<const char*>(&size), 4);
  data.resize(4 + size);
  const std::string text = Replaced(Xml(pieces), "</VTKFile>",
                                    "<AppendedData encoding='raw'>_" + data + "</AppendedData></VTKFile>");
  ExpectError([&] { Parse(text); }, {"'points'", "shares its bytes"});
}

TEST(ParseVtkXml, TimeIsLinear) {
  std::string pieces;
  for (int i = 0; i < 20000; ++i) pieces += kPiece;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Parse(Xml(pieces)).tets.size(), 20000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace taxel
