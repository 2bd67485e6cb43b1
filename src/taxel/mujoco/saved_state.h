// What soft contact remembers between steps, in mjData.plugin_state.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/contact/patch_friction.h"
#include "taxel/mujoco/settings.h"

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

}  // namespace taxel::mujoco
