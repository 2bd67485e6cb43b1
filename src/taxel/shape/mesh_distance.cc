#include "taxel/shape/mesh_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taxel/shape/triangle_distance.h"

namespace taxel {
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
  int size = 0;
  Closest best;
  double best_d2 = std::numeric_limits<double>::infinity();
  stack[size++] = {0, 0};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.d2 > kSlack * best_d2) continue;
    const BvhNode& node = bvh_.nodes[entry.node];
    if (node.is_leaf()) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        const auto& [a, b, c] = corners_[i];
        const Vec3 q = ClosestPointOnTriangle(a, b, c, p);
        const double d2 = norm2(p - q);
        if (d2 < best_d2 || (d2 == best_d2 && bvh_.items[i] < best.triangle)) {
          best_d2 = d2;
          best.point = q;
          best.triangle = bvh_.items[i];
        }
      }
      continue;
    }
    Entry near{node.first, bvh_.nodes[node.first].box().Distance2(p)};
    Entry far{node.first + 1, bvh_.nodes[node.first + 1].box().Distance2(p)};
    if (far.d2 < near.d2) std::swap(near, far);
    if (far.d2 <= kSlack * best_d2) stack[size++] = far;
    if (near.d2 <= kSlack * best_d2) stack[size++] = near;
  }
  best.distance = best.triangle >= 0 ? std::sqrt(best_d2) : std::numeric_limits<double>::quiet_NaN();
  return best;
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
