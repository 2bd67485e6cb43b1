#include "taxel/skin/voronoi_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace taxel {
namespace {

constexpr int kNeighbors = 40;
constexpr int kMaxCorners = 64;
constexpr double kFacing = -0.17;  // cosine of 100 degrees

struct Corner {
  Vec3 p;
  double pressure;
};

// The part of a polygon with dot(normal, x) <= offset. *cut tells whether anything fell off.
int CutByPlane(const Corner* in, int n, const Vec3& normal, double offset, Corner* out, bool* cut) {
  int m = 0;
  double s[kMaxCorners];
  bool outside = false;
  for (int i = 0; i < n; ++i) {
    s[i] = offset - dot(normal, in[i].p);
    outside |= s[i] < 0;
  }
  *cut = outside;
  if (!outside) {
    std::copy(in, in + n, out);
    return n;
  }
  for (int i = 0; i < n; ++i) {
    const int j = i + 1 == n ? 0 : i + 1;
    if (s[i] >= 0) out[m++] = in[i];
    if ((s[i] > 0 && s[j] < 0) || (s[i] < 0 && s[j] > 0)) {
      const double t = s[i] / (s[i] - s[j]);
      out[m++] = {in[i].p + t * (in[j].p - in[i].p), in[i].pressure + t * (in[j].pressure - in[i].pressure)};
    }
  }
  return m;
}

}  // namespace

VoronoiCells::VoronoiCells(const Layout& layout, double limit) : taxels_(layout.count()), limit_(limit) {
  points_ = layout.points;
  normals_ = layout.normals;
  axes_ = layout.axes;
  if (layout.rows > 0) AddGhosts(layout);
  const int n = static_cast<int>(points_.size());
  norm2_.resize(n);
  std::vector<Box3> boxes(n);
  for (int i = 0; i < n; ++i) {
    norm2_[i] = norm2(points_[i]);
    boxes[i].Include(points_[i]);
  }
  bvh_ = BuildBvh(boxes);
  neighbors_ = std::min(kNeighbors, n - 1);
  std::vector<int> order(n);
  std::vector<double> distance(n);
  for (int i = 0; i < n; ++i) {
    std::iota(order.begin(), order.end(), 0);
    for (int j = 0; j < n; ++j) distance[j] = norm2(points_[j] - points_[i]);
    distance[i] = -1;
    std::partial_sort(order.begin(), order.begin() + neighbors_ + 1, order.end(), [&](int a, int b) {
      return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
    });
    neighbor_.insert(neighbor_.end(), order.begin() + 1, order.begin() + 1 + neighbors_);
  }
}

void VoronoiCells::AddGhosts(const Layout& layout) {
  const int rows = layout.rows, cols = layout.cols;
  const auto add = [&](int i, int inner, const Vec3& single) {
    // On a circle of equal steps the next point is the last one mirrored at the normal.
    const Vec3 &p = layout.points[i], &n = layout.normals[i];
    const Vec3 step = inner == i ? single : p - layout.points[inner];
    points_.push_back(p + step - 2 * dot(step, n) * n);
    normals_.push_back(n);
  };
  for (int c = 0; c < cols; ++c) {
    const int last = (rows - 1) * cols + c;
    // A single row is as wide as its area says.
    const int beside = c + 1 < cols ? c + 1 : c > 0 ? c - 1 : c;
    const double width =
        beside != c ? norm(layout.points[beside] - layout.points[c]) : std::sqrt(layout.areas[c]);
    const Vec3 up = (layout.areas[c] / width) * layout.second_axis(c);
    add(c, rows > 1 ? c + cols : c, -up);
    add(last, rows > 1 ? last - cols : last, up);
  }
  if (layout.wraps) return;
  for (int r = 0; r < rows; ++r) {
    const int first = r * cols, last = first + cols - 1;
    const int above = r + 1 < rows ? first + cols : r > 0 ? first - cols : first;
    const double height =
        above != first ? norm(layout.points[above] - layout.points[first]) : std::sqrt(layout.areas[first]);
    const Vec3 side = (layout.areas[first] / height) * layout.axes[first];
    add(first, cols > 1 ? first + 1 : first, -side);
    add(last, cols > 1 ? last - 1 : last, side);
  }
}

