#include "taxel/mujoco/marker_settings.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "taxel/math/error.h"

namespace taxel::mujoco {

const char* const kMarkerKeys[] = {"mode",
                                   "shape",
                                   "pitch",
                                   "center",
                                   "points",
                                   "objects",
                                   "lambda_d",
                                   "lambda_s",
                                   "friction",
                                   "stiffness_area",
                                   "normal_stiffness",
                                   "shear_stiffness",
                                   "squeeze",
                                   "creep",
                                   "creep_time",
                                   "substeps",
                                   "young",
                                   "poisson",
                                   "thickness",
                                   "marker_depth",
                                   "cell",
                                   "output",
                                   "backing",
                                   "pixel",
                                   "dilate_scale",
                                   "shear_scale",
                                   "point_radius",
                                   "point_seed",
                                   "distance",
                                   "spacing",
                                   "gravity",
                                   "gravity_shift",
                                   "rate",
                                   "capacity",
                                   "show_markers",
                                   "show_scale"};
const int kNumMarkerKeys = sizeof(kMarkerKeys) / sizeof(kMarkerKeys[0]);

namespace {

constexpr double kHuge = 1e12;
constexpr int kMostMarkers = 10000;

struct NamedMode {
  const char* name;
  bool own, layer;
  MarkerMode mode;
};
constexpr NamedMode kModes[] = {{"layer", true, true, MarkerMode::kPaper},
                                {"taxel", true, false, MarkerMode::kPaper},
                                {"paper", false, false, MarkerMode::kPaper},
                                {"release", false, false, MarkerMode::kRelease}};
// Of taxel's own model alone.
const char* const kOwnKeys[] = {"normal_stiffness", "shear_stiffness", "squeeze", "creep",
                                "creep_time",       "substeps"};

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    if (c != ' ' && c != ',' && c != '\n' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(word);
      word.clear();
    }
  }
  return out;
}

void ReadLayout(const Description& d, MarkerSettings* s) {
  if (d.Has("shape") == d.Has("points"))
    throw Error(d.where() + (d.Has("shape") ? " gives shape and points; keep one: markers in a grid, or at "
                                              "places of their own"
                                            : " says not where its markers are; add shape=\"rows columns\" "
                                              "and pitch (m), or points=\"x y z x y z ...\" (m)"));
  if (d.Has("points")) {
    const std::vector<double> xyz = d.Numbers("points");
    if (xyz.empty() || xyz.size() % 3 || xyz.size() > 3 * kMostMarkers)
      d.Fail("points", "x y z of each marker, at most " + std::to_string(kMostMarkers) + " markers");
    for (std::size_t i = 0; i < xyz.size(); i += 3) s->points_P.push_back({xyz[i], xyz[i + 1], xyz[i + 2]});
    for (const char* key : {"pitch", "center"})
      if (d.Has(key)) throw Error(d.where() + ": " + key + " belongs to a grid (shape); remove it");
    return;
  }
  const std::string allowed =
      "rows columns, whole numbers from 1, at most " + std::to_string(kMostMarkers) + " markers";
  const std::vector<int> shape = d.Integers("shape", 1, kMostMarkers, allowed);
  if (shape.size() != 2 || shape[0] > kMostMarkers / shape[1]) d.Fail("shape", allowed);
  s->rows = shape[0], s->cols = shape[1];
  if (d.Has("pitch")) {
    const std::vector<double> pitch = d.Numbers("pitch");
    const bool good = (pitch.size() == 1 || pitch.size() == 2) &&
                      std::all_of(pitch.begin(), pitch.end(), [](double p) { return p > 0 && p < 10; });
    if (!good) d.Fail("pitch", "one or two distances in m above 0, along x and y");
    s->pitch[0] = pitch.front(), s->pitch[1] = pitch.back();
  }
  if (d.Has("center")) {
    const std::vector<double> c = d.Numbers("center", 2, -10, 10, "x y in m");
    s->center[0] = c[0], s->center[1] = c[1];
  }
}

void ReadDistance(const Description& d, MarkerSettings* s) {
  if (d.Has("distance"))
    s->distance = static_cast<MarkerDistance::Kind>(d.Choice("distance", {"exact", "trilinear", "nearest"}));
  if (s->distance == MarkerDistance::Kind::kNearestVoxel) s->spacing = 1e-3;
  if (!d.Has("spacing")) return;
  if (s->distance == MarkerDistance::Kind::kExact)
    throw Error(d.where() +
                ": spacing belongs to distance=\"trilinear\" or \"nearest\"; the exact distance "
                "has none: remove it");
  s->spacing = d.Number("spacing", 1e-5, 0.1, "a spacing in m, 1e-5 to 0.1");
}

