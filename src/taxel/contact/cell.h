// Convex cells with a linear field: what every soft body is made of when it touches something.
#pragma once

#include "taxel/math/pose.h"

namespace taxel::internal {

/// The half space n . x + d >= 0 (n need not be a unit vector).
struct Plane {
  Vec3 n;
  double d = 0;

  TAXEL_HD double operator()(const Vec3& x) const { return dot(n, x) + d; }
};

/// A linear function g . x + c.
using Linear = Plane;

/// The plane of frame B in frame A.
TAXEL_HD inline Plane Transform(const Pose& X_AB, const Plane& plane_B) {
  const Vec3 n_A = X_AB.R * plane_B.n;
  return {n_A, plane_B.d - dot(n_A, X_AB.p)};
}

/// The set {planes[i](x) >= 0 for all i} with the normalised depth u(x) = depth(x), which the body's law
/// (stiffening.h) turns into pressure. Boxes have 6 such cells, a sphere has as many as its facets, a
/// tetrahedron is one.
struct Cell {
  static constexpr int kMaxPlanes = 6;
  Linear depth;
  int num_planes = 0;
  Plane planes[kMaxPlanes];
  /// A ball around the part of the cell that can be touched in this query, and a tube: all of that part lies
  /// within `width` of the line through `center` along `axis` (a zero axis: no tube). The cells of a curved
  /// body are columns much deeper than wide; the tubes keep columns apart that a ball would not.
  Vec3 center;
  double radius = 0;
  Vec3 axis;
  double width = 0;
  double max_depth = 0;  ///< of u in that part
  /// The column's four edges, from the surface (u = 0) to where the part ends (u = max_depth), in order round
  /// it; the first three when the column is a triangle, none (0) for cells that are no columns.
  int num_edges = 0;
  Vec3 outer[4], inner[4];

  void AddPlane(const Plane& plane) { planes[num_planes++] = plane; }
};

/// A tetrahedron of a soft body, laid out so that the four vertices, and the four barycentric functions at
/// one point, are each one vector operation: b_k(p) = bx[k] p.x + by[k] p.y + bz[k] p.z + bd[k] is 1 at
/// vertex k and >= 0 inside.
struct TetCell {
  double x[4], y[4], z[4];  ///< vertices
  double u[4];              ///< normalised depth there
  double bx[4], by[4], bz[4], bd[4];
  double steepness[4];  ///< |gradient| of b_k: one over the height above face k
  Linear depth;
  Vec3 center;
  double radius;

  TAXEL_HD Vec3 vertex(int k) const { return {x[k], y[k], z[k]}; }
  TAXEL_HD Plane bary(int k) const { return {{bx[k], by[k], bz[k]}, bd[k]}; }
  TAXEL_HD double max_depth() const { return std::fmax(std::fmax(u[0], u[1]), std::fmax(u[2], u[3])); }
  /// Inside, with the given slack in barycentric units.
  TAXEL_HD bool Contains(const Vec3& p, double slack) const {
    for (int k = 0; k < 4; ++k)
      if (bary(k)(p) < -slack) return false;
    return true;
  }
};

/// A flat convex piece of a rigid surface, counter-clockwise about its outward unit normal.
struct Facet {
  static constexpr int kMaxVertices = 4;
  int num_vertices = 0;
  Vec3 vertices[kMaxVertices];
  Vec3 normal;
  Vec3 center;  ///< of a sphere around the vertices
  double radius = 0;

  void Bound() {
    center = {};
    for (int i = 0; i < num_vertices; ++i) center += vertices[i] / num_vertices;
    radius = 0;
    for (int i = 0; i < num_vertices; ++i) radius = std::fmax(radius, norm(vertices[i] - center));
  }
};

}  // namespace taxel::internal
