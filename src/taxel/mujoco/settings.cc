#include "taxel/mujoco/settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "taxel/math/error.h"
#include "taxel/mujoco/geom_layout.h"
#include "taxel/mujoco/model_names.h"
#include "taxel/skin/description.h"

namespace taxel::mujoco {

namespace {

struct KeyNames {
  const char* at[kNumDescriptionKeys];
};
constexpr KeyNames NamesOfKeys() {
  KeyNames names{};
  for (int k = 0; k < kNumDescriptionKeys; ++k) names.at[k] = kDescriptionKeys[k].name;
  return names;
}
constexpr KeyNames kNames = NamesOfKeys();

}  // namespace

const char* const* const kConfigKeys = kNames.at;
const int kNumConfigKeys = kNumDescriptionKeys;

std::string ConfigValue(const mjModel* m, int instance, const DescriptionKey& key) {
  const char* value = mj_getPluginConfig(m, instance, key.name);
  return value ? value : "";
}

namespace {

// The configuration of one instance (or of a material given from outside), with messages that name it.
class Config : public Description {
 public:
  Config(const mjModel* m, int instance)
      : Description("plugin instance '" + NameOf(m, instance) + "'", EntriesOf(m, instance)),
        name_(NameOf(m, instance)) {}
  explicit Config(const GivenMaterial& given)
      : Description("material '" + given.name + "'", given.config), given_(true), name_(given.name) {}
  const std::string& name() const { return name_; }
  bool given() const { return given_; }

