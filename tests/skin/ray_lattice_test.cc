// Parallel rays on a lattice, against every ray tried on every triangle (watertight, shape/ray.h):
//   - contact surfaces of tilted objects, on all faces of a box
//   - meshes made by hand: edges and vertices exactly on rays, slivers, triangles of 1 um, layers one behind
//     the other (the first from outside counts), faces seen from behind or edge-on (they do not)
//   - reach; faces beside the lattice, larger than it, none at all; memory that is kept
#include "taxel/skin/ray_lattice.h"

#include <gtest/gtest.h>

#include "skin_scenes.h"
#include "taxel/shape/ray.h"

namespace taxel {
namespace {

using test::AddFace;
using test::Press;
using test::Uniform;

struct Hit {
  int face = -1;
  double depth = 0, pressure = 0;
};

// One ray along -z of the lattice's frame, against all.
Hit CastOne(const PlaneGrid& g, const PressedFaces& faces, int r, int c, double reach) {
  const Vec3 normal = g.X_GF.R.col(2);
  const Vec3 at = g.X_GF * Vec3{g.u0 + (c + 0.5) * g.du, g.v0 + (r + 0.5) * g.dv, 0};
  const double above = 1;
  const ShearedRay ray = MakeShearedRay({at + above * normal, -normal});
  Hit best;
  for (int f = 0; f < faces.count(); ++f) {
    if (!(dot(faces.inward[f], normal) < -1e-9)) continue;
    for (int k = faces.start[f] + 2; k < faces.start[f + 1]; ++k) {
      const int i = faces.start[f];
      double t, u, v;
      if (!IntersectTriangle(ray, faces.vertices[i], faces.vertices[k - 1], faces.vertices[k],
                             EdgeRule::kBoth, &t, &u, &v))
        continue;
      const double depth = t - above;
      if ((reach > 0 && depth >= reach) || (best.face >= 0 && depth >= best.depth)) continue;
      best = {f, depth,
              (1 - u - v) * faces.pressures[i] + u * faces.pressures[k - 1] + v * faces.pressures[k]};
    }
  }
  return best;
}

struct Difference {
  int hits = 0, missed = 0, extra = 0;
  double depth = 0, pressure = 0;  // greatest
};

Difference Compare(const PlaneGrid& g, const PressedFaces& faces, double reach = 0) {
  RayLattice rays;
  rays.Cast(g, faces, reach);
  Difference d;
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.cols; ++c) {
      const Hit hit = CastOne(g, faces, r, c, reach);
      const bool looked = r >= rays.r0 && r < rays.r1 && c >= rays.c0 && c < rays.c1;
      const bool ours = looked && rays.face(r, c) >= 0;
      EXPECT_TRUE(!looked || ours || rays.pressure(r, c) == 0);
      d.hits += hit.face >= 0;
      d.missed += hit.face >= 0 && !ours;
      d.extra += hit.face < 0 && ours;
      if (hit.face < 0 || !ours) continue;
      d.depth = std::max(d.depth, std::fabs(rays.depth(r, c) - hit.depth));
      d.pressure = std::max(d.pressure, std::fabs(rays.pressure(r, c) - hit.pressure));
      EXPECT_EQ(rays.row(r)[c - rays.c0], rays.pressure(r, c));
      EXPECT_EQ(rays.face_row(r)[c - rays.c0], rays.face(r, c));
    }
  return d;
}

PlaneGrid Fine(const Layout& layout, int samples) {
  PlaneGrid g = layout.grid;
  g.rows *= samples, g.cols *= samples, g.du /= samples, g.dv /= samples;
  return g;
}

TEST(RayLattice, ContactSurfacesOnAllFaces) {
  const Vec3 size{0.08, 0.06, 0.05};
  const Body pad(Box{size}, test::Soft(5e4));
  const Body objects[] = {Body(Sphere{0.008}, {}), Body(Box{{0.012, 0.007, 0.01}}, {}),
                          Body(Cylinder{0.004, 0.012}, {}), Body(Sphere{0.008}, test::Soft(4e4)),
                          Body(test::LPrism(0.004, 0.006), {})};
  int i = 0, hits = 0;
  for (const char* face : {"+x", "-x", "+y", "-y", "+z", "-z"})
    for (const Body& object : objects) {
      const Layout layout = BoxFaceGrid(size, face, 9, 14);
      const Pose& F = layout.grid.X_GF;
      const Mat3 R = test::RandomRotation(5, ++i);
      double lowest = 1;
      for (const Vec3& v : object.Surface().vertices) lowest = std::min(lowest, dot(F.R.col(2), R * v));
      const Vec3 p = F * Vec3{Uniform(1, i, -0.02, 0.02), Uniform(2, i, -0.02, 0.02), -lowest - 0.0015};
      const Press press(pad, object, {R, p}, test::RandomPose(9, i, 0.4), i % 2 == 0);
      const Difference d = Compare(Fine(layout, 11), press.faces());
      hits += d.hits;
      EXPECT_EQ(d.missed, 0) << face << i;
      EXPECT_EQ(d.extra, 0) << face << i;
      // Steep faces (slope up to 1e2 here) magnify the rounding of a coordinate, 1e-17.
      EXPECT_LT(d.depth, 1e-14) << face << i;
      EXPECT_LT(d.pressure, 1e-9 * press.surface.max_pressure) << face << i;
    }
  EXPECT_GT(hits, 3000);
}

// Two triangles a cell over an n x n net of vertices, heights and pressures as given.
template <class Height, class Pressure>
void AddSheet(PressedFaces* faces, int n, double lo, double hi, Height height, Pressure pressure,
              const Pose& X = {}) {
  const auto at = [&](int i, int j) {
    const double x = lo + (hi - lo) * i / n, y = lo + (hi - lo) * j / n;
    return std::pair{Vec3{x, y, height(x, y)}, pressure(x, y)};
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int half = 0; half < 2; ++half) {
        const auto a = at(i, j), b = half ? at(i + 1, j + 1) : at(i + 1, j),
                   c = half ? at(i, j + 1) : at(i + 1, j + 1);
        AddFace(faces, {X * a.first, X * b.first, X * c.first}, {a.second, b.second, c.second},
                X.R * -cross(b.first - a.first, c.first - a.first));
      }
}

PlaneGrid Grid(int rows, int cols, double lo, double hi) {
  PlaneGrid g;
  g.rows = rows, g.cols = cols;
  g.u0 = g.v0 = lo;
  g.du = (hi - lo) / cols, g.dv = (hi - lo) / rows;
  return g;
}

TEST(RayLattice, NothingSlipsThroughSharedEdges) {
  // Rays exactly through edges and vertices: lattice points at whole numbers, vertices too.
  PressedFaces faces;
  AddSheet(
      &faces, 16, 0, 16, [](double x, double y) { return -0.3 * x + 0.1 * y - std::fmod(x * y, 3.0); },
      [](double x, double y) { return 10 + x + 2 * y; });
  PlaneGrid g = Grid(33, 33, -0.25, 16.25);  // points at 0, 0.5, 1, ... 16
  Difference d = Compare(g, faces);
  EXPECT_EQ(d.hits, 33 * 33);
  EXPECT_EQ(d.missed, 0);
  EXPECT_LT(d.pressure, 1e-12 * 60);
  // The same tilted: vertices of neighbours differ in their last bits. Inside nothing is lost; on the outer
  // edge a ray may pass.
  const Pose X = test::TiltedPose();
  PressedFaces turned;
  AddSheet(
      &turned, 16, 0, 16, [](double x, double y) { return -0.3 * x + 0.1 * y - std::fmod(x * y, 3.0); },
      [](double x, double y) { return 10 + x + 2 * y; }, X);
  g.X_GF = X;
  RayLattice rays;
  rays.Cast(g, turned, 0);
  for (int r = 1; r < 32; ++r)
    for (int c = 1; c < 32; ++c) {
      ASSERT_GE(rays.face(r, c), 0) << r << " " << c;
      EXPECT_NEAR(rays.pressure(r, c), 10 + 0.5 * c + 1.0 * r, 1e-10);
    }
}

TEST(RayLattice, SliversAndTinyTriangles) {
  // Random triangles from 1 um to 10 mm, some 1000 times longer than wide, over a lattice of 0.1 mm.
  const Pose X = test::TiltedPose();
  for (int trial = 0; trial < 5; ++trial) {
    PressedFaces faces;
    for (int k = 0; k < 400; ++k) {
      const int i = 1000 * trial + k;
      const double size = std::pow(10, Uniform(1, i, -6, -2));
      const Vec3 at{Uniform(2, i, -0.006, 0.006), Uniform(3, i, -0.006, 0.006), Uniform(4, i, -0.003, 0)};
      const Vec3 b = at + size * test::UniformDirection(5, i);
      Vec3 c = at + size * test::UniformDirection(6, i);
      if (k % 3 == 0) c = b + 1e-3 * (c - b);
      const double pa = Uniform(7, i, 0, 100), pb = Uniform(8, i, 0, 100), pc = Uniform(9, i, 0, 100);
      const Vec3 normal = cross(b - at, c - at);
      AddFace(&faces, {X * at, X * b, X * c}, {pa, pb, pc}, X.R * (normal.z < 0 ? normal : -normal));
    }
    PlaneGrid g = Grid(97, 113, -0.005, 0.0055);
    g.X_GF = X;
    const Difference d = Compare(g, faces);
    EXPECT_GT(d.hits, 5000);
    // A ray within 1e-9 of a step (1e-13 m) of a rim may count as a hit: none of these is.
    EXPECT_EQ(d.missed, 0);
    EXPECT_EQ(d.extra, 0);
    EXPECT_LT(d.depth, 1e-10);  // some faces are all but edge-on
    EXPECT_LT(d.pressure, 1e-4);
  }
}

TEST(RayLattice, TrianglesOfAMicrometreFillTheirPlace) {
  // 40 x 40 pairs of triangles of 1 um side, rays 0.3 um apart: each is hit where it is, with its own
  // pressure.
  PressedFaces faces;
  AddSheet(
      &faces, 40, 0, 4e-5, [](double x, double y) { return -0.2 * x - 0.1 * y - 1e-3; },
      [](double x, double y) { return 1e5 * (x + 2 * y); });
  const PlaneGrid g = Grid(121, 127, 0, 4e-5);
  const Difference d = Compare(g, faces);
  EXPECT_EQ(d.hits, 121 * 127);
  EXPECT_EQ(d.missed, 0);
  EXPECT_LT(d.pressure, 1e-9);
}

TEST(RayLattice, TheFirstLayerCounts) {
  const auto flat = [](double z) { return [z](double, double) { return z; }; };
  // Three sheets one behind the other, listed in any order; the uppermost has a hole.
  for (int order = 0; order < 3; ++order) {
    PressedFaces faces;
    for (int k = 0; k < 3; ++k) {
      const int layer = (k + order) % 3;
      if (layer == 0) AddSheet(&faces, 3, -1, 0.2, flat(-0.1), flat(10.0));
      if (layer == 1) AddSheet(&faces, 5, -1, 1, flat(-0.5), flat(20.0));
      if (layer == 2) AddSheet(&faces, 2, -1.5, 1.5, flat(-0.9), flat(30.0));
    }
    const PlaneGrid g = Grid(30, 40, -1.4, 1.4);
    const Difference d = Compare(g, faces);
    EXPECT_EQ(d.missed + d.extra, 0);
    EXPECT_LT(d.pressure, 1e-13);
    RayLattice rays;
    rays.Cast(g, faces, 0);
    EXPECT_EQ(rays.pressure(15, 15), 10);
    EXPECT_EQ(rays.pressure(22, 28), 20);
    EXPECT_EQ(rays.pressure(29, 39), 30);
    EXPECT_NEAR(rays.depth(15, 15), 0.1, 1e-15);
    // Reach ends between the layers.
    rays.Cast(g, faces, 0.6);
    EXPECT_EQ(rays.pressure(22, 28), 20);
    EXPECT_EQ(rays.face(29, 39), -1);
    EXPECT_EQ(rays.pressure(29, 39), 0);
    EXPECT_EQ(Compare(g, faces, 0.6).missed + Compare(g, faces, 0.6).extra, 0);
  }
}

TEST(RayLattice, FacesFromBehindAreNotThere) {
  const auto flat = [](double z) { return [z](double, double) { return z; }; };
  PressedFaces faces;
  AddSheet(&faces, 2, -1, 1, flat(-0.1), flat(10.0));
  for (Vec3& n : faces.inward) n = -n;  // seen from behind, and above the other
  AddSheet(&faces, 2, -0.5, 1, flat(-0.5), flat(20.0));
  AddFace(&faces, {{-1, 0.01, 0}, {1, 0.01, 0}, {1, 0.01, -1}}, {50, 50, 50}, {0, 1, 0});  // edge-on
  RayLattice rays;
  const PlaneGrid g = Grid(20, 20, -1, 1);
  rays.Cast(g, faces, 0);
  EXPECT_EQ(rays.pressure(15, 15), 20);
  EXPECT_EQ(rays.face(1, 1), -1);
  EXPECT_EQ(Compare(g, faces).missed + Compare(g, faces).extra, 0);
}

TEST(RayLattice, OnlyTheFacesAreLookedAt) {
  const auto flat = [](double z) { return [z](double, double) { return z; }; };
  const PlaneGrid g = Grid(50, 60, -1, 1);
  RayLattice rays;
  PressedFaces faces;
  rays.Cast(g, faces, 0);
  EXPECT_EQ(rays.r1 - rays.r0, 0);
  AddSheet(&faces, 1, 0.1, 0.3, flat(-0.1), flat(5.0));
  rays.Cast(g, faces, 0);
  EXPECT_GE(rays.c0, 32);
  EXPECT_LE(rays.c1, 40);
  EXPECT_GE(rays.r0, 27);
  EXPECT_LE(rays.r1, 33);
  EXPECT_EQ(rays.width(), rays.c1 - rays.c0);
  // Beside the lattice, and far larger than it.
  for (const double lo : {1.5, -3.0}) {
    PressedFaces beside;
    AddSheet(&beside, 1, lo, lo + 1, flat(-0.1), flat(5.0));
    rays.Cast(g, beside, 0);
    EXPECT_EQ((rays.r1 - rays.r0) * (rays.c1 - rays.c0), 0);
  }
  PressedFaces large;
  AddSheet(&large, 1, -100, 90, flat(-0.1), flat(5.0));
  const Difference d = Compare(g, large);
  EXPECT_EQ(d.hits, 50 * 60);
  EXPECT_EQ(d.missed, 0);
  // Narrower than a step: nothing, and no harm.
  PressedFaces narrow;
  AddSheet(&narrow, 1, 0.101, 0.105, flat(-0.1), flat(5.0));
  EXPECT_EQ(Compare(g, narrow).extra, 0);
}

}  // namespace
}  // namespace taxel
