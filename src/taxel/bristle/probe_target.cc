#include "taxel/bristle/probe_target.h"

#include <optional>
#include <utility>

#include "taxel/bristle/meet_primitive.h"
#include "taxel/bristle/probe_tree.h"
#include "taxel/shape/watertight.h"

namespace taxel {
using namespace internal;

struct ProbeTarget::Data {
  std::optional<Primitive> primitive;
  ProbeTree tree;  // of a mesh
  Box3 box;
};

ProbeTarget::ProbeTarget(const Body& body) {
  Data data;
  if (const Primitive* primitive = body.primitive()) {
    data.primitive = *primitive;
    data.box = BoundingBox(*primitive);
  } else {
    TriangleMesh surface = body.Surface();
    const bool closed = CheckWatertight(surface).ok();
    data.tree = ProbeTree(std::move(surface), closed);
    data.box = data.tree.box();
  }
  data_ = std::make_shared<const Data>(std::move(data));
}

const Box3& ProbeTarget::box() const {
  static const Box3 nowhere;
  return data_ ? data_->box : nowhere;
}

ProbeMeeting ProbeTarget::Meet(const Vec3& base, const Vec3& tip) const {
  if (!data_) return {};
  return data_->primitive ? MeetPrimitive(*data_->primitive, base, tip) : data_->tree.Meet(base, tip);
}

ProbeMeeting ProbeTarget::MeetByBruteForce(const Vec3& base, const Vec3& tip) const {
  if (!data_) return {};
  return data_->primitive ? MeetPrimitive(*data_->primitive, base, tip)
                          : data_->tree.MeetByBruteForce(base, tip);
}

}  // namespace taxel
