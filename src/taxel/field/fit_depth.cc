#include "taxel/field/fit_depth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "taxel/math/interrupt.h"

namespace taxel {
namespace {

// Means of the interpolation error round the vertices, over simplices of N corners. The quadrature is of
// degree 2: N points, one near each corner, with equal weights.
template <int N>
class MeanError {
 public:
  MeanError(const TetMesh& mesh, const MeshDistance& surface, const std::vector<double>& depth)
      : mesh_(mesh), surface_(surface), depth_(depth), error_(depth.size(), 0.0), mass_(depth.size(), 0.0) {}

  void Add(const std::array<int, N>& corners, double measure) {
    constexpr double kNear = N == 4 ? 0.58541019662496845 : 2.0 / 3, kFar = (1 - kNear) / (N - 1);
    for (int q = 0; q < N; ++q) {
      Vec3 x;
      double linear = 0;
      for (int k = 0; k < N; ++k) {
        const double phi = k == q ? kNear : kFar;
        x += phi * mesh_.vertices[corners[k]];
        linear += phi * depth_[corners[k]];
      }
      const double e = surface_.ClosestPoint(x).distance - linear;
      for (int k = 0; k < N; ++k) error_[corners[k]] += measure / N * (k == q ? kNear : kFar) * e;
    }
    for (int v : corners) mass_[v] += measure / N;
  }
  bool has(std::size_t v) const { return mass_[v] > 0; }
  double at(std::size_t v) const { return error_[v] / mass_[v]; }

 private:
  const TetMesh& mesh_;
  const MeshDistance& surface_;
  const std::vector<double>& depth_;
  std::vector<double> error_, mass_;
};

}  // namespace

void FitDepth(const TetMesh& mesh, const MeshDistance& surface, std::vector<double>* depth) {
  MeanError<4> inside(mesh, surface, *depth);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    CheckInterrupt();
    inside.Add(mesh.tets[t], TetVolume(mesh, static_cast<int>(t)));
  }
  MeanError<3> outside(mesh, surface, *depth);
  for (const auto& t : BoundarySurface(mesh).triangles) {
    CheckInterrupt();
    const Vec3 a = mesh.vertices[t[0]];
    outside.Add(t, 0.5 * norm(cross(mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a)));
  }
  // The means refer to *depth: no value may change before all are known. Rounding is no error: zero stays
  // zero.
  const double noise = 1e-12 * *std::max_element(depth->begin(), depth->end());
  std::vector<double> fitted;
  for (std::size_t v = 0; v < depth->size(); ++v) {
    const double mean = outside.has(v) ? outside.at(v) : (inside.has(v) ? inside.at(v) : 0);
    fitted.push_back(std::fabs(mean) > noise ? std::max(0.0, (*depth)[v] + mean) : (*depth)[v]);
  }
  depth->swap(fitted);
}

}  // namespace taxel
