#include "taxel/mujoco/skin_sensor.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "taxel/math/error.h"
#include "taxel/mujoco/geom_body.h"
#include "taxel/mujoco/geom_layout.h"
#include "taxel/mujoco/model_names.h"
#include "taxel/mujoco/saved_state.h"
#include "taxel/mujoco/scene_geom.h"
#include "taxel/mujoco/settings.h"
#include "taxel/skin/taxel_at.h"
#include "taxel/skin/taxel_columns.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

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
    bool* flag = word == "pressure"    ? &o.pressure
                 : word == "shear"     ? &o.shear
                 : word == "slip"      ? &o.slip
                 : word == "truth"     ? &o.truth
                 : word == "saturated" ? &o.saturated
                                       : nullptr;
    if (!flag || *flag) d.Fail("output", "a list of pressure, shear, slip, saturated and truth, each once");
    *flag = true;
    word.clear();
  }
  if (!(o.pressure || o.shear || o.slip || o.saturated || o.truth))
    d.Fail("output", "a list of pressure, shear, slip, saturated and truth");
  return o;
}

int StateOf(const mjModel* m, const Description& d, int taxels) {
  const ChainOptions chain = ReadChain(d);
  const SkinOutputs o = ReadOutputs(d);
  const int channels = o.pressure + 2 * o.shear;
  return SkinSensor::kPaused + channels * SignalChain::StateSize(chain, taxels, m->opt.timestep);
}

constexpr const char* kWhereKeys[] = {"layout", "shape", "points", "file", "sites"};

bool SaysWhere(const Description::Entries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const auto& e) {
    return std::any_of(std::begin(kWhereKeys), std::end(kWhereKeys),
                       [&](const char* key) { return e.first == key; });
  });
}

SkinSensor Make(const mjModel* m, const Description& given, int geom, const SceneGeom& scene_geom,
                int number) {
  SkinSensor s;
  s.geom = geom;
  if (!scene_geom.shape)
    throw Error(
        given.where() + ": " + GeomName(m, geom) +
        " is not soft and can touch nothing soft, so the sensor would never feel anything; make it soft "
        "(modulus and a tuple), or put the sensor on the soft geom");
  const Body& body = scene_geom.shape->body(m, geom);
  s.outputs = ReadOutputs(given);
  const ReadoutOptions readout = ReadReadout(given);
  if (scene_geom.bristles && readout.method == Readout::kRays)
    throw Error(
        given.where() + ": " + GeomName(m, geom) +
        " has bristles, which are read as they are; readout=\"rays\" samples a contact surface: leave "
        "it out");
  if (!scene_geom.bristles && s.outputs.saturated)
    throw Error(given.where() + ": output has \"saturated\", but " + GeomName(m, geom) +
                " has no bristles; only they end somewhere");
  GeomLayout made = MakeGeomLayout(m, given, geom, body);
  s.X_GS = made.X_GS;
  s.drawn = std::move(made.drawn);
  s.skin = std::make_unique<Skin>(MakeSkin(given, body, readout, std::move(made.layout)));
  if (scene_geom.bristles)
    for (int k = 0; k < scene_geom.bristles->count(); ++k)
      s.taxel_of_point.push_back(TaxelAt(s.skin->layout(), scene_geom.bristles->tip(k),
                                         scene_geom.bristles->direction(k), readout.limit));
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

// Keys of a sensor that no sensor reads are refused, not ignored.
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
    if (!any && HasBristleKeys(m, instance)) {
      for (const DescriptionKey& key : kDescriptionKeys)
        if (key.Of(kSensorKeys) && !key.Of(kLayoutKey) && !ConfigValue(m, instance, key).empty())
          throw Error(where + " gives " + key.name +
                      ", which belongs to a tactile sensor, but no sensor uses it; add <sensor><plugin "
                      "name=\"touch\" plugin=\"taxel\" instance=\"...\" objtype=\"geom\" "
                      "objname=\"...\"/></sensor>");
      return;
    }
    if (!any)
      throw Error(where +
                  " describes a tactile sensor, but no sensor uses it; add <sensor><plugin name=\"touch\" "
                  "plugin=\"taxel\" instance=\"...\" objtype=\"geom\" objname=\"...\"/></sensor>");
    return;
  }
  for (const DescriptionKey& key : kDescriptionKeys)
    if (key.Of(kSensorKeys) && !ConfigValue(m, instance, key).empty())
      throw Error(
          where + " gives " + key.name +
          ", which belongs to a tactile sensor, but no layout; add shape=\"rows cols\", or layout, points, "
          "file or sites");
}

}  // namespace

bool IsSkinInstance(const mjModel* m, int instance) {
  if (!IsTaxelInstance(m, instance)) return false;
  for (const char* key : kWhereKeys)
    if (const char* value = mj_getPluginConfig(m, instance, key); value && *value) return true;
  return false;
}

