// What a model says about touch: which geoms are soft, how they rub, how contact enters the physics.
#pragma once

#include <mujoco/mujoco.h>

#include <optional>
#include <string>
#include <vector>

#include "taxel/bristle/bristle_options.h"
#include "taxel/contact/body.h"
#include "taxel/contact/patch_friction.h"
#include "taxel/skin/description_keys.h"

namespace taxel::mujoco {

inline constexpr const char* kPluginName = "taxel";
/// Anchors on a geom, and room for anchors in the saved state per place that can name a soft geom.
inline constexpr int kDefaultAnchors = 256;

/// How the contact of soft geoms acts.
enum class Coupling {
  kRows,      ///< rows in MuJoCo's constraint solver (default)
  kExplicit,  ///< forces added to qfrc_passive: needs small time steps
  kSense,     ///< MuJoCo's own point contact does the physics; the surfaces feed the sensors
};

/// Parameters of one geom. Those of friction that the model does not give are taken from the geom's own
/// MuJoCo friction, at every step (so that it may be randomised).
struct GeomSettings {
  bool named = false;  ///< an instance or a cs:: entry speaks of this geom
  std::string source;  ///< who, for messages
  BodyOptions body;    ///< modulus 0: rigid
  bool has_friction = false;
  double stribeck_speed = 0.01, shear_ratio = 0.7, shear_damping = 1e-3, breakaway = 1;
  int anchors = kDefaultAnchors;
  /// Bristles instead of a pressure field, and the keys that say where they are.
  std::optional<BristleOptions> bristles;
  Description::Entries points;
};

/// What an instance may say of a geom and of a pair alike.
struct Rubbing {
  std::optional<double> static_friction, dynamic_friction, dissipation;
  std::optional<double> stribeck_speed, shear_ratio, shear_damping, breakaway;
};

/// What an instance says of one pair of geoms; only what is given overrides.
struct PairSettings : Rubbing {
  int geom[2];
  std::string source;
  bool native = false;
};

struct Settings {
  Coupling coupling = Coupling::kRows;
  int blocks_per_side = 4;
  int facets_across = 10;
  bool show_surfaces = true;
  bool scale_to_engine = true;   ///< sensing only: readings sum to the engine's own contact forces
  double show_max_pressure = 0;  ///< Pa at the red end; 0: the greatest of the frame
  std::vector<GeomSettings> geoms;
  std::vector<PairSettings> pairs;
};

/// Names of the configuration keys of an instance: those of description_keys.h.
extern const char* const* const kConfigKeys;
extern const int kNumConfigKeys;
/// What an instance says under a key; "": nothing.
std::string ConfigValue(const mjModel* m, int instance, const DescriptionKey& key);

/// A material given from outside the model (taxel.Reader): configuration keys as in an instance, and its
/// geoms.
struct GivenMaterial {
  std::string name;
  std::vector<std::pair<std::string, std::string>> config;
  std::vector<int> geoms;
};

/// Reads the instances of the plugin, the tuples named like them and the cs:: entries. An instance with a
/// tuple of its own name is a material: it speaks of the geoms in the tuple (geoms, all geoms of a body, or
/// all geoms that wear a MuJoCo material). Both names get the same prefix when the model is attached, so they
/// stay together.
/// @throws Error that names the element, the value and the way out.
Settings ReadSettings(const mjModel* m, const std::vector<GivenMaterial>& given = {});

/// Instance `i` of the model's plugins is one of ours.
bool IsTaxelInstance(const mjModel* m, int i);

/// Instance `i` describes bristles.
bool HasBristleKeys(const mjModel* m, int i);

/// Anchors that the saved state has room for: `anchors` (the most that an instance asks for) for each place
/// of the model that can name a soft geom. Bristles are anchors, too. MuJoCo asks for the size of the state
/// before geoms and tuples are filled in, so it depends on their numbers and on the configuration alone.
int AnchorRoom(const mjModel* m);

}  // namespace taxel::mujoco
