// Memory of many pads: where they keep what they remember, and copies of their plan.
#pragma once

#include <cstddef>
#include <type_traits>

#include "taxel/batch/pad_scene.h"

namespace taxel::internal {

struct PadStateRoom {
  PadState state;
  std::size_t bytes = 0;
};

/// The arrays in memory that begins at `base`; with null the bytes alone are of use.
inline PadStateRoom LayOutState(const PadPlan& plan, int pads, char* base) {
  PadStateRoom out;
  const std::size_t P = static_cast<std::size_t>(pads), N = P * static_cast<std::size_t>(plan.particles);
  const auto take = [&](auto** array, std::size_t count) {
    using T = std::remove_pointer_t<std::remove_pointer_t<decltype(array)>>;
    out.bytes = (out.bytes + 15) / 16 * 16;
    if (base) *array = reinterpret_cast<T*>(base + out.bytes);
    out.bytes += count * sizeof(T);
  };
  take(&out.state.u, 3 * N);
  take(&out.state.F, 9 * N);
  take(&out.state.v, 3 * N);
  take(&out.state.C, 9 * N);
  take(&out.state.impulse, P * static_cast<std::size_t>(plan.points));
  take(&out.state.memory, P * static_cast<std::size_t>(plan.contact));
  take(&out.state.trouble, P);
  return out;
}

/// The plan with arrays of its own: keep(array, count) gives a copy of one.
template <typename Keep>
PadPlan CopyPlan(PadPlan p, const Keep& keep) {
  const auto N = static_cast<std::size_t>(p.particles), C = static_cast<std::size_t>(p.cells),
             M = static_cast<std::size_t>(p.nodes), S = static_cast<std::size_t>(p.points),
             entries = static_cast<std::size_t>(p.node_begin[p.nodes]);
  p.f = keep(p.f, 3 * N), p.cell_of = keep(p.cell_of, N), p.number = keep(p.number, N);
  p.cell_first = keep(p.cell_first, C + 1), p.cell_node = keep(p.cell_node, C);
  p.tile_first = keep(p.tile_first, static_cast<std::size_t>(p.tiles) + 1);
  p.node_cell = keep(p.node_cell, M), p.inverse_mass = keep(p.inverse_mass, M);
  p.ride = keep(p.ride, S), p.r0 = keep(p.r0, 3 * S), p.point_node = keep(p.point_node, S);
  p.weight = keep(p.weight, 27 * S);
  p.outward = keep(p.outward, p.normals ? 3 * static_cast<std::size_t>(p.contact) : 0);
  p.home = keep(p.home, 3 * (S - static_cast<std::size_t>(p.contact)));
  p.skin_node = keep(p.skin_node, static_cast<std::size_t>(p.skin_nodes));
  p.node_begin = keep(p.node_begin, M + 1);
  p.node_point = keep(p.node_point, entries), p.node_weight = keep(p.node_weight, entries);
  return p;
}

}  // namespace taxel::internal
