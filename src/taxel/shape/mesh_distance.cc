#include "taxel/shape/mesh_distance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "taxel/math/lanes.h"
#include "taxel/shape/triangle_distance.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kPi = 3.14159265358979323846;

// Sum of angles kept as a complex number z and a count of full turns, so that a query needs one atan2, not
// one a triangle. Each angle is the argument, in (-pi, pi], of the x + i y that is handed in.
class AngleSum {
 public:
  void Add(double x, double y) {
    if (x == 0 && y == 0) return;  // p is a corner of the triangle
    const double re = re_ * x - im_ * y, im = re_ * y + im_ * x;
    const bool z_up = im_ >= 0, w_up = y >= 0;
    if (z_up && w_up) {
      turns_ += im < 0 || (im == 0 && re > 0 && re_ < 0);
    } else if (!z_up && !w_up) {
      turns_ -= im > 0 || (im == 0 && re < 0);
    }
    const double scale = 1 / std::max(std::fabs(re), std::fabs(im));
    re_ = re * scale;
    im_ = im * scale;
  }
  double Total() const { return std::atan2(im_, re_) + 2 * kPi * turns_; }

 private:
  double re_ = 1, im_ = 0;
  int turns_ = 0;
};

// Half the solid angle of a triangle, as x + i y (van Oosterom and Strackee 1983, eq. 8). Corners relative to
// the eye.
void AddSolidAngle(const Vec3& a, const Vec3& b, const Vec3& c, AngleSum* half) {
  const double la = norm(a), lb = norm(b), lc = norm(c);
  const double y = dot(a, cross(b, c));
  const double x = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  // Divided by the lengths: products of many small numbers must not underflow.
  const double scale = la * lb * lc;
  if (scale > 0) half->Add(x / scale, y / scale);
}

// 4 pi times the winding number of a far node: G_i = r_i / |r|^3 and its derivative, contracted with the
// moments.
double FarAngle(const WindingMoments& m, const Vec3& r, double r2) {
  const double inv2 = 1 / r2, inv3 = inv2 * std::sqrt(inv2);
  const double* q = m.quadrupole;
  const double rqr = q[0] * r.x * r.x + q[1] * r.y * r.y + q[2] * r.z * r.z + q[3] * r.x * r.y +
                     q[4] * r.y * r.z + q[5] * r.z * r.x;
  return inv3 * (dot(m.dipole, r) + (q[0] + q[1] + q[2]) - 3 * inv2 * rqr);
}

