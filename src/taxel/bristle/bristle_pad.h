// A pad with bristles that remembers: poses and velocities in, forces out. No engine needed.
#pragma once

#include <vector>

#include "taxel/bristle/bristle_contact.h"

namespace taxel {

/// What the bristles of a pad feel of one body. Arrays hold one entry a point.
struct PadReading {
  std::vector<double> normal;      ///< N
  std::vector<Vec3> friction_P;    ///< on the pad, in its frame, N
  std::vector<double> deflection;  ///< how far a bristle is bent, m
  std::vector<char> saturated;
  Wrench on_body;  ///< what acts on the body, torque about the world origin
};

/// Steps the law of bristle_contact.h by explicit forces. One body at a time: another body means another
/// partner number, and finds bristles that hold nothing.
class BristlePad {
 public:
  /// @throws Error for wrong options.
  BristlePad(BristlePoints points, const BristleOptions& options);

  const BristlePoints& points() const { return points_; }
  const BristleOptions& options() const { return options_; }

  /// Forces at these poses and this motion of the body relative to the pad, held for `step` seconds; the
  /// bristles bend accordingly. @pre step > 0, partner > 0.
  void Press(const ProbeTarget& body, const Pose& X_WP, const Pose& X_WT, const RelativeMotion& motion,
             double step, PadReading* reading, int partner = 1);
  /// Bristles hold nothing.
  void Reset();

 private:
  BristlePoints points_;
  BristleOptions options_;
  BristleContact contact_;
  std::vector<AnchorState> memory_, next_;
};

}  // namespace taxel
