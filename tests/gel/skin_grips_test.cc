// A point on a plane that moves. Cases: a first touch grips where the point is, and its drift follows the
// object; a point that sticks keeps its place, one that slides is gripped anew; pressure is followed slowly
// and scaled; free points and forgotten objects let go; another object does not know the grip.
#include "taxel/gel/skin_grips.h"

#include <gtest/gtest.h>

#include "taxel/math/pose.h"

namespace taxel {
namespace {

struct Scene {
  std::vector<SkinObject> objects = std::vector<SkinObject>(2);
  SkinGrips grips;
  SkinTouch touch;

  Scene() {
    for (SkinObject& o : objects) o.friction = 0.5, Put(&o, {});
    grips.Assign(3);
    touch.object = 0;
    touch.n = {0, 0, 1};
    touch.x = {4, 5, 6};
  }
  static void Put(SkinObject* o, const Vec3& p) { o->X = o->before = ToKernelPose(Pose{{}, p}); }
  float Drift(int object = 0) {
    touch.object = object;
    grips.SetDrift(1, objects, &touch);
    return touch.drift.x;
  }
  void Press(const Triple<float>& impulse) { grips.Remember(1, touch, impulse, objects); }
  float Pressed() { return grips.Of(1, touch, objects).pressed; }
};

TEST(SkinGrips, HoldsAPointThatSticks) {
  Scene s;
  EXPECT_EQ(s.Drift(), 0);
  EXPECT_EQ(s.Pressed(), 0);
  s.Press({0, 0, 2});
  EXPECT_EQ(s.Pressed(), 2);
  EXPECT_EQ(s.Drift(), 0);
  s.touch.x.x += 0.25;
  EXPECT_FLOAT_EQ(s.Drift(), 0.25f);
  s.Press({0.9f, 0, 2});  // below 0.5 * 2
  EXPECT_FLOAT_EQ(s.Drift(), 0.25f);
  Scene::Put(&s.objects[0], {0.25, 0, 0});  // the object comes along
  EXPECT_FLOAT_EQ(s.Drift(), 0);
  EXPECT_EQ(s.Drift(1), 0);  // the other one never held it
  EXPECT_EQ(s.Pressed(), 0);
}

TEST(SkinGrips, GripsAnewWhatSlides) {
  for (const double friction : {0.5, -1.0}) {  // below 0: sticks
    Scene s;
    s.objects[0].friction = friction;
    s.Press({0, 0, 2});
    s.touch.x.x += 0.25;
    s.Drift();
    s.Press({1, 0, 2});
    EXPECT_FLOAT_EQ(s.Drift(), friction < 0 ? 0.25f : 0.0f);
    EXPECT_FLOAT_EQ(s.grips.Of(1, s.touch, s.objects).friction, static_cast<float>(friction));
  }
}

TEST(SkinGrips, FollowsThePressure) {
  Scene s;
  s.Press({0, 0, 2});
  s.Press({0, 0, 4});
  EXPECT_FLOAT_EQ(s.Pressed(), 2 + kSkinFollow * 2);
  s.grips.Scale(0.25f);
  EXPECT_FLOAT_EQ(s.Pressed(), (2 + kSkinFollow * 2) / 4);
}

TEST(SkinGrips, LetsGo) {
  Scene s;
  s.Press({0, 0, 2});
  s.grips.Forget(1);
  EXPECT_EQ(s.Pressed(), 2);
  s.grips.Forget(0);
  EXPECT_EQ(s.Pressed(), 0);
  s.Press({0, 0, 2});
  s.touch.object = SkinTouch::kFree;
  s.Press({});
  s.touch.object = 0;
  EXPECT_EQ(s.Pressed(), 0);
}

}  // namespace
}  // namespace taxel
