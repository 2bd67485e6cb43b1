// The marker sensors of one mjData: from poses and what is remembered to displacements.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <vector>

#include "taxel/mujoco/marker_model.h"

namespace taxel::mujoco {

/// Scratch that can be rebuilt: all history is in `state`, which the caller owns (plugin_state, or a reader's
/// own numbers). Reading never changes it; only Advance does, once a step. So mj_forward may run any number
/// of times, and whoever copies or restores plugin_state gets the same future.
///
/// Several objects: each is followed by a field of its own; their displacements are added. A field is made
/// when its object first comes near the gel; later steps take no memory.
class MarkerRuntime {
 public:
  explicit MarkerRuntime(std::shared_ptr<const MarkerScene> scene);

  const MarkerScene& scene() const { return *scene_; }
  /// The sensor's share of plugin_state.
  static mjtNum* State(const mjModel* m, mjData* d, const MarkerSensor& sensor);

  /// Reads sensor k at the poses of d: num_data() numbers. A frame that is not due shows the last one.
  /// Returns whether it was due.
  bool Read(const mjModel* m, const mjData* d, int k, mjtNum time, const mjtNum* state, mjtNum* out);
  /// The step that began at `time` with these poses is over: what Read saw is remembered, where due.
  void Advance(const mjModel* m, const mjData* d, int k, mjtNum time, mjtNum* state);
  /// The same for a reader, which sees no end of a step: remembers the last frame that Read looked at.
  void Commit(int k, mjtNum time, mjtNum* state);
  /// Warns, once, when the size of a gel or an object changed after the model was compiled.
  void CheckShapes(const mjModel* m);
  /// Points inside the gel at the last reading, over all objects.
  int PointsInside(int k) const;

 private:
  struct Scratch {
    std::vector<std::unique_ptr<MarkerModel>> models;  // null: never near
    std::vector<Pose> X_PI;                            // of the objects at the last look
    std::vector<GravityLoad> loads;                    // on them, then
    std::vector<MarkerState> next;                     // after it
    std::vector<mjtNum> from;                          // what was remembered before it
    mjtNum time = 0;                                   // of it
    std::vector<Vec3> total, late;                     // what is late is so after it
    Vec3 force_P, torque_P;
    std::vector<mjtNum> out;  // what sensordata gets
    MarkerModelReading reading;
    MarkerState before;
    std::vector<Pose> shifts;  // of each object
    ContactPatch patch;
    std::vector<int> points;      // of each object
    std::vector<mjtNum> at_rest;  // what is remembered before the first frame
    bool looked = false, warned = false, warned_state = false;
  };
  // The state, or one at rest where taxel did not write it.
  const mjtNum* Mended(int k, const mjtNum* state);
  static bool Due(const MarkerSensor& sensor, mjtNum time, const mjtNum* state);
  void Look(const mjModel* m, const mjData* d, int k, mjtNum time, const mjtNum* state);
  void AddCreep(const MarkerSensor& sensor, mjtNum dt, const mjtNum* late, Scratch* s);
  void LookAt(const MarkerSensor& sensor, int i, const Pose* shift, Scratch* s);
  // The motions by gravity of the objects that LookAt has just seen.
  void FindShifts(const MarkerSensor& sensor, Scratch* s);

  std::shared_ptr<const MarkerScene> scene_;
  std::vector<Scratch> scratch_;
  std::vector<Pose> poses_;
  std::vector<GravityLoad> loads_;
  bool warned_shape_ = false;
};

}  // namespace taxel::mujoco