// Vectors side by side. Every operation below is that of ClosestPointOnTriangle, in its order, so that each
// lane has the bits that function would give.
struct FourVec3 {
  Lanes x, y, z;
};
FourVec3 operator+(const FourVec3& a, const FourVec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
FourVec3 operator-(const FourVec3& a, const FourVec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
FourVec3 operator*(const Lanes& s, const FourVec3& a) { return {s * a.x, s * a.y, s * a.z}; }
Lanes Dot(const FourVec3& a, const FourVec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Lanes Norm2(const FourVec3& a) { return Dot(a, a); }
FourVec3 Cross(const FourVec3& a, const FourVec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
FourVec3 Select(const LaneMask& m, const FourVec3& a, const FourVec3& b) {
  return {m ? a.x : b.x, m ? a.y : b.y, m ? a.z : b.z};
}

// |p - q|^2 with q = ClosestPointOnSegment(a, b, p).
Lanes SegmentDistance2(const FourVec3& a, const FourVec3& b, const FourVec3& p) {
  const FourVec3 ab = b - a;
  const Lanes along = Dot(p - a, ab), length2 = Dot(ab, ab);
  const FourVec3 inner = a + (along / length2) * ab;
  return Norm2(p - Select(along > 0, Select(along >= length2, b, inner), a));
}

// |p - q|^2 with q = ClosestPointOnTriangle(a, b, c, p).
Lanes TriangleDistance2(const FourVec3& a, const FourVec3& b, const FourVec3& c, const FourVec3& p) {
  constexpr double kNeedle2 = 1e-8;
  const FourVec3 ab = b - a, ac = c - a, ap = p - a;
  const FourVec3 n = Cross(ab, ac);
  const Lanes n2 = Norm2(n);
  const Lanes v = Dot(Cross(ap, ac), n), w = Dot(Cross(ab, ap), n);
  const LaneMask inner = (n2 > 0) & (v >= 0) & (w >= 0) & (v + w <= n2);
  const Lanes at_inner = Norm2(p - (a + (v / n2) * ab + (w / n2) * ac));
  Lanes longest2 = Norm2(ab);
  for (const Lanes& other : {Norm2(ac), Norm2(c - b)}) longest2 = other > longest2 ? other : longest2;
  const LaneMask settled = inner & (n2 > kNeedle2 * longest2 * longest2);
  if (Bits(settled) == 15) return at_inner;
  Lanes best = inner ? at_inner : Norm2(ap);
  for (const Lanes& edge : {SegmentDistance2(a, b, p), SegmentDistance2(b, c, p), SegmentDistance2(c, a, p)})
    best = edge < best ? edge : best;
  return settled ? at_inner : best;
}

// node.box().Distance2(p) without branches; `low` is (p, 0) and `high` is (0, p). A node's six bounds are
// read as two overlapping vectors, lo.x lo.y lo.z hi.x and lo.z hi.x hi.y hi.z.
double BoxDistance2(const BvhNode& node, const Lanes& low, const Lanes& high) {
  static_assert(offsetof(BvhNode, hi) == 3 * sizeof(float));
  const Lanes below = LoadLanes(node.lo) - low, over = high - LoadLanes(node.lo + 2);
  const Lanes above = __builtin_shufflevector(over, over, 1, 2, 3, 0);
  Lanes d = below > above ? below : above;
  d = d > 0 ? d : AllLanes(0);
  d *= d;
  return d[0] + d[1] + d[2];
}

}  // namespace

MeshDistance::MeshDistance(TriangleMesh mesh) : mesh_(std::move(mesh)) {
  CheckIndices(mesh_, "surface for distances");
  const int n = static_cast<int>(mesh_.triangles.size());
  std::vector<Box3> boxes(n);
  for (int t = 0; t < n; ++t)
    for (int k = 0; k < 3; ++k) boxes[t].Include(mesh_.corner(t, k));
  bvh_ = BuildBvh(boxes);
  corners_.resize(n);
  for (int i = 0; i < n; ++i) {
    const int t = bvh_.items[i];
    corners_[i] = {mesh_.corner(t, 0), mesh_.corner(t, 1), mesh_.corner(t, 2)};
  }
  BuildMoments();
}

void MeshDistance::BuildMoments() {
  const int n = static_cast<int>(bvh_.nodes.size());
  moments_.assign(n, WindingMoments{});
  // First and last item below each node; children come after their parent, so backwards is bottom up.
  std::vector<std::pair<int, int>> range(n);
  for (int i = n - 1; i >= 0; --i) {
    const BvhNode& node = bvh_.nodes[i];
    range[i] = node.is_leaf() ? std::pair{node.first, node.first + node.count}
                              : std::pair{range[node.first].first, range[node.first + 1].second};
    const auto [begin, end] = range[i];
    WindingMoments& m = moments_[i];
    double area = 0;
    Vec3 weighted, plain;
    for (int k = begin; k < end; ++k) {
      const auto& [a, b, c] = corners_[k];
      const double area_k = 0.5 * norm(cross(b - a, c - a));
      area += area_k;
      weighted += (area_k / 3) * (a + b + c);
      plain += (1.0 / 3) * (a + b + c);
    }
    m.center = area > 0 ? weighted / area : plain / (end - begin);
    double radius2 = 0;
    for (int k = begin; k < end; ++k) {
      const auto& [a, b, c] = corners_[k];
      const Vec3 n_area = 0.5 * cross(b - a, c - a);
      const Vec3 d = (1.0 / 3) * ((a - m.center) + (b - m.center) + (c - m.center));
      m.dipole += n_area;
      m.quadrupole[0] += d.x * n_area.x;
      m.quadrupole[1] += d.y * n_area.y;
      m.quadrupole[2] += d.z * n_area.z;
      m.quadrupole[3] += d.x * n_area.y + d.y * n_area.x;
      m.quadrupole[4] += d.y * n_area.z + d.z * n_area.y;
      m.quadrupole[5] += d.z * n_area.x + d.x * n_area.z;
      for (const Vec3& v : {a, b, c}) radius2 = std::max(radius2, norm2(v - m.center));
    }
    m.radius = std::sqrt(radius2);
  }
}

MeshDistance::Closest MeshDistance::ClosestPoint(const Vec3& p) const {
  // Boxes are compared with a hair of slack: the rounding of a box distance must not hide an equally near
  // triangle.
  constexpr double kSlack = 1 + 1e-14;
  struct Entry {
    std::int32_t node;
    double d2;
  };
  Entry stack[Bvh::kMaxDepth + 1];
  int size = 0, best_item = -1;
  double best_d2 = std::numeric_limits<double>::infinity();
  const Lanes low{p.x, p.y, p.z, 0}, high{0, p.x, p.y, p.z};
  const FourVec3 eye{AllLanes(p.x), AllLanes(p.y), AllLanes(p.z)};
  stack[size++] = {0, 0};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.d2 > kSlack * best_d2) continue;
    const BvhNode& node = bvh_.nodes[entry.node];
    if (node.is_leaf()) {
      for (int first = node.first, end = node.first + node.count; first < end; first += 4) {
        const Corners* t[4];  // a missing one repeats the last
        for (int l = 0; l < 4; ++l) t[l] = &corners_[std::min(first + l, end - 1)];
        const auto four = [&](Vec3 Corners::*v) -> FourVec3 {
          const Vec3 &p0 = t[0]->*v, &p1 = t[1]->*v, &p2 = t[2]->*v, &p3 = t[3]->*v;
          return {Lanes{p0.x, p1.x, p2.x, p3.x}, Lanes{p0.y, p1.y, p2.y, p3.y},
                  Lanes{p0.z, p1.z, p2.z, p3.z}};
        };
        const Lanes d2 = TriangleDistance2(four(&Corners::a), four(&Corners::b), four(&Corners::c), eye);
        if (Bits(d2 <= best_d2) == 0) continue;
        for (int l = 0; l < 4 && first + l < end; ++l)
          if (d2[l] < best_d2 ||
              (d2[l] == best_d2 && best_item >= 0 && bvh_.items[first + l] < bvh_.items[best_item])) {
            best_d2 = d2[l];
            best_item = first + l;
          }
      }
      continue;
    }
    Entry near{node.first, BoxDistance2(bvh_.nodes[node.first], low, high)};
    Entry far{node.first + 1, BoxDistance2(bvh_.nodes[node.first + 1], low, high)};
    if (far.d2 < near.d2) std::swap(near, far);
    if (far.d2 <= kSlack * best_d2) stack[size++] = far;
    if (near.d2 <= kSlack * best_d2) stack[size++] = near;
  }
  if (best_item < 0) return {std::numeric_limits<double>::quiet_NaN(), {}, -1};
  const auto& [a, b, c] = corners_[best_item];
  return {std::sqrt(best_d2), ClosestPointOnTriangle(a, b, c, p), bvh_.items[best_item]};
}

double MeshDistance::WindingNumber(const Vec3& p) const {
  std::int32_t stack[Bvh::kMaxDepth + 1];
  int size = 0;
  AngleSum half;   // half solid angles of near triangles
  double far = 0;  // whole solid angles of far nodes
  stack[size++] = 0;
  while (size > 0) {
    const std::int32_t i = stack[--size];
    const WindingMoments& m = moments_[i];
    const Vec3 r = m.center - p;
    const double r2 = norm2(r), reach = kBeta * m.radius;
    if (r2 > reach * reach) {
      far += FarAngle(m, r, r2);
      continue;
    }
    const BvhNode& node = bvh_.nodes[i];
    if (node.is_leaf()) {
      for (int k = node.first; k < node.first + node.count; ++k) {
        const auto& [a, b, c] = corners_[k];
        AddSolidAngle(a - p, b - p, c - p, &half);
      }
      continue;
    }
    stack[size++] = node.first;
    stack[size++] = node.first + 1;
  }
  return (2 * half.Total() + far) / (4 * kPi);
}

bool MeshDistance::Inside(const Vec3& p) const {
  if (bvh_.nodes[0].box().Distance2(p) > 0) return false;
  return WindingNumber(p) > 0.5;
}

double MeshDistance::SignedDistance(const Vec3& p) const {
  const double distance = ClosestPoint(p).distance;
  return distance > 0 && Inside(p) ? -distance : distance;
}

}  // namespace taxel
