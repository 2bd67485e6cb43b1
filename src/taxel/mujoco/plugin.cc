// Registration with MuJoCo, the collision table, and the callbacks of the plugin "taxel" (of "taxel.markers":
// marker_plugin.cc).
#include "taxel/mujoco/plugin.h"

#include <mujoco/mujoco.h>

#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/mujoco/collision_rules.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/find_runtime.h"
#include "taxel/mujoco/handle.h"
#include "taxel/mujoco/marker_plugin.h"
#include "taxel/mujoco/model_names.h"
#include "taxel/mujoco/refuse.h"
#include "taxel/mujoco/runtime.h"
#include "taxel/mujoco/sensors.h"
#include "taxel/mujoco/servo_check.h"
#include "taxel/mujoco/visual.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

mjfCollision native_function[mjNGEOMTYPES][mjNGEOMTYPES];

// Is this call part of mj_collision? mj_geomDistance and the distance sensors use the same table. Inside the
// pass the broad phase has been counted and the narrow phase has not.
bool FromCollisionPass(const mjData* d) {
  return d->timer[mjTIMER_COL_BROAD].number == d->timer[mjTIMER_COL_NARROW].number + 1;
}

// MuJoCo is C: nothing may be thrown through it. A step is done or not begun, so it is not interrupted.
template <typename Do>
void Safely(const Do& action) {
  const NoInterrupt whole;
  try {
    action();
  } catch (const std::exception& e) {
    mju_warning("taxel: %s", e.what());
  }
}

int Collide(const mjModel* m, mjData* d, mjPreContact* con, int g1, int g2, mjtNum margin) {
  if (m->nplugin > 0) {
    const NoInterrupt whole;
    Runtime* runtime = FindRuntime(m, d);
    if (runtime && FromCollisionPass(d) && runtime->Collide(m, d, g1, g2)) return 0;
  }
  return native_function[m->geom_type[g1]][m->geom_type[g2]](m, d, con, g1, g2, margin);
}

bool IsFirstInstance(const mjModel* m, int instance) {
  for (int i = 0; i < instance; ++i)
    if (m->plugin[i] == plugin_slot) return false;
  return true;
}

// The first instance speaks for all of them.
Runtime* Own(const mjModel* m, mjData* d, int instance) {
  return IsFirstInstance(m, instance) ? FindRuntime(m, d) : nullptr;
}

// MuJoCo compiles with sleep switched off and switches it on afterwards: only the question for the size of
// the state, the first of a compilation, sees the flag. Init takes what was seen of its model.
thread_local const mjModel* compiles_with_sleep = nullptr;

int NumState(const mjModel* m, int instance) {
  compiles_with_sleep = m->opt.enableflags & mjENBL_SLEEP ? m : nullptr;
  int skins = 0;
  try {
    skins = SkinStateSize(m, instance);
  } catch (const std::exception&) {  // Init says what is wrong
  }
  return skins + (IsFirstInstance(m, instance) ? SavedState::Size(m) : 0);
}

void CheckModel(const mjModel* m, const Scene& scene, bool sleeps) {
  if (!scene.any_soft())
    throw Error(
        "the plugin is in the model but no geom is soft; give an instance a modulus and list the geoms in a "
        "tuple of "
        "the instance's name (docs/guide/mujoco.md, \"five lines\")");
  if (scene.settings().coupling == Coupling::kRows)
    if (const char* why = UnsupportedOption(m, sleeps); *why) throw Error(why);
  if (scene.settings().coupling == Coupling::kExplicit) {
    if ((m->opt.disableflags & mjDSBL_SPRING) && (m->opt.disableflags & mjDSBL_DAMPER))
      throw Error(
          "coupling=\"explicit\" adds passive forces, which MuJoCo skips when both the spring and the damper "
          "flag are "
          "disabled; enable one, or use coupling=\"rows\"");
    if (m->opt.integrator == mjINT_RK4)
      throw Error(
          "coupling=\"explicit\" cannot run under integrator=\"RK4\": friction remembers; use Euler or "
          "implicitfast");
  }
}

// A patch resists rolling by its dissipation and has no coefficient for it.
void WarnOfRolling(const mjModel* m, const Scene& scene) {
  int count = 0;
  std::string first;
  for (const auto& [a, b] : scene.candidates())
    if (scene.Couples(a, b) && PairCondim(m, a, b) == 6 && count++ == 0)
      first = GeomName(m, a) + " with " + GeomName(m, b);
  if (count > 0)
    scene.WarnOnce(first + (count > 1 ? " and " + std::to_string(count - 1) + " other pairs have" : " has") +
                   " condim 6, but soft contact takes no coefficient of rolling friction: what rolls is held "
                   "back by dissipation. Set condim=\"4\" or \"3\", which act alike, to silence this");
}

