// FOTS and TacSL in batches:
//   - each copy is what a single model says, bit for bit, on 1, 2 and 5 threads; worlds do not mix
//   - parameters and resets by world; gravity shifts; a masked step leaves the others as they are
//   - TacSL: velocities given, or from the poses; the kernels' point (tacsl_point.h) in double and in float
//   - normals and lines through kernel shapes against the exact shapes
//   - errors name world and finger, and nothing has moved then
#include "taxel/batch/baseline_batch.h"

#include <gtest/gtest.h>

#include "../marker/marker_scenes.h"
#include "../shape/expect_error.h"
#include "taxel/marker/tacsl_point.h"
#include "taxel/shape/shape_exit.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

constexpr int kWorlds = 7, kFingers = 2, kCopies = kWorlds * kFingers, kSteps = 60;

std::vector<std::vector<Pose>> Paths() {
  std::vector<std::vector<Pose>> out;
  for (int i = 0; i < kCopies; ++i) out.push_back(test::RandomPath(i + 1, kSteps));
  return out;
}
std::vector<Pose> At(const std::vector<std::vector<Pose>>& paths, int step) {
  std::vector<Pose> out;
  for (const auto& path : paths) out.push_back(path[step]);
  return out;
}
const MarkerDistance kBall(Primitive{Sphere{8e-3}});

TEST(FotsBatch, IsManySingleOnes) {
  const auto paths = Paths();
  FotsParameters p = FotsDefaults(FotsVariant::kContactCentre, 0.065e-3), other = p;
  other.lambda_s *= 2, other.dilate_scale *= 0.5;
  const Fots fots(test::Grid(), kBall, p);
  const std::size_t markers = fots.markers_P().size();
  for (const int threads : {1, 2, 5}) {
    FotsBatch batch(fots, kWorlds, kFingers, threads);
    batch.SetParameters(3, other);
    std::vector<Fots> single(kCopies, fots);
    single[6].set_parameters(other), single[7].set_parameters(other);
    std::vector<Vec3> shift(kCopies), out(kCopies * markers), one;
    for (int i = 0; i < kCopies; ++i) shift[i] = {1e-5 * i, -2e-5 * i, 0};
    double largest = 0;
    for (int step = 0; step < kSteps; ++step) {
      if (step == 20) {
        std::vector<std::uint8_t> mask(kWorlds);
        mask[2] = mask[5] = 1;
        batch.Reset(mask.data());
        for (const int i : {4, 5, 10, 11}) single[i].Reset();
      }
      batch.Step(At(paths, step), step % 2 ? shift.data() : nullptr, out.data());
      for (int i = 0; i < kCopies; ++i) {
        single[i].Step(paths[i][step], &one, step % 2 ? &shift[i] : nullptr);
        for (std::size_t m = 0; m < markers; ++m) {
          ASSERT_EQ(out[i * markers + m], one[m]) << "step " << step << " copy " << i;
          largest = std::max(largest, norm(one[m]));
        }
      }
    }
    EXPECT_GT(largest, 1);
    EXPECT_EQ(batch.fots(5, 1).state(), single[11].state());
  }
}

