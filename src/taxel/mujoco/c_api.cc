#include "taxel/mujoco/c_api.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/find_runtime.h"
#include "taxel/mujoco/reader.h"
#include "taxel/mujoco/scene_text.h"

using namespace taxel::internal;

namespace {

using taxel::mujoco::GivenMaterial;
using taxel::mujoco::GivenSensor;
using taxel::mujoco::MarkerRuntime;
using taxel::mujoco::MarkerScene;
using taxel::mujoco::MarkerSensor;
using taxel::mujoco::Reader;
using taxel::mujoco::Runtime;
using taxel::mujoco::SkinReadings;
using taxel::mujoco::SkinSensor;
using taxel::mujoco::Touch;

Runtime* RuntimeOf(void* reader, const mjModel* m, mjData* d) {
  return reader ? static_cast<Reader*>(reader)->runtime.get() : taxel::mujoco::FindRuntime(m, d);
}

bool IsSkin(const Runtime* runtime, int k) {
  return runtime && k >= 0 && k < static_cast<int>(runtime->scene().skins().size());
}

void Report(const std::exception& e, char* error, int size) { std::snprintf(error, size, "%s", e.what()); }

const void* Describe(const Touch& t, int geoms[2], double wrench[6]) {
  geoms[0] = t.geom1, geoms[1] = t.geom2;
  for (int k = 0; k < 3; ++k) wrench[k] = t.wrench.force[k], wrench[3 + k] = t.wrench.torque[k];
  return &t.surface;
}

std::vector<std::string> Split(const std::string& text, char by) {
  std::vector<std::string> out;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) out.push_back(part);
  return out;
}

std::vector<GivenMaterial> ParseMaterials(const mjModel* m, const char* text) {
  std::vector<GivenMaterial> out;
  for (const std::string& line : Split(text ? text : "", '\n')) {
    const std::vector<std::string> parts = Split(line, '\t');
    if (parts.size() < 2) throw taxel::Error("materials: a line needs a name and geoms: \"" + line + "\"");
    GivenMaterial material;
    material.name = parts[0];
    for (const std::string& id : Split(parts[1], ',')) {
      const int geom = std::atoi(id.c_str());
      if (geom < 0 || geom >= m->ngeom) throw taxel::Error("materials: there is no geom " + id);
      material.geoms.push_back(geom);
    }
    for (std::size_t k = 2; k < parts.size(); ++k) {
      const std::size_t equals = parts[k].find('=');
      if (equals == std::string::npos) throw taxel::Error("materials: \"" + parts[k] + "\" is not key=value");
      material.config.emplace_back(parts[k].substr(0, equals), parts[k].substr(equals + 1));
    }
    out.push_back(material);
  }
  return out;
}

// Those with the key model=marker are marker sensors, the others skins.
std::vector<GivenSensor> ParseSensors(const mjModel* m, const char* text, bool markers) {
  std::vector<GivenSensor> out;
  for (const GivenMaterial& line : ParseMaterials(m, text)) {
    if (line.geoms.size() != 1) throw taxel::Error("sensor '" + line.name + "' needs exactly one geom");
    GivenSensor sensor{line.name, line.geoms[0], line.config};
    const bool is_marker =
        std::erase(sensor.config, std::pair<std::string, std::string>("model", "marker")) > 0;
    if (is_marker == markers) out.push_back(std::move(sensor));
  }
  return out;
}

}  // namespace

int taxel_num_touches(const mjModel* m, mjData* d) {
  Runtime* runtime = taxel::mujoco::FindRuntime(m, d);
  if (!runtime) return -1;
  try {
    runtime->ReadForces(m, d);
    return static_cast<int>(runtime->Touches(m, d).size());
  } catch (const std::exception& e) {
    mju_warning("taxel: %s", e.what());
    return 0;
  }
}

void taxel_set_interrupt_check(bool (*check)(void)) { taxel::SetInterruptCheck(check); }

const void* taxel_touch(const mjModel* m, mjData* d, int i, int geoms[2], double wrench[6]) {
  Runtime* runtime = taxel::mujoco::FindRuntime(m, d);
  if (!runtime || i < 0 || i >= static_cast<int>(runtime->last_touches().size())) return nullptr;
  return Describe(*runtime->last_touches()[i], geoms, wrench);
}

int taxel_rebuild(const mjModel* m, mjData* d, char* error, int error_size) {
  try {
    Runtime* runtime = taxel::mujoco::FindRuntime(m, d);
    if (!runtime) throw taxel::Error("rebuild: the model has no instance of the plugin taxel");
    runtime->Rebuild(m, d);
    return 0;
  } catch (const std::exception& e) {
    Report(e, error, error_size);
    return -1;
  }
}

const char* taxel_scene(const mjModel* m, double spacing, char* error, int error_size) {
  thread_local std::string text;
  try {
    text = taxel::mujoco::SceneText(m, spacing);
    return text.c_str();
  } catch (const std::exception& e) {
    Report(e, error, error_size);
    return nullptr;
  }
}

void taxel_strip_plugins(mjModel* m) {
  for (int i = 0; i < m->nsensor; ++i) {
    if (m->sensor_type[i] == mjSENS_PLUGIN) m->sensor_type[i] = mjSENS_USER;
    m->sensor_plugin[i] = -1;
  }
  for (int i = 0; i < m->nbody; ++i) m->body_plugin[i] = -1;
  for (int i = 0; i < m->ngeom; ++i) m->geom_plugin[i] = -1;
  m->nplugin = 0;
  m->npluginstate = 0;
}

