// Patches of separate points (bristles):
//   - as few points as blocks, or fewer: each is its own block, with its own place, normal, force, stiffness
//   - many points are reduced to blocks that keep force, torque, stiffness, damping and second moments of
//     stiffness; forces stay positive; as many blocks as asked for
//   - pieces keep their order and know their block; sums of force and stiffness are those of the points
//   - walls: points whose normals are more than 45 degrees from the mean get blocks of their own
//   - forces that cancel, exactly or nearly: no block is lost or grows
//   - turned scenes give turned patches; used memory gives the same bits; no points, no patch; a patch made
//   of
//     points and then of a surface is that of the surface
#include <gtest/gtest.h>

#include <cmath>

#include "scenes.h"
#include "taxel/contact/patch.h"

namespace taxel {
namespace {

using test::TiltedPose;
using test::Uniform;

struct Points {
  std::vector<PatchPiece> pieces;
  ContactSurface surface;

  void Add(const Vec3& p, const Vec3& n, double force, double stiffness, double damping) {
    PatchPiece piece{};
    piece.p_W = p, piece.n_W = normalized(n);
    piece.area = 2e-6, piece.force = force, piece.stiffness = stiffness, piece.damping = damping;
    pieces.push_back(piece);
  }
  /// What the points add up to.
  Points Summed() const {
    Points out = *this;
    out.surface.Clear();
    Vec3 moment;
    for (const PatchPiece& p : pieces) {
      out.surface.area += p.area;
      out.surface.normal_force += p.force;
      moment += p.force * p.p_W;
      out.surface.wrench_on_A.force += p.force * p.n_W;
      out.surface.wrench_on_A.torque += cross(p.p_W, p.force * p.n_W);
    }
    if (out.surface.normal_force > 0) out.surface.center_of_pressure = moment / out.surface.normal_force;
    return out;
  }
  Points Moved(const Pose& X) const {
    Points out = *this;
    for (PatchPiece& p : out.pieces) p.p_W = X * p.p_W, p.n_W = X.R * p.n_W;
    return out.Summed();
  }
};

// rows x cols points in a rectangle that is no square, with loads that lean; `bend` turns the normals
// outwards.
Points Field(int rows, int cols, double bend = 0) {
  Points out;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      const double x = 0.03 * ((c + 0.5) / cols - 0.5), y = 0.018 * ((r + 0.5) / rows - 0.5);
      const int i = r * cols + c;
      out.Add({x, y, -0.5 * bend * (x * x + y * y)}, {bend * x, bend * y, 1},
              0.2 * (1 + 12 * x - 15 * y) * Uniform(1, i, 0.8, 1.2), 100 * Uniform(2, i, 0.7, 1.3),
              0.5 * Uniform(3, i, 0.5, 1.5));
    }
  return out.Summed();
}

Patch Build(const Points& points, const Mat3& R_WO = {}, int per_side = 4) {
  Patch patch;
  PatchOptions options;
  options.blocks_per_side = per_side;
  patch.BuildPoints(points.pieces, points.surface, R_WO, options);
  return patch;
}

Wrench Sum(const Patch& patch) {
  Wrench w;
  for (const PatchBlock& b : patch.blocks) {
    w.force += b.force * b.n_W;
    w.torque += cross(b.p_W, b.force * b.n_W);
  }
  return w;
}

TEST(PatchPoints, FewPointsAreTheirOwnBlocks) {
  for (const auto& [rows, cols] :
       {std::pair(1, 1), std::pair(1, 2), std::pair(2, 2), std::pair(3, 5), std::pair(4, 4)}) {
    for (double bend : {0.0, 8.0}) {
      const Points points = Field(rows, cols, bend).Moved(TiltedPose());
      const Patch patch = Build(points, TiltedPose().R);
      ASSERT_EQ(patch.blocks.size(), points.pieces.size());
      for (std::size_t i = 0; i < points.pieces.size(); ++i) {
        const PatchPiece& p = points.pieces[i];
        ASSERT_EQ(patch.pieces[i].block, static_cast<int>(i));
        const PatchBlock& b = patch.blocks[i];
        // The correction of the wrench has nothing to do: rounding alone.
        EXPECT_LT(norm(b.p_W - p.p_W), 1e-12);
        EXPECT_LT(norm(b.n_W - p.n_W), 1e-12);
        EXPECT_NEAR(b.force, p.force, 1e-12);
        EXPECT_NEAR(b.stiffness, p.stiffness, 1e-11);
        EXPECT_NEAR(b.damping, p.damping, 1e-13);
        EXPECT_TRUE(b.level);
      }
    }
  }
}

TEST(PatchPoints, ManyPointsAreReduced) {
  for (const auto& [rows, cols] : {std::pair(5, 4), std::pair(6, 14), std::pair(40, 25)}) {
    for (int per_side : {1, 2, 4}) {
      if (rows * cols <= per_side * per_side) continue;
      const Points points = Field(rows, cols).Moved(TiltedPose());
      const Patch patch = Build(points, TiltedPose().R, per_side);
      EXPECT_EQ(patch.blocks.size(), static_cast<std::size_t>(per_side * per_side));
      EXPECT_EQ(patch.pieces.size(), points.pieces.size());
      double force = 0, stiffness = 0, damping = 0, blocks_stiffness = 0, blocks_damping = 0;
      for (std::size_t i = 0; i < points.pieces.size(); ++i) {
        EXPECT_EQ(patch.pieces[i].p_W, points.pieces[i].p_W);
        EXPECT_GE(patch.pieces[i].block, 0);
        EXPECT_LT(patch.pieces[i].block, per_side * per_side);
        force += points.pieces[i].force, stiffness += points.pieces[i].stiffness;
        damping += points.pieces[i].damping;
      }
      EXPECT_NEAR(patch.force, force, 1e-12 * force);
      EXPECT_NEAR(patch.stiffness, stiffness, 1e-12 * stiffness);
      for (const PatchBlock& b : patch.blocks) {
        EXPECT_GT(b.force, 0);
        blocks_stiffness += b.stiffness, blocks_damping += b.damping;
      }
      EXPECT_NEAR(blocks_stiffness, stiffness, 1e-12 * stiffness);
      EXPECT_NEAR(blocks_damping, damping, 1e-12 * damping);
      const Wrench w = Sum(patch), exact = points.surface.wrench_on_A;
      EXPECT_LT(norm(w.force - exact.force), 1e-9 * force);
      // One block can hold the force alone.
      if (per_side > 1) {
        EXPECT_LT(norm(w.torque - exact.torque), 1e-6 * force * 0.03);
      }
    }
  }
}

TEST(PatchPoints, SecondMomentsOfStiffnessAreKept) {
  const Points points = Field(12, 21).Moved(TiltedPose());
  const Patch patch = Build(points, TiltedPose().R);
  double whole[3] = {}, blocked[3] = {}, k = 0;
  Vec3 c, q;
  for (const PatchPiece& p : points.pieces) c += p.stiffness * p.p_W, k += p.stiffness;
  for (const PatchBlock& b : patch.blocks) q += b.stiffness * b.p_W;
  c = c / k, q = q / k;
  EXPECT_LT(norm(c - q), 1e-9);
  const auto add = [&](double* into, double stiffness, const Vec3& p) {
    const double u = dot(p, patch.axis_u), v = dot(p, patch.axis_v);
    into[0] += stiffness * u * u, into[1] += stiffness * u * v, into[2] += stiffness * v * v;
  };
  for (const PatchPiece& p : points.pieces) add(whole, p.stiffness, p.p_W - c);
  for (const PatchBlock& b : patch.blocks) add(blocked, b.stiffness, b.p_W - q);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(blocked[i], whole[i], 1e-9 * whole[0]) << i;
}

TEST(PatchPoints, WallsGetBlocksOfTheirOwn) {
  // A floor with a wall at one side, as a corner of a box pressed into a pad meets them; few and many.
  for (const int n : {2, 9}) {
    Points points = Field(n, n);
    const int floor = static_cast<int>(points.pieces.size());
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        points.Add({0.015, 0.018 * ((r + 0.5) / n - 0.5), 0.004 * (c + 0.5) / n}, {-1, 0.1, 0.2}, 0.05, 60,
                   0.3);
    points = points.Moved(TiltedPose());
    const Patch patch = Build(points, TiltedPose().R);
    for (int i = 0; i < static_cast<int>(points.pieces.size()); ++i) {
      const PatchBlock& b = patch.blocks[patch.pieces[i].block];
      EXPECT_EQ(b.level, i < floor) << i;
      EXPECT_GT(dot(b.n_W, points.pieces[i].n_W), 0.999) << i;
    }
    EXPECT_EQ(patch.blocks.size(), n == 2 ? 8u : 32u);
    const Wrench w = Sum(patch), exact = points.surface.wrench_on_A;
    EXPECT_LT(norm(w.force - exact.force), 1e-3 * norm(exact.force));
    EXPECT_LT(norm(w.torque - exact.torque), 1e-3 * 0.03 * norm(exact.force));
  }
}

TEST(PatchPoints, ForcesThatCancel) {
  for (const double bend : {0.0, 40.0}) {
    for (const int n : {1, 2, 6}) {
      for (const double more : {0.0, 1e-16, 1e-9, 1e-4, 0.03, 0.2}) {
        // Two opposite sides of a pad between two jaws, the second pressed a little harder; n = 1: exactly
        // alike.
        Points points;
        for (const double side : {1.0, -1.0})
          for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c) {
              const double y = 0.012 * (r - 0.5 * (n - 1)) / n, z = 0.009 * (c - 0.5 * (n - 1)) / n;
              points.Add({0.008 * side, y, z}, {side, bend * y, bend * z}, 0.3 * (1 + (side < 0 ? more : 0)),
                         500, 0);
            }
        points = points.Summed();
        const Patch patch = Build(points);
        ASSERT_EQ(patch.pieces.size(), points.pieces.size()) << more;
        EXPECT_EQ(patch.blocks.size(), n == 1 ? 2u : n == 2 ? 8u : 32u) << more;
        double side[2] = {}, expected[2] = {};
        for (const PatchBlock& b : patch.blocks) {
          EXPECT_GT(b.force, 0);
          side[b.n_W.x < 0] += b.force * std::fabs(b.n_W.x);
        }
        for (const PatchPiece& p : points.pieces) expected[p.n_W.x < 0] += p.force * std::fabs(p.n_W.x);
        EXPECT_NEAR(side[0], expected[0], 1e-3 * expected[0]) << bend << " " << more;
        EXPECT_NEAR(side[1], expected[1], 1e-3 * expected[1]) << bend << " " << more;
        const Wrench w = Sum(patch), exact = points.surface.wrench_on_A;
        EXPECT_LT(norm(w.force - exact.force), 1e-4 * points.surface.normal_force) << bend << " " << more;
      }
    }
  }
}

