// Soft contact of one mjData: from touching geoms to rows or forces, and the memory of friction.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "taxel/mujoco/engine_force.h"
#include "taxel/mujoco/saved_state.h"
#include "taxel/mujoco/scene.h"
#include "taxel/mujoco/skin_reading.h"
#include "taxel/mujoco/touch.h"

namespace taxel::mujoco {

/// Lives in mjData.plugin_data: scratch that can be rebuilt; nothing that matters later is kept here.
class Runtime {
 public:
  /// sense_only: whatever the scene says, physics is left alone and surfaces are computed when asked for.
  Runtime(std::shared_ptr<const Scene> scene, int instance, bool sense_only = false);

  const Scene& scene() const { return *scene_; }
  /// Sensing only: readings are scaled to the engine's own contact forces, where those are known.
  bool scale_to_engine() const { return scale_ ? *scale_ : scene_->settings().scale_to_engine; }
  void set_scale_to_engine(bool scale) { scale_ = scale; }
  Coupling coupling() const { return sense_only_ ? Coupling::kSense : scene_->settings().coupling; }
  /// Shapes changed: makes the scene anew; friction forgets. @throws Error, and keeps the old scene, when the
  /// model is wrong.
  void Rebuild(const mjModel* m, mjData* d);

  /// Called by the collision table. True when the pair was dealt with, so that MuJoCo must not add contacts
  /// of its own.
  /// With MuJoCo's thread pool the calls come from many threads in any order; the first one then deals with
  /// all pairs, in order.
  bool Collide(const mjModel* m, mjData* d, int geom1, int geom2);
  /// Explicit coupling: adds the forces to qfrc_passive.
  void ApplyForces(const mjModel* m, mjData* d);
  /// After the solver: reads the forces of the rows, takes the constant force out of the helper contacts.
  void ReadForces(const mjModel* m, mjData* d);
  /// End of a step: moves the memory of friction.
  void Advance(const mjModel* m, mjData* d);
  void Reset();
  /// What belongs to the step in progress, when an mjData is copied between the halves of a step.
  void CopyStep(const Runtime& other);
  /// Some helper contacts are in mjData.contact now.
  bool HasHelpers() const;
  bool refreshing = false;  ///< all sensors are being run again

  /// The touching pairs of the last forward pass, ordered by geoms. Sensing only: computed here.
  const std::vector<Touch*>& Touches(const mjModel* m, mjData* d);
  const std::vector<Touch*>& last_touches() const { return touches_; }
  /// Saved state of tactile sensor k (null: the runtime belongs to a reader, which keeps its own).
  mjtNum* SkinState(const mjModel* m, mjData* d, int k) const;
  SkinReadings& skin_readings() { return skin_readings_; }
  /// Reads tactile sensor k (SkinReadings::Read), and what touches it where that is needed.
  void ReadSkin(const mjModel* m, mjData* d, int k, const mjtNum* state, bool fresh, mjtNum* out);
  /// Only feels (SkinReadings::Look).
  void LookAtSkin(const mjModel* m, mjData* d, int k);

 private:
  bool BeginPass(const mjModel* m, mjData* d);
  Touch* NewTouch();
  void CollidePair(const mjModel* m, mjData* d, int geom1, int geom2);
  void LoadAnchors(const mjModel* m, mjData* d);
  SavedState State(const mjModel* m, mjData* d) const;
  void AdvanceSkins(const mjModel* m, mjData* d);
  bool Stale(const mjModel* m, int geom);
  TouchContext Context(const mjModel* m, const mjData* d) const;
  bool Find(const mjModel* m, const mjData* d, int geom1, int geom2, Touch* touch);
  const PairState* Remembered(const Touch& touch) const;
  void WarnOfStep(const mjModel* m, const Touch& touch, bool softened);
  const SkinTouches& TouchesOn(const mjModel* m, mjData* d, const SkinSensor& skin);
  void Sense(const mjModel* m, mjData* d);
  bool Current(const mjData* d) const;
  bool Near(const mjData* d, int geom1, int geom2) const;

  std::shared_ptr<const Scene> scene_;
  int instance_;
  bool sense_only_;
  std::optional<bool> scale_;  // instead of the model's
  EngineForces engine_;
  std::mutex mutex_;
  mutable ContactWorkspace workspace_;
  SkinReadings skin_readings_;
  SkinTouches skin_touches_;
  std::vector<std::unique_ptr<Touch>> pool_;
  std::vector<Touch*> touches_;
  Touch ahead_;    // scratch of Foresee
  int pass_ = -1;  // number of the collision pass the touches belong to
  mjtNum pass_time_ = 0;
  int solved_ = 0;  // number of the solver's run whose forces were read, or that before the pass
  std::vector<AnchorState> anchors_, next_;  // all of the scene: at the start of the step, at its end
  std::vector<int> loaded_, stored_;         // which of them are not blank
  std::vector<std::pair<int, AnchorState>> remembered_;
  std::vector<PairState> pairs_;  // at the start of the step, ordered
  bool warned_full_ = false, warned_state_ = false;
  std::vector<bool> warned_stale_;
  bool warned_option_ = false, warned_explicit_ = false;
};

}  // namespace taxel::mujoco
