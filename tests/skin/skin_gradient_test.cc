// Taxels of columns and their derivatives. Cases: whole columns a taxel, cut columns, a grid smaller than the
// pad, a domed list of points; values are those of a reading, derivatives those of central differences; sums
// are the derivative of the force; what has no derivatives is refused.
#include "taxel/skin/skin_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "taxel/math/error.h"
#include "taxel/skin/taxel_columns.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kModulus = 1.3e5;

BodyOptions Columns(double modulus, double thickness) {
  BodyOptions o;
  o.modulus = modulus;
  o.field.kind = FieldKind::kColumns;
  o.field.thickness = thickness;
  return o;
}

struct Press {
  Description::Entries entries;
  bool laid;
  Body object;
  Pose X_WA = {RotationFromQuaternion(0.8, 0.3, -0.4, 0.2), {0.31, -0.17, 0.05}};
  Pose X_AB = {RotationAbout(normalized(Vec3{0.6, -0.7, 0.3}), 0.11),
               {0.0013, -0.0021, 0.003 + 0.0055 - 0.0009}};

  Body Pad(double modulus, double thickness) const {
    const Body plain(Box{{0.03, 0.024, 0.006}}, Columns(modulus, thickness));
    return laid ? WithColumnsByTaxels(MakeLayout(Description("skin", entries), plain), plain) : plain;
  }
  std::vector<double> Read(const double (&by)[kContactInputs]) const {
    const Body pad = Pad(kModulus + by[kModulusA], 0.004 + by[kThicknessA]);
    const Skin skin = MakeSkin(Description("skin", entries), pad);
    Pose X = X_WA * X_AB;
    X.p += {by[0], by[1], by[2]};
    const Vec3 turn{by[3], by[4], by[5]};
    if (norm(turn) > 0) X.R = RotationAbout(normalized(turn), norm(turn)) * X.R;
    const ContactSurface surface = ComputeContact(pad, X_WA, object, X);
    SkinLoad load;
    load.surface = &surface;
    load.skin_is_A = true;
    SkinWorkspace workspace;
    SkinReading reading;
    skin.Read(&load, 1, X_WA, {}, &workspace, &reading);
    return reading.values;
  }
  SkinGradient Gradient(ContactGradient* contact) const {
    const Body pad = Pad(kModulus, 0.004);
    ContactWorkspace workspace;
    ContactSurface surface;
    ComputeContactGradient(pad, X_WA, object, X_WA * X_AB, {}, &workspace, &surface, contact);
    SkinGradient out;
    ReadGradient(MakeSkin(Description("skin", entries), pad), contact->faces, &out);
    return out;
  }
};

void Check(const Press& press) {
  ContactGradient contact;
  const SkinGradient found = press.Gradient(&contact);
  double none[kContactInputs] = {};
  const std::vector<double> now = press.Read(none);
  ASSERT_EQ(found.values.size(), now.size());
  double most = 0;
  for (std::size_t t = 0; t < now.size(); ++t) most = std::max(most, now[t]);
  ASSERT_GT(most, 1000);
  for (std::size_t t = 0; t < now.size(); ++t) EXPECT_NEAR(found.values[t], now[t], 1e-9 * most) << t;
  const double steps[kContactInputs] = {2e-8, 2e-8, 2e-8, 2e-6, 2e-6, 2e-6, 10, 4e-8, 0, 0};
  for (int k = 0; k < kModulusB; ++k) {
    double by[kContactInputs] = {};
    by[k] = steps[k];
    const std::vector<double> up = press.Read(by);
    by[k] = -steps[k];
    const std::vector<double> down = press.Read(by);
    double largest = 0;
    for (std::size_t t = 0; t < now.size(); ++t)
      largest = std::max(largest, std::fabs(up[t] - down[t]) / (2 * steps[k]));
    ASSERT_GT(largest, 0);
    for (std::size_t t = 0; t < now.size(); ++t)
      EXPECT_NEAR(found.by[t * kContactInputs + k], (up[t] - down[t]) / (2 * steps[k]), 2e-5 * largest)
          << "taxel " << t << " by input " << k;
  }
}

TEST(SkinGradient, TaxelsThatHoldWholeColumns) {
  Check({{{"shape", "6 10"}}, true, Body(Box{{0.012, 0.009, 0.01}}, BodyOptions{})});
  Check({{{"shape", "6 10"}}, true, Body(Cylinder{0.006, 0.01}, BodyOptions{})});
}

TEST(SkinGradient, TaxelsThatCutThroughColumns) {
  Check({{{"shape", "7 5"}}, false, Body(Box{{0.012, 0.009, 0.01}}, BodyOptions{})});
  Check({{{"shape", "4 3"}, {"pitch", "0.0031 0.0027"}, {"center", "0.001 0.002"}},
         false,
         Body(Ellipsoid{{0.009, 0.008, 0.0055}}, BodyOptions{})});
}

// Columns that lie on several taxels give each its part.
TEST(SkinGradient, OfPoints) {
  Check({{{"points", "0 0 0.003 0.003 0.001 0.003 0.001 0.004 0.003"}},
         false,
         Body(Ellipsoid{{0.009, 0.008, 0.0055}}, BodyOptions{})});
}

TEST(SkinGradient, ForcesOfAFullGridAddUpToTheContacts) {
  const Press press{
      {{"shape", "7 5"}, {"aggregate", "force"}}, false, Body(Box{{0.012, 0.009, 0.01}}, BodyOptions{})};
  ContactGradient contact;
  const SkinGradient found = press.Gradient(&contact);
  const Vec3 inward = -press.X_WA.R.col(2);
  for (int k = 0; k < kModulusB; ++k) {
    double sum = 0;
    for (int t = 0; t < 35; ++t) sum += found.by[t * kContactInputs + k];
    EXPECT_NEAR(sum, dot(contact.by[k].force, inward), 1e-9 * (1 + std::fabs(sum))) << k;
  }
}

TEST(SkinGradient, WhatHasNoneIsRefused) {
  const auto refuses = [](const Description::Entries& entries, const char* words) {
    const Press press{entries, false, Body(Sphere{0.0055}, BodyOptions{})};
    ContactGradient contact;
    try {
      press.Gradient(&contact);
      ADD_FAILURE() << words;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  refuses({{"shape", "6 10"}, {"readout", "rays"}}, "read by rays");
  refuses({{"shape", "6 10"}, {"aggregate", "max"}}, "mean pressures and forces");
  // A millimetre apart, hardly more than the columns: most of these lie on several.
  std::string points;
  for (int i = 0; i < 30 * 24; ++i)
    points += std::to_string(0.001 * (i % 30) - 0.0145) + " " + std::to_string(0.001 * (i / 30) - 0.0115) +
              " 0.003 ";
  refuses({{"points", points}}, "lay the columns by the taxels");
}

}  // namespace
}  // namespace taxel
