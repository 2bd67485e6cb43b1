// Flat grids of taxels: on a face of a box, or in any plane.
#pragma once

#include <string>

#include "taxel/skin/layout_data.h"

namespace taxel {

/// Rectangular grid on one face of a box of full size `size`: face is one of +x -x +y -y +z -z. Axes
/// (columns, rows): +z (x, y), -z (x, -y), +x (y, z), -x (-y, z), +y (-x, z), -y (x, z): always columns x
/// rows = normal. The grid's frame F has its origin in the middle of the face; (center_u, center_v) is where
/// the middle of the grid lies in it, m. pitch_u, pitch_v 0: the cells fill the face (less what the centre
/// leaves on the nearer side). Points are at the middle of the cells.
/// @throws Error when the grid does not fit on the face (1e-9 of its size is allowed for rounding).
Layout BoxFaceGrid(const Vec3& size, const std::string& face, int rows, int cols, double pitch_u = 0,
                   double pitch_v = 0, double center_u = 0, double center_v = 0);

/// Grid in the plane z = 0 of the frame X_GF, centred at its origin: columns along x, rows along y.
Layout PlaneGridLayout(const Pose& X_GF, int rows, int cols, double pitch_u, double pitch_v);

/// Throws Error when rows or cols is below 1 or there are more than `most` cells.
void CheckGridShape(int rows, int cols, int most = kMaxTaxels);

}  // namespace taxel
