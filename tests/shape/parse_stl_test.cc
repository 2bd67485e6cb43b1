// Cases: binary and text give the same mesh; "solid" in a binary header; letter case, several solids, odd
// normals; corners merge exactly; files of VTK and meshio; each error.
#include "taxel/shape/parse_stl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "expect_error.h"
#include "taxel/shape/read_mesh.h"
#include "taxel/shape/watertight.h"

namespace taxel {
using namespace internal;
namespace {

using Triangle = std::array<int, 3>;
using Soup = std::vector<std::array<std::array<float, 3>, 3>>;

// Two triangles of a tilted tetrahedron; they share an edge. All numbers are exact in a float.
const Soup kSoup = {{{{0.5f, 0.25f, -1}, {2, 0.125f, 0.5f}, {-0.75f, 3, 0.0625f}}},
                    {{{2, 0.125f, 0.5f}, {0.5f, 0.25f, -1}, {1, 1, 4}}}};

std::string Binary(const Soup& soup, const std::string& header = "made by hand") {
  std::string bytes = header;
  bytes.resize(80, ' ');
  const auto count = static_cast<std::uint32_t>(soup.size());
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& triangle : soup) {
    bytes.append(12, '\x7f');  // a wrong normal, which must not matter
    bytes.append(reinterpret_cast<const char*>(&triangle), 36);
    bytes.append("\x12\x34");
  }
  return bytes;
}

std::string Text(const Soup& soup) {
  std::string text = "solid part one\n";
  for (const auto& triangle : soup) {
    text += "  facet normal nan 0 0\n    outer loop\n";
    for (const auto& p : triangle)
      text += "      vertex " + ToText(p[0]) + " " + ToText(p[1]) + " " + ToText(p[2]) + "\n";
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid part one\n";
}

TriangleMesh Parse(const std::string& bytes) { return ParseStl(bytes, "part.stl"); }

void ExpectSoup(const TriangleMesh& mesh) {
  EXPECT_EQ(mesh.vertices,
            (std::vector<Vec3>{{0.5, 0.25, -1}, {2, 0.125, 0.5}, {-0.75, 3, 0.0625}, {1, 1, 4}}));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {1, 0, 3}}));
}

TEST(ParseStl, ReadsBinary) { ExpectSoup(Parse(Binary(kSoup))); }
TEST(ParseStl, ReadsText) { ExpectSoup(Parse(Text(kSoup))); }
TEST(ParseStl, ReadsBinaryThatStartsWithSolid) { ExpectSoup(Parse(Binary(kSoup, "solid facet normal"))); }

TEST(ParseStl, ReadsUpperCaseAndCrLf) {
  std::string text = Text(kSoup), crlf;
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  for (char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  ExpectSoup(Parse(crlf));
}

TEST(ParseStl, JoinsSolidsOfOneFile) { ExpectSoup(Parse(Text({kSoup[0]}) + "\n\n" + Text({kSoup[1]}))); }

TEST(ParseStl, MergesOnlyIdenticalCorners) {
  Soup soup = kSoup;
  soup[1][0][0] = std::nextafter(2.f, 3.f);
  EXPECT_EQ(Parse(Binary(soup)).vertices.size(), 5u);
}

TEST(ParseStl, DropsTrianglesThatCollapse) {
  Soup soup = kSoup;
  soup.push_back({{{1, 1, 4}, {1, 1, 4}, {2, 0.125f, 0.5f}}});
  ExpectSoup(Parse(Binary(soup)));
}

TEST(ParseStl, ReadsFilesOfOtherPrograms) {
  for (const char* file : {"vtk_binary.stl", "vtk_ascii.stl", "meshio_ascii.stl"}) {
    const TriangleMesh mesh = ReadTriangleMesh(std::string(TAXEL_TEST_DATA "/readers/") + file);
    EXPECT_EQ(mesh.vertices.size(), 8u) << file;
    EXPECT_EQ(mesh.triangles.size(), 12u) << file;
    EXPECT_TRUE(CheckWatertight(mesh).ok()) << file;
    // Volume of the box before its coordinates were rounded to floats (7 digits) or to 6 digits.
    EXPECT_NEAR(EnclosedVolume(mesh), 2.3877e-5, 2e-9) << file;
  }
}

TEST(ParseStl, ErrorsNameFilePlaceValueAndWayOut) {
  const auto expect = [](const std::string& text, std::initializer_list<std::string> parts) {
    ExpectError([&] { Parse(text); }, parts);
  };
  const std::string facet = "solid a\nfacet normal 0 0 1\nouter loop\n";
  expect("", {"'part.stl'", "empty"});
  expect("hello", {"'part.stl'", "5 bytes", "'solid'", "is this an STL file?"});
  expect("solid a\nendsolid a\n", {"'part.stl'", "without a triangle"});
  expect(Binary({}), {"'part.stl'", "without a triangle"});
  expect(Binary(kSoup).substr(0, 183),
         {"'part.stl', byte 80", "2 triangles", "184 bytes", "183", "export it again"});
  expect(Binary(kSoup) + "x", {"byte 80", "184 bytes", "has 185"});
  expect(Binary(kSoup, "solid a").substr(0, 150), {"byte 80", "2 triangles", "150"});
  std::string huge = Binary(kSoup);
  std::memset(&huge[80], 0xff, 4);
  expect(huge, {"4294967295 triangles", "214748364834 bytes"});
  Soup soup = kSoup;
  soup[1][2][1] = std::numeric_limits<float>::quiet_NaN();
  expect(Binary(soup), {"byte 170", "corner 2 of triangle 1", "(1, nan, 4)", "finite"});
  expect("solid a\nfacet normal 0 0 1\ninner loop", {"line 3", "'outer'", "'inner'"});
  expect(facet + "vertex 0 0 0\nvertex 1 x 0", {"line 5", "y of corner 1 of triangle 0", "'x'"});
  expect(facet + "vertex 0 0 inf", {"line 4", "z of corner 0 of triangle 0", "'inf'", "finite"});
  expect(facet + "vertex 0 0", {"line 4", "z of corner 0", "missing"});
  expect(facet + "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\n",
         {"line 7", "more than 3 corners", "triangulate"});
  expect(Text(kSoup) + "facet", {"line 17", "'solid'", "'facet'"});
  expect(facet, {"'vertex'", "the end of the file", "cut off"});
  expect("solid a\n", {"'facet' or 'endsolid'", "the end of the file"});
  soup = {{{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}}};
  expect(Binary(soup), {"all 1 triangles", "no surface", "more digits"});
}

}  // namespace
}  // namespace taxel
