// The keys of a description: what MJCF, Python and the command may say of a material, of a pad with bristles,
// of a model and of a tactile sensor.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

namespace taxel {

/// What a key speaks of; one key may speak of several.
enum KeyGroup : unsigned {
  kMaterialKey = 1,  ///< a pressure field and its friction
  kBristleKey = 2,   ///< a pad with bristles
  kPairKey = 4,      ///< two geoms together
  kModelKey = 8,     ///< the whole model
  kLayoutKey = 16,   ///< where the taxels are, or the bristles
  kReadoutKey = 32,  ///< what a taxel makes of the pressure
  kOutputKey = 64,   ///< what a sensor of a model writes
  kChainKey = 128,   ///< the signal chain
};
inline constexpr unsigned kSensorKeys = kLayoutKey | kReadoutKey | kOutputKey | kChainKey;

/// Of one number, both ends included. Empty where a value is something else.
struct KeyRange {
  double lo, hi;
  constexpr bool empty() const { return lo > hi; }
};
inline constexpr KeyRange kNoRange{1, 0};

struct DescriptionKey {
  const char* name;
  unsigned groups;
  KeyRange range;
  const char* unit;     ///< "": none
  const char* allowed;  ///< how an error goes on after 'key="value" is not '
  const char* help;     ///< as in the tables of the reference

