// Refinement of a tetrahedral mesh by splitting edges.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "taxel/shape/tet_edit.h"

namespace taxel::internal {

/// An edge of the mesh that is offered for a split.
struct EdgeToSplit {
  int a, b;       ///< a < b
  bool boundary;  ///< lies in an outer face
  bool forced;    ///< due as the longest edge of a tetrahedron, wished or not: only the place is asked for
  double length;
};

struct RefineLimits {
  int max_tets = 1'000'000;  ///< no split is started beyond this number
  /// Before an edge is split, any edge more than this many times longer in the tetrahedra round it is split
  /// first (longest-edge bisection). Greater values make fewer tetrahedra of poorer shape; infinity switches
  /// it off.
  double longest_edge_ratio = 2;
  /// A split that would make worse tetrahedra (TetQuality) is not made; a forced one is first tried at the
  /// middle.
  double min_quality = 0.02;
};

/// Asked for every edge; answers where to split it (on the edge or, for an edge of the outer surface, beside
/// it), or nothing to keep it (forced: to split it at its middle). Edges that appear through splits are asked
/// too, so it must end: answer nothing below some length.
using SplitWish = std::function<std::optional<Vec3>(const TetEditor&, const EdgeToSplit&)>;
/// Told of each new vertex, the edge it split and whether that lay on the outer surface. May be empty.
using VertexAdded = std::function<void(const TetEditor&, int vertex, const EdgeToSplit&)>;

/// Told of all edges (a < b, ascending) before the first split; answers 0 for those for which a wish would be
/// nothing now and to the end. Saves asking one by one, and may use threads. May be empty.
using EdgeScreen = std::function<std::vector<char>(const TetEditor&, const std::vector<std::array<int, 2>>&)>;

/// Splits edges, longest first, until no edge is wished to be split. All tetrahedra round an edge are split
/// together, so the mesh conforms at all times, and ties are broken by vertex numbers, so the result depends
/// on the input alone.
/// @return whether it came to its end (false: max_tets was reached)
bool RefineTets(TetEditor* mesh, const RefineLimits& limits, const SplitWish& wish,
                const VertexAdded& added = {}, const EdgeScreen& screen = {});

}  // namespace taxel::internal
