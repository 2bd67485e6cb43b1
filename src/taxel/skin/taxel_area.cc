#include "taxel/skin/taxel_area.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taxel/shape/bvh.h"

namespace taxel::internal {
namespace {

struct Vec2 {
  double x, y;
};
Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
Vec2 operator*(double s, const Vec2& a) { return {s * a.x, s * a.y}; }
double dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
double cross(const Vec2& a, const Vec2& b) { return a.x * b.y - a.y * b.x; }

// Keeps the part of a convex polygon with n . x <= d.
void ClipPolygon(const Vec2& n, double d, std::vector<Vec2>* polygon, std::vector<Vec2>* spare) {
  spare->clear();
  const std::size_t size = polygon->size();
  for (std::size_t i = 0; i < size; ++i) {
    const Vec2 &a = (*polygon)[i], &b = (*polygon)[(i + 1) % size];
    const double ea = dot(n, a) - d, eb = dot(n, b) - d;
    if (ea <= 0) spare->push_back(a);
    if ((ea < 0 && eb > 0) || (ea > 0 && eb < 0)) spare->push_back(a + (ea / (ea - eb)) * (b - a));
  }
  polygon->swap(*spare);
}

// Signed area of the triangle (origin, a, b) within the disc of squared radius r2 about the origin.
double TriangleInDisc(const Vec2& a, const Vec2& b, double r2) {
  const auto sector = [r2](const Vec2& u, const Vec2& v) {
    return 0.5 * r2 * std::atan2(cross(u, v), dot(u, v));
  };
  const Vec2 d = b - a;
  const double d2 = dot(d, d);
  if (dot(a, a) <= r2 && dot(b, b) <= r2) return 0.5 * cross(a, b);
  if (d2 == 0) return 0;
  const double mid = -dot(a, d) / d2, gap = mid * mid - (dot(a, a) - r2) / d2;
  if (gap <= 0) return sector(a, b);
  const double in = mid - std::sqrt(gap), out = mid + std::sqrt(gap);  // where the line is within the disc
  if (out <= 0 || in >= 1) return sector(a, b);
  const Vec2 p = in > 0 ? a + in * d : a, q = out < 1 ? a + out * d : b;
  return 0.5 * cross(p, q) + (in > 0 ? sector(a, p) : 0) + (out < 1 ? sector(q, b) : 0);
}

struct Piece {
  Vec3 a, b, c;
};

class AreaShares {
 public:
  AreaShares(const std::vector<Vec3>& points, const std::vector<Vec3>& normals, double radius,
             double least_cosine)
      : points_(points),
        normals_(normals),
        radius_(radius),
        least_cosine_(least_cosine),
        areas_(points.size()) {
    std::vector<Box3> boxes(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) boxes[i].Include(points[i]);
    bvh_ = BuildBvh(boxes);
  }

  void Add(const Piece& piece) {
    const Vec3 n = cross(piece.b - piece.a, piece.c - piece.a);
    if (!(norm2(n) > 0)) return;
    normal_ = normalized(n);
    e1_ = normalized(piece.b - piece.a);
    e2_ = cross(normal_, e1_);
    Share(piece, kDepth);
  }
  std::vector<double> Take() { return std::move(areas_); }

 private:
  static constexpr int kFew = 24, kDepth = 40;

