// A field of markers on the CPU (its numbers are compared with slow references in
// tests/python/marker/test_marker_modes.py):
//   - leaving out points far from the gel changes no bit, with exact, trilinear and voxel distances, with and
//     without the gravity pass
//   - a copy of the state goes on alike
//   - shear stays at rest, goes with the contact; a first pose in contact starts with nothing
//   - dilation of a press is symmetric; friction bounds every point
//   - the gravity pass leaves no trace in the state
//   - wrong input leaves the state as it was
#include "taxel/marker/marker_field.h"

#include <gtest/gtest.h>

#include "marker_scenes.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

using test::Ball, test::FlatPad, test::Grid, test::RandomPath;

constexpr MarkerMode kModes[] = {MarkerMode::kPaper, MarkerMode::kRelease};

MarkerField Make(MarkerMode mode, bool cull = true) {
  MarkerParameters p;
  p.mode = mode, p.cull = cull;
  return MarkerField(FlatPad(), Grid(), Ball(), p);
}

double Greatest(const std::vector<Vec3>& values) {
  double out = 0;
  for (const Vec3& v : values) out = std::fmax(out, norm(v));
  return out;
}

TEST(MarkerField, CullingChangesNoBit) {
  const Pose shift{RotationAbout({0, 0.6, 0.8}, 0.02), {1e-4, -2e-4, -1.5e-4}};
  const Vec3 origin{1e-4, 2e-4, 0.55e-3};
  for (const MarkerDistance& pad :
       {FlatPad(), FlatPad().Trilinear(0.6e-3, 2e-3), FlatPad().NearestVoxel(1e-3, 5e-3, &origin)})
    for (const MarkerMode mode : kModes)
      for (const Pose* s : {static_cast<const Pose*>(nullptr), &shift}) {
        MarkerParameters p;
        p.mode = mode;
        MarkerField quick(pad, Grid(), Ball(), p);
        p.cull = false;
        MarkerField slow(pad, Grid(), Ball(), p);
        MarkerReading a, b;
        double greatest = 0;
        for (const Pose& X : RandomPath(3)) {
          quick.Step(X, &a, s);
          slow.Step(X, &b, s);
          ASSERT_EQ(a.displacement, b.displacement);
          ASSERT_EQ(a.shear, b.shear);
          ASSERT_EQ(quick.state(), slow.state());
          greatest = std::fmax(greatest, Greatest(a.shear));
        }
        EXPECT_GT(greatest, 0.01);
      }
}

TEST(MarkerField, CopiesGoOnAlike) {
  for (const MarkerMode mode : kModes) {
    MarkerField field = Make(mode), other = Make(mode);
    MarkerReading a, b, c;
    const std::vector<Pose> path = RandomPath(5);
    for (int i = 0; i < 20; ++i) field.Step(path[i], &a);
    ASSERT_FALSE(field.state().index.empty());
    const MarkerState saved = field.state();
    MarkerField copy = field;
    other.set_state(saved);
    for (int i = 20; i < 40; ++i) {
      field.Step(path[i], &a);
      copy.Step(path[i], &b);
      other.Step(path[i], &c);
      ASSERT_EQ(a.displacement, b.displacement);
      ASSERT_EQ(a.displacement, c.displacement);
    }
    EXPECT_NE(field.state(), saved);
  }
}

TEST(MarkerField, RemembersThePathUntilTheContactEnds) {
  for (const MarkerMode mode : kModes) {
    MarkerField field = Make(mode);
    MarkerReading r;
    field.Step({{}, {0, 0, 11e-3}}, &r);
    for (int i = 1; i <= 10; ++i) field.Step({{}, {0, 0, 10e-3 - 1e-4 * i}}, &r);
    const double pressed = std::fabs(r.shear[31].x);
    // Symmetric to what the random points allow: left and right differ by their noise.
    EXPECT_NEAR(r.dilation[31].x, 0, 1e-12);
    EXPECT_GT(r.dilation[32].x, 0);
    EXPECT_NEAR(r.dilation[32].x, -r.dilation[30].x, 1e-12);
    for (int i = 1; i <= 10; ++i) field.Step({{}, {2e-5 * i, 0, 9e-3}}, &r);
    const std::vector<Vec3> dragged = r.shear;
    EXPECT_GT(dragged[31].x, 0.05);
    EXPECT_GT(dragged[31].x, 5 * pressed);
    field.Step({{}, {2e-4, 0, 9e-3}}, &r);
    if (mode == MarkerMode::kPaper) {
      for (std::size_t i = 0; i < dragged.size(); ++i) ASSERT_NEAR(norm(r.shear[i] - dragged[i]), 0, 1e-12);
    }
    field.Step({{}, {2e-4, 0, 11e-3}}, &r);
    EXPECT_EQ(Greatest(r.displacement), 0);
    EXPECT_TRUE(field.state().index.empty());
    // In contact from the first call on: where it is now is where it entered.
    MarkerField late = Make(mode);
    late.Step({{}, {2e-4, 0, 9e-3}}, &r);
    EXPECT_EQ(Greatest(r.shear), 0);
    EXPECT_GT(Greatest(r.dilation), 0.1);
    EXPECT_FALSE(late.state().index.empty());
  }
}

