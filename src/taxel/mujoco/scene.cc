#include "taxel/mujoco/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "taxel/contact/friction_law.h"
#include "taxel/contact/normal_law.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/collision_rules.h"
#include "taxel/mujoco/fingerprint.h"
#include "taxel/mujoco/geom_body.h"
#include "taxel/mujoco/geom_layout.h"
#include "taxel/mujoco/marker_settings.h"
#include "taxel/mujoco/model_names.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

NativeTouch FindNativeTouch(const mjModel* m) {
  NativeTouch out;
  for (int i = 0; i < m->nsensor; ++i) {
    const int type = m->sensor_type[i], plugin = m->sensor_plugin[i];
    if (type == mjSENS_TOUCH || type == mjSENS_CONTACT) out.sensors.push_back(i);
    if (type == mjSENS_USER && m->sensor_needstage[i] == mjSTAGE_ACC) out.user = true;
    if (type == mjSENS_PLUGIN && m->sensor_needstage[i] == mjSTAGE_ACC && !IsTaxelInstance(m, plugin) &&
        !IsMarkerInstance(m, plugin))
      out.plugins.push_back(plugin);
  }
  std::sort(out.plugins.begin(), out.plugins.end());
  out.plugins.erase(std::unique(out.plugins.begin(), out.plugins.end()), out.plugins.end());
  return out;
}

}  // namespace

Scene::Scene(const mjModel* m, const std::vector<GivenMaterial>& given,
             const std::vector<GivenSensor>& sensors)
    : settings_(ReadSettings(m, given)), geoms_(m->ngeom) {
  LayColumns(m, sensors, &settings_);
  for (int g = 0; g < m->ngeom; ++g) {
    geoms_[g].soft =
        settings_.geoms[g].named && (settings_.geoms[g].body.modulus > 0 || settings_.geoms[g].bristles);
    geoms_[g].plane = m->geom_type[g] == mjGEOM_PLANE || m->geom_type[g] == mjGEOM_HFIELD;
    geoms_[g].extent = geoms_[g].plane ? std::numeric_limits<double>::infinity() : m->geom_rbound[g];
    any_soft_ |= geoms_[g].soft;
  }
  // Rigid geoms join when they may touch a soft one.
  std::vector<bool> joins(m->ngeom, false);
  for (int a = 0; a < m->ngeom; ++a)
    for (int b = a + 1; b < m->ngeom; ++b) {
      if (!(geoms_[a].soft || geoms_[b].soft) || (geoms_[a].plane && geoms_[b].plane) || !MayCollide(m, a, b))
        continue;
      candidates_.emplace_back(a, b);
      if (!NativePair(a, b)) joins[a] = joins[b] = true;
    }
  for (int g = 0; g < m->ngeom; ++g) joins[g] = joins[g] || geoms_[g].soft;
  const std::vector<std::shared_ptr<GeomShape>> shapes = MakeGeomShapes(m, settings_, joins);
  for (int g = 0; g < m->ngeom; ++g) {
    geoms_[g].shape = shapes[g];
    if (joins[g]) geoms_[g].signature = ShapeSignature(m, g);
  }
  MakeBristles(m);
  ReserveAnchors(m, 1.0);
  // Anchors can be fewer; bristles are as many as they are, and not all touch at once.
  int bristles = 0;
  for (const SceneGeom& g : geoms_) bristles += g.bristles ? g.bristles->count() : 0;
  anchor_room_ = AnchorRoom(m);
  const int room = anchor_room_ - bristles;
  // Readers, and models that only sense, remember nothing.
  if (room < 0 && given.empty() && settings_.coupling != Coupling::kSense)
    throw Error(
        "the model has " + std::to_string(bristles) + " bristles and room for the friction of " +
        std::to_string(room + bristles) +
        "; name each pad by an element of objtype geom, and where a layout has a spacing instead of a "
        "count give taxels=\"...\", the number of its points");
  if (num_anchors_ - bristles > room && room > 0) ReserveAnchors(m, 0.98 * room / (num_anchors_ - bristles));
  // Those of soft geoms are there before the first step; whatever owns friction instead of a skin may wait.
  if (settings_.coupling != Coupling::kSense)
    for (int g = 0; g < m->ngeom; ++g)
      if (geoms_[g].owns && geoms_[g].soft) geoms_[g].shape->anchors(m, g);
  native_touch_ = FindNativeTouch(m);
  skins_ = MakeSkinSensors(m, geoms_, sensors);
}

int Scene::FindSkin(int sensor) const {
  for (std::size_t k = 0; k < skins_.size(); ++k)
    if (skins_[k].sensor == sensor) return static_cast<int>(k);
  return -1;
}

