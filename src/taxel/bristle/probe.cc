#include "taxel/bristle/probe.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "taxel/math/error.h"

namespace taxel {
namespace {

constexpr double kLeastCosine = 0.01;

void CheckPose(const Pose& X, const char* whose) {
  if (!is_finite(X))
    throw Error(std::string("probes: the pose of the ") + whose +
                " is not finite; look where its numbers come from (a simulation that diverged?)");
}

// A box seen from another frame, grown by the rounding of the way there.
Box3 Seen(const Pose& X, const Box3& box) {
  const Vec3 center = X * box.center(), half = 0.5 * box.size();
  Vec3 reach;
  for (int r = 0; r < 3; ++r)
    reach[r] = std::fabs(X.R(r, 0)) * half.x + std::fabs(X.R(r, 1)) * half.y + std::fabs(X.R(r, 2)) * half.z;
  const Vec3 far = cwise_abs(center) + cwise_abs(X.p) + reach;
  const double pad = 1e-14 * (far.x + far.y + far.z);
  return {center - reach - Vec3{pad, pad, pad}, center + reach + Vec3{pad, pad, pad}};
}

template <class Meet>
void ProbePoint(const BristlePoints& pad, int i, const Pose& X_WP, const Pose& X_TP, const Pose& X_WT,
                Meet&& meet, std::vector<ProbeHit>* hits) {
  const Vec3 direction_T = X_TP.R * pad.direction(i), tip_T = X_TP * pad.tip(i);
  const ProbeMeeting meeting = meet(tip_T - pad.depth() * direction_T, tip_T);
  if (meeting.kind == ProbeMeeting::Kind::kNone) return;
  if (meeting.kind == ProbeMeeting::Kind::kInside) {
    // A probe may be longer than the pad is thick. A body that holds its base but not its tip lies behind the
    // pad.
    if (meet(tip_T, tip_T - pad.depth() * direction_T).kind != ProbeMeeting::Kind::kInside) return;
    hits->push_back({i, X_WP * pad.base(i), -(X_WP.R * pad.direction(i)), pad.depth(), 1, true});
    return;
  }
  const double cosine = -dot(direction_T, meeting.normal);
  if (!(cosine >= kLeastCosine)) return;
  const double rest = (1 - meeting.t) * pad.depth();  // from the meeting to the tip
  hits->push_back({i, X_WP * (pad.tip(i) - rest * pad.direction(i)), X_WT.R * meeting.normal, rest * cosine,
                   cosine, false});
}

}  // namespace

void Probe(const BristlePoints& pad, const Pose& X_WP, const ProbeTarget& body, const Pose& X_WT,
           std::vector<ProbeHit>* hits) {
  hits->clear();
  CheckPose(X_WP, "pad");
  CheckPose(X_WT, "body");
  const Pose X_TP = Inverse(X_WT) * X_WP;
  if (pad.count() == 0 || !Seen(X_TP, pad.box()).Overlaps(body.box())) return;

  // A bit a point: clusters come in their own order, hits shall come by rising point.
  std::uint64_t near[(kMaxTaxels + 63) / 64];
  const int words = (pad.count() + 63) / 64;
  for (int w = 0; w < words; ++w) near[w] = 0;
  // A half space has no box to look at from the pad.
  const bool bounded = std::isfinite(body.box().lo.x);
  const Box3 body_P = bounded ? Seen(Inverse(X_TP), body.box()) : Box3{};
  for (const BristlePoints::Cluster& cluster : pad.clusters()) {
    if (bounded && !cluster.box.Overlaps(body_P)) continue;
    if (!Seen(X_TP, cluster.box).Overlaps(body.box())) continue;
    for (int m = cluster.first; m < cluster.first + cluster.count; ++m) {
      const int i = pad.members()[m];
      near[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
  for (int w = 0; w < words; ++w)
    for (std::uint64_t bits = near[w]; bits != 0; bits &= bits - 1)
      ProbePoint(
          pad, 64 * w + std::countr_zero(bits), X_WP, X_TP, X_WT,
          [&](const Vec3& base, const Vec3& tip) { return body.Meet(base, tip); }, hits);
}

void ProbeByBruteForce(const BristlePoints& pad, const Pose& X_WP, const ProbeTarget& body, const Pose& X_WT,
                       std::vector<ProbeHit>* hits) {
  hits->clear();
  CheckPose(X_WP, "pad");
  CheckPose(X_WT, "body");
  const Pose X_TP = Inverse(X_WT) * X_WP;
  for (int i = 0; i < pad.count(); ++i)
    ProbePoint(
        pad, i, X_WP, X_TP, X_WT,
        [&](const Vec3& base, const Vec3& tip) { return body.MeetByBruteForce(base, tip); }, hits);
}

}  // namespace taxel
