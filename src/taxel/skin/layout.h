// Where the taxels of a skin are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taxel/contact/body.h"
#include "taxel/math/pose.h"
#include "taxel/skin/description.h"

namespace taxel {

/// A regular grid of rectangular cells in a plane: column c spans u0 + c du .. u0 + (c+1) du along x of the
/// frame F, row r spans v0 + r dv .. along y of F; z of F is the outward normal of the skin.
struct PlaneGrid {
  Pose X_GF;
  double u0 = 0, v0 = 0, du = 0, dv = 0;
  int rows = 0, cols = 0;
};

/// Taxels in the frame G of the body that carries them. Taxel i of a grid with `cols` columns is in row
/// i / cols, column i % cols; columns run along axes[i], rows along cross(normals[i], axes[i]), so that seen
/// from outside with the first axis to the right the rows count upwards (images: origin="lower").
struct Layout {
  std::vector<Vec3> points;   ///< p_GT, m, on (or close to) the surface
  std::vector<Vec3> normals;  ///< unit, out of the body
  std::vector<Vec3> axes;     ///< unit, tangential: the first of the two directions in which shear is told
  std::vector<double> areas;  ///< of the cells, m2
  int rows = 0, cols = 0;     ///< 0, 0: no grid
  bool plane = false;         ///< a regular grid in a plane, described by `grid`
  PlaneGrid grid;

  int count() const { return static_cast<int>(points.size()); }
  Vec3 second_axis(int i) const { return cross(normals[i], axes[i]); }
};

/// Greatest number of taxels of one sensor.
inline constexpr int kMaxTaxels = 65536;

/// Rectangular grid on one face of a box of full size `size`: face is one of +x -x +y -y +z -z. Axes (columns,
/// rows): +z (x, y), -z (x, -y), +x (y, z), -x (-y, z), +y (-x, z), -y (x, z). pitch_u, pitch_v 0: the cells
/// fill the face (less what the centre (center_u, center_v) leaves on the nearer side).
/// @throws Error when the grid does not fit on the face.
Layout BoxFaceGrid(const Vec3& size, const std::string& face, int rows, int cols, double pitch_u = 0,
                   double pitch_v = 0, double center_u = 0, double center_v = 0);
/// Grid in the plane z = 0 of the frame X_GF, centred at its origin.
Layout PlaneGridLayout(const Pose& X_GF, int rows, int cols, double pitch_u, double pitch_v);

/// Part of a curved primitive that a wrapped grid covers. Angles in radians.
///   cylinder: around = polar angle about z from +x; along = z in m (side only)
///   capsule:  around as for the cylinder; along = arc length of the meridian from the middle, m (caps included)
///   sphere, ellipsoid: around = longitude; along = latitude (parametric for the ellipsoid), within (-pi/2, pi/2)
/// Columns run around, rows along. NaN: the default: all around; along: cylinder and capsule the straight part,
/// sphere and ellipsoid +-60 degrees.
struct WrapRange {
  double around_from, around_to, along_from, along_to;
  WrapRange();
};
Layout WrappedGrid(const Primitive& shape, int rows, int cols, const WrapRange& range = {});

/// Free list. Normals may be empty where `body` is given: those of its surface at the nearest point are taken.
/// Areas: share of the body's surface nearest to each taxel, within `radius` of it (0: half the mean spacing
/// times 1.5); without a body pi radius^2.
Layout PointLayout(const std::vector<Vec3>& points, const std::vector<Vec3>& normals, const Body* body,
                   double radius = 0);
/// One taxel a vertex, normal = mean of the triangles round it weighted by their angle.
Layout VertexLayout(const TriangleMesh& mesh);
/// Poisson-disk points on a surface at least `spacing` apart; or about `count` of them.
Layout PoissonLayout(const TriangleMesh& mesh, double spacing, std::uint64_t seed);
Layout PoissonLayoutOf(const TriangleMesh& mesh, int count, std::uint64_t seed);

/// The layout that a description asks for, on a body. Keys (docs/skins.md): layout, shape, face, pitch, center,
/// around, along, points, normals, count, spacing, seed, file, radius.
/// `sites` are points and normals that the engine's sites give (layout="sites").
struct LayoutSites {
  std::vector<Vec3> points, normals;
};
Layout MakeLayout(const Description& description, const Body& body, const LayoutSites* sites = nullptr);
/// How many taxels MakeLayout will make, from the description alone; throws Error where that cannot be told.
int CountTaxels(const Description& description);

/// CSV with a header (x,y,z and optionally nx,ny,nz, in m) or JSON ({"points": [[x,y,z],...], "normals": ...}
/// or a list of such triples or six-tuples).
/// @throws Error with file, line and what is wrong.
LayoutSites ReadLayoutFile(const std::string& path);

}  // namespace taxel