  constexpr bool Of(unsigned any_of) const { return (groups & any_of) != 0; }
};

// The one list: the plugin's attributes, messages, Python's checks and the tables of the reference come from
// it or are compared with it (tests/python/test_description_keys.py).
inline constexpr DescriptionKey kDescriptionKeys[] = {
    {"modulus",
     kMaterialKey,
     {0, 1e12},
     "Pa",
     "a modulus in Pa, at least 0 (0: rigid)",
     "pressure at the deepest point of the field. Foam 3e4, silicone 1e5 to 1e6, hard rubber 1e7. 0: rigid"},
    {"dissipation",
     kMaterialKey | kPairKey,
     {0, 1e6},
     "s/m",
     "a Hunt-Crossley dissipation in s/m, at least 0",
     "Hunt-Crossley damping: the pressure is multiplied by 1 + d x approach speed"},
    {"friction", kMaterialKey | kBristleKey | kPairKey, kNoRange, "",
     "one coefficient, or static and dynamic friction with static >= dynamic >= 0",
     "one coefficient, or static and dynamic: `\"0.8 0.6\"`"},
    {"field", kMaterialKey, kNoRange, "", "distance, backed, laplace or columns",
     "`distance` (a free body), `backed` (a layer glued to something stiff, for sensor pads), `laplace`, "
     "`columns` (the same layer as a lattice of columns: fast on curved skins)"},
    {"thickness",
     kMaterialKey | kBristleKey,
     {1e-6, 10},
     "m",
     "a thickness in m, 1e-6 to 10",
     "of a backed layer or of columns (box: its size along `exposed`). A soft plane and a backed round geom "
     "need it"},
    {"bone", kMaterialKey, kNoRange, "", "thickness or middle",
     "where the columns of a mesh, sphere, capsule or ellipsoid end: `thickness` below the skin, or in the "
     "body's `middle`, as a distance field does (the pressure then rises by the modulus over the thickness)"},
    {"exposed", kMaterialKey, kNoRange, "", "a direction of three numbers in the geom's frame",
     "outward direction of the free face of a box or mesh with a layer, in the geom's frame; of a mesh, in "
     "that of its file"},
    {"stiffening_start",
     kMaterialKey,
     {0.01, 0.99},
     "",
     "a compression between 0.01 and 0.99",
     "compression at which a backed layer starts to stiffen"},
    {"law", kMaterialKey, kNoRange, "",
     "pairs of compression and pressure (in moduli) that both rise from 0, the compression to 1 at most, at "
     "most 10 pairs",
     "measured pressure of a layer over its compression, instead of the stiffening: `\"0.2 0.2 0.5 0.8 0.7 "
     "2\"`, "
     "pairs of compression and pressure in moduli; where it ends the layer is flat"},
    {"layer_poisson",
     kMaterialKey,
     {0, 0.4999},
     "",
     "Poisson's ratio of the layer, 0 (foam) to 0.4999 (nearly incompressible)",
     "of a layer (`backed`, `columns`): given, its stiffness follows the size of each contact, as that of an "
     "elastic layer does; the modulus is then that where it is softest"},
    {"core_fraction",
     kMaterialKey,
     {0.01, 0.99},
     "",
     "a fraction between 0.01 and 0.99",
     "size of the core of the Laplace field"},
    {"resolution",
     kMaterialKey,
     {1e-6, 10},
     "m",
     "a facet size in m, 1e-6 to 10",
     "facet size of curved surfaces, and of tetrahedra where the geom is meshed; spacing of columns"},
    {"anchors",
     kMaterialKey,
     {4, 65536},
     "",
     "a number of anchors, 4 to 65536",
     "points of the geom's surface that remember friction, at most (4 to 65536). More for a large pad with "
     "small objects"},
    {"stribeck_speed",
     kMaterialKey | kBristleKey | kPairKey,
     {1e-9, 1000},
     "m/s",
     "a speed in m/s above 0",
     "speed over which friction falls from static to dynamic"},
    {"shear_stiffness",
     kMaterialKey | kPairKey,
     {0.001, 100},
     "",
     "a ratio to the normal stiffness, 0.001 to 100",
     "tangential over normal stiffness of the skin"},
    {"shear_damping",
     kMaterialKey | kPairKey,
     {0, 10},
     "s",
     "a time in s, 0 to 10",
     "tangential damping = this time x tangential stiffness"},
    {"breakaway",
     kMaterialKey | kPairKey,
     {0, 1},
     "",
     "between 0 (LuGre) and 1 (elastic until it slides)",
     "1: elastic until it slides, never creeps. 0: LuGre's law. Between: starts to yield at that part of the "
     "bound"},
    {"stiffness",
     kBristleKey,
     {1e-6, 1e9},
     "N/m",
     "a stiffness of one bristle in N/m above 0",
     "k, N/m. Its presence (or that of `curve`) makes the geoms pads with bristles"},
    {"curve", kBristleKey, kNoRange, "m, N",
     "pairs of penetration (m) and force (N), both rising from above 0: \"0.001 0.05 0.003 0.3\"",
     "instead of k: penetration (m) and force (N), in pairs, both rising: `\"0.001 0.02 0.003 0.12\"`; "
     "straight between, from 0 0, and on with the last slope"},
    {"damping",
     kBristleKey,
     {0, 1e9},
     "N s/m",
     "a damping of one bristle in N s/m, at least 0",
     "c_n, N s/m"},
    {"depth",
     kBristleKey,
     {1e-6, 1},
     "m",
     "a length in m, 1e-6 to 1",
     "length of a probe, the greatest penetration, m"},
    {"dead_band", kBristleKey, {0, 1}, "m", "a penetration in m, at least 0", "penetration without force, m"},
    {"sigma0",
     kBristleKey,
     {1e-6, 1e9},
     "N/m",
     "a stiffness of one bristle in N/m above 0",
     "stiffness of the bristle against shear, N/m"},
    {"sigma1",
     kBristleKey,
     {0, 1e9},
     "N s/m",
     "a damping of one bristle in N s/m, at least 0",
     "its damping, N s/m"},
    {"viscosity",
     kBristleKey,
     {0, 1e9},
     "N s/m",
     "a damping of one bristle in N s/m, at least 0",
     "c_t, N s/m"},
    {"form", kBristleKey, kNoRange, "", "passive or paper",
     "`passive`, or `paper`: the equations as printed"},
    {"measure", kBristleKey, kNoRange, "", "normal or axis",
     "what the spring is pressed along: `normal` of what it meets (Eq. 4), or the bristle's own `axis`, as a "
     "column of a layer"},
    {"pair", kPairKey, kNoRange, "", "true or false",
     "this instance speaks of two geoms together; only what it gives is overridden"},
    {"native", kPairKey, kNoRange, "", "true or false", "leave this pair to MuJoCo's own contact"},
    {"coupling", kModelKey, kNoRange, "", "rows, explicit or sense",
     "how contact enters the physics: `rows`, `explicit` or `sense` (below)"},
    {"blocks",
     kModelKey,
     {1, 256},
     "",
     "the square of a whole number from 1 to 256 (1, 4, 9, 16, ... 256)",
     "points that stand for a flat patch in the solver: 1, 4, 9, 16, ... 256. Sensors and surfaces do not "
     "depend on it"},
    {"facets",
     kModelKey,
     {2, 200},
     "",
     "a number of facets, 2 to 200",
     "facets across a curved contact; more is finer and slower"},
    {"scale", kModelKey, kNoRange, "", "engine or none",
     "sensing: readings sum to the force of MuJoCo's own contacts (`engine`), or are the field's alone "
     "(`none`)"},
    {"show", kModelKey, kNoRange, "", "true or false", "draw the surfaces"},
    {"show_pressure",
     kModelKey,
     {0, 1e12},
     "Pa",
     "a pressure in Pa, at least 0",
     "pressure at the red end of the colours"},
    {"layout", kLayoutKey, kNoRange, "", "grid, points, vertices, poisson, sites or file",
     "how the taxels lie: grid, points, vertices, poisson, sites or file"},
    {"shape", kLayoutKey, kNoRange, "", "two whole numbers, rows and columns", "rows and columns of a grid"},
    {"face", kLayoutKey, kNoRange, "", "+x, -x, +y, -y, +z or -z", "the face of a box that carries the grid"},
    {"pitch", kLayoutKey, kNoRange, "m", "one or two distances in m above 0, at most 10",
     "distance of the columns and of the rows"},
    {"center", kLayoutKey, kNoRange, "m", "two numbers within 10 m, along columns and rows",
     "middle of the grid on its face"},
    {"around", kLayoutKey, kNoRange, "degrees", "two angles in degrees, from and to, within -720 to 720",
     "part of the way round a curved body"},
    {"along", kLayoutKey, kNoRange, "m or degrees",
     "two lengths in m, or two latitudes in degrees, from and to", "part of the length of a curved body"},
    {"points", kLayoutKey, kNoRange, "m", "three numbers for each point", "places of the taxels"},
    {"normals", kLayoutKey, kNoRange, "", "three numbers for each point", "their outward normals"},
    {"count",
     kLayoutKey,
     {1, 65536},
     "",
     "a number of taxels from 1 to 65536",
     "points of a Poisson-disk layout"},
    {"spacing",
     kLayoutKey,
     {1e-5, 10},
     "m",
     "a distance from 1e-5 to 10 m",
     "least distance of the points of a Poisson-disk layout"},
    {"direction", kLayoutKey, kNoRange, "", "a direction of three numbers",
     "points on the side that looks this way"},
    {"within",
     kLayoutKey,
     {0, 180},
     "degrees",
     "an angle in degrees, 0 to 180",
     "how far normals may turn from it"},
    {"file", kLayoutKey, kNoRange, "", "the path of a CSV or JSON file",
     "a file with the places of the taxels"},
    {"sites", kLayoutKey, kNoRange, "", "the beginning of the names of sites",
     "sites of the model that begin with this name"},
    {"taxels",
     kLayoutKey,
     {1, 65536},
     "",
     "a number of taxels from 1 to 65536",
     "how many there will be, where the layout cannot say before it is made"},
    {"radius",
     kLayoutKey | kReadoutKey,
     {1e-6, 1},
     "m",
     "a receptive radius from 1e-6 to 1 m",
     "receptive radius of a taxel"},
    {"seed", kLayoutKey | kReadoutKey | kChainKey, kNoRange, "", "a whole number from 0",
     "of all random numbers of the sensor"},
    {"readout", kReadoutKey, kNoRange, "", "exact or rays",
     "cells cut from the surface exactly, or sampled by rays"},
    {"aggregate", kReadoutKey, kNoRange, "", "mean, sum, max or force",
     "what a taxel makes of the pressure in its cell"},
    {"source", kReadoutKey, kNoRange, "", "contact or elastic",
     "the force that acts in the physics, or the pressure of the field alone"},
    {"samples",
     kReadoutKey,
     {1, 256},
     "",
     "a number of samples along a side, 1 to 256",
     "rays along each side of a cell"},
    {"sample_density",
     kReadoutKey,
     {1, 1e12},
     "1/m2",
     "a number of samples per m2, 1 to 1e12",
     "rays of a Poisson-disk read-out"},
    {"sample_spacing",
     kReadoutKey,
     {1e-6, 1},
     "m",
     "a distance in m, 1e-6 to 1",
     "least distance of the rays of a Poisson-disk read-out"},
    {"angle",
     kReadoutKey,
     {0.1, 180},
     "degrees",
     "an angle in degrees, 0.1 to 180",
     "samples whose normal is farther from the taxel's are left out"},
    {"window", kReadoutKey, kNoRange, "", "none, gauss, tukey, square or quadratic",
     "weights of the samples by distance"},
    {"window_width",
     kReadoutKey,
     {0.001, 10},
     "",
     "a width relative to the receptive radius, 0.001 to 10",
     "width of gauss and tukey"},
    {"reach", kReadoutKey, {1e-6, 10}, "m", "a depth in m, 1e-6 to 10", "how deep a ray looks"},
    {"limit",
     kReadoutKey,
     {1e-6, 1},
     "m",
     "a distance in m, 1e-6 to 1",
     "how far from its taxel a cell ends"},
    {"output", kOutputKey, kNoRange, "", "a list of pressure, shear, slip, saturated and truth, each once",
     "which numbers the sensor writes"},
    {"on_demand", kOutputKey, kNoRange, "", "true or false", "read when asked, not at every step"},
    {"show_taxels", kOutputKey, kNoRange, "", "true or false", "draw the taxels"},
    {"unit", kChainKey, kNoRange, "", "Pa, N or counts", "unit of the readings"},
    {"spread",
     kChainKey,
     {0, 1},
     "m",
     "a standard deviation from 0 to 1 m",
     "standard deviation of the point spread of the cover"},
    {"hysteresis", kChainKey, kNoRange, ", Pa", "a relative width of the loop and its scale in Pa",
     "relative width of the loop, its scale"},
    {"creep", kChainKey, kNoRange, ", s", "one to three pairs of amount and time constant in s",
     "amount, time constant; up to three pairs"},
    {"gain",
     kChainKey,
     {0, 1},
     "",
     "a relative standard deviation from 0 to 1",
     "relative spread of the sensitivity"},
    {"gains", kChainKey, kNoRange, "", "a list of factors from 0 to 1000", "sensitivity of each taxel"},
    {"offset", kChainKey, kNoRange, "unit", "\"mean std\": two numbers in the unit, std 0 or more",
     "offset of the taxels, mean and spread"},
    {"offsets", kChainKey, kNoRange, "unit", "a list of numbers in the unit", "offset of each taxel"},
    {"drift", kChainKey, kNoRange, "1/h", "a relative change per hour and its spread",
     "sensitivity per hour, and its spread"},
    {"drift_offset",
     kChainKey,
     {0, 1e12},
     "unit/sqrt(h)",
     "0 or more (unit per square root of an hour)",
     "random walk of the offset"},
    {"crosstalk", kChainKey, {0, 0.5}, "", "a part from 0 to 0.5", "part of each neighbour"},
    {"crosstalk_rows", kChainKey, {0, 1}, "", "a part from 0 to 1", "part of the mean of row and column"},
    {"noise", kChainKey, kNoRange, "unit", "\"mean std\": two numbers in the unit, std 0 or more",
     "noise of the amplifier, mean and spread"},
    {"saturation", kChainKey, kNoRange, "unit", "\"lo hi\" or \"hi\" in the unit, hi > 0 and hi > lo",
     "[lowest] highest reading"},
    {"bits", kChainKey, {1, 24}, "", "a whole number from 1 to 24", "bits of the converter"},
    {"full_scale", kChainKey, {0, 1e12}, "Pa", "a number greater than 0", "pressure of the highest code"},
    {"inverted", kChainKey, kNoRange, "", "true or false", "the highest code is no load"},
    {"quantum", kChainKey, {0, 1e12}, "unit", "a number greater than 0", "readings are multiples of it"},
    {"dead", kChainKey, kNoRange, "", "a list of taxels (whole numbers from 0)", "taxels that read nothing"},
    {"dead_fraction", kChainKey, {0, 1}, "", "a part from 0 to 1", "part of the taxels that read nothing"},
    {"stuck", kChainKey, kNoRange, "", "a list of taxels (whole numbers from 0)",
     "taxels that always read the same"},
    {"stuck_value", kChainKey, {-1e12, 1e12}, "unit", "a number in the unit", "what they read"},
    {"rate",
     kChainKey,
     {0, 1e6},
     "Hz",
     "a rate greater than 0 and at most 1e6 Hz; leave it out to sample at every step",
     "samples a second"},
    {"delay", kChainKey, {0, 1000}, "s", "a time from 0 to 1000 s", "age of a reading"},
    {"jitter", kChainKey, {0, 1000}, "s", "a time from 0 to 1000 s", "spread of that age"},
};
inline constexpr int kNumDescriptionKeys = static_cast<int>(std::size(kDescriptionKeys));

/// Null: there is no such key.
constexpr const DescriptionKey* FindDescriptionKey(std::string_view name) {
  for (const DescriptionKey& key : kDescriptionKeys)
    if (name == key.name) return &key;
  return nullptr;
}

/// Their names for a message: "modulus, dissipation, friction".
inline std::string ListKeys(unsigned any_of, std::string_view but = "") {
  std::string list;
  for (const DescriptionKey& key : kDescriptionKeys)
    if (key.Of(any_of) && but != key.name) list += (list.empty() ? "" : ", ") + std::string(key.name);
  return list;
}

}  // namespace taxel
