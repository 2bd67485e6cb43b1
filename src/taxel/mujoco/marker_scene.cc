#include "taxel/mujoco/marker_scene.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "taxel/contact/body_distance.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/collision_rules.h"
#include "taxel/mujoco/fingerprint.h"
#include "taxel/mujoco/geom_body.h"
#include "taxel/mujoco/geom_layout.h"
#include "taxel/mujoco/model_names.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

constexpr double kMostPoints = 2e5;  // of an object: 0.16 m2 at 0.75 mm

// Samples of one surface serve all the sensors that ask for it.
using Indenters = std::map<std::tuple<int, double, int, int>, std::shared_ptr<const MarkerIndenter>>;

Vec3 SizeOf(const mjModel* m, int geom) {
  const mjtNum* s = m->geom_size + 3 * geom;
  return {s[0], s[1], s[2]};
}

Body RigidBody(const mjModel* m, int geom) {
  if (m->geom_type[geom] == mjGEOM_HFIELD)
    throw Error(GeomName(m, geom) +
                " is a height field, which marker sensors do not see; use a mesh of the terrain, or leave it "
                "out of objects");
  BodyOptions options;
  options.name = GeomName(m, geom);
  return MakeGeomBody(m, geom, options);
}

// The mocap body that carries a body; -1: none. MuJoCo welds it to the world, but it moves.
int MocapRoot(const mjModel* m, int body) {
  for (; body > 0; body = m->body_parentid[body])
    if (m->body_mocapid[body] >= 0) return body;
  return -1;
}

bool FixedTogether(const mjModel* m, int g1, int g2) {
  const int a = m->geom_bodyid[g1], b = m->geom_bodyid[g2];
  return m->body_weldid[a] == m->body_weldid[b] && MocapRoot(m, a) == MocapRoot(m, b);
}

// Why an object cannot press, and the way out; "" when it can.
struct Trouble {
  std::string why, mend;
};

// Mode layer meets the shape itself, along lines; the others track points all over its surface.
Trouble TroubleWith(const mjModel* m, int geom, const MarkerSettings& s) {
  switch (m->geom_type[geom]) {
    case mjGEOM_PLANE:
      if (s.layer) return {};
      return {" is a plane, whose surface has no end", "put a box in its place, or give mode=\"layer\""};
    case mjGEOM_HFIELD:
      return {" is a height field, which has no inside", "take it out of objects, or use a mesh of it"};
    case mjGEOM_SDF:
      return {" is an SDF geom, whose shape only MuJoCo knows",
              "take it out of objects, or use a mesh of it"};
    default:
      break;
  }
  if (s.layer) return {};
  const double points = 0.7 * SurfaceArea(RigidBody(m, geom).Surface()) / (s.point_radius * s.point_radius);
  if (points <= kMostPoints) return {};
  return {" would need " + ToText(std::round(points)) + " points at a point_radius of " +
              ToText(s.point_radius) + " m, more than " + ToText(kMostPoints),
          "take it out of objects, or raise point_radius"};
}

