// Particles by carving voxels with depth images, as "Elastic Interaction of Particles" does.
#pragma once

#include <array>
#include <vector>

#include "taxel/shape/triangle_mesh.h"

namespace taxel {

struct CarveOptions {
  int views = 200;   ///< cameras, spread evenly over the directions of a sphere
  int pixels = 300;  ///< rows and columns of a depth image, which just holds the ball around the mesh
  /// Pinhole cameras instead of parallel rays.
  bool pinhole = false;
  /// Pinhole: how far the cameras are from the middle of the mesh, in half diagonals of its bounding box.
  double distance = 3;
  /// false: a voxel goes when its centre is seen empty. true: when all its eight corners are, so every voxel
  /// that the surface cuts stays. (The rule of the paper's tool; the solid grows by up to one voxel.)
  bool whole_voxels = false;
  /// What a ray tells that meets the back of a triangle first, that is, one that looks in through a hole.
  /// false: nothing, so the hole is filled. true: that all in front of the triangle is empty, as the depth
  /// alone says; a mesh whose triangles are not turned consistently needs this.
  bool look_through_holes = false;
};

struct Carving {
  std::vector<Vec3> points;  ///< centres of the voxels that stay; x slowest, z fastest
  double voxel = 0;          ///< edge, m
  std::array<int, 3> lattice{};
  double volume_per_point() const { return voxel * voxel * voxel; }
};

/// A voxel stays when no view sees it empty: when in every depth image one of the four pixels around its
/// projection is not farther than the voxel. The voxels are those of FillLattice: round(side / voxel) along
/// each axis, at least one, centred on the bounding box.
///
/// The mesh may be open. What no view sees into (a cavity, the depth of a narrow hole) is filled. Silhouettes
/// are kept to a pixel, so pixels should not be much larger than voxels: their size is the diagonal of the
/// bounding box over `pixels`. A sheet without thickness has no inside: only whole_voxels keeps it, less a
/// border past which flat views see.
///
/// The paper's numbers: a cube as wide as the mesh's diagonal in 256 voxels along each side (PaperVoxel),
/// images of 300 x 300, cameras at the vertices of a sphere mesh.
///
/// Throws Error for a mesh that CheckIndices refuses, a voxel that is not finite and > 0 or larger than the
/// mesh, more than kMaxVoxels voxels, options out of range, and when nothing stays.
Carving CarveVoxels(const TriangleMesh& mesh, double voxel, const CarveOptions& options = {});

/// Diagonal of the bounding box over 256.
double PaperVoxel(const TriangleMesh& mesh);

inline constexpr double kMaxVoxels = 3e8;

}  // namespace taxel
