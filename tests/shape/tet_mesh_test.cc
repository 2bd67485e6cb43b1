// Tetrahedral meshes. Cases:
//   volumes of a tilted block of six tetrahedra; its surface is closed, faces outwards and encloses the same
//   volume inner faces are not on the surface: two blocks that share a face orientation: all inverted is
//   mended, a mixture is refused; degenerate, empty, bad index, not finite
#include "taxel/shape/tet_mesh.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "taxel/math/error.h"
#include "test_meshes.h"

namespace taxel {
namespace {

// nx blocks of a x b x c side by side along x, six tetrahedra each (Kuhn), tilted.
TetMesh Blocks(int nx, const Vec3& size) {
  TetMesh mesh;
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 2; ++k)
        mesh.vertices.push_back(test::TiltedPose() * cwise_mul(size, {1.0 * i, 1.0 * j, 1.0 * k}));
  static constexpr int kOrder[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int i = 0; i < nx; ++i)
    for (int o = 0; o < 6; ++o) {
      int at[3] = {i, 0, 0};
      std::array<int, 4> tet;
      tet[0] = 4 * at[0];
      for (int s = 0; s < 3; ++s) {
        ++at[kOrder[o][s]];
        tet[s + 1] = 4 * at[0] + 2 * at[1] + at[2];
      }
      if (o >= 3) std::swap(tet[2], tet[3]);  // odd permutation
      mesh.tets.push_back(tet);
    }
  return mesh;
}

const Vec3 kSize{0.03, 0.05, 0.02};

std::string MessageOf(TetMesh mesh) {
  try {
    CheckAndOrient(&mesh, "pad");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(TetMesh, VolumeOfBlocks) {
  const TetMesh mesh = Blocks(3, kSize);
  const double block = kSize.x * kSize.y * kSize.z;
  EXPECT_NEAR(TotalVolume(mesh), 3 * block, 1e-19);
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t)
    EXPECT_NEAR(TetVolume(mesh, t), block / 6, 1e-19);
}

TEST(TetMesh, PositiveMeansTheFourthVertexIsAbove) {
  EXPECT_GT(Volume6({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 0.5}), 0);
  EXPECT_LT(Volume6({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, -0.5}), 0);
}

TEST(TetMesh, SurfaceIsClosedAndFacesOutwards) {
  const TetMesh mesh = Blocks(2, kSize);
  const TriangleMesh surface = BoundarySurface(mesh);
  EXPECT_EQ(surface.triangles.size(), 20u);  // 10 faces of blocks are outside; the shared one is gone
  EXPECT_NEAR(EnclosedVolume(surface), TotalVolume(mesh), 1e-19);
  const double area = 2 * (2 * kSize.x * kSize.y + 2 * kSize.x * kSize.z + kSize.y * kSize.z);
  EXPECT_NEAR(SurfaceArea(surface), area, 1e-17);
  std::map<std::pair<int, int>, int> edges;  // each edge once in either direction
  for (const auto& t : surface.triangles)
    for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first}));
  }
  const Box3 box = BoundingBox(mesh), outer = BoundingBox(surface);
  EXPECT_EQ(box.lo, outer.lo);
  EXPECT_EQ(box.hi, outer.hi);
}

TEST(TetMesh, AllInvertedIsMended) {
  TetMesh mesh = Blocks(2, kSize);
  for (auto& t : mesh.tets) std::swap(t[0], t[1]);
  EXPECT_LT(TotalVolume(mesh), 0);
  CheckAndOrient(&mesh, "pad");
  EXPECT_NEAR(TotalVolume(mesh), 2 * kSize.x * kSize.y * kSize.z, 1e-19);
}

TEST(TetMesh, ChecksNameWhatIsWrong) {
  const TetMesh good = Blocks(2, kSize);
  EXPECT_EQ(MessageOf(good), "");
  TetMesh mesh = good;
  std::swap(mesh.tets[4][0], mesh.tets[4][1]);
  EXPECT_NE(MessageOf(mesh).find("1 of 12 tetrahedra are inverted (the first is number 4)"),
            std::string::npos);
  mesh = good;
  mesh.tets[7][3] = mesh.tets[7][2];
  EXPECT_NE(MessageOf(mesh).find("tetrahedron 7 has no volume"), std::string::npos);
  mesh = good;
  mesh.tets[2][1] = 12;
  EXPECT_NE(MessageOf(mesh).find("tetrahedron 2 uses vertex 12"), std::string::npos);
  mesh = good;
  mesh.vertices[3].x = NAN;
  EXPECT_NE(MessageOf(mesh).find("vertex 3 is not finite"), std::string::npos);
  EXPECT_NE(MessageOf(TetMesh{}).find("'pad': no tetrahedra"), std::string::npos);
}

}  // namespace
}  // namespace taxel
