// The plain functions:
//   - touches with and without the plugin; pairs that are not there
//   - a reader's life: new, read before and after mj_forward, free
//   - wrong materials, and rebuild, are told in words that fit the buffer
#include "taxel/mujoco/c_api.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "taxel/contact/surface.h"
#include "test_model.h"

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
  ASSERT_EQ(taxel_reader_read(reader, m.get(), d.get(), error, sizeof(error)), 1) << error;
  const auto* surface = static_cast<const ContactSurface*>(taxel_reader_touch(reader, 0, geoms, wrench));
  ASSERT_NE(surface, nullptr);
  // E / T times the volume of the cap, on the second geom.
  const int up = geoms[1] == 1 ? 1 : -1;
  const double force = 1e5 / 0.01 * M_PI * 1e-6 * (3 * 0.02 - 0.001) / 3;
  EXPECT_NEAR(up * surface->wrench_on_A.force.z, force, 5e-3 * force);
  EXPECT_NEAR(up * wrench[2], force, 5e-3 * force);
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
