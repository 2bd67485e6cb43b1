// Friction of a bristle:
//   - the means of an exponential and the share within a ball, at their ends and joins
//   - steady sliding is F_n mu(v) + c_t v over speeds, loads, directions and parameters; of the passive form
//   as
//     far as the cone
//   - one step is as good as a thousand where velocity and load are constant, the mean force too
//   - small motions: stiffness sigma0, damping sigma1 + c_t, back to where it was
//   - rest, no load, huge speeds, stiff bristles in long steps
//   - ramp, swings, there and back, turning under a varying load against an independent solver
//   - second order in the step where the velocity varies
//   - turned frames
// What the two forms do with energy is in lugre_energy_test.cc.
#include "taxel/bristle/lugre.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "lugre_scenes.h"
#include "taxel/math/pose.h"

namespace taxel {
namespace {

using test::Bristle, test::Direction, test::Draw, test::DrawBristle, test::DrawDirection, test::DrawLog;

constexpr LuGreForm kForms[] = {LuGreForm::kPassive, LuGreForm::kPaper};

TEST(ExponentialMeans, AreExactEverywhere) {
  double first, second;
  ExponentialMeans(0, &first, &second);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0.5);
  for (double x = 1e-12; x < 1e4; x *= 1.007) {  // over the join at 0.03
    long double sum = 0, term = 0.5L, exact_first;
    for (int k = 0; k < 60; ++k) sum += term, term *= -static_cast<long double>(x) / (k + 3);
    if (x < 2) {
      exact_first = 1 - x * sum;
    } else {
      exact_first = -std::expm1(-static_cast<long double>(x)) / x;
      sum = (1 - exact_first) / x;
    }
    ExponentialMeans(x, &first, &second);
    ASSERT_NEAR(first, static_cast<double>(exact_first), 1e-15) << x;
    // The rounding of `first`, over x: 1e-16 / 0.03.
    ASSERT_NEAR(second / static_cast<double>(sum), 1, 1e-14) << x;
  }
  ExponentialMeans(1e300, &first, &second);
  EXPECT_DOUBLE_EQ(first, 1e-300);
  EXPECT_DOUBLE_EQ(second, 1e-300);
}

TEST(ShareWithin, IsTheLargestThatStaysInside) {
  for (int i = 0; i < 100000; ++i) {
    const double r = DrawLog(1, i, 1e-6, 1e3);
    // A third starts on the rim (to rounding), some a hair inside.
    const double depth = i % 3 == 0 ? 0 : i % 3 == 1 ? DrawLog(2, i, 1e-17, 1) : Draw(3, i, 0, 1);
    const Vec3 a = NoLongerThan((1 - depth) * r * DrawDirection(4, i), r);
    const Vec3 b = r * DrawLog(5, i, 1e-8, 1e12) * DrawDirection(6, i);
    const double s = ShareWithin(a, b, r), length = norm(a + s * b);
    ASSERT_GE(s, 0);
    ASSERT_LE(s, 1);
    ASSERT_LE(length, r * (1 + 1e-14)) << i;
    // Where it stops short it is on the rim, at the far end: a little more leads out.
    if (s < 1) {
      ASSERT_GE(length, r * (1 - 1e-14)) << i;
      ASSERT_GE(dot(a + s * b, b), -1e-7 * r * norm(b)) << i;  // a graze: sqrt of rounding
    }
  }
  EXPECT_EQ(ShareWithin({0.5, 0, 0}, {}, 1), 1);
  EXPECT_EQ(ShareWithin({1, 0, 0}, {3, 0, 0}, 1), 0);
  EXPECT_DOUBLE_EQ(ShareWithin({-1, 0, 0}, {4, 0, 0}, 1), 0.5);  // through the ball, from rim to rim
  EXPECT_DOUBLE_EQ(ShareWithin({0.5, 0, 0}, {1, 0, 0}, 1), 0.5);
  EXPECT_EQ(NoLongerThan({0, 3, 4}, 5), (Vec3{0, 3, 4}));
  EXPECT_LT(norm(NoLongerThan({0, 6, 8}, 5) - Vec3{0, 3, 4}), 1e-15);
  EXPECT_EQ(NoLongerThan({0, 3, 4}, 0), (Vec3{}));
}

// Slides long enough to forget the start (40 times the length at which it does), in uneven steps.
LuGreStep SlideLong(const Bristle& b, const Vec3& velocity, Vec3 z) {
  const double memory = b.breakaway() / norm(velocity);
  LuGreStep s{z, {}};
  for (int i = 0; i < 40; ++i) s = AdvanceLuGre(b.p, s.deflection, velocity, b.load, memory * (0.5 + i % 3));
  return s;
}

TEST(LuGre, SteadySlidingFollowsTheCurve) {
  for (const LuGreForm form : kForms) {
    for (int i = 0; i < 3000; ++i) {
      Bristle b = i % 3 == 0   ? test::Printed(form)
                  : i % 3 == 1 ? test::Stiff(form)
                               : DrawBristle(10, i, form);
      b.load *= DrawLog(11, i, 1e-3, 1e3);
      const double v = b.p.stribeck_speed * DrawLog(12, i, 1e-6, 1e4);
      const Vec3 along = DrawDirection(13, i);
      const Vec3 start = b.breakaway() * Draw(14, i, 0, 1) * DrawDirection(15, i);
      const LuGreStep s = SlideLong(b, v * along, start);
      const double r = v / b.p.stribeck_speed;
      const double mu =
          b.p.dynamic_friction + (b.p.static_friction - b.p.dynamic_friction) * std::exp(-r * r);
      double expected = b.load * mu + b.p.viscosity * v;
      if (form == LuGreForm::kPassive) expected = std::min(expected, b.p.static_friction * b.load);
      // exp(-40) of the start remains; the bar is the experiment's.
      ASSERT_LT(norm(s.force - expected * along), 1e-6 * expected + 1e-15 * b.load) << i;
      ASSERT_LT(norm(b.p.sigma0 * s.deflection - b.load * mu * along), 1e-6 * b.load * mu + 1e-15 * b.load);
      ASSERT_NEAR(SteadyFriction(b.p, v, b.load), expected, 1e-14 * expected) << i;
    }
  }
}

TEST(LuGre, OneStepIsAsGoodAsAThousand) {
  double worst = 0;
  int cut = 0;
  for (const LuGreForm form : kForms) {
    for (int i = 0; i < 600; ++i) {
      Bristle b = i % 2 ? DrawBristle(20, i, form) : test::Printed(form);
      // Half of them slip from near break-away, damped so little that the cone is not reached.
      const bool slips = i % 4 > 1;
      if (slips) b.p.sigma1 *= 0.03, b.p.viscosity *= 0.03;
      const double v = b.p.stribeck_speed * (slips ? Draw(21, i, 1, 3) : DrawLog(21, i, 1e-3, 30));
      const double angle = Draw(22, i, 0, 6.3), off = slips ? 0.1 : 3.1;
      const Vec3 velocity = v * Direction(angle);
      const Vec3 start =
          b.breakaway() * (slips ? 0.9 : Draw(23, i, 0, 1)) * Direction(angle + Draw(24, i, -off, off));
      const double time = b.breakaway() / v * DrawLog(25, i, 1e-3, 20), cone = b.p.static_friction * b.load;
      const LuGreStep one = AdvanceLuGre(b.p, start, velocity, b.load, time);
      const int n = 1000;
      LuGreStep s{start, {}};
      Vec3 sum;
      bool at_cone = norm(one.force) > cone * (1 - 1e-9);
      for (int k = 0; k < n; ++k) {
        s = AdvanceLuGre(b.p, s.deflection, velocity, b.load, time / n);
        sum += (1.0 / n) * s.force;
        at_cone |= norm(s.force) > cone * (1 - 1e-9);
      }
      // A thousand roundings.
      ASSERT_LT(norm(s.deflection - one.deflection), 1e-13 * b.breakaway()) << i;
      // The cone cuts the force of an instant: the mean of what is cut is not the mean that is cut. The
      // forward part of the damping is cut exactly, for dz/dt keeps its direction.
      if (form == LuGreForm::kPassive && at_cone) continue;
      const double scale = cone + (b.p.sigma1 + b.p.viscosity) * v;
      worst = std::max(worst, norm(sum - one.force) / scale);
      if (form == LuGreForm::kPassive)
        cut +=
            norm(one.force - AdvanceLuGre(b.As(LuGreForm::kPaper).p, start, velocity, b.load, time).force) >
            1e-6 * cone;
    }
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_GT(cut, 20);  // that case was among them
}

TEST(LuGre, SmallMotionsAreElasticAndDamped) {
  for (const LuGreForm form : kForms) {
    for (const Bristle& b : {test::Printed(form), test::Stiff(form)}) {
      const double s = b.breakaway();
      const Vec3 along = Direction(0.7);
      // So slowly that the damping does not count.
      const double v = 1e-7 * s * b.p.sigma0 / b.p.sigma1;
      for (double d : {1e-5 * s, 1e-4 * s, 1e-3 * s}) {
        // Mean over the way 0 to d: sigma0 d / 2, less by d / (3 s) of itself.
        const LuGreStep there = AdvanceLuGre(b.p, {}, v * along, b.load, d / v);
        EXPECT_LT(norm(there.force - 0.5 * b.p.sigma0 * d * along), b.p.sigma0 * d * (d / s + 0.03));
        EXPECT_NEAR(dot(there.force, along) - (b.p.sigma1 + b.p.viscosity) * v, 0.5 * b.p.sigma0 * d,
                    b.p.sigma0 * d * 0.7 * d / s);
        EXPECT_LT(norm(there.deflection - d * along), d * d / s);
        // And back again: what is lost is of second order.
        const LuGreStep back = AdvanceLuGre(b.p, there.deflection, -v * along, b.load, d / v);
        EXPECT_LT(norm(back.deflection), 1.5 * d * d / s);
        EXPECT_GT(norm(back.deflection), 0.5 * d * d / s);
      }
      // The first instant of a motion: only the damping.
      const double fast = 0.1 * b.p.static_friction * b.load / (b.p.sigma1 + b.p.viscosity);
      const LuGreStep first = AdvanceLuGre(b.p, {}, fast * along, b.load, 1e-9 * s / fast);
      EXPECT_NEAR(dot(first.force, along) / ((b.p.sigma1 + b.p.viscosity) * fast), 1, 1e-7);
    }
  }
}

TEST(LuGre, AtRestKeepsWhatItHas) {
  const Vec3 z = 0.4 * test::Stiff().breakaway() * Direction(2);
  for (const LuGreForm form : kForms) {
    const Bristle b = test::Stiff(form);
    for (double step : {1e-5, 1e-3, 5e-3, 10.0}) {
      const LuGreStep s = AdvanceLuGre(b.p, z, {}, b.load, step);
      EXPECT_EQ(s.deflection, z);
      EXPECT_EQ(s.force, b.p.sigma0 * z);
    }
  }
  // The load drops to a tenth: as printed the force stays, four times what friction can hold. The passive
  // form yields to the cone, and to nothing without load; then it has forgotten.
  const Bristle paper = test::Stiff(), passive = paper.As(LuGreForm::kPassive);
  EXPECT_EQ(AdvanceLuGre(paper.p, z, {}, 0.1 * paper.load, 1e-3).force, paper.p.sigma0 * z);
  EXPECT_EQ(AdvanceLuGre(paper.p, z, {}, 0, 1e-3).force, paper.p.sigma0 * z);
  const LuGreStep s = AdvanceLuGre(passive.p, z, {}, 0.1 * passive.load, 1e-3);
  EXPECT_LT(norm(s.force - 0.25 * passive.p.sigma0 * z), 1e-14);
  EXPECT_LT(norm(s.deflection - 0.25 * z), 1e-18);
  EXPECT_EQ(AdvanceLuGre(passive.p, z, {}, 0, 1e-3).force, Vec3{});
  EXPECT_EQ(AdvanceLuGre(passive.p, z, {}, 0, 1e-3).deflection, Vec3{});
}

TEST(LuGre, WithoutLoadOnlyThePaperHasForces) {
  const Bristle paper = test::Printed(), passive = paper.As(LuGreForm::kPassive);
  const Vec3 z = 0.01 * Direction(1), v = 0.2 * Direction(4);
  const LuGreStep none = AdvanceLuGre(passive.p, z, v, 0, 1e-3);
  EXPECT_EQ(none.force, Vec3{});
  EXPECT_EQ(none.deflection, Vec3{});
  // As printed: forgotten at once, with the impulse -sigma1 z of that, and the viscous part.
  const LuGreStep s = AdvanceLuGre(paper.p, z, v, 0, 1e-3);
  EXPECT_EQ(s.deflection, Vec3{});
  EXPECT_LT(norm(s.force - (-paper.p.sigma1 / 1e-3 * z + paper.p.viscosity * v)), 1e-15);
  // That is the limit of a small load: the printed law itself is continuous there. The memory is 1e-9 of
  // the step, so the mean differs by that.
  const LuGreStep little = AdvanceLuGre(paper.p, z, v, 1e-12, 1e-3);
  EXPECT_LT(norm(little.force - s.force), 1e-8 * norm(s.force));
  EXPECT_EQ(LuGreRate(paper.p, 0.2, 0), HUGE_VAL);
  EXPECT_EQ(LuGreRate(paper.p, 0, 0), 0);
}

TEST(LuGre, SurvivesAnySpeed) {
  for (const LuGreForm form : kForms) {
    for (const Bristle& b : {test::Printed(form), test::Stiff(form)}) {
      const Vec3 along = Direction(5), z = b.breakaway() * Direction(1);
      for (double v = 1e-160; v < 1e100; v *= 97) {
        const LuGreStep s = AdvanceLuGre(b.p, z, v * along, b.load, 2e-3);
        ASSERT_TRUE(is_finite(s.force) && is_finite(s.deflection)) << v;
        ASSERT_LE(norm(s.deflection), b.breakaway() * (1 + 1e-14)) << v;
        if (v > 1e3) {  // the next step has forgotten
          const double steady = SteadyFriction(b.p, v, b.load);
          const LuGreStep next = AdvanceLuGre(b.p, s.deflection, v * along, b.load, 2e-3);
          ASSERT_LT(norm(next.force - steady * along), 1e-12 * steady) << v;
        }
      }
    }
  }
}

TEST(LuGre, AStiffBristleIsFineInLongSteps) {
  for (const LuGreForm form : kForms) {
    Bristle b = test::Stiff(form);
    b.p.sigma0 = 1e6;
    const double h = 5e-3, cone = b.p.static_friction * b.load;
    Vec3 z;
    for (int i = 0; i < 20000; ++i) {
      const double load = b.load * Draw(30, i, 0.01, 1), v = DrawLog(31, i, 1e-7, 1);
      const Vec3 along = DrawDirection(32, i);
      const LuGreStep s = AdvanceLuGre(b.p, z, v * along, load, h);
      ASSERT_LE(b.p.sigma0 * norm(s.deflection), cone * (1 + 1e-14));
      // Spring within the cone; the damping has no more than one deflection to undo in a step.
      ASSERT_LE(norm(s.force), cone + b.p.sigma1 * 2 * b.breakaway() / h);
      // Beyond a hundred break-away lengths in this step it is that of the curve: no ringing.
      if (v * h > 100 * b.breakaway()) {
        ASSERT_LT(norm(s.deflection - load * StribeckCoefficient(v, 0.6, 0.4, 0.01) / b.p.sigma0 * along),
                  1e-12 * b.breakaway());
      }
      z = s.deflection;
    }
  }
}

struct ReferenceRow {
  double t, z[2], paper[2], passive[2];
};
std::map<std::pair<std::string, std::string>, std::vector<ReferenceRow>> ReadReference() {
  std::map<std::pair<std::string, std::string>, std::vector<ReferenceRow>> cases;
  std::ifstream file(TAXEL_TEST_DATA "/lugre_reference.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string set, motion, number;
    std::getline(words, set, ',');
    std::getline(words, motion, ',');
    double v[7] = {};
    for (double& x : v)
      if (std::getline(words, number, ',')) x = std::stod(number);
    cases[{set, motion}].push_back({v[0], {v[1], v[2]}, {v[3], v[4]}, {v[5], v[6]}});
  }
  return cases;
}

// Greatest difference of deflection and mean force to the reference, over the greatest of each.
double Deviation(const Bristle& b, const std::string& motion, const std::vector<ReferenceRow>& rows,
                 int steps) {
  double worst_z = 0, worst_force = 0, most_z = 0, most_force = 0, start = 0;
  Vec3 z;
  for (const ReferenceRow& row : rows) {
    const double h = (row.t - start) / steps;
    Vec3 sum;
    for (int k = 0; k < steps; ++k) {
      const test::Motion m = test::MotionAt(motion, b, start + (k + 0.5) * h);
      const LuGreStep s = AdvanceLuGre(b.p, z, m.velocity, m.load, h);
      z = s.deflection;
      sum += (1.0 / steps) * s.force;
    }
    start = row.t;
    const double* f = b.p.form == LuGreForm::kPaper ? row.paper : row.passive;
    const Vec3 force = test::InPlane(f[0], f[1]), deflection = test::InPlane(row.z[0], row.z[1]);
    worst_z = std::max(worst_z, norm(z - deflection));
    worst_force = std::max(worst_force, norm(sum - force));
    most_z = std::max(most_z, norm(deflection));
    most_force = std::max(most_force, norm(force));
  }
  return std::max(worst_z / most_z, worst_force / most_force);
}

TEST(LuGre, AgreesWithAnIndependentSolver) {
  const auto cases = ReadReference();
  ASSERT_EQ(cases.size(), 10u);
  int same = 0;
  for (const auto& [name, rows] : cases) {
    const auto& [set, motion] = name;
    ASSERT_EQ(rows.size(), 48u);
    const Bristle b = set == "printed" ? test::Printed() : test::Stiff();
    EXPECT_NEAR(rows.back().t / test::MotionAt(motion, b, 0).duration, 1, 1e-8);
    bool forms_agree = true;
    for (const ReferenceRow& r : rows)
      forms_agree &= r.paper[0] == r.passive[0] && r.paper[1] == r.passive[1];
    same += forms_agree;
    for (const LuGreForm form : kForms) {
      const double coarse = Deviation(b.As(form), motion, rows, 8);
      const double fine = Deviation(b.As(form), motion, rows, 256);
      SCOPED_TRACE(set + " " + motion + (form == LuGreForm::kPaper ? " paper" : " passive"));
      EXPECT_LT(coarse, 1e-3);
      EXPECT_LT(fine, 3e-6);  // second order: 1e-3 / 32^2, and kinks of the passive form inside a step
    }
  }
  // Swings and there and back are slow against x0: both forms the same, in the reference too.
  EXPECT_EQ(same, 6);
}

TEST(LuGre, IsOfSecondOrderInTheStep) {
  // A velocity that turns and swells, never 0, and a load that breathes; the mean force over all the time
  // against 2^15 steps.
  for (const LuGreForm form : kForms) {
    for (const Bristle& b : {test::Printed(form), test::Stiff(form)}) {
      const double time = 6 * b.breakaway() / (0.2 * b.p.stribeck_speed);
      const auto mean = [&](int steps, double breath) {
        Vec3 z, sum;
        for (int k = 0; k < steps; ++k) {
          const double t = (k + 0.5) / steps;
          const Vec3 v = 0.2 * b.p.stribeck_speed * (1 + 0.5 * std::sin(9 * t)) * Direction(2 * t * t);
          const double load = b.load * (1 - breath * std::cos(7 * t));
          const LuGreStep s = AdvanceLuGre(b.p, z, v, load, time / steps);
          z = s.deflection;
          sum += (1.0 / steps) * s.force;
        }
        return sum;
      };
      for (const double breath : {0.01, 0.3}) {
        const Vec3 exact = mean(1 << 15, breath);
        double previous = 0;
        // A load that falls fast leaves the deflection beyond the cone. The passive form yields at the start
        // of a step (first order), and the share of a damping across the spring is the root of the room that
        // is left: order 1/2 at the worst.
        const bool yields = breath > 0.1 && form == LuGreForm::kPassive;
        for (int steps = 64; steps <= 1024; steps *= 4) {
          const double error = norm(mean(steps, breath) - exact) / norm(exact);
          const double order = previous > 0 ? 0.5 * std::log2(previous / error) : 2;
          EXPECT_GT(order, yields ? 0.45 : 1.8) << steps << " " << breath;
          previous = error;
        }
        EXPECT_LT(previous, yields ? 1e-3 : 1e-6);
      }
    }
  }
}

TEST(LuGre, DoesNotKnowHowItIsTurned) {
  for (int i = 0; i < 2000; ++i) {
    const Bristle b = DrawBristle(40, i, kForms[i % 2]);
    const Vec3 z = 1.5 * b.breakaway() * Draw(41, i, 0, 1) * DrawDirection(42, i);
    const Vec3 v = b.p.stribeck_speed * DrawLog(43, i, 1e-3, 1e2) * DrawDirection(44, i);
    const Mat3 R =
        RotationAbout(normalized({Draw(45, i, -1, 1), Draw(46, i, -1, 1), 0.3}), Draw(47, i, 0, 6));
    const double h = DrawLog(48, i, 1e-5, 5e-3);
    const LuGreStep s = AdvanceLuGre(b.p, z, v, b.load, h),
                    turned = AdvanceLuGre(b.p, R * z, R * v, b.load, h);
    ASSERT_LT(norm(turned.deflection - R * s.deflection), 1e-14 * (b.breakaway() + norm(v) * h)) << i;
    // The damping divides a change by the step.
    const double scale = b.p.sigma0 * norm(z) + (b.p.sigma1 + b.p.viscosity) * norm(v) +
                         b.p.sigma1 * norm(z) / h + b.p.static_friction * b.load;
    ASSERT_LT(norm(turned.force - R * s.force), 1e-14 * scale) << i;
  }
}

}  // namespace
}  // namespace taxel
