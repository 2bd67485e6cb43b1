#include "taxel/mujoco/skin_sensor.h"

#include <algorithm>
#include <cstring>

#include "taxel/math/error.h"
#include "taxel/mujoco/runtime.h"
#include "taxel/mujoco/scene.h"
#include "taxel/mujoco/settings.h"

namespace taxel::mujoco {
namespace {

std::string SensorName(const mjModel* m, int sensor) {
  const char* text = mj_id2name(m, mjOBJ_SENSOR, sensor);
  return text && *text ? text : std::to_string(sensor);
}

SkinOutputs ReadOutputs(const Description& d) {
  SkinOutputs o;
  if (!d.Has("output")) return o;
  o.pressure = false;
  std::string word;
  for (const char c : d.Text("output") + " ") {
    if (c != ' ' && c != ',') {
      word += c;
      continue;
    }
    if (word.empty()) continue;
    bool* flag = word == "pressure" ? &o.pressure
                 : word == "shear"  ? &o.shear
                 : word == "slip"   ? &o.slip
                 : word == "truth"  ? &o.truth
                                    : nullptr;
    if (!flag || *flag) d.Fail("output", "a list of pressure, shear, slip and truth, each once");
    *flag = true;
    word.clear();
  }
  if (!(o.pressure || o.shear || o.slip || o.truth))
    d.Fail("output", "a list of pressure, shear, slip and truth");
  return o;
}

// Sites whose name begins with the given text, in the order of the model.
std::vector<int> SitesOf(const mjModel* m, const Description& d) {
  std::vector<int> out;
  const std::string& prefix = d.Text("sites");
  for (int i = 0; i < m->nsite; ++i) {
    const char* name = mj_id2name(m, mjOBJ_SITE, i);
    if (name && !std::strncmp(name, prefix.c_str(), prefix.size())) out.push_back(i);
  }
  if (out.empty()) throw Error(d.where() + ": sites=\"" + prefix + "\": no site has a name that begins so");
  return out;
}

// Naming sites is asking for the layout of sites.
Description::Entries WithSites(Description::Entries entries) {
  const auto has = [&](const char* key) {
    return std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.first == key; });
  };
  if (has("sites") && !has("layout")) entries.emplace_back("layout", "sites");
  return entries;
}

int Taxels(const mjModel* m, const Description& d) {
  return d.Has("sites") ? static_cast<int>(SitesOf(m, d).size()) : CountTaxels(d);
}

int StateOf(const mjModel* m, const Description& d, int taxels) {
  const ChainOptions chain = ReadChain(d);
  const SkinOutputs o = ReadOutputs(d);
  const int channels = o.pressure + 2 * o.shear;
  return SkinSensor::kPaused + channels * SignalChain::StateSize(chain, taxels, m->opt.timestep);
}

Pose PoseOf(const mjtNum* p, const mjtNum* q) {
  return {RotationFromQuaternion(q[0], q[1], q[2], q[3]), {p[0], p[1], p[2]}};
}

LayoutSites SitesOnGeom(const mjModel* m, const Description& d, int geom, const Pose& X_GS) {
  LayoutSites out;
  const Pose X_SB = Inverse(PoseOf(m->geom_pos + 3 * geom, m->geom_quat + 4 * geom) * X_GS);
  for (int s : SitesOf(m, d)) {
    if (m->site_bodyid[s] != m->geom_bodyid[geom])
      throw Error(d.where() + ": site '" + mj_id2name(m, mjOBJ_SITE, s) +
                  "' is on another body than the geom; put it on the same body");
    const Pose X_ST = X_SB * PoseOf(m->site_pos + 3 * s, m->site_quat + 4 * s);
    out.points.push_back(X_ST.p);
    out.normals.push_back(X_ST.R.col(2));
  }
  return out;
}

// A body in the frame in which the user drew it, so that points and directions mean what the file says.
Body DrawnBody(const Body& body, const Pose& X_SG) {
  TriangleMesh mesh = body.Surface();
  for (Vec3& v : mesh.vertices) v = X_SG * v;
  BodyOptions options;
  options.name = body.name();
  return Body(mesh, options);
}

