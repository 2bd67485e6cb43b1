// The sums over Gaussians are those of the terms in hydroshear_law.h:
//   - dilation and shear, both modes, marker counts that fill no group of four, above and below the table's
//     limit
//   - exponents from 0 to where nothing is left
#include "taxel/marker/marker_kernel.h"

#include <gtest/gtest.h>

#include "marker_scenes.h"

namespace taxel {
using namespace internal;
namespace {

using V = Triple<double>;
V To(const Vec3& v) { return {v.x, v.y, v.z}; }

void Compare(MarkerMode mode, int count) {
  std::vector<Vec3> markers;
  for (int i = 0; i < count; ++i)
    markers.push_back({0.02 * RandomUniform(1, i), 0.02 * RandomUniform(2, i), 0.002 * RandomUniform(3, i)});
  const double ld = 20000, ls = 10800, scale = 15000;
  const MarkerKernel kernel(mode, markers, ld, ls);
  std::vector<PressedMarker> pressed;
  std::vector<ShearSource> sources;
  for (int i = 0; i < count; i += 3) pressed.push_back({i, 1e-3 * RandomUniform(4, i)});
  for (int i = 0; i < 40; ++i)
    sources.push_back(
        {{0.02 * RandomUniform(5, i), 0.02 * RandomUniform(6, i), 0.002 * RandomUniform(7, i)},
         {1e-6 * RandomUniform(8, i), -1e-6 * RandomUniform(9, i), mode == MarkerMode::kPaper ? 0 : 1e-6}});
  std::vector<Vec3> dilation(count), shear(count);
  kernel.Dilation(pressed, scale, dilation.data());
  kernel.Shear(sources, scale, shear.data());
  for (int i = 0; i < count; ++i) {
    V d, s;
    for (const PressedMarker& m : pressed)
      d = d + DilationTerm(mode, ld, To(markers[i]), To(markers[m.index]), m.depth);
    for (const ShearSource& k : sources)
      s = s + ShearTerm(mode, ls, To(markers[i]), To(k.centre), To(k.pull));
    // Sums of up to 200 terms of 1e-6 m^2: roundings of 1e-22 m^2 each.
    ASSERT_NEAR(dilation[i].x, scale * d.x, 1e-14);
    ASSERT_NEAR(dilation[i].y, scale * d.y, 1e-14);
    ASSERT_NEAR(dilation[i].z, scale * d.z, 1e-14);
    ASSERT_NEAR(shear[i].x, scale * s.x, 1e-14);
    ASSERT_NEAR(shear[i].y, scale * s.y, 1e-14);
    ASSERT_NEAR(shear[i].z, scale * s.z, 1e-14);
  }
}

TEST(MarkerKernel, SumsTheTerms) {
  for (const MarkerMode mode : {MarkerMode::kPaper, MarkerMode::kRelease})
    for (const int count : {1, 2, 3, 4, 63, MarkerKernel::kTableMarkers, MarkerKernel::kTableMarkers + 1})
      Compare(mode, count);
}

TEST(MarkerKernel, ExponentialIsExactToTheLastBits) {
  const MarkerKernel kernel(MarkerMode::kPaper, {{0, 0, 0}}, 1, 1);
  double greatest = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = i < 100000 ? 700 * RandomUniform(1, i) : 2 * RandomUniform(2, i), r = std::sqrt(x);
    Vec3 out;
    kernel.Shear({{{r, 0, 0}, {1, 0, 0}}}, 1, &out);
    const double want = std::exp(-(r * r));
    greatest = std::fmax(greatest, std::fabs(out.x / want - 1));
  }
  EXPECT_LT(greatest, 1e-15);
  Vec3 out{1, 1, 1};
  kernel.Shear({{{0, 0, 0}, {1, 0, 0}}}, 1, &out);
  EXPECT_EQ(out.x, 1);
  kernel.Shear({{{1e3, 0, 0}, {1, 0, 0}}}, 1, &out);
  EXPECT_EQ(out.x, 0);
  kernel.Shear({}, 1, &out);
  EXPECT_EQ(out.x, 0);
}

}  // namespace
}  // namespace taxel
