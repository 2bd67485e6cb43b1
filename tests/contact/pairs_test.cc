// Tree walks against all pairs: the same force, torque and area
//   - tetrahedra (the L) and triangles (the dumbbell), tetrahedra and tetrahedra, linear and stiffening
//   - cells (box, ball) and tetrahedra, cells and triangles; cells and cells; facets
//   at tilted poses, deep and shallow, apart
#include "taxel/contact/pairs.h"

#include <gtest/gtest.h>

#include "scenes.h"
#include "taxel/contact/revolve.h"
#include "taxel/shape/read_mesh.h"

namespace taxel {
using namespace internal;
namespace {

using test::Backed;
using test::Soft;

// A tetrahedron or a cell as a piece in another frame.
struct Piece {
  Piece(const TetCell& c, const std::vector<Layer>& law, const Pose& X)
      : piece{planes, 4, Transform(X, c.depth), X * c.center, c.radius, &law, c.max_depth()} {
    for (int k = 0; k < 4; ++k) planes[k] = Transform(X, c.bary(k));
  }
  Piece(const Cell& c, const std::vector<Layer>& law, const Pose& X)
      : piece{planes, c.num_planes, Transform(X, c.depth), X * c.center, c.radius,
              &law,   c.max_depth,  X.R * c.axis,          c.width} {
    for (int k = 0; k < c.num_planes; ++k) planes[k] = Transform(X, c.planes[k]);
  }
  Piece(const Piece&) = delete;
  Plane planes[Cell::kMaxPlanes];
  SoftPiece piece;
};

// The two ways to the same surface.
template <class Fast, class Slow>
void ExpectSame(const Fast& fast, const Slow& slow, int i, int* touching) {
  ContactSurface a, b;
  FaceSink to_a({}, false, &a), to_b({}, false, &b);
  fast(&to_a);
  slow(&to_b);
  to_a.Finish();
  to_b.Finish();
  // Sums of thousands of faces in another order: 1e-12 of the forces, and of the lever 0.1 m.
  const double force = b.normal_force + 1e-3;
  EXPECT_NEAR(a.area, b.area, 1e-12 * b.area + 1e-15) << i;
  EXPECT_LT(norm(a.wrench_on_A.force - b.wrench_on_A.force), 1e-11 * force) << i;
  EXPECT_LT(norm(a.wrench_on_A.torque - b.wrench_on_A.torque), 1e-12 * force) << i;
  EXPECT_EQ(a.num_faces(), b.num_faces()) << i;
  *touching += !b.empty();
}

std::string File(const char* name) { return std::string(TAXEL_TEST_DATA "/") + name; }

const TetMesh& Ell() {
  static const TetMesh mesh = ReadTetMesh(File("l_shape_h10.vtk"));
  return mesh;
}
const BodyData& Dumbbell() {
  static const Body body(ReadTriangleMesh(File("dumbbell.obj")), {});
  return body.data();
}
Body SoftEll(bool stiffening) {
  BodyOptions o = stiffening ? Backed(5e4) : Soft(5e4);
  o.field.stiffening_start = 0.3;
  return Body(Ell(), o);
}

// The second body's pose in the first, the first pose apart.
Pose Place(int i, double reach) {
  if (i == 0) return test::At({0.5, 0.1, 0});
  return test::RandomPose(17, i, reach);
}
const Pose kX = test::TiltedPose();

Polygon Triangle(const BodyData& mesh, int t, const Pose& X) {
  Polygon p;
  p.n = 3;
  for (int k = 0; k < 3; ++k) p.v[k] = X * mesh.surface.corner(t, k);
  return p;
}

TEST(Pairs, TetsAndTriangles) {
  for (bool stiffening : {false, true}) {
    const Body ell = SoftEll(stiffening);
    int touching = 0;
    TraversalStack stack;
    for (int i = 0; i < 8; ++i) {
      const Pose X_FS = Place(i, 0.03);
      ExpectSame([&](FaceSink* sink) { TetsAndTriangles(kX, ell.data(), X_FS, Dumbbell(), &stack, sink); },
                 [&](FaceSink* sink) {
                   for (const TetCell& c : ell.data().tet_cells) {
                     const Piece piece(c, ell.data().law, Pose{});
                     for (std::size_t t = 0; t < Dumbbell().surface.triangles.size(); ++t)
                       FacetInCell(kX, Triangle(Dumbbell(), static_cast<int>(t), X_FS),
                                   X_FS.R * Dumbbell().surface_normals[t], piece.piece, sink);
                   }
                 },
                 i, &touching);
    }
    EXPECT_GE(touching, 6);
  }
}

TEST(Pairs, TetsAndTets) {
  for (bool stiffening : {false, true}) {
    const Body first = SoftEll(stiffening), second(Ell(), Soft(9e4));
    int touching = 0;
    TraversalStack stack;
    for (int i = 0; i < 12; ++i) {
      const Pose X_FS = Place(i, 0.03);
      ExpectSame([&](FaceSink* sink) { TetsAndTets(kX, first.data(), X_FS, second.data(), &stack, sink); },
                 [&](FaceSink* sink) {
                   for (const TetCell& a : first.data().tet_cells)
                     for (const TetCell& b : second.data().tet_cells)
                       EqualPressure(kX, Piece(a, first.data().law, Pose{}).piece,
                                     Piece(b, second.data().law, X_FS).piece, sink);
                 },
                 i, &touching);
    }
    EXPECT_GE(touching, 7);
  }
}

// Cells of a box, and of a ball cut all round.
std::vector<Cell> CellsOf(bool ball) {
  if (!ball) return Body(Box{{0.06, 0.04, 0.05}}, Soft(1)).data().cells;
  Approach approach;
  approach.n_A = normalized({0.1, 0.7, -0.4});
  approach.depth = 0.03;
  approach.spread = test::kPi;
  RevolveOptions options;
  options.cap_bounds = false;
  options.resolution = 0.012;
  RevolvedShape cut;
  cut.Cut(Sphere{0.03}, approach, {1, 0, 0}, options);
  std::vector<Cell> cells;
  cut.AppendCells(1, &cells);
  return cells;
}

TEST(Pairs, CellsAndTets) {
  for (bool ball : {false, true})
    for (bool stiffening : {false, true}) {
      const std::vector<Cell> cells = CellsOf(ball);
      const Body second = SoftEll(false);
      const std::vector<Layer> law = stiffening ? StiffeningLaw(4e4, 0.4) : LinearLaw(4e4);
      int touching = 0;
      for (int i = 0; i < (ball ? 3 : 10); ++i) {
        const Pose X_SF = Place(i, 0.03);
        ExpectSame([&](FaceSink* sink) { CellsAndTets(kX, X_SF, cells, law, second.data(), sink); },
                   [&](FaceSink* sink) {
                     for (const Cell& c : cells)
                       for (const TetCell& t : second.data().tet_cells)
                         EqualPressure(kX, Piece(c, law, X_SF).piece,
                                       Piece(t, second.data().law, Pose{}).piece, sink);
                   },
                   i, &touching);
      }
      EXPECT_GE(touching, ball ? 2 : 7);
    }
}

TEST(Pairs, CellsAndTriangles) {
  for (bool ball : {false, true}) {
    const std::vector<Cell> cells = CellsOf(ball);
    const std::vector<Layer> law = StiffeningLaw(4e4, 0.4);
    int touching = 0;
    for (int i = 0; i < (ball ? 3 : 10); ++i) {
      const Pose X_SF = Place(i, 0.03);
      ExpectSame([&](FaceSink* sink) { CellsAndTriangles(kX, X_SF, cells, law, Dumbbell(), sink); },
                 [&](FaceSink* sink) {
                   for (const Cell& c : cells) {
                     const Piece piece(c, law, X_SF);
                     for (std::size_t t = 0; t < Dumbbell().surface.triangles.size(); ++t)
                       FacetInCell(kX, Triangle(Dumbbell(), static_cast<int>(t), Pose{}),
                                   Dumbbell().surface_normals[t], piece.piece, sink);
                   }
                 },
                 i, &touching);
    }
    EXPECT_GE(touching, ball ? 2 : 7);
  }
}

TEST(Pairs, CellsAndCells) {
  const std::vector<Cell> box = CellsOf(false), ball = CellsOf(true);
  const std::vector<Layer> law = LinearLaw(4e4), other = LinearLaw(6e4);
  int touching = 0;
  std::vector<Cell> moved;
  for (int i = 0; i < 10; ++i) {
    const Pose X_FS = Place(i, 0.03);
    ExpectSame([&](FaceSink* sink) { CellsAndCells(kX, box, law, X_FS, ball, other, &moved, sink); },
               [&](FaceSink* sink) {
                 for (const Cell& a : box)
                   for (const Cell& b : ball)
                     EqualPressure(kX, Piece(a, law, Pose{}).piece, Piece(b, other, X_FS).piece, sink);
               },
               i, &touching);
  }
  EXPECT_GE(touching, 7);
}

TEST(Pairs, TetsAndFacets) {
  const Body ell = SoftEll(false);
  int touching = 0;
  for (int i = 0; i < 10; ++i) {
    const Pose X = Place(i, 0.03);
    std::vector<Facet> facets = Body(Box{{0.06, 0.03, 0.05}}, {}).data().facets;
    for (Facet& f : facets) {
      for (int k = 0; k < 4; ++k) f.vertices[k] = X * f.vertices[k];
      f.normal = X.R * f.normal;
      f.Bound();
    }
    auto all_pairs = [&](FaceSink* sink) {
      for (const TetCell& c : ell.data().tet_cells)
        for (const Facet& f : facets) {
          Polygon p;
          p.n = 4;
          for (int k = 0; k < 4; ++k) p.v[k] = f.vertices[k];
          FacetInCell(kX, p, f.normal, Piece(c, ell.data().law, Pose{}).piece, sink);
        }
    };
    ExpectSame([&](FaceSink* sink) { TetsAndFacets(kX, ell.data(), facets, sink); }, all_pairs, i, &touching);
  }
  EXPECT_GE(touching, 7);
}

}  // namespace
}  // namespace taxel
