#include "taxel/field/fit_depth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "taxel/math/for_each_index.h"

namespace taxel::internal {
namespace {

// Means of the interpolation error round the vertices, over simplices of N corners. The quadrature is of
// degree 2: N points, one near each corner, with equal weights.
template <int N>
class MeanError {
 public:
  MeanError(const TetMesh& mesh, const MeshDistance& surface, const std::vector<double>& depth)
      : mesh_(mesh), surface_(surface), depth_(depth), error_(depth.size(), 0.0), mass_(depth.size(), 0.0) {}

  /// measure(s): volume or area of simplex s.
  template <class Measure>
  void AddAll(const std::vector<std::array<int, N>>& simplices, Measure&& measure) {
    // Distances on all cores; sums in order, so that the bits do not depend on how many there are.
    std::vector<std::array<double, N>> errors(simplices.size());
    ForEachIndex(simplices.size(), 1000, [&](std::size_t s) {
      for (int q = 0; q < N; ++q) errors[s][q] = Error(simplices[s], q);
    });
    for (std::size_t s = 0; s < simplices.size(); ++s) Add(simplices[s], errors[s], measure(s));
  }
  bool has(std::size_t v) const { return mass_[v] > 0; }
  double at(std::size_t v) const { return error_[v] / mass_[v]; }

 private:
  static constexpr double kNear = N == 4 ? 0.58541019662496845 : 2.0 / 3, kFar = (1 - kNear) / (N - 1);

  double Error(const std::array<int, N>& corners, int q) const {
    Vec3 x;
    double linear = 0;
    for (int k = 0; k < N; ++k) {
      const double phi = k == q ? kNear : kFar;
      x += phi * mesh_.vertices[corners[k]];
      linear += phi * depth_[corners[k]];
    }
    return surface_.ClosestPoint(x).distance - linear;
  }

  void Add(const std::array<int, N>& corners, const std::array<double, N>& errors, double measure) {
    for (int q = 0; q < N; ++q)
      for (int k = 0; k < N; ++k) error_[corners[k]] += measure / N * (k == q ? kNear : kFar) * errors[q];
    for (int v : corners) mass_[v] += measure / N;
  }

  const TetMesh& mesh_;
  const MeshDistance& surface_;
  const std::vector<double>& depth_;
  std::vector<double> error_, mass_;
};

}  // namespace

void FitDepth(const TetMesh& mesh, const MeshDistance& surface, std::vector<double>* depth) {
  MeanError<4> inside(mesh, surface, *depth);
  inside.AddAll(mesh.tets, [&](std::size_t t) { return TetVolume(mesh, static_cast<int>(t)); });
  MeanError<3> outside(mesh, surface, *depth);
  const TriangleMesh boundary = BoundarySurface(mesh);
  outside.AddAll(boundary.triangles, [&](std::size_t i) {
    const auto& t = boundary.triangles[i];
    const Vec3 a = mesh.vertices[t[0]];
    return 0.5 * norm(cross(mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a));
  });
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

}  // namespace taxel::internal
