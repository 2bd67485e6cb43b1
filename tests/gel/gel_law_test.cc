// Cases: rotation of F against the singular value decomposition (tilted, reflected, nearly singular, inside
// out, far from 1; both ways and where they hand over); energy against that of the singular values; stress =
// P F^T as the central difference of the energy, both laws, also inside out and below the barrier; the
// pressure of an averaged J; P F^T of a grid at rest is the stress of one in space; cofactor, determinant and
// advance against Eigen.
#include "taxel/gel/gel_law.h"

#include <gtest/gtest.h>

#include "gel_reference.h"

namespace taxel {
using namespace internal;
namespace {

using test::Draw, test::Mat, test::ToGel, test::ToMat, test::Vec;

Mat WithValues(Draw* draw, double a, double b, double c) {
  return draw->Turn() * Vec(a, b, c).asDiagonal() * draw->Turn().transpose();
}

const std::vector<std::array<double, 3>> kUpright = {{1, 1, 1},         {1.3, 0.9, 0.7},  {2, 1, 0.5},
                                                     {1.001, 1, 0.999}, {3, 0.4, 0.2},    {30, 2, 0.1},
                                                     {9, 0.3, 0.02},    {0.4, 0.38, 0.36}};
const std::vector<std::array<double, 3>> kFolded = {{1, 0.7, 1e-6},   {1, 0.7, 0},    {1, 0.7, -1e-6},
                                                    {1.2, 0.9, -0.3}, {2, 1.5, -1.2}, {0.3, 0.2, -0.1},
                                                    {0.5, 0.3, 0.2}};

TEST(GelLaw, RobustRotationEqualsSvd) {
  Draw draw{3};
  for (const auto& cases : {kUpright, kFolded})
    for (const auto& s : cases)
      for (int n = 0; n < 20; ++n) {
        const GelMatrix<float> F = ToGel(WithValues(&draw, s[0], s[1], s[2]));
        float R[9];
        RobustRotation(F.m, R);
        // The rotation turns by the rounding of R over the smallest sum of two singular values.
        EXPECT_LT((ToMat(R) - test::Decompose(ToMat(F.m)).R).cwiseAbs().maxCoeff(), 1.2e-7)
            << s[0] << " " << s[1] << " " << s[2];
      }
}

TEST(GelLaw, ReflectionFlipsTheSmallestValue) {
  // A mirror that is tilted: U V^T itself would be a reflection.
  const Vec n = Vec(1, 2, -0.5).normalized();
  const Mat mirror = (Mat::Identity() - 2 * n * n.transpose()) * 1.4;
  Draw draw{5};
  const Mat F = mirror * WithValues(&draw, 1.3, 1.1, 0.6);
  const test::SignedValues svd = test::Decompose(ToMat(ToGel(F).m));
  ASSERT_LT(svd.s[2], 0);
  float R[9];
  RobustRotation(ToGel(F).m, R);
  EXPECT_NEAR(ToMat(R).determinant(), 1, 1e-6);
  EXPECT_LT((ToMat(R) - svd.R).cwiseAbs().maxCoeff(), 1.2e-7);
}

TEST(GelLaw, RotationEqualsSvdOnBothSidesOfTheHandover) {
  Draw draw{4};
  std::vector<std::array<double, 3>> cases = kUpright;
  cases.insert(cases.end(), kFolded.begin(), kFolded.end());
  cases.push_back({1, 0.5, 0.0999});  // J just below kLeastTrustedJ
  cases.push_back({1, 0.5, 0.1001});
  for (const auto& s : cases)
    for (int n = 0; n < 20; ++n) {
      const GelMatrix<float> F = ToGel(WithValues(&draw, s[0], s[1], s[2]));
      const GelMatrix<float> R = Rotation(F, Determinant(F));
      // Newton works with float's inverse of F: rounding times the condition of the two smallest values.
      const double tolerance = 3e-7 * std::max(1.0, s[0] / (s[1] + std::fabs(s[2])));
      EXPECT_LT((ToMat(R.m) - test::Decompose(ToMat(F.m)).R).cwiseAbs().maxCoeff(), tolerance)
          << s[0] << " " << s[1] << " " << s[2];
    }
}

TEST(GelLaw, ZeroAndNonsenseGiveARotationOrNothingWorse) {
  const GelMatrix<float> zero{};
  EXPECT_NEAR(ToMat(Rotation(zero, 0).m).determinant(), 1, 1e-6);
  GelMatrix<float> broken = ToGel(Mat::Identity());
  broken.m[5] = std::nanf("");
  Rotation(broken, std::nanf(""));  // ends
}

struct Case {
  GelLaw law;
  std::array<double, 3> s;
};
std::vector<Case> AllCases() {
  std::vector<Case> out;
  for (const GelLaw law : {GelLaw::kCorotated, GelLaw::kNeoHookean}) {
    for (const auto& s :
         {std::array{1.0, 1.0, 1.0}, {1.3, 0.9, 0.7}, {2, 1, 0.5}, {1.01, 1, 0.99}, {0.9, 0.5, 0.3}})
      out.push_back({law, s});
    for (const auto& s :
         {std::array{1.2, 0.9, -0.3}, {1, 0.6, -0.5}, {1, 0.7, 0.02}, {1, 0.7, -0.02}, {0.8, 0.6, 0.4}})
      out.push_back({law, s});
  }
  return out;
}

TEST(GelLaw, EnergyIsThatOfTheSingularValues) {
  Draw draw{6};
  for (const Case& c : AllCases()) {
    const GelNumbers n{0.7f, 2.3f, c.law};
    const GelMatrix<float> F = ToGel(WithValues(&draw, c.s[0], c.s[1], c.s[2]));
    const float J = Determinant(F);
    EXPECT_NEAR(ElasticEnergy(n, F, J, J), test::Energy(n, ToMat(F.m)), 2e-6) << c.s[0] << " " << c.s[2];
    // An averaged J changes the pressure's part alone.
    EXPECT_NEAR(ElasticEnergy(n, F, J, 0.8f) - ElasticEnergy(n, F, J, J),
                test::VolumeEnergy(n, 0.8f) - test::VolumeEnergy(n, J), 1e-6);
  }
}

TEST(GelLaw, StressIsTheGradientOfTheEnergy) {
  Draw draw{7};
  for (const Case& c : AllCases()) {
    const GelNumbers n{0.7f, 2.3f, c.law};
    const GelMatrix<float> F = ToGel(WithValues(&draw, c.s[0], c.s[1], c.s[2]));
    const Mat F0 = ToMat(F.m);
    Mat P;
    const double h = 1e-5;
    for (int k = 0; k < 9; ++k) {
      Mat up = F0, down = F0;
      up(k / 3, k % 3) += h, down(k / 3, k % 3) -= h;
      P(k / 3, k % 3) = (test::Energy(n, up) - test::Energy(n, down)) / (2 * h);
    }
    const Mat wanted = P * F0.transpose();
    float tau[6];
    const float J = Determinant(F);
    KirchhoffStress(n, F, J, J, tau);
    const int at[6] = {0, 1, 2, 4, 5, 8};
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(tau[k], wanted(at[k] / 3, at[k] % 3), 5e-6) << c.s[0] << " " << c.s[2] << ", entry " << k;
    EXPECT_LT((wanted - wanted.transpose()).cwiseAbs().maxCoeff(), 1e-7);  // so six entries are all
    // The energy of the header itself, in float: a coarse step.
    const Mat D = draw.Matrix(1);
    const double step = 4e-3;
    const GelMatrix<float> up = ToGel(F0 + step * D * F0), down = ToGel(F0 - step * D * F0);
    const float J_up = Determinant(up), J_down = Determinant(down);
    const double slope =
        (ElasticEnergy(n, up, J_up, J_up) - ElasticEnergy(n, down, J_down, J_down)) / (2 * step);
    EXPECT_NEAR(slope, (wanted.transpose() * D).trace(), 6e-4) << c.s[0] << " " << c.s[2];
  }
}

// Through zero the smallest value is driven outwards, however small it is.
TEST(GelLaw, AnInvertedParticleIsPushedBack) {
  for (const GelLaw law : {GelLaw::kCorotated, GelLaw::kNeoHookean}) {
    const GelNumbers n{1, 0, law};
    for (const double s : {-0.4, -0.01, 0.01}) {
      const double h = 1e-6;
      const auto energy = [&](double last) {
        return test::Energy(n, Vec(1.1, 0.9, last).asDiagonal().toDenseMatrix());
      };
      EXPECT_LT(energy(s + h), energy(s - h)) << s;
      float tau[6];
      const GelMatrix<float> F = ToGel(Vec(1.1, 0.9, s).asDiagonal().toDenseMatrix());
      const float J = Determinant(F);
      KirchhoffStress(n, F, J, J, tau);
      EXPECT_LT(tau[5] / s, 0) << s;  // P_zz = tau_zz / F_zz: the energy falls as F_zz grows
    }
  }
}

TEST(GelLaw, PressureReadsTheAverage) {
  Draw draw{8};
  const GelMatrix<float> F = ToGel(WithValues(&draw, 1.2, 1, 0.8));
  const float J = Determinant(F);
  for (const GelLaw law : {GelLaw::kCorotated, GelLaw::kNeoHookean}) {
    float own[6], average[6];
    KirchhoffStress({1, 5, law}, F, J, J, own);
    KirchhoffStress({1, 5, law}, F, J, J + 0.1f, average);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(average[k] - own[k], k == 0 || k == 3 || k == 5 ? 0.5 * J : 0, 1e-6) << k;
  }
}

TEST(GelLaw, MatricesAgreeWithEigen) {
  Draw draw{9};
  for (int n = 0; n < 10; ++n) {
    const GelMatrix<float> a = ToGel(draw.Matrix(1)), b = ToGel(draw.Matrix(1));
    const Mat A = ToMat(a.m), B = ToMat(b.m);
    EXPECT_NEAR(Determinant(a), A.determinant(), 1e-6);
    EXPECT_LT((ToMat(Cofactor(a).m) - A.determinant() * A.inverse().transpose()).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((ToMat(Advance(a, b).m) - (Mat::Identity() + A) * B).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(GelLaw, PiolaTimesDeformationIsKirchhoff) {
  Draw draw{11};
  for (const GelLaw law : {GelLaw::kCorotated, GelLaw::kNeoHookean})
    for (const auto& cases : {kUpright, kFolded})
      for (const auto& s : cases) {
        if (s[0] > 3) continue;  // entries of thousands: nothing is left of the digits
        const GelMatrix<float> F = ToGel(WithValues(&draw, s[0], s[1], s[2]));
        const GelNumbers numbers{0.7f, 1.9f, law};
        const float J = Determinant(F), Jbar = J + 0.13f;
        float tau[6];
        KirchhoffStress(numbers, F, J, Jbar, tau);
        const Mat got = ToMat(PiolaStress(numbers, F, J, Jbar).m) * ToMat(F.m).transpose();
        int n = 0;
        for (int i = 0; i < 3; ++i)
          for (int j = i; j < 3; ++j, ++n) {
            const double rounding = 2e-5 + 1e-6 * std::fabs(tau[n]);
            EXPECT_NEAR(got(i, j), tau[n], rounding) << s[0] << " " << s[1] << " " << s[2];
            EXPECT_NEAR(got(j, i), tau[n], rounding);
          }
      }
}

}  // namespace
}  // namespace taxel