Description SkinDescription(const mjModel* m, int instance, const std::string& where) {
  Description::Entries entries;
  for (const DescriptionKey& key : kDescriptionKeys)
    if (std::string value = key.Of(kSensorKeys) ? ConfigValue(m, instance, key) : ""; !value.empty())
      entries.emplace_back(key.name, std::move(value));
  return {where, WithSites(std::move(entries))};
}

int SkinDataSize(const mjModel* m, int instance, const std::string& where) {
  const Description d = SkinDescription(m, instance, where);
  return ReadOutputs(d).Size(CountTaxels(m, d));
}

int SkinStateSize(const mjModel* m, int instance) {
  if (!IsSkinInstance(m, instance)) return 0;
  const Description d = SkinDescription(m, instance, "sensor");
  const int one = StateOf(m, d, CountTaxels(m, d));
  int sensors = 0;
  for (int i = 0; i < m->nsensor; ++i) sensors += m->sensor_plugin[i] == instance;
  return one * sensors;
}

void CheckRoom(const mjModel* m, const std::vector<SkinSensor>& skins, int anchor_room) {
  int first = 0;
  while (first < m->nplugin && !IsTaxelInstance(m, first)) ++first;
  const int friction = SavedState::Size(m, anchor_room);
  if (first < m->nplugin && friction > m->plugin_statenum[first])
    throw Error("the friction of bristles needs " + std::to_string(friction) +
                " numbers of plugin_state and the model has room for " +
                std::to_string(m->plugin_statenum[first]) +
                ": a layout file changed since it was made; compile the model again");
  for (const SkinSensor& s : skins) {
    if (s.sensor < 0) continue;
    const auto fail = [&](const std::string& what, int needs, int has) {
      throw Error("sensor '" + s.name + "' needs " + std::to_string(needs) + " numbers of " + what +
                  " and the model has room for " + std::to_string(has) +
                  ": the time step or the layout file changed since it was made; compile the model again");
    };
    if (s.num_data() != m->sensor_dim[s.sensor]) fail("sensordata", s.num_data(), m->sensor_dim[s.sensor]);
    // The first instance keeps friction, too.
    const int end = (s.instance == first ? friction : 0) + s.state_offset + s.state_size;
    if (end > m->plugin_statenum[s.instance]) fail("plugin_state", end, m->plugin_statenum[s.instance]);
  }
}

void LayColumns(const mjModel* m, const std::vector<GivenSensor>& given, Settings* settings) {
  std::vector<int> most(m->ngeom, 0);
  const auto lay = [&](int geom, const Description& d) {
    BodyOptions& options = settings->geoms[geom].body;
    const bool laid = most[geom] > 0;
    if (!settings->geoms[geom].named || options.field.kind != FieldKind::kColumns || !(options.modulus > 0) ||
        (options.resolution > 0 && !laid))
      return;
    // A primitive knows its face by its field; of a mesh the surface is enough.
    const Body shape = m->geom_type[geom] == mjGEOM_MESH ? MakeRigidShape(m, geom, PlainName(m, geom))
                                                         : MakeGeomBody(m, geom, options);
    const Layout layout = MakeGeomLayout(m, d, geom, shape).layout;
    if (layout.count() <= most[geom]) return;
    most[geom] = layout.count();
    BodyOptions fresh = InGeomFrame(m, geom, options);
    fresh.resolution = 0, fresh.field.column_cell = {};
    ColumnsByTaxels(layout, shape, &fresh);
    options.resolution = fresh.resolution, options.field.column_cell = fresh.field.column_cell;
  };
  for (int i = 0; i < m->nsensor; ++i)
    if (m->sensor_type[i] == mjSENS_PLUGIN && m->sensor_objtype[i] == mjOBJ_GEOM &&
        IsSkinInstance(m, m->sensor_plugin[i]))
      lay(m->sensor_objid[i], SkinDescription(m, m->sensor_plugin[i], "sensor '" + SensorName(m, i) + "'"));
  for (const GivenSensor& s : given)
    if (SaysWhere(s.config)) lay(s.geom, Description("sensor '" + s.name + "'", WithSites(s.config)));
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
    Description::Entries entries = given[k].config;
    // On bristles, where nothing else is said, each is a taxel.
    if (geoms[given[k].geom].bristles && !SaysWhere(entries)) {
      const Description::Entries& points = geoms[given[k].geom].point_entries;
      entries.insert(entries.end(), points.begin(), points.end());
    }
    SkinSensor s = Make(m, Description("sensor '" + given[k].name + "'", WithSites(std::move(entries))),
                        given[k].geom, geoms[given[k].geom], static_cast<int>(m->nsensor + k));
    s.name = given[k].name;
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace taxel::mujoco
