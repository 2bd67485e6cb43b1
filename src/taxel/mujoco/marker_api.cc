// The functions of c_api.h that speak of markers.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "taxel/math/error.h"
#include "taxel/mujoco/c_api.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/marker_plugin.h"
#include "taxel/mujoco/reader.h"

using namespace taxel::internal;

namespace {

using taxel::mujoco::MarkerRuntime;
using taxel::mujoco::MarkerSensor;
using taxel::mujoco::Reader;
using taxel::mujoco::ReaderMarkers;

// Every instance has a runtime, with all sensors of the model in it.
MarkerRuntime* RuntimeOf(void* reader, const mjModel* m, mjData* d) {
  if (reader) return static_cast<Reader*>(reader)->markers.get();
  for (int i = 0; i < m->nplugin; ++i)
    if (taxel::mujoco::IsMarkerInstance(m, i)) return taxel::mujoco::FindMarkerRuntime(m, d, i);
  return nullptr;
}

const MarkerSensor* SensorOf(const MarkerRuntime* runtime, int k) {
  const bool there = runtime && k >= 0 && k < static_cast<int>(runtime->scene().sensors().size());
  return there ? &runtime->scene().sensors()[k] : nullptr;
}

void ReadOutside(MarkerRuntime* runtime, const mjModel* m, const mjData* d, int k, ReaderMarkers* memory,
                 double* out) {
  if (memory->pending && d->time > memory->time)
    runtime->Commit(k, memory->time, memory->state.data());
  else if (d->time < memory->time)
    std::fill(memory->state.begin(), memory->state.end(), 0.0);
  memory->pending = false;
  memory->pending = runtime->Read(m, d, k, d->time, memory->state.data(), out);
  memory->time = d->time;
}

}  // namespace

int taxel_num_markers(void* reader, const mjModel* m, mjData* d) {
  const MarkerRuntime* runtime = RuntimeOf(reader, m, d);
  return runtime ? static_cast<int>(runtime->scene().sensors().size()) : 0;
}

int taxel_markers(void* reader, const mjModel* m, mjData* d, int k, int info[8], double* pixel,
                  const char** name) {
  const MarkerSensor* s = SensorOf(RuntimeOf(reader, m, d), k);
  if (!s) return -1;
  const int values[8] = {s->sensor,          s->geom,          static_cast<int>(s->markers_P.size()),
                         s->settings.rows,   s->settings.cols, static_cast<int>(s->objects.size()),
                         s->memory().size(), s->num_data()};
  std::copy(values, values + 8, info);
  *pixel = s->settings.pixel;
  *name = s->name.c_str();
  return 0;
}

int taxel_markers_places(void* reader, const mjModel* m, mjData* d, int k, double* points, double X_GP[12]) {
  const MarkerSensor* s = SensorOf(RuntimeOf(reader, m, d), k);
  if (!s) return -1;
  for (const taxel::Vec3& p : s->markers_P)
    for (int c = 0; c < 3; ++c) *points++ = p[c];
  std::copy(s->X_GP.R.m, s->X_GP.R.m + 9, X_GP);
  for (int c = 0; c < 3; ++c) X_GP[9 + c] = s->X_GP.p[c];
  return 0;
}

int taxel_markers_read(void* reader, const mjModel* m, mjData* d, int k, double* out, int* inside,
                       char* error, int error_size) {
  try {
    MarkerRuntime* runtime = RuntimeOf(reader, m, d);
    const MarkerSensor* s = SensorOf(runtime, k);
    if (!s) throw taxel::Error("there is no marker sensor " + std::to_string(k));
    if (!taxel::mujoco::PosesKnown(m, d))
      throw taxel::Error("the geoms have no poses yet; call mujoco.mj_forward(model, data) first");
    if (reader)
      ReadOutside(runtime, m, d, k, &static_cast<Reader*>(reader)->marker_state[k], out);
    else
      runtime->Read(m, d, k, d->time, MarkerRuntime::State(m, d, *s), out);
    *inside = runtime->PointsInside(k);
    return 0;
  } catch (const std::exception& e) {
    std::snprintf(error, error_size, "%s", e.what());
    return -1;
  }
}
