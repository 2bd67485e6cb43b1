// Wavefront OBJ text to a triangle mesh.
#pragma once

#include <string>
#include <string_view>

#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// Reads the vertices ('v') and faces ('f') of an OBJ file, metres, in the order of the file.
///
/// - A corner may be v, v/vt, v//vn or v/vt/vn; only v is used. Negative numbers count back from the last
/// vertex.
/// - A polygon becomes a fan around its first corner: right for convex polygons only; triangulate others on
/// export.
/// - Values after x y z (a weight or a colour) are ignored, as are the lines that carry no surface: comments,
/// normals,
///   texture coordinates, groups, objects, smoothing, materials, 'l' and 'p'.
/// - Free-form curves and surfaces and unknown keywords are errors.
///
/// Vertices at one position stay separate (MergeVertices joins them). `name` is the file's name in messages.
/// Time and memory are linear in the text. Throws Error.
TriangleMesh ParseObj(std::string_view text, const std::string& name);

}  // namespace taxel::internal
