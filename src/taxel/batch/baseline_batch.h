// FOTS and TacSL of many worlds at once, on threads.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/batch/undo.h"
#include "taxel/marker/fots.h"
#include "taxel/marker/tacsl.h"

namespace taxel {

/// worlds x fingers independent copies of a Fots. Results do not depend on the number of threads.
class FotsBatch {
 public:
  /// Throws Error for worlds or fingers below 1, or threads below 0 (0: all).
  FotsBatch(const Fots& fots, int worlds, int fingers, int threads);

  /// X_PI: worlds x fingers. shift: one a world and finger (Fots::Step), or null. displacement: worlds x
  /// fingers x markers, px. mask: one a world, null: all; other worlds stay as they are, their poses are not
  /// looked at, and nothing is written for them. Throws Error, naming world and finger, for a bad pose or
  /// shift; then no world has moved. Nor has any after an interrupt (math/interrupt.h).
  void Step(const std::vector<Pose>& X_PI, const Vec3* shift, Vec3* displacement,
            const std::uint8_t* mask = nullptr);

  /// mask: one a world; null: all.
  void Reset(const std::uint8_t* mask);
  void SetParameters(int world, const FotsParameters& parameters);

  int worlds() const { return worlds_; }
  int fingers() const { return fingers_; }
  int markers() const { return markers_; }
  const Fots& fots(int world, int finger) const;

 private:
  int worlds_, fingers_, markers_, threads_;
  std::vector<Fots> copies_;  // worlds x fingers
  Undo<FotsState<>> undo_;
};

/// What a step of TacSlBatch writes; null: not written.
struct TacSlBatchOutput {
  double* depth = nullptr;   ///< worlds x fingers x points, m
  double* normal = nullptr;  ///< worlds x fingers x points, N
  double* shear = nullptr;   ///< worlds x fingers x points x 2, N
};

/// worlds x fingers readings of a TacSl from the poses of the object in the pads' frames. The pads stand
/// still: the object has all the motion (tacsl_point.h says what that leaves out).
class TacSlBatch {
 public:
  /// Throws Error for worlds or fingers below 1, or threads below 0 (0: all).
  TacSlBatch(const TacSl& tacsl, int worlds, int fingers, int threads);

  /// X_PI: worlds x fingers. motion: velocity of the object's origin and angular velocity relative to the
  /// pad, in the pad's frame, worlds x fingers; null: from the pose of the step before and dt > 0 [s], 0 in
  /// the first step after a reset. mask: as in FotsBatch::Step. Throws Error, naming world and finger, for a
  /// bad pose or motion; then no world has moved. Nor has any after an interrupt (math/interrupt.h).
  void Step(const std::vector<Pose>& X_PI, const BodyMotion* motion, double dt, const TacSlBatchOutput& out,
            const std::uint8_t* mask = nullptr);

  /// mask: one a world; null: all.
  void Reset(const std::uint8_t* mask);
  void SetParameters(int world, const TacSlParameters& parameters);

  int worlds() const { return worlds_; }
  int fingers() const { return fingers_; }
  int points() const { return points_; }
  const TacSl& tacsl(int world) const { return models_.at(static_cast<std::size_t>(world)); }

 private:
  int worlds_, fingers_, points_, threads_;
  std::vector<TacSl> models_;  // worlds
  struct Before {
    bool started = false;
    Pose X_PI;
  };
  std::vector<Before> before_;  // worlds x fingers
  Undo<Before> undo_;
};

}  // namespace taxel
