// RevolvedShape, for spheres, flat and long ellipsoids, capsules, squat, cubic and long cylinders:
//   - facets: closed, outward, flat; the volume is right to 1 % and better the finer they are
//   - the mean squared radius over the facets is that of the true surface
//   - cells: every inner point lies in exactly one, whose depth is RelativeDepth; bounds hold what they
//   promise
//   - against a mesh: not many more pieces for a shallow touch than for a deep one
//   - with a cap: whatever lies in the cap is still there, and much else is not
#include "taxel/contact/revolve.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>

#include "scenes.h"
#include "taxel/contact/prepare.h"

namespace taxel {
using namespace internal;
namespace {

using test::kPi;
using test::UniformDirection;

struct Shape {
  const char* name;
  Primitive shape;
  double volume;
};
void PrintTo(const Shape& s, std::ostream* out) { *out << s.name; }

class Revolved : public testing::TestWithParam<Shape> {
 protected:
  const Primitive& shape() const { return GetParam().shape; }
  /// Cut finely all round, with facets of about `step` radians.
  RevolvedShape Everywhere(double step) const {
    Approach approach;
    approach.n_A = normalized({0.3, -0.5, 0.7});
    approach.depth = InscribedRadius(shape());
    approach.spread = kPi;
    RevolveOptions options;
    options.cap_bounds = false;
    const Vec3 half = 0.5 * BoundingBox(shape()).size();
    const auto* ellipsoid = std::get_if<Ellipsoid>(&shape());
    options.resolution = step * (ellipsoid ? std::cbrt(half.x * half.y * half.z) : half.x);
    RevolvedShape out;
    out.Cut(shape(), approach, {0.2, 0.6, -0.1}, options);
    return out;
  }
};

bool Contains(const Cell& c, const Vec3& p) {
  for (int i = 0; i < c.num_planes; ++i)
    if (c.planes[i](p) < 0) return false;
  return true;
}

double Volume(const std::vector<Facet>& facets) {
  double six = 0;
  for (const Facet& f : facets)
    for (int i = 1; i + 1 < f.num_vertices; ++i)
      six += dot(f.vertices[0], cross(f.vertices[i], f.vertices[i + 1]));
  return six / 6;
}

TEST_P(Revolved, FacetsAreClosedFlatAndOutward) {
  std::vector<Facet> facets;
  Everywhere(0.1).AppendFacets(&facets);
  ASSERT_GT(facets.size(), 100u);
  std::map<std::array<std::int64_t, 6>, int> edges;  // directed, vertices rounded to 1e-12 m
  auto key = [](const Vec3& a, const Vec3& b) {
    std::array<std::int64_t, 6> out;
    for (int k = 0; k < 3; ++k) out[k] = std::llround(a[k] * 1e12), out[3 + k] = std::llround(b[k] * 1e12);
    return out;
  };
  for (const Facet& f : facets) {
    EXPECT_NEAR(norm(f.normal), 1, 1e-14);
    EXPECT_GT(dot(f.normal, f.center), 0);  // all these shapes are star-shaped about the origin
    for (int i = 0; i < f.num_vertices; ++i) {
      const Vec3 a = f.vertices[i], b = f.vertices[(i + 1) % f.num_vertices];
      ++edges[key(a, b)];
      EXPECT_NEAR(dot(f.normal, a - f.center), 0, 1e-12);
      EXPECT_LE(norm(a - f.center), f.radius * (1 + 1e-12));
      EXPECT_GT(dot(cross(b - a, f.vertices[(i + 2) % f.num_vertices] - b), f.normal), 0);
    }
  }
  for (const auto& [edge, count] : edges) {
    ASSERT_EQ(count, 1);
    const std::array<std::int64_t, 6> back{edge[3], edge[4], edge[5], edge[0], edge[1], edge[2]};
    ASSERT_EQ(edges.count(back), 1u);
  }
}

TEST_P(Revolved, TheVolumeIsRight) {
  double error[2];
  for (int k = 0; k < 2; ++k) {
    std::vector<Facet> facets;
    Everywhere(k == 0 ? 0.1 : 0.02).AppendFacets(&facets);
    error[k] = std::fabs(Volume(facets) / GetParam().volume - 1);
  }
  EXPECT_LT(error[0], 1e-2);
  EXPECT_LT(error[1], 1e-3);
}

// The vertices are moved out so that this mean is right; inscribed facets of `step` lack step^2 / 6 a
// direction.
TEST_P(Revolved, TheMeanSquaredRadiusIsKept) {
  const double step = 0.1;
  std::vector<Facet> facets;
  Everywhere(step).AppendFacets(&facets);
  double area = 0, sum = 0;
  for (const Facet& f : facets) {
    // The integral over a triangle of the squared gauge g^2, exact by the midpoints of its edges: the gauge
    // is 1 on the true surface. On capsules and cylinders the side alone counts.
    auto gauge2 = [&](const Vec3& p) {
      if (const auto* e = std::get_if<Ellipsoid>(&shape())) return norm2(cwise_div(p, e->semi_axes));
      const double R = 0.5 * BoundingBox(shape()).size().x;
      return (std::holds_alternative<Sphere>(shape()) ? norm2(p) : p.x * p.x + p.y * p.y) / (R * R);
    };
    if (!std::holds_alternative<Sphere>(shape()) && !std::holds_alternative<Ellipsoid>(shape())) {
      const double h = 0.5 * (std::holds_alternative<Capsule>(shape()) ? std::get<Capsule>(shape()).length
                                                                       : std::get<Cylinder>(shape()).length);
      if (std::fabs(f.normal.z) > 1e-9 || std::fabs(f.center.z) > h) continue;
    }
    for (int i = 1; i + 1 < f.num_vertices; ++i) {
      const Vec3 a = f.vertices[0], b = f.vertices[i], c = f.vertices[i + 1];
      const double A = 0.5 * norm(cross(b - a, c - a));
      area += A;
      sum += A / 3 * (gauge2(0.5 * (a + b)) + gauge2(0.5 * (b + c)) + gauge2(0.5 * (c + a)));
    }
  }
  ASSERT_GT(area, 0);
  // Exact on straight sides; on balls the facets narrow towards the poles, where less would do.
  const bool round = std::holds_alternative<Sphere>(shape()) || std::holds_alternative<Ellipsoid>(shape());
  EXPECT_NEAR(sum / area, 1, round ? 0.4 * step * step / 3 : 1e-12);
}

TEST_P(Revolved, CellsPartitionTheInsideAndCarryTheDepth) {
  const double step = 0.05, scale = 2.5;
  std::vector<Cell> cells;
  Everywhere(step).AppendCells(scale, &cells);
  const Box3 box = BoundingBox(shape());
  int inside = 0;
  for (int i = 0; inside < 400; ++i) {
    const Vec3 p = test::UniformInBox(3, i, box.lo, box.hi);
    const double u = RelativeDepth(shape(), p);
    if (u < 0.01) continue;
    ++inside;
    int holds = 0;
    for (const Cell& c : cells) {
      if (!Contains(c, p)) continue;
      ++holds;
      // The surface is off by step^2 / 12 at most, and lies askew by step / 2 within a facet, which lengthens
      // the way to it by step^2 / 8.
      EXPECT_NEAR(c.depth(p) / scale, u, 0.5 * step * step + 1e-3);
      EXPECT_LE(c.depth(p), c.max_depth * (1 + 1e-2));
      EXPECT_LE(norm(p - c.center), c.radius * (1 + 1e-9));
      const Vec3 d = p - c.center;
      EXPECT_LE(norm(d - dot(d, c.axis) * c.axis), c.width * (1 + 1e-9));
    }
    ASSERT_EQ(holds, 1) << "x " << p.x << " y " << p.y << " z " << p.z << " depth " << u;
  }
}

TEST_P(Revolved, TheCapIsKeptWhole) {
  for (int i = 0; i < 12; ++i) {
    Approach approach;
    approach.n_A = UniformDirection(7, i);
    approach.depth = 0.1 * InscribedRadius(shape());
    RevolvedShape cut;
    cut.Cut(shape(), approach, UniformDirection(8, i), {});
    std::vector<Cell> cells;
    std::vector<Facet> facets;
    cut.AppendCells(1, &cells);
    cut.AppendFacets(&facets);
    const double height = dot(approach.n_A, SupportPoint(shape(), approach.n_A)) - approach.depth;
    const Box3 box = BoundingBox(shape());
    int inside = 0;
    for (int j = 0; j < 200000 && inside < 60; ++j) {
      const Vec3 p = test::UniformInBox(9 + i, j, box.lo, box.hi);
      if (dot(approach.n_A, p) < height || RelativeDepth(shape(), p) < 0.003) continue;
      ++inside;
      int holds = 0;
      double depth = 0;
      for (const Cell& c : cells)
        if (Contains(c, p)) ++holds, depth = c.depth(p);
      ASSERT_EQ(holds, 1) << i;
      // Ten facets across: step = 0.2 x the angle of the cap, whose square is 2 x 0.1.
      EXPECT_NEAR(depth, RelativeDepth(shape(), p), 2e-3);
    }
    EXPECT_GT(inside, 5);
    // A cell is joined to the medial axis; none starts from a facet on the far side.
    for (const Facet& f : facets) EXPECT_GT(dot(f.normal, approach.n_A), -0.71) << i;
  }
}

// Against a mesh the whole body is cut, because the mesh may touch anywhere. The number of pieces must not
// follow the depth down to nothing: a capsule that just touches a plate would fill the memory.
TEST_P(Revolved, AShallowTouchOnAMeshStaysAffordable) {
  for (double fraction : {1e-1, 1e-2, 1e-3, 1e-4})
    for (double spread : {0.0, 0.8}) {  // on a plate; between the walls of a groove
      Approach approach;
      approach.n_A = normalized({0.3, -0.5, 0.2});
      approach.depth = fraction * InscribedRadius(shape());
      approach.spread = spread;
      RevolveOptions options;
      options.cap_bounds = false;
      RevolvedShape cut;
      cut.Cut(shape(), approach, {0.2, 0.6, -0.1}, options);
      std::vector<Cell> cells;
      cut.AppendCells(1, &cells);
      EXPECT_LT(cells.size(), 50000u) << "depth " << fraction << " of the radius, spread " << spread;
    }
}

constexpr double kBall = 4.0 / 3 * kPi;
INSTANTIATE_TEST_SUITE_P(
    Shapes, Revolved,
    testing::Values(Shape{"Sphere", Sphere{0.03}, kBall * 2.7e-5},
                    Shape{"FlatEllipsoid", Ellipsoid{{0.03, 0.02, 0.01}}, kBall * 6e-6},
                    Shape{"LongEllipsoid", Ellipsoid{{0.01, 0.012, 0.04}}, kBall * 4.8e-6},
                    Shape{"Capsule", Capsule{0.01, 0.03}, kBall * 1e-6 + kPi * 3e-6},
                    Shape{"ShortCapsule", Capsule{0.02, 0.004}, kBall * 8e-6 + kPi * 1.6e-6},
                    Shape{"LongCylinder", Cylinder{0.01, 0.06}, kPi * 6e-6},
                    Shape{"SquatCylinder", Cylinder{0.03, 0.02}, kPi * 1.8e-5},
                    Shape{"CubicCylinder", Cylinder{0.02, 0.04}, kPi * 1.6e-5}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace taxel