int Init(const mjModel* m, mjData* d, int instance) {
  d->plugin_data[instance] = 0;
  const bool sleeps = std::exchange(compiles_with_sleep, nullptr) == m;
  const char* reason = nullptr;
  try {
    CheckSensors(m, instance);
    if (!IsFirstInstance(m, instance)) return 0;
    auto scene = Scene::Of(m);
    CheckModel(m, *scene, sleeps);
    if (scene->settings().coupling == Coupling::kRows) {
      // Stick memory enters through mjContact.surfacevel, which the engine reads only when this is set.
      if (!m->flg_surfacevel) const_cast<mjModel*>(m)->flg_surfacevel = 1;
      WarnOfStiffServos(m, *scene);
    }
    if (scene->settings().coupling != Coupling::kSense) WarnOfRolling(m, *scene);
    d->plugin_data[instance] = AddRuntime(d, std::make_unique<Runtime>(scene, instance));
    return 0;
  } catch (const std::exception& e) {
    reason = KeepReason(e.what());
  }
  Refuse(d, instance, reason);
  return -1;
}

void Copy(mjData* to, const mjModel*, const mjData* from, int instance) {
  Runtime* target = RuntimeOf(to, to->plugin_data[instance]);
  const Runtime* source = RuntimeOf(from, from->plugin_data[instance]);
  if (target && source) Safely([&] { target->CopyStep(*source); });
}

void Destroy(mjData* d, int instance) {
  RemoveRuntime(d, d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}

void Reset(const mjModel* m, mjtNum* state, void* data, int instance) {
  if (m->plugin_statenum[instance] > 0) mju_zero(state, m->plugin_statenum[instance]);
  if (Runtime* runtime = AnyRuntime(reinterpret_cast<std::uintptr_t>(data))) runtime->Reset();
}

void Compute(const mjModel* m, mjData* d, int instance, int capability) {
  Safely([&] {
    Runtime* runtime = Own(m, d, instance);
    if (capability == mjPLUGIN_PASSIVE) {
      if (runtime) runtime->ApplyForces(m, d);
      return;
    }
    if (runtime) {
      runtime->ReadForces(m, d);
      RefreshNativeSensors(m, d, instance, runtime);
    }
    WriteSensors(m, d, instance, FindRuntime(m, d));
  });
}

void Advance(const mjModel* m, mjData* d, int instance) {
  Safely([&] {
    if (Runtime* runtime = Own(m, d, instance)) runtime->Advance(m, d);
  });
}

void Visualize(const mjModel* m, mjData* d, const mjvOption* option, mjvScene* scene, int instance) {
  Safely([&] {
    Runtime* runtime = Own(m, d, instance);
    if (!runtime) return;
    DrawSurfaces(m, d, option, scene, runtime);
    DrawTaxels(m, d, scene, runtime);
  });
}

}  // namespace

void Register() {
  if (plugin_slot >= 0) return;
  if (mj_version() != mjVERSION_HEADER) {
    mju_warning(
        "taxel was built for MuJoCo %d and this is MuJoCo %d: the plugin is not registered. Install "
        "mujoco==%d.%d.%d, "
        "or build taxel against this version.",
        mjVERSION_HEADER, mj_version(), mjVERSION_HEADER / 1000000, mjVERSION_HEADER / 1000 % 1000,
        mjVERSION_HEADER % 1000);
    return;
  }
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = kPluginName;
  plugin.nattribute = kNumConfigKeys;
  plugin.attributes = kConfigKeys;
  plugin.capabilityflags = mjPLUGIN_PASSIVE | mjPLUGIN_SENSOR;
  plugin.needstage = mjSTAGE_ACC;
  plugin.nstate = NumState;
  plugin.nsensordata = NumSensorData;
  plugin.init = Init;
  plugin.destroy = Destroy;
  plugin.copy = Copy;
  plugin.reset = Reset;
  plugin.compute = Compute;
  plugin.advance = Advance;
  plugin.visualize = Visualize;
  plugin_slot = mjp_registerPlugin(&plugin);
  RegisterMarkers();

  // Whatever stands in the table now is called for every pair that is not ours; others may wrap us in turn.
  for (int i = 0; i < mjNGEOMTYPES; ++i)
    for (int j = 0; j < mjNGEOMTYPES; ++j)
      if (mjCOLLISIONFUNC[i][j]) {
        native_function[i][j] = mjCOLLISIONFUNC[i][j];
        mjCOLLISIONFUNC[i][j] = Collide;
      }
}

}  // namespace taxel::mujoco
