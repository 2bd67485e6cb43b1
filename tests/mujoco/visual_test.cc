// Contact surfaces in an mjvScene:
//   - every face once: as many triangles as it has, and their area; none with show="false"
//   - colours from blue to red
//   - never beyond maxgeom
#include "taxel/mujoco/visual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Bench;
using test::Data;
using test::MakeData;
using test::Model;
using test::MustCompile;

class Picture {
 public:
  Picture(const std::string& config, int room, const char* coupling = "rows") {
    Bench bench;
    bench.material = config + "<config key=\"coupling\" value=\"" + coupling + "\"/>";
    model_ = MustCompile(bench.xml());
    data_ = MakeData(model_);
    mj_forward(model_.get(), data_.get());
    mjv_defaultScene(&scene_);
    mjv_makeScene(model_.get(), &scene_, room);
    mjv_defaultOption(&option_);
  }
  ~Picture() { mjv_freeScene(&scene_); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  int Draw() {
    const int before = scene_.ngeom;
    DrawSurfaces(model_.get(), data_.get(), &option_, &scene_, FindRuntime(model_.get(), data_.get()));
    return scene_.ngeom - before;
  }
  const ContactSurface& surface() {
    return FindRuntime(model_.get(), data_.get())->Touches(model_.get(), data_.get()).at(0)->surface;
  }
  mjvScene& scene() { return scene_; }

 private:
  Model model_;
  Data data_;
  mjvScene scene_;
  mjvOption option_;
};

std::string ShowPressure(const char* value) {
  return std::string("<config key=\"show_pressure\" value=\"") + value + "\"/>";
}

TEST(DrawSurfaces, DrawsEveryFaceOnce) {
  for (const char* coupling : {"rows", "explicit", "sense"}) {
    // Hardly any pressure on this scale, so that no triangle is split.
    Picture picture(ShowPressure("1e12"), 20000, coupling);
    const ContactSurface& s = picture.surface();
    ASSERT_GT(s.num_faces(), 0);
    EXPECT_EQ(picture.Draw(), static_cast<int>(s.vertices.size()) - 2 * s.num_faces()) << coupling;
    Picture split("", 20000, coupling);
    EXPECT_GE(split.Draw(), picture.scene().ngeom) << coupling;
    for (Picture* p : {&picture, &split}) {
      double area = 0;
      for (int i = 0; i < p->scene().ngeom; ++i) {
        const mjvGeom& g = p->scene().geoms[i];
        ASSERT_EQ(g.type, mjGEOM_TRIANGLE);
        const Vec3 u{g.mat[0], g.mat[3], g.mat[6]}, v{g.mat[1], g.mat[4], g.mat[7]};
        area += 0.5 * norm(cross(u, v));
      }
      EXPECT_NEAR(area, s.area, 1e-5 * s.area) << coupling;
    }
  }
}

TEST(DrawSurfaces, DrawsNothingWhenSwitchedOff) {
  Picture picture("<config key=\"show\" value=\"false\"/>", 20000);
  EXPECT_EQ(picture.Draw(), 0);
  EXPECT_GT(picture.surface().num_faces(), 0);
}

TEST(DrawSurfaces, ColoursGoFromBlueToRed) {
  Picture picture("", 20000), dim(ShowPressure("1e12"), 20000), bright(ShowPressure("1e-3"), 20000);
  int red = 0, blue = 0;
  for (int i = picture.Draw() - 1; i >= 0; --i) {
    const float* c = picture.scene().geoms[i].rgba;
    for (int k = 0; k < 4; ++k) EXPECT_TRUE(c[k] >= 0 && c[k] <= 1);
    EXPECT_EQ(c[3], 1);
    red += c[0] > 4 * c[2], blue += c[2] > 4 * c[0];
  }
  // The flat face bears the greatest pressure, the side walls go up to the surface.
  EXPECT_GT(red, 0);
  EXPECT_GT(blue, 0);
  for (int i = dim.Draw() - 1; i >= 0; --i) {
    const float* c = dim.scene().geoms[i].rgba;
    EXPECT_GT(c[2], 4 * c[0]);
  }
  red = 0;
  for (int i = bright.Draw() - 1; i >= 0; --i) {
    const float* c = bright.scene().geoms[i].rgba;
    red += c[0] > 4 * c[2];
  }
  EXPECT_GT(red, 0.9 * bright.scene().ngeom);
}

TEST(DrawSurfaces, NeverGoesBeyondTheRoom) {
  Picture wide("", 20000);
  const int all = wide.Draw();
  ASSERT_GT(all, 8);
  for (const int room : {1, 7, all - 1, all, all + 1}) {
    Picture picture("", room);
    EXPECT_EQ(picture.Draw(), std::min(room, all)) << room;
    EXPECT_EQ(picture.scene().maxgeom, room);
  }
  // What stands in the scene already stays.
  Picture full("", 5);
  full.scene().ngeom = 5;
  for (int i = 0; i < 5; ++i) full.scene().geoms[i].type = mjGEOM_SPHERE;
  EXPECT_EQ(full.Draw(), 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(full.scene().geoms[i].type, mjGEOM_SPHERE);
}

}  // namespace
}  // namespace taxel::mujoco
