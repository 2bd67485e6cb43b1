// Keys of the signal chain:
//   - nothing given: trivial; every key read into its number; forms with one or two numbers
//   - every wrong value: the message names key, value and what is allowed; the limits are allowed
//   - contradictions: the message names the way out; a typing error in a key is found
//   - lists that do not fit the taxels
#include "taxel/skin/chain_options.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/math/error.h"

namespace taxel {
namespace {

using Entries = Description::Entries;

ChainOptions Read(Entries entries) { return ReadChain(Description("sensor 'tip'", std::move(entries))); }

std::string Message(const Entries& entries) {
  try {
    Read(entries);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(ReadChain, NothingIsTrivial) {
  const ChainOptions o = Read({});
  EXPECT_TRUE(o.trivial());
  EXPECT_EQ(o.where, "sensor 'tip'");
  EXPECT_TRUE(Read({{"seed", "7"}, {"unit", "Pa"}, {"noise", "0 0"}}).trivial());
}

TEST(ReadChain, EveryStageIsNotTrivial) {
  for (const Entries& e : std::vector<Entries>{{{"unit", "N"}},
                                               {{"spread", "0.001"}},
                                               {{"hysteresis", "0.1 1e4"}},
                                               {{"creep", "0.1 1"}},
                                               {{"gain", "0.1"}},
                                               {{"gains", "1.5"}},
                                               {{"offset", "1 0"}},
                                               {{"offset", "0 1"}},
                                               {{"offsets", "1"}},
                                               {{"drift", "0.1"}},
                                               {{"drift", "0 0.1"}},
                                               {{"drift_offset", "1"}},
                                               {{"crosstalk", "0.1"}},
                                               {{"noise", "1 0"}},
                                               {{"crosstalk_rows", "0.1"}},
                                               {{"noise", "0 1"}},
                                               {{"saturation", "5"}},
                                               {{"quantum", "5"}},
                                               {{"dead", "0"}},
                                               {{"dead_fraction", "0.1"}},
                                               {{"rate", "100"}},
                                               {{"delay", "0.1"}},
                                               {{"stuck", "1"}, {"stuck_value", "3"}},
                                               {{"unit", "counts"}, {"bits", "12"}, {"full_scale", "6e4"}}})
    EXPECT_FALSE(Read(e).trivial()) << e[0].first << "=" << e[0].second;
}

TEST(ReadChain, EveryKeyReachesItsNumber) {
  const Description d("sensor 'tip'", {{"unit", "counts"},
                                       {"spread", "0.0015"},
                                       {"hysteresis", "0.08 5e4"},
                                       {"creep", "0.04 0.2, 0.05 12"},
                                       {"gain", "0.06"},
                                       {"offset", "3 1.5"},
                                       {"drift", "-0.02 0.01"},
                                       {"drift_offset", "4"},
                                       {"crosstalk", "0.03"},
                                       {"crosstalk_rows", "0.07"},
                                       {"noise", "0.5 2"},
                                       {"saturation", "10 4000"},
                                       {"bits", "12"},
                                       {"full_scale", "60000"},
                                       {"inverted", "true"},
                                       {"dead", "3 5"},
                                       {"dead_fraction", "0.02"},
                                       {"stuck", "7, 8"},
                                       {"stuck_value", "1234"},
                                       {"rate", "100"},
                                       {"delay", "0.012"},
                                       {"jitter", "0.004"},
                                       {"seed", "42"}});
  const ChainOptions o = ReadChain(d);
  d.CheckAllRead();
  EXPECT_EQ(o.unit, Unit::kCounts);
  EXPECT_EQ(o.spread, 0.0015);
  EXPECT_EQ(o.hysteresis_width, 0.08);
  EXPECT_EQ(o.hysteresis_scale, 5e4);
  EXPECT_EQ(o.creep, (std::vector<ChainOptions::Creep>{{0.04, 0.2}, {0.05, 12}}));
  EXPECT_EQ(o.gain_std, 0.06);
  EXPECT_EQ(o.offset_mean, 3);
  EXPECT_EQ(o.offset_std, 1.5);
  EXPECT_EQ(o.drift_per_hour, -0.02);
  EXPECT_EQ(o.drift_std, 0.01);
  EXPECT_EQ(o.drift_offset, 4);
  EXPECT_EQ(o.crosstalk, 0.03);
  EXPECT_EQ(o.crosstalk_rows, 0.07);
  EXPECT_EQ(o.noise_mean, 0.5);
  EXPECT_EQ(o.noise_std, 2);
  EXPECT_EQ(o.saturation_lo, 10);
  EXPECT_EQ(o.saturation_hi, 4000);
  EXPECT_EQ(o.bits, 12);
  EXPECT_EQ(o.full_scale, 60000);
  EXPECT_TRUE(o.inverted);
  EXPECT_EQ(o.dead, (std::vector<int>{3, 5}));
  EXPECT_EQ(o.dead_fraction, 0.02);
  EXPECT_EQ(o.stuck, (std::vector<int>{7, 8}));
  EXPECT_EQ(o.stuck_value, 1234);
  EXPECT_EQ(o.rate, 100);
  EXPECT_EQ(o.delay, 0.012);
  EXPECT_EQ(o.jitter, 0.004);
  EXPECT_EQ(o.seed, 42u);

  const ChainOptions lists = Read({{"unit", "N"},
                                   {"gains", "1 2 3"},
                                   {"offsets", "-4 5"},
                                   {"quantum", "0.01"},
                                   {"saturation", "20"},
                                   {"drift", "0.3"}});
  EXPECT_EQ(lists.unit, Unit::kNewton);
  EXPECT_EQ(lists.gains, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(lists.offsets, (std::vector<double>{-4, 5}));
  EXPECT_EQ(lists.quantum, 0.01);
  EXPECT_EQ(lists.saturation_lo, -INFINITY);
  EXPECT_EQ(lists.saturation_hi, 20);
  EXPECT_EQ(lists.drift_std, 0);
}

TEST(ReadChain, ATypingErrorInAKeyIsFound) {
  const Description d("sensor 'tip'", {{"nosie", "0 1"}});
  ReadChain(d);
  try {
    d.CheckAllRead();
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean \"noise\"?"), std::string::npos) << e.what();
  }
}

TEST(ReadChain, WrongValuesNameKeyValueAndWhatIsAllowed) {
  struct Case {
    const char *key, *value, *allowed;
  };
  const Case cases[] = {
      {"unit", "kPa", "Pa, N or counts"},
      {"spread", "-0.001", "a standard deviation from 0 to 1 m"},
      {"spread", "1.5", "a standard deviation from 0 to 1 m"},
      {"hysteresis", "0.1", "\"width scale\""},
      {"hysteresis", "0.25 1e4", "from 0 to 0.24 of the scale"},
      {"hysteresis", "-0.1 1e4", "from 0 to 0.24 of the scale"},
      {"hysteresis", "0.1 0", "scale in Pa (> 0)"},
      {"creep", "0.1", "\"amount tau\", at most three pairs"},
      {"creep", "0.1 1 0.2", "at most three pairs"},
      {"creep", "0.1 1 0.1 2 0.1 3 0.1 4", "at most three pairs"},
      {"creep", "0.1 0", "tau in s (> 0)"},
      {"creep", "11 1", "amounts from -0.9 to 10"},
      {"creep", "-0.5 1 -0.5 2", "their sum at least -0.9"},
      {"gain", "-0.1", "a relative standard deviation from 0 to 1"},
      {"gain", "1.2", "a relative standard deviation from 0 to 1"},
      {"gains", "1 -1", "a list of factors from 0 to 1000"},
      {"gains", "1 x", "a list of numbers"},
      {"offset", "1", "\"mean std\": two numbers in the unit, std 0 or more"},
      {"offset", "1 -2", "\"mean std\": two numbers in the unit, std 0 or more"},
      {"offsets", "1 nan", "a list of numbers"},
      {"drift", "0.1 0.1 0.1", "\"per_hour\" or \"per_hour std\""},
      {"drift", "101", "from -100 to 100"},
      {"drift", "0.1 -0.1", "std from 0 to 100"},
      {"drift_offset", "-1", "0 or more (unit per square root of an hour)"},
      {"crosstalk", "0.6", "a part from 0 to 0.5"},
      {"crosstalk_rows", "1.1", "a part from 0 to 1"},
      {"noise", "2", "\"mean std\": two numbers in the unit, std 0 or more"},
      {"noise", "0 -2", "std 0 or more"},
      {"noise", "0 1e13", "std 0 or more"},
      {"saturation", "0", "hi > 0 and hi > lo"},
      {"saturation", "5 5", "hi > 0 and hi > lo"},
      {"saturation", "1 2 3", "\"lo hi\" or \"hi\" in the unit"},
      {"bits", "0", "a whole number from 1 to 24"},
      {"bits", "25", "a whole number from 1 to 24"},
      {"bits", "12.5", "a whole number from 1 to 24"},
      {"full_scale", "0", "a number greater than 0"},
      {"full_scale", "-5", "a number greater than 0"},
      {"quantum", "0", "a number greater than 0"},
      {"inverted", "yes", "true or false"},
      {"dead", "1.5", "a list of taxels (whole numbers from 0)"},
      {"dead", "-1", "a list of taxels (whole numbers from 0)"},
      {"dead_fraction", "1.01", "a part from 0 to 1"},
      {"stuck", "2 -3", "a list of taxels (whole numbers from 0)"},
      {"stuck_value", "high", "a list of numbers"},
      {"rate", "0", "a rate greater than 0 and at most 1e6 Hz; leave it out to sample at every step"},
      {"rate", "2e6", "at most 1e6 Hz"},
      {"delay", "-0.1", "a time from 0 to 1000 s"},
      {"delay", "1001", "a time from 0 to 1000 s"},
      {"jitter", "-0.1", "a time from 0 to 1000 s"},
      {"seed", "-1", "a whole number from 0 to 2147483647"},
      {"seed", "1.5", "a whole number from 0 to 2147483647"},
  };
  for (const Case& c : cases) {
    const std::string message = Message({{c.key, c.value}});
    const std::string opening = std::string("sensor 'tip': ") + c.key + "=\"" + c.value + "\" is not ";
    EXPECT_EQ(message.rfind(opening, 0), 0u) << c.key << ": " << message;
    EXPECT_NE(message.find(c.allowed), std::string::npos) << c.key << ": " << message;
  }
}

TEST(ReadChain, TheLimitsAreAllowed) {
  for (const Entries& e : std::vector<Entries>{{{"spread", "1"}},
                                               {{"hysteresis", "0.24 1"}},
                                               {{"creep", "-0.9 1e-3"}},
                                               {{"creep", "10 1 10 2 10 3"}},
                                               {{"gain", "1"}},
                                               {{"gains", "0 1000"}},
                                               {{"drift", "-100 100"}},
                                               {{"crosstalk", "0.5"}, {"crosstalk_rows", "1"}},
                                               {{"saturation", "-3 0.1"}},
                                               {{"unit", "counts"}, {"bits", "1"}, {"full_scale", "1"}},
                                               {{"unit", "counts"}, {"bits", "24"}, {"full_scale", "1"}},
                                               {{"inverted", "false"}},
                                               {{"dead_fraction", "1"}},
                                               {{"rate", "1e6"}},
                                               {{"delay", "1000"}},
                                               {{"delay", "0.3"}, {"jitter", "0.1"}},
                                               {{"seed", "2147483647"}}})
    EXPECT_EQ(Message(e), "no error") << e[0].first;
}

TEST(ReadChain, ContradictionsNameTheWayOut) {
  const std::string needs =
      "sensor 'tip': unit=\"counts\" needs bits and full_scale (Pa at the highest code), as in bits=\"12\" "
      "full_scale=\"60000\"";
  EXPECT_EQ(Message({{"unit", "counts"}}), needs);
  EXPECT_EQ(Message({{"unit", "counts"}, {"bits", "12"}}), needs);
  EXPECT_EQ(Message({{"unit", "counts"}, {"full_scale", "6e4"}}), needs);
  const std::string way_out = " belongs to unit=\"counts\"; for Pa or N give quantum, or set the unit";
  EXPECT_EQ(Message({{"bits", "12"}}), "sensor 'tip': bits" + way_out);
  EXPECT_EQ(Message({{"unit", "N"}, {"full_scale", "12"}}), "sensor 'tip': full_scale" + way_out);
  EXPECT_EQ(Message({{"unit", "Pa"}, {"inverted", "true"}}), "sensor 'tip': inverted" + way_out);

  const Entries counts = {{"unit", "counts"}, {"bits", "12"}, {"full_scale", "6e4"}};
  const auto with = [&](const Entries& more) {
    Entries all = counts;
    all.insert(all.end(), more.begin(), more.end());
    return Message(all);
  };
  EXPECT_EQ(with({}), "no error");
  EXPECT_EQ(with({{"quantum", "2"}}),
            "sensor 'tip': quantum is for unit Pa or N; counts are whole numbers already, set by bits");
  EXPECT_EQ(with({{"saturation", "4095"}}), "no error");
  EXPECT_EQ(with({{"saturation", "4096"}}),
            "sensor 'tip': saturation ends at 4096 counts, but 12 bits end at 4095; give bits more or "
            "saturation less");
  EXPECT_EQ(with({{"stuck", "1"}, {"stuck_value", "4095"}}), "no error");
  for (const char* value : {"4096", "-1", "2.5"})
    EXPECT_EQ(
        with({{"stuck", "1"}, {"stuck_value", value}}),
        std::string("sensor 'tip': stuck_value=") + value + " is not a code: a whole number from 0 to 4095");

  EXPECT_EQ(Message({{"gain", "0.1"}, {"gains", "1"}}),
            "sensor 'tip': gain draws the gains and gains gives them; keep one");
  EXPECT_EQ(Message({{"offset", "0 1"}, {"offsets", "1"}}),
            "sensor 'tip': offset draws the offsets and offsets gives them; keep one");
  EXPECT_EQ(Message({{"stuck", "1"}}),
            "sensor 'tip': stuck needs stuck_value, the reading of the stuck taxels in the unit");
  EXPECT_EQ(Message({{"stuck_value", "1"}}),
            "sensor 'tip': stuck_value is given but no taxel is stuck; name them with stuck=\"...\"");
  EXPECT_EQ(Message({{"dead", "1 4"}, {"stuck", "3 4"}, {"stuck_value", "1"}}),
            "sensor 'tip': taxel 4 is both dead and stuck; keep one");
  EXPECT_EQ(
      Message({{"jitter", "0.002"}}),
      "sensor 'tip': jitter=0.002 s needs a delay of at least three times that, 0.006 s (delay=0): no sample "
      "arrives before it is taken");
  EXPECT_EQ(Message({{"delay", "0.0059"}, {"jitter", "0.002"}}).substr(0, 38),
            "sensor 'tip': jitter=0.002 s needs a d");
}

TEST(CheckChainFits, ListsAndIndices) {
  const auto message = [](const Entries& e, int taxels) -> std::string {
    try {
      CheckChainFits(Read(e), taxels);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({{"gains", "1 2 3"}}, 3), "no error");
  EXPECT_EQ(message({{"gains", "2"}, {"offsets", "3"}, {"dead", "14"}}, 15), "no error");
  EXPECT_EQ(message({{"gains", "1 2 3"}}, 4),
            "sensor 'tip': gains has 3 numbers for 4 taxels; give one a taxel, or one for all");
  EXPECT_EQ(message({{"offsets", "1 2"}}, 1),
            "sensor 'tip': offsets has 2 numbers for 1 taxels; give one a taxel, or one for all");
  EXPECT_EQ(message({{"dead", "0 15"}}, 15), "sensor 'tip': dead names taxel 15, but the taxels are 0 to 14");
  EXPECT_EQ(message({{"stuck", "99"}, {"stuck_value", "0"}}, 15),
            "sensor 'tip': stuck names taxel 99, but the taxels are 0 to 14");
}

}  // namespace
}  // namespace taxel
