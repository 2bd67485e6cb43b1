// Rigid surfaces that face inwards, or are listed twice:
//   - a sound surface stays as it is, to the bit; open ones and the two sides of a sheet too
//   - a closed part that faces inwards is turned, alone and beside sound ones; split vertices do no harm
//   - the wall of a cavity stays; a mesh with a cavity that is inside out has its outer part turned
//   - duplicates are dropped, also when their corners start elsewhere; the other way round they are no
//   duplicates
#include "taxel/shape/mend_surface.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taxel/math/pose.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/primitives.h"

namespace taxel {
using namespace internal;
namespace {

TriangleMesh Moved(TriangleMesh mesh, const Vec3& by) {
  const Mat3 R = RotationAbout({0.3, -0.5, 0.7}, 0.8);
  for (Vec3& v : mesh.vertices) v = R * v + by;
  return mesh;
}
TriangleMesh Tilted(const Vec3& size, const Vec3& by = {0.3, -0.1, 0.2}) {
  return Moved(PrimitiveSurface(Box{size}, 1), by);
}
TriangleMesh InsideOut(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}
TriangleMesh Joined(TriangleMesh a, const TriangleMesh& b) {
  const int first = static_cast<int>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (auto t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}
TriangleMesh Split(const TriangleMesh& mesh) {
  TriangleMesh out;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    for (int k = 0; k < 3; ++k) out.vertices.push_back(mesh.corner(t, k));
    out.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return out;
}
const Vec3 kSize{0.05, 0.03, 0.02};

void ExpectUntouched(const TriangleMesh& mesh) {
  SurfaceMend mend;
  const TriangleMesh out = MendSurface(mesh, &mend);
  EXPECT_FALSE(mend.any());
  EXPECT_EQ(out.triangles, mesh.triangles);
  EXPECT_EQ(out.vertices, mesh.vertices);
}

TEST(MendSurface, LeavesSoundSurfacesAlone) {
  ExpectUntouched(Tilted(kSize));
  ExpectUntouched(Split(Tilted(kSize)));
  ExpectUntouched(Moved(PrimitiveSurface(Capsule{0.01, 0.03}, 0.004), {1, 2, 3}));
  TriangleMesh open = InsideOut(Tilted(kSize));
  open.triangles.pop_back();
  ExpectUntouched(open);
  const TriangleMesh sheet{{{0, 0, 0}, {0.1, 0, 0.02}, {0, 0.1, 0.01}}, {{0, 1, 2}, {0, 2, 1}}};
  ExpectUntouched(sheet);
}

TEST(MendSurface, TurnsClosedPartsThatFaceInwards) {
  for (const bool split : {false, true}) {
    TriangleMesh wrong = InsideOut(Tilted(kSize));
    if (split) wrong = Split(wrong);
    SurfaceMend mend;
    const TriangleMesh out = MendSurface(wrong, &mend);
    EXPECT_EQ(mend.parts, 1);
    EXPECT_EQ(mend.turned, static_cast<int>(wrong.triangles.size()));
    EXPECT_EQ(mend.duplicates, 0);
    EXPECT_NEAR(EnclosedVolume(out), kSize.x * kSize.y * kSize.z, 1e-12);
  }
  // Of two parts beside each other the wrong one.
  SurfaceMend mend;
  const TriangleMesh both =
      MendSurface(Joined(Tilted(kSize), InsideOut(Tilted({0.01, 0.02, 0.04}, {0.5, 0, 0}))), &mend);
  EXPECT_EQ(mend.parts, 1);
  EXPECT_NEAR(EnclosedVolume(both), kSize.x * kSize.y * kSize.z + 8e-6, 1e-12);
}

TEST(MendSurface, KnowsACavity) {
  const TriangleMesh outer = Tilted(kSize), inner = Tilted(0.4 * kSize);
  ExpectUntouched(Joined(outer, InsideOut(inner)));
  SurfaceMend mend;
  const TriangleMesh out = MendSurface(InsideOut(Joined(outer, InsideOut(inner))), &mend);
  EXPECT_EQ(mend.parts, 1);
  EXPECT_GT(EnclosedVolume(out), 0.99 * kSize.x * kSize.y * kSize.z);
}

TEST(MendSurface, DropsDuplicates) {
  const TriangleMesh once = Tilted(kSize);
  TriangleMesh again = once;
  for (auto& t : again.triangles) std::rotate(t.begin(), t.begin() + 1, t.end());
  SurfaceMend mend;
  TriangleMesh out = MendSurface(Joined(once, again), &mend);
  EXPECT_EQ(mend.duplicates, static_cast<int>(once.triangles.size()));
  EXPECT_EQ(mend.parts, 0);
  EXPECT_EQ(out.triangles, once.triangles);
  int count = 0;
  EXPECT_EQ(WithoutDuplicates(Joined(InsideOut(once), InsideOut(again)), &count).triangles,
            InsideOut(once).triangles);
  EXPECT_EQ(count, mend.duplicates);
  // Both at once.
  out = MendSurface(Joined(InsideOut(once), InsideOut(again)), &mend);
  EXPECT_EQ(mend.duplicates, static_cast<int>(once.triangles.size()));
  EXPECT_EQ(mend.parts, 1);
  EXPECT_NEAR(EnclosedVolume(out), kSize.x * kSize.y * kSize.z, 1e-12);
}

}  // namespace
}  // namespace taxel
