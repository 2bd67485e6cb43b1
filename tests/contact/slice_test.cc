// A convex polygon cut along parallel lines:
//   - the parts fill the polygon: area, integral of the pressure and its moments are kept to rounding
//   - each part lies in its own strip; corners on a line count for both sides and make no sliver of area
//   - p, pressure, u and v stay linear along the cuts
//   - polygons of 32 corners, cut by many lines; one cell only: the polygon as it is
#include "taxel/contact/slice.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "scenes.h"

namespace taxel {
using namespace internal;
namespace {

struct Corner {
  Vec3 p;
  double pressure, u, v;
};

struct Sums {
  double area = 0, load = 0;
  Vec3 moment;
};
void AddTo(Sums* sums, const Corner* c, int n) {
  for (int i = 2; i < n; ++i) {
    const double area = 0.5 * norm(cross(c[i - 1].p - c[0].p, c[i].p - c[0].p));
    const double p0 = c[0].pressure, pa = c[i - 1].pressure, pb = c[i].pressure, sum = p0 + pa + pb;
    sums->area += area;
    sums->load += area * sum / 3;
    sums->moment += (area / 12) * ((sum + p0) * c[0].p + (sum + pa) * c[i - 1].p + (sum + pb) * c[i].p);
  }
}

// A convex polygon in a tilted plane, with u, v along two of its directions and a pressure linear on it.
struct Plane {
  Pose X = test::TiltedPose();
  Corner At(double x, double y) const {
    return {X * Vec3{x, y, 0}, Pressure(x, y), 0.9 * x - 0.2 * y + 0.003, 0.1 * x + y - 0.002};
  }
  static double Pressure(double x, double y) { return 4e3 + 1.1e5 * x - 0.7e5 * y; }
};

std::vector<Corner> Convex(int n, std::uint64_t seed) {
  std::vector<double> angles;
  for (int i = 0; i < n; ++i) angles.push_back(2 * test::kPi * (i + test::Uniform(seed, i, 0.1, 0.9)) / n);
  std::vector<Corner> out;
  for (double a : angles) out.push_back(Plane().At(0.012 * std::cos(a), 0.007 * std::sin(a)));
  return out;
}

std::map<int, Sums> Slice(const std::vector<Corner>& polygon, double Corner::*value, double lo, double width,
                          int c0, int c1) {
  std::map<int, Sums> parts;
  SliceCells(polygon.data(), static_cast<int>(polygon.size()), value, lo, width, c0, c1,
             [&](int c, const Corner* part, int n) {
               EXPECT_GE(n, 3);
               EXPECT_LE(n, kMaxSliceCorners);
               for (int i = 0; i < n; ++i) {
                 // The outermost parts are open.
                 EXPECT_TRUE(c == c0 || part[i].*value >= lo + c * width - 1e-15);
                 EXPECT_TRUE(c == c1 || part[i].*value <= lo + (c + 1) * width + 1e-15);
                 // What was linear still is: find x, y from p and compare.
                 const Vec3 at = TransposeMul(Plane().X.R, part[i].p - Plane().X.p);
                 const Corner whole = Plane().At(at.x, at.y);
                 EXPECT_NEAR(at.z, 0, 1e-16);
                 EXPECT_NEAR(part[i].pressure, whole.pressure, 1e-11 * 5e3);
                 EXPECT_NEAR(part[i].u, whole.u, 1e-16);
                 EXPECT_NEAR(part[i].v, whole.v, 1e-16);
               }
               AddTo(&parts[c], part, n);
             });
  return parts;
}

TEST(Slice, PartsFillThePolygon) {
  for (int n : {3, 4, 7, 32})
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (double Corner::*value : {&Corner::u, &Corner::v}) {
        const std::vector<Corner> polygon = Convex(n, seed);
        double lo = 1, hi = -1;
        for (const Corner& c : polygon) lo = std::min(lo, c.*value), hi = std::max(hi, c.*value);
        const double width = (hi - lo) / 6.3, start = lo - 0.21 * width;
        const std::map<int, Sums> parts = Slice(polygon, value, start, width, 0, 6);
        EXPECT_EQ(parts.size(), 7u);
        Sums whole, sum;
        AddTo(&whole, polygon.data(), n);
        for (const auto& [c, part] : parts) {
          sum.area += part.area, sum.load += part.load, sum.moment += part.moment;
        }
        EXPECT_NEAR(sum.area, whole.area, 1e-13 * whole.area);
        EXPECT_NEAR(sum.load, whole.load, 1e-13 * whole.load);
        EXPECT_LT(norm(sum.moment - whole.moment), 1e-13 * norm(whole.moment));
      }
}

TEST(Slice, OneCellTakesThePolygonAsItIs) {
  const std::vector<Corner> polygon = Convex(5, 3);
  int calls = 0;
  SliceCells(polygon.data(), 5, &Corner::u, -1.0, 2.0, 4, 4, [&](int c, const Corner* part, int n) {
    EXPECT_EQ(c, 4);
    EXPECT_EQ(part, polygon.data());
    EXPECT_EQ(n, 5);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(Slice, CornersOnTheLines) {
  // A square whose sides and corners lie on lines: two cells, nothing beyond them.
  const auto at = [](double u, double v) { return Corner{{u, v, 0}, 1, u, v}; };
  const std::vector<Corner> square = {at(1, 0), at(3, 0), at(3, 2), at(1, 2)};
  std::map<int, double> area;
  SliceCells(square.data(), 4, &Corner::u, 0.0, 1.0, 1, 3, [&](int c, const Corner* part, int n) {
    Sums s;
    AddTo(&s, part, n);
    area[c] += s.area;
  });
  EXPECT_EQ(area[1], 2);
  EXPECT_EQ(area[2], 2);
  EXPECT_EQ(area.contains(3) ? area[3] : 0, 0);  // a part without area may be told
  // A corner on the line: a triangle is cut through its tip and the middle of its base.
  const std::vector<Corner> triangle = {at(0, 0), at(2, 0), at(1, 1)};
  area.clear();
  SliceCells(triangle.data(), 3, &Corner::u, 0.0, 1.0, 0, 1, [&](int c, const Corner* part, int n) {
    EXPECT_EQ(n, 3);
    Sums s;
    AddTo(&s, part, n);
    area[c] += s.area;
  });
  EXPECT_EQ(area[0], 0.5);
  EXPECT_EQ(area[1], 0.5);
}

TEST(Slice, CutByLineKeepsEitherSide) {
  const std::vector<Corner> polygon = Convex(6, 9);
  for (double line : {-1.0, 0.001, 0.004, 1.0}) {
    Corner above[kMaxSliceCorners], below[kMaxSliceCorners];
    const int a = CutByLine(polygon.data(), 6, &Corner::v, line, true, above);
    const int b = CutByLine(polygon.data(), 6, &Corner::v, line, false, below);
    Sums whole, parts;
    AddTo(&whole, polygon.data(), 6);
    AddTo(&parts, above, a);
    AddTo(&parts, below, b);
    EXPECT_NEAR(parts.area, whole.area, 1e-14 * whole.area) << line;
    for (int i = 0; i < a; ++i) EXPECT_GE(above[i].v, line);
    for (int i = 0; i < b; ++i) EXPECT_LE(below[i].v, line);
  }
}

}  // namespace
}  // namespace taxel
