// Cases, on a tilted tetrahedron and the repository's files: closed; hole; flipped triangle; fin; split
// vertices; collapsed and collinear triangles; two pieces; no triangle; wrong indices.
#include "taxel/shape/watertight.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "taxel/shape/read_mesh.h"

namespace taxel {
namespace {

// Off-axis corners, so that no coordinate can be mistaken for another.
TriangleMesh Tetrahedron() {
  return {{{0.013, -0.021, 0.034}, {0.055, 0.008, 0.013}, {0.021, 0.089, 0.005}, {0.031, 0.017, 0.144}},
          {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
}

bool IsEdge(const std::pair<Vec3, Vec3>& e, const Vec3& a, const Vec3& b) {
  return (e.first == a && e.second == b) || (e.first == b && e.second == a);
}

TEST(Watertight, ClosedSurface) {
  const WatertightReport report = CheckWatertight(Tetrahedron());
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.components, 1);
  EXPECT_TRUE(report.examples.empty());
  EXPECT_EQ(report.Describe("gel"), "surface 'gel' is watertight: 4 triangles in 1 closed piece.");
}

TEST(Watertight, HoleOpensThreeEdges) {
  TriangleMesh mesh = Tetrahedron();
  mesh.triangles.erase(mesh.triangles.begin() + 2);
  const WatertightReport report = CheckWatertight(mesh);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.open_edges, 3);
  EXPECT_EQ(report.flipped_edges + report.overshared_edges, 0);
  ASSERT_EQ(report.examples.size(), 3u);
  for (const auto& e : report.examples) {
    int matches = 0;
    for (int k = 1; k < 4; ++k) matches += IsEdge(e, mesh.vertices[k], mesh.vertices[k % 3 + 1]);
    EXPECT_EQ(matches, 1);
  }
  const std::string text = report.Describe("gel");
  for (const char* part : {"'gel'", "not watertight", "3 open edges", "(0.055, 0.008, 0.013)",
                           "Close the holes", "merge duplicate vertices", "taxel mesh IN OUT.vtk"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " not in: " << text;
}

TEST(Watertight, FlippedTriangle) {
  TriangleMesh mesh = Tetrahedron();
  std::swap(mesh.triangles[1][0], mesh.triangles[1][1]);
  const WatertightReport report = CheckWatertight(mesh);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.flipped_edges, 3);
  EXPECT_EQ(report.open_edges + report.overshared_edges, 0);
  EXPECT_NE(report.Describe("gel").find("3 edges between triangles that face opposite sides"),
            std::string::npos);
}

TEST(Watertight, FinSharesAnEdgeTooOften) {
  TriangleMesh mesh = Tetrahedron();
  mesh.vertices.push_back({0.2, 0.3, -0.1});
  mesh.triangles.push_back({0, 1, 4});
  const WatertightReport report = CheckWatertight(mesh);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.overshared_edges, 1);
  EXPECT_EQ(report.open_edges, 2);
  EXPECT_EQ(report.components, 1);
  ASSERT_EQ(report.examples.size(), 3u);
  EXPECT_TRUE(IsEdge(report.examples[2], mesh.vertices[0], mesh.vertices[1]));
  EXPECT_NE(report.Describe("gel").find("1 edge shared by more than two triangles"), std::string::npos);
}

TEST(Watertight, PartsThatTouchAlongAnEdgeHaveAnInside) {
  // Two wedges back to back on one edge, tilted: four triangles share it, twice each way.
  TriangleMesh mesh;
  mesh.vertices = {{0.01, 0.02, 0.03}, {0.012, 0.021, 0.09},  {0.05, 0.01, 0.04},
                   {0.04, 0.06, 0.05}, {-0.04, 0.025, 0.045}, {-0.03, -0.03, 0.06}};
  for (const auto& [a, b, c, d] : {std::array{0, 1, 3, 2}, std::array{0, 1, 5, 4}})
    for (const auto& t : {std::array{a, b, c}, std::array{a, c, d}, std::array{a, d, b}, std::array{b, d, c}})
      mesh.triangles.push_back(t);
  WatertightReport report = CheckWatertight(mesh);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(report.closed());
  EXPECT_EQ(report.overshared_edges, 1);
  EXPECT_EQ(report.open_edges + report.flipped_edges + report.uneven_edges, 0);
  EXPECT_EQ(
      report.Flaws(1),
      "1 edge shared by more than two triangles. The first (metres): (0.01, 0.02, 0.03) to (0.012, 0.021, "
      "0.09)");
  // One of them inside out: what is its inside is anybody's guess, but it has one; a hole has none.
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  EXPECT_FALSE(CheckWatertight(mesh).closed());
  mesh.triangles.erase(mesh.triangles.begin());
  EXPECT_FALSE(CheckWatertight(mesh).closed());
  EXPECT_TRUE(CheckWatertight(Tetrahedron()).closed());
  EXPECT_FALSE(CheckWatertight({}).closed());
}

TEST(Watertight, PlacesAreShort) {
  TriangleMesh mesh = Tetrahedron();
  mesh.triangles.pop_back();
  for (Vec3& v : mesh.vertices) v = {float(v.x) / 3, float(v.y) / 3, float(v.z) / 3};
  EXPECT_LT(CheckWatertight(mesh).Flaws(1).size(), 130u);
}

TEST(Watertight, SplitVerticesAreJoined) {
  const TriangleMesh mesh = Tetrahedron();
  TriangleMesh soup;
  for (int t = 0; t < 4; ++t) {
    for (int k = 0; k < 3; ++k) soup.vertices.push_back(mesh.corner(t, k));
    soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  EXPECT_TRUE(CheckWatertight(soup).ok());
  soup.vertices[0].x += 1e-12;
  EXPECT_EQ(CheckWatertight(soup).open_edges, 4);
}

TEST(Watertight, DegenerateTrianglesAreReportedOnly) {
  TriangleMesh mesh = Tetrahedron();
  mesh.triangles.push_back({1, 1, 3});
  // Edge 0-1 is split by its midpoint on one side; a collinear triangle closes the slit.
  const Vec3 a{0, 0, 0}, b{0.25, 0.5, 0.75};
  mesh.vertices[0] = a, mesh.vertices[1] = b;
  mesh.vertices.push_back(0.5 * (a + b));
  mesh.triangles[1] = {0, 4, 3};
  mesh.triangles.push_back({4, 1, 3});
  mesh.triangles.push_back({0, 1, 4});
  const WatertightReport report = CheckWatertight(mesh);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.degenerate_triangles, 2);
  EXPECT_EQ(report.components, 1);
  EXPECT_NE(report.Describe("gel").find("2 triangles have no area"), std::string::npos);
}

TEST(Watertight, CountsPieces) {
  TriangleMesh mesh = Tetrahedron();
  const TriangleMesh other = Tetrahedron();
  // Touching in one vertex is not being connected.
  for (const Vec3& p : other.vertices) mesh.vertices.push_back(2 * mesh.vertices[3] - p);
  for (const auto& t : other.triangles) mesh.triangles.push_back({t[0] + 4, t[2] + 4, t[1] + 4});
  const WatertightReport report = CheckWatertight(mesh);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.components, 2);
}

TEST(Watertight, AtMostFiveExamples) {
  TriangleMesh mesh;
  for (int i = 0; i < 4; ++i) {
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0.1, 0}, Vec3{0, 1, 0.3}})
      mesh.vertices.push_back(p + Vec3{3.0 * i, 0, 0});
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const WatertightReport report = CheckWatertight(mesh);
  EXPECT_EQ(report.open_edges, 12);
  EXPECT_EQ(report.components, 4);
  EXPECT_EQ(report.examples.size(), 5u);
}

TEST(Watertight, NoTriangle) {
  EXPECT_FALSE(CheckWatertight({}).ok());
  EXPECT_NE(CheckWatertight({}).Describe("gel").find("no triangle"), std::string::npos);
  EXPECT_FALSE(CheckWatertight({{{1, 2, 3}}, {{0, 0, 0}}}).ok());
}

TEST(Watertight, WrongIndexIsAnError) {
  ExpectError([] { CheckWatertight({{{1, 2, 3}, {4, 5, 6}}, {{0, 1, 2}}}); }, {"triangle 0", "vertex 2"});
}

TEST(Watertight, FilesOfTheRepository) {
  for (const char* file : {"dumbbell.obj", "l_shape.obj"})
    EXPECT_TRUE(CheckWatertight(ReadTriangleMesh(std::string(TAXEL_TEST_DATA "/") + file)).ok()) << file;
}

}  // namespace
}  // namespace taxel
