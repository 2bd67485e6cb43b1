// What a probe can meet: the surface of a body, primitives exactly, meshes through a tree.
#pragma once

#include <memory>

#include "taxel/bristle/probe_meeting.h"
#include "taxel/contact/body.h"
#include "taxel/shape/ray.h"

namespace taxel {

/// In the body's own frame T. Immutable, cheap to copy, may be shared between threads.
class ProbeTarget {
 public:
  ProbeTarget() = default;
  /// Primitives are met exactly (no facets). A closed mesh has an inside. Of an open mesh either side of a
  /// triangle is met, with the normal turned against the probe; it has no inside.
  explicit ProbeTarget(const Body& body);

  const Box3& box() const;  ///< around the body; infinite for a half space
  /// The nearest entry along the probe, or that its base is inside. Allocates nothing.
  ProbeMeeting Meet(const Vec3& base, const Vec3& tip) const;
  /// The same without the tree, for tests and benchmarks: every triangle is looked at.
  ProbeMeeting MeetByBruteForce(const Vec3& base, const Vec3& tip) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace taxel