TEST(TacSlBatch, IsManySingleOnes) {
  const auto paths = Paths();
  const TacSlParameters p{100, 0.5, 0.7, false}, other{50, 0.2, 0.3, false};
  const TacSl tacsl(test::Grid(), kBall, p), second(test::Grid(), kBall, other);
  const std::size_t n = tacsl.points_P().size();
  const double dt = 1.0 / 60;
  for (const int threads : {1, 2, 5}) {
    TacSlBatch batch(tacsl, kWorlds, kFingers, threads);
    batch.SetParameters(3, other);
    std::vector<double> depth(kCopies * n), normal(kCopies * n), shear(2 * kCopies * n);
    std::vector<BodyMotion> motion(kCopies);
    double rubbed = 0;
    for (int step = 0; step < kSteps; ++step) {
      const bool given = step % 3 == 2, fresh = step == 0 || step == 30;
      if (step == 30) batch.Reset(nullptr);
      for (int i = 0; i < kCopies; ++i) {
        const Pose &now = paths[i][step], &before = fresh ? now : paths[i][step - 1];
        const KernelMotion<double> m = MotionBetween(ToKernelPose(before), ToKernelPose(now), dt);
        motion[i] = {{m.v.x, m.v.y, m.v.z}, {m.w.x, m.w.y, m.w.z}};
        if (given) motion[i] = {{0.01 * i, -0.02, 0.03}, {1, 2.0 * i, 3}};
      }
      batch.Step(At(paths, step), given ? motion.data() : nullptr, dt,
                 {depth.data(), normal.data(), shear.data()});
      TacSlReading one;
      for (int i = 0; i < kCopies; ++i) {
        (i / kFingers == 3 ? second : tacsl).Read({}, paths[i][step], {}, motion[i], &one);
        for (std::size_t k = 0; k < n; ++k) {
          ASSERT_EQ(depth[i * n + k], one.depth[k]);
          ASSERT_EQ(normal[i * n + k], one.normal[k]);
          ASSERT_EQ(shear[2 * (i * n + k)], one.shear[2 * k]);
          ASSERT_EQ(shear[2 * (i * n + k) + 1], one.shear[2 * k + 1]);
          rubbed = std::max(rubbed, std::fabs(one.shear[2 * k]));
        }
      }
    }
    EXPECT_GT(rubbed, 1e-3);
  }
}

template <typename T>
KernelShape<T> Cast(KernelShapeKind kind, double a, double b, double c) {
  return {kind, T(a), T(b), T(c), {}};
}
template <typename T>
Triple<T> Cast(const Vec3& v) {
  return {T(v.x), T(v.y), T(v.z)};
}
template <typename T>
KernelPose<T> Cast(const Pose& X) {
  KernelPose<T> out;
  for (int i = 0; i < 9; ++i) out.r[i] = T(X.R.m[i]);
  for (int i = 0; i < 3; ++i) out.t[i] = T(X.p[i]);
  return out;
}

TEST(TacSlPoint, IsTheModelInDoubleAndCloseInFloat) {
  const TacSlParameters p{100, 0.5, 0.7, false};
  struct Case {
    Primitive shape;
    KernelShapeKind kind;
    double a, b, c;
  };
  const Case cases[] = {{Sphere{8e-3}, KernelShapeKind::kSphere, 8e-3, 0, 0},
                        {Cylinder{7e-3, 15e-3}, KernelShapeKind::kCylinder, 7e-3, 7.5e-3, 0},
                        {Capsule{6e-3, 4e-3}, KernelShapeKind::kCapsule, 6e-3, 2e-3, 0},
                        {Box{{12e-3, 14e-3, 15e-3}}, KernelShapeKind::kBox, 6e-3, 7e-3, 7.5e-3}};
  for (const Case& test_case : cases) {
    const TacSl tacsl(test::Grid(), MarkerDistance(test_case.shape), p);
    int pressed = 0;
    for (int seed = 0; seed < 10; ++seed)
      for (const Pose& X : test::RandomPath(seed)) {
        const BodyMotion motion{{0.03, 0.02 * seed, -0.01}, {1, -2, 3}};
        TacSlReading r;
        tacsl.Read({}, X, {}, motion, &r);
        for (std::size_t i = 0; i < r.depth.size(); ++i) {
          TacSlForces<double> exact;
          TacSlForces<float> quick;
          const double depth = TacSlAt(Cast<double>(test_case.kind, test_case.a, test_case.b, test_case.c),
                                       ToTacSlRates<double>(p), Cast<double>(X),
                                       {Cast<double>(motion.v_W), Cast<double>(motion.w_W)},
                                       Cast<double>(tacsl.points_P()[i]), &exact);
          const double close = TacSlAt(Cast<float>(test_case.kind, test_case.a, test_case.b, test_case.c),
                                       ToTacSlRates<float>(p), Cast<float>(X),
                                       {Cast<float>(motion.v_W), Cast<float>(motion.w_W)},
                                       Cast<float>(tacsl.points_P()[i]), &quick);
          ASSERT_NEAR(depth, r.depth[i], 1e-15);
          ASSERT_NEAR(exact.normal, r.normal[i], 1e-12);
          ASSERT_NEAR(exact.shear_x, r.shear[2 * i], 1e-12);
          ASSERT_NEAR(exact.shear_y, r.shear[2 * i + 1], 1e-12);
          ASSERT_NEAR(close, r.depth[i], 5e-9);
          ASSERT_NEAR(quick.normal, r.normal[i], 1e-6);  // 100 N/m times the depth's error
          ASSERT_NEAR(quick.shear_x, r.shear[2 * i], 1e-6);
          ASSERT_NEAR(quick.shear_y, r.shear[2 * i + 1], 1e-6);
          pressed += depth > 0;
        }
      }
    EXPECT_GT(pressed, 300) << PrimitiveName(test_case.shape);
  }
}

