// Soft contact of one mjData: from touching geoms to rows or forces, and the memory of friction.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "taxel/mujoco/scene.h"
#include "taxel/mujoco/skin_reading.h"
#include "taxel/mujoco/touch.h"

namespace taxel::mujoco {

/// What two touching geoms remember of each other.
struct PairState {
  int geom1 = -1, geom2 = -1;
  double budget = 0;  ///< J (contact/release_limit.h)
};

/// What mjData.plugin_state holds: a flag, the number of anchors and pairs in use, the metric of the last
/// step (nv), then those anchors, ordered, and those pairs, ordered. A pair takes the place of an anchor, its
/// first number below zero; where there is no room for it, it is forgotten. MuJoCo asks for its size before
/// geoms and meshes are known, so there is room for as many as the model has places that can name a soft
/// geom, not for those it turns out to have.
///
/// Anybody may write into plugin_state. Whatever stands there, nothing is read or written beyond its end.
class SavedState {
 public:
  SavedState(const mjModel* m, mjtNum* data, int size)
      : data_(data), nv_(static_cast<int>(m->nv)), size_(size) {}
  /// `room`: of anchors (Scene::anchor_room). Without it the model's words are read again.
  static int Size(const mjModel* m, int room) { return 2 + static_cast<int>(m->nv) + kPerAnchor * room; }
  static int Size(const mjModel* m) { return Size(m, AnchorRoom(m)); }

  bool started() const { return data_[0] != 0; }
  void set_started() { data_[0] = 1; }
  mjtNum* metric() { return data_ + 2; }

  /// `key` numbers the anchors of a scene.
  int count() const { return count_known() ? static_cast<int>(data_[1]) : 0; }
  /// The number of anchors is one that can be.
  bool count_known() const { return data_[1] >= 0 && data_[1] <= capacity(); }
  int capacity() const { return (size_ - 2 - nv_) / kPerAnchor; }
  /// Nothing of what was stays behind, so that equal histories give equal states.
  void Clear() {
    mju_zero(slot(0), kPerAnchor * (count_known() ? count() : capacity()));
    data_[1] = 0;
  }
  /// False when there is no room.
  bool Append(int key, const AnchorState& state);
  bool Append(const PairState& pair);
  /// The key of anchor i; -1 where there is none, or what it remembers cannot be.
  int Read(int i, AnchorState* state) const;
  bool Read(int i, PairState* pair) const;
  /// The metric is one that can be.
  bool MetricKnown() const;

 private:
  static constexpr int kPerAnchor = 7;
  mjtNum* slot(int i) const { return data_ + 2 + nv_ + kPerAnchor * i; }
  mjtNum* data_;
  int nv_, size_;
};

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
  /// False before the first mj_forward: geoms have no orientation yet.
  static bool PosesKnown(const mjModel* m, const mjData* d);
  /// @throws Error where PosesKnown is false, or that names a geom whose pose is not finite or no rotation.
  static void CheckPoses(const mjModel* m, const mjData* d);
  const std::vector<Touch*>& last_touches() const { return touches_; }
  /// Saved state of tactile sensor k (null: the runtime belongs to a reader, which keeps its own).
  mjtNum* SkinState(const mjModel* m, mjData* d, int k) const;
  SkinReadings& skin_readings() { return skin_readings_; }
  /// What a touch does to a skin on one of its geoms. Valid until the next step.
  SkinLoad LoadOf(const mjModel* m, const mjData* d, Touch* touch, const SkinSensor& skin) const;

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
  void AddRows(const mjModel* m, mjData* d, Touch* touch);
  void FindCore(const mjModel* m, mjData* d, Touch* touch);
  void LimitExplicit(const mjModel* m, const mjData* d, Touch* touch);
  void LimitRelease(const mjModel* m, const mjData* d, Touch* touch);
  double BudgetAtEnd(const mjModel* m, const mjData* d, const Touch& touch) const;
  void AddCoreRows(const mjModel* m, mjData* d, Touch* touch);
  void ReadRows(mjData* d, Touch* touch);
  void ReadCoreRows(mjData* d, Touch* touch);
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
  std::vector<std::unique_ptr<Touch>> pool_;
  std::vector<Touch*> touches_;
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

/// The runtime of a model's first taxel instance, or nullptr.
Runtime* FindRuntime(const mjModel* m, mjData* d);
/// Slot of the plugin in MuJoCo's table; -1 before registration.
extern int plugin_slot;

}  // namespace taxel::mujoco
