// Keys and values of a sensor:
//   - what is there, what is empty, what is given twice
//   - numbers, whole numbers, flags, choices: what is read and what is refused, in a message with the value
//   - numbers must be apart: "1-2" and "1.2.3" are slips, not lists
//   - a key that nobody reads is named, with the nearest one that somebody looked for
//   - With changes one value and nothing else
#include "taxel/skin/description.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

const char* const kWhere = "sensor 'tip'";

Description Of(const std::string& key, const std::string& value) { return {kWhere, {{key, value}}}; }

TEST(Description, FindsWhatIsThere) {
  const Description d(kWhere, {{"shape", "4 6"}, {"face", ""}});
  EXPECT_EQ(d.where(), kWhere);
  ASSERT_TRUE(d.Find("shape"));
  EXPECT_EQ(*d.Find("shape"), "4 6");
  EXPECT_EQ(d.Text("shape"), "4 6");
  EXPECT_FALSE(d.Has("face"));  // empty is not given
  EXPECT_FALSE(d.Has("pitch"));
  EXPECT_EQ(d.Find("pitch"), nullptr);
  ExpectError([&] { d.Text("pitch"); }, {kWhere, "needs pitch"});
}

TEST(Description, RefusesAKeyGivenTwice) {
  ExpectError(
      [] {
        Description(kWhere, {{"seed", "1"}, {"rate", "5"}, {"seed", "1"}});
      },
      {kWhere, "seed", "twice"});
}

TEST(Description, ReadsNumbers) {
  EXPECT_EQ(Of("x", " 1.5,-2e-3\t+3\n4 ").Numbers("x"), (std::vector<double>{1.5, -2e-3, 3, 4}));
  EXPECT_EQ(Of("x", "7").Number("x", 0, 10, "from 0 to 10"), 7);
  EXPECT_EQ(Of("x", "1 2").Numbers("x", 2, 1, 2, "two"), (std::vector<double>{1, 2}));  // both ends are in
  EXPECT_EQ(Of("x", "3 -4").Integers("x", -4, 3, "whole"), (std::vector<int>{3, -4}));
  EXPECT_EQ(Of("x", "12").Integer("x", 0, 12, "whole"), 12);
  EXPECT_TRUE(Of("x", " ").Numbers("x").empty());
}

TEST(Description, RefusesWhatIsNoNumber) {
  for (const char* text : {"a", "1 b", "1.5x", "nan", "1 inf", "1e999", "--1"})
    ExpectError([&] { Of("pitch", text).Numbers("pitch"); },
                {kWhere, "pitch=\"" + std::string(text) + "\" is not a list of numbers"});
}

TEST(Description, NumbersMustBeApart) {
  for (const char* text : {"1-2", "1.2.3", "0.1+0.2", "1.5 2-3", "4e1.5"})
    ExpectError([&] { Of("x", text).Numbers("x"); }, {kWhere, text});
}

TEST(Description, RefusesTheWrongRangeOrCount) {
  const std::string allowed = "a thing from 0 to 10";
  for (const char* text : {"-1e-9", "10.001", "", "1 2", "one"})
    ExpectError(
        [&] {
          const Description d(kWhere, {{"x", text}, {"y", "1"}});
          d.Number("x", 0, 10, allowed);
        },
        {kWhere, "x"});
  for (const char* text : {"1.5", "11", "-1", "1 2", " "})
    ExpectError([&] { Of("n", text).Integer("n", 0, 10, allowed); }, {kWhere, "n", allowed});
  ExpectError([&] { Of("n", "1 2 3.5").Integers("n", 0, 10, allowed); }, {"1 2 3.5", allowed});
  ExpectError([&] { Of("x", "1 2 3").Numbers("x", 2, 0, 10, allowed); }, {"1 2 3", allowed});
}

TEST(Description, ALongValueIsShownInPart) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "1 ";
  try {
    Of("x", text + "a").Numbers("x");
    FAIL();
  } catch (const Error& e) {
    EXPECT_LT(std::string(e.what()).size(), 120u);
    EXPECT_NE(std::string(e.what()).find("..."), std::string::npos);
  }
}

TEST(Description, ReadsFlagsAndChoices) {
  for (const char* yes : {"true", "1"}) EXPECT_TRUE(Of("f", yes).Flag("f"));
  for (const char* no : {"false", "0"}) EXPECT_FALSE(Of("f", no).Flag("f"));
  ExpectError([] { Of("f", "yes").Flag("f"); }, {kWhere, "f=\"yes\" is not true or false"});
  EXPECT_EQ(Of("c", "blue").Choice("c", {"red", "green", "blue"}), 2);
  ExpectError(
      [] {
        Of("c", "Blue").Choice("c", {"red", "green", "blue"});
      },
      {"c=\"Blue\" is not red, green or blue"});
}

TEST(Description, NamesWhatNobodyReads) {
  const Description d(kWhere, {{"shape", "4 6"}, {"aggregat", "sum"}, {"empty", ""}});
  d.Has("shape");
  d.Has("aggregate");
  ExpectError([&] { d.CheckAllRead(); },
              {kWhere, "\"aggregat\"", "value \"sum\"", "did you mean \"aggregate\""});
  d.Has("aggregat");
  d.CheckAllRead();  // an empty value is as good as none
}

TEST(Description, SuggestsOnlyWhatIsNear) {
  const Description d(kWhere, {{"colour", "red"}});
  d.Has("shape");
  d.Has("window");
  try {
    d.CheckAllRead();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("did you mean"), std::string::npos) << e.what();
  }
  // Two edits are near, three are not; the nearest of several is named.
  for (const auto& [wrong, right] : {std::pair{"sapmles", "samples"}, {"sample", "samples"}}) {
    const Description slip(kWhere, {{wrong, "3"}});
    for (const char* key : {"spacing", "samples", "sites", "angle"}) slip.Has(key);
    ExpectError([&] { slip.CheckAllRead(); }, {std::string("did you mean \"") + right + "\""});
  }
}

TEST(Description, WithChangesOneValue) {
  const Description d(kWhere, {{"shape", "4 6"}, {"face", "+x"}});
  const Description other = d.With("shape", "8 12");
  EXPECT_EQ(other.Text("shape"), "8 12");
  EXPECT_EQ(other.Text("face"), "+x");
  EXPECT_EQ(other.where(), kWhere);
  EXPECT_EQ(d.Text("shape"), "4 6");
  EXPECT_FALSE(d.With("face", "").Has("face"));
  EXPECT_EQ(d.With("pitch", "0.01").Text("pitch"), "0.01");
}

}  // namespace
}  // namespace taxel
