// The kernels for tetrahedra against the general ones (intersect.h):
//   - two tetrahedra, a piece and a tetrahedron, a facet and a tetrahedron: random pairs, in both orders
//   - the same on a lattice with small whole values, where vertices have exactly equal pressure and faces
//   coincide
//   - a polygon in the face that two tetrahedra share is kept by exactly one of them
#include "taxel/contact/tet_intersect.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenes.h"

namespace taxel {
using namespace internal;
namespace {

using test::Uniform;
using test::UniformInBox;

void Complete(TetCell* c) {
  Vec3 v[4];
  for (int k = 0; k < 4; ++k) v[k] = c->vertex(k);
  c->center = 0.25 * (v[0] + v[1] + v[2] + v[3]);
  c->depth = {};
  c->radius = 0;
  for (int k = 0; k < 4; ++k) {
    const Vec3 a = v[(k + 1) % 4], n = cross(v[(k + 2) % 4] - a, v[(k + 3) % 4] - a);
    const double height = dot(n, v[k] - a);
    c->bx[k] = n.x / height, c->by[k] = n.y / height, c->bz[k] = n.z / height, c->bd[k] = -dot(n, a) / height;
    c->steepness[k] = norm(n) / std::fabs(height);
    c->depth.n += c->u[k] * c->bary(k).n;
    c->depth.d += c->u[k] * c->bd[k];
    c->radius = std::max(c->radius, norm(v[k] - c->center));
  }
}

void SetVertices(TetCell* c, const Vec3* v) {
  for (int k = 0; k < 4; ++k) c->x[k] = v[k].x, c->y[k] = v[k].y, c->z[k] = v[k].z;
}

double Volume(const Vec3* v) { return dot(cross(v[1] - v[0], v[2] - v[0]), v[3] - v[0]) / 6; }

TetCell RandomTet(std::uint64_t seed, std::uint64_t i) {
  Vec3 v[4];
  std::uint64_t draw = 64 * i;
  do {
    for (int k = 0; k < 4; ++k) v[k] = UniformInBox(seed, draw++, {-0.02, -0.02, -0.02}, {0.02, 0.02, 0.02});
  } while (std::fabs(Volume(v)) < 5e-7);  // no slivers: the comparison is of formulas, not of rounding
  if (Volume(v) < 0) std::swap(v[2], v[3]);
  TetCell c{};
  SetVertices(&c, v);
  for (int k = 0; k < 4; ++k) c.u[k] = Uniform(seed + 1, 4 * i + k, 0, 1);
  Complete(&c);
  return c;
}

// Corners on a 4 x 4 x 4 lattice of 1/128 m, u in quarters: all sums and products below are exact in binary.
TetCell LatticeTet(std::uint64_t seed, std::uint64_t i) {
  Vec3 v[4];
  std::uint64_t draw = 256 * i;
  do {
    for (Vec3& p : v)
      for (int k = 0; k < 3; ++k) p[k] = static_cast<double>(RandomBits(seed, draw++) % 4) / 128;
  } while (Volume(v) == 0);
  if (Volume(v) < 0) std::swap(v[2], v[3]);
  TetCell c{};
  SetVertices(&c, v);
  for (int k = 0; k < 4; ++k) c.u[k] = static_cast<double>(RandomBits(seed + 1, 4 * i + k) % 4) / 4;
  Complete(&c);
  return c;
}

struct Piece {
  Piece(const TetCell& c, const std::vector<Layer>& law, const Pose& X = {})
      : piece{planes, 4, Transform(X, c.depth), X * c.center, c.radius, &law, c.max_depth()} {
    for (int k = 0; k < 4; ++k) planes[k] = Transform(X, c.bary(k));
  }
  Piece(const Piece&) = delete;
  Plane planes[4];
  SoftPiece piece;
};

template <class Fill>
ContactSurface Collect(const Fill& fill) {
  ContactSurface s;
  FaceSink sink({}, false, &s);
  fill(&sink);
  sink.Finish();
  return s;
}

constexpr double kSlope1 = 3e4, kSlope2 = 7e4;
const std::vector<Layer> kLaw1 = LinearLaw(kSlope1), kLaw2 = LinearLaw(kSlope2);

// 1e-12 of the greatest force (7e4 Pa on a few cm2: 10 N), torque and area (1e-3 m2) of such pairs.
void ExpectSame(const ContactSurface& a, const ContactSurface& b, int i) {
  EXPECT_LT(norm(a.wrench_on_A.force - b.wrench_on_A.force), 1e-11) << i;
  EXPECT_LT(norm(a.wrench_on_A.torque - b.wrench_on_A.torque), 1e-12) << i;
  EXPECT_NEAR(a.area, b.area, 1e-15) << i;
  ASSERT_EQ(a.num_faces(), b.num_faces()) << i;
  if (a.empty()) return;
  EXPECT_NEAR(a.gradients_A[0], b.gradients_A[0], 1e-12 * 1e7) << i;
  if (!std::isinf(a.gradients_B[0])) {
    EXPECT_NEAR(a.gradients_B[0], b.gradients_B[0], 1e-12 * 1e7) << i;
  }
  EXPECT_NEAR(dot(a.normals[0], b.normals[0]), 1, 1e-12) << i;
  EXPECT_NEAR(a.max_pressure, b.max_pressure, 1e-7) << i;
}

class TetPairs : public testing::TestWithParam<bool> {
 protected:
  bool lattice() const { return GetParam(); }
  TetCell Tet(std::uint64_t seed, int i) const {
    return lattice() ? LatticeTet(seed, i) : RandomTet(seed, i);
  }
  Pose Place(std::uint64_t seed, int i) const {
    return lattice() ? Pose{} : test::RandomPose(seed, i, 0.005);
  }
  const Pose X_W_ = lattice() ? Pose{} : test::TiltedPose();
};

TEST_P(TetPairs, TwoTetrahedraAgreeWithTwoPieces) {
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const TetCell a = Tet(71, i), b = Tet(81, i);
    const Pose X_AB = Place(91, i);
    const ContactSurface general = Collect([&](FaceSink* sink) {
      EqualPressure(X_W_, Piece(a, kLaw1).piece, Piece(b, kLaw2, X_AB).piece, sink);
    });
    const ContactSurface sliced = Collect([&](FaceSink* sink) {
      EqualPressureOfTets(X_W_, Inverse(X_AB), a, MovedTet(Inverse(X_AB), a), kSlope1, b, MovedTet(X_AB, b),
                          kSlope2, sink);
    });
    ExpectSame(general, sliced, i);
    // The other order gives the opposite, in the frame of the other.
    const ContactSurface swapped = Collect([&](FaceSink* sink) {
      EqualPressureOfTets(X_W_ * X_AB, X_AB, b, MovedTet(X_AB, b), kSlope2, a, MovedTet(Inverse(X_AB), a),
                          kSlope1, sink);
    });
    if (!lattice()) {  // a polygon in a face of either is kept by the rule of whoever is first
      EXPECT_LT(norm(sliced.wrench_on_A.force + swapped.wrench_on_A.force), 1e-11) << i;
      EXPECT_NEAR(sliced.area, swapped.area, 1e-15) << i;
    }
    touching += !sliced.empty();
  }
  EXPECT_GT(touching, 150);
}

TEST_P(TetPairs, APieceAndATetrahedronAgreeWithTwoPieces) {
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const TetCell a = Tet(72, i), b = Tet(82, i);
    const Pose X_BA = Place(92, i);
    const Piece piece(a, kLaw1, X_BA);
    const ContactSurface general =
        Collect([&](FaceSink* sink) { EqualPressure(X_W_, piece.piece, Piece(b, kLaw2).piece, sink); });
    const ContactSurface sliced =
        Collect([&](FaceSink* sink) { EqualPressureInTet(X_W_, piece.piece, b, kSlope2, sink); });
    ExpectSame(general, sliced, i);
    touching += !sliced.empty();
  }
  EXPECT_GT(touching, 150);
}

