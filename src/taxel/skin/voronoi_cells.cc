#include "taxel/skin/voronoi_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace taxel {
namespace {

constexpr int kNeighbors = 160;
constexpr int kMaxCorners = 64;

struct Corner {
  Vec3 p;
  double pressure;
};

// The part of a polygon with dot(normal, x) <= offset; all of it when that is true but for `slack`. *cut
// tells whether anything fell off.
int CutByPlane(const Corner* in, int n, const Vec3& normal, double offset, double slack, Corner* out,
               bool* cut) {
  int m = 0;
  double s[kMaxCorners];
  bool outside = false;
  for (int i = 0; i < n; ++i) {
    s[i] = offset - dot(normal, in[i].p);
    outside |= s[i] < -slack;
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

VoronoiCells::VoronoiCells(const Layout& layout, double limit) : limit_(limit) {
  points_ = layout.points;
  normals_ = layout.normals;
  axes_ = layout.axes;
  const int n = static_cast<int>(points_.size());
  norm2_.resize(n);
  std::vector<Box3> boxes(n);
  for (int i = 0; i < n; ++i) {
    norm2_[i] = norm2(points_[i]);
    boxes[i].Include(points_[i]);
  }
  bvh_ = BuildBvh(boxes);
  neighbors_ = std::min(kNeighbors, n - 1);
  // The nearest ones; equal distances by number. A disc that should hold a few more than that, and a larger
  // one where it does not.
  std::vector<std::pair<double, int>> near;
  for (int i = 0; i < n && neighbors_ > 0; ++i) {
    const double area = layout.areas.empty() ? 1e-6 : std::max(layout.areas[i], 1e-12);
    double within2 = 0.5 * neighbors_ * area;
    do {
      near.clear();
      Walk(
          bvh_, [&](const BvhNode& node, int) { return node.box().Distance2(points_[i]) <= within2; },
          [&](int at) {
            const int j = bvh_.items[at];
            const double distance2 = norm2(points_[j] - points_[i]);
            if (j != i && distance2 <= within2) near.emplace_back(distance2, j);
          });
      within2 *= 4;
    } while (static_cast<int>(near.size()) < neighbors_);
    std::partial_sort(near.begin(), near.begin() + neighbors_, near.end());
    for (int k = 0; k < neighbors_; ++k) {
      neighbor_.push_back(near[k].second);
      neighbor_distance_.push_back(std::sqrt(near[k].first));
    }
  }
  rim_start_.assign(n + 1, 0);
  for (const Layout::Ghost& ghost : layout.ghosts) ++rim_start_[ghost.taxel + 1];
  std::partial_sum(rim_start_.begin(), rim_start_.end(), rim_start_.begin());
  rims_.resize(layout.ghosts.size());
  std::vector<int> next(rim_start_.begin(), rim_start_.end() - 1);
  for (const Layout::Ghost& ghost : layout.ghosts) {
    const Vec3& p = points_[ghost.taxel];
    rims_[next[ghost.taxel]++] = {2 * (ghost.point - p), norm2(ghost.point) - norm2(p)};
  }
}

int VoronoiCells::Nearest(const Vec3& p, const Vec3& inward, int hint) const {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  if (hint >= 0 && FacesTaxel(inward, normals_[hint])) best = hint, least = norm2(points_[hint] - p);
  Walk(
      bvh_, [&](const BvhNode& node, int) { return node.box().Distance2(p) <= least; },
      [&](int at) {
        const int i = bvh_.items[at];
        const double d = norm2(points_[i] - p);
        if ((d < least || (d == least && i < best)) && FacesTaxel(inward, normals_[i])) least = d, best = i;
      });
  return best;
}

void VoronoiCells::Integrate(const PressedFaces& faces, Workspace* workspace, CellLoads* loads) const {
  const int total = static_cast<int>(points_.size());
  workspace->stamp.resize(total, 0u);
  // All of a face, in a ball round `middle`, lies in the cell of taxel i: nothing to cut. False also where
  // that would take longer to tell.
  const auto holds = [&](int i, const Corner* corner, int n, const Vec3& middle, double radius) {
    const double most = 2.000001 * (norm(middle - points_[i]) + radius);
    for (int k = 0; k < neighbors_; ++k) {
      const double distance = neighbor_distance_[i * neighbors_ + k];
      if (distance > most) return true;
      const int j = neighbor_[i * neighbors_ + k];
      const Vec3 way = points_[j] - points_[i];
      const double offset = norm2_[j] - norm2_[i];
      if (offset - 2 * dot(way, middle) > 2.000001 * distance * radius) continue;
      for (int c = 0; c < n; ++c)
        if (offset - 2 * dot(way, corner[c].p) < 0) return false;
    }
    return neighbors_ == total - 1;
  };
  const bool bounded = limit_ > 0 || !rims_.empty();
  Corner face[kMaxCorners], polygon[2][kMaxCorners];
  int begin = -1;
  for (int f = 0; f < faces.count(); ++f) {
    const int first = faces.start[f], corners = std::min(faces.start[f + 1] - first, kMaxCorners / 2);
    const Vec3& inward = faces.inward[f];
    Vec3 centre;
    for (int i = 0; i < corners; ++i) {
      face[i] = {faces.vertices[first + i], faces.pressures[first + i]};
      centre += face[i].p;
    }
    centre = corners > 0 ? centre / corners : centre;
    double radius = 0;
    for (int i = 0; i < corners; ++i) radius = std::max(radius, norm2(face[i].p - centre));
    radius = std::sqrt(radius);
    const auto whole = [&](int i) {
      return !bounded && corners >= 3 && FacesTaxel(inward, normals_[i]) &&
             holds(i, face, corners, centre, radius);
    };
    // That of the last face is rarely far.
    bool in_one = begin >= 0 && whole(begin);
    if (!in_one) {
      const int last = begin;
      begin = Nearest(face[0].p, inward, last);
      if (begin < 0) continue;
      in_one = begin != last && whole(begin);
    }
    if (in_one) {
      AddPolygon(face, corners, inward, faces.grip[f], &loads->Use(begin));
      continue;
    }
    // The cells that meet a convex face hang together: walk from one to the next across the cuts.
    if (++workspace->round == 0) {
      std::fill(workspace->stamp.begin(), workspace->stamp.end(), 0u);
      workspace->round = 1;
    }
    const unsigned round = workspace->round;
    workspace->queue.assign(1, begin);
    workspace->stamp[begin] = round;
    for (std::size_t q = 0; q < workspace->queue.size(); ++q) {
      const int i = workspace->queue[q];
      int n = corners, side = 0;
      std::copy(face, face + n, polygon[0]);
      // How far the polygon reaches from the taxel, and a ball round it.
      double reach = 0, radius = 0;
      Vec3 middle;
      const auto measure = [&] {
        double reach2 = 0, radius2 = 0;
        middle = {};
        for (int k = 0; k < n; ++k) middle += polygon[side][k].p;
        middle = n > 0 ? middle / n : middle;
        for (int k = 0; k < n; ++k) {
          reach2 = std::max(reach2, norm2(polygon[side][k].p - points_[i]));
          radius2 = std::max(radius2, norm2(polygon[side][k].p - middle));
        }
        reach = std::sqrt(reach2), radius = std::sqrt(radius2);
      };
      measure();
      const auto cut_by = [&](int j) {
        bool cut;
        n = CutByPlane(polygon[side], n, 2 * (points_[j] - points_[i]), norm2_[j] - norm2_[i], 0,
                       polygon[1 - side], &cut);
        if (!cut) return;
        side = 1 - side;
        if (workspace->stamp[j] != round) {
          workspace->stamp[j] = round;
          workspace->queue.push_back(j);
        }
        measure();
      };
      // A taxel more than twice as far away as the farthest corner cannot be nearer to any point of it; nor
      // can one whose plane halfway leaves the ball on this side.
      const auto clears = [&](int j, double distance) {
        const double s = norm2_[j] - norm2_[i] - 2 * dot(points_[j] - points_[i], middle);
        return s > 2.000001 * distance * radius;
      };
      bool safe = false;
      for (int k = 0; k < neighbors_ && n >= 3 && n < kMaxCorners - 2; ++k) {
        const double distance = neighbor_distance_[i * neighbors_ + k];
        if (distance > 2.000001 * reach) {
          safe = true;
          break;
        }
        const int j = neighbor_[i * neighbors_ + k];
        if (!clears(j, distance) && FacesTaxel(inward, normals_[j])) cut_by(j);
      }
      if (!safe && n >= 3 && neighbors_ < total - 1)
        for (int j = 0; j < total && n >= 3 && n < kMaxCorners - 2; ++j) {
          if (j == i) continue;
          const double distance = norm(points_[j] - points_[i]);
          if (distance <= 2.000001 * reach && !clears(j, distance) && FacesTaxel(inward, normals_[j]))
            cut_by(j);
        }
      const auto end_at = [&](const Vec3& normal, double offset, double slack) {
        if (n < 3 || n > kMaxCorners - 2) return;
        bool cut;
        n = CutByPlane(polygon[side], n, normal, offset, slack, polygon[1 - side], &cut);
        if (cut) side = 1 - side;
      };
      for (int k = rim_start_[i]; k < rim_start_[i + 1]; ++k) {
        // The normal is twice the way to the ghost.
        end_at(rims_[k].normal, rims_[k].offset, 0.5 * kOnTheRim * norm2(rims_[k].normal));
      }
      if (limit_ > 0)
        for (const Vec3& axis : {axes_[i], cross(normals_[i], axes_[i])})
          for (const double sign : {1.0, -1.0}) end_at(sign * axis, sign * dot(axis, points_[i]) + limit_, 0);
      if (n >= 3) AddPolygon(polygon[side], n, inward, faces.grip[f], &loads->Use(i));
    }
  }
}

}  // namespace taxel