TEST(BaselineBatch, AMaskedStepMovesNobodyElse) {
  const auto paths = Paths();
  const Fots fots(test::Grid(), kBall, FotsDefaults(FotsVariant::kContactCentre, 0.065e-3));
  const TacSl tacsl(test::Grid(), kBall, {100, 0.5, 0.7, true});
  const std::size_t n = tacsl.points_P().size();
  FotsBatch one(fots, kWorlds, kFingers, 2), two = one;
  TacSlBatch three(tacsl, kWorlds, kFingers, 2), four = three;
  std::vector<std::uint8_t> mask(kWorlds);
  mask[1] = mask[4] = 1;
  std::vector<Vec3> a(kCopies * n), b(kCopies * n);
  std::vector<double> c(2 * kCopies * n), d(2 * kCopies * n);
  double sheared = 0;
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<Pose> poses = At(paths, step);
    one.Step(poses, nullptr, a.data());
    two.Step(poses, nullptr, b.data());
    three.Step(poses, nullptr, 0.01, {nullptr, nullptr, c.data()});
    four.Step(poses, nullptr, 0.01, {nullptr, nullptr, d.data()});
    for (std::size_t k = 0; k < a.size(); ++k) {
      const bool chosen = mask[k / (n * kFingers)];
      sheared += c[2 * k];
      if (chosen) continue;
      ASSERT_EQ(a[k], b[k]) << "step " << step;
      ASSERT_EQ(c[2 * k], d[2 * k]) << "step " << step;
    }
    if (step % 7 != 3) continue;
    std::vector<Pose> other = At(paths, (step + 9) % kSteps);
    other[0].p.x = NAN;  // nobody looks at a world that stays
    const std::vector<Vec3> before = b;
    two.Step(other, nullptr, b.data(), mask.data());
    four.Step(other, nullptr, 0.01, {nullptr, nullptr, d.data()}, mask.data());
    EXPECT_TRUE(std::equal(b.begin(), b.begin() + kFingers * n, before.begin()));
    EXPECT_FALSE(
        std::equal(b.begin() + kFingers * n, b.begin() + 2 * kFingers * n, before.begin() + kFingers * n));
  }
  EXPECT_NE(sheared, 0);
}

