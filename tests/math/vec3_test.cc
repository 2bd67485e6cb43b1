// Vectors, matrices and boxes. Cases:
//   products against hand-computed values; identities of the cross product; zero stays zero when normalised
//   frames: right-handed and orthonormal for every direction; matrix products and transposes
//   boxes: growth, overlap, distance on all sides; the empty box
#include "taxel/math/vec3.h"

#include <gtest/gtest.h>

#include "taxel/math/box3.h"
#include "taxel/math/random.h"

namespace taxel {
using namespace internal;
namespace {

Vec3 Any(int i) {
  return {2 * RandomUniform(1, 3 * i) - 1, 2 * RandomUniform(1, 3 * i + 1) - 1,
          2 * RandomUniform(1, 3 * i + 2) - 1};
}

TEST(Vec3, ByHand) {
  const Vec3 a{1, -2, 3}, b{0.5, 4, -1};
  EXPECT_EQ(dot(a, b), -10.5);
  EXPECT_EQ(cross(a, b), (Vec3{-10, 2.5, 5}));
  EXPECT_EQ(a + 2.0 * b, (Vec3{2, 6, 1}));
  EXPECT_EQ(norm2(a), 14);
  EXPECT_EQ(norm({2, 3, 6}), 7);
  EXPECT_EQ(cwise_mul(a, b), (Vec3{0.5, -8, -3}));
  EXPECT_EQ(cwise_min(a, b), (Vec3{0.5, -2, -1}));
  EXPECT_EQ(cwise_max(a, b), (Vec3{1, 4, 3}));
  EXPECT_EQ(cwise_abs(a), (Vec3{1, 2, 3}));
  Vec3 c = a;
  c[1] = 7;
  EXPECT_EQ(c[1] + c[2], 10);
  EXPECT_EQ(normalized({}), Vec3{});
  EXPECT_FALSE(is_finite({0, NAN, 0}));
}

TEST(Vec3, CrossProductIsNormalToBoth) {
  for (int i = 0; i < 1000; ++i) {
    const Vec3 a = Any(2 * i), b = Any(2 * i + 1), c = cross(a, b);
    EXPECT_NEAR(dot(a, c), 0, 1e-15);
    EXPECT_NEAR(norm2(c) + dot(a, b) * dot(a, b), norm2(a) * norm2(b), 1e-14);  // Lagrange
  }
}

TEST(Vec3, FramesAreRightHanded) {
  auto check = [](const Vec3& n) {
    Vec3 e1, e2;
    MakeFrame(n, &e1, &e2);
    EXPECT_NEAR(norm(e1), 1, 1e-15);
    EXPECT_NEAR(norm(e2), 1, 1e-15);
    EXPECT_LT(norm(cross(e1, e2) - n), 1e-15);
  };
  for (int i = 0; i < 1000; ++i) check(normalized(Any(i)));
  for (const Vec3& n : {Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}}) check(n);
}

TEST(Mat3, ProductsAndTransposes) {
  const Mat3 A = FromColumns({1, 2, 3}, {4, 5, 6}, {7, 8, 10});
  EXPECT_EQ(A * (Vec3{1, -1, 2}), (Vec3{11, 13, 17}));
  EXPECT_EQ(TransposeMul(A, {1, -1, 2}), Transpose(A) * (Vec3{1, -1, 2}));
  EXPECT_EQ(A.col(1), (Vec3{4, 5, 6}));
  const Mat3 B = FromColumns({0, 1, -1}, {2, 0, 3}, {1, 1, 1});
  for (const Vec3& v : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) EXPECT_EQ((A * B) * v, A * (B * v));
  EXPECT_EQ(A * Mat3{}, A);
}

TEST(Box3, GrowsOverlapsAndMeasures) {
  Box3 box;
  EXPECT_TRUE(box.empty());
  box.Include(Vec3{1, 2, 3});
  box.Include(Vec3{-1, 5, 2});
  EXPECT_EQ(box.lo, (Vec3{-1, 2, 2}));
  EXPECT_EQ(box.size(), (Vec3{2, 3, 1}));
  EXPECT_EQ(box.center(), (Vec3{0, 3.5, 2.5}));
  EXPECT_EQ(box.Distance2({0, 3, 2.5}), 0);
  EXPECT_EQ(box.Distance2({3, 3, 2.5}), 4);
  EXPECT_EQ(box.Distance2({-3, 0, 5}), 12);
  EXPECT_TRUE(box.Overlaps({{1, 5, 3}, {4, 6, 4}}));  // a shared corner counts
  EXPECT_FALSE(box.Overlaps({{1.1, 2, 2}, {4, 6, 4}}));
  EXPECT_FALSE(box.Overlaps(Box3{}));
}

}  // namespace
}  // namespace taxel