void Carry(Layout* layout, const Pose& X_GS) {
  for (Vec3& p : layout->points) p = X_GS * p;
  for (Layout::Ghost& ghost : layout->ghosts) ghost.point = X_GS * ghost.point;
  for (auto* list : {&layout->normals, &layout->axes})
    for (Vec3& v : *list) v = X_GS.R * v;
  layout->grid.X_GF = X_GS * layout->grid.X_GF;
}

SkinSensor Make(const mjModel* m, const Description& given, int geom, const SceneGeom& scene_geom,
                int number) {
  SkinSensor s;
  s.geom = geom;
  if (!scene_geom.body)
    throw Error(
        given.where() + ": " + GeomName(m, geom) +
        " is not soft and can touch nothing soft, so the sensor would never feel anything; make it soft "
        "(modulus and a tuple), or put the sensor on the soft geom");
  s.X_GS = DrawnFrame(m, geom);
  const Body& body = *scene_geom.body;
  const bool mesh = m->geom_type[geom] == mjGEOM_MESH;
  s.outputs = ReadOutputs(given);
  LayoutSites sites;
  if (given.Has("sites")) sites = SitesOnGeom(m, given, geom, s.X_GS);
  const ReadoutOptions readout = ReadReadout(given);
  const LayoutSites* from = given.Has("sites") ? &sites : nullptr;
  Layout layout = MakeLayout(given, mesh ? DrawnBody(body, Inverse(s.X_GS)) : body, from);
  s.drawn = layout;
  if (mesh) Carry(&layout, s.X_GS);
  s.skin = std::make_unique<Skin>(MakeSkin(given, body, readout, std::move(layout)));
  s.chain = ReadChain(given);
  if (readout.aggregate == Aggregate::kForce && !given.Has("unit")) s.chain.unit = Unit::kNewton;
  // Two pads of one kind must not have the same noise.
  s.chain.seed += 7919ull * static_cast<unsigned>(number);
  if (given.Has("on_demand")) s.on_demand = given.Flag("on_demand");
  if (given.Has("show_taxels")) s.show = given.Flag("show_taxels");
  given.CheckAllRead();
  if (s.outputs.pressure) s.chains.emplace_back(s.chain, s.skin->layout(), m->opt.timestep, 0, false);
  if (s.outputs.shear)
    for (int channel : {1, 2})
      s.chains.emplace_back(s.chain, s.skin->layout(), m->opt.timestep, channel, true);
  s.state_size = StateOf(m, given, s.skin->count());
  return s;
}

// Words about a sensor that nobody would hear.
void CheckInstance(const mjModel* m, int instance) {
  if (!IsTaxelInstance(m, instance)) return;
  const char* text = mj_id2name(m, mjOBJ_PLUGIN, instance);
  const std::string where = "plugin instance '" + std::string(text ? text : "") + "'";
  const auto used = [&](int i) {
    return m->sensor_plugin[i] == instance && m->sensor_type[i] == mjSENS_PLUGIN;
  };
  bool any = false;
  for (int i = 0; i < m->nsensor; ++i) any |= used(i);
  if (IsSkinInstance(m, instance)) {
    if (!any)
      throw Error(where +
                  " describes a tactile sensor, but no sensor uses it; add <sensor><plugin name=\"touch\" "
                  "plugin=\"taxel\" instance=\"...\" objtype=\"geom\" objname=\"...\"/></sensor>");
    return;
  }
  for (int k = kFirstSkinKey; k < kNumConfigKeys; ++k)
    if (const char* value = mj_getPluginConfig(m, instance, kConfigKeys[k]); value && *value)
      throw Error(
          where + " gives " + kConfigKeys[k] +
          ", which belongs to a tactile sensor, but no layout; add shape=\"rows cols\", or layout, points, "
          "file or sites");
}

}  // namespace

