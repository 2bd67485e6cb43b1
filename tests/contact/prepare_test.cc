// What is prepared once:
//   - box cells partition the box and give the exact distance; their bounds hold
//   - a backed box: each of the six faces exposed, linear in the depth, no side walls, ends at the back
//   - facets of a box; inscribed radius; RelativeDepth
//   - tetrahedra: values at the vertices, barycentric planes, pressures below every node of the tree
//   - tetrahedra whose corners are equally deep have no gradient, and a face in them is never culled
//   - the content hash tells any two bodies apart and equal ones not
#include "taxel/contact/prepare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "scenes.h"
#include "taxel/contact/body.h"
#include "taxel/contact/contact.h"
#include "taxel/shape/read_mesh.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

using test::Backed;
using test::Soft;
using test::UniformInBox;

bool Contains(const Cell& c, const Vec3& p) {
  for (int i = 0; i < c.num_planes; ++i)
    if (c.planes[i](p) < 0) return false;
  return true;
}

TEST(PrepareAnalyticField, BoxCellsPartitionTheBoxAndGiveTheDistance) {
  for (const Vec3& size : {Vec3{0.08, 0.05, 0.018}, Vec3{0.03, 0.03, 0.03}, Vec3{0.02, 0.02, 0.07}}) {
    const Box box{size};
    const Body body(box, Soft(1e5));
    const std::vector<Cell>& cells = body.data().cells;
    ASSERT_EQ(cells.size(), 6u);
    const double H = InscribedRadius(box);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = UniformInBox(3, i, -0.5 * size, 0.5 * size);
      int holds = 0;
      for (const Cell& c : cells) {
        if (!Contains(c, p)) continue;
        ++holds;
        EXPECT_NEAR(c.depth(p), -SignedDistance(box, p) / H, 1e-14);
        EXPECT_LE(c.depth(p), c.max_depth);
        EXPECT_LE(norm(p - c.center), c.radius);
      }
      ASSERT_EQ(holds, 1) << i;  // random points are on no border
    }
    // Outside there is none.
    for (int i = 0; i < 200; ++i) {
      const Vec3 p = 0.51 * cwise_mul(size, test::UniformDirection(4, i)) * std::sqrt(3.0);
      if (SignedDistance(box, p) <= 0) continue;
      for (const Cell& c : cells) EXPECT_FALSE(Contains(c, p));
    }
  }
}

TEST(PrepareAnalyticField, ABackedBoxHasNoSideWallsWhicheverFaceIsExposed) {
  const Vec3 size{0.08, 0.05, 0.018};
  for (int axis = 0; axis < 3; ++axis)
    for (double side : {-2.0, 0.5})  // any length will do
      for (double thickness : {0.0, 0.7 * size[axis]}) {
        BodyOptions options = Backed(3e4, thickness);
        options.field.exposed = {};
        options.field.exposed[axis] = side;
        const Body body(Box{size}, options);
        const double T = thickness > 0 ? thickness : size[axis];
        EXPECT_EQ(body.options().field.thickness, T);
        ASSERT_EQ(body.data().cells.size(), 1u);
        const Cell& c = body.data().cells[0];
        for (int i = 0; i < 300; ++i) {
          const Vec3 p = UniformInBox(5, i, -0.5 * size, 0.5 * size);
          const double depth = 0.5 * size[axis] - (side > 0 ? p[axis] : -p[axis]);
          EXPECT_NEAR(c.depth(p), depth / T, 1e-14);
          ASSERT_TRUE(Contains(c, p));  // what carries the layer is part of the box, and of the way
          EXPECT_LE(norm(p - c.center), c.radius * (1 + 1e-12));
          // Constant right up to the side walls.
          Vec3 q = p;
          q[(axis + 1) % 3] = 0.5 * size[(axis + 1) % 3];
          EXPECT_NEAR(c.depth(q), c.depth(p), 1e-14);
        }
        // It ends at the box's far face, at the sides and in front.
        Vec3 above, behind, beside, front;
        above[axis] = (side > 0 ? 1 : -1) * (0.5 * size[axis] - 0.99 * T);
        behind[axis] = (side > 0 ? 1 : -1) * -0.51 * size[axis];
        front[axis] = (side > 0 ? 1 : -1) * 0.51 * size[axis];
        beside[(axis + 1) % 3] = 0.51 * size[(axis + 1) % 3];
        EXPECT_TRUE(Contains(c, above));
        EXPECT_FALSE(Contains(c, behind));
        EXPECT_FALSE(Contains(c, front));
        EXPECT_FALSE(Contains(c, beside));
      }
}

