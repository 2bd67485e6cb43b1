// The plain functions:
//   - touches with and without the plugin; pairs that are not there
//   - a reader's life: new, read before and after mj_forward, free
//   - wrong materials, and rebuild, are told in words that fit the buffer
//   - tactile sensors of the plugin and of a reader: what they are, reading them, what was felt; a reader's
//   chain moves
//     with time, not with the number of questions
#include "taxel/mujoco/c_api.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "skin_model.h"
#include "taxel/contact/surface.h"

namespace taxel::mujoco {
namespace {

using test::Bench;
using test::Data;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;

// The pad is geom 0, the ball geom 1, 1 mm deep in it.
const char* const kPlain = R"(<mujoco><worldbody>
    <geom name="pad" type="box" size="0.04 0.03 0.005" pos="0 0 -0.005"/>
    <body pos="0.004 -0.003 0.019"><freejoint/><geom name="ball" size="0.02"/></body>
  </worldbody></mujoco>)";

TEST(CApi, TouchesNeedThePlugin) {
  const Model m = MustCompile(kPlain);
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  int geoms[2];
  double wrench[6];
  EXPECT_EQ(taxel_num_touches(m.get(), d.get()), -1);
  EXPECT_EQ(taxel_touch(m.get(), d.get(), 0, geoms, wrench), nullptr);
}

TEST(CApi, TouchesOfAStep) {
  const Model m = MustCompile(Bench().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  EXPECT_EQ(taxel_num_touches(m.get(), d.get()), 0);  // nothing was computed yet
  mj_forward(m.get(), d.get());
  ASSERT_EQ(taxel_num_touches(m.get(), d.get()), 1);
  int geoms[2] = {-1, -1};
  double wrench[6];
  const auto* surface = static_cast<const ContactSurface*>(taxel_touch(m.get(), d.get(), 0, geoms, wrench));
  ASSERT_NE(surface, nullptr);
  EXPECT_EQ(geoms[0], Id(m, mjOBJ_GEOM, "pad"));
  EXPECT_EQ(geoms[1], Id(m, mjOBJ_GEOM, "block"));
  // The block starts where the pad bears its weight.
  EXPECT_NEAR(surface->wrench_on_A.force.z, 9.81, 1e-6 * 9.81);
  EXPECT_NEAR(wrench[2], 9.81, 0.02 * 9.81);
  EXPECT_EQ(taxel_touch(m.get(), d.get(), 1, geoms, wrench), nullptr);
  EXPECT_EQ(taxel_touch(m.get(), d.get(), -1, geoms, wrench), nullptr);
}

TEST(CApi, AReaderReadsAModelWithoutThePlugin) {
  const Model m = MustCompile(kPlain);
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  char error[300] = "";
  void* reader = taxel_reader_new(m.get(), "skin\t0\tmodulus=1e5\tfield=backed", "", error, sizeof(error));
  ASSERT_NE(reader, nullptr) << error;
  EXPECT_EQ(taxel_reader_is_soft(reader, 0), 1);
  EXPECT_EQ(taxel_reader_is_soft(reader, 1), 0);
  int geoms[2];
  double wrench[6];
  EXPECT_EQ(taxel_reader_touch(reader, 0, geoms, wrench), nullptr);  // nothing was read
  EXPECT_EQ(taxel_reader_read(reader, m.get(), d.get(), error, sizeof(error)), -1);
  EXPECT_NE(std::strstr(error, "mj_forward"), nullptr) << error;

  mj_forward(m.get(), d.get());
  taxel_reader_scale(reader, 0);
  ASSERT_EQ(taxel_reader_read(reader, m.get(), d.get(), error, sizeof(error)), 1) << error;
  const auto* surface = static_cast<const ContactSurface*>(taxel_reader_touch(reader, 0, geoms, wrench));
  ASSERT_NE(surface, nullptr);
  // E / T times the volume of the cap, on the second geom.
  const int up = geoms[1] == 1 ? 1 : -1;
  const double force = 1e5 / 0.01 * M_PI * 1e-6 * (3 * 0.02 - 0.001) / 3;
  EXPECT_NEAR(up * surface->wrench_on_A.force.z, force, 5e-3 * force);
  EXPECT_NEAR(up * wrench[2], force, 5e-3 * force);
  // Scaled, it is what MuJoCo's own contact pushes with; the surface stays the field's.
  taxel_reader_scale(reader, 1);
  ASSERT_EQ(taxel_reader_read(reader, m.get(), d.get(), error, sizeof(error)), 1) << error;
  surface = static_cast<const ContactSurface*>(taxel_reader_touch(reader, 0, geoms, wrench));
  mjtNum engine[6];
  mj_contactForce(m.get(), d.get(), 0, engine);
  EXPECT_GT(engine[0], 0.1);
  EXPECT_NEAR(up * wrench[2], engine[0], 1e-9);
  EXPECT_NEAR(up * surface->wrench_on_A.force.z, force, 5e-3 * force);
  EXPECT_EQ(taxel_reader_touch(reader, 1, geoms, wrench), nullptr);
  EXPECT_EQ(taxel_reader_touch(reader, -1, geoms, wrench), nullptr);

  d->qpos[2] = 1;
  mj_forward(m.get(), d.get());
  EXPECT_EQ(taxel_reader_read(reader, m.get(), d.get(), error, sizeof(error)), 0);
  taxel_reader_free(reader);
  taxel_reader_free(nullptr);
}

TEST(CApi, WrongMaterialsAreNamed) {
  const Model m = MustCompile(kPlain);
  ASSERT_TRUE(m);
  const struct {
    const char *materials, *message;
  } cases[] = {
      {"", "no geom of the model is soft"},
      {"skin", "a line needs a name and geoms: \"skin\""},
      {"skin\t2\tmodulus=1e5", "there is no geom 2"},
      {"skin\t0,-1\tmodulus=1e5", "there is no geom -1"},
      {"skin\t0\tmodulus", "\"modulus\" is not key=value"},
      {"skin\t0\tmodulsu=1e5", "modulsu"},
      {"skin\t0\tmodulus=soft", "modulus"},
  };
  for (const auto& c : cases) {
    char error[300] = "";
    void* reader = taxel_reader_new(m.get(), c.materials, "", error, sizeof(error));
    EXPECT_EQ(reader, nullptr) << c.materials;
    EXPECT_NE(std::strstr(error, c.message), nullptr) << c.materials << ": " << error;
    taxel_reader_free(reader);
  }
}

TEST(CApi, TactileSensors) {
  using test::Keys;
  const Keys keys = {
      {"shape", "6 8"}, {"output", "pressure slip truth"}, {"unit", "N"}, {"on_demand", "true"}};
  Bench bench = test::SkinBench(keys);
  bench.rest = "<sensor><gyro name=\"first\" site=\"s\"/>" + test::TouchSensor("touch", keys) +
               test::TouchSensor("", {{"points", "0 0 0.005"}, {"radius", "0.01"}}) + "</sensor>";
  bench.body = "<site name=\"s\"/>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  ASSERT_EQ(taxel_num_skins(nullptr, m.get(), d.get()), 2);
  int info[9];
  const char* name = nullptr;
  const auto* layout = static_cast<const Layout*>(taxel_skin(nullptr, m.get(), d.get(), 0, info, &name));
  ASSERT_NE(layout, nullptr);
  EXPECT_STREQ(name, "touch");
  const int expected[9] = {1, Id(m, mjOBJ_GEOM, "pad"), 48, 6, 8, 1 + 4 + 8, 1, 48 + 48 + 12, 1};
  for (int k = 0; k < 9; ++k) EXPECT_EQ(info[k], expected[k]) << k;
  EXPECT_EQ(layout->count(), 48);
  EXPECT_NE(taxel_skin(nullptr, m.get(), d.get(), 1, info, &name), nullptr);
  EXPECT_EQ(info[3], 0);  // no grid
  for (int k : {-1, 2}) EXPECT_EQ(taxel_skin(nullptr, m.get(), d.get(), k, info, &name), nullptr);

  double out[108], felt[10];
  char error[200] = "";
  const auto read = [&](int k) {
    return taxel_skin_read(nullptr, m.get(), d.get(), k, out, felt, error, 200);
  };
  EXPECT_EQ(read(0), -1);
  EXPECT_NE(std::strstr(error, "mj_forward"), nullptr) << error;
  mj_forward(m.get(), d.get());
  EXPECT_EQ(read(7), -1);
  EXPECT_NE(std::strstr(error, "no tactile sensor 7"), nullptr) << error;
  ASSERT_EQ(read(0), 0) << error;
  double sum = 0;
  for (int i = 0; i < 48; ++i) sum += out[i];
  EXPECT_NEAR(felt[2], -sum, 1e-9);  // the force on the pad is down
  EXPECT_NEAR(felt[3], out[96 + 3], 1e-15);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(felt[4 + k], out[96 + k], 1e-15);
  EXPECT_NEAR(felt[7], out[96 + 4], 1e-12);
  EXPECT_GE(felt[8], 0);
  EXPECT_EQ(taxel_skin_pause(m.get(), d.get(), 5, 1), 0);  // there is none

  const Model plain = MustCompile(kPlain);
  const Data without = MakeData(plain);
  EXPECT_EQ(taxel_num_skins(nullptr, plain.get(), without.get()), -1);
  EXPECT_EQ(taxel_skin(nullptr, plain.get(), without.get(), 0, info, &name), nullptr);
}

TEST(CApi, TactileSensorsOfAReader) {
  const Model m = MustCompile(kPlain);
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  char error[300] = "";
  const char* const soft = "skin\t0\tmodulus=1e5\tfield=backed";
  void* reader = taxel_reader_new(
      m.get(), soft, "tip\t0\tshape=6 8\tcreep=0.5 0.01\tnoise=0 1\nside\t1\tshape=4 6\talong=-90 90", error,
      300);
  ASSERT_NE(reader, nullptr) << error;
  ASSERT_EQ(taxel_num_skins(reader, m.get(), d.get()), 2);
  int info[9];
  const char* name;
  ASSERT_NE(taxel_skin(reader, m.get(), d.get(), 1, info, &name), nullptr);
  EXPECT_STREQ(name, "side");
  EXPECT_EQ(info[0], -1);
  EXPECT_EQ(info[1], 1);
  const auto read = [&](int k) {
    std::vector<double> out(k ? 24 : 48);
    double felt[10];
    EXPECT_EQ(taxel_skin_read(reader, m.get(), d.get(), k, out.data(), felt, error, 300), 0) << error;
    return out;
  };
  const auto total = [](const std::vector<double>& x) {
    double sum = 0;
    for (double v : x) sum += v;
    return sum;
  };
  mj_forward(m.get(), d.get());
  const std::vector<double> first = read(0);
  EXPECT_GT(total(first), 100);
  EXPECT_GT(total(read(1)), 100);                         // the ball, which is rigid, feels the soft pad
  for (int i = 0; i < 5; ++i) EXPECT_EQ(read(0), first);  // however often it is asked
  // Time goes on under the same load: the reading creeps up; back at the start it is the first again.
  double last = total(first);
  for (int i = 1; i < 6; ++i) {
    d->time = 0.002 * i;
    const std::vector<double> now = read(0);
    EXPECT_GT(total(now), 1.01 * last) << i;
    EXPECT_EQ(now, read(0));
    last = total(now);
  }
  d->time = 0;
  EXPECT_EQ(read(0), first);
  taxel_reader_free(reader);

  const struct {
    const char *sensors, *message;
  } cases[] = {{"tip\t0,1\tshape=6 8", "sensor 'tip' needs exactly one geom"},
               {"tip\t9\tshape=6 8", "there is no geom 9"},
               {"tip\t0\tshap=6 8", "sensor 'tip'"},
               {"tip\t0\tshape=6 8\tagregate=max", "did you mean \"aggregate\""}};
  for (const auto& c : cases) {
    EXPECT_EQ(taxel_reader_new(m.get(), soft, c.sensors, error, 300), nullptr) << c.sensors;
    EXPECT_NE(std::strstr(error, c.message), nullptr) << error;
  }
}

TEST(CApi, RebuildTellsWhatIsWrongInTheRoomThereIs) {
  const Model plain = MustCompile(kPlain);
  ASSERT_TRUE(plain);
  const Data without = MakeData(plain);
  char error[300] = "";
  EXPECT_EQ(taxel_rebuild(plain.get(), without.get(), error, sizeof(error)), -1);
  EXPECT_NE(std::strstr(error, "no instance of the plugin taxel"), nullptr) << error;
  char small[8] = "#######";
  EXPECT_EQ(taxel_rebuild(plain.get(), without.get(), small, 5), -1);
  EXPECT_STREQ(small, "rebu");
  EXPECT_EQ(small[5], '#');

  const Model m = MustCompile(Bench().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mjtNum& size = m->geom_size[3 * Id(m, mjOBJ_GEOM, "pad")];
  const mjtNum old = size;
  size = -1;
  EXPECT_EQ(taxel_rebuild(m.get(), d.get(), error, sizeof(error)), -1);
  EXPECT_NE(std::strstr(error, "pad"), nullptr) << error;
  size = old;
  EXPECT_EQ(taxel_rebuild(m.get(), d.get(), error, sizeof(error)), 0);
  mj_forward(m.get(), d.get());
  EXPECT_EQ(taxel_num_touches(m.get(), d.get()), 1);
}

}  // namespace
}  // namespace taxel::mujoco