TEST(MarkerField, FrictionBoundsEveryPoint) {
  for (const MarkerMode mode : kModes) {
    MarkerField field = Make(mode);
    MarkerReading r;
    int slipping = 0;
    for (const Pose& X : RandomPath(6)) {
      field.Step(X, &r);
      const MarkerState& s = field.state();
      for (std::size_t i = 0; i < s.index.size(); ++i) {
        const Vec3 n =
            mode == MarkerMode::kPaper ? -(X.R * field.indenter().normals_I[s.index[i]]) : Vec3{0, 0, 1};
        const double normal = dot(s.f_P[i], n), along = norm(s.f_P[i] - normal * n);
        ASSERT_GE(normal, -1e-18);
        ASSERT_LE(along, 0.5 * normal + 1e-15);
        ASSERT_LT(s.phi[i], 0);
        slipping += along > 0.4999 * normal;
      }
    }
    EXPECT_GT(slipping, 20);
  }
}

TEST(MarkerField, ZeroTangentialKeepsTheNormalPart) {
  for (const MarkerMode mode : kModes) {
    MarkerField field = Make(mode);
    MarkerReading r;
    const std::vector<Pose> path = RandomPath(7);
    for (int i = 0; i < 18; ++i) field.Step(path[i], &r);
    const MarkerState before = field.state();
    ASSERT_FALSE(before.index.empty());
    field.ZeroTangential();
    for (std::size_t i = 0; i < before.index.size(); ++i) {
      const Vec3 n = mode == MarkerMode::kPaper ? path[17].R * field.indenter().normals_I[before.index[i]]
                                                : Vec3{0, 0, 1};
      const Vec3 f = field.state().f_P[i];
      ASSERT_NEAR(dot(f, n), dot(before.f_P[i], n), 1e-18);
      ASSERT_NEAR(norm(cross(f, n)), 0, 1e-18);
    }
  }
}

TEST(MarkerField, GravityIsSeenButNotStored) {
  const Pose shift{{}, {0, -2.5e-4, 0}};
  for (const MarkerMode mode : kModes) {
    MarkerField field = Make(mode), plain = Make(mode);
    MarkerReading a, b;
    for (const Pose& X : RandomPath(8)) {
      field.Step(X, &a, &shift);
      plain.Step(X, &b);
      ASSERT_EQ(field.state(), plain.state());
      ASSERT_EQ(a.dilation, b.dilation);
    }
    MarkerField grip = Make(mode);
    grip.Step({{}, {0, 0, 11e-3}}, &a);
    grip.Step({{}, {0, 0, 9e-3}}, &a);
    const double before = a.shear[31].y;
    grip.Step({{}, {0, 0, 9e-3}}, &a, &shift);
    EXPECT_LT(a.shear[31].y, before - 0.02);  // the gel is drawn along
  }
}

TEST(MarkerField, SaysWhatIsWrong) {
  MarkerField field = Make(MarkerMode::kPaper);
  MarkerReading r;
  field.Step({{}, {0, 0, 11e-3}}, &r);
  field.Step({{}, {0, 0, 9e-3}}, &r);
  const MarkerState before = field.state();
  EXPECT_THROW(field.Step({{}, {0, NAN, 9e-3}}, &r), Error);
  EXPECT_THROW(field.Step({{{1, 0, 0, 0, 1, 0, 0, 0, 1.1}}, {}}, &r), Error);
  const Pose bad{{}, {0, 0, INFINITY}};
  EXPECT_THROW(field.Step({{}, {0, 0, 9e-3}}, &r, &bad), Error);
  EXPECT_EQ(field.state(), before);
  MarkerState wrong = before;
  wrong.index[0] = 1 << 20;
  EXPECT_THROW(field.set_state(wrong), Error);
  wrong = before;
  wrong.phi[0] = 1;
  EXPECT_THROW(field.set_state(wrong), Error);
  wrong = before;
  wrong.f_P.pop_back();
  EXPECT_THROW(field.set_state(wrong), Error);
  MarkerParameters p;
  p.lambda_s = 0;
  EXPECT_THROW(MarkerField(FlatPad(), Grid(), Ball(), p), Error);
  EXPECT_THROW(MarkerField(FlatPad(), {}, Ball(), {}), Error);
  MarkerIndenter bare = Ball();
  bare.normals_I.clear();
  EXPECT_THROW(MarkerField(FlatPad(), Grid(), bare, {}), Error);
  p = {};
  p.mode = MarkerMode::kRelease;
  EXPECT_NO_THROW(MarkerField(FlatPad(), Grid(), bare, p));
  bare.points_I.clear();  // nothing to track: dilation alone
  MarkerField empty(FlatPad(), Grid(), bare, p);
  empty.Step({{}, {0, 0, 9e-3}}, &r);
  EXPECT_EQ(Greatest(r.shear), 0);
  EXPECT_GT(Greatest(r.dilation), 0);
  EXPECT_THROW(SampleIndenter(Body(HalfSpace{}, {}), 1e-3, 0), Error);
}

}  // namespace
}  // namespace taxel
