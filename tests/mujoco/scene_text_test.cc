// A scene in words:
//   - a backed box becomes one column a taxel, with the law, the pair and the taxels that hold them
//   - a spacing that is given
//   - what has no columns is refused by name, with the reason
//   - a model without plugins, for engines that refuse them
#include "taxel/mujoco/scene_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "taxel/mujoco/c_api.h"
#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Model;
using test::MustCompile;

std::string Scene(const std::string& material, const std::string& sensor = "") {
  return R"(<mujoco><option cone="elliptic"/>
    <extension><plugin plugin="taxel"><instance name="soft">)" +
         material + R"(</instance></plugin></extension>
    <worldbody>
      <geom name="pad" type="box" size="0.02 0.01 0.003"/>
      <body pos="0 0 0.02"><freejoint/><geom name="ball" size="0.015" mass="0.1" friction="0.4"/></body>
    </worldbody>
    <custom><tuple name="soft"><element objtype="geom" objname="pad"/></tuple></custom>
    <sensor>)" +
         sensor + R"(</sensor></mujoco>)";
}

const char* const kBacked =
    R"(<config key="modulus" value="1e5"/><config key="field" value="backed"/><config key="friction" value="0.4"/>)";
const char* const kTouch =
    R"(<plugin name="touch" plugin="taxel" objtype="geom" objname="pad"><config key="shape" value="4 8"/></plugin>)";

int Count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// The list behind a key, up to its closing bracket.
std::string ListOf(const std::string& text, const std::string& key) {
  const std::size_t from = text.find("\"" + key + "\":[");
  EXPECT_NE(from, std::string::npos) << key;
  std::size_t at = text.find('[', from);
  const std::size_t open = at;
  int depth = 0;
  do {
    depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
    ++at;
  } while (depth > 0);
  return text.substr(open, at - open);
}

TEST(SceneText, ABackedBoxIsOneColumnATaxel) {
  const Model m = MustCompile(Scene(kBacked, kTouch));
  const std::string text = SceneText(m.get(), 0);
  EXPECT_EQ(Count(ListOf(text, "columns"), "[") - 1, 32);
  const std::string shares = ListOf(text, "shares");
  EXPECT_EQ(Count(shares, "[") - 1, 32);
  EXPECT_EQ(Count(shares, ",1]"), 32);
  EXPECT_NE(text.find("\"law\":[[0,0.80000000000000004,100000,0]"), std::string::npos);
  EXPECT_NE(text.find("\"static_friction\":0.4"), std::string::npos);
  EXPECT_NE(text.find("\"skin\":0"), std::string::npos);
  EXPECT_NE(text.find("\"outputs\":[\"pressure\"]"), std::string::npos);
}

TEST(SceneText, ASpacingThatIsGiven) {
  const Model m = MustCompile(Scene(kBacked));
  EXPECT_EQ(Count(ListOf(SceneText(m.get(), 0.0025), "columns"), "[") - 1, 16 * 8);
}

TEST(SceneText, WhatHasNoColumnsIsRefusedByName) {
  const Model m = MustCompile(Scene(R"(<config key="modulus" value="1e5"/>)"));
  const std::string text = SceneText(m.get(), 0);
  EXPECT_NE(text.find("geom 'pad'"), std::string::npos);
  EXPECT_NE(text.find("\"refused\":\"its field is \\\"distance\\\", which needs polygons\""),
            std::string::npos);
}

TEST(SceneText, AModelWithoutPlugins) {
  const Model m = MustCompile(Scene(kBacked, kTouch));
  const Model plain(mj_copyModel(nullptr, m.get()));
  taxel_strip_plugins(plain.get());
  EXPECT_EQ(plain->nplugin, 0);
  EXPECT_EQ(plain->sensor_type[0], mjSENS_USER);
  EXPECT_EQ(plain->sensor_dim[0], 32);
  EXPECT_EQ(m->sensor_type[0], mjSENS_PLUGIN);
  mjData* d = mj_makeData(plain.get());
  for (int i = 0; i < 20; ++i) mj_step(plain.get(), d);
  EXPECT_LT(d->qpos[2], 0.02);
  mj_deleteData(d);
}

TEST(SceneText, WrongModelsAreTold) {
  const Model m = MustCompile("<mujoco><worldbody><geom size=\"1\"/></worldbody></mujoco>");
  char error[256] = "";
  const char* text = taxel_scene(m.get(), 0, error, sizeof error);
  ASSERT_NE(text, nullptr) << error;
  EXPECT_NE(std::string(text).find("\"pairs\":[]"), std::string::npos);
}

}  // namespace
}  // namespace taxel::mujoco
