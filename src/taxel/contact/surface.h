// The contact surface of two bodies: where they touch, and with what pressure.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/math/pose.h"

namespace taxel {

/// Force and torque about the world origin, or about a named point.
struct Wrench {
  Vec3 force, torque;
};

/// Adds a force at p; the torque is about the origin.
inline void AddForce(Wrench* w, const Vec3& force, const Vec3& p) {
  w->force += force;
  w->torque += cross(p, force);
}

/// Flat convex faces (polygons, or triangles when asked) with a pressure that is linear on each, in the world
/// frame. Convention, as in Drake: the unit normal n_W of a face points out of B into A; the force on A is
///     f_A = sum over faces of  integral p n_W dA,
/// and the force on B is its opposite. The integrals in the totals are exact for the linear pressure.
///
/// Face k owns the vertices face_start[k] .. face_start[k+1]-1, counter-clockwise about n_W. Vertices are not
/// shared between faces. All arrays are owned; a query overwrites only the object it is given.
struct ContactSurface {
  std::vector<Vec3> vertices;                  ///< p_WV, m
  std::vector<double> pressures;               ///< at the vertices, Pa
  std::vector<std::int32_t> face_start = {0};  ///< num_faces() + 1 entries, first 0
  std::vector<Vec3> normals;                   ///< n_W
  std::vector<double> areas;                   ///< m2
  std::vector<Vec3> centroids;                 ///< p_WC, m
  std::vector<double> face_pressures;          ///< at the centroid, which is the mean over the face, Pa
  /// d p_A / d n_W into A, and -d p_B / d n_W into B, Pa/m: how fast the pressure rises when the bodies
  /// approach. Infinity on a rigid side; 0 where a face looks away from the gradient (up to the angle at
  /// which it is dropped).
  std::vector<double> gradients_A, gradients_B;

  /// Where one of the bodies is a skin of columns: the column of each face (BodyData::columns). Else empty.
  std::vector<std::int32_t> columns;
  bool columns_of_A = true;
  /// A column met something that holds its bone and not its skin: it came in from the side, or is past it.
  /// The surface does not tell how deep.
  bool beyond = false;

  /// What all pressures were multiplied by for the size of the contact (layer_size.h).
  double size_factor = 1;

  double area = 0;          ///< m2
  Vec3 centroid;            ///< of the area; 0 when there is no contact
  Vec3 center_of_pressure;  ///< mean of the points weighted by pressure
  double max_pressure = 0;  ///< Pa
  double normal_force = 0;  ///< integral of p dA, N
  Wrench wrench_on_A;       ///< elastic part only, torque about the world origin

  int num_faces() const { return static_cast<int>(areas.size()); }
  bool empty() const { return areas.empty(); }
  /// The wrench on A or B about any point p_W.
  Wrench WrenchOnA(const Vec3& p_W) const {
    return {wrench_on_A.force, wrench_on_A.torque - cross(p_W, wrench_on_A.force)};
  }
  Wrench WrenchOnB(const Vec3& p_W) const {
    const Wrench w = WrenchOnA(p_W);
    return {-w.force, -w.torque};
  }
  /// Empties the surface; keeps the memory.
  void Clear();
};

}  // namespace taxel