std::vector<int> ListedObjects(const mjModel* m, const std::string& where, const MarkerSensor& s) {
  std::vector<int> out;
  const auto add = [&](int geom) {
    if (FixedTogether(m, s.geom, geom))
      throw Error(where + ": " + GeomName(m, geom) + " is fixed to " + GeomName(m, s.geom) +
                  " and can never press into it; take it out of objects");
    if (std::find(out.begin(), out.end(), geom) != out.end())
      throw Error(where + ": objects names " + GeomName(m, geom) + " twice; keep one");
    if (const Trouble t = TroubleWith(m, geom, s.settings); !t.why.empty())
      throw Error(where + ": " + GeomName(m, geom) + t.why + "; " + t.mend);
    out.push_back(geom);
  };
  for (const std::string& word : s.settings.objects) {
    if (const int geom = mj_name2id(m, mjOBJ_GEOM, word.c_str()); geom >= 0) {
      add(geom);
      continue;
    }
    const int body = mj_name2id(m, mjOBJ_BODY, word.c_str());
    if (body < 0) throw Error(where + ": objects: there is no geom and no body '" + word + "' in the model");
    const int first = m->body_geomadr[body], end = first + m->body_geomnum[body];
    if (end <= first)
      throw Error(where + ": objects: body '" + word + "' has no geom; name the bodies that have");
    // Next to its collision geoms a body often has others, only to be seen.
    const auto collides = [&](int g) { return m->geom_contype[g] || m->geom_conaffinity[g]; };
    bool any = false;
    for (int g = first; g < end; ++g) any |= collides(g);
    for (int g = first; g < end; ++g)
      if (!any || collides(g)) add(g);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<int> DefaultObjects(const mjModel* m, const std::string& where, const MarkerSensor& s) {
  std::vector<int> out;
  for (int g = 0; g < m->ngeom; ++g) {
    if (g == s.geom || !MayPress(m, s.geom, g)) continue;
    // Floors are near everything: a plane presses where it is asked to.
    const std::string why =
        m->geom_type[g] == mjGEOM_PLANE ? " is a plane" : TroubleWith(m, g, s.settings).why;
    if (!why.empty()) {
      mju_warning("taxel: %s: %s%s, so it is left out; say what may press with objects=\"...\"",
                  where.c_str(), GeomName(m, g).c_str(), why.c_str());
      continue;
    }
    out.push_back(g);
  }
  if (out.empty())
    throw Error(where + ": no geom of the model may press into " + GeomName(m, s.geom) +
                " (contype/conaffinity, exclude, fixed to it, planes and very large geoms left out); name "
                "them with objects=\"...\"");
  return out;
}

MarkerIndenter Sampled(const mjModel* m, const std::string& where, int geom, const MarkerSettings& s) {
  const auto seed = static_cast<std::uint64_t>(s.point_seed);
  const Body body = RigidBody(m, geom);
  if (s.layer) return {DistanceOf(body), {}, {}, {}};
  try {
    return s.own ? SampleCellMiddles(body, s.point_radius, seed) : SampleIndenter(body, s.point_radius, seed);
  } catch (const Error& e) {
    throw Error(where + ": " + GeomName(m, geom) + ": " + e.what() + " (point_radius)");
  }
}

std::shared_ptr<const MarkerIndenter> MakeIndenter(const mjModel* m, const std::string& where, int geom,
                                                   const MarkerSettings& s, Indenters* made) {
  const int kind = s.layer ? 2 : s.own;
  auto& found = (*made)[{geom, s.point_radius, s.point_seed, kind}];
  if (!found) found = std::make_shared<MarkerIndenter>(Sampled(m, where, geom, s));
  return found;
}

double Extent(const mjModel* m, int geom) {
  if (m->geom_type[geom] == mjGEOM_PLANE) return Box3::kInf;  // whose geom_rbound is 0
  return m->geom_rbound[geom] * (1 + 1e-9) + 1e-9;
}

MarkerDistance ExactPad(const mjModel* m, const std::string& where, const MarkerSensor& s, Box3* box) {
  const int type = m->geom_type[s.geom];
  if (type != mjGEOM_BOX && type != mjGEOM_MESH)
    throw Error(where + ": " + GeomName(m, s.geom) +
                " is the gel and must be a box or a mesh, with z of its frame out of it; put the sensor on "
                "such a geom");
  const Body body = RigidBody(m, s.geom);
  TriangleMesh mesh = body.Surface();
  const Pose X_PG = Inverse(s.X_GP);
  for (Vec3& v : mesh.vertices) v = X_PG * v;
  *box = BoundingBox(mesh);
  if (s.settings.backing > 0) {
    if (type == mjGEOM_BOX)
      throw Error(where + ": backing is for a mesh; " + GeomName(m, s.geom) +
                  " is a box, which is made thicker by its size: remove it");
    const double back = box->lo.z;
    for (Vec3& v : mesh.vertices)
      if (v.z < back + 1e-3 * box->size().z) v.z -= s.settings.backing;
  }
  return type == mjGEOM_BOX ? DistanceOf(body) : MarkerDistance(mesh, GeomName(m, s.geom));
}

MarkerDistance AsAsked(const MarkerDistance& exact, const MarkerSettings& s) {
  if (s.distance == MarkerDistance::Kind::kTrilinear) return exact.Trilinear(s.spacing, 2e-3);
  if (s.distance == MarkerDistance::Kind::kNearestVoxel) return exact.NearestVoxel(s.spacing, 0.1);
  return exact;
}

// From above down to the gel: steps of the distance itself never overshoot.
double HeightOfGel(const MarkerDistance& pad, const Box3& box, double x, double y) {
  double z = box.hi.z + 1e-6;
  const double tiny = 1e-12 * (1 + norm(box.size()));
  for (int i = 0; i < 1000 && z > box.lo.z; ++i) {
    const double phi = pad.Value({x, y, z});
    if (phi <= tiny) return z - phi;
    z -= phi;
  }
  return z > box.lo.z ? z : -Box3::kInf;
}

void LayMarkers(const mjModel* m, const std::string& where, const MarkerDistance& pad, const Box3& box,
                MarkerSensor* s) {
  MarkerSettings& t = s->settings;
  if (t.rows == 0) {
    s->markers_P = t.points_P;
    return;
  }
  const int n[2] = {t.cols, t.rows};
  for (int a = 0; a < 2; ++a)
    if (t.pitch[a] == 0) t.pitch[a] = box.size()[a] / n[a];
  for (int row = 0; row < t.rows; ++row)
    for (int col = 0; col < t.cols; ++col) {
      const double x = t.center[0] + (col - 0.5 * (t.cols - 1)) * t.pitch[0],
                   y = t.center[1] + (row - 0.5 * (t.rows - 1)) * t.pitch[1];
      const double z = HeightOfGel(pad, box, x, y);
      if (!std::isfinite(z))
        throw Error(where + ": marker in row " + std::to_string(row) + ", column " + std::to_string(col) +
                    " of the grid would lie beside " + GeomName(m, s->geom) + ", at x " + ToText(x) + ", y " +
                    ToText(y) + " m; give a smaller pitch, or another center");
      s->markers_P.push_back({x, y, z});
    }
}

// The bodies whose weight a gel feels that holds the geom; none where something else holds it.
std::vector<int> FallingBodies(const mjModel* m, int geom) {
  const int root = m->body_rootid[m->geom_bodyid[geom]];
  const bool free = m->body_jntnum[root] > 0 && m->jnt_type[m->body_jntadr[root]] == mjJNT_FREE;
  std::vector<int> bodies;
  for (int b = 1; b < m->nbody && (free || m->body_mocapid[root] >= 0); ++b)
    if (m->body_rootid[b] == root) bodies.push_back(b);
  return bodies;
}

MarkerSensor Make(const mjModel* m, const Description& given, int geom, Indenters* made) {
  MarkerSensor s;
  s.geom = geom;
  s.size = SizeOf(m, geom);
  s.settings = ReadMarkerSettings(given);
  s.object_room = MarkerObjectRoom(m, s.settings);
  s.X_GP = DrawnFrame(m, geom);
  Box3 box;
  const MarkerDistance exact = ExactPad(m, given.where(), s, &box);
  s.pad = std::make_shared<MarkerDistance>(AsAsked(exact, s.settings));
  if (s.settings.own) {
    if (s.settings.distance == MarkerDistance::Kind::kNearestVoxel)
      throw Error(given.where() +
                  ": modes layer and taxel need a distance with a gradient; give distance=\"exact\" or "
                  "\"trilinear\"");
    s.gel = std::make_shared<GelPad>(*s.pad, s.settings.spacing);
  }
  LayMarkers(m, given.where(), exact, box, &s);
  if (s.settings.layer) {
    try {
      s.layer = std::make_shared<LayerField>(
          *s.gel, s.markers_P, std::vector{MarkerDistance(Primitive{Sphere{1e-3}})},
          s.settings.layer_parameters, LayerOptions{s.settings.cell, 1e-4, s.settings.substeps});
    } catch (const Error& e) {
      throw Error(given.where() + ": " + e.what());
    }
  }
  for (const Vec3& p : s.markers_P) box.Include(p);
  box.Include(s.gel ? s.gel->box() : s.pad->inside_box());
  s.center_P = box.center();
  s.extent = 0.5 * norm(box.size());
  for (const int g :
       s.settings.objects.empty() ? DefaultObjects(m, given.where(), s) : ListedObjects(m, given.where(), s))
    s.objects.push_back({g, MakeIndenter(m, given.where(), g, s.settings, made), Extent(m, g), SizeOf(m, g),
                         FallingBodies(m, g)});
  for (std::size_t i = 0; i < s.objects.size(); ++i) {
    int& with = s.objects[i].with;
    for (with = 0; s.objects[static_cast<std::size_t>(with)].bodies != s.objects[i].bodies;) ++with;
  }
  return s;
}

}  // namespace

bool MayPress(const mjModel* m, int pad, int geom) {
  if (MayCollide(m, pad, geom)) return true;
  const int a = m->geom_bodyid[pad], b = m->geom_bodyid[geom];
  if (m->body_weldid[a] != m->body_weldid[b] || FixedTogether(m, pad, geom)) return false;
  if (!((m->geom_contype[pad] & m->geom_conaffinity[geom]) ||
        (m->geom_contype[geom] & m->geom_conaffinity[pad])))
    return false;
  const int signature = (std::min(a, b) << 16) + std::max(a, b);
  return std::find(m->exclude_signature, m->exclude_signature + m->nexclude, signature) ==
         m->exclude_signature + m->nexclude;
}

int MarkerDataSize(const mjModel* m, int instance) {
  return ReadMarkerSettings(MarkerDescription(m, instance, "sensor")).num_data();
}

int MarkerStateSize(const mjModel* m, int instance) {
  const int one = MarkerMemory::Size(m, ReadMarkerSettings(MarkerDescription(m, instance, "sensor")));
  int sensors = 0;
  for (int i = 0; i < m->nsensor; ++i) sensors += m->sensor_plugin[i] == instance;
  return one * sensors;
}

MarkerScene::MarkerScene(const mjModel* m, const std::vector<GivenSensor>& given) {
  Indenters made;
  std::vector<int> used(m->nplugin, 0);
  for (int i = 0; i < m->nsensor; ++i) {
    const int instance = m->sensor_plugin[i];
    if (m->sensor_type[i] != mjSENS_PLUGIN || !IsMarkerInstance(m, instance)) continue;
    const std::string name = SensorName(m, i), where = "sensor '" + name + "'";
    if (m->sensor_objtype[i] != mjOBJ_GEOM)
      throw Error(where + " must name the gel: objtype=\"geom\" objname=\"...\"");
    if (m->sensor_reftype[i] != mjOBJ_UNKNOWN)
      throw Error(where +
                  " follows what presses into its geom; leave reftype and refname out and say what "
                  "may press with objects=\"...\"");
    MarkerSensor s = Make(m, MarkerDescription(m, instance, where), m->sensor_objid[i], &made);
    s.sensor = i;
    s.instance = instance;
    s.name = name;
    s.state_offset = used[instance];
    used[instance] += s.memory().size();
    if (s.num_data() != m->sensor_dim[i] || used[instance] > m->plugin_statenum[instance])
      throw Error(where +
                  " needs more room than the model has: it was compiled with another configuration; "
                  "compile it again");
    sensors_.push_back(std::move(s));
  }
  for (int i = 0; i < m->nplugin; ++i) {
    if (!IsMarkerInstance(m, i) || used[i] > 0) continue;
    const char* name = mj_id2name(m, mjOBJ_PLUGIN, i);
    throw Error("plugin instance '" + std::string(name ? name : "") +
                "' describes markers, but no sensor uses it; add <sensor><plugin name=\"gel\" "
                "plugin=\"taxel.markers\" instance=\"...\" objtype=\"geom\" objname=\"...\"/></sensor>");
  }
  for (const GivenSensor& g : given) {
    MarkerSensor s = Make(m, Description("sensor '" + g.name + "'", g.config), g.geom, &made);
    s.name = g.name;
    sensors_.push_back(std::move(s));
  }
}

std::shared_ptr<const MarkerScene> MarkerScene::Of(const mjModel* m) {
  static std::mutex mutex;
  static auto* cache = new std::map<std::string, std::weak_ptr<const MarkerScene>>;
  // The compiler's own data is gone before the first one of the user is made; the newest scene outlives it.
  static auto* newest = new std::shared_ptr<const MarkerScene>;
  const std::string key = ModelFingerprint(m);
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto it = cache->find(key); it != cache->end())
    if (std::shared_ptr<const MarkerScene> known = it->second.lock()) return known;
  std::erase_if(*cache, [](const auto& entry) { return entry.second.expired(); });
  auto fresh = std::make_shared<const MarkerScene>(m);
  (*cache)[key] = fresh;
  *newest = fresh;
  return fresh;
}

}  // namespace taxel::mujoco
