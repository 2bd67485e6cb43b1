// Terrain as heights over a grid, as MuJoCo collides it.
#pragma once

#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// Heights over the rectangle |x| <= half_x, |y| <= half_y: at column c and row r, x = -half_x + c dx, y =
/// -half_y + r dy, z = height * data[r * cols + c]. Below it is solid down to z = -base. The heights belong
/// to the caller and may change between two queries.
struct HeightField {
  int rows = 0, cols = 0;  ///< at least 2 each
  double half_x = 0, half_y = 0, height = 0, base = 0;
  const float* data = nullptr;

  Vec3 at(int row, int col) const {
    return {half_x * (2.0 * col / (cols - 1) - 1), half_y * (2.0 * row / (rows - 1) - 1),
            height * static_cast<double>(data[static_cast<long>(row) * cols + col])};
  }
};

/// Those of its triangles whose boxes meet `box` (both in the field's frame): two on each cell, cut from (r,
/// c) to (r + 1, c + 1) as MuJoCo does; the walls at its four sides, two for each cell at the rim; and two
/// for the base. Normals point out. Costs what the cells under the box cost, whatever the size of the field;
/// *out keeps its memory.
void TrianglesNear(const HeightField& field, const Box3& box, TriangleMesh* out);

}  // namespace taxel