  void Share(const Piece& piece, int depth) {
    const Vec3 center = (1.0 / 3) * (piece.a + piece.b + piece.c);
    const double reach =
        std::sqrt(std::max({norm2(piece.a - center), norm2(piece.b - center), norm2(piece.c - center)}));
    // Whoever owns a point x of the piece is as near to it as the nearest taxel N of the centre:
    // |p - c| <= |p - x| + reach <= |N - x| + reach <= |N - c| + 2 reach.
    double nearest = radius_ + reach;
    Visit(center, nearest, [&](int, double distance) { nearest = std::min(nearest, distance); });
    const double far = std::min(radius_ + reach, nearest + 2 * reach) * (1 + 1e-12);
    near_.clear();
    Visit(center, far, [&](int i, double distance) {
      if (distance <= far) near_.push_back(i);
    });
    if (near_.empty()) return;
    if (static_cast<int>(near_.size()) > kFew && depth > 0) {
      const double ab = norm2(piece.b - piece.a), bc = norm2(piece.c - piece.b),
                   ca = norm2(piece.a - piece.c);
      const auto [a, b, c] = ab >= bc && ab >= ca ? piece
                             : bc >= ca           ? Piece{piece.b, piece.c, piece.a}
                                                  : Piece{piece.c, piece.a, piece.b};
      const Vec3 middle = 0.5 * (a + b);
      Share({a, middle, c}, depth - 1);
      Share({middle, b, c}, depth - 1);
      return;
    }
    // Ties go to the taxel of least index, whatever the order in the tree.
    std::sort(near_.begin(), near_.end());
    flat_.clear();
    height2_.clear();
    for (int i : near_) {
      const Vec3 r = points_[i] - center;
      const double height = taxel::dot(r, normal_);
      flat_.push_back(Flat(r));
      height2_.push_back(height * height);
    }
    for (std::size_t i = 0; i < near_.size(); ++i) {
      polygon_ = {Flat(piece.a - center), Flat(piece.b - center), Flat(piece.c - center)};
      for (std::size_t j = 0; j < near_.size() && polygon_.size() >= 3; ++j) {
        if (i == j) continue;
        // |x - p_i|^2 + h_i^2 <= |x - p_j|^2 + h_j^2 is a half plane.
        const Vec2 bisector = 2 * (flat_[j] - flat_[i]);
        const double d = (dot(flat_[j], flat_[j]) - dot(flat_[i], flat_[i])) + (height2_[j] - height2_[i]);
        if (bisector.x == 0 && bisector.y == 0) {
          if (d < 0 || (d == 0 && j < i)) polygon_.clear();
          continue;
        }
        ClipPolygon(bisector, d, &polygon_, &spare_);
      }
      const double r2 = radius_ * radius_ - height2_[i];
      if (polygon_.size() < 3 || r2 <= 0) continue;
      double area = 0;
      for (std::size_t k = 0; k < polygon_.size(); ++k)
        area += TriangleInDisc(polygon_[k] - flat_[i], polygon_[(k + 1) % polygon_.size()] - flat_[i], r2);
      areas_[near_[i]] += std::max(area, 0.0);
    }
  }

  Vec2 Flat(const Vec3& r) const { return {taxel::dot(r, e1_), taxel::dot(r, e2_)}; }

  // Calls visit(i, distance) for the facing taxels that may be within `reach`, which visit may lessen.
  template <class Action>
  void Visit(const Vec3& center, const double& reach, const Action& visit) const {
    Walk(
        bvh_, [&](const BvhNode& node, int) { return node.box().Distance2(center) <= reach * reach; },
        [&](int place) {
          const int i = bvh_.items[place];
          if (taxel::dot(normals_[i], normal_) >= least_cosine_) visit(i, norm(points_[i] - center));
        });
  }

  const std::vector<Vec3>& points_;
  const std::vector<Vec3>& normals_;
  double radius_, least_cosine_;
  Bvh bvh_;
  Vec3 normal_, e1_, e2_;  // frame of the triangle at hand
  std::vector<int> near_;
  std::vector<Vec2> flat_, polygon_, spare_;
  std::vector<double> height2_, areas_;
};

}  // namespace

std::vector<double> TaxelAreas(const TriangleMesh& surface, const std::vector<Vec3>& points,
                               const std::vector<Vec3>& normals, double radius, double least_cosine) {
  AreaShares shares(points, normals, radius, least_cosine);
  for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t)
    shares.Add({surface.corner(t, 0), surface.corner(t, 1), surface.corner(t, 2)});
  return shares.Take();
}

}  // namespace taxel::internal
