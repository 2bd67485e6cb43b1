// A scene without soft geoms: 50 boxes fall on a plane, 200 steps. Counted under valgrind with and without
// the plugin loaded (`taxel bench step`), it shows what the plugin costs those who do not use it.
//
//   native_scene [PLUGIN_LIBRARY]
//   valgrind --tool=callgrind --toggle-collect=Simulate native_scene ...
#include <mujoco/mujoco.h>

#include <cstdio>
#include <string>

namespace {

constexpr int kBoxes = 50, kSteps = 200;

// Five layers of ten, each turned a little, so that they fall onto one another.
std::string Scene() {
  std::string xml =
      "<mujoco><option timestep='0.002' cone='elliptic'/><worldbody><geom type='plane' size='5 5 1'/>";
  for (int i = 0; i < kBoxes; ++i) {
    char body[256];
    std::snprintf(
        body, sizeof(body),
        "<body pos='%g %g %g' euler='%d %d %d'><freejoint/><geom type='box' size='.05 .04 .03'/></body>",
        0.09 * (i % 5), 0.09 * (i / 5 % 2), 0.06 + 0.1 * (i / 10), 7 * i % 40, 11 * i % 40, 13 * i % 90);
    xml += body;
  }
  return xml + "</worldbody></mujoco>";
}

}  // namespace

// Its name is given to callgrind: loading and compiling are not counted.
extern "C" __attribute__((noinline)) void Simulate(const mjModel* m, mjData* d) {
  for (int i = 0; i < kSteps; ++i) mj_step(m, d);
}

int main(int argc, char** argv) {
  if (argc > 1) mj_loadPluginLibrary(argv[1]);
  char error[1000] = "";
  const std::string xml = Scene();
  mjSpec* spec = mj_parseXMLString(xml.c_str(), nullptr, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, nullptr) : nullptr;
  if (!m) {
    std::fprintf(stderr, "native_scene: %s\n", error);
    return 1;
  }
  mjData* d = mj_makeData(m);
  Simulate(m, d);
  // The state tells that both runs did the same.
  double sum = 0;
  for (int i = 0; i < m->nq; ++i) sum += d->qpos[i];
  std::printf("contacts %d state %.17g\n", static_cast<int>(d->ncon), sum);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}
