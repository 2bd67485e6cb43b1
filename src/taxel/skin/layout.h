// Where the taxels of a skin are: the layout that a description asks for.
#pragma once

#include "taxel/contact/body.h"
#include "taxel/skin/description.h"
#include "taxel/skin/face_grid.h"
#include "taxel/skin/layout_data.h"
#include "taxel/skin/layout_file.h"
#include "taxel/skin/point_layout.h"
#include "taxel/skin/poisson_layout.h"
#include "taxel/skin/wrapped_grid.h"

namespace taxel {

/// The layout that a description asks for, on a body. Lengths in m, **angles in degrees**, all in the body's
/// frame.
///
/// | key         | of                     | value                                                | default |
/// |-------------|------------------------|------------------------------------------------------|----------------|
/// | layout      | all                    | grid, points, vertices, poisson, sites, file         | grid with
/// shape, points with points, file with file | | shape       | grid                   | rows columns | needed
/// | | face        | grid on a box          | +x -x +y -y +z -z                                    | +z | |
/// pitch       | grid on a box or plane | one number, or two: of columns, of rows              | box: fills
/// the face; plane: needed | | center      | grid on a box or plane | two numbers: middle of the grid from
/// that of the face | 0 0           | | around      | grid on a curved body  | from to, degrees about z from
/// +x                     | 0 360          | | along       | grid on a curved body  | from to: cylinder z,
/// capsule arc length (m); sphere, ellipsoid latitude (degrees) | straight part; -60 60 | | points      |
/// points                 | x y z x y z ...                                      | needed         | | normals
/// | points                 | as many, outwards                                    | the surface's  | | file
/// | file                   | .csv or .json (skin/layout_file.h), seen from the current folder | needed | |
/// count       | poisson                | exact number of taxels                               | taxels | |
/// spacing     | poisson                | least distance, m, in place of count                 | none | |
/// seed        | poisson                | whole number from 0                                  | 0 | |
/// direction   | vertices, poisson      | x y z: only what faces it                            | everything |
/// | within      | vertices, poisson      | greatest angle to direction, degrees                 | 90 | |
/// radius      | points, sites, file    | receptive radius: a taxel's area ends there, m       | 0.75 of the
/// mean spacing | | taxels      | all                    | how many there are; checked | see CountTaxels |
///
/// On a box the grid is flat on one face, on a half space flat on z = 0, on a cylinder, capsule, sphere or
/// ellipsoid wrapped (skin/wrapped_grid.h). A mesh has no grid; it has vertices, poisson, points, sites or
/// file. Vertices need a mesh; poisson a body of finite size, and on a round primitive its points are moved
/// from the facets onto the true surface. `direction` picks triangles for poisson and vertex normals for
/// vertices.
///
/// @param sites points and normals that the engine's sites give, in the body's frame (layout="sites")
/// @throws Error that opens with description.where(); a key that belongs to another layout is refused, not
/// ignored
///         (but radius and seed, which other parts of a sensor read too).
Layout MakeLayout(const Description& description, const Body& body, const LayoutSites* sites = nullptr);

/// How many taxels MakeLayout will make, from the description alone: an engine asks before the meshes are
/// there. Known for grid, points, file (which is read) and poisson with count; the rest need `taxels`.
/// @throws Error where it cannot be told.
int CountTaxels(const Description& description);

}  // namespace taxel
