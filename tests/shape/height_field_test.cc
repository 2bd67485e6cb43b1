// Triangles of a height field near a box:
//   - all of them together are a closed body whose volume is that of the prisms under the heights
//   - near a small box they are those of all whose boxes meet it
//   - memory is kept
#include "taxel/shape/height_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace taxel {
namespace {

struct Hills {
  std::vector<float> data;
  HeightField field;
  Hills(int rows, int cols) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c)
        data.push_back(0.5f + 0.4f * std::sin(1.3f * r) * std::cos(0.7f * c + 0.2f));
    field = {rows, cols, 0.3, 0.2, 0.1, 0.05, data.data()};
  }
};

std::vector<std::array<double, 9>> Sorted(const TriangleMesh& mesh, const Box3& box) {
  std::vector<std::array<double, 9>> out;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    Box3 own;
    std::array<double, 9> row;
    for (int k = 0; k < 3; ++k) {
      own.Include(mesh.corner(t, k));
      for (int i = 0; i < 3; ++i) row[3 * k + i] = mesh.corner(t, k)[i];
    }
    if (own.Overlaps(box)) out.push_back(row);
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(HeightField, IsASolid) {
  const Hills hills(6, 9);
  TriangleMesh all;
  TrianglesNear(hills.field, {{-1, -1, -1}, {1, 1, 1}}, &all);
  EXPECT_EQ(all.triangles.size(), 2u * 5 * 8 + 4 * (5 + 8) + 2);
  const HeightField& f = hills.field;
  double volume = 0;
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 8; ++c)
      for (const auto& [dr, dc] : {std::pair{1, 0}, {0, 1}})
        volume += (0.6 / 8) * (0.4 / 5) / 2 *
                  (f.base + (f.at(r, c).z + f.at(r + 1, c + 1).z + f.at(r + dr, c + dc).z) / 3);
  EXPECT_NEAR(EnclosedVolume(all), volume, 1e-12);
  // Closed: the area vectors cancel.
  Vec3 sum;
  for (int t = 0; t < static_cast<int>(all.triangles.size()); ++t) sum += AreaNormal2(all, t);
  EXPECT_LT(norm(sum), 1e-12);
}

TEST(HeightField, GivesWhatABoxMeets) {
  const Hills hills(23, 31);
  TriangleMesh all, near;
  TrianglesNear(hills.field, {{-1, -1, -1}, {1, 1, 1}}, &all);
  const Box3 boxes[] = {{{0.011, -0.07, 0.02}, {0.06, 0.013, 0.05}}, {{0.25, 0.1, -0.02}, {0.4, 0.3, 0.2}},
                        {{-0.31, -0.21, -0.06}, {-0.29, -0.15, 0}},  {{0, 0, -0.08}, {0.02, 0.03, -0.04}},
                        {{0.02, 0.02, 0.5}, {0.1, 0.1, 0.6}},        {{0.5, 0, 0}, {0.6, 0.1, 0.1}},
                        {{0.04, -0.1, 0.03}, {0.04, 0.1, 0.07}}};
  int found = 0;
  for (const Box3& box : boxes) {
    TrianglesNear(hills.field, box, &near);
    EXPECT_EQ(Sorted(near, {{-9, -9, -9}, {9, 9, 9}}), Sorted(all, box));
    found += static_cast<int>(near.triangles.size());
  }
  EXPECT_GT(found, 40);
  const auto* memory = near.vertices.data();
  TrianglesNear(hills.field, boxes[0], &near);
  EXPECT_EQ(near.vertices.data(), memory);
}

}  // namespace
}  // namespace taxel
