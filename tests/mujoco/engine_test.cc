// What is read of a running simulation:
//   - velocities of bodies against mj_objectVelocity, for every joint type, and after qvel changed
//   - the metric of integrator="discrete" and its ratio
//   - options under which soft contact cannot run, each with its cure
#include "taxel/mujoco/engine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Data;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;

Vec3 At(const mjtNum* v) { return {v[0], v[1], v[2]}; }
void ExpectNear(const Vec3& a, const Vec3& b, const std::string& what) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-12) << what << ", " << k;
}

// A chain of every joint type, and a second tree.
const char* const kChain = R"(<mujoco><worldbody>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30"><freejoint/><geom size="0.05"/>
      <body name="arm" pos="0.2 0 0" euler="40 0 5"><joint type="hinge" axis="0.3 -1 0.4" pos="0.01 0.02 0"/>
        <geom type="box" size="0.1 0.02 0.03" pos="0.05 0 0"/>
        <body name="slider" pos="0.1 0.05 0"><joint type="slide" axis="1 2 -1"/>
          <joint type="hinge" axis="0 1 1"/><geom type="capsule" size="0.02 0.05"/>
          <body name="fixed" pos="0 0 0.1"><geom size="0.01"/>
            <body name="tip" pos="0 0.1 0.02"><joint type="ball" pos="0 -0.01 0"/><geom size="0.03"/></body>
          </body></body></body></body>
    <body name="other" pos="-0.3 0.1 0.2"><freejoint/><geom type="box" size="0.1 0.04 0.03"/></body>
  </worldbody></mujoco>)";

class Chain : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = MustCompile(kChain);
    ASSERT_TRUE(model_);
    data_ = MakeData(model_);
    for (int i = 0; i < model_->nv; ++i) data_->qvel[i] = std::sin(1.7 * i + 0.4);
    mj_integratePos(model_.get(), data_->qpos, data_->qvel, 0.3);
    mj_forward(model_.get(), data_.get());
  }
  Model model_;
  Data data_;
};

TEST_F(Chain, BodiesMoveAsMujocoSays) {
  for (int body = 0; body < model_->nbody; ++body) {
    mjtNum v[6];
    mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, body, v, 0);
    const RelativeMotion motion = BodyMotion(model_.get(), data_.get(), body);
    const std::string name = mj_id2name(model_.get(), mjOBJ_BODY, body);
    ExpectNear(motion.angular, At(v), name);
    ExpectNear(motion(At(data_->xpos + 3 * body)), At(v + 3), name);
  }
}

TEST_F(Chain, AMotionFollowsQvelAtOnce) {
  const int tip = Id(model_, mjOBJ_BODY, "tip");
  const RelativeMotion before = BodyMotion(model_.get(), data_.get(), tip);
  mju_scl(data_->qvel, data_->qvel, -2, model_->nv);
  const RelativeMotion after = BodyMotion(model_.get(), data_.get(), tip);
  ExpectNear(after.linear, -2 * before.linear, "linear");
  ExpectNear(after.angular, -2 * before.angular, "angular");
}

TEST_F(Chain, ARelativeMotionIsTheDifferenceAtEveryPoint) {
  for (const char* from : {"world", "arm", "other", "tip"})
    for (const char* to : {"world", "base", "other", "tip"}) {
      const int a = Id(model_, mjOBJ_BODY, from), b = Id(model_, mjOBJ_BODY, to);
      const RelativeMotion one = BodyMotion(model_.get(), data_.get(), a),
                           two = BodyMotion(model_.get(), data_.get(), b),
                           both = RelativeBodyMotion(model_.get(), data_.get(), a, b);
      for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{0.3, -0.8, 1.1}})
        ExpectNear(both(p), two(p) - one(p), std::string(from) + " " + to);
      ExpectNear(both.angular, two.angular - one.angular, std::string(from) + " " + to);
    }
}

TEST_F(Chain, GeomsStandWhereMujocoPutsThem) {
  for (int g = 0; g < model_->ngeom; ++g) {
    const Pose X = GeomPose(data_.get(), g);
    const Vec3 p{0.3, -0.7, 0.2};
    mjtNum expected[3];
    mju_mulMatVec3(expected, data_->geom_xmat + 9 * g, &p.x);
    ExpectNear(X.R * p + X.p, At(expected) + At(data_->geom_xpos + 3 * g), std::to_string(g));
  }
}

TEST(DiscreteMetric, CountsDampingStiffnessAndServos) {
  const Model m = MustCompile(R"(<mujoco><option timestep="0.002"/><worldbody>
      <body name="cart"><joint name="x" type="slide" axis="1 0 0" damping="3" stiffness="500"/>
        <geom size="0.05" mass="0.4"/></body>
      <body pos="1 0 0"><joint type="slide" axis="0 0 1"/><geom size="0.05" mass="0.4"/></body>
    </worldbody><actuator><position joint="x" kp="1000" kv="7" gear="2"/></actuator></mujoco>)");
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  mjtNum S[2] = {-1, -1};
  GuessDiscreteMetric(m.get(), S);
  const double h = 0.002, expected = h * 3 + h * h * 500 + 4 * (h * 7 + h * h * 1000);
  EXPECT_NEAR(S[0], expected, 1e-12);
  EXPECT_EQ(S[1], 0);
  const int cart = Id(m, mjOBJ_BODY, "cart");
  const auto ratio = [&](const Vec3& n) {
    return DiscreteDiagonalRatio(m.get(), d.get(), S, 0, cart, Vec3{0, 0, 0.05}, n);
  };
  EXPECT_NEAR(ratio({1, 0, 0}), 0.4 / (0.4 + expected), 1e-12);
  EXPECT_EQ(ratio({0, 0, 1}), 1);  // the cart does not move that way
}

TEST(UnsupportedOption, EachIsNamedWithItsCure) {
  const auto why = [](const char* option) -> std::string {
    const Model m = MustCompile(std::string("<mujoco><option cone=\"elliptic\" ") + option + "</mujoco>");
    return m ? UnsupportedOption(m.get()) : "no model";
  };
  for (const char* integrator : {"Euler", "implicit", "implicitfast", "discrete"})
    EXPECT_EQ(why((std::string("integrator=\"") + integrator + "\"/>").c_str()), "") << integrator;
  const struct {
    const char *option, *cure;
  } cases[] = {
      {"integrator=\"RK4\"/>", "use implicitfast"},
      {"noslip_iterations=\"2\"/>", "<option noslip_iterations=\"0\"/>"},
      {"><flag override=\"enable\"/></option>", "override=\"disable\""},
      {"><flag sleep=\"enable\"/></option>", "sleep=\"disable\""},
      {"><flag diagexact=\"enable\"/></option>", "diagexact=\"disable\""},
  };
  for (const auto& c : cases)
    EXPECT_NE(why(c.option).find(c.cure), std::string::npos) << c.option << ": " << why(c.option);
  const Model pyramidal = MustCompile("<mujoco/>");
  ASSERT_TRUE(pyramidal);
  EXPECT_NE(std::string(UnsupportedOption(pyramidal.get())).find("cone=\"elliptic\""), std::string::npos);
}

}  // namespace
}  // namespace taxel::mujoco
