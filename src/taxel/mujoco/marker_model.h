// The models that move the markers of a sensor, for one object: HydroShear, and taxel's own two.
#pragma once

#include <memory>
#include <vector>

#include "taxel/marker/gravity.h"
#include "taxel/mujoco/marker_scene.h"

namespace taxel::mujoco {

struct MarkerModelReading {
  std::vector<Vec3> displacement;  ///< px
  Vec3 force_P, torque_P;          ///< on the gel, about the pad's origin; 0 where the model knows none
};

/// Scratch around a field; the memory goes in and out.
class MarkerModel {
 public:
  virtual ~MarkerModel() = default;
  /// From the state before to X_PI. `next` may not be `before`. shift: of the gravity pass, or null.
  virtual void Step(const MarkerState& before, const Pose& X_PI, const Pose* shift, MarkerState* next,
                    MarkerModelReading* reading) = 0;
  /// Adds where the object touches since the last Step; the stiffness of the gel for all of the patch.
  virtual GelSprings Contact(ContactPatch* patch) const = 0;
};

std::unique_ptr<MarkerModel> MakeMarkerModel(const MarkerSensor& sensor, const MarkerObject& object);

}  // namespace taxel::mujoco
