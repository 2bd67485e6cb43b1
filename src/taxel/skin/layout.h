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

/// The layout that a description asks for, on a body. Lengths in m, **angles in degrees**, all in the frame
/// of the body. Keys, with the layouts that read them and [the default]:
///
///   layout      grid, points, vertices, poisson, sites or file
///               [grid where shape is given, points where points is, file where file is]
///   shape       grid: rows columns [needed]
///   face        grid on a box: +x -x +y -y +z -z [+z]
///   pitch       grid on a box or half space: one number, or two, of columns and of rows
///               [box: the cells fill the face; half space: needed]
///   center      grid on a box or half space: middle of the grid, counted from the middle of the face [0 0]
///   around      grid on a curved body: from to, degrees about z from +x [0 360]
///   along       grid on a curved body: from to; cylinder: z, capsule: arc length from the middle,
///               over the caps; sphere, ellipsoid: latitude in degrees [all of it, pole to pole]
///   points      points: x y z x y z ... [needed]
///   normals     points: as many, pointing out of the body [those of the surface]
///   file        file: a .csv or .json list, skin/layout_file.h; a path seen from the current folder [needed]
///   count       poisson: exact number of taxels [taxels]
///   spacing     poisson: least distance of two taxels, in place of a count [none]
///   seed        poisson: whole number from 0 [0]
///   direction   vertices, poisson: x y z; only the side of the body that faces it [all sides]
///   within      vertices, poisson: greatest angle between normal and direction [90]
///   radius      points, sites, file: receptive radius; the area of a taxel ends there
///               [0.75 of the mean distance to the nearest taxel]
///   taxels      all: how many there are; checked [see CountTaxels]
///
/// On a box the grid is flat on one face, on a half space flat on z = 0, on a cylinder, capsule, sphere or
/// ellipsoid wrapped (skin/wrapped_grid.h). A mesh has no grid; it has vertices, poisson, points, sites or
/// file. Vertices need a mesh. Poisson needs a body of finite size; on a round primitive its points are moved
/// from the facets onto the true surface. `direction` picks triangles for poisson, vertex normals for
/// vertices.
///
/// @param sites points and normals that the engine's sites give, in the body's frame (layout="sites")
/// @throws Error that opens with description.where(). A key that belongs to another layout is refused (except
///         radius and seed, which other parts of a sensor read too).
Layout MakeLayout(const Description& description, const Body& body, const LayoutSites* sites = nullptr);

/// A wrapped grid with `samples` times as many rows and columns: where rays are cast from (skin/samples.h).
/// @throws Error when these would be more than kMaxGridSamples.
Layout MakeFineGrid(const Description& description, const Body& body, int samples);

/// How many taxels MakeLayout will make, from the description alone: an engine asks before the meshes are
/// there. Known for grid, points, file (which is read) and poisson with count; the rest need `taxels`.
/// @throws Error where it cannot be told.
int CountTaxels(const Description& description);

}  // namespace taxel
