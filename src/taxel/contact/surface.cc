#include "taxel/contact/surface.h"

namespace taxel {

void ContactSurface::Clear() {
  vertices.clear();
  pressures.clear();
  face_start.assign(1, 0);
  normals.clear();
  areas.clear();
  centroids.clear();
  face_pressures.clear();
  gradients_A.clear();
  gradients_B.clear();
  columns.clear();
  beyond = false;
  size_factor = 1;
  area = max_pressure = normal_force = 0;
  centroid = center_of_pressure = {};
  wrench_on_A = {};
}

}  // namespace taxel
