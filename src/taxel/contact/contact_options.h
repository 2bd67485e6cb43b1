// What a query may be asked for.
#pragma once

namespace taxel {

enum class Faces {
  kPolygons,   ///< convex polygons: fewest faces
  kTriangles,  ///< each polygon cut into triangles round its centroid: no preferred diagonal
};

struct ContactOptions {
  Faces faces = Faces::kPolygons;
  /// Drop faces whose normal is more than `cull_angle` from the pressure gradient of a soft body: there the
  /// rigid surface faces the wrong way (its far side sticks out of the pad's other face).
  bool cull = true;
  double cull_angle = 1.9634954084936207;  ///< 112.5 degrees
  /// Facet size for curved primitives in this query, m. 0: each body's own `resolution`.
  double resolution = 0;
  /// Automatic refinement of curved shapes: facets across the cap in which they touch, 2 to 200. The force is
  /// then right to about 0.2 % (8 facets), 0.1 % (10), 0.04 % (40); docs/theory/contact.md has the table.
  int facets_across = 10;
};

}  // namespace taxel
