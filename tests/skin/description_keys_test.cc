// The table of keys:
//   - each is there once, speaks of something, and says what is allowed
//   - numbers outside of its range are refused with its words, those at its ends are not
//   - who asks for a range that is not there made a mistake of the program, not of the user
#include "taxel/skin/description_keys.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "taxel/math/error.h"
#include "taxel/skin/description.h"

namespace taxel {
namespace {

TEST(DescriptionKeys, EachIsThereOnceAndComplete) {
  std::set<std::string> names;
  for (const DescriptionKey& key : kDescriptionKeys) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_NE(key.groups, 0u) << key.name;
    EXPECT_NE(std::string(key.allowed), "") << key.name;
    EXPECT_NE(std::string(key.help), "") << key.name;
    EXPECT_EQ(FindDescriptionKey(key.name), &key);
  }
  EXPECT_EQ(FindDescriptionKey("stifness"), nullptr);
}

TEST(DescriptionKeys, NumbersStayInTheirRange) {
  for (const DescriptionKey& key : kDescriptionKeys) {
    if (key.range.empty()) continue;
    for (const double x : {key.range.lo, key.range.hi})
      EXPECT_EQ(Description("here", {{key.name, ToText(x)}}).Number(key.name), x) << key.name;
    for (const double x : {key.range.lo - 1, 2 * key.range.hi + 1}) {
      try {
        Description("here", {{key.name, ToText(x)}}).Number(key.name);
        ADD_FAILURE() << key.name << " = " << x;
      } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find(key.allowed), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find(key.name), std::string::npos) << e.what();
      }
    }
  }
}

TEST(DescriptionKeys, WithoutARangeThereIsNoNumber) {
  const Description d("here", {{"field", "backed"}, {"colour", "3"}});
  EXPECT_THROW(d.Number("field"), std::logic_error);
  EXPECT_THROW(d.Number("colour"), std::logic_error);
  EXPECT_THROW(d.Fail("field"), Error);
}

TEST(DescriptionKeys, ListsHaveTheOrderOfTheTable) {
  EXPECT_EQ(ListKeys(kModelKey), "coupling, blocks, facets, scale, show, show_pressure");
  EXPECT_EQ(ListKeys(kPairKey, "pair"),
            "dissipation, friction, stribeck_speed, shear_stiffness, shear_damping, breakaway, native");
}

}  // namespace
}  // namespace taxel
