// MuJoCo's rules of who may touch whom:
//   - an explicit pair always may, in either order; bit masks; exclude; one body; parent and child
//   - what MayCollide says is what MuJoCo does
//   - contact dimension: of an explicit pair, of the higher priority, else the greater
#include "taxel/mujoco/collision_rules.h"

#include <gtest/gtest.h>

#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Data;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;

// Balls that all overlap.
constexpr char kBalls[] = R"(<mujoco><worldbody>
    <geom name="ground" size="0.1"/><geom name="stone" size="0.1"/>
    <body name="a"><freejoint/><geom name="a" size="0.1" condim="4"/><geom name="a2" size="0.1"/>
      <body name="child"><joint type="hinge"/><geom name="child" size="0.1" condim="1"/></body></body>
    <body name="b"><freejoint/><geom name="b" size="0.1" condim="6" priority="1"/></body>
    <body name="ghost"><freejoint/><geom name="ghost" size="0.1" contype="0" conaffinity="0"/></body>
    <body name="far"><freejoint/><geom name="far" size="0.1" priority="2" condim="1"/></body>
  </worldbody><contact><exclude body1="b" body2="far"/><pair geom1="ghost" geom2="a" condim="3"/></contact>
  </mujoco>)";

TEST(CollisionRules, AreThoseOfMujoco) {
  const Model m = MustCompile(kBalls);
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  int allowed = 0;
  for (int g1 = 0; g1 < m->ngeom; ++g1)
    for (int g2 = 0; g2 < m->ngeom; ++g2) {
      if (g1 == g2) continue;
      bool touches = false;
      for (int c = 0; c < d->ncon; ++c) {
        const int* g = d->contact[c].geom;
        touches |= (g[0] == g1 && g[1] == g2) || (g[0] == g2 && g[1] == g1);
      }
      EXPECT_EQ(MayCollide(m.get(), g1, g2), touches)
          << mj_id2name(m.get(), mjOBJ_GEOM, g1) << " " << mj_id2name(m.get(), mjOBJ_GEOM, g2);
      allowed += touches;
    }
  EXPECT_GT(allowed, 10);
  EXPECT_LT(allowed, m->ngeom * (m->ngeom - 1));
}

TEST(CollisionRules, TheDimensionIsThatOfTheContact) {
  const Model m = MustCompile(kBalls);
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  ASSERT_GT(d->ncon, 5);
  for (int c = 0; c < d->ncon; ++c) {
    const mjContact& con = d->contact[c];
    EXPECT_EQ(PairCondim(m.get(), con.geom[0], con.geom[1]), con.dim)
        << mj_id2name(m.get(), mjOBJ_GEOM, con.geom[0]) << " "
        << mj_id2name(m.get(), mjOBJ_GEOM, con.geom[1]);
    EXPECT_EQ(PairCondim(m.get(), con.geom[1], con.geom[0]), con.dim);
  }
}

TEST(CollisionRules, AnExplicitPairIsFoundInEitherOrder) {
  const Model m = MustCompile(kBalls);
  ASSERT_TRUE(m);
  const int a = Id(m, mjOBJ_GEOM, "a"), ghost = Id(m, mjOBJ_GEOM, "ghost"), b = Id(m, mjOBJ_GEOM, "b");
  EXPECT_EQ(ExplicitPair(m.get(), a, ghost), 0);
  EXPECT_EQ(ExplicitPair(m.get(), ghost, a), 0);
  EXPECT_EQ(ExplicitPair(m.get(), ghost, b), -1);
}

}  // namespace
}  // namespace taxel::mujoco
