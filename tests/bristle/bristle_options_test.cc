// What the bristles of a pad are like:
//   - every key arrives where it belongs; what is not given has its default (damping by the rule, shear 0.7
//   k)
//   - ElasticForce: linear, with a dead band, along a curve; continuous, and its stiffness is its slope
//   - one penetration short of the dead band, at it, and without any: no force, no stiffness
//   - every wrong value names who said it, the key, the value and what is allowed
//   - what contradicts: stiffness and curve, neither, no length, a dead band as long as the probes
//   - CheckBristles finds in options made by hand what ReadBristles finds in words
#include "taxel/bristle/bristle_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "taxel/math/error.h"

namespace taxel {
namespace {

Description Pad(Description::Entries more,
                Description::Entries base = {{"stiffness", "800"}, {"depth", "0.006"}}) {
  base.insert(base.end(), more.begin(), more.end());
  return {"plugin instance 'pad'", std::move(base)};
}
std::string MessageOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}
std::string Refusal(const Description& d) {
  return MessageOf([&] { ReadBristles(d); });
}
void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
}

TEST(BristleOptions, EveryKeyArrives) {
  const BristleOptions o = ReadBristles(Pad({{"damping", "3"},
                                             {"dead_band", "0.0005"},
                                             {"friction", "0.5 0.3"},
                                             {"stribeck_speed", "0.02"},
                                             {"sigma0", "900"},
                                             {"sigma1", "4"},
                                             {"viscosity", "0.25"},
                                             {"form", "paper"},
                                             {"measure", "axis"}}));
  EXPECT_EQ(o.stiffness, 800);
  EXPECT_TRUE(o.along_axis);
  EXPECT_EQ(o.damping, 3);
  EXPECT_EQ(o.depth, 0.006);
  EXPECT_EQ(o.dead_band, 0.0005);
  EXPECT_TRUE(o.curve.empty());
  EXPECT_TRUE(o.has_friction);
  EXPECT_EQ(o.friction.static_friction, 0.5);
  EXPECT_EQ(o.friction.dynamic_friction, 0.3);
  EXPECT_EQ(o.friction.stribeck_speed, 0.02);
  EXPECT_EQ(o.friction.sigma0, 900);
  EXPECT_EQ(o.friction.sigma1, 4);
  EXPECT_EQ(o.friction.viscosity, 0.25);
  EXPECT_EQ(o.friction.form, LuGreForm::kPaper);
}

TEST(BristleOptions, WhatIsNotGivenHasItsDefault) {
  const BristleOptions o = ReadBristles(Pad({}));
  EXPECT_DOUBLE_EQ(o.damping, 8);  // one hundredth of k
  EXPECT_EQ(o.dead_band, 0);
  EXPECT_FALSE(o.has_friction);
  EXPECT_DOUBLE_EQ(o.friction.sigma0, 560);  // 0.7 k
  EXPECT_DOUBLE_EQ(o.friction.sigma1, 0.56);
  EXPECT_EQ(o.friction.viscosity, 0);
  EXPECT_EQ(o.friction.stribeck_speed, 0.01);
  EXPECT_EQ(o.friction.form, LuGreForm::kPassive);
  EXPECT_FALSE(o.along_axis);
  // One coefficient is both.
  const BristleOptions one = ReadBristles(Pad({{"friction", "0.4"}, {"form", "passive"}}));
  EXPECT_EQ(one.friction.static_friction, 0.4);
  EXPECT_EQ(one.friction.dynamic_friction, 0.4);
  // The rule of the damping across follows a sigma0 that is given.
  EXPECT_DOUBLE_EQ(ReadBristles(Pad({{"sigma0", "1200"}})).friction.sigma1, 1.2);
}

TEST(BristleOptions, ThicknessIsHalfOfTheLength) {
  EXPECT_DOUBLE_EQ(ReadBristles(Pad({{"thickness", "0.004"}}, {{"stiffness", "800"}})).depth, 0.008);
  // The length itself counts where both are given.
  EXPECT_EQ(ReadBristles(Pad({{"thickness", "0.004"}})).depth, 0.006);
}

TEST(BristleOptions, WhoHasBristles) {
  EXPECT_TRUE(HasBristles(Pad({})));
  EXPECT_TRUE(HasBristles(Pad({{"curve", "0.001 0.1"}}, {})));
  EXPECT_FALSE(HasBristles(Pad({{"depth", "0.01"}, {"damping", "3"}}, {})));
  EXPECT_FALSE(HasBristles(Pad({{"stiffness", ""}}, {})));
}

