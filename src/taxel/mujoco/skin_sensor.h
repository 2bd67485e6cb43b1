// Tactile sensors of a model: a skin on a geom, with its signal chain.
//
//   <sensor>
//     <plugin name="touch" plugin="taxel" objtype="geom" objname="pad">
//       <config key="shape" value="16 16"/>
//     </plugin>
//   </sensor>
//
// The keys stand in the sensor itself or in a named instance. What makes an instance tactile is a layout: one
// of the keys layout, shape, points, file, sites. The numbers in sensordata are, in this order and as far as
// `output` asks for them (n taxels):
//
//   pressure  n     through the signal chain, in its unit
//   shear     2 n   along the first axis of every taxel, then along the second; through the chain, same unit
//   slip      n     share of the friction bound in use, 1 where it slides
//   saturated n     1 where a bristle is pressed beyond its length (bristles only)
//   truth     12    centre of pressure (3), area, normal load, pose of the geom that presses hardest:
//   position (3),
//                   quaternion (4, zero when nothing touches); all in the sensor's frame
//
// The sensor's frame is the geom's; of a mesh, that of its file.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "taxel/skin/signal_chain.h"
#include "taxel/skin/skin.h"

namespace taxel::mujoco {

struct SceneGeom;
struct Settings;

/// A sensor given from outside the model (taxel.Reader).
struct GivenSensor {
  std::string name;
  int geom = -1;
  Description::Entries config;
};

/// Which blocks of numbers a sensor writes.
struct SkinOutputs {
  bool pressure = true, shear = false, slip = false, saturated = false, truth = false;
  static constexpr int kTruth = 12;
  int Size(int taxels) const {
    return taxels * (pressure + 2 * shear + slip + saturated) + (truth ? kTruth : 0);
  }
};

/// Immutable part of a tactile sensor.
struct SkinSensor {
  int sensor = -1;  ///< in the model; -1: given from outside
  int geom = -1, instance = -1;
  std::string name;
  std::unique_ptr<const Skin> skin;
  std::vector<SignalChain> chains;  ///< pressure, then the two of shear
  ChainOptions chain;
  SkinOutputs outputs;
  bool on_demand = false;
  bool show = true;
  Pose X_GS;     ///< sensor's frame in the geom's
  Layout drawn;  ///< the skin's layout in the sensor's frame
  /// On bristles: the taxel of each of the pad's points; -1: none. Else empty.
  std::vector<int> taxel_of_point;
  int state_offset = 0;  ///< within the instance's share of plugin_state (after that of friction)
  int state_size = 0;

  /// Saved state: first whether it is paused, then the same share for each chain.
  static constexpr int kPaused = 1;
  int chain_state_size() const {
    return chains.empty() ? 0 : (state_size - kPaused) / static_cast<int>(chains.size());
  }
  int num_data() const { return outputs.Size(skin->count()); }
};

/// Instance i speaks of a tactile sensor.
bool IsSkinInstance(const mjModel* m, int instance);
/// The part of the configuration that speaks of skins. `where` opens messages.
Description SkinDescription(const mjModel* m, int instance, const std::string& where);

/// Length in sensordata. Known from the configuration (and the names of sites) alone, because MuJoCo asks
/// before the rest of the model is filled in. @throws Error
int SkinDataSize(const mjModel* m, int instance, const std::string& where = "sensor");
/// Numbers of plugin_state that the tactile sensors of an instance need. @throws Error
int SkinStateSize(const mjModel* m, int instance);

/// Lays the columns of skins that have no resolution by their taxels (skin/taxel_columns.h); of several
/// sensors on a geom by the one with the most. @throws Error that names the sensor.
void LayColumns(const mjModel* m, const std::vector<GivenSensor>& given, Settings* settings);

/// All tactile sensors of a model, and those given. @throws Error that names the sensor.
std::vector<SkinSensor> MakeSkinSensors(const mjModel* m, const std::vector<SceneGeom>& geoms,
                                        const std::vector<GivenSensor>& given);

/// Does the model have the room that its friction and its tactile sensors need now? Not when its time step or
/// a layout file changed since it was compiled. @throws Error that names the sensor.
void CheckRoom(const mjModel* m, const std::vector<SkinSensor>& skins, int anchor_room);

}  // namespace taxel::mujoco
