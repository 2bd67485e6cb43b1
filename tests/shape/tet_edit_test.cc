// TetQuality: regular, flat, inverted. TetEditor, on a tilted box mesh:
//   - tetrahedra around an edge against brute force; inner and outer edges told apart
//   - splitting keeps volume, soundness, and adds one vertex and one tetrahedron for each around the edge
//   - a move that would invert is refused and leaves the mesh as it was; a small one is made
//   - the qualities foretold by WorstQualityAt and WorstSplitQuality are those found afterwards
#include "taxel/shape/tet_edit.h"

#include <gtest/gtest.h>

#include "taxel/shape/primitive_tets.h"
#include "test_meshes.h"
#include "tet_checks.h"

namespace taxel {
using namespace internal;
namespace {

using namespace test;

TetMesh TiltedBox() {
  TetMesh mesh = PrimitiveTets(Box{{0.03, 0.05, 0.02}});
  for (Vec3& p : mesh.vertices) p = TiltedPose() * p;
  return mesh;
}

TEST(TetQuality, KnowsTheExtremes) {
  EXPECT_NEAR(TetQuality({1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}), 1, 1e-12);
  EXPECT_NEAR(TetQuality({-1, -1, 1}, {1, 1, 1}, {-1, 1, -1}, {1, -1, -1}), -1, 1e-12);
  EXPECT_EQ(TetQuality({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}), 0);
  EXPECT_EQ(TetQuality({}, {}, {}, {}), 0);
}

TEST(TetEditor, FindsTheTetsAroundAnEdge) {
  const TetEditor edit(TiltedBox());
  const std::vector<char> outer = edit.BoundaryVertices();
  int inner_edges = 0, outer_edges = 0;
  std::vector<int> around;
  for (int a = 0; a < edit.num_vertices(); ++a)
    for (int b = a + 1; b < edit.num_vertices(); ++b) {
      std::vector<int> brute;
      for (int t = 0; t < edit.num_tets(); ++t) {
        const auto& v = edit.tet(t);
        if (std::count(v.begin(), v.end(), a) && std::count(v.begin(), v.end(), b)) brute.push_back(t);
      }
      edit.TetsAround(a, b, &around);
      std::sort(around.begin(), around.end());
      EXPECT_EQ(around, brute);
      if (around.empty()) continue;
      const bool boundary = edit.IsBoundaryEdge(a, b, around);
      (boundary ? outer_edges : inner_edges)++;
      if (boundary) {
        EXPECT_TRUE(outer[a] && outer[b]);
      }
    }
  // The outer surface is a sphere: E = 3 (V - 2).
  EXPECT_EQ(outer_edges, 3 * (std::count(outer.begin(), outer.end(), 1) - 2));
  EXPECT_GT(inner_edges, 0);
}

TEST(TetEditor, SplitsSoundly) {
  TetEditor edit(TiltedBox());
  const double volume = TotalVolume(edit.mesh());
  for (int i = 0; i < 60; ++i) {
    const auto& tet = edit.tet((37 * i) % edit.num_tets());
    const int a = tet[i % 4], b = tet[(i + 1) % 4], tets = edit.num_tets();
    std::vector<int> around;
    edit.TetsAround(a, b, &around);
    const double s = 0.3 + 0.4 * RandomUniform(5, i);
    const Vec3 p = edit.position(a) + s * (edit.position(b) - edit.position(a));
    const double foretold = edit.WorstSplitQuality(a, b, p, around);
    const int m = edit.SplitEdge(a, b, p);
    EXPECT_EQ(m, edit.num_vertices() - 1);
    EXPECT_EQ(edit.num_tets(), tets + static_cast<int>(around.size()));
    EXPECT_NEAR(edit.WorstQualityAt(m, p), foretold, 1e-12);
  }
  ExpectSoundMesh(edit.mesh());
  EXPECT_EQ(EulerCharacteristic(edit.mesh()), 1);
  EXPECT_NEAR(TotalVolume(edit.mesh()), volume, 1e-12 * volume);
  for (int v = 0; v < edit.num_vertices(); ++v)
    for (int t : edit.TetsAt(v)) EXPECT_EQ(std::count(edit.tet(t).begin(), edit.tet(t).end(), v), 1);
}

TEST(TetEditor, RefusesToInvert) {
  TetEditor edit(TiltedBox());
  const std::vector<char> outer = edit.BoundaryVertices();
  const int v = static_cast<int>(std::find(outer.begin(), outer.end(), 0) - outer.begin());
  const Vec3 before = edit.position(v);
  EXPECT_FALSE(edit.TryMove(v, before + Vec3{0.1, 0.1, 0.1}, 0.01));
  EXPECT_EQ(edit.position(v), before);
  const Vec3 near = before + Vec3{1e-4, -2e-4, 1e-4};
  const double foretold = edit.WorstQualityAt(v, near);
  EXPECT_TRUE(edit.TryMove(v, near, 0.01));
  EXPECT_EQ(edit.position(v), near);
  EXPECT_EQ(edit.WorstQualityAt(v, near), foretold);
  ExpectSoundMesh(edit.mesh());
}

}  // namespace
}  // namespace taxel
