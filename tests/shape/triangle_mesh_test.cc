// Triangle surfaces. Cases:
//   area and volume of a tilted L prism and of spheres; reversed triangles; an empty mesh
//   merging: exact, -0 and 0, within a tolerance across cell borders, triangles that collapse
//   checks: each wrong input is named
#include "taxel/shape/triangle_mesh.h"

#include <gtest/gtest.h>

#include <string>

#include "taxel/math/error.h"
#include "test_meshes.h"

namespace taxel {
namespace {

TEST(TriangleMesh, AreaAndVolumeOfATiltedPrism) {
  const double w = 0.03, h = 0.04;
  TriangleMesh mesh = test::Transformed(test::TiltedPose(), test::LPrism(w, h));
  EXPECT_NEAR(SurfaceArea(mesh), 8 * w * w + 10 * w * h, 1e-16);  // two Ls and a perimeter of 10 w
  EXPECT_NEAR(EnclosedVolume(mesh), 4 * w * w * h, 1e-18);
  for (auto& t : mesh.triangles) std::swap(t[0], t[2]);
  EXPECT_NEAR(EnclosedVolume(mesh), -4 * w * w * h, 1e-18);
}

TEST(TriangleMesh, VolumeFarFromTheOriginKeepsItsDigits) {
  TriangleMesh mesh = test::LPrism(0.03, 0.04);
  for (Vec3& v : mesh.vertices) v += {100, -200, 300};
  // Coordinates near 300 are 6e-14 apart: 2e-12 of an edge.
  EXPECT_NEAR(EnclosedVolume(mesh) / (4 * 0.03 * 0.03 * 0.04), 1, 1e-11);
}

TEST(TriangleMesh, SpheresConverge) {
  const double exact = 4 * M_PI / 3;
  const double coarse = exact - EnclosedVolume(test::Icosphere(3, 1)),
               fine = exact - EnclosedVolume(test::Icosphere(4, 1));
  EXPECT_GT(fine, 0);  // inscribed
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

TEST(TriangleMesh, BoundingBoxLooksAtUsedVerticesOnly) {
  TriangleMesh mesh = test::LPrism(0.03, 0.04);
  mesh.vertices.push_back({5, 5, 5});
  EXPECT_EQ(BoundingBox(mesh).hi, (Vec3{0.06, 0.09, 0.04}));
  EXPECT_TRUE(BoundingBox(TriangleMesh{}).empty());
  EXPECT_EQ(EnclosedVolume(TriangleMesh{}), 0);
}

TEST(MergeVertices, JoinsASoup) {
  const TriangleMesh mesh = test::Torus(12, 8, 0.05, 0.02);
  TriangleMesh soup;
  for (const auto& t : mesh.triangles) {
    const int n = static_cast<int>(soup.vertices.size());
    for (int v : t) soup.vertices.push_back(mesh.vertices[v]);
    soup.triangles.push_back({n, n + 1, n + 2});
  }
  const TriangleMesh merged = MergeVertices(soup);
  EXPECT_EQ(merged.vertices.size(), mesh.vertices.size());
  EXPECT_EQ(merged.triangles.size(), mesh.triangles.size());
  EXPECT_DOUBLE_EQ(EnclosedVolume(merged), EnclosedVolume(mesh));
}

TEST(MergeVertices, ZeroHasOneSign) {
  TriangleMesh mesh;
  mesh.vertices = {{0.0, 1, 0}, {-0.0, 1, -0.0}, {1, 0, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 3}, {1, 3, 2}, {0, 1, 2}};
  const TriangleMesh merged = MergeVertices(mesh);
  EXPECT_EQ(merged.vertices.size(), 3u);
  EXPECT_EQ(merged.triangles.size(), 2u);  // the third collapsed
}

TEST(MergeVertices, ToleranceReachesAcrossCells) {
  const double tolerance = 1e-6;
  for (int i = 0; i < 500; ++i) {
    const Vec3 p = test::UniformInBox(81, i, {-1e-5, -1e-5, -1e-5}, {1e-5, 1e-5, 1e-5}),
               d = test::UniformDirection(82, i);
    TriangleMesh mesh;
    mesh.vertices = {p, p + 0.99 * tolerance * d, p + 1.01 * tolerance * d, p + Vec3{1, 0, 0},
                     p + Vec3{0, 1, 0}};
    mesh.triangles = {{0, 3, 4}, {1, 3, 4}, {2, 3, 4}};
    EXPECT_EQ(MergeVertices(mesh, tolerance).vertices.size(), 4u);  // the first two are one
  }
}

TEST(TriangleMesh, ChecksNameWhatIsWrong) {
  auto message = [](const TriangleMesh& mesh) -> std::string {
    try {
      CheckIndices(mesh, "finger");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  TriangleMesh mesh = test::LPrism(0.03, 0.04);
  EXPECT_EQ(message(mesh), "");
  mesh.triangles[4][2] = -1;
  EXPECT_NE(message(mesh).find("triangle 4 uses vertex -1"), std::string::npos);
  mesh.triangles[4][2] = 12;
  EXPECT_NE(message(mesh).find("'finger'"), std::string::npos);
  mesh = test::LPrism(0.03, 0.04);
  mesh.vertices[7].z = INFINITY;
  EXPECT_NE(message(mesh).find("vertex 7 is not finite"), std::string::npos);
  EXPECT_NE(message(TriangleMesh{}).find("no triangles"), std::string::npos);
}

}  // namespace
}  // namespace taxel
