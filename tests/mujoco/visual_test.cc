// Contact surfaces in an mjvScene:
//   - every face once: as many triangles as it has, and their area; none with show="false"
//   - colours from blue to red
//   - never beyond maxgeom
// Taxels:
//   - one tile each, at its place on the turned geom, a little smaller than its cell; none with
//   show_taxels="false"
//   - before the first reading, of sensors on demand and paused ones; never beyond maxgeom
//   - drawing changes no later reading and no state
#include "taxel/mujoco/visual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skin_model.h"
#include "taxel/mujoco/c_api.h"

namespace taxel::mujoco {
using namespace internal;
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

// Draws the taxels of a model into a scene of its own.
class Tiles {
 public:
  explicit Tiles(const Bench& bench, int room = 2000)
      : model(MustCompile(bench.xml())), data(MakeData(model)) {
    mjv_defaultScene(&scene);
    mjv_makeScene(model.get(), &scene, room);
  }
  ~Tiles() { mjv_freeScene(&scene); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
  int Draw() {
    const int before = scene.ngeom;
    DrawTaxels(model.get(), data.get(), &scene, FindRuntime(model.get(), data.get()));
    return scene.ngeom - before;
  }
  Model model;
  Data data;
  mjvScene scene;
};

TEST(DrawTaxels, OneTileATaxel) {
  Bench bench = test::SkinBench({{"shape", "6 8"}, {"pitch", "0.004 0.003"}});
  bench.pad_geom = "euler=\"0 0 25\"";
  Tiles tiles(bench);
  EXPECT_EQ(tiles.Draw(), 0);  // no poses yet
  mj_forward(tiles.model.get(), tiles.data.get());
  ASSERT_EQ(tiles.Draw(), 48);
  const SkinSensor& sensor = test::Sensor(tiles.model, tiles.data);
  const Pose X = GeomPose(tiles.data.get(), sensor.geom);
  int red = 0;
  for (int i = 0; i < 48; ++i) {
    const mjvGeom& g = tiles.scene.geoms[i];
    EXPECT_EQ(g.type, mjGEOM_BOX);
    const Vec3 at{g.pos[0], g.pos[1], g.pos[2]}, x{g.mat[0], g.mat[3], g.mat[6]};
    EXPECT_LT(norm(at - X * sensor.skin->layout().points[i]), 1e-4);
    EXPECT_LT(norm(x - X.R * sensor.skin->layout().axes[i]), 1e-6);
    EXPECT_LT(g.size[0], 0.002);
    EXPECT_LT(g.size[1], 0.0015);
    for (int k = 0; k < 4; ++k) EXPECT_TRUE(g.rgba[k] >= 0 && g.rgba[k] <= 1);
    red += g.rgba[0] > 4 * g.rgba[2];
  }
  EXPECT_GT(red, 4);
  EXPECT_LT(red, 44);
}

TEST(DrawTaxels, HiddenOnDemandAndFull) {
  Tiles hidden(test::SkinBench({{"shape", "6 8"}, {"show_taxels", "false"}}));
  mj_forward(hidden.model.get(), hidden.data.get());
  EXPECT_EQ(hidden.Draw(), 0);
  Tiles demand(test::SkinBench({{"shape", "6 8"}, {"on_demand", "true"}}));
  mj_forward(demand.model.get(), demand.data.get());
  EXPECT_EQ(demand.Draw(), 48);
  for (const int room : {1, 30, 47, 48}) {
    Tiles tiles(test::SkinBench({{"shape", "6 8"}}), room);
    mj_forward(tiles.model.get(), tiles.data.get());
    EXPECT_EQ(tiles.Draw(), room);
    EXPECT_EQ(tiles.Draw(), 0);
  }
  // Two sensors, one of them curved.
  Bench bench = test::SkinBench({{"shape", "6 8"}});
  bench.world =
      "<body pos=\"-0.02 0 0.0095\"><freejoint/><geom name=\"ball\" size=\"0.01\" mass=\"0.1\"/></body>";
  bench.rest = "<sensor>" + test::TouchSensor("a", {{"shape", "6 8"}}) +
               test::TouchSensor("b", {{"shape", "5 7"}}, "ball") + "</sensor>";
  Tiles two(bench);
  mj_forward(two.model.get(), two.data.get());
  EXPECT_EQ(two.Draw(), 48 + 35);
}

TEST(DrawTaxels, ChangesNothing) {
  for (const char* demand : {"false", "true"})
    for (const char* coupling : {"rows", "explicit", "sense"}) {
      Bench bench = test::SkinBench({{"shape", "6 8"},
                                     {"on_demand", demand},
                                     {"creep", "0.5 0.05"},
                                     {"noise", "0 10"},
                                     {"output", "pressure shear slip"}});
      bench.modulus = 1e5;
      bench.option = "integrator=\"implicitfast\" timestep=\"0.0005\"";
      bench.material += test::Configs({{"coupling", coupling}});
      Tiles drawn(bench), plain(bench);
      std::vector<double> out(48 * 4);
      double felt[10];
      char error[200];
      for (int i = 0; i < 40; ++i) {
        for (Tiles* t : {&drawn, &plain}) {
          mj_step(t->model.get(), t->data.get());
          taxel_skin_read(nullptr, t->model.get(), t->data.get(), 0, out.data(), felt, error, 200);
          // Between a reading and the next step the block is moved by hand.
          if (i % 10 == 5) t->data->qpos[2] -= 2e-5, mj_forward(t->model.get(), t->data.get());
        }
        drawn.scene.ngeom = 0;
        drawn.Draw();
        if (i % 3 == 0) {
          mjvOption option;
          mjv_defaultOption(&option);
          DrawSurfaces(drawn.model.get(), drawn.data.get(), &option, &drawn.scene,
                       FindRuntime(drawn.model.get(), drawn.data.get()));
        }
      }
      for (int k = 0; k < drawn.model->npluginstate; ++k)
        ASSERT_EQ(drawn.data->plugin_state[k], plain.data->plugin_state[k]) << coupling << demand << k;
      EXPECT_EQ(test::SensorVector(drawn.model, drawn.data), test::SensorVector(plain.model, plain.data))
          << coupling;
      for (int k = 0; k < 7; ++k) EXPECT_EQ(drawn.data->qpos[k], plain.data->qpos[k]) << coupling;
    }
}

}  // namespace
}  // namespace taxel::mujoco