TEST_P(TetPairs, AFacetAgreesWithTheGeneralKernel) {
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const TetCell tet = Tet(73, i), other = Tet(83, i);
    const Pose X = Place(93, i);
    Polygon facet;  // a face of another tetrahedron
    facet.n = 3;
    for (int k = 0; k < 3; ++k) facet.v[k] = X * other.vertex(k);
    const Vec3 n = normalized(cross(facet.v[1] - facet.v[0], facet.v[2] - facet.v[0]));
    const ContactSurface general =
        Collect([&](FaceSink* sink) { FacetInCell(X_W_, facet, n, Piece(tet, kLaw1).piece, sink); });
    const ContactSurface sliced =
        Collect([&](FaceSink* sink) { FacetInTet(X_W_, facet, n, tet, kSlope1, sink); });
    ExpectSame(general, sliced, i);
    touching += !sliced.empty();
  }
  EXPECT_GT(touching, 150);
}

INSTANTIATE_TEST_SUITE_P(Positions, TetPairs, testing::Bool(),
                         [](const auto& info) { return info.param ? "Lattice" : "Random"; });

TEST(EqualPressureOfTets, AVertexOfEqualPressureDoesNotLoseTheFace) {
  // Excess (+, +, -, 0), (+, +, 0, -) and so on: the cut through a vertex gives a quadrilateral with a double
  // corner.
  const double e[3] = {0.5, -0.25, 0};
  const Vec3 corners[4] = {{0, 0, 0}, {0.03, 0.004, 0}, {0.002, 0.04, 0.001}, {0.005, 0.006, 0.05}};
  TetCell big{};  // holds all, with the constant depth 1/2
  const Vec3 around[4] = {{-1, -1, -1}, {3, -1, -1}, {-1, 3, -1}, {-1, -1, 3}};
  SetVertices(&big, around);
  for (double& u : big.u) u = 0.5;
  Complete(&big);
  int cut = 0;
  for (int code = 0; code < 81; ++code) {
    TetCell tet{};
    SetVertices(&tet, corners);
    int positive = 0, negative = 0;
    for (int k = 0, rest = code; k < 4; ++k, rest /= 3) {
      tet.u[k] = 0.5 + e[rest % 3];
      positive += rest % 3 == 0;
      negative += rest % 3 == 1;
    }
    if (positive == 0 || negative == 0) continue;
    Complete(&tet);
    ++cut;
    ContactOptions options;
    options.cull = false;  // the big one has no gradient
    ContactSurface general, sliced, in_piece;
    FaceSink to_general(options, false, &general), to_sliced(options, false, &sliced),
        to_piece(options, false, &in_piece);
    EqualPressure(Pose{}, Piece(tet, kLaw1).piece, Piece(big, kLaw1).piece, &to_general);
    EqualPressureOfTets({}, {}, tet, MovedTet({}, tet), kSlope1, big, MovedTet({}, big), kSlope1, &to_sliced);
    EqualPressureInTet(Pose{}, Piece(big, kLaw1).piece, tet, kSlope1, &to_piece);
    ASSERT_FALSE(general.empty() && positive + negative > 2) << code;
    EXPECT_NEAR(sliced.area, general.area, 1e-12 * 1e-3) << code;
    EXPECT_NEAR(in_piece.area, general.area, 1e-12 * 1e-3) << code;
  }
  EXPECT_GT(cut, 40);
}