TEST(BristleOptions, ACurveFromTheKey) {
  const BristleOptions o =
      ReadBristles(Pad({{"curve", "0.001 0.05 0.003, 0.3"}, {"dead_band", "0.0002"}}, {{"depth", "0.01"}}));
  ASSERT_EQ(o.curve.size(), 3u);
  EXPECT_EQ(o.curve[0].depth, 0);
  EXPECT_EQ(o.curve[0].force, 0);
  EXPECT_EQ(o.curve[2].depth, 0.003);
  EXPECT_EQ(o.curve[2].force, 0.3);
  EXPECT_DOUBLE_EQ(o.stiffness, 50);
  EXPECT_DOUBLE_EQ(o.damping, 0.5);
  EXPECT_DOUBLE_EQ(o.friction.sigma0, 35);
  // At its points, between them, and beyond the last.
  const double band = 0.0002;
  EXPECT_DOUBLE_EQ(ElasticForce(o, band + 0.001).force, 0.05);
  EXPECT_NEAR(ElasticForce(o, band + 0.002).force, 0.175, 1e-15);
  EXPECT_NEAR(ElasticForce(o, band + 0.003).force, 0.3, 1e-15);
  EXPECT_NEAR(ElasticForce(o, band + 0.007).force, 0.8, 1e-15);
  EXPECT_NEAR(ElasticForce(o, band + 0.007).stiffness, 125, 1e-12);
}

TEST(BristleOptions, TheForceIsContinuousAndItsStiffnessIsItsSlope) {
  std::vector<BristleOptions> all;
  for (const char* band : {"0", "0.0013"}) {
    all.push_back(ReadBristles(Pad({{"dead_band", band}})));
    // Stiffening, softening, and one kink each way.
    for (const char* curve :
         {"0.001 0.05 0.003 0.3", "0.001 0.5 0.003 0.6", "0.0004 0.1 0.002 0.15 0.0021 1 0.004 1.1"})
      all.push_back(ReadBristles(Pad({{"curve", curve}, {"dead_band", band}}, {{"depth", "0.006"}})));
  }
  for (const BristleOptions& o : all) {
    EXPECT_EQ(ElasticForce(o, o.dead_band).force, 0);
    EXPECT_EQ(ElasticForce(o, o.dead_band).stiffness, 0);
    EXPECT_EQ(ElasticForce(o, 0.5 * o.dead_band - 1e-4).force, 0);
    EXPECT_EQ(ElasticForce(o, std::numeric_limits<double>::quiet_NaN()).force, 0);
    double steepest = 0, before = 0;
    for (double d = 0; d < 0.007; d += 1e-6) {
      const SpringForce f = ElasticForce(o, d);
      steepest = std::max(steepest, f.stiffness);
      // No jump: a step of 1e-6 m changes the force by at most the steepest slope times that.
      EXPECT_LE(f.force - before, 1.001e-6 * steepest + 1e-15) << d;
      EXPECT_GE(f.force, before) << d;
      before = f.force;
      // Slope from the left and from the right; at a kink the stiffness is one of them.
      const double e = 1e-9, left = (f.force - ElasticForce(o, d - e).force) / e,
                   right = (ElasticForce(o, d + e).force - f.force) / e;
      // Rounding: 1e-16 x 1 N / 1e-9 m = 1e-7 N/m, and differences of penetrations lose as much again.
      EXPECT_TRUE(std::fabs(f.stiffness - left) < 1e-3 || std::fabs(f.stiffness - right) < 1e-3)
          << d << ": " << f.stiffness << " of " << left << ", " << right;
    }
  }
}

