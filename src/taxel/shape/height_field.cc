#include "taxel/shape/height_field.h"

#include <algorithm>
#include <cmath>

namespace taxel {
namespace {

// Cells first to last - 1 of `cells`, from -half to half, that meet [lo, hi]; none: first >= last.
struct Span {
  int first, last;
  Span(double lo, double hi, double half, int cells) {
    const double per_m = cells / (2 * half);
    const auto cell = [&](double x) {
      return std::clamp(std::floor((x + half) * per_m), -1.0, static_cast<double>(cells));
    };
    // What lies exactly on a line belongs to both sides; rounding must not take one away.
    first = std::max(0, static_cast<int>(cell(lo - 1e-9 * half)));
    last = std::min(cells, static_cast<int>(cell(hi + 1e-9 * half)) + 1);
  }
};

}  // namespace

void TrianglesNear(const HeightField& f, const Box3& box, TriangleMesh* out) {
  out->vertices.clear();
  out->triangles.clear();
  const int nx = f.cols - 1, ny = f.rows - 1;
  if (nx < 1 || ny < 1 || box.empty()) return;
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    Box3 own;
    own.Include(a), own.Include(b), own.Include(c);
    if (!own.Overlaps(box)) return;
    const int v = static_cast<int>(out->vertices.size());
    out->vertices.push_back(a), out->vertices.push_back(b), out->vertices.push_back(c);
    out->triangles.push_back({v, v + 1, v + 2});
  };
  const Span x(box.lo.x, box.hi.x, f.half_x, nx), y(box.lo.y, box.hi.y, f.half_y, ny);
  for (int r = y.first; r < y.last; ++r)
    for (int c = x.first; c < x.last; ++c) {
      const Vec3 p00 = f.at(r, c), p01 = f.at(r, c + 1), p10 = f.at(r + 1, c), p11 = f.at(r + 1, c + 1);
      add(p00, p11, p10);
      add(p00, p01, p11);
    }
  // A wall from a to b, counter-clockwise seen from above.
  const auto wall = [&](const Vec3& a, const Vec3& b) {
    const Vec3 a0{a.x, a.y, -f.base}, b0{b.x, b.y, -f.base};
    add(a0, b0, b);
    add(a0, b, a);
  };
  for (int c = x.first; c < x.last; ++c) {
    if (box.lo.y <= -f.half_y) wall(f.at(0, c), f.at(0, c + 1));
    if (box.hi.y >= f.half_y) wall(f.at(ny, c + 1), f.at(ny, c));
  }
  for (int r = y.first; r < y.last; ++r) {
    if (box.lo.x <= -f.half_x) wall(f.at(r + 1, 0), f.at(r, 0));
    if (box.hi.x >= f.half_x) wall(f.at(r, nx), f.at(r + 1, nx));
  }
  if (box.lo.z > -f.base) return;
  const Vec3 a{-f.half_x, -f.half_y, -f.base}, b{f.half_x, -f.half_y, -f.base},
      c{f.half_x, f.half_y, -f.base}, d{-f.half_x, f.half_y, -f.base};
  add(a, d, c);
  add(a, c, b);
}

}  // namespace taxel
