// Servos that are too stiff for the integrator are named when the model is loaded:
//   - the condition h kv >= M and h^2 kp >= M: either alone is fine; gear and joint damping count
//   - the message names the actuator and cures; the armature it proposes is one
//   - none under discrete; none for servos that move nothing soft touches; once for a model
#include "taxel/mujoco/servo_check.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "test_model.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::Data;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Warnings;

struct Gripper {
  std::string option = "integrator=\"implicitfast\" timestep=\"0.002\"";
  std::string joint, actuator = "kp=\"20000\" kv=\"40\"";
  std::string xml() const {
    return "<mujoco><option cone=\"elliptic\" " + option + R"(/>
        <extension><plugin plugin="taxel"><instance name="skin"><config key="modulus" value="1e5"/></instance>
        </plugin></extension>
        <custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple></custom>
        <worldbody>
          <body><joint name="j" type="slide" axis="1 0 0" )" +
           joint + R"(/><geom name="pad" type="box" size="0.005 0.02 0.02" mass="0.02"/></body>
          <body pos="0.05 0 0"><freejoint/><geom type="sphere" size="0.02" mass="0.2"/></body>
          <body pos="3 0 0"><joint name="far" type="slide" axis="1 0 0"/><geom size="0.01" mass="0.02" contype="0"
            conaffinity="0"/></body>
        </worldbody>
        <actuator><position name="close" joint="j" )" +
           actuator + R"(/><position name="elsewhere" joint="far" kp="20000" kv="40"/></actuator></mujoco>)";
  }
};

std::vector<std::string> Check(const Gripper& g) {
  const Warnings quiet;
  const Model m = MustCompile(g.xml());
  return m ? StiffServos(m.get(), Scene(m.get())) : std::vector<std::string>{"does not compile"};
}

TEST(StiffServos, NamesActuatorAndCures) {
  const std::vector<std::string> lines = Check({});
  ASSERT_EQ(lines.size(), 1u);  // not the one elsewhere
  for (const char* part : {"'close'", "kp 2e+04", "kv 40", "0.02", "0.002", "integrator=\"discrete\"",
                           "armature=\"", "kv below 10"})
    EXPECT_NE(lines[0].find(part), std::string::npos) << part << " not in: " << lines[0];
  // Its armature is enough.
  const char* armature = std::strstr(lines[0].c_str(), "armature=\"") + 10;
  Gripper cured;
  cured.joint = "armature=\"" + std::string(armature, std::strchr(armature, '"')) + "\"";
  EXPECT_TRUE(Check(cured).empty());
}

TEST(StiffServos, BothGainsMustBeHigh) {
  // M = 0.02, h = 0.002: h kv >= M from kv = 10, h^2 kp >= M from kp = 5000.
  struct {
    const char *actuator, *joint;
    bool stiff;
  } cases[] = {{"kp=\"20000\" kv=\"9\"", "", false},
               {"kp=\"4900\" kv=\"40\"", "", false},
               {"kp=\"5100\" kv=\"11\"", "", true},
               {"kp=\"20000\" kv=\"5\"", "damping=\"6\"", true},  // damping counts
               {"kp=\"20000\" kv=\"5\"", "damping=\"4\"", false},
               {"kp=\"1300\" kv=\"3\" gear=\"2\"", "", true},  // gear squared
               {"kp=\"1200\" kv=\"3\" gear=\"2\"", "", false},
               {"kp=\"20000\" kv=\"40\"", "armature=\"0.1\"", false}};
  for (const auto& c : cases) {
    Gripper g;
    g.actuator = c.actuator;
    g.joint = c.joint;
    EXPECT_EQ(Check(g).size(), c.stiff ? 1u : 0u) << c.actuator << " " << c.joint;
  }
}

TEST(StiffServos, DiscreteTakesAnyGains) {
  Gripper g;
  g.option = "integrator=\"discrete\" timestep=\"0.005\"";
  EXPECT_TRUE(Check(g).empty());
  for (const char* integrator : {"Euler", "implicit"}) {
    g.option = std::string("timestep=\"0.002\" integrator=\"") + integrator + "\"";
    EXPECT_EQ(Check(g).size(), 1u) << integrator;
  }
}

TEST(StiffServos, WarnsOncePerModel) {
  // Also when the compiler's own mjData, with which the model is tried, is gone by the time the user makes
  // one.
  const Warnings warnings;
  Gripper g;
  g.actuator = "kp=\"30000\" kv=\"41\"";
  const Model m = MustCompile(g.xml());
  ASSERT_TRUE(m);
  const Data a = MakeData(m), b = MakeData(m);
  EXPECT_EQ(Warnings::Count("actuator 'close'"), 1) << Warnings::Text();
}

}  // namespace
}  // namespace taxel::mujoco
