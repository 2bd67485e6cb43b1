// Names in messages: what the user called it, else its number.
#include "taxel/mujoco/model_names.h"

#include <gtest/gtest.h>

#include "test_model.h"

namespace taxel::mujoco {
namespace {

TEST(ModelNames, AreThoseOfTheUserOrNumbers) {
  const test::Model m = test::MustCompile(R"(<mujoco><worldbody><geom size="1"/><geom name="pad" size="1"/>
      <site name="s"/></worldbody><sensor><framepos objtype="site" objname="s"/>
      <framepos name="where" objtype="site" objname="s"/></sensor></mujoco>)");
  ASSERT_TRUE(m);
  EXPECT_EQ(GeomName(m.get(), 0), "geom 0");
  EXPECT_EQ(GeomName(m.get(), 1), "geom 'pad'");
  EXPECT_EQ(PlainName(m.get(), 0), "geom 0");
  EXPECT_EQ(PlainName(m.get(), 1), "pad");
  EXPECT_EQ(SensorName(m.get(), 0), "0");
  EXPECT_EQ(SensorName(m.get(), 1), "where");
}

}  // namespace
}  // namespace taxel::mujoco