TEST(KernelShapes, NormalsAndLinesAgainstTheExactShapes) {
  struct Case {
    Primitive shape;
    KernelShape<double> kernel;
  };
  const Case cases[] = {{Sphere{8e-3}, Cast<double>(KernelShapeKind::kSphere, 8e-3, 0, 0)},
                        {Cylinder{7e-3, 15e-3}, Cast<double>(KernelShapeKind::kCylinder, 7e-3, 7.5e-3, 0)},
                        {Capsule{6e-3, 4e-3}, Cast<double>(KernelShapeKind::kCapsule, 6e-3, 2e-3, 0)},
                        {Box{{12e-3, 14e-3, 15e-3}}, Cast<double>(KernelShapeKind::kBox, 6e-3, 7e-3, 7.5e-3)},
                        {HalfSpace{}, Cast<double>(KernelShapeKind::kHalfSpace, 0, 0, 0)}};
  const MarkerDistance lattice = kBall.Trilinear(0.25e-3, 1e-3);
  KernelShape<double> grid;
  grid.kind = KernelShapeKind::kTrilinear;
  grid.lattice = *lattice.lattice();
  std::uint64_t n = 0;
  const auto draw = [&] { return 2 * RandomUniform(11, n++) - 1; };
  int inside = 0, found = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 p = 9e-3 * Vec3{draw(), draw(), draw()}, d = normalized({draw(), draw(), draw()});
    for (const Case& c : cases) {
      const Triple<double> normal = ShapeNormal(c.kernel, Cast<double>(p));
      ASSERT_NEAR(norm(Vec3{normal.x, normal.y, normal.z} - SignedDistanceGradient(c.shape, p)), 0, 1e-12);
      const double t = ShapeExit(c.kernel, Cast<double>(p), Cast<double>(d), 0.05);
      if (SignedDistance(c.shape, p) >= 0) {
        ASSERT_EQ(t, 0);
        continue;
      }
      ++inside;
      if (t == 0.05) {
        ASSERT_LT(SignedDistance(c.shape, p + t * d), 0);
        continue;
      }
      ASSERT_NEAR(SignedDistance(c.shape, p + t * d), 0, 1e-12) << PrimitiveName(c.shape);
      ASSERT_LT(SignedDistance(c.shape, p + 0.5 * t * d), 0);
      const double quick = ShapeExit(
          KernelShape<float>{c.kernel.kind, float(c.kernel.a), float(c.kernel.b), float(c.kernel.c), {}},
          Cast<float>(p), Cast<float>(d), 0.05f);
      // A line that leaves at a grazing angle has its end where rounding puts it.
      const double slope = dot(SignedDistanceGradient(c.shape, p + t * d), d);
      if (slope > 0.1) {
        ASSERT_NEAR(quick, t, 1e-7) << PrimitiveName(c.shape);
      }
    }
    // On a lattice, towards the near side: 16 steps reach 2 mm at least.
    const double t = ShapeExit(grid, Cast<double>(p), Cast<double>(d), 0.05);
    double exact = 0;
    BallExit(8e-3, Cast<double>(p), Cast<double>(d), &exact);
    if (norm(p) < 7.9e-3 && exact < 2e-3) {
      ++found;
      const double slope = dot(normalized(p + exact * d), d);
      ASSERT_NEAR(t, exact, 2e-5 / std::max(slope, 0.1));
    }
  }
  EXPECT_GT(inside, 1000);
  EXPECT_GT(found, 50);
}

TEST(BaselineBatch, RefusesWhatDoesNotFit) {
  const Fots fots(test::Grid(), kBall, FotsDefaults(FotsVariant::kFots, 0.065e-3));
  const TacSl tacsl(test::Grid(), kBall, {});
  ExpectError([&] { FotsBatch(fots, 0, 2, 1); }, {"0 worlds", "at least one"});
  ExpectError([&] { TacSlBatch(tacsl, 1, 2, -1); }, {"threads is -1"});
  FotsBatch batch(fots, 3, 2, 2);
  TacSlBatch forces(tacsl, 3, 2, 2);
  std::vector<Vec3> out(6 * 63);
  std::vector<Pose> poses(6, Pose{{}, {0, 0, 9.5e-3}});
  ExpectError([&] { batch.Step({Pose{}}, nullptr, out.data()); }, {"1 poses for 3 worlds and 2 fingers"});
  ExpectError([&] { batch.SetParameters(3, fots.parameters()); }, {"no world 3"});
  ExpectError([&] { forces.Step(poses, nullptr, 0, {}); }, {"dt is 0"});
  std::vector<Vec3> shift(6);
  shift[3].x = NAN;
  ExpectError([&] { batch.Step(poses, shift.data(), out.data()); }, {"world 1, finger 1"});
  poses[5].p.x = NAN;
  ExpectError([&] { batch.Step(poses, nullptr, out.data()); }, {"world 2, finger 1", "not finite"});
  ExpectError([&] { forces.Step(poses, nullptr, 0.1, {}); }, {"world 2, finger 1"});
  EXPECT_FALSE(batch.fots(0, 0).state().started);
}

}  // namespace
}  // namespace taxel
