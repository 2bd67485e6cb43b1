// STL, binary or text, to a triangle mesh.
#pragma once

#include <string>
#include <string_view>

#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// Reads an STL file of either kind. Numbers are taken as metres: STL carries no unit, so scale a file in
/// millimetres.
///
/// - Corners at exactly one position become one vertex; triangles that collapse by it are dropped.
/// - The outside is told by the order of the corners; the normals and the attribute bytes in the file are not
/// used.
/// - Several solids in one text file become one mesh.
/// - The kind is told by the size (84 + 50 x triangles: binary, even if the header starts with "solid"), else
/// by the
///   word "solid" without zero bytes behind it (text).
///
/// `name` is the file's name in messages. Time and memory are linear in the file. Throws Error.
TriangleMesh ParseStl(std::string_view bytes, const std::string& name);

}  // namespace taxel::internal