void* taxel_reader_new(const mjModel* m, const char* materials, const char* sensors, char* error,
                       int error_size) {
  try {
    auto markers = std::make_shared<const MarkerScene>(m, ParseSensors(m, sensors, true));
    auto scene = std::make_shared<const taxel::mujoco::Scene>(m, ParseMaterials(m, materials),
                                                              ParseSensors(m, sensors, false));
    if (!scene->any_soft() && markers->sensors().empty())
      throw taxel::Error(
          "reader: no geom of the model is soft; pass soft={\"geom name\": dict(modulus=1e5)}, or declare it "
          "in the model");
    auto reader = std::make_unique<Reader>();
    reader->runtime = std::make_unique<Runtime>(scene, -1, true);
    for (const SkinSensor& skin : scene->skins()) reader->skin_state.emplace_back(skin.state_size, 0.0);
    reader->markers = std::make_unique<MarkerRuntime>(markers);
    for (const MarkerSensor& sensor : markers->sensors())
      reader->marker_state.push_back({std::vector<double>(sensor.memory().size(), 0.0)});
    return reader.release();
  } catch (const std::exception& e) {
    Report(e, error, error_size);
    return nullptr;
  }
}

void taxel_reader_free(void* reader) { delete static_cast<Reader*>(reader); }

int taxel_reader_read(void* reader, const mjModel* m, mjData* d, char* error, int error_size) {
  try {
    Reader* r = static_cast<Reader*>(reader);
    taxel::mujoco::CheckPoses(m, d);
    r->touches = &r->runtime->Touches(m, d);
    return static_cast<int>(r->touches->size());
  } catch (const std::exception& e) {
    Report(e, error, error_size);
    return -1;
  }
}

void taxel_reader_scale(void* reader, int engine) {
  static_cast<Reader*>(reader)->runtime->set_scale_to_engine(engine != 0);
}

const void* taxel_reader_touch(void* reader, int i, int geoms[2], double wrench[6]) {
  const Reader* r = static_cast<const Reader*>(reader);
  if (!r->touches || i < 0 || i >= static_cast<int>(r->touches->size())) return nullptr;
  return Describe(*(*r->touches)[i], geoms, wrench);
}

int taxel_reader_is_soft(void* reader, int geom) {
  return static_cast<const Reader*>(reader)->runtime->scene().geoms()[geom].soft;
}

int taxel_num_skins(void* reader, const mjModel* m, mjData* d) {
  const Runtime* runtime = RuntimeOf(reader, m, d);
  return runtime ? static_cast<int>(runtime->scene().skins().size()) : -1;
}

const void* taxel_skin(void* reader, const mjModel* m, mjData* d, int k, int info[9], const char** name) {
  const Runtime* runtime = RuntimeOf(reader, m, d);
  if (!IsSkin(runtime, k)) return nullptr;
  const SkinSensor& s = runtime->scene().skins()[k];
  const taxel::Layout& layout = s.drawn;
  const taxel::mujoco::SkinOutputs& o = s.outputs;
  const int values[9] = {s.sensor,
                         s.geom,
                         s.skin->count(),
                         layout.rows,
                         layout.cols,
                         o.pressure + 2 * o.shear + 4 * o.slip + 8 * o.truth + 16 * o.saturated,
                         static_cast<int>(s.chain.unit),
                         s.num_data(),
                         s.on_demand};
  std::copy(values, values + 9, info);
  *name = s.name.c_str();
  return &layout;
}

int taxel_skin_read(void* reader, const mjModel* m, mjData* d, int k, double* out, double felt[10],
                    char* error, int error_size) {
  try {
    Runtime* runtime = RuntimeOf(reader, m, d);
    if (!IsSkin(runtime, k)) throw taxel::Error("there is no tactile sensor " + std::to_string(k));
    taxel::mujoco::CheckPoses(m, d);
    SkinReadings& readings = runtime->skin_readings();
    if (reader) {
      std::vector<double>& state = static_cast<Reader*>(reader)->skin_state[k];
      readings.CatchUp(runtime->scene().skins()[k], k, d->time, &state);
      runtime->ReadSkin(m, d, k, state.data(), true, out);
    } else {
      runtime->ReadForces(m, d);
      mjtNum* state = runtime->SkinState(m, d, k);
      readings.Mend(runtime->scene().skins()[k], state);
      runtime->ReadSkin(m, d, k, state, true, out);
    }
    const taxel::SkinReading& r = readings.felt(k);
    const taxel::Pose X_SG = taxel::Inverse(runtime->scene().skins()[k].X_GS);
    const taxel::Vec3 force = X_SG.R * r.force_G,
                      center = r.normal_load > 0 ? X_SG * r.center_G : taxel::Vec3{};
    const double values[10] = {force.x,  force.y,  force.z,       r.area,          center.x,
                               center.y, center.z, r.normal_load, r.sliding_share, r.missed};
    std::copy(values, values + 10, felt);
    return 0;
  } catch (const std::exception& e) {
    Report(e, error, error_size);
    return -1;
  }
}

int taxel_skin_pause(const mjModel* m, mjData* d, int k, int paused) {
  Runtime* runtime = RuntimeOf(nullptr, m, d);
  if (!IsSkin(runtime, k)) return 0;
  mjtNum* state = runtime->SkinState(m, d, k);
  const bool before = SkinReadings::Paused(state);
  if (paused >= 0) SkinReadings::SetPaused(state, paused != 0);
  return before;
}
