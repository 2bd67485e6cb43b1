#include "taxel/field/laplace.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <string>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel::internal {
namespace {

constexpr int kDirectLimit =
    10'000;  // unknowns; beyond, the factors of a 3D problem fill up and iteration wins
constexpr double kIterationTolerance = 1e-10;

enum : int { kUnused = -3, kSurface = -2, kCore = -1 };  // else the number of the unknown

/// Gradients of the four hat functions times six volumes: the inward area normals of the opposite faces,
/// doubled.
std::array<Vec3, 4> HatGradients6V(const TetMesh& mesh, int t) {
  const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2), d = mesh.corner(t, 3);
  std::array<Vec3, 4> g;
  g[1] = cross(c - a, d - a);
  g[2] = cross(d - a, b - a);
  g[3] = cross(b - a, c - a);
  g[0] = -(g[1] + g[2] + g[3]);
  return g;
}

// Asked for in every iteration, of which there may be thousands.
struct Preconditioner : Eigen::DiagonalPreconditioner<double> {
  template <typename Right>
  auto solve(const Eigen::MatrixBase<Right>& b) const {
    CheckInterrupt();
    return Eigen::DiagonalPreconditioner<double>::solve(b);
  }
};

}  // namespace

std::vector<double> SolveLaplace(const TetMesh& mesh, const std::vector<double>& depth,
                                 double core_fraction) {
  const int n = static_cast<int>(mesh.vertices.size());
  if (static_cast<int>(depth.size()) != n)
    throw Error("Laplace field: " + std::to_string(depth.size()) + " depths for " + std::to_string(n) +
                " vertices; give one for each vertex");
  if (!(core_fraction > 0 && core_fraction < 1))
    throw Error("Laplace field: core_fraction is " + ToText(core_fraction) +
                "; it must lie between 0 and 1 (try 0.7)");

  std::vector<int> role(n, kUnused);
  for (const auto& t : mesh.tets)
    for (int v : t) role[v] = 0;
  for (const auto& f : BoundarySurface(mesh).triangles)
    for (int v : f) role[v] = kSurface;
  double greatest = 0;
  for (int v = 0; v < n; ++v)
    if (role[v] == 0) greatest = std::max(greatest, depth[v]);
  if (std::find(role.begin(), role.end(), 0) == role.end())
    throw Error(
        "Laplace field: every vertex of the mesh lies on its surface; mesh it finer, with vertices inside");
  if (!(greatest > 0)) throw Error("Laplace field: no inner vertex has a depth > 0; the core is empty");
  const double core_depth = core_fraction * greatest * (1 - 1e-12);
  int unknowns = 0;
  for (int v = 0; v < n; ++v)
    if (role[v] == 0) role[v] = depth[v] >= core_depth ? kCore : unknowns++;

  std::vector<double> u(n, 0);
  for (int v = 0; v < n; ++v)
    if (role[v] == kCore) u[v] = 1;
  if (unknowns == 0) return u;

  // K_ij = sum over tetrahedra of V grad_i . grad_j = g_i . g_j / (36 V); known values go to the right-hand
  // side.
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(16 * mesh.tets.size());
  Eigen::VectorXd rhs = Eigen::VectorXd::Zero(unknowns);
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    const auto g = HatGradients6V(mesh, t);
    const double v36 = 36 * std::fabs(TetVolume(mesh, t));
    if (!(v36 > 0)) continue;
    for (int i = 0; i < 4; ++i) {
      const int row = role[mesh.tets[t][i]];
      if (row < 0) continue;
      for (int j = 0; j < 4; ++j) {
        const double k = dot(g[i], g[j]) / v36;
        const int col = role[mesh.tets[t][j]];
        if (col >= 0) {
          entries.emplace_back(row, col, k);
        } else if (col == kCore) {
          rhs[row] -= k;
        }
      }
    }
  }
  Eigen::SparseMatrix<double> K(unknowns, unknowns);
  K.setFromTriplets(entries.begin(), entries.end());
  Eigen::VectorXd x;
  Eigen::ComputationInfo info;
  if (unknowns <= kDirectLimit) {
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(K);
    x = solver.solve(rhs);
    info = solver.info();
  } else {
    Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper, Preconditioner> solver;
    solver.setTolerance(kIterationTolerance);
    solver.compute(K);
    x = solver.solve(rhs);
    info = solver.info();
  }
  if (info != Eigen::Success || !x.allFinite())
    throw Error(
        "Laplace field: the linear system could not be solved; the mesh has tetrahedra of almost no volume: "
        "mesh "
        "it again with 'taxel mesh'");
  for (int v = 0; v < n; ++v)
    if (role[v] >= 0) u[v] = std::clamp(x[role[v]], 0.0, 1.0);
  return u;
}

}  // namespace taxel::internal
