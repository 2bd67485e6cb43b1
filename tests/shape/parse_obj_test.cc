// Cases: every corner form; negative indices; polygons; all ignored lines; line ends, continuation,
// byte-order mark; vertices after faces; each error; a long file in linear time; the repository's own files.
#include "taxel/shape/parse_obj.h"

#include <gtest/gtest.h>

#include <chrono>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

using Triangle = std::array<int, 3>;

const std::string kFour = "v 0.013 -0.27 0.4\nv 1.5e-2 +.31 -4\nv -7 8.25 .5\nv 2 3 5\n";

TriangleMesh Parse(const std::string& text) { return ParseObj(text, "part.obj"); }

TEST(ParseObj, ReadsVerticesAndTriangles) {
  const TriangleMesh mesh = Parse(kFour + "f 1 2 3\nf 4 3 2\n");
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[0], (Vec3{0.013, -0.27, 0.4}));
  EXPECT_EQ(mesh.vertices[1], (Vec3{0.015, 0.31, -4}));
  EXPECT_EQ(mesh.vertices[2], (Vec3{-7, 8.25, 0.5}));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 2, 1}}));
}

TEST(ParseObj, ReadsEveryFormOfCorner) {
  const TriangleMesh mesh = Parse(kFour + "f 1/7 2/8/9 4//3\nf 3/ -1/1/1 -4//-2\n");
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 3}, {2, 3, 0}}));
}

TEST(ParseObj, NegativeIndicesCountFromTheVerticesSoFar) {
  const TriangleMesh mesh = Parse("v 1 0 0\nv 0 2 0\nv 0 0 3\nf -3 -2 -1\nv 4 4 4\nf -3 -2 -1\n");
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {1, 2, 3}}));
}

TEST(ParseObj, PolygonBecomesFan) {
  const TriangleMesh mesh = Parse(kFour + "v 9 9 9\nf 2 3 4 5 1\n");
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{1, 2, 3}, {1, 3, 4}, {1, 4, 0}}));
}

TEST(ParseObj, FaceMayStandBeforeItsVertices) {
  EXPECT_EQ(Parse("f 1 2 4\n" + kFour).triangles, (std::vector<Triangle>{{0, 1, 3}}));
}

TEST(ParseObj, IgnoresWhatIsNoSurface) {
  const TriangleMesh mesh =
      Parse("# head\n\n  \nmtllib a b.mtl\no part one\ng a b\ns off\nusemtl red\n" + kFour +
            "vn 0 0 1\nvt 0.5 0.5\nvp 1\nl 1 2 \\\n 3\np 1\n   f 1 2 3 # f 9 9 9\n#f 4 4 4\n");
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(ParseObj, IgnoresWeightAndColour) {
  const TriangleMesh mesh = Parse("v 1 2 3 0.5\nv 4 5 6 0.1 0.2 0.3\nv 7 8 10 0.1 0.2 0.3 1\nf 1 2 3\n");
  EXPECT_EQ(mesh.vertices, (std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}));
}

TEST(ParseObj, AcceptsAllLineEndsAndContinuation) {
  const std::vector<Vec3> vertices{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}};
  const std::string texts[] = {"v 1 2 3\r\nv 4 5 6\r\nv 7 8 10\r\nf 1 2 3\r\n",
                               "v 1 2 3\rv 4 5 6\rv 7 8 10\rf 1 2 3",
                               "v 1\\\n2 3\nv 4 5 \\\r\n6\nv 7 8 10\nf \\\n\\\n1 2\\\r3",
                               "\xEF\xBB\xBFv 1 2 3\nv 4 5 6\nv 7 8 10\nf 1 2 3"};
  for (const std::string& text : texts) {
    const TriangleMesh mesh = Parse(text);
    EXPECT_EQ(mesh.vertices, vertices) << text;
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}})) << text;
  }
}

TEST(ParseObj, NumbersTooSmallForADoubleAreZero) {
  EXPECT_EQ(Parse("v 1e-400 -1e-999 0.5\nv 1 0 0\nv 0 1 0\nf 1 2 3").vertices[0], (Vec3{0, 0, 0.5}));
}

TEST(ParseObj, ErrorsNameFileLineValueAndWayOut) {
  const auto expect = [](const std::string& text, std::initializer_list<std::string> parts) {
    ExpectError([&] { Parse(text); }, parts);
  };
  expect("", {"'part.obj'", "empty"});
  expect(kFour, {"'part.obj'", "4 vertices", "no face", "export"});
  expect("\n\nv 1 2\nf 1 1 1", {"'part.obj', line 3", "z of vertex 1", "missing"});
  expect("v 1 2,5 3\n", {"line 1", "y of vertex 1", "'2,5'", "not a number", "0.05"});
  expect("v 1 2 3\r\nv nan 0 0\r\n", {"line 2", "x of vertex 2", "'nan'", "finite"});
  expect("v 1 2 3\rv 0 -inf 0", {"line 2", "y of vertex 2", "'-inf'"});
  expect("v 1e999 2 3", {"'1e999'", "finite"});
  expect("v 1e101 2 3", {"'1e101'", "1e+100"});
  expect(kFour + "f 1 2 0\n", {"line 5", "'0'", "from 1"});
  expect(kFour + "f 1 2 5\nf 1 2 3", {"line 5", "vertex 5", "4 vertices"});
  expect(kFour + "f 1 2 99999999999\n", {"line 5", "vertex 99999999999", "4 vertices"});
  expect(kFour + "f 1 2 99999999999999999999\n", {"line 5", "'99999999999999999999'", "whole numbers"});
  expect(kFour + "f 1 2 -5\n", {"line 5", "'-5'", "only 4 vertices"});
  expect(kFour + "f 1 2 -9223372036854775808\n", {"line 5", "only 4 vertices"});
  expect(kFour + "f 1 2/x 3\n", {"line 5", "'2/x'", "v/vt/vn"});
  expect(kFour + "f 1 2/1/1/1 3\n", {"line 5", "'2/1/1/1'", "v/vt/vn"});
  expect(kFour + "f 1 2.0 3\n", {"line 5", "'2.0'"});
  expect(kFour + "f 1 \\\n 2\n", {"line 5", "2 corner(s)", "at least 3"});
  expect(kFour + "surf 0 1 0 1\n", {"line 5", "'surf'", "polygons"});
  expect(std::string("PK\x03\x04 zip", 8), {"line 1", "unknown keyword 'PK?", "is this an OBJ file?"});
}

TEST(ParseObj, LongValuesAreCutInMessages) {
  try {
    Parse("v " + std::string(100000, 'x') + " 0 0");
    FAIL();
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 300u);
  }
}

// A polygon with a million corners, and a million lines: both would take minutes if anything were quadratic.
TEST(ParseObj, TimeIsLinear) {
  std::string text = kFour + "f";
  for (int i = 0; i < 1000000; ++i) text += " 1";
  text += "\n";
  for (int i = 0; i < 1000000; ++i) text += "f 1 2 -1\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Parse(text).triangles.size(), 1999998u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace taxel
