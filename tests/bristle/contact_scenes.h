// A pad with bristles under a body, off every axis, and the memory that its caller keeps.
#pragma once

#include <utility>
#include <vector>

#include "../shape/test_meshes.h"
#include "taxel/bristle/bristle_contact.h"
#include "taxel/skin/layout.h"

namespace taxel::test {

inline BristleOptions Options(LuGreForm form = LuGreForm::kPassive) {
  BristleOptions o;
  o.stiffness = 700, o.damping = 3, o.depth = 0.006;
  o.friction = {900, 4, 0.2, 0.6, 0.35, 0.02, form};
  return o;
}

/// A box of 40 x 25 x 8 mm whose upper face carries 5 rows and 7 columns: cells of 5.7 x 5 mm.
inline BristlePoints BoxPad(double depth = 0.006, const char* shape = "5 7") {
  const Body box(Box{{0.04, 0.025, 0.008}}, {});
  return {MakeLayout(Description("pad", {{"shape", shape}}), box), depth};
}

/// The half space (or a wide box, a ball) that presses on a pad, in the pad's frame: its face is `depth`
/// below the middle of the pad's face, turned about an axis that is none of the pad's.
inline Pose PressedFlat(double depth, double tilt) {
  const Mat3 over{{1, 0, 0, 0, -1, 0, 0, 0, -1}};  // looks down
  return {RotationAbout(normalized({0.6, -0.7, 0.1}), tilt) * over, {0.001, -0.002, 0.004 - depth}};
}

/// One pad against one body, stepped as an engine does.
struct Stage {
  BristlePoints pad = BoxPad();
  BristleOptions options = Options();
  ProbeTarget body{Body(HalfSpace{}, {})};
  Pose X_WP = TiltedPose(), X_PT = PressedFlat(0.0012, 0.03);
  bool pad_is_A = false;
  double partner = 4;
  std::vector<AnchorState> memory = std::vector<AnchorState>(pad.count());
  BristleContact contact;
  ContactSurface surface;
  Patch patch;

  bool Find() { return contact.Find(pad, options, X_WP, body, X_WP * X_PT, pad_is_A); }
  void Build(const PatchOptions& o = {}) {
    contact.FillSurface(&surface);
    contact.BuildPatch(surface, o, &patch);
  }
  /// The body's motion along its own face and along its normal, as that of A relative to B.
  RelativeMotion Motion(const Vec3& v_T, const Vec3& w_T = {}) const {
    const Pose X_WT = X_WP * X_PT;
    const double s = pad_is_A ? -1 : 1;
    return {s * (X_WT.R * v_T), s * (X_WT.R * w_T), X_WT.p};
  }
  void Remember(const RelativeMotion& v, double h) {
    std::vector<AnchorState> next(pad.count());
    contact.Advance(memory.data(), partner, options.friction, v, h,
                    [&](int point, const AnchorState& s) { next[point] = s; });
    memory = std::move(next);
  }
  void ExplicitStep(const RelativeMotion& v, double h) {
    contact.Explicit(memory.data(), partner, options.friction, v, h);
    Remember(v, h);
  }
  /// What the rows would give at the velocity v+ at the end of the step, v now: F + G (v+ - v), with its own
  /// slope along the way of sliding, cut at the bound.
  Vec3 RowForce(int block, const RelativeMotion& v_now, const RelativeMotion& v_next) const {
    const FrictionBlock& f = contact.blocks()[block];
    const PatchBlock& b = patch.blocks[block];
    const Vec3 change = Tangential(v_next(b.p_W) - v_now(b.p_W), b.n_W);
    const double along = dot(change, f.along_W);
    return -NoLongerThan(f.force_W + f.damping * change + ((f.along_damping - f.damping) * along) * f.along_W,
                         f.bound);
  }
  double SumNormal() const {
    double sum = 0;
    for (const PressedBristle& b : contact.bristles()) sum += b.normal;
    return sum;
  }
};

inline void ExpectNear(const Vec3& a, const Vec3& b, double tolerance, const std::string& what = "") {
  EXPECT_LE(norm(a - b), tolerance) << what << ": " << a.x << " " << a.y << " " << a.z << " and " << b.x
                                    << " " << b.y << " " << b.z;
}

}  // namespace taxel::test
