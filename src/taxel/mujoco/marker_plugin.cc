#include "taxel/mujoco/marker_plugin.h"

#include <exception>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/handle.h"
#include "taxel/mujoco/marker_visual.h"
#include "taxel/mujoco/refuse.h"

namespace taxel::mujoco {
namespace {

int NumState(const mjModel* m, int instance) {
  try {
    return MarkerStateSize(m, instance);
  } catch (const std::exception&) {  // Init says what is wrong
    return 0;
  }
}

int NumSensorData(const mjModel* m, int instance, int) {
  try {
    return MarkerDataSize(m, instance);
  } catch (const std::exception&) {  // Init says what is wrong
    return 1;
  }
}

// Null where it went well, else why not.
const char* Make(const mjModel* m, mjData* d, int instance) {
  d->plugin_data[instance] = 0;
  try {
    d->plugin_data[instance] =
        Handles<MarkerRuntime>::Add(d, std::make_unique<MarkerRuntime>(MarkerScene::Of(m)));
    return nullptr;
  } catch (const std::exception& e) {
    return KeepReason(e.what());
  }
}

int Init(const mjModel* m, mjData* d, int instance) {
  const char* reason = Make(m, d, instance);
  if (!reason) return 0;
  Refuse(d, instance, reason);
  return -1;
}

void Destroy(mjData* d, int instance) {
  Handles<MarkerRuntime>::Remove(d, d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}

// A runtime has no history of its own: the state that MuJoCo copies is all.
void Copy(mjData*, const mjModel*, const mjData*, int) {}

void Reset(const mjModel* m, mjtNum* state, void*, int instance) {
  if (m->plugin_statenum[instance] > 0) mju_zero(state, m->plugin_statenum[instance]);
}

template <typename Do>
void ForSensors(const mjModel* m, mjData* d, int instance, const Do& action) {
  const NoInterrupt whole;  // a step is done or not begun
  MarkerRuntime* runtime = FindMarkerRuntime(m, d, instance);
  if (!runtime) return;
  const std::vector<MarkerSensor>& sensors = runtime->scene().sensors();
  for (int k = 0; k < static_cast<int>(sensors.size()); ++k) {
    if (sensors[k].instance != instance) continue;
    try {
      action(runtime, k, sensors[k], MarkerRuntime::State(m, d, sensors[k]));
    } catch (const std::exception& e) {  // a pose that is not finite: MuJoCo says so, too
      mju_warning("taxel: sensor '%s': %s", sensors[k].name.c_str(), e.what());
    }
  }
}

void Compute(const mjModel* m, mjData* d, int instance, int) {
  if (MarkerRuntime* runtime = FindMarkerRuntime(m, d, instance)) runtime->CheckShapes(m);
  ForSensors(m, d, instance, [&](MarkerRuntime* runtime, int k, const MarkerSensor& s, mjtNum* state) {
    mjtNum* out = d->sensordata + m->sensor_adr[s.sensor];
    mju_zero(out, s.num_data());
    runtime->Read(m, d, k, d->time, state, out);
  });
}

void Advance(const mjModel* m, mjData* d, int instance) {
  // Time has moved on by one step already, poses have not.
  const mjtNum time = d->time - m->opt.timestep;
  ForSensors(m, d, instance, [&](MarkerRuntime* runtime, int k, const MarkerSensor&, mjtNum* state) {
    runtime->Advance(m, d, k, time, state);
  });
}

void Visualize(const mjModel* m, mjData* d, const mjvOption*, mjvScene* scene, int instance) {
  if (!PosesKnown(m, d)) return;
  ForSensors(m, d, instance, [&](MarkerRuntime* runtime, int k, const MarkerSensor& s, mjtNum* state) {
    DrawMarkers(m, d, runtime, k, s, state, scene);
  });
}

}  // namespace

MarkerRuntime* FindMarkerRuntime(const mjModel* m, mjData* d, int instance) {
  if (MarkerRuntime* runtime = Handles<MarkerRuntime>::Of(d, d->plugin_data[instance])) return runtime;
  // Copied bit by bit from another mjData (pickled): it gets its own.
  if (d->plugin_data[instance] != 0)
    if (const char* reason = Make(m, d, instance)) mju_warning("taxel: %s", reason);
  return Handles<MarkerRuntime>::Of(d, d->plugin_data[instance]);
}

void RegisterMarkers() {
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = kMarkerPluginName;
  plugin.nattribute = kNumMarkerKeys;
  plugin.attributes = kMarkerKeys;
  plugin.capabilityflags = mjPLUGIN_SENSOR;
  plugin.needstage = mjSTAGE_POS;
  plugin.nstate = NumState;
  plugin.nsensordata = NumSensorData;
  plugin.init = Init;
  plugin.destroy = Destroy;
  plugin.copy = Copy;
  plugin.reset = Reset;
  plugin.compute = Compute;
  plugin.advance = Advance;
  plugin.visualize = Visualize;
  mjp_registerPlugin(&plugin);
}

}  // namespace taxel::mujoco
