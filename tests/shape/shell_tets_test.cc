// FillShells on a tilted block that shrinks to its centre, and on one that shrinks to a segment:
//  - sound meshes (positive, conforming, closed), the volume of the block, the layers where they should be;
//  - the outside does not depend on the number of layers.
#include "taxel/shape/shell_tets.h"

#include <gtest/gtest.h>

#include "taxel/math/pose.h"
#include "tet_checks.h"

namespace taxel {
using namespace internal;
namespace {

const Mat3 kTilt = RotationAbout({0.3, -0.7, 0.5}, 0.8);
const Vec3 kHalf{0.02, 0.02, 0.05};

// The block with its six faces; the core is the part of the z axis within `core` of the centre.
ShrinkingSurface Block(double core) {
  ShrinkingSurface s;
  s.quads = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int v = 0; v < 8; ++v) s.core_group.push_back(core > 0 && (v & 4) ? 1 : 0);
  s.position = [core](int v, double t) {
    const Vec3 corner = cwise_mul(kHalf, {v & 1 ? 1.0 : -1.0, v & 2 ? 1.0 : -1.0, v & 4 ? 1.0 : -1.0});
    const Vec3 end{0, 0, v & 4 ? core : -core};
    return kTilt * (corner + t * (end - corner));
  };
  s.middle = [](int, const Vec3& mean, double) { return mean; };
  return s;
}

TEST(FillShells, FillsABlockDownToAPointOrASegment) {
  for (double core : {0.0, 0.03})
    for (int layers : {1, 3}) {
      const TetMesh mesh = FillShells(Block(core), layers);
      test::ExpectSoundMesh(mesh);
      EXPECT_NEAR(TotalVolume(mesh), 8 * kHalf.x * kHalf.y * kHalf.z, 1e-15) << core << " " << layers;
      EXPECT_EQ(test::EulerCharacteristic(mesh), 1);
    }
}

TEST(FillShells, TheOutsideDoesNotDependOnTheLayers) {
  const TriangleMesh one = BoundarySurface(FillShells(Block(0.03), 1));
  const TriangleMesh four = BoundarySurface(FillShells(Block(0.03), 4));
  EXPECT_EQ(one.triangles.size(), 24u);  // four a face: no diagonal
  EXPECT_EQ(four.triangles.size(), one.triangles.size());
  EXPECT_NEAR(SurfaceArea(four), SurfaceArea(one), 1e-15);
}

}  // namespace
}  // namespace taxel
