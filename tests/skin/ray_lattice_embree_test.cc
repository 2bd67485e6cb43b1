// Lattice rays against Embree 3, an independent engine in single precision: contact surfaces of four objects
// on a tilted pad, 20,000 rays each; the same hits but for a few at the silhouette, the same depth.
#include <embree3/rtcore.h>
#include <gtest/gtest.h>

#include <cmath>

#include "skin_scenes.h"
#include "taxel/skin/ray_lattice.h"

namespace taxel {
using namespace internal;
namespace {

using test::Press;

// Distance from z = 1 of the lattice's frame along -z to the first triangle, or a negative number.
class EmbreeRays {
 public:
  explicit EmbreeRays(const std::vector<Vec3>& corners)
      : device_(rtcNewDevice(nullptr)), scene_(rtcNewScene(device_)) {
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* v = static_cast<float*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), corners.size()));
    for (const Vec3& p : corners)
      for (int k = 0; k < 3; ++k) *v++ = static_cast<float>(p[k]);
    auto* t = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), corners.size() / 3));
    for (unsigned i = 0; i < corners.size(); ++i) *t++ = i;
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene_);
  }
  ~EmbreeRays() {
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
  }
  EmbreeRays(const EmbreeRays&) = delete;
  EmbreeRays& operator=(const EmbreeRays&) = delete;

  double Cast(double x, double y, double from) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit query{};
    query.ray.org_x = static_cast<float>(x);
    query.ray.org_y = static_cast<float>(y);
    query.ray.org_z = static_cast<float>(from);
    query.ray.dir_z = -1;
    query.ray.tfar = INFINITY;
    query.ray.mask = ~0u;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene_, &context, &query);
    return query.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1 : query.ray.tfar;
  }

 private:
  RTCDevice device_;
  RTCScene scene_;
};

TEST(RayLatticeEmbree, ContactSurfacesAgree) {
  const Vec3 size{0.08, 0.06, 0.02};
  const Body pad(Box{size}, test::Backed(5e4));
  const Layout layout = BoxFaceGrid(size, "+z", 10, 10, 0.003, 0.003);
  PlaneGrid g = layout.grid;
  g.rows = 142, g.cols = 141, g.du = 0.03 / 141, g.dv = 0.03 / 142;
  const struct {
    Body object;
    Pose pose;
  } cases[] = {
      {Body(Sphere{0.02}, {}), test::At({0.001, -0.002, 0.0285})},
      {Body(Sphere{0.02}, test::Soft(3e4)), test::At({0.001, -0.002, 0.027})},
      {Body(Capsule{0.006, 0.01}, {}), {RotationAbout(normalized({1, 2, 0}), 1.4), {0.002, 0, 0.0145}}},
      {Body(test::LPrism(0.006, 0.008), {}),
       {RotationAbout(normalized({1, 2, 5}), 0.2), {-0.006, -0.005, 0.0085}}}};
  for (const auto& [object, pose] : cases) {
    const Press press(pad, object, pose, test::TiltedPose(), false);
    const PressedFaces faces = press.faces();
    RayLattice rays;
    rays.Cast(g, faces, 0);
    // Embree sees the faces that look up, in the lattice's frame.
    std::vector<Vec3> corners;
    for (int f = 0; f < faces.count(); ++f)
      for (int k = faces.start[f] + 2; k < faces.start[f + 1] && faces.inward[f].z < -1e-9; ++k)
        for (int i : {faces.start[f], k - 1, k}) corners.push_back(Inverse(g.X_GF) * faces.vertices[i]);
    const EmbreeRays embree(corners);
    int hits = 0, different = 0;
    const double from = 0.01;
    for (int r = 0; r < g.rows; ++r)
      for (int c = 0; c < g.cols; ++c) {
        const double theirs = embree.Cast(g.u0 + (c + 0.5) * g.du, g.v0 + (r + 0.5) * g.dv, from);
        const bool looked = r >= rays.r0 && r < rays.r1 && c >= rays.c0 && c < rays.c1;
        const bool ours = looked && rays.face(r, c) >= 0;
        hits += ours;
        // Floats at 0.01 m are 1e-9 apart; steep faces magnify that.
        different += ours != (theirs >= 0) || (ours && std::fabs(from + rays.depth(r, c) - theirs) > 2e-8);
      }
    EXPECT_GT(hits, 2000);
    EXPECT_LE(different, 3);  // rays that graze the rim or a wall within single precision
  }
}

}  // namespace
}  // namespace taxel