TEST(PatchPoints, TurnedScenesGiveTurnedPatches) {
  for (const double bend : {0.0, 15.0}) {
    const Points points = Field(7, 13, bend);
    const Patch still = Build(points);
    for (int i = 0; i < 10; ++i) {
      const Pose X = test::RandomPose(7, i, 0.3);
      const Patch turned = Build(points.Moved(X), X.R);
      ASSERT_EQ(turned.blocks.size(), still.blocks.size());
      for (std::size_t b = 0; b < still.blocks.size(); ++b) {
        EXPECT_LT(norm(turned.blocks[b].p_W - X * still.blocks[b].p_W), 1e-9);
        EXPECT_LT(norm(turned.blocks[b].n_W - X.R * still.blocks[b].n_W), 1e-9);
        EXPECT_NEAR(turned.blocks[b].force, still.blocks[b].force, 1e-9);
      }
    }
  }
}

TEST(PatchPoints, UsedMemoryGivesTheSameBits) {
  const Points points = Field(7, 13, 5), others = Field(9, 3);
  const Patch fresh = Build(points);
  Patch used = Build(others);
  PatchOptions options;
  used.BuildPoints(points.pieces, points.surface, {}, options);
  ASSERT_EQ(used.blocks.size(), fresh.blocks.size());
  for (std::size_t b = 0; b < fresh.blocks.size(); ++b) {
    EXPECT_EQ(used.blocks[b].p_W, fresh.blocks[b].p_W);
    EXPECT_EQ(used.blocks[b].force, fresh.blocks[b].force);
  }
  used.BuildPoints({}, ContactSurface{}, {}, options);
  EXPECT_TRUE(used.blocks.empty() && used.pieces.empty());
  EXPECT_EQ(used.force, 0);
}

