// Analytic shapes. Cases:
//   names; bounding boxes touch the surface on all sides; the half space is unbounded
//   sizes: zero, negative, not finite, millimetres taken for metres, too small; each message names shape,
//   size and value
#include "taxel/shape/primitives.h"

#include <gtest/gtest.h>

#include <string>

#include "taxel/math/error.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
namespace {

const Primitive kShapes[] = {Sphere{0.03},         Box{{0.05, 0.02, 0.09}},       Cylinder{0.02, 0.07},
                             Capsule{0.015, 0.06}, Ellipsoid{{0.05, 0.02, 0.03}}, HalfSpace{}};

std::string MessageOf(const Primitive& shape) {
  try {
    CheckPrimitive(shape);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Primitives, Names) {
  const char* names[] = {"sphere", "box", "cylinder", "capsule", "ellipsoid", "half_space"};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(PrimitiveName(kShapes[i]), names[i]);
}

TEST(Primitives, BoundingBoxesTouch) {
  for (const Primitive& shape : kShapes) {
    if (std::holds_alternative<HalfSpace>(shape)) continue;
    const Box3 box = BoundingBox(shape);
    EXPECT_EQ(box.lo, -box.hi);
    for (int k = 0; k < 3; ++k) {
      Vec3 p;
      p[k] = box.hi[k];
      EXPECT_NEAR(SignedDistance(shape, p), 0, 1e-17) << PrimitiveName(shape);
    }
  }
  EXPECT_EQ(BoundingBox(Primitive{HalfSpace{}}).hi.z, 0);
  EXPECT_EQ(BoundingBox(Primitive{HalfSpace{}}).lo.x, -Box3::kInf);
}

TEST(Primitives, GoodSizesPass) {
  for (const Primitive& shape : kShapes) EXPECT_EQ(MessageOf(shape), "");
  EXPECT_EQ(MessageOf(Sphere{10}), "");
  EXPECT_EQ(MessageOf(Sphere{1e-6}), "");
}

TEST(Primitives, BadSizesAreNamed) {
  EXPECT_NE(MessageOf(Sphere{0}).find("sphere: radius is 0"), std::string::npos);
  EXPECT_NE(MessageOf(Box{{0.1, -0.2, 0.1}}).find("box: size y is -0.2"), std::string::npos);
  EXPECT_NE(MessageOf(Cylinder{0.1, NAN}).find("cylinder: length is nan"), std::string::npos);
  EXPECT_NE(MessageOf(Capsule{INFINITY, 0.1}).find("capsule: radius is inf"), std::string::npos);
  EXPECT_NE(MessageOf(Ellipsoid{{0.1, 0.1, 30}}).find("millimetres"), std::string::npos);
  EXPECT_NE(MessageOf(Sphere{1e-7}).find("micrometre"), std::string::npos);
}

}  // namespace
}  // namespace taxel
