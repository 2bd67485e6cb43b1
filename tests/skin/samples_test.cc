// Where a skin is sampled:
//   - on a plane grid a lattice: its places, the stencil of a taxel, density, fields wider than the cells
//   - on a wrapped grid the samples of a cell are its own and stand for their area; 16 x 16 taxels of 20 x 20
//   - elsewhere Poisson-disk samples: distance along the surface, angle between normals, overlapping fields
//   - weights sum to 1; (r - d)^2 has the sum of the closed form; functions of the user's
//   - a taxel without a sample, layouts that cannot be sampled, and weights that cannot be are refused
#include "taxel/skin/samples.h"

#include <gtest/gtest.h>

#include <set>

#include "../shape/expect_error.h"
#include "skin_scenes.h"

namespace taxel {
namespace {

using test::Describe;
using test::kPi;

const Vec3 kSize{0.08, 0.06, 0.02};
Body Pad() { return Body(Box{kSize}, test::Backed(5e4)); }
Layout PadGrid() { return BoxFaceGrid(kSize, "-y", 3, 5, 0.004, 0.003, 0.01, 0.002); }

ReadoutOptions Rays(int samples) {
  ReadoutOptions o;
  o.method = Readout::kRays;
  o.samples = samples;
  return o;
}

double SumOf(const std::vector<double>& x) { return test::Sum(x); }

void ExpectFieldsSumToOne(const Samples& s) {
  for (std::size_t t = 0; t + 1 < s.start.size(); ++t) {
    double sum = 0;
    for (int k = s.start[t]; k < s.start[t + 1]; ++k) {
      EXPECT_GT(s.weight[k], 0);
      sum += s.weight[k];
    }
    EXPECT_NEAR(sum, 1, 1e-12) << t;
  }
}

TEST(Samples, ALatticeOnAPlane) {
  const Layout layout = PadGrid();
  const Samples s = MakeSamples(layout, nullptr, Pad(), Rays(4));
  ASSERT_TRUE(s.is_lattice);
  EXPECT_EQ(s.lattice.rows, 12);
  EXPECT_EQ(s.lattice.cols, 20);
  EXPECT_EQ(s.count(), 240);
  EXPECT_EQ(s.step_u, 4);
  EXPECT_EQ(s.step_v, 4);
  ASSERT_EQ(s.stencil.size(), 16u);
  for (double w : s.stencil) EXPECT_NEAR(w, 1.0 / 16, 1e-16);
  EXPECT_EQ(s.scale, std::vector<double>(15, 16.0));
  // Each sample lies in the cell of its taxel, and its places are those of the lattice.
  const std::vector<Vec3> places = s.Places();
  ASSERT_EQ(places.size(), 240u);
  for (int t = 0; t < 15; ++t) {
    Vec3 mean;
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) {
        const Vec3 p = places[(t / 5 * 4 + j) * 20 + t % 5 * 4 + i] - layout.points[t];
        EXPECT_LT(std::fabs(dot(p, layout.axes[t])), 0.002);
        EXPECT_LT(std::fabs(dot(p, layout.second_axis(t))), 0.0015);
        EXPECT_NEAR(dot(p, layout.normals[t]), 0, 1e-17);
        mean += p / 16;
      }
    EXPECT_LT(norm(mean), 1e-16);
  }
}

TEST(Samples, DensityOnAPlane) {
  ReadoutOptions o = Rays(20);
  o.density = 4e6;  // every 0.5 mm
  const Samples s = MakeSamples(PadGrid(), nullptr, Pad(), o);
  EXPECT_EQ(s.step_u, 8);
  EXPECT_EQ(s.step_v, 6);
  o.density = 1;  // less than one a cell is one
  EXPECT_EQ(MakeSamples(PadGrid(), nullptr, Pad(), o).count(), 15);
}

TEST(Samples, FieldsWiderThanTheCellsOverlap) {
  ReadoutOptions o = Rays(10);
  o.radius = 0.0051;
  const Samples s = MakeSamples(PadGrid(), nullptr, Pad(), o);
  // The lattice goes on beyond the rim, as far as the fields do.
  EXPECT_GE(-s.lattice.u0 + PadGrid().grid.u0, o.radius - 0.002 - 1e-12);
  EXPECT_GE(-s.lattice.v0 + PadGrid().grid.v0, o.radius - 0.0015 - 1e-12);
  EXPECT_EQ(s.lattice.cols, 50 + 2 * (s.stencil_cols - 10) / 2);
  // A disc, and its area by the number of samples in it.
  int inside = 0;
  for (int j = 0; j < s.stencil_rows; ++j)
    for (int i = 0; i < s.stencil_cols; ++i) {
      const double u = (i - 0.5 * (s.stencil_cols - 1)) * s.lattice.du,
                   v = (j - 0.5 * (s.stencil_rows - 1)) * s.lattice.dv;
      const double w = s.stencil[j * s.stencil_cols + i];
      EXPECT_EQ(w > 0, std::hypot(u, v) <= o.radius) << u << " " << v;
      inside += w > 0;
    }
  EXPECT_NEAR(inside * s.lattice.du * s.lattice.dv, kPi * o.radius * o.radius,
              0.01 * kPi * o.radius * o.radius);
  EXPECT_NEAR(SumOf(s.stencil), 1, 1e-12);
  EXPECT_NEAR(s.scale[0], inside, 1e-9);
}

TEST(Samples, QuadraticWeightsHaveTheClosedForm) {
  // Sum of (r - d)^2 over a lattice of density 1 / (du dv): integral 2 pi r^4 / 12 over the disc.
  ReadoutOptions o = Rays(40);
  o.radius = 0.003;
  o.window = Window::kQuadratic;
  const Samples s = MakeSamples(PadGrid(), nullptr, Pad(), o);
  const double integral = kPi * std::pow(o.radius, 4) / 6;
  EXPECT_NEAR(s.scale[0] * s.lattice.du * s.lattice.dv, integral, 1e-3 * integral);
  // Each weight is its own (r - d)^2 over the sum.
  for (int j = 0; j < s.stencil_rows; j += 7)
    for (int i = 0; i < s.stencil_cols; i += 5) {
      const double d = std::hypot((i - 0.5 * (s.stencil_cols - 1)) * s.lattice.du,
                                  (j - 0.5 * (s.stencil_rows - 1)) * s.lattice.dv);
      const double expected = d < o.radius ? (o.radius - d) * (o.radius - d) / s.scale[0] : 0;
      EXPECT_NEAR(s.stencil[j * s.stencil_cols + i], expected, 1e-15);
    }
}

TEST(Samples, TheSamplesOfAWrappedCellAreItsOwn) {
  const Capsule shape{0.012, 0.03};
  const Body body(shape, test::Soft(5e4));
  WrapRange range;
  range.along_from = -0.03, range.along_to = 0.02;
  const Layout layout = WrappedGrid(shape, 4, 6, range), fine = WrappedGrid(shape, 20, 30, range);
  const Samples s = MakeSamples(layout, &fine, body, Rays(5));
  EXPECT_FALSE(s.is_lattice);
  EXPECT_EQ(s.count(), 600);
  EXPECT_EQ(s.Places().size(), 600u);
  ExpectFieldsSumToOne(s);
  std::set<int> used;
  for (int t = 0; t < 24; ++t)
    for (int k = s.start[t]; k < s.start[t + 1]; ++k) {
      EXPECT_TRUE(used.insert(s.sample[k]).second);
      // The nearest taxel, or one as near: the sample is in its cell.
      const Vec3 p = s.points[s.sample[k]];
      const double around = std::atan2(p.y, p.x),
                   column = layout.points[t].y == 0 && layout.points[t].x == 0
                                ? around
                                : std::atan2(layout.points[t].y, layout.points[t].x);
      EXPECT_LT(std::fabs(std::remainder(around - column, 2 * kPi)), kPi / 6 + 1e-9);
      // Shares of the cell's area.
      EXPECT_NEAR(s.weight[k], fine.areas[s.sample[k]] / layout.areas[t], 1e-9);
    }
  EXPECT_EQ(used.size(), 600u);
}

TEST(Samples, ManyTaxelsOnAWrappedGrid) {
  // 16 x 16 taxels with the 20 x 20 samples of the default: more samples than a sensor may have taxels.
  const Body body(Cylinder{0.02, 0.08}, test::Soft(5e4));
  const Skin skin = MakeSkin(Describe({{"shape", "16 16"}, {"readout", "rays"}}), body);
  EXPECT_EQ(skin.count(), 256);
  EXPECT_EQ(skin.samples().count(), 102400);
}

TEST(Samples, PoissonFieldsOnACurvedBody) {
  const Cylinder shape{0.015, 0.05};
  const Body body(shape, test::Soft(5e4));
  const Layout layout = WrappedGrid(shape, 5, 12);
  ReadoutOptions o = Rays(20);
  o.density = 2e6;
  o.radius = 0.009;
  o.window = Window::kQuadratic;
  const Samples s = MakeSamples(layout, nullptr, body, o);
  ExpectFieldsSumToOne(s);
  // The whole surface is sampled, the ends too: 2 pi R (L + R).
  const double area = 2 * kPi * 0.015 * (0.05 + 0.015);
  EXPECT_NEAR(s.count(), o.density * area, 0.15 * o.density * area);
  std::vector<int> serves(s.count(), 0);
  for (int t = 0; t < layout.count(); ++t)
    for (int k = s.start[t]; k < s.start[t + 1]; ++k) {
      const Vec3 &p = s.points[s.sample[k]], &q = layout.points[t];
      ++serves[s.sample[k]];
      // Distance along the surface: unrolled (but over the edge of the end it is longer).
      const double turn = std::remainder(std::atan2(p.y, p.x) - std::atan2(q.y, q.x), 2 * kPi);
      if (std::fabs(s.normals[s.sample[k]].z) < 0.5) {
        const double d = std::hypot(0.015 * turn, p.z - q.z);
        EXPECT_LT(d, o.radius * 1.02);
        // Graph distances are a little long: weights within a few percent of the greatest.
        EXPECT_NEAR(s.weight[k] * s.scale[t], std::pow(std::max(0.0, o.radius - d), 2),
                    0.08 * o.radius * o.radius);
      }
      EXPECT_GE(dot(s.normals[s.sample[k]], layout.normals[t]), std::cos(kPi / 4) - 1e-9);
    }
  int overlapping = 0;
  for (int n : serves) overlapping += n > 1;
  EXPECT_GT(overlapping, 0.1 * s.count());
  // The seed decides, and the same seed gives the same samples.
  EXPECT_EQ(MakeSamples(layout, nullptr, body, o).points, s.points);
  o.seed = 2;
  EXPECT_NE(MakeSamples(layout, nullptr, body, o).points, s.points);
}

TEST(Samples, AnglesEndAField) {
  // A taxel near the edge of a box: samples on the next face are near, and count only within the angle.
  const Body body = Pad();
  const Layout layout = PointLayout({{0.0385, 0, 0.01}}, {}, &body, 0.006);
  ReadoutOptions o = Rays(20);
  o.spacing = 5e-4;
  o.radius = 0.005;
  const auto beyond = [&](double degrees) {
    o.angle = degrees * kPi / 180;
    const Samples s = MakeSamples(layout, nullptr, body, o);
    int count = 0;
    for (int k : s.sample) count += s.normals[k].x > 0.5;
    return count;
  };
  EXPECT_EQ(beyond(45), 0);
  EXPECT_EQ(beyond(89), 0);
  EXPECT_GT(beyond(91), 10);
}

TEST(Samples, WeightsOfTheUser) {
  ReadoutOptions o = Rays(8);
  double farthest = 0;
  o.weight = [&](double d, double angle) {
    farthest = std::max(farthest, d);
    EXPECT_EQ(angle, 0);
    return 1 + 1000 * d;
  };
  const Samples s = MakeSamples(PadGrid(), nullptr, Pad(), o);
  EXPECT_NEAR(SumOf(s.stencil), 1, 1e-12);
  EXPECT_NEAR(farthest, std::hypot(0.00175, 0.0013125), 1e-12);
  EXPECT_NEAR(s.stencil[0] / s.stencil[3 * 8 + 3], (1 + 1000 * farthest) / (1 + 1000 * farthest / 7), 1e-9);
  for (const double wrong : {-1e-9, std::nan(""), std::numeric_limits<double>::infinity()}) {
    o.weight = [wrong](double, double) { return wrong; };
    ExpectError([&] { MakeSamples(PadGrid(), nullptr, Pad(), o); }, {"weight", "at least 0"});
  }
  o.weight = [](double, double) { return 0.0; };
  ExpectError([&] { MakeSamples(PadGrid(), nullptr, Pad(), o); }, {"no sample"});
}

TEST(Samples, WhatCannotBeSampledIsRefused) {
  const Body body = Pad();
  const Layout points = PointLayout({{0, 0, 0.01}, {0.01, 0, 0.01}}, {}, &body, 0.005);
  ExpectError([&] { MakeSamples(points, nullptr, body, Rays(20)); }, {"sample_density", "sample_spacing"});
  ReadoutOptions o = Rays(20);
  o.density = 1e6;
  ExpectError([&] { MakeSamples(points, nullptr, body, o); }, {"radius"});
  o.radius = 2e-5;  // smaller than the samples are apart
  ExpectError([&] { MakeSamples(points, nullptr, body, o); }, {"taxel 0", "no sample"});
  o = Rays(2);
  o.radius = 1e-5;  // no sample in the middle of a cell
  ExpectError([&] { MakeSamples(PadGrid(), nullptr, body, o); }, {"no sample"});
}

}  // namespace
}  // namespace taxel