Pose DrawnFrame(const mjModel* m, int geom) {
  if (m->geom_type[geom] != mjGEOM_MESH) return {};
  const int mesh = m->geom_dataid[geom];
  return Inverse(PoseOf(m->mesh_pos + 3 * mesh, m->mesh_quat + 4 * mesh));
}

bool IsSkinInstance(const mjModel* m, int instance) {
  if (!IsTaxelInstance(m, instance)) return false;
  for (const char* key : {"layout", "shape", "points", "file", "sites"})
    if (const char* value = mj_getPluginConfig(m, instance, key); value && *value) return true;
  return false;
}

Description SkinDescription(const mjModel* m, int instance, const std::string& where) {
  Description::Entries entries;
  for (int k = kFirstSkinKey; k < kNumConfigKeys; ++k)
    if (const char* value = mj_getPluginConfig(m, instance, kConfigKeys[k]); value && *value)
      entries.emplace_back(kConfigKeys[k], value);
  return {where, WithSites(std::move(entries))};
}

int SkinDataSize(const mjModel* m, int instance, const std::string& where) {
  const Description d = SkinDescription(m, instance, where);
  return ReadOutputs(d).Size(Taxels(m, d));
}

int SkinStateSize(const mjModel* m, int instance) {
  if (!IsSkinInstance(m, instance)) return 0;
  const Description d = SkinDescription(m, instance, "sensor");
  const int one = StateOf(m, d, Taxels(m, d));
  int sensors = 0;
  for (int i = 0; i < m->nsensor; ++i) sensors += m->sensor_plugin[i] == instance;
  return one * sensors;
}

void CheckRoom(const mjModel* m, const std::vector<SkinSensor>& skins) {
  int first = 0;
  while (first < m->nplugin && !IsTaxelInstance(m, first)) ++first;
  for (const SkinSensor& s : skins) {
    if (s.sensor < 0) continue;
    const auto fail = [&](const std::string& what, int needs, int has) {
      throw Error("sensor '" + s.name + "' needs " + std::to_string(needs) + " numbers of " + what +
                  " and the model has room for " + std::to_string(has) +
                  ": the time step or the layout file changed since it was made; compile the model again");
    };
    if (s.num_data() != m->sensor_dim[s.sensor]) fail("sensordata", s.num_data(), m->sensor_dim[s.sensor]);
    // The first instance keeps friction, too.
    const int end = (s.instance == first ? SavedState::Size(m) : 0) + s.state_offset + s.state_size;
    if (end > m->plugin_statenum[s.instance]) fail("plugin_state", end, m->plugin_statenum[s.instance]);
  }
}

std::vector<SkinSensor> MakeSkinSensors(const mjModel* m, const std::vector<SceneGeom>& geoms,
                                        const std::vector<GivenSensor>& given) {
  std::vector<SkinSensor> out;
  std::vector<int> used(m->nplugin, 0);
  for (int i = 0; i < m->nplugin; ++i) CheckInstance(m, i);
  for (int i = 0; i < m->nsensor; ++i) {
    if (m->sensor_type[i] != mjSENS_PLUGIN) continue;
    const int instance = m->sensor_plugin[i];
    if (!IsSkinInstance(m, instance)) continue;
    const std::string name = SensorName(m, i);
    if (m->sensor_objtype[i] != mjOBJ_GEOM) continue;  // CheckSensors speaks of it
    SkinSensor s = Make(m, SkinDescription(m, instance, "sensor '" + name + "'"), m->sensor_objid[i],
                        geoms[m->sensor_objid[i]], i);
    SkinDataSize(m, instance, "sensor '" + name + "'");  // its length must be known without the layout
    s.sensor = i;
    s.instance = instance;
    s.name = name;
    s.state_offset = used[instance];
    used[instance] += s.state_size;
    out.push_back(std::move(s));
  }
  for (std::size_t k = 0; k < given.size(); ++k) {
    SkinSensor s = Make(m, Description("sensor '" + given[k].name + "'", WithSites(given[k].config)),
                        given[k].geom, geoms[given[k].geom], static_cast<int>(m->nsensor + k));
    s.name = given[k].name;
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace taxel::mujoco