TEST(PatchPoints, ASurfaceAfterPointsIsThatOfTheSurface) {
  const Body pad(Box{{0.05, 0.03, 0.02}}, test::Backed(5e4)), ball(Sphere{0.02}, {});
  const ContactSurface surface =
      ComputeContact(pad, TiltedPose(), ball, TiltedPose() * test::At({0, 0, 0.027}));
  ASSERT_FALSE(surface.empty());
  Patch fresh, used = Build(Field(9, 14, 3));
  fresh.Build(surface, TiltedPose().R, {});
  used.Build(surface, TiltedPose().R, {});
  ASSERT_EQ(used.blocks.size(), fresh.blocks.size());
  ASSERT_EQ(used.pieces.size(), fresh.pieces.size());
  for (std::size_t b = 0; b < fresh.blocks.size(); ++b) {
    EXPECT_EQ(used.blocks[b].p_W, fresh.blocks[b].p_W);
    EXPECT_EQ(used.blocks[b].n_W, fresh.blocks[b].n_W);
    EXPECT_EQ(used.blocks[b].force, fresh.blocks[b].force);
    EXPECT_EQ(used.blocks[b].stiffness, fresh.blocks[b].stiffness);
    EXPECT_EQ(used.blocks[b].damping, 0);
  }
}

}  // namespace
}  // namespace taxel
