// Everything about a model that does not change while it runs: bodies, anchors, who may touch whom.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "taxel/mujoco/scene_geom.h"
#include "taxel/mujoco/settings.h"
#include "taxel/mujoco/skin_sensor.h"

namespace taxel::mujoco {

/// Parameters of two geoms together (docs/guide/mujoco.md has the combination rules).
struct PairParameters {
  double dissipation = 0;
  FrictionParameters friction;
  LuGreParameters lugre;  ///< where one of the two has bristles: counts instead of the above
};

/// What reads contact forces besides taxel: its values need the helper contacts taken out.
struct NativeTouch {
  std::vector<int> sensors;  ///< touch and contact, ascending
  std::vector<int> plugins;  ///< instances of other plugins that are sensors
  bool user = false;         ///< there are sensors of a callback

  bool empty() const { return sensors.empty() && plugins.empty(); }
};

/// Shared by all mjData of a model and by equal models. Immutable but for what its shapes make when first
/// asked.
class Scene {
 public:
  /// @throws Error for whatever is wrong in the model.
  explicit Scene(const mjModel* m, const std::vector<GivenMaterial>& given = {},
                 const std::vector<GivenSensor>& sensors = {});

  /// The scene of a model, made on first use and kept as long as somebody holds it.
  static std::shared_ptr<const Scene> Of(const mjModel* m);

  const Settings& settings() const { return settings_; }
  const std::vector<SceneGeom>& geoms() const { return geoms_; }
  bool any_soft() const { return any_soft_; }
  /// Numbers given to anchors: as many as there may be, some of a geom's last ones stand for none.
  int num_anchors() const { return num_anchors_; }
  /// Room for anchors in the saved state: AnchorRoom, which reads the model's words (and layout files), once.
  int anchor_room() const { return anchor_room_; }
  const std::vector<SkinSensor>& skins() const { return skins_; }
  /// Number of the tactile sensor with this sensor id, or -1.
  int FindSkin(int sensor) const;
  /// Pairs of geoms (first < second) of which at least one is soft and that pass contype/conaffinity,
  /// exclude, parent and weld filters or stand in an explicit <pair>.
  const std::vector<std::pair<int, int>>& candidates() const { return candidates_; }
  bool Candidate(int g1, int g2) const;

  /// A candidate that no override leaves to MuJoCo.
  bool Couples(int g1, int g2) const {
    const SceneGeom &a = geoms_[g1], &b = geoms_[g2];
    return a.shape && b.shape && (a.soft || b.soft) && Candidate(g1, g2) && !NativePair(g1, g2);
  }
  /// Makes the bodies of a pair now. False, and a warning once, when one cannot be made.
  bool Ready(const mjModel* m, int g1, int g2) const;
  PairParameters Parameters(const mjModel* m, int g1, int g2) const;
  /// Of the pair at least one has bristles.
  bool Bristled(int g1, int g2) const { return geoms_[g1].bristles || geoms_[g2].bristles; }
  /// Whose anchors remember the friction of the pair: that with bristles (of two the finer); the soft geom;
  /// of two soft ones that with the finer anchors; the other one when the soft geom is a plane or so large
  /// that its anchors are coarse for it.
  int Owner(int g1, int g2) const;
  const NativeTouch& native_touch() const { return native_touch_; }
  /// A MuJoCo warning, the first time that this text comes up.
  void WarnOnce(const std::string& text) const;

 private:
  void MakeBristles(const mjModel* m);
  void ReserveAnchors(const mjModel* m, double share);
  bool NativePair(int g1, int g2) const;
  const PairSettings* FindPair(int g1, int g2) const;

  Settings settings_;
  std::vector<SceneGeom> geoms_;
  std::vector<std::pair<int, int>> candidates_;
  std::vector<SkinSensor> skins_;
  bool any_soft_ = false;
  NativeTouch native_touch_;
  int num_anchors_ = 0, anchor_room_ = 0;
  mutable std::mutex mutex_;
  mutable std::set<std::string> warned_;
};

}  // namespace taxel::mujoco
