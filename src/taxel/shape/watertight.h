// Does a triangle surface enclose a volume?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// What keeps a surface from being closed, consistently oriented and free of branches. Edges are counted
/// after vertices at identical positions became one, so that a mesh with split vertices (STL, texture seams)
/// is judged by its shape.
struct WatertightReport {
  int open_edges = 0;            // used by one triangle: the rim of a hole
  int overshared_edges = 0;      // used by three or more
  int flipped_edges = 0;         // used by two, both in the same direction: one of them faces the wrong way
  int uneven_edges = 0;          // of all these: run through more often one way than the other
  int degenerate_triangles = 0;  // no area: two corners at one place, or three in a line
  int components = 0;  // pieces connected through edges; triangles with two corners at one place are no piece
  int triangles = 0;
  /// Ends (metres, body frame) of up to five of the edges above: open ones first, then overshared, then
  /// flipped.
  std::vector<std::pair<Vec3, Vec3>> examples;

  /// True when there is a triangle and no open, overshared or flipped edge. Degenerate triangles do not break
  /// a closed surface and are only reported; whether it faces outwards tells EnclosedVolume.
  bool ok() const;
  /// True when the surface has an inside: every edge is run through as often one way as the other. That
  /// allows what ok() does not: parts that touch along an edge, which four triangles share then, as reduced
  /// meshes of robots have it.
  bool closed() const { return triangles > 0 && uneven_edges == 0; }
  /// How many flaws of each kind, and where the first `places` of them are.
  std::string Flaws(int places) const;
  /// One paragraph for the user: how many flaws, where, and the way out. `name` is the file or the geom.
  std::string Describe(const std::string& name) const;
};

/// Throws Error when an index is out of range or a vertex is not finite.
WatertightReport CheckWatertight(const TriangleMesh& mesh);

}  // namespace taxel
