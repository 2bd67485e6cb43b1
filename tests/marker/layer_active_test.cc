// The programs of contact, solved by their active sets. Cases:
//   - pressures: the conditions hold to rounding, from a good start, from none and from all
//   - friction: stuck, partly and wholly slipping; the conditions hold to rounding from any start, and the
//     solution is that of LayerSolver within its tolerance
//   - both adjoints against central differences; cells without a bound have no part
#include "taxel/marker/layer_active.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/marker/layer_influence.h"
#include "taxel/math/random.h"

namespace taxel::internal {
namespace {

using Eigen::Index;
using Mat = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;
constexpr int kSide = 12, kCells = kSide * kSide;
constexpr double kPitch = 0.6e-3;

const LayerDense& Gel() {
  static const LayerDense gel = [] {
    const LayerInfluence influence(4e-3, 0.45);
    LayerDense out;
    for (Mat* m : {&out.xx, &out.xy, &out.yy, &out.xz, &out.yz, &out.zz}) m->resize(kCells, kCells);
    for (int s = 0; s < kCells; ++s)
      for (int t = 0; t < kCells; ++t) {
        const LayerBlock<double> b =
            influence.Square((t / kSide - s / kSide) * kPitch, (t % kSide - s % kSide) * kPitch, kPitch);
        out.xx(t, s) = b.xx, out.xy(t, s) = b.xy, out.yy(t, s) = b.yy;
        out.xz(t, s) = b.xz, out.yz(t, s) = b.yz, out.zz(t, s) = b.zz;
      }
    return out;
  }();
  return gel;
}

// A ball of 8 mm, 0.4 mm deep, a little off the middle.
Vec Overlap() {
  Vec out(kCells);
  for (int i = 0; i < kCells; ++i) {
    const double x = (i / kSide - 5.3) * kPitch, y = (i % kSide - 5.6) * kPitch;
    out[i] = 0.4e-3 - (x * x + y * y) / 16e-3;
  }
  return out;
}

Vec Random(std::uint64_t seed, double size) {
  Vec out(kCells);
  for (Index i = 0; i < kCells; ++i)
    out[i] = size * (2 * RandomUniform(seed, static_cast<std::uint64_t>(i)) - 1);
  return out;
}

Vec Pressure() {
  Vec p = Vec::Zero(kCells);
  SolveActiveNormal(Gel().zz, Overlap(), &p);
  return p;
}

TEST(LayerActive, PressuresFromAnyStart) {
  const Vec h = Overlap(), first = Pressure();
  EXPECT_GT((first.array() > 0).count(), 40);
  EXPECT_LT((first.array() > 0).count(), 120);
  const Vec gap = Gel().zz * first - h;
  for (Index i = 0; i < kCells; ++i) {
    EXPECT_GE(first[i], 0);
    if (first[i] > 0)
      EXPECT_NEAR(gap[i], 0, 1e-16);
    else
      EXPECT_GT(gap[i], -1e-16);
  }
  for (const Vec& start : {Vec(Vec::Ones(kCells)), Random(3, 1.0)}) {
    Vec p = start;
    SolveActiveNormal(Gel().zz, h, &p);
    EXPECT_LT((p - first).cwiseAbs().maxCoeff(), 1e-12 * first.maxCoeff());
  }
}

TEST(LayerActive, FrictionFromAnyStart) {
  for (const double mu : {0.05, 0.4, 3.0}) {
    const Vec bound = mu * Pressure(), bx = Vec::Constant(kCells, 0.1e-3) + Random(4, 2e-5),
              by = Random(5, 4e-5);
    ActiveFriction program(Gel(), bound);
    Vec tx = Vec::Zero(kCells), ty = tx;
    EXPECT_LT(program.Solve(bx, by, &tx, &ty), 30);
    Mat ux, uy;
    Gel().Tangential(tx, ty, &ux, &uy);
    int stuck = 0, slip = 0;
    for (Index i = 0; i < kCells; ++i) {
      const double size = std::hypot(tx[i], ty[i]), rx = bx[i] - ux(i), ry = by[i] - uy(i);
      if (bound[i] == 0) {
        EXPECT_EQ(size, 0);
      } else if (size < bound[i] * (1 - 1e-9)) {
        ++stuck;
        EXPECT_NEAR(std::hypot(rx, ry), 0, 1e-15);
      } else {
        ++slip;
        EXPECT_NEAR(size, bound[i], 1e-12 * bound[i]);
        EXPECT_NEAR(rx * ty[i] - ry * tx[i], 0, 1e-15 * size);
        EXPECT_GE(rx * tx[i] + ry * ty[i], 0);
      }
    }
    EXPECT_EQ(stuck > 0, mu > 0.1);
    EXPECT_GT(slip, 0);
    Vec sx = Random(6, 0.1), sy = Random(7, 0.1);
    program.Solve(bx, by, &sx, &sy);
    EXPECT_LT((sx - tx).cwiseAbs().maxCoeff() + (sy - ty).cwiseAbs().maxCoeff(),
              1e-9 * tx.cwiseAbs().maxCoeff());
  }
}

TEST(LayerActive, AdjointOfPressures) {
  const Vec p = Pressure(), seeds = Random(8, 1), way = Random(9, 1e-9);
  const Mat by = ActiveNormalAdjoint(Gel().zz, p, seeds);
  Vec up = p, low = p;
  SolveActiveNormal(Gel().zz, Overlap() + way, &up);
  SolveActiveNormal(Gel().zz, Overlap() - way, &low);
  EXPECT_NEAR((by.transpose() * way)(0), 0.5 * seeds.dot(up - low), 1e-6 * std::fabs(seeds.dot(up - low)));
}

TEST(LayerActive, AdjointOfFriction) {
  for (const double mu : {0.05, 0.4}) {
    const Vec bound = mu * Pressure(), bx = Vec::Constant(kCells, 0.1e-3) + Random(4, 2e-5),
              by = Random(5, 4e-5);
    const Vec seeds_x = Random(10, 1), seeds_y = Random(11, 1);
    const auto loss = [&](const Vec& x, const Vec& y, const Vec& b, Vec* tx, Vec* ty) {
      ActiveFriction(Gel(), b).Solve(x, y, tx, ty);
      return seeds_x.dot(*tx) + seeds_y.dot(*ty);
    };
    Vec tx = Vec::Zero(kCells), ty = tx;
    loss(bx, by, bound, &tx, &ty);
    Mat to_x, to_y, to_bound;
    ActiveFriction(Gel(), bound).Adjoint(bx, by, tx, ty, seeds_x, seeds_y, &to_x, &to_y, &to_bound);
    const Vec way_x = Random(12, 1e-10), way_y = Random(13, 1e-10);
    Vec wider = 1e-7 * bound.cwiseProduct(Random(14, 1));
    const auto slope = [&](const Vec& dx, const Vec& dy, const Vec& db) {
      Vec ux = tx, uy = ty, lx = tx, ly = ty;
      return 0.5 *
             (loss(bx + dx, by + dy, bound + db, &ux, &uy) - loss(bx - dx, by - dy, bound - db, &lx, &ly));
    };
    const Vec none = Vec::Zero(kCells);
    const double pulled = slope(way_x, way_y, none), held = slope(none, none, wider);
    EXPECT_NEAR((to_x.transpose() * way_x + to_y.transpose() * way_y)(0), pulled, 1e-5 * std::fabs(pulled));
    EXPECT_NEAR((to_bound.transpose() * wider)(0), held, 1e-5 * std::fabs(held));
    for (Index i = 0; i < kCells; ++i) EXPECT_TRUE(bound[i] > 0 || to_x(i, 0) == 0);
  }
}

}  // namespace
}  // namespace taxel::internal
