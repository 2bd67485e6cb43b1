// A scene in words, for engines that run it elsewhere: soft geoms as columns, pairs with their friction,
// sensors.
//
// One JSON object, SI units, numbers with all their digits:
//   coupling   "rows", "explicit" or "sense"
//   blocks     along a side of a patch
//   geoms      of each soft geom {geom, name, refused} with the reason why it has no columns, or
//              {geom, name, law, length, core, to_middle, core_pressure, poisson, softest, columns}: law is
//              a list of
//              [u0, u1, slope, offset] (p = slope u + offset, u depth over length; u1 null: without end),
//              core the depth u at which the layer is flat, to_middle 1 where columns end in the body's
//              middle, columns a list of [p (3), d (3), u (3), v (3), length, modulus (in the skin's),
//              slope_s, slope_t, sag, ridge, ridge_s, ridge_t, tight, corners,
//               s (4), t (4), spread_s (4), spread_t (4)] as contact/columns.h has them (ridge, tight null:
//               none)
//              or {geom, name, law, depth, damping, paper, bristles}: law over the penetration (m) in N,
//              bristles a list of [tip (3), direction (3), axis (3), area]
//   pairs      {geom1, geom2, skin, dissipation, static_friction, dynamic_friction, stribeck_speed,
//   shear_ratio,
//              shear_damping, breakaway} for every pair that soft contact couples; skin: the geom whose
//              columns count; of a pair with bristles {geom1, geom2, skin, static_friction, dynamic_friction,
//              stribeck_speed, sigma0, sigma1, viscosity}
//   sensors    {name, sensor, geom, rows, cols, outputs, areas, normals, axes, shares (a list of
//              [column or bristle, taxel, part of it]; empty where faces must be cut), rays, mean, force,
//              elastic, limit, points, grid, chains}: grid [axes u, v, n (9), origin (3), u0, v0, du, dv],
//              empty where the taxels lie in no plane; chains in mujoco/chain_text.h
#pragma once

#include <mujoco/mujoco.h>

#include <string>

namespace taxel::mujoco {

/// @param spacing  of the columns that stand for a backed box, m; 0: one a taxel where a grid of taxels lies
/// on it,
///                 about 16 along a side elsewhere.
/// @throws Error for whatever is wrong in the model.
std::string SceneText(const mjModel* m, double spacing);

}  // namespace taxel::mujoco
