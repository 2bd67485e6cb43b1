// Exact distance to a closed triangle surface, with the sign of the winding number.
#pragma once

#include <vector>

#include "taxel/shape/bvh.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// What a far point sees of the triangles below one node of the tree (Barill et al. 2018, "Fast winding
/// numbers for soups and clouds", eq. 14 to first order). With areas A_t, unit normals n_t and centroids c_t:
struct WindingMoments {
  Vec3 center;        ///< sum A_t c_t / sum A_t
  double radius = 0;  ///< greatest distance from `center` to a corner
  Vec3 dipole;        ///< sum A_t n_t
  double quadrupole[6] =
      {};  ///< symmetric part of sum A_t (c_t - center) n_t^T: xx, yy, zz, xy + yx, yz + zy, zx
           ///< + xz
};

/// Distance from points to a closed triangle surface.
///
/// The triangles must face outwards (EnclosedVolume > 0). The sign comes from the winding number
///     w(p) = 1 / (4 pi) sum_t solid angle of triangle t seen from p,
/// which is 1 inside and 0 outside, and degrades gracefully: across a small hole it varies smoothly, so a
/// surface that is not quite closed still has a usable inside, {w > 1/2}. Overlapping parts count twice (w =
/// 2) and stay inside. A surface that faces inwards has w = -1 and therefore no inside: flip it first. A
/// point on the surface itself has distance 0 and an undefined inside.
///
///     const MeshDistance distance(mesh);       // valid: built once, then any number of queries
///     MeshDistance(mesh).SignedDistance(p);    // valid but slow: the tree is built for one query
///
/// All queries are const, take no memory, and may run on many threads at once.
class MeshDistance {
 public:
  /// Throws Error for an empty mesh, a vertex that is not finite or an index out of range.
  explicit MeshDistance(TriangleMesh mesh);

  struct Closest {
    double distance = 0;  ///< >= 0, metres
    Vec3 point;           ///< on the surface
    int triangle = -1;    ///< among equally near triangles the one of least index
  };
  /// The nearest point of the surface: exact up to rounding. A p that is not finite gives a distance that is
  /// not finite.
  Closest ClosestPoint(const Vec3& p) const;

  /// Winding number. A node of the tree farther than kBeta times its radius counts through its moments, a
  /// nearer one through its triangles. Error: below 0.1 on our test meshes of 20 to 200,000 triangles (mean
  /// 0.01), far from the 1/2 that would turn a sign.
  double WindingNumber(const Vec3& p) const;
  /// WindingNumber(p) > 1/2. Outside the bounding box the answer is false without a look at the triangles.
  bool Inside(const Vec3& p) const;
  /// Distance to the surface, negative inside.
  double SignedDistance(const Vec3& p) const;

  const TriangleMesh& mesh() const { return mesh_; }
  const Bvh& bvh() const { return bvh_; }

  static constexpr double kBeta = 2;

 private:
  struct Corners {
    Vec3 a, b, c;
  };
  void BuildMoments();

  TriangleMesh mesh_;
  Bvh bvh_;
  std::vector<Corners> corners_;  // in the order of bvh_.items, so that a leaf reads one stretch of memory
  std::vector<WindingMoments> moments_;  // one a node
};

}  // namespace taxel