void Scene::MakeBristles(const mjModel* m) {
  for (int g = 0; g < m->ngeom; ++g) {
    const GeomSettings& s = settings_.geoms[g];
    if (!s.bristles) continue;
    const Description d(s.source, WithSites(s.points));
    geoms_[g].point_entries = s.points;
    geoms_[g].bristles = std::make_unique<BristlePoints>(
        MakeGeomLayout(m, d, g, geoms_[g].shape->body(m, g)).layout, s.bristles->depth);
  }
  for (const auto& [a, b] : candidates_) {
    if (!Bristled(a, b) || NativePair(a, b)) continue;
    for (const auto& [pad, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (!geoms_[pad].bristles) continue;
      if (geoms_[other].soft && !geoms_[other].bristles)
        throw Error(
            GeomName(m, pad) + " has bristles and " + GeomName(m, other) +
            " is soft, and they may touch; bristles meet rigid geoms: make it rigid, keep the two apart "
            "with <exclude> or contype/conaffinity, or leave them to MuJoCo with a pair that is native");
      if (m->geom_type[other] == mjGEOM_HFIELD)
        throw Error(
            GeomName(m, pad) + " has bristles and " + GeomName(m, other) +
            " is a height field, and they may touch; bristles do not see height fields: use a mesh of "
            "the terrain, a pressure field (modulus) instead of bristles, or keep the two apart with "
            "<exclude> or contype/conaffinity");
    }
    const PairSettings* p = FindPair(a, b);
    if (p && (p->dissipation || p->shear_ratio || p->shear_damping || p->breakaway))
      throw Error(p->source + ": the pair of " + GeomName(m, a) + " and " + GeomName(m, b) +
                  " has bristles, of which a pair may change friction and stribeck_speed alone; remove "
                  "dissipation, shear_stiffness, shear_damping and breakaway");
  }
}

void Scene::ReserveAnchors(const mjModel* m, double share) {
  const auto count = [&](int g) { return std::max(4, static_cast<int>(share * settings_.geoms[g].anchors)); };
  // How fine they would be decides who of two soft geoms owns them; equal shapes are measured once.
  std::map<const GeomShape*, double> areas;
  for (int g = 0; g < m->ngeom; ++g) {
    geoms_[g].owns = false;
    geoms_[g].first_anchor = -1;
    if (geoms_[g].bristles) {
      double area = 0;
      for (double a : geoms_[g].bristles->layout().areas) area += a;
      geoms_[g].anchor_spacing = std::sqrt(area / geoms_[g].bristles->count());
    } else if (geoms_[g].soft && !geoms_[g].plane) {
      const GeomShape* shape = geoms_[g].shape.get();
      auto [area, fresh] = areas.try_emplace(shape, 0.0);
      if (fresh) area->second = SurfaceArea(TouchableSurface(shape->body(m, g)));
      geoms_[g].anchor_spacing = std::sqrt(0.7 * area->second / count(g));
    }
  }
  for (const auto& [a, b] : candidates_)
    if (!NativePair(a, b)) geoms_[Owner(a, b)].owns = true;
  num_anchors_ = 0;
  std::set<const GeomShape*> reserved;
  for (int g = 0; g < m->ngeom; ++g) {
    if (geoms_[g].bristles) {
      geoms_[g].first_anchor = num_anchors_;
      num_anchors_ += geoms_[g].bristles->count();
      geoms_[g].owns = false;
      continue;
    }
    if (!geoms_[g].owns) continue;
    if (reserved.insert(geoms_[g].shape.get()).second) geoms_[g].shape->ReserveAnchors(count(g), 1 + g);
    geoms_[g].first_anchor = num_anchors_;
    num_anchors_ += count(g);
  }
}

std::shared_ptr<const Scene> Scene::Of(const mjModel* m) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const Scene>>* cache =
      new std::map<std::string, std::weak_ptr<const Scene>>;
  const std::string key = ModelFingerprint(m);
  const std::lock_guard<std::mutex> lock(mutex);
  auto it = cache->find(key);
  if (it != cache->end())
    if (std::shared_ptr<const Scene> known = it->second.lock()) {
      CheckRoom(m, known->skins(), known->anchor_room());
      return known;
    }
  std::erase_if(*cache, [](const auto& entry) { return entry.second.expired(); });
  auto fresh = std::make_shared<const Scene>(m);
  CheckRoom(m, fresh->skins(), fresh->anchor_room());
  (*cache)[key] = fresh;
  // The compiler's own data is gone before the first one of the user is made; the newest scene outlives it.
  static std::shared_ptr<const Scene>* newest = new std::shared_ptr<const Scene>;
  *newest = fresh;
  return fresh;
}

void Scene::WarnOnce(const std::string& text) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!warned_.insert(text).second) return;
  }
  mju_warning("taxel: %s", text.c_str());
}

bool Scene::Ready(const mjModel* m, int g1, int g2) const {
  for (int g : {g1, g2}) {
    if (geoms_[g].shape->has_body()) continue;
    try {
      geoms_[g].shape->body(m, g);
    } catch (const Error& e) {
      WarnOnce(std::string(e.what()) + "; its contact is MuJoCo's own");
      return false;
    }
  }
  return true;
}