TEST(BristleOptions, WrongValuesSayWhoWhatAndTheWayOut) {
  const struct {
    const char *key, *value, *allowed;
  } wrong[] = {{"stiffness", "0", "a stiffness of one bristle in N/m above 0"},
               {"stiffness", "-60", "a stiffness of one bristle in N/m above 0"},
               {"stiffness", "2e9", "a stiffness of one bristle in N/m above 0"},
               {"stiffness", "60 70", "a stiffness of one bristle in N/m above 0"},
               {"stiffness", "stiff", "a list of numbers"},
               {"stiffness", "nan", "a list of numbers"},
               {"damping", "-1", "a damping of one bristle in N s/m, at least 0"},
               {"depth", "0", "a length in m, 1e-6 to 1"},
               {"depth", "1.1", "a length in m, 1e-6 to 1"},
               {"thickness", "0", "a thickness in m, 1e-6 to 1"},
               {"dead_band", "-0.001", "a penetration in m, at least 0"},
               {"friction", "0.2 0.3", "static >= dynamic >= 0"},
               {"friction", "-0.1", "static >= dynamic >= 0"},
               {"friction", "0.3 -0.1", "static >= dynamic >= 0"},
               {"friction", "0.5 0.4 0.3", "one coefficient, or static and dynamic friction"},
               {"friction", "101", "one coefficient, or static and dynamic friction"},
               {"stribeck_speed", "0", "a speed in m/s above 0"},
               {"sigma0", "0", "a stiffness of one bristle in N/m above 0"},
               {"sigma1", "-1", "a damping of one bristle in N s/m, at least 0"},
               {"viscosity", "-1", "a damping of one bristle in N s/m, at least 0"},
               {"form", "Paper", "passive or paper"},
               {"measure", "z", "normal or axis"},
               {"curve", "0.001", "pairs of penetration (m) and force (N), both rising"},
               {"curve", "0.001 0.1 0.002", "pairs of penetration (m) and force (N), both rising"},
               {"curve", "0 0 0.001 0.1", "pairs of penetration (m) and force (N), both rising"},
               {"curve", "0.001 0.1 0.001 0.2", "pairs of penetration (m) and force (N), both rising"},
               {"curve", "0.001 0.1 0.002 0.1", "pairs of penetration (m) and force (N), both rising"},
               {"curve", "0.002 0.1 0.001 0.2", "pairs of penetration (m) and force (N), both rising"}};
  for (const auto& w : wrong) {
    Description::Entries base{{"stiffness", "800"}, {"depth", "0.006"}};
    std::erase_if(base, [&](const auto& e) {
      return e.first == w.key || (e.first == "stiffness" && std::string(w.key) == "curve");
    });
    const std::string text = Refusal(Pad({{w.key, w.value}}, base));
    EXPECT_EQ(text.rfind("plugin instance 'pad': ", 0), 0u) << text;
    ExpectContains(text, std::string(w.key) + "=\"" + w.value + "\"");
    ExpectContains(text, w.allowed);
  }
}

TEST(BristleOptions, WhatContradictsOrIsMissing) {
  std::string text = Refusal(Pad({{"curve", "0.001 0.1"}}));
  EXPECT_EQ(text, "plugin instance 'pad' gives stiffness and curve; a bristle has one of them");
  text = Refusal(Pad({{"depth", "0.01"}}, {}));
  EXPECT_EQ(text, "plugin instance 'pad': bristles need stiffness=\"...\" (N/m each), or curve");
  text = Refusal(Pad({{"stiffness", "60"}}, {}));
  EXPECT_EQ(text.rfind("plugin instance 'pad': bristles need depth=", 0), 0u) << text;
  ExpectContains(text, "thickness, of which it is twice");
  for (const char* band : {"0.006", "0.0061"}) {
    text = Refusal(Pad({{"dead_band", band}}));
    EXPECT_EQ(text.rfind("plugin instance 'pad': dead_band is " + std::string(band) + " m", 0), 0u) << text;
    ExpectContains(text, "0.006 m long (depth)");
    ExpectContains(text, "make it shorter");
  }
}

TEST(BristleOptions, OptionsMadeByHandAreChecked) {
  BristleOptions good;
  good.stiffness = 500, good.depth = 0.004, good.friction.sigma0 = 300;
  EXPECT_NO_THROW(CheckBristles(good, "pad"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuses = [&](const char* part, auto&& change) {
    BristleOptions bad = good;
    change(&bad);
    const std::string text = MessageOf([&] { CheckBristles(bad, "pad"); });
    EXPECT_EQ(text.rfind("pad: ", 0), 0u) << text;
    ExpectContains(text, part);
  };
  refuses("stiffness is 0", [](BristleOptions* o) { o->stiffness = 0; });
  refuses("stiffness is nan", [&](BristleOptions* o) { o->stiffness = nan; });
  refuses("damping is -1", [](BristleOptions* o) { o->damping = -1; });
  refuses("depth is inf", [](BristleOptions* o) { o->depth = HUGE_VAL; });
  refuses("dead_band is -1", [](BristleOptions* o) { o->dead_band = -1; });
  refuses("no bristle would ever push", [](BristleOptions* o) { o->dead_band = o->depth; });
  refuses("does not at point 2", [](BristleOptions* o) { o->curve = {{0, 0}, {0.001, 0.1}, {0.002, 0.1}}; });
  refuses("sigma0 is 0", [](BristleOptions* o) { o->friction.sigma0 = 0; });
  refuses("sigma1 is nan", [&](BristleOptions* o) { o->friction.sigma1 = nan; });
  refuses("viscosity is -2", [](BristleOptions* o) { o->friction.viscosity = -2; });
  refuses("stribeck_speed is 0", [](BristleOptions* o) { o->friction.stribeck_speed = 0; });
  refuses("static friction is 101", [](BristleOptions* o) { o->friction.static_friction = 101; });
  refuses("dynamic friction 0.5 is above static friction 0.4",
          [](BristleOptions* o) { o->friction.static_friction = 0.4, o->friction.dynamic_friction = 0.5; });
}

}  // namespace
}  // namespace taxel
