// The marker sensors of a model: gel, markers and what may press, made once and shared.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "taxel/marker/marker_indenter.h"
#include "taxel/mujoco/marker_memory.h"
#include "taxel/mujoco/marker_settings.h"
#include "taxel/mujoco/skin_sensor.h"

namespace taxel::mujoco {

/// Something that may press into a gel; its frame I is the geom's.
struct MarkerObject {
  int geom = -1;
  std::shared_ptr<const MarkerIndenter> indenter;
  double extent = 0;          ///< radius about the origin of the geom, m; infinite: a plane
  Vec3 size;                  ///< geom_size that it was made with
  std::vector<int> bodies{};  ///< that fall with it: its tree, of a free joint or a mocap body; else none
  int with = 0;               ///< first object of the sensor in the same tree: they sag as one
};

/// Immutable part of a marker sensor.
struct MarkerSensor {
  int sensor = -1;  ///< in the model; -1: given from outside
  int geom = -1, instance = -1;
  std::string name;
  MarkerSettings settings;
  Vec3 size;  ///< geom_size that it was made with
  Pose X_GP;  ///< pad's frame in the geom's
  std::shared_ptr<const MarkerDistance> pad;
  std::shared_ptr<const GelPad> gel;        ///< modes layer and taxel; else null
  std::shared_ptr<const LayerField> layer;  ///< mode layer: the gel, with an object that counts for nothing
  std::vector<Vec3> markers_P;
  Vec3 center_P;  ///< gel and markers lie within `extent` about it
  double extent = 0;
  std::vector<MarkerObject> objects;  ///< by geom
  int state_offset = 0;               ///< within the instance's share of plugin_state
  int object_room = 0;

  MarkerMemory memory() const { return {settings, object_room}; }
  int num_data() const { return settings.num_data(); }
};

/// Immutable, shared by all mjData of a model and by equal models.
class MarkerScene {
 public:
  /// @throws Error that names the sensor.
  explicit MarkerScene(const mjModel* m, const std::vector<GivenSensor>& given = {});
  /// The scene of a model, made on first use and kept as long as somebody holds it.
  static std::shared_ptr<const MarkerScene> Of(const mjModel* m);

  const std::vector<MarkerSensor>& sensors() const { return sensors_; }

 private:
  std::vector<MarkerSensor> sensors_;
};

/// Numbers in sensordata and in plugin_state of the sensors of an instance; known from the configuration and
/// the number of geoms. @throws Error
int MarkerDataSize(const mjModel* m, int instance);
int MarkerStateSize(const mjModel* m, int instance);

/// MuJoCo's rule of what may collide; a mocap body, which it takes for a part of the world, also counts.
bool MayPress(const mjModel* m, int pad, int geom);

}  // namespace taxel::mujoco