const PairSettings* Scene::FindPair(int g1, int g2) const {
  for (const PairSettings& p : settings_.pairs)
    if ((p.geom[0] == g1 && p.geom[1] == g2) || (p.geom[0] == g2 && p.geom[1] == g1)) return &p;
  return nullptr;
}

bool Scene::NativePair(int g1, int g2) const {
  const PairSettings* p = FindPair(g1, g2);
  return p && p->native;
}

bool Scene::Candidate(int g1, int g2) const {
  return std::binary_search(candidates_.begin(), candidates_.end(),
                            std::pair(std::min(g1, g2), std::max(g1, g2)));
}

PairParameters Scene::Parameters(const mjModel* m, int g1, int g2) const {
  const GeomSettings &a = settings_.geoms[g1], &b = settings_.geoms[g2];
  const auto friction = [&](const GeomSettings& s, int g, bool statics) {
    if (s.bristles && s.bristles->has_friction)
      return statics ? s.bristles->friction.static_friction : s.bristles->friction.dynamic_friction;
    if (!s.has_friction) return static_cast<double>(m->geom_friction[3 * g]);
    return statics ? s.body.static_friction : s.body.dynamic_friction;
  };
  const bool frictionless = PairCondim(m, g1, g2) == 1;
  PairParameters p;
  if (Bristled(g1, g2)) {
    // Coefficients given with bristles are those of the contact, as they were measured; else the geoms'.
    const BristleOptions& pad = *settings_.geoms[Owner(g1, g2)].bristles;
    p.lugre = pad.friction;
    if (!pad.has_friction)
      for (const bool statics : {true, false})
        (statics ? p.lugre.static_friction : p.lugre.dynamic_friction) =
            CombineFriction(friction(a, g1, statics), friction(b, g2, statics));
    if (const int i = ExplicitPair(m, g1, g2); i >= 0)
      p.lugre.static_friction = p.lugre.dynamic_friction = m->pair_friction[5 * i];
    if (frictionless) p.lugre.static_friction = p.lugre.dynamic_friction = p.lugre.viscosity = 0;
    if (const PairSettings* o = FindPair(g1, g2)) {
      p.lugre.static_friction = o->static_friction.value_or(p.lugre.static_friction);
      p.lugre.dynamic_friction = o->dynamic_friction.value_or(p.lugre.dynamic_friction);
      p.lugre.stribeck_speed = o->stribeck_speed.value_or(p.lugre.stribeck_speed);
    }
    return p;
  }
  p.dissipation = CombineDissipation(a.body.modulus, a.body.dissipation, b.body.modulus, b.body.dissipation);
  p.friction.static_friction = CombineFriction(friction(a, g1, true), friction(b, g2, true));
  p.friction.dynamic_friction = CombineFriction(friction(a, g1, false), friction(b, g2, false));
  if (const int i = ExplicitPair(m, g1, g2); i >= 0)
    p.friction.static_friction = p.friction.dynamic_friction = m->pair_friction[5 * i];
  if (frictionless) p.friction.static_friction = p.friction.dynamic_friction = 0;
  // The softer geom deforms, so its shear parameters count; a rigid geom has none.
  const bool first = geoms_[g1].soft && (!geoms_[g2].soft || a.body.modulus <= b.body.modulus);
  const GeomSettings& skin = first ? a : b;
  p.friction.stribeck_speed = skin.stribeck_speed;
  p.friction.shear_ratio = skin.shear_ratio;
  p.friction.shear_damping = skin.shear_damping;
  p.friction.breakaway = skin.breakaway;
  if (const PairSettings* o = FindPair(g1, g2)) {
    p.dissipation = o->dissipation.value_or(p.dissipation);
    p.friction.static_friction = o->static_friction.value_or(p.friction.static_friction);
    p.friction.dynamic_friction = o->dynamic_friction.value_or(p.friction.dynamic_friction);
    p.friction.stribeck_speed = o->stribeck_speed.value_or(p.friction.stribeck_speed);
    p.friction.shear_ratio = o->shear_ratio.value_or(p.friction.shear_ratio);
    p.friction.shear_damping = o->shear_damping.value_or(p.friction.shear_damping);
    p.friction.breakaway = o->breakaway.value_or(p.friction.breakaway);
  }
  return p;
}

int Scene::Owner(int g1, int g2) const {
  const SceneGeom &a = geoms_[g1], &b = geoms_[g2];
  if (a.bristles && b.bristles) return a.anchor_spacing <= b.anchor_spacing ? g1 : g2;
  if (a.bristles || b.bristles) return a.bristles ? g1 : g2;
  if (a.plane) return g2;
  if (b.plane) return g1;
  if (a.soft && b.soft) return a.anchor_spacing <= b.anchor_spacing ? g1 : g2;
  const int skin = a.soft ? g1 : g2, other = a.soft ? g2 : g1;
  return geoms_[skin].anchor_spacing > 0.25 * geoms_[other].extent ? other : skin;
}

}  // namespace taxel::mujoco