bool VoronoiCells::Faces(int i, const Vec3& inward) const { return dot(normals_[i], inward) < -kFacing; }

int VoronoiCells::Nearest(const Vec3& p, const Vec3& inward) const {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  Walk(
      bvh_, [&](const BvhNode& node, int) { return node.box().Distance2(p) <= least; },
      [&](int at) {
        const int i = bvh_.items[at];
        const double d = norm2(points_[i] - p);
        if ((d < least || (d == least && i < best)) && Faces(i, inward)) least = d, best = i;
      });
  return best;
}

void VoronoiCells::Integrate(const PressedFaces& faces, Workspace* workspace, CellLoads* loads) const {
  const int total = static_cast<int>(points_.size());
  workspace->stamp.resize(total, 0);
  Corner face[kMaxCorners], polygon[2][kMaxCorners];
  for (int f = 0; f < faces.count(); ++f) {
    const int first = faces.start[f], corners = std::min(faces.start[f + 1] - first, kMaxCorners / 2);
    const Vec3& inward = faces.inward[f];
    for (int i = 0; i < corners; ++i) face[i] = {faces.vertices[first + i], faces.pressures[first + i]};
    const int begin = Nearest(face[0].p, inward);
    if (begin < 0) continue;
    // The cells that meet a convex face hang together: walk from one to the next across the cuts.
    const int round = ++workspace->round;
    workspace->queue.assign(1, begin);
    workspace->stamp[begin] = round;
    for (std::size_t q = 0; q < workspace->queue.size(); ++q) {
      const int i = workspace->queue[q];
      int n = corners, side = 0;
      std::copy(face, face + n, polygon[0]);
      double reach2 = 0;
      const auto measure = [&] {
        reach2 = 0;
        for (int k = 0; k < n; ++k) reach2 = std::max(reach2, norm2(polygon[side][k].p - points_[i]));
      };
      measure();
      const auto cut_by = [&](int j) {
        bool cut;
        n = CutByPlane(polygon[side], n, 2 * (points_[j] - points_[i]), norm2_[j] - norm2_[i],
                       polygon[1 - side], &cut);
        if (!cut) return;
        side = 1 - side;
        if (workspace->stamp[j] != round) {
          workspace->stamp[j] = round;
          workspace->queue.push_back(j);
        }
        measure();
      };
      // A taxel more than twice as far away as the farthest corner cannot be nearer to any point of it.
      bool safe = false;
      for (int k = 0; k < neighbors_ && n >= 3 && n < kMaxCorners - 2; ++k) {
        const int j = neighbor_[i * neighbors_ + k];
        if (norm2(points_[j] - points_[i]) > 4 * reach2) {
          safe = true;
          break;
        }
        if (Faces(j, inward)) cut_by(j);
      }
      if (!safe && n >= 3 && neighbors_ < total - 1)
        for (int j = 0; j < total && n >= 3 && n < kMaxCorners - 2; ++j)
          if (j != i && norm2(points_[j] - points_[i]) <= 4 * reach2 && Faces(j, inward)) cut_by(j);
      if (n < 3 || i >= taxels_) continue;
      if (limit_ > 0) {
        for (const Vec3& axis : {axes_[i], cross(normals_[i], axes_[i])})
          for (const double sign : {1.0, -1.0}) {
            bool cut;
            n = CutByPlane(polygon[side], n, sign * axis, sign * dot(axis, points_[i]) + limit_,
                           polygon[1 - side], &cut);
            if (cut) side = 1 - side;
            if (n < 3) break;
          }
        if (n < 3) continue;
      }
      AddPolygon(polygon[side], n, inward, faces.grip[f], &loads->Use(i));
    }
  }
}

}  // namespace taxel