TEST(BoxFacets, AreTheSixFacesCounterClockwise) {
  const Vec3 size{0.08, 0.05, 0.018};
  const std::vector<Facet> facets = BoxFacets({size});
  ASSERT_EQ(facets.size(), 6u);
  double volume = 0;
  Vec3 sum;
  for (const Facet& f : facets) {
    ASSERT_EQ(f.num_vertices, 4);
    const Vec3 twice = cross(f.vertices[2] - f.vertices[0], f.vertices[3] - f.vertices[1]);
    EXPECT_NEAR(dot(twice, f.normal), norm(twice), 1e-17);
    volume += 0.5 * dot(twice, f.vertices[0]) / 3;
    sum += twice;
  }
  EXPECT_NEAR(volume, size.x * size.y * size.z, 1e-18);
  EXPECT_LT(norm(sum), 1e-17);
}

TEST(RelativeDepth, RunsFromTheSurfaceToTheMedialAxis) {
  EXPECT_EQ(InscribedRadius(Sphere{0.03}), 0.03);
  EXPECT_EQ(InscribedRadius(Box{{0.08, 0.05, 0.018}}), 0.009);
  EXPECT_EQ(InscribedRadius(Cylinder{0.03, 0.02}), 0.01);
  EXPECT_EQ(InscribedRadius(Cylinder{0.01, 0.06}), 0.01);
  EXPECT_EQ(InscribedRadius(Capsule{0.01, 0.06}), 0.01);
  EXPECT_EQ(InscribedRadius(Ellipsoid{{0.03, 0.02, 0.04}}), 0.02);
  EXPECT_EQ(InscribedRadius(HalfSpace{}), 0);
  const Vec3 p{0.003, -0.004, 0.012};
  EXPECT_NEAR(RelativeDepth(Sphere{0.03}, p), 1 - 0.013 / 0.03, 1e-15);
  EXPECT_NEAR(RelativeDepth(Box{{0.08, 0.05, 0.03}}, p), 0.003 / 0.015, 1e-14);
  EXPECT_NEAR(RelativeDepth(Cylinder{0.03, 0.04}, p), 0.008 / 0.02, 1e-14);
  EXPECT_NEAR(RelativeDepth(Capsule{0.01, 0.02}, p), 1 - std::hypot(0.005, 0.002) / 0.01, 1e-14);
  EXPECT_NEAR(RelativeDepth(Ellipsoid{{0.03, 0.02, 0.04}}, p), 1 - std::sqrt(0.01 + 0.04 + 0.09), 1e-15);
  EXPECT_LT(RelativeDepth(Sphere{0.01}, p), 0);
}

TEST(PrepareTets, EvenTetrahedraHaveNoGradientAndCullNothing) {
  // An L of 2.5 mm tetrahedra, 4 mm into a plate: below 3.75 mm some have the same depth at all four corners.
  // What Drake 1.51 finds: 60.0138 N on 0.001999 m^2, as it drops a few of them, too; the footprint is 0.002.
  const Body ell(ReadTetMesh(TAXEL_TEST_DATA "/l_shape_h2.5.vtk"), Soft(1e5)), plate(Box{{1, 1, 0.2}}, {});
  int even = 0;
  for (const TetCell& c : ell.data().tet_cells) {
    const auto [low, high] = std::minmax_element(c.u, c.u + 4);
    if (*high > 0 && *high - *low < 1e-9) {
      ++even;
      EXPECT_EQ(norm(c.depth.n), 0);
      EXPECT_NEAR(c.depth.d, *high, 1e-12);
    }
  }
  EXPECT_GT(even, 20);
  // Where the pair lies and how it is turned is rounding, and nothing else.
  const Vec3 axis = normalized({0.3, -1, 0.5});
  for (const double angle : {0.0, 0.7, 2.1})
    for (const double depth : {0.004, 0.006}) {
      const Pose X_WB{RotationAbout(axis, angle), {0.3, -0.2, 0.1}};
      const Pose X_WA = X_WB * Pose{Mat3{}, {0.01, -0.02, 0.1 + 0.01 - depth}};
      const ContactSurface s = ComputeContact(ell, X_WA, plate, X_WB);
      EXPECT_NEAR(s.area, 0.002, 1e-9) << angle << " " << depth;
      EXPECT_NEAR(s.normal_force, depth == 0.004 ? 60.0388325 : 78.2710061, 1e-4) << angle;
    }
}

