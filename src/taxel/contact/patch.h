// A contact surface as a solver wants it: pieces small enough for friction, blocks few enough for rows.
#pragma once

#include <limits>
#include <vector>

#include "taxel/contact/surface.h"

namespace taxel {

/// A part of one face, at most one cell of the patch's grid large.
struct PatchPiece {
  Vec3 p_W, n_W;     ///< centroid and unit normal, out of B into A
  double area;       ///< m2
  double force;      ///< integral of the pressure, N
  double stiffness;  ///< area x series gradient: how the force rises with approach, N/m
  Vec3 slope_W;  ///< how the force rises when A slides over B, N/m: pressure gradient within the face x area
  double moment_uu, moment_uv, moment_vv;  ///< second moments of its area about its centroid, in (u, v), m4
  int block;                               ///< of the patch
  int column = -1;                         ///< of the surface's face (ContactSurface::columns); -1: none
  double damping = 0;  ///< of its own, N s/m, beside what follows from the force (dissipation)
};

/// What stands for several pieces in the solver: one point with a normal.
struct PatchBlock {
  Vec3 p_W, n_W;
  double force, stiffness;
  Vec3 slope_W;  ///< sum over the pieces
  Vec3 slip_W;   ///< where friction acts when it slides: keeps the torque of a patch that spins on the spot
  bool level;    ///< within 45 degrees of the mean normal
  /// Damping of the block over dissipation x force: keeps the loss of a rolling patch.
  double damping_share = 1;
  double damping = 0;  ///< sum over the pieces' own, N s/m
};

struct PatchOptions {
  int blocks_per_side = 4;   ///< 1 to 16; a flat patch has at most the square of it
  double piece_size = 0;     ///< wanted size of the pieces, m; 0: as large as the blocks
  int pieces_per_block = 3;  ///< most pieces along the side of a block
  /// Pressure at which a layer is flat (core_touch.h). Where it is higher the piece pushes with this one:
  /// what lies beyond is held by the core, and a spring there would give back what nobody put in.
  double core_pressure = std::numeric_limits<double>::infinity();
  /// The same by face, where it is not one for all. Only read by Build.
  const std::vector<double>* core_pressures = nullptr;
  /// How deep the contact is (core_touch.h), m. A face that the gradient meets edge-on has force without
  /// stiffness; a block's force is then taken to vanish over twice this way, and over the size of the patch
  /// at most.
  double depth = std::numeric_limits<double>::infinity();
};

/// Pieces and blocks of one contact surface.
///
/// The patch is seen along its mean normal; a grid over its box, with axes fixed to a body so that it does
/// not turn under a sliding object, cuts the faces into pieces. Faces turned by more than 45 degrees from the
/// mean (walls of a socket) get grids of their own. The pieces of a block add up to one point.
///
/// Sixteen points feel like the whole surface because two things are put back that summing loses:
///   1. rotational stiffness: the points are spread by the linear map that gives them the second moments of
///      stiffness of the surface (in the plane of the patch);
///   2. the wrench: forces are corrected by those of a virtual rigid motion,  df_b = k_b w_b . l,  so that
///      force and torque are those of the surface, exactly integrated.
/// Both are left out, or held back, where they would turn a force around.
///
/// Faces seen edge-on are faded out: the side wall of a block pressed into a pad meets a pressure that does
/// not change along its normal. It has force without stiffness, comes and goes with the least tilt, and
/// opposite walls cancel.
struct Patch {
  Vec3 mean_normal;  ///< along the force on A
  Vec3 axis_u, axis_v;
  std::vector<PatchPiece> pieces;
  std::vector<PatchBlock> blocks;
  double force = 0, stiffness = 0;  ///< sums over the pieces
  Wrench
      wrench;  ///< on A about the world origin: that of the surface without what was faded or is the core's

  /// Rebuilds all from `surface`; R_WO orients the body whose axes the grid follows. Keeps memory.
  void Build(const ContactSurface& surface, const Mat3& R_WO, const PatchOptions& options);
  /// The same from separate points that each are a piece (bristles): they are not cut nor merged, and keep
  /// their order. `surface` tells area, centre of pressure and wrench of all of them.
  void BuildPoints(const std::vector<PatchPiece>& points, const ContactSurface& surface, const Mat3& R_WO,
                   const PatchOptions& options);
  void Clear();
  /// Forces times one factor, stiffnesses times the other.
  void Scale(double force_factor, double stiffness_factor);

 private:
  struct Corner {
    Vec3 p;
    double pressure, u, v;
  };
  struct Grid {
    bool used = false;
    double u0 = 0, v0 = 0, u1 = 0, v1 = 0;
    int cells_u = 1, cells_v = 1;
    void Include(double u, double v);
  };
  struct Face {
    double gradient;  // series gradient along the normal
    Vec3 slope;       // gradient within the face, as it counts when A slides over B
    double weight;    // less than 1: faded
    double core_pressure;
    int bin;
  };
  void SetAxes(const Vec3& direction, const Mat3& R_WO);
  struct BlockSum {
    Vec3 push, moment;  // sums of force x normal, force x place
    double load = 0;    // sum of forces
    Vec3 torque;        // of the forces about the block's point
  };
  void AddPiece(const Corner* corners, int count, int face, const ContactSurface& surface, double weight,
                int grid_block);
  void CutFace(const ContactSurface& surface, int face, const Grid& grid, int blocks_per_side);
  void MergePieces(const Grid* grids, int blocks_per_side);
  void MakeBlocks(const ContactSurface& surface, int level_blocks, double size);
  void SpreadBlocks();
  void SpreadForSpin(const Vec3& center);
  void ShareDamping(const Vec3& center);
  void RestoreWrench(const ContactSurface& surface);

  std::vector<int> grid_block_;  // of each piece: (bin x blocks per side + u) x blocks per side + v
  std::vector<int> block_of_;    // grid block to block of the patch, -1: holds no piece
  std::vector<PatchPiece> merged_;
  std::vector<int> merged_grid_block_, merged_of_;  // of the merged pieces; of the cells they were merged in
  std::vector<int> bins_;                           // of the points of BuildPoints
  std::vector<BlockSum> sums_;
  std::vector<char> held_;
  std::vector<double> change_;
  std::vector<Face> faces_;
};

/// A block on the flank of a patch loses its force faster when the body leaves along the mean normal m than
/// along the block's own n: by k c - s . (m - c n) over c a metre along n, with c = n . m and s the slope
/// within the face. What is to be added to k, N/m; 0 for blocks that look far aside.
double ExitStiffness(const Patch& patch, const PatchBlock& block);

}  // namespace taxel