TEST(FacetInTet, OneOfTwoNeighboursKeepsAFacetInTheirCommonFace) {
  const Vec3 a{0, 0, 0}, b{0.03, 0, 0}, c{0, 0.02, 0};
  TetCell above{}, below{};
  const Vec3 up[4] = {a, b, c, {0.01, 0.01, 0.03}}, down[4] = {a, c, b, {0.01, 0.01, -0.02}};
  SetVertices(&above, up);
  SetVertices(&below, down);
  for (TetCell* t : {&above, &below}) {
    t->u[0] = t->u[1] = t->u[2] = 0.3, t->u[3] = 0.31;
    Complete(t);
  }
  Polygon facet;
  facet.n = 3;
  for (bool facing_up : {true, false}) {
    facet.v[0] = a, facet.v[1] = facing_up ? b : c, facet.v[2] = facing_up ? c : b;
    ContactOptions options;
    options.cull = false;
    ContactSurface s;
    FaceSink sink(options, false, &s);
    const Vec3 n{0, 0, facing_up ? 1.0 : -1.0};
    FacetInTet(test::TiltedPose(), facet, n, above, kSlope1, &sink);
    const int in_above = s.num_faces();
    FacetInTet(test::TiltedPose(), facet, n, below, kSlope1, &sink);
    EXPECT_EQ(in_above, facing_up ? 1 : 0);
    EXPECT_EQ(s.num_faces(), 1);
    EXPECT_NEAR(s.area, 0.03 * 0.02 / 2, 1e-17);
  }
}

}  // namespace
}  // namespace taxel