TEST(PrepareTets, ValuesPlanesAndTreeFitTogether) {
  const TetMesh mesh = ReadTetMesh(TAXEL_TEST_DATA "/l_shape_h10.vtk");
  const double E = 7e4;
  const Body body(mesh, Soft(E));
  const BodyData& d = body.data();
  ASSERT_EQ(d.tet_values.size(), mesh.vertices.size());
  double greatest = 0;
  for (std::size_t v = 0; v < d.tet_values.size(); ++v) {
    EXPECT_NEAR(d.tet_pressures[v], E * d.tet_values[v], 1e-9);
    greatest = std::max(greatest, d.tet_values[v]);
  }
  EXPECT_EQ(greatest, 1);
  for (const auto& t : BoundarySurface(mesh).triangles)
    for (int v : t) EXPECT_EQ(d.tet_values[v], 0);
  ASSERT_EQ(d.tet_cells.size(), mesh.tets.size());
  for (const TetCell& c : d.tet_cells)
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(c.depth(c.vertex(k)), c.u[k], 1e-13);
      EXPECT_LE(norm(c.vertex(k) - c.center), c.radius);
      for (int j = 0; j < 4; ++j) EXPECT_NEAR(c.bary(j)(c.vertex(k)), j == k ? 1 : 0, 1e-12);
    }
  // Every node's range holds the pressures of all cells below it; cells are in the order of the leaves.
  const Bvh& bvh = d.tet_bvh;
  std::vector<std::array<int, 2>> below(
      bvh.nodes.size());  // [first, last) cells; children come after parents
  for (int i = static_cast<int>(bvh.nodes.size()) - 1; i >= 0; --i) {
    const BvhNode& n = bvh.nodes[i];
    if (n.is_leaf()) {
      below[i] = {n.first, n.first + n.count};
    } else {
      below[i] = {std::min(below[n.first][0], below[n.first + 1][0]),
                  std::max(below[n.first][1], below[n.first + 1][1])};
    }
    for (int c = below[i][0]; c < below[i][1]; ++c)
      for (int k = 0; k < 4; ++k) {
        EXPECT_LE(d.node_pressure[i][0], E * d.tet_cells[c].u[k]);
        EXPECT_GE(d.node_pressure[i][1], E * d.tet_cells[c].u[k]);
        EXPECT_LE(n.box().Distance2(d.tet_cells[c].vertex(k)), 0);
      }
  }
  EXPECT_EQ(below[0], (std::array<int, 2>{0, static_cast<int>(mesh.tets.size())}));
  // And not much more than that: a range of all pressures would pass the above.
  EXPECT_LE(d.node_pressure[0][1], E * (1 + 1e-4));
}

TEST(PrepareTets, PressureAtAPointIsThatOfItsTetrahedron) {
  const TetMesh mesh = ReadTetMesh(TAXEL_TEST_DATA "/l_shape_h10.vtk");
  const Body body(mesh, Soft(7e4));
  int inside = 0;
  const Box3 box = BoundingBox(mesh);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 p = UniformInBox(6, i, box.lo, box.hi);
    double expected = 0;
    for (const TetCell& c : body.data().tet_cells) {
      bool in = true;
      for (int k = 0; k < 4; ++k) in = in && c.bary(k)(p) >= 0;
      if (in) expected = 7e4 * c.depth(p), ++inside;
    }
    EXPECT_NEAR(TetPressureAt(body.data(), p), expected, 1e-8) << i;
  }
  EXPECT_GT(inside, 300);
}

TEST(ContentHash, DiffersWithEveryParameterThatMatters) {
  BodyOptions base = Backed(3e4, 0.01);
  std::vector<BodyOptions> variants(6, base);
  variants[1].modulus = 3.1e4;
  variants[2].resolution = 0.002;
  variants[3].field.exposed = {0, 0, -1};
  variants[4].field.thickness = 0.011;
  variants[5].field.stiffening_start = 0.7;
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  const Primitive shapes[] = {
      Sphere{0.03},         Sphere{0.031},       Box{{0.08, 0.05, 0.02}},       Box{{0.08, 0.051, 0.02}},
      Cylinder{0.03, 0.08}, Capsule{0.03, 0.02}, Ellipsoid{{0.03, 0.03, 0.03}}, HalfSpace{}};
  for (const Primitive& shape : shapes)
    for (const BodyOptions& o : variants) seen.insert(Body(shape, o).data().content), ++count;
  BodyOptions turned = base;
  turned.field.exposed = {0, 1, 0};
  seen.insert(Body(Box{{0.08, 0.05, 0.02}}, turned).data().content), ++count;
  const TriangleMesh mesh = test::BoxMesh({0.08, 0.05, 0.02});
  TriangleMesh moved = mesh, reordered = mesh;
  moved.vertices[3].x += 1e-9;
  std::swap(reordered.triangles[0], reordered.triangles[1]);
  for (const TriangleMesh& m : {mesh, moved, reordered}) seen.insert(Body(m, {}).data().content), ++count;
  for (double core : {0.5, 0.6}) {
    BodyOptions o = test::Laplace(1e5);
    o.field.core_fraction = core;
    seen.insert(Body(Box{{0.04, 0.05, 0.03}}, o).data().content), ++count;
  }
  const TetMesh tets = ReadTetMesh(TAXEL_TEST_DATA "/l_shape_h10.vtk");
  seen.insert(Body(tets, Soft(1e5)).data().content), ++count;
  EXPECT_EQ(seen.size(), count);
  // What does not enter a query does not enter the hash: two bodies of the same make are equal.
  BodyOptions named = base;
  named.name = "left";
  EXPECT_EQ(Body(Sphere{0.03}, named).data().content, Body(Sphere{0.03}, base).data().content);
}

}  // namespace
}  // namespace taxel
