// Reasons in MuJoCo's compile error:
//   - a short one is kept as it is
//   - a long one keeps who it is about and the way out, and loses its middle, between words
//   - what MuJoCo keeps of an error has room for it
#include "taxel/mujoco/refuse.h"

#include <gtest/gtest.h>

#include <string>

#include "test_model.h"

namespace taxel::mujoco {
namespace {

TEST(KeepReason, AShortOneIsKeptAsItIs) {
  EXPECT_STREQ(KeepReason("body 'pad': too thin; give a thickness"),
               "body 'pad': too thin; give a thickness");
  const std::string full(kReasonRoom, 'x');
  EXPECT_EQ(KeepReason(full), full);
}

TEST(KeepReason, ALongOneLosesItsMiddle) {
  std::string middle;
  for (int i = 0; i < 80; ++i) middle += " f\u00fcr " + std::to_string(i) + ";";
  const std::string kept = KeepReason("geom 'pad' is wrong:" + middle + " close it in its file");
  EXPECT_LE(kept.size(), kReasonRoom);
  EXPECT_GT(kept.size(), kReasonRoom - 40);
  EXPECT_EQ(kept.find("geom 'pad' is wrong: f\u00fcr 0; f\u00fcr 1;"), 0u) << kept;
  EXPECT_NE(kept.find("; ... "), std::string::npos) << kept;
  EXPECT_EQ(kept.substr(kept.size() - 21), " close it in its file") << kept;
  // No word to cut at.
  EXPECT_GE(std::string(KeepReason(std::string(3000, 'x'))).size(), kReasonRoom - 1);
}

TEST(KeepReason, MuJoCoHasRoomForIt) {
  // Of a body with a name of 700 letters the way out is still there.
  const std::string name(700, 'p');
  std::string error;
  const std::string xml = R"(<mujoco><option cone="elliptic"/><extension><plugin plugin="taxel">
      <instance name="skin"><config key="modulus" value="1e5"/></instance></plugin></extension>
      <custom><tuple name="skin"><element objtype="geom" objname=")" +
                          name + R"("/></tuple></custom><worldbody><geom name=")" + name +
                          R"(" type="plane" size="1 1 1"/></worldbody></mujoco>)";
  EXPECT_EQ(test::Compile(xml, &error), nullptr);
  EXPECT_NE(error.find("value=\"0.01\"/> to its instance"), std::string::npos) << error;
}

}  // namespace
}  // namespace taxel::mujoco
