// The compression of a layer that is glued to something stiff, on a mesh.
#pragma once

#include <vector>

#include "taxel/field/field_options.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// Which triangles of a surface are skin and which are glued (the rest are side walls: neither).
struct LayerFaces {
  std::vector<int> skin, back;
};

/// By direction or by number, as FieldOptions says.
/// @throws Error when a number is out of range, a triangle is both, or either set is empty.
LayerFaces FindLayerFaces(const TriangleMesh& surface, const FieldOptions& options, const char* name);

/// Normalised depth u at each point:
///     u = d_skin / (d_skin + d_back)      when thickness is 0 (the layer's own thickness, which may vary),
///     u = d_skin / thickness              otherwise,
/// d_skin and d_back being the distances to the skin and to the glued faces. On a flat pad both are depth /
/// thickness right up to the side walls: there is no edge effect.
std::vector<double> LayerDepth(const TriangleMesh& surface, const LayerFaces& faces, double thickness,
                               const std::vector<Vec3>& points);

}  // namespace taxel::internal
