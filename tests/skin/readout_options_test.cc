// What a description says of the read-out:
//   - defaults, and every key
//   - wrong values are named; keys that the chosen read-out does not use are refused, not ignored
//   - options that contradict each other, from a description and from code
#include "taxel/skin/readout_options.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

const char* const kWhere = "sensor 'tip'";

ReadoutOptions Read(Description::Entries entries) {
  const Description d(kWhere, std::move(entries));
  const ReadoutOptions o = ReadReadout(d);
  d.CheckAllRead();
  return o;
}
Description::Entries Rays(Description::Entries more) {
  more.insert(more.begin(), {"readout", "rays"});
  return more;
}

TEST(ReadoutOptions, Defaults) {
  const ReadoutOptions o = Read({});
  EXPECT_EQ(o.method, Readout::kExact);
  EXPECT_EQ(o.aggregate, Aggregate::kMean);
  EXPECT_EQ(o.source, Source::kContact);
  EXPECT_EQ(o.samples, 20);
  EXPECT_EQ(o.density, 0);
  EXPECT_EQ(o.spacing, 0);
  EXPECT_EQ(o.radius, 0);
  EXPECT_NEAR(o.angle, M_PI / 4, 1e-15);
  EXPECT_EQ(o.window, Window::kNone);
  EXPECT_EQ(o.reach, 0);
  EXPECT_EQ(o.limit, 0);
}

TEST(ReadoutOptions, ReadsEveryKey) {
  ReadoutOptions o = Read(Rays({{"aggregate", "sum"},
                                {"source", "elastic"},
                                {"samples", "7"},
                                {"seed", "123456789"},
                                {"radius", "0.004"},
                                {"angle", "30"},
                                {"window", "tukey"},
                                {"window_width", "0.5"},
                                {"reach", "0.002"}}));
  EXPECT_EQ(o.method, Readout::kRays);
  EXPECT_EQ(o.aggregate, Aggregate::kSum);
  EXPECT_EQ(o.source, Source::kElastic);
  EXPECT_EQ(o.samples, 7);
  EXPECT_EQ(o.seed, 123456789u);
  EXPECT_EQ(o.radius, 0.004);
  EXPECT_NEAR(o.angle, M_PI / 6, 1e-15);
  EXPECT_EQ(o.window, Window::kTukey);
  EXPECT_EQ(o.window_width, 0.5);
  EXPECT_EQ(o.reach, 0.002);
  EXPECT_EQ(Read(Rays({{"sample_density", "4e6"}})).density, 4e6);
  EXPECT_EQ(Read(Rays({{"sample_spacing", "3e-4"}})).spacing, 3e-4);
  EXPECT_EQ(Read({{"limit", "0.003"}}).limit, 0.003);
  for (const auto& [name, value] :
       {std::pair{"mean", Aggregate::kMean}, {"max", Aggregate::kMax}, {"force", Aggregate::kForce}})
    EXPECT_EQ(Read({{"aggregate", name}}).aggregate, value);
  for (const auto& [name, value] : {std::pair{"none", Window::kNone},
                                    {"gauss", Window::kGauss},
                                    {"square", Window::kSquare},
                                    {"quadratic", Window::kQuadratic}})
    EXPECT_EQ(Read(Rays({{"window", name}})).window, value);
}

TEST(ReadoutOptions, WrongValuesAreNamed) {
  const std::pair<const char*, const char*> wrong[] = {
      {"aggregate", "median"}, {"source", "both"},        {"samples", "0"},        {"samples", "257"},
      {"samples", "2.5"},      {"sample_density", "0.5"}, {"sample_spacing", "0"}, {"sample_spacing", "2"},
      {"seed", "-1"},          {"seed", "1.5"},           {"radius", "0"},         {"radius", "2"},
      {"angle", "0"},          {"angle", "181"},          {"window", "hann"},      {"reach", "0"},
      {"reach", "deep"}};
  for (const auto& [key, value] : wrong)
    ExpectError(
        [&] {
          Read(Rays({{key, value}}));
        },
        {kWhere, std::string(key) + "=\"" + value + "\" is not"});
  ExpectError([] { Read({{"readout", "ray"}}); }, {kWhere, "readout=\"ray\" is not exact or rays"});
  ExpectError([] { Read({{"limit", "-1"}}); }, {kWhere, "limit"});
  ExpectError([] { Read(Rays({{"window", "tukey"}, {"window_width", "1.5"}})); }, {"window_width", "tukey"});
}

TEST(ReadoutOptions, KeysThatDoNothingAreRefused) {
  const std::pair<const char*, const char*> of_rays[] = {
      {"samples", "5"},   {"sample_density", "1e6"}, {"sample_spacing", "1e-3"}, {"angle", "30"},
      {"window", "none"}, {"window_width", "0.3"},   {"reach", "0.01"}};
  for (const auto& [key, value] : of_rays) {
    ExpectError([&] { Read({{key, value}}); }, {kWhere, key, "rays"});
    ExpectError([&] { Read({{"readout", "exact"}, {key, value}}); }, {kWhere, key, "rays"});
  }
  ExpectError([] { Read(Rays({{"limit", "0.01"}})); }, {kWhere, "limit", "radius"});
  // A receptive radius is for rays, and for layouts that list points (the area of a taxel ends there).
  ExpectError([] { Read({{"radius", "0.01"}}); }, {kWhere, "radius", "rays"});
  for (const char* key : {"points", "file", "sites"}) {
    const Description d(kWhere, {{key, "0 0 0"}, {"radius", "0.01"}});
    EXPECT_EQ(ReadReadout(d).radius, 0.01);
  }
}

TEST(ReadoutOptions, Contradictions) {
  ExpectError([] { Read(Rays({{"samples", "5"}, {"sample_density", "1e6"}})); }, {kWhere, "one of", "2"});
  ExpectError(
      [] {
        Read(Rays({{"samples", "5"}, {"sample_density", "1e6"}, {"sample_spacing", "1e-3"}}));
      },
      {kWhere, "one of", "3"});
  ExpectError([] { Read({{"aggregate", "sum"}}); }, {kWhere, "sum", "force", "mean"});
  ExpectError([] { Read(Rays({{"window_width", "0.3"}})); }, {kWhere, "window_width", "gauss and tukey"});
  ExpectError([] { Read(Rays({{"window", "square"}, {"window_width", "0.3"}})); }, {kWhere, "window_width"});
}

TEST(ReadoutOptions, FunctionsAreForRays) {
  const auto weight = [](double, double) { return 1.0; };
  const auto combine = [](const double*, const double*, int) { return 0.0; };
  ReadoutOptions o;
  o.weight = weight;
  ExpectError([&] { CheckReadout(o, kWhere); }, {kWhere, "rays"});
  o = {};
  o.combine = combine;
  ExpectError([&] { CheckReadout(o, kWhere); }, {kWhere, "rays"});
  o.method = Readout::kRays;
  CheckReadout(o, kWhere);
  o.weight = weight;
  CheckReadout(o, kWhere);
  o.window = Window::kSquare;
  ExpectError([&] { CheckReadout(o, kWhere); }, {kWhere, "not both"});
  o = {};
  o.method = Readout::kRays;
  o.aggregate = Aggregate::kUser;
  ExpectError([&] { CheckReadout(o, kWhere); }, {kWhere, "missing"});
  o = {};
  o.window = Window::kGauss;
  ExpectError([&] { CheckReadout(o, kWhere); }, {kWhere, "rays"});
}

}  // namespace
}  // namespace taxel
