// The friction of a block as a contact:
//   - a stretched spring acts at the block, and where a spinning patch needs it once it slides
//   - a force about the present velocity acts between the two, by the share of the bound in use
//   - frames: no normal, and two axes across the block's
#include "taxel/mujoco/friction_rows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taxel::mujoco {
namespace {

const Vec3 kNormal = normalized({0.3, -0.2, 0.9});

PatchBlock Block() {
  PatchBlock b{};
  b.p_W = {0.01, 0.02, 0.03};
  b.slip_W = {0.012, 0.019, 0.03};
  b.n_W = kNormal;
  b.force = 2, b.stiffness = 1000;
  return b;
}
FrictionBlock Friction() {
  FrictionBlock f;
  f.stiffness = 700, f.damping = 0.7, f.bound = 1;
  return f;
}
RowContext Context() { return {0.002, 1.0, 1.0, false}; }

Vec3 At(const mjtNum* x) { return {x[0], x[1], x[2]}; }

void ExpectFrame(const mjContact& con) {
  const Vec3 n = At(con.frame), t1 = At(con.frame + 3), t2 = At(con.frame + 6);
  EXPECT_EQ(norm(n), 0);
  EXPECT_NEAR(norm(t1), 1, 1e-12);
  EXPECT_NEAR(norm(t2), 1, 1e-12);
  EXPECT_NEAR(dot(t1, t2), 0, 1e-12);
  EXPECT_NEAR(dot(t1, kNormal), 0, 1e-12);
  EXPECT_NEAR(dot(t2, kNormal), 0, 1e-12);
}

TEST(FrictionRows, ASpringActsAtTheBlockUntilItSlides) {
  Vec3 t1, t2;
  MakeFrame(kNormal, &t1, &t2);
  const PatchBlock block = Block();
  const mjContact holds = MakeSpringFriction(block, Friction(), 700, 1e-4 * t1, {}, Context());
  const mjContact slides = MakeSpringFriction(block, Friction(), 700, 1e-2 * t1, {}, Context());
  ExpectFrame(holds), ExpectFrame(slides);
  EXPECT_EQ(At(holds.pos), block.p_W);
  EXPECT_EQ(At(slides.pos), block.slip_W);
}

TEST(FrictionRows, AForceActsBetweenByItsShareOfTheBound) {
  const PatchBlock block = Block();
  Vec3 t1, t2;
  MakeFrame(kNormal, &t1, &t2);
  const Vec3 way = std::cos(0.4) * t1 + std::sin(0.4) * t2;
  for (const double share : {0.0, 0.25, 1.0}) {
    FrictionBlock f = Friction();
    f.force_W = 0.5 * way, f.along_W = way;
    f.along_damping = 0.1, f.sliding = share;
    const mjContact con = MakeAffineFriction(block, f, 0.01 * way, Context());
    ExpectFrame(con);
    EXPECT_LT(norm(At(con.pos) - (block.p_W + share * (block.slip_W - block.p_W))), 1e-15) << share;
    // The first axis is the way of sliding.
    EXPECT_NEAR(std::fabs(dot(At(con.frame + 3), way)), 1, 1e-12) << share;
  }
}

TEST(FrictionRows, AxesOfABodyAtRestDoNotFollowNoise) {
  Vec3 t1, t2;
  MakeFrame(kNormal, &t1, &t2);
  FrictionBlock f = Friction();
  f.along_W = normalized(t1 + 0.3 * t2), f.along_damping = f.damping;  // no way is slower than the other
  const mjContact con = MakeAffineFriction(Block(), f, {}, Context());
  EXPECT_NEAR(std::fabs(dot(At(con.frame + 3), t1)), 1, 1e-12);
}

}  // namespace
}  // namespace taxel::mujoco