 private:
  static std::string NameOf(const mjModel* m, int instance) {
    const char* name = mj_id2name(m, mjOBJ_PLUGIN, instance);
    return name ? name : "";
  }
  static Entries EntriesOf(const mjModel* m, int instance) {
    Entries entries;
    const unsigned points = HasBristleKeys(m, instance) ? unsigned{kLayoutKey} : 0;
    for (const DescriptionKey& key : kDescriptionKeys)
      if (key.Of(kMaterialKey | kBristleKey | kPairKey | kModelKey | points))
        if (std::string value = ConfigValue(m, instance, key); !value.empty())
          entries.emplace_back(key.name, std::move(value));
    return entries;
  }
  bool given_ = false;
  std::string name_;
};

// The keys that a geom and a pair have in common; only what is given.
void ReadRubbing(const Config& c, Rubbing* r) {
  if (c.Has("friction")) {
    double statics, dynamic;
    ReadFriction(c, &statics, &dynamic);
    r->static_friction = statics, r->dynamic_friction = dynamic;
  }
  if (c.Has("dissipation")) r->dissipation = c.Number("dissipation");
  if (c.Has("stribeck_speed")) r->stribeck_speed = c.Number("stribeck_speed");
  if (c.Has("shear_stiffness")) r->shear_ratio = c.Number("shear_stiffness");
  if (c.Has("shear_damping")) r->shear_damping = c.Number("shear_damping");
  if (c.Has("breakaway")) r->breakaway = c.Number("breakaway");
}

void ReadBristlePad(const Config& c, GeomSettings* g) {
  for (const DescriptionKey& key : kDescriptionKeys)
    if (key.Of(kMaterialKey) && !key.Of(kBristleKey) && c.Has(key.name))
      throw Error(
          c.where() + " gives " + key.name + " and " + (c.Has("curve") ? "curve" : "stiffness") +
          "; a pad has a pressure field (modulus, ...) or bristles (stiffness or curve, ...): remove one");
  g->bristles = ReadBristles(c);
  for (const DescriptionKey& key : kDescriptionKeys)
    if (const std::string* value = key.Of(kLayoutKey) ? c.Find(key.name) : nullptr)
      g->points.emplace_back(key.name, *value);
}

void ReadMaterial(const Config& c, GeomSettings* g) {
  if (HasBristles(c)) {
    ReadBristlePad(c, g);
    return;
  }
  for (const DescriptionKey& key : kDescriptionKeys)
    if (key.Of(kBristleKey) && !key.Of(kMaterialKey) && c.Has(key.name))
      throw Error(c.where() + " gives " + key.name +
                  ", which belongs to bristles, but neither stiffness nor curve; add <config "
                  "key=\"stiffness\" value=\"60\"/> (N/m each)");
  if (!c.Has("modulus") && c.given())
    throw Error(c.where() + " has no modulus; give it in Pa, for example soft={\"" + c.name() +
                "\": dict(modulus=1e5)}, or stiffness and depth for bristles");
  if (!c.Has("modulus"))
    throw Error(
        c.where() + " lists geoms in the tuple '" + c.name() +
        "' but gives no modulus; add <config key=\"modulus\" value=\"1e5\"/> (Pa; 0 for a rigid geom), or "
        "stiffness and depth for bristles");
  g->body.modulus = c.Number("modulus");
  Rubbing r;
  ReadRubbing(c, &r);
  g->body.dissipation = r.dissipation.value_or(1);
  g->has_friction = r.static_friction.has_value();
  g->body.static_friction = r.static_friction.value_or(0);
  g->body.dynamic_friction = r.dynamic_friction.value_or(0);
  g->stribeck_speed = r.stribeck_speed.value_or(g->stribeck_speed);
  g->shear_ratio = r.shear_ratio.value_or(g->shear_ratio);
  g->shear_damping = r.shear_damping.value_or(g->shear_damping);
  g->breakaway = r.breakaway.value_or(g->breakaway);
  if (c.Has("field")) {
    const std::string kind = c.Text("field");
    if (kind == "distance")
      g->body.field.kind = FieldKind::kDistance;
    else if (kind == "backed")
      g->body.field.kind = FieldKind::kBacked;
    else if (kind == "laplace")
      g->body.field.kind = FieldKind::kLaplace;
    else if (kind == "columns")
      g->body.field.kind = FieldKind::kColumns;
    else
      c.Fail("field");
  }
  if (c.Has("bone")) {
    const std::string bone = c.Text("bone");
    if (bone != "thickness" && bone != "middle") c.Fail("bone");
    g->body.field.bone = bone == "middle" ? Bone::kMiddle : Bone::kThickness;
  }
  if (c.Has("thickness")) g->body.field.thickness = c.Number("thickness");
  if (c.Has("exposed")) {
    const std::vector<double> e = c.Numbers("exposed");
    if (e.size() != 3 || e[0] * e[0] + e[1] * e[1] + e[2] * e[2] == 0) c.Fail("exposed");
    g->body.field.exposed = {e[0], e[1], e[2]};
  }
  if (c.Has("law")) g->body.field.law = c.Numbers("law");  // the body looks at them
  if (c.Has("stiffening_start")) g->body.field.stiffening_start = c.Number("stiffening_start");
  if (c.Has("layer_poisson")) g->body.field.poisson = c.Number("layer_poisson");
  if (c.Has("core_fraction")) g->body.field.core_fraction = c.Number("core_fraction");
  if (c.Has("resolution")) g->body.resolution = c.Number("resolution");
  if (c.Has("anchors")) g->anchors = c.Integer("anchors");
}

int FindTuple(const mjModel* m, const std::string& name) {
  return name.empty() ? -1 : mj_name2id(m, mjOBJ_TUPLE, name.c_str());
}

// Deleting a geom from an MjSpec deletes every tuple that lists it. taxel.soften leaves the names in a text,
// so that the message can say which one is missing; empty where there is no such text.
std::string DeletedGeoms(const mjModel* m, const std::string& instance) {
  const int text = mj_name2id(m, mjOBJ_TEXT, (instance + "::geoms").c_str());
  if (text < 0) return "";
  std::string gone;
  std::istringstream names(m->text_data + m->text_adr[text]);
  for (std::string name; names >> name;) {
    bool there = false;
    for (int g = 0; g < m->ngeom && !there; ++g) {
      const char* known = mj_id2name(m, mjOBJ_GEOM, g);
      const std::string full = known ? known : "";  // attaching may have put a prefix before it
      there = full.size() >= name.size() && full.compare(full.size() - name.size(), name.size(), name) == 0;
    }
    if (!there) gone += (gone.empty() ? "'" : ", '") + name + "'";
  }
  return gone;
}

void Assign(const mjModel* m, Settings* s, int geom, const GeomSettings& material) {
  GeomSettings& g = s->geoms[geom];
  if (g.named)
    throw Error(GeomName(m, geom) + " is listed by " + g.source + " and by " + material.source +
                "; a geom has one material: take it out of one of them");
  g = material;
  g.named = true;
}

void ReadMaterialTuple(const mjModel* m, const Config& c, int tuple, Settings* s) {
  GeomSettings material;
  material.source = c.where();
  ReadMaterial(c, &material);
  for (int k = 0; k < m->tuple_size[tuple]; ++k) {
    const int at = m->tuple_adr[tuple] + k, id = m->tuple_objid[at];
    GeomSettings own = material;
    const double prm = m->tuple_objprm[at];
    if (prm != 0) {
      if (own.bristles)
        throw Error("tuple '" + c.name() + "', element " + std::to_string(k) + ": prm=\"" + ToText(prm) +
                    "\" would be a modulus, but " + c.where() + " describes bristles; leave it out");
      if (!(prm > 0 && prm <= FindDescriptionKey("modulus")->range.hi))
        throw Error("tuple '" + c.name() + "', element " + std::to_string(k) + ": prm=\"" + ToText(prm) +
                    "\" is not a modulus in Pa (leave it out to take that of the instance)");
      own.body.modulus = prm;
    }
    switch (m->tuple_objtype[at]) {
      case mjOBJ_GEOM:
        Assign(m, s, id, own);
        break;
      case mjOBJ_BODY:
      case mjOBJ_XBODY:
        for (int g = 0; g < m->ngeom; ++g)
          if (m->geom_bodyid[g] == id) Assign(m, s, g, own);
        break;
      case mjOBJ_MATERIAL:
        for (int g = 0; g < m->ngeom; ++g)
          if (m->geom_matid[g] == id) Assign(m, s, g, own);
        break;
      default:
        throw Error("tuple '" + c.name() + "', element " + std::to_string(k) + ": objtype \"" +
                    mju_type2Str(m->tuple_objtype[at]) + "\" cannot be soft; use geom, body or material");
    }
  }
}

void ReadPair(const mjModel* m, const Config& c, int tuple, Settings* s) {
  PairSettings p;
  p.source = c.where();
  if (m->tuple_size[tuple] != 2 || m->tuple_objtype[m->tuple_adr[tuple]] != mjOBJ_GEOM ||
      m->tuple_objtype[m->tuple_adr[tuple] + 1] != mjOBJ_GEOM)
    throw Error(c.where() + " has pair=\"true\", so the tuple '" + c.name() +
                "' must hold exactly two elements of objtype geom; it holds " +
                std::to_string(m->tuple_size[tuple]));
  for (int k = 0; k < 2; ++k) p.geom[k] = m->tuple_objid[m->tuple_adr[tuple] + k];
  if (p.geom[0] == p.geom[1])
    throw Error(c.where() + ": the tuple '" + c.name() + "' names the same geom twice");
  for (const DescriptionKey& key : kDescriptionKeys)
    if (key.Of(kMaterialKey | kBristleKey) && !key.Of(kPairKey) && c.Has(key.name))
      throw Error(c.where() + ": " + key.name + " belongs to a geom, not to a pair; a pair takes " +
                  ListKeys(kPairKey, "pair"));
  if (c.Has("native")) p.native = c.Flag("native");
  ReadRubbing(c, &p);
  for (const PairSettings& other : s->pairs)
    if ((other.geom[0] == p.geom[0] && other.geom[1] == p.geom[1]) ||
        (other.geom[0] == p.geom[1] && other.geom[1] == p.geom[0]))
      throw Error("the pair of " + GeomName(m, p.geom[0]) + " and " + GeomName(m, p.geom[1]) + " is set by " +
                  other.source + " and by " + p.source + "; keep one");
  s->pairs.push_back(p);
}

// Settings of the whole model; two instances may both give them if they agree.
void ReadModelKeys(const Config& c, Settings* s, std::string* givers) {
  const auto once = [&](int index, const char* key, auto&& read) {
    if (!c.Has(key)) return;
    const std::string value = c.Text(key);
    std::string& given = givers[index];
    if (!given.empty() && given.substr(given.find('\n') + 1) != value)
      throw Error(c.where() + ": " + key + "=\"" + value + "\" but " + given.substr(0, given.find('\n')) +
                  " says \"" + given.substr(given.find('\n') + 1) +
                  "\"; it holds for the whole model, give it once");
    given = c.where() + "\n" + value;
    read();
  };
  once(0, "coupling", [&] {
    const std::string value = c.Text("coupling");
    if (value == "rows")
      s->coupling = Coupling::kRows;
    else if (value == "explicit")
      s->coupling = Coupling::kExplicit;
    else if (value == "sense")
      s->coupling = Coupling::kSense;
    else
      c.Fail("coupling");
  });
  once(1, "blocks", [&] {
    const int blocks = c.Integer("blocks");
    s->blocks_per_side = static_cast<int>(std::lround(std::sqrt(blocks)));
    if (s->blocks_per_side * s->blocks_per_side != blocks) c.Fail("blocks");
  });
  once(2, "facets", [&] { s->facets_across = c.Integer("facets"); });
  once(3, "show", [&] { s->show_surfaces = c.Flag("show"); });
  once(4, "show_pressure", [&] { s->show_max_pressure = c.Number("show_pressure"); });
  once(5, "scale", [&] { s->scale_to_engine = c.Choice("scale", {"engine", "none"}) == 0; });
}

// The entries of the published plugin: cs::<geom> = modulus, dissipation, resolution, static, dynamic
// friction.
void ReadContactSurfaceEntries(const mjModel* m, Settings* s) {
  const std::string prefix = "cs::";
  for (int i = 0; i < m->nnumeric; ++i) {
    const char* text = mj_id2name(m, mjOBJ_NUMERIC, i);
    const std::string full = text ? text : "";
    const std::size_t at = full.find(prefix);
    if (at == std::string::npos) continue;
    // Attaching puts a prefix before the whole name; the geom's own name got the same one.
    const std::string name = full.substr(0, at) + full.substr(at + prefix.size());
    const std::string plain = full.substr(at + prefix.size());
    const double* data = m->numeric_data + m->numeric_adr[i];
    const std::string where = "numeric '" + full + "'";
    if (plain == "VisualizeSurfaces" || plain == "ApplyContactSurfaceForces") {
      if (m->numeric_size[i] < 1 || (data[0] != 0 && data[0] != 1))
        throw Error(where + ": the value must be 0 or 1");
      if (plain == "VisualizeSurfaces")
        s->show_surfaces = data[0] == 1;
      else if (data[0] == 0)
        s->coupling = Coupling::kSense;
      continue;
    }
    const int geom = mj_name2id(m, mjOBJ_GEOM, name.c_str());
    if (geom < 0)
      throw Error(where + ": there is no geom '" + name +
                  "'; the entry must be called cs:: and the geom's name");
    if (m->numeric_size[i] != 5)
      throw Error(where + " has " + std::to_string(m->numeric_size[i]) +
                  " values; it needs 5: modulus [Pa], dissipation [s/m], resolution [m], static friction, "
                  "dynamic friction");
    for (int k = 0; k < 5; ++k)
      if (!std::isfinite(data[k]) || data[k] < 0)
        throw Error(where + ": value " + std::to_string(k + 1) + " is " + ToText(data[k]) +
                    "; it must be at least 0");
    GeomSettings g;
    g.source = where;
    g.body.modulus = data[0];
    g.body.dissipation = data[1];
    g.body.resolution = data[2];
    g.has_friction = true;
    g.body.static_friction = std::max(data[3], data[4]);
    g.body.dynamic_friction = data[4];
    Assign(m, s, geom, g);
  }
  for (int i = 0; i < m->ntext; ++i) {
    const char* name = mj_id2name(m, mjOBJ_TEXT, i);
    if (!name || !std::strstr(name, "cs::HydroelasticContactRepresentation")) continue;
    const std::string value = m->text_data + m->text_adr[i];
    // Either is accepted: forces and sensors do not depend on how a face is cut.
    if (value != "kTriangle" && value != "kPolygon")
      throw Error("text '" + std::string(name) + "' is \"" + value + "\"; it must be kTriangle or kPolygon");
  }
}

// A material from outside replaces what the model says of its geoms.
void ReadGiven(const mjModel* m, const GivenMaterial& given, Settings* s) {
  for (const auto& entry : given.config) {
    const DescriptionKey* key = FindDescriptionKey(entry.first);
    if (!key || !key->Of(kMaterialKey | kBristleKey | kLayoutKey))
      throw Error("material '" + given.name + "': there is no parameter \"" + entry.first + "\" (value \"" +
                  entry.second + "\"); a geom takes " + ListKeys(kMaterialKey) + "; bristles take " +
                  ListKeys(kBristleKey) + " and the keys of a layout");
  }
  const Config c(given);
  GeomSettings material;
  material.source = c.where();
  ReadMaterial(c, &material);
  if (!material.bristles)
    for (const DescriptionKey& key : kDescriptionKeys)
      if (key.Of(kLayoutKey) && c.Has(key.name))
        throw Error(c.where() + ": " + key.name +
                    " says where bristles are, but there is no stiffness; taxels belong to sensors={...}");
  for (int geom : given.geoms) {
    s->geoms[geom].named = false;
    Assign(m, s, geom, material);
  }
}

}  // namespace

bool IsTaxelInstance(const mjModel* m, int i) {
  const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
  return plugin && !std::strcmp(plugin->name, kPluginName);
}

bool HasBristleKeys(const mjModel* m, int i) {
  const auto gives = [&](const char* key) {
    const char* value = mj_getPluginConfig(m, i, key);
    return value && *value;
  };
  return gives("stiffness") || gives("curve");
}

int AnchorRoom(const mjModel* m) {
  int anchors = 0;
  for (int i = 0; i < m->nplugin; ++i) {
    if (!IsTaxelInstance(m, i)) continue;
    if (HasBristleKeys(m, i)) {
      // As many as there are points; of a mesh's vertices there are no more than the model has.
      int points = static_cast<int>(std::min<mjtSize>(m->nmeshvert, kMaxTaxels));
      try {
        points = CountTaxels(m, Description("bristles", WithSites(Config(m, i).entries())));
      } catch (const Error&) {
      }
      anchors = std::max({anchors, points, 4});
      continue;
    }
    const char* text = mj_getPluginConfig(m, i, "anchors");
    const KeyRange range = FindDescriptionKey("anchors")->range;
    const int least = static_cast<int>(range.lo), most = static_cast<int>(range.hi);
    anchors = std::max(anchors, text && *text ? std::clamp(std::atoi(text), least, most) : kDefaultAnchors);
  }
  return anchors * std::max(1, static_cast<int>(m->ntupledata + m->nnumeric));
}

Settings ReadSettings(const mjModel* m, const std::vector<GivenMaterial>& given) {
  Settings s;
  s.geoms.resize(m->ngeom);
  std::string givers[6];
  for (int i = 0; i < m->nplugin; ++i) {
    if (!IsTaxelInstance(m, i)) continue;
    const Config c(m, i);
    ReadModelKeys(c, &s, givers);
    const int tuple = FindTuple(m, c.name());
    const bool pair = c.Has("pair") && c.Flag("pair");
    if (c.Has("native") && !pair)
      throw Error(c.where() + ": native belongs to a pair; add <config key=\"pair\" value=\"true\"/>");
    if (tuple < 0) {
      if (const std::string gone = DeletedGeoms(m, c.name()); !gone.empty())
        throw Error(c.where() + " was made by taxel.soften for geoms of which " + gone +
                    " was deleted, and MuJoCo deletes the tuple '" + c.name() +
                    "' with it; call taxel.soften(spec, ..., name=\"" + c.name() +
                    "\", ...) again for what is left, or delete geoms before they are made soft");
      for (const DescriptionKey& key : kDescriptionKeys)
        if (key.Of(kMaterialKey | kBristleKey | kPairKey) && c.Has(key.name))
          throw Error(c.where() + " gives " + key.name + " but there is no tuple '" + c.name() +
                      "' that lists its geoms; add <custom><tuple name=\"" + c.name() +
                      "\"><element objtype=\"geom\" objname=\"...\"/></tuple></custom>");
      continue;
    }
    if (pair)
      ReadPair(m, c, tuple, &s);
    else
      ReadMaterialTuple(m, c, tuple, &s);
  }
  ReadContactSurfaceEntries(m, &s);
  for (const GivenMaterial& material : given) ReadGiven(m, material, &s);
  return s;
}

}  // namespace taxel::mujoco
