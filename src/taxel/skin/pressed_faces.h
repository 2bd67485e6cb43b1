// A contact surface as the skin sees it: in the skin's frame, with normals into the skin.
#pragma once

#include <vector>

#include "taxel/contact/surface.h"
#include "taxel/math/box3.h"

namespace taxel {

/// What presses on one cell of a skin. The walls of what is pressed in, which the pressure's gradient meets
/// edge-on, have no part in the physics (contact/edge_on.h): `held` and what follows it leave them out.
struct CellLoad {
  Vec3 force;       ///< integral of p inward dA, N
  double load = 0;  ///< integral of p dA, N
  Vec3 held;        ///< integral of p inward dA without the walls, N
  double grip = 0;  ///< integral of p dA without the walls, N
  Vec3 torque;      ///< integral of x cross p inward dA without the walls, about the frame's origin, N m
  Vec3 moment;      ///< integral of p x dA without the walls, N m: the centre of pressure times `grip`
  double area = 0;  ///< of the contact, m2
  double peak = 0;  ///< greatest pressure, Pa

  Vec3 center() const { return grip > 0 ? moment / grip : Vec3{}; }
};

/// Adds a convex polygon (corners with p and pressure, counter-clockwise about +-inward) to a cell; exact for
/// a linear pressure.
template <class Corner>
inline void AddPolygon(const Corner* corners, int n, const Vec3& inward, double grip, CellLoad* cell) {
  const Vec3 origin = corners[0].p;
  const double p0 = corners[0].pressure;
  double area = 0, load = 0;
  Vec3 moment;
  Vec3 a = corners[1].p - origin;
  double pa = corners[1].pressure;
  cell->peak = cell->peak > p0 ? cell->peak : p0;
  cell->peak = cell->peak > pa ? cell->peak : pa;
  for (int i = 2; i < n; ++i) {
    const Vec3 b = corners[i].p - origin;
    const double pb = corners[i].pressure, sum = p0 + pa + pb;
    const double twice = std::fabs(dot(cross(a, b), inward));
    area += twice;
    load += twice * sum;
    moment += twice * ((sum + pa) * a + (sum + pb) * b);
    cell->peak = cell->peak > pb ? cell->peak : pb;
    a = b;
    pa = pb;
  }
  load *= 1.0 / 6;
  cell->area += 0.5 * area;
  cell->load += load;
  cell->force += load * inward;
  cell->grip += grip * load;
  cell->held += (grip * load) * inward;
  moment = grip * ((1.0 / 24) * moment + load * origin);
  cell->moment += moment;
  cell->torque += cross(moment, inward);
}

/// Faces of a contact surface in the frame G of the skin. Normals point into the skin, whichever of the two
/// bodies it is, so that the force on the skin is the integral of p inward dA. Keeps its memory.
struct PressedFaces {
  std::vector<Vec3> vertices;     ///< p_GV, m
  std::vector<double> pressures;  ///< at the vertices, Pa
  std::vector<int> start = {0};   ///< face f owns the vertices start[f] .. start[f+1]-1
  std::vector<Vec3> inward;       ///< unit normals
  std::vector<double> grip;  ///< 1, or less where the pressure's gradient meets the face edge-on (edge_on.h)
  Box3 box;                  ///< of the vertices

  CellLoad left_out;  ///< by `grip`: held, grip, torque and moment of the walls

  int count() const { return static_cast<int>(inward.size()); }
  /// @param walls  count them like any other face
  void Set(const ContactSurface& surface, bool skin_is_A, const Pose& X_WG, bool walls = false);

 private:
  struct Corner {
    Vec3 p;
    double pressure;
  };
  std::vector<Corner> corners_;
};

}  // namespace taxel