// Keys that all modes have, with the defaults that are in them.
template <typename P>
void ReadCommon(const Description& d, P* p) {
  const auto number = [&](const char* key, double lo, const char* allowed, double* value) {
    if (d.Has(key)) *value = d.Number(key, lo, kHuge, allowed);
  };
  number("lambda_d", 1e-12, "a decay in 1/m^2 above 0", &p->lambda_d);
  number("lambda_s", 1e-12, "a decay in 1/m^2 above 0", &p->lambda_s);
  number("friction", 0, "a coefficient of 0 or more", &p->friction);
  number("dilate_scale", 0, "a scale of 0 or more", &p->dilate_scale);
  number("shear_scale", 0, "a scale of 0 or more", &p->shear_scale);
}

void ReadHydroShear(const Description& d, MarkerSettings* s) {
  MarkerParameters& p = s->parameters;
  for (const char* key : kOwnKeys)
    if (d.Has(key))
      throw Error(d.where() + ": " + key + " belongs to mode=\"taxel\"; give that mode, or remove it");
  p.dilate_scale = p.shear_scale = 1 / s->pixel;
  ReadCommon(d, &p);
  if (!d.Has("stiffness_area")) return;
  if (p.mode != MarkerMode::kPaper)
    throw Error(d.where() + ": stiffness_area (K A of Eq. 15) belongs to mode=\"paper\"; remove it");
  p.stiffness_area = d.Number("stiffness_area", 0, kHuge, "a number of 0 or more");
}

void ReadOwn(const Description& d, MarkerSettings* s) {
  TaxelParameters& p = s->taxel;
  if (d.Has("stiffness_area"))
    throw Error(d.where() + ": stiffness_area (K A of Eq. 15) belongs to mode=\"paper\"; remove it");
  const double larger = 0.065e-3 / s->pixel;  // the defaults are those of pixels of 0.065 mm
  p.dilate_scale *= larger, p.shear_scale *= larger;
  ReadCommon(d, &p);
  const auto number = [&](const char* key, double lo, double hi, const char* allowed, double* value) {
    if (d.Has(key)) *value = d.Number(key, lo, hi, allowed);
  };
  number("normal_stiffness", 1e-12, 1e15, "a pressure per depth in Pa/m above 0", &p.normal_stiffness);
  number("shear_stiffness", 1e-12, 1e15, "a stress per stretch in Pa/m above 0", &p.shear_stiffness);
  number("squeeze", 0, kHuge, "a number of 0 or more", &p.squeeze);
  number("creep", 0, 1, "a part of the motion, 0 to 1", &p.creep);
  number("creep_time", 1e-9, 1e9, "a time in s above 0", &p.creep_time);
  if (d.Has("substeps")) s->substeps = d.Integer("substeps", 1, 64, "a whole number from 1 to 64");
}

void ReadLayer(const Description& d, MarkerSettings* s) {
  LayerParameters& p = s->layer_parameters;
  for (const char* key : {"lambda_d", "lambda_s", "dilate_scale", "shear_scale", "stiffness_area",
                          "normal_stiffness", "shear_stiffness", "squeeze", "creep", "creep_time"})
    if (d.Has(key))
      throw Error(d.where() + ": " + key +
                  " belongs to another mode than \"layer\", which is given by friction, " +
                  "young, poisson and thickness; remove it, or give mode=\"taxel\"");
  for (const char* key : {"point_radius", "point_seed"})
    if (d.Has(key))
      throw Error(d.where() + ": " + key +
                  " is of tracked points, and mode \"layer\" has none; remove it, or give the side of its " +
                  "cells with cell (m)");
  p.pixel = s->pixel;
  s->capacity = 2048;
  if (d.Has("friction")) p.friction = d.Number("friction", 0, kHuge, "a coefficient of 0 or more");
  if (d.Has("young")) p.young = d.Number("young", 1e-6, 1e15, "a modulus in Pa above 0");
  if (d.Has("poisson"))
    p.poisson = d.Number("poisson", 0, 0.49999, "0 to 0.49999 (take that for an incompressible gel)");
  if (d.Has("thickness")) p.thickness = d.Number("thickness", 1e-6, 1, "a thickness in m, 1e-6 to 1");
  if (d.Has("marker_depth"))
    p.marker_depth = d.Number("marker_depth", 0, 1,
                              "how far the markers lie below the face, in m, less than the gel's thickness");
  if (d.Has("cell")) s->cell = d.Number("cell", 1e-6, 1, "the side of a cell in m, 1e-6 to 1");
  if (d.Has("substeps")) s->substeps = d.Integer("substeps", 1, 64, "a whole number from 1 to 64");
}

}  // namespace

