// Blocks of gel that the tests share: tilted, with a face that is touched and one that is held.
#pragma once

#include <cmath>
#include <vector>

#include "taxel/gel/gel_solver.h"
#include "taxel/shape/marker_distance.h"

namespace taxel::test {

inline constexpr double kCell = 1e-3;

/// Eight particles a cell, in the frame B of the block: x, y centred, z from 0 (held) to the height
/// (touched).
struct GelBlock {
  Pose X_WB;
  Vec3 cells;  // size in cells, multiples of 0.5
  std::vector<Vec3> particles, top, bottom;
  static constexpr double kVolume = 0.125 * kCell * kCell * kCell;

  GelBlock(const Vec3& size, const Pose& X) : X_WB(X), cells(size) {
    const int n[3] = {static_cast<int>(2 * size.x), static_cast<int>(2 * size.y),
                      static_cast<int>(2 * size.z)};
    for (int i = 0; i < n[0]; ++i)
      for (int j = 0; j < n[1]; ++j) {
        const double x = 0.5 * (i + 0.5) - 0.5 * size.x, y = 0.5 * (j + 0.5) - 0.5 * size.y;
        for (int k = 0; k < n[2]; ++k) particles.push_back(At({x, y, 0.5 * (k + 0.5)}));
        top.push_back(At({x, y, size.z}));
        bottom.push_back(At({x, y, 0}));
      }
  }
  /// A point in W from its place in B in cells.
  Vec3 At(const Vec3& p_B) const { return X_WB * (kCell * p_B); }
  double height() const { return kCell * cells.z; }
  double area() const { return kCell * kCell * cells.x * cells.y; }
  /// A half space above the top face, `depth` (cells) in it, moved along x of B.
  Pose Above(double depth, double along = 0) const {
    return {X_WB.R * RotationAbout({1, 0, 0}, 3.141592653589793), At({along, 0, cells.z - depth})};
  }
};

inline Pose Tilted(double degrees, double shift) {
  return {RotationAbout(normalized({1, 2, 3}), degrees * 3.141592653589793 / 180),
          kCell * Vec3{0.7 * shift, 0.3 * shift, shift}};
}

/// E = 1e5, nearly critical damping of the slowest shear mode.
inline GelOptions Options(const GelBlock& block, double poisson = 0.3) {
  GelOptions o;
  o.cell = kCell;
  o.material = {1e5, poisson, 1000};
  o.damping = 2 * 3.141592653589793 * o.material.shear_speed() / (4 * block.height());
  return o;
}

/// Steps a shear wave needs through the block.
inline int Crossing(const GelBlock& block, const GelSolver& solver) {
  return static_cast<int>(block.height() / (solver.options().material.shear_speed() * solver.dt())) + 1;
}

/// The bottom held by the hand, the top free.
inline GelSolver Held(const GelBlock& block, const GelOptions& options,
                      const std::vector<GelObject>& objects) {
  GelSolver solver(options, block.particles, GelBlock::kVolume);
  solver.SetSkin(block.top, block.bottom);
  solver.SetObjects(objects);
  return solver;
}

inline MarkerDistance HalfSpaceDistance() { return MarkerDistance(Primitive{HalfSpace{}}); }

}  // namespace taxel::test
