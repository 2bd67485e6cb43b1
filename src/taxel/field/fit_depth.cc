#include "taxel/field/fit_depth.h"

#include <algorithm>
#include <cmath>

namespace taxel {

void FitDepth(const TetMesh& mesh, const MeshDistance& surface, std::vector<double>* depth) {
  // Quadrature of degree 2: four points, one near each vertex, equal weights.
  constexpr double kNear = 0.58541019662496845, kFar = 0.13819660112501052;
  const std::size_t n = mesh.vertices.size();
  std::vector<double> error(n, 0.0), mass(n, 0.0);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto& tet = mesh.tets[t];
    const double volume = TetVolume(mesh, static_cast<int>(t));
    for (int q = 0; q < 4; ++q) {
      Vec3 x;
      double linear = 0;
      for (int k = 0; k < 4; ++k) {
        const double phi = k == q ? kNear : kFar;
        x += phi * mesh.vertices[tet[k]];
        linear += phi * (*depth)[tet[k]];
      }
      const double e = surface.ClosestPoint(x).distance - linear;
      for (int k = 0; k < 4; ++k) error[tet[k]] += 0.25 * volume * (k == q ? kNear : kFar) * e;
    }
    for (int v : tet) mass[v] += 0.25 * volume;
  }
  for (std::size_t i = 0; i < n; ++i)
    if (mass[i] > 0) (*depth)[i] = std::max(0.0, (*depth)[i] + error[i] / mass[i]);
}

}  // namespace taxel
