// The gel's stress and transfers once more, in double precision and in plain loops, for comparison.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <vector>

#include "taxel/gel/gel_transfer.h"
#include "taxel/math/random.h"

namespace taxel::test {
using namespace internal;

using Mat = Eigen::Matrix3d;
using Vec = Eigen::Vector3d;

struct Draw {
  std::uint64_t seed = 1, n = 0;
  double operator()(double low, double high) { return low + (high - low) * RandomUniform(seed, n++); }
  Vec Vector(double size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  Mat Matrix(double size) {
    Mat m;
    for (int k = 0; k < 9; ++k) m(k / 3, k % 3) = (*this)(-size, size);
    return m;
  }
  Mat Turn() {
    const Eigen::Quaterniond q((*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1));
    return q.normalized().toRotationMatrix();
  }
};

inline Mat ToMat(const float* m) {
  Mat out;
  for (int k = 0; k < 9; ++k) out(k / 3, k % 3) = m[k];
  return out;
}
inline GelMatrix<float> ToGel(const Mat& m) {
  GelMatrix<float> out;
  for (int k = 0; k < 9; ++k) out.m[k] = static_cast<float>(m(k / 3, k % 3));
  return out;
}

struct SignedValues {
  Vec s;  // the last one carries the sign of det F
  Mat R;
};
inline SignedValues Decompose(const Mat& F) {
  const Eigen::JacobiSVD<Mat, Eigen::FullPivHouseholderQRPreconditioner> svd(
      F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat flip = Mat::Identity();
  flip(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  Vec s = svd.singularValues();
  s[2] *= flip(2, 2);
  return {s, svd.matrixU() * flip * svd.matrixV().transpose()};
}

/// The energy densities as the headers print them; the barrier goes on below 0.2 with the value, slope and
/// curvature it has there.
inline double ShearEnergy(const GelNumbers& n, const Mat& F) {
  if (n.law == GelLaw::kCorotated) return n.mu * (Decompose(F).s - Vec::Ones()).squaredNorm();
  const double J = F.determinant(), e = (J - 0.2) / 0.2;
  return n.mu * (0.5 * (F.squaredNorm() - 3) - (J > 0.2 ? std::log(J) : std::log(0.2) + e - 0.5 * e * e));
}
inline double VolumeEnergy(const GelNumbers& n, double J) { return 0.5 * n.lambda * (J - 1) * (J - 1); }
inline double Energy(const GelNumbers& n, const Mat& F) {
  return ShearEnergy(n, F) + VolumeEnergy(n, F.determinant());
}

inline Mat Stress(const GelNumbers& n, const Mat& F, double Jbar) {
  const double J = F.determinant(), pressure = n.lambda * (Jbar - 1) * J;
  if (n.law == GelLaw::kCorotated)
    return 2 * n.mu * (F - Decompose(F).R) * F.transpose() + pressure * Mat::Identity();
  const double slope = J > 0.2 ? 1 : J * (1 - (J - 0.2) / 0.2) / 0.2;
  return n.mu * (F * F.transpose() - slope * Mat::Identity()) + pressure * Mat::Identity();
}

/// A particle in double; x in cells from the first node of its block.
struct Plain {
  Vec x, v;
  Mat C, F;
};

/// Fills as many groups as are needed; lanes beyond are empty as ParticleBlocks leaves them.
inline std::vector<ParticleGroup> ToGroups(const std::vector<Plain>& particles) {
  std::vector<ParticleGroup> groups((particles.size() + 7) / 8, ParticleGroup{});
  for (std::size_t p = 0; p < 8 * groups.size(); ++p) {
    ParticleGroup& g = groups[p / 8];
    const std::size_t lane = p % 8;
    const Plain q =
        p < particles.size() ? particles[p] : Plain{Vec::Ones(), Vec::Zero(), Mat::Zero(), Mat::Identity()};
    for (int k = 0; k < 3; ++k)
      g.x[k][lane] = static_cast<float>(q.x[k]), g.v[k][lane] = static_cast<float>(q.v[k]);
    const GelMatrix<float> C = ToGel(q.C), F = ToGel(q.F);
    for (int k = 0; k < 9; ++k) g.C[k][lane] = C.m[k], g.F[k][lane] = F.m[k];
    g.J[lane] = Determinant(F);
  }
  return groups;
}
inline Plain FromGroups(const std::vector<ParticleGroup>& groups, std::size_t p) {
  const ParticleGroup& g = groups[p / 8];
  const std::size_t lane = p % 8;
  Plain q;
  for (int k = 0; k < 3; ++k) q.x[k] = g.x[k][lane], q.v[k] = g.v[k][lane];
  for (int k = 0; k < 9; ++k) q.C(k / 3, k % 3) = g.C[k][lane], q.F(k / 3, k % 3) = g.F[k][lane];
  return q;
}
/// What float makes of them: both sides then start from the same numbers.
inline std::vector<Plain> Rounded(const std::vector<Plain>& particles) {
  const std::vector<ParticleGroup> groups = ToGroups(particles);
  std::vector<Plain> out;
  for (std::size_t p = 0; p < particles.size(); ++p) out.push_back(FromGroups(groups, p));
  return out;
}

/// Quadratic B-spline.
inline double Spline(double u) {
  u = std::fabs(u);
  return u < 0.5 ? 0.75 - u * u : (u < 1.5 ? 0.5 * (1.5 - u) * (1.5 - u) : 0.0);
}
inline double Weight(const Vec& x, int i, int j, int k) {
  return Spline(i - x[0]) * Spline(j - x[1]) * Spline(k - x[2]);
}
/// work(i, j, k, w, distance) for all the nodes a block reaches.
template <typename Work>
void ForNodes(const Vec& x, const Work& work) {
  for (int i = -1; i < kReach - 1; ++i)
    for (int j = -1; j < kReach - 1; ++j)
      for (int k = -1; k < kReach - 1; ++k)
        if (const double w = Weight(x, i, j, k); w > 0) work(i, j, k, w, Vec(Vec(i, j, k) - x));
}
inline std::size_t ReachIndex(int i, int j, int k) {
  return static_cast<std::size_t>(4 * (((i + 1) * kReach + j + 1) * kReach + k + 1));
}

/// Mean J of the particles with the same first node.
inline std::vector<double> MeanJ(const std::vector<Plain>& particles) {
  const auto same = [](const Vec& a, const Vec& b) {
    for (int k = 0; k < 3; ++k)
      if (std::floor(a[k] - 0.5) != std::floor(b[k] - 0.5)) return false;
    return true;
  };
  std::vector<double> out;
  for (const Plain& p : particles) {
    double sum = 0, number = 0;
    for (const Plain& q : particles)
      if (same(p.x, q.x)) sum += q.F.determinant(), ++number;
    out.push_back(sum / number);
  }
  return out;
}

}  // namespace taxel::test
