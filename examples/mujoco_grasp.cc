// Loads the plugin into MuJoCo, opens a model and reads what its soft geoms feel, in plain C++.
//   mujoco_grasp PLUGIN MODEL.xml
// Closes two soft fingers on a cylinder, lifts it, and checks that it stays in the grip.
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdio>

int main(int argc, char** argv) {
  const char* plugin = argc > 1 ? argv[1] : DEFAULT_PLUGIN;
  const char* path = argc > 2 ? argv[2] : DEFAULT_MODEL;
  mj_loadPluginLibrary(plugin);
  char error[1000] = "";
  mjModel* m = mj_loadXML(path, nullptr, error, sizeof(error));
  if (!m) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  mjData* d = mj_makeData(m);
  const int hand = mj_name2id(m, mjOBJ_ACTUATOR, "lift"), object = mj_name2id(m, mjOBJ_BODY, "object");
  const int left = mj_name2id(m, mjOBJ_ACTUATOR, "left"), right = mj_name2id(m, mjOBJ_ACTUATOR, "right");
  const int sensor = mj_name2id(m, mjOBJ_SENSOR, "left_pad");
  if (hand < 0 || object < 0 || left < 0 || right < 0 || sensor < 0) {
    std::fprintf(stderr,
                 "%s lacks an actuator (lift, left, right), the body 'object' or the sensor 'left_pad'\n",
                 path);
    return 1;
  }
  const auto run = [&](double seconds, double from, double to) {
    const int steps = static_cast<int>(std::lround(seconds / m->opt.timestep));
    for (int i = 0; i < steps; ++i) {
      d->ctrl[hand] = from + (to - from) * (i + 1) / steps;
      mj_step(m, d);
    }
  };
  d->ctrl[left] = d->ctrl[right] = 0.03;  // beyond the object: the servos end at their force limit of 5 N
  run(1.0, 0, 0);
  const double before = d->xpos[3 * object + 2];
  run(1.0, 0, 0.05);
  run(1.0, 0.05, 0.05);
  const double lifted = d->xpos[3 * object + 2];
  run(5.0, 0.05, 0.05);
  const double held = d->xpos[3 * object + 2];
  // Six numbers: force and torque on the finger's pad, in the pad's frame.
  const mjtNum* wrench = d->sensordata + m->sensor_adr[sensor];
  std::printf("left pad feels (%.3f, %.3f, %.3f) N\n", wrench[0], wrench[1], wrench[2]);
  std::printf("lifted by %.2f mm, slipped by %.2e mm in 5 s\n", 1e3 * (lifted - before),
              1e3 * (lifted - held));
  const bool good = lifted - before > 0.045 && std::fabs(lifted - held) < 1e-5;
  mj_deleteData(d);
  mj_deleteModel(m);
  return good ? 0 : 1;
}