bool FindMarkerMode(const std::string& name, MarkerSettings* settings) {
  for (const NamedMode& m : kModes)
    if (name == m.name) {
      settings->own = m.own;
      settings->layer = m.layer;
      settings->parameters.mode = m.mode;
      return true;
    }
  return false;
}

std::string MarkerModeNames() {
  std::string all;
  for (const NamedMode& m : kModes)
    all += (all.empty() ? "" : &m == std::end(kModes) - 1 ? " or " : ", ") + std::string(m.name);
  return all;
}

MarkerSettings ReadMarkerSettings(const Description& d) {
  MarkerSettings s;
  if (d.Has("mode") && !FindMarkerMode(d.Text("mode"), &s)) d.Fail("mode", MarkerModeNames());
  ReadLayout(d, &s);
  if (d.Has("objects")) {
    s.objects = Words(d.Text("objects"));
    if (s.objects.empty()) d.Fail("objects", "names of geoms or bodies");
  }
  if (d.Has("pixel")) s.pixel = d.Number("pixel", 1e-9, 1, "the edge of a pixel on the gel in m");
  if (s.layer)
    ReadLayer(d, &s);
  else if (s.own)
    ReadOwn(d, &s);
  else
    ReadHydroShear(d, &s);
  if (d.Has("output")) {
    const std::vector<std::string> words = Words(d.Text("output"));
    s.wrench = words.size() == 2 && words[1] == "wrench";
    if (words.empty() || words[0] != "displacement" || (words.size() > 1 && !s.wrench))
      d.Fail("output", "displacement, or displacement wrench");
    if (s.wrench && !s.own)
      throw Error(
          d.where() +
          ": output has \"wrench\", but HydroShear knows no forces; give mode=\"layer\" or \"taxel\"");
  }
  if (d.Has("backing")) s.backing = d.Number("backing", 0, 1, "a thickness in m, 0 to 1");
  if (d.Has("point_radius")) s.point_radius = d.Number("point_radius", 1e-5, 1, "a distance in m, 1e-5 to 1");
  if (d.Has("point_seed")) s.point_seed = d.Integer("point_seed", 0, 1 << 30, "a whole number from 0");
  ReadDistance(d, &s);
  if (d.Has("gravity"))
    s.gravity =
        d.Number("gravity", 0, 1,
                 "the part of an object's weight that this pad carries, 0 to 1 (of two fingers: 0.5)");
  if (d.Has("gravity_shift"))
    s.gravity_shift = d.Number("gravity_shift", 0, 0.1, "a motion along gravity in m, 0 to 0.1");
  if (s.gravity > 0 && s.gravity_shift > 0)
    throw Error(
        d.where() +
        ": gravity and gravity_shift are two ways to say how far objects sag; keep one: gravity, by " +
        "their weight, or gravity_shift, a fixed way in m");
  if (d.Has("rate")) s.rate = d.Number("rate", 1e-3, 1e6, "frames a second, 0.001 to 1e6");
  if (d.Has("capacity")) s.capacity = d.Integer("capacity", 16, 1000000, "a number of points, 16 to 1e6");
  if (d.Has("show_markers")) s.show = d.Flag("show_markers");
  if (d.Has("show_scale")) s.show_scale = d.Number("show_scale", 0, 1e6, "a factor of 0 or more");
  d.CheckAllRead();
  return s;
}

bool IsMarkerInstance(const mjModel* m, int i) {
  const mjpPlugin* plugin = i >= 0 ? mjp_getPluginAtSlot(m->plugin[i]) : nullptr;
  return plugin && !std::strcmp(plugin->name, kMarkerPluginName);
}

Description MarkerDescription(const mjModel* m, int instance, const std::string& where) {
  Description::Entries entries;
  for (int k = 0; k < kNumMarkerKeys; ++k)
    if (const char* value = mj_getPluginConfig(m, instance, kMarkerKeys[k]); value && *value)
      entries.emplace_back(kMarkerKeys[k], value);
  return {where, std::move(entries)};
}

int MarkerObjectRoom(const mjModel* m, const MarkerSettings& s) {
  const auto is_geom = [&](const std::string& word) {
    for (int g = 0; g < m->ngeom; ++g)
      if (const char* name = mj_id2name(m, mjOBJ_GEOM, g); name && word == name) return true;
    return false;
  };
  if (!s.objects.empty() && std::all_of(s.objects.begin(), s.objects.end(), is_geom))
    return static_cast<int>(s.objects.size());
  return std::max(1, static_cast<int>(m->ngeom) - 1);
}

}  // namespace taxel::mujoco
