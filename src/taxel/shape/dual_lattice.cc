#include "taxel/shape/dual_lattice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "taxel/math/interrupt.h"

namespace taxel::internal {
namespace {

constexpr double kMargin = 0.05;  // of a step: least distance of a vertex from the faces of its cell

constexpr double kShallow = 0.75;  // of a step: a small part that is nowhere deeper is dropped

/// For each pattern of inside corners (bit c = corner at (c & 1, c >> 1 & 1, c >> 2)): the group of each
/// corner.
struct Groups {
  std::array<std::array<std::int8_t, 8>, 256> of{};
  std::array<std::int8_t, 256> count{};

  Groups() {
    for (int mask = 0; mask < 256; ++mask) {
      of[mask].fill(-1);
      for (int c = 0; c < 8; ++c)
        if ((mask >> c & 1) && of[mask][c] < 0) Flood(mask, c, count[mask]++);
    }
  }
  void Flood(int mask, int c, std::int8_t group) {
    of[mask][c] = group;
    for (int bit : {1, 2, 4})
      if ((mask >> (c ^ bit) & 1) && of[mask][c ^ bit] < 0) Flood(mask, c ^ bit, group);
  }
};

class Builder {
 public:
  Builder(const MeshDistance& surface, const Lattice& lattice) : surface_(surface), lat_(lattice) {
    stride_ = {1, lat_.count[0], std::int64_t{1} * lat_.count[0] * lat_.count[1]};
  }

  LatticeMesh Build() {
    LabelPoints();
    while (DropPinches() > 0) {
    }
    DropCrumbs();
    AddPoints();
    AddCrossings();
    AddCellVertices();
    AddTets();
    return std::move(out_);
  }

 private:
  using Index = std::array<int, 3>;
  std::int64_t At(const Index& p) const { return p[0] + stride_[1] * p[1] + stride_[2] * p[2]; }
  Vec3 Position(const Index& p) const { return lat_.Point(p[0], p[1], p[2]); }

  int AddVertex(const Vec3& p, LatticeVertex kind, const Box3& cell = {}) {
    out_.mesh.vertices.push_back(p);
    out_.kind.push_back(kind);
    out_.cell.push_back(cell);
    return static_cast<int>(out_.mesh.vertices.size()) - 1;
  }

  template <class F>
  void ForEach(const Index& count, const F& f) const {
    for (int k = 0; k < count[2]; ++k)
      for (int j = 0; j < count[1]; ++j) {
        CheckInterrupt();
        for (int i = 0; i < count[0]; ++i) f(Index{i, j, k});
      }
  }

  // Points nearer to the last one asked than the surface is share its label, so most are never asked.
  void LabelPoints() {
    inside_.assign(lat_.size(), 0);
    for (int k = 1; k + 1 < lat_.count[2]; ++k)
      for (int j = 1; j + 1 < lat_.count[1]; ++j) {
        CheckInterrupt();
        double clear_until = -Box3::kInf;
        bool label = false;
        for (int i = 1; i + 1 < lat_.count[0]; ++i) {
          const Vec3 p = lat_.Point(i, j, k);
          if (!(p.x < clear_until)) {
            label = surface_.Inside(p);
            clear_until = p.x + (1 - 1e-9) * surface_.ClosestPoint(p).distance;
          }
          inside_[At({i, j, k})] = label;
        }
      }
  }

  int Mask(std::int64_t at) const {
    int mask = 0;
    for (int c = 0; c < 8; ++c)
      if (inside_[at + CornerOffset(c)]) mask |= 1 << c;
    return mask;
  }

  // A face between two cells with only two opposite corners inside makes the outer surface touch itself along
  // the line between the two cell vertices, when in both cells those corners belong to one group. The
  // shallower goes outside.
  int DropPinches() {
    int dropped = 0;
    ForEach({lat_.count[0] - 1, lat_.count[1] - 1, lat_.count[2] - 1}, [&](const Index& p) {
      for (int axis = 0; axis < 3; ++axis) {
        if (p[axis] == 0) continue;
        const int b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3, up = 1 << axis;
        const std::int64_t at = At(p);
        const bool in[4] = {inside_[at] != 0, inside_[at + CornerOffset(b)] != 0,
                            inside_[at + CornerOffset(b | c)] != 0, inside_[at + CornerOffset(c)] != 0};
        if (in[0] != in[2] || in[1] != in[3] || in[0] == in[1]) continue;
        const int first = in[0] ? 0 : b, second = in[0] ? b | c : c;
        const auto& above = groups_.of[Mask(at)];
        const auto& below = groups_.of[Mask(at - stride_[axis])];
        if (above[first] != above[second] || below[first | up] != below[second | up]) continue;
        const std::int64_t at_first = at + CornerOffset(first), at_second = at + CornerOffset(second);
        inside_[DepthAt(p, first) <= DepthAt(p, second) ? at_first : at_second] = 0;
        ++dropped;
      }
    });
    return dropped;
  }
  double DepthAt(const Index& p, int corner) const {
    return surface_
        .ClosestPoint(lat_.Point(p[0] + (corner & 1), p[1] + (corner >> 1 & 1), p[2] + (corner >> 2)))
        .distance;
  }

  // Near sharp edges a few points can lose touch with the body; alone they make no body. Parts with less than
  // a twentieth of the points, all of them close to the surface, go outside.
  void DropCrumbs() {
    std::vector<char> seen(inside_.size(), 0);
    std::vector<std::vector<std::int64_t>> parts;
    std::size_t total = 0;
    for (std::int64_t start = 0; start < lat_.size(); ++start) {
      if (!inside_[start] || seen[start]) continue;
      std::vector<std::int64_t> part{start};
      seen[start] = 1;
      for (std::size_t i = 0; i < part.size(); ++i)
        for (std::int64_t stride : stride_)
          for (std::int64_t next :
               {part[i] - stride, part[i] + stride})  // the outermost points are never inside
            if (inside_[next] && !seen[next]) {
              seen[next] = 1;
              part.push_back(next);
            }
      total += part.size();
      parts.push_back(std::move(part));
    }
    const double shallow = kShallow * std::min({lat_.step.x, lat_.step.y, lat_.step.z});
    for (const auto& part : parts) {
      if (20 * part.size() >= total) continue;
      const bool crumb = std::all_of(part.begin(), part.end(), [&](std::int64_t at) {
        const Index p{static_cast<int>(at % stride_[1]), static_cast<int>(at / stride_[1] % lat_.count[1]),
                      static_cast<int>(at / stride_[2])};
        return DepthAt(p, 0) < shallow;
      });
      if (!crumb) continue;
      for (std::int64_t at : part) inside_[at] = 0;
    }
  }

  void AddPoints() {
    point_id_.assign(lat_.size(), -1);
    ForEach(lat_.count, [&](const Index& p) {
      if (inside_[At(p)]) point_id_[At(p)] = AddVertex(Position(p), LatticeVertex::kPoint);
    });
  }

  // From the inside end towards the outside end: step by the distance to the surface, which can never
  // overstep it.
  Vec3 Crossing(const Vec3& from, const Vec3& to) const {
    const double length = norm(to - from);
    double s = 0;
    for (int step = 0; step < 60 && s < length; ++step) {
      const double d = surface_.ClosestPoint(from + (s / length) * (to - from)).distance;
      s += d;
      if (d < 1e-6 * length) break;
    }
    return from + std::clamp(s / length, kMargin, 1 - kMargin) * (to - from);
  }

  void AddCrossings() {
    for (auto& ids : crossing_id_) ids.assign(lat_.size(), -1);
    ForEach(lat_.count, [&](const Index& p) {
      for (int axis = 0; axis < 3; ++axis) {
        Index q = p;
        if (++q[axis] >= lat_.count[axis]) continue;
        const bool in_p = inside_[At(p)], in_q = inside_[At(q)];
        if (in_p == in_q) continue;
        const Vec3 c = in_p ? Crossing(Position(p), Position(q)) : Crossing(Position(q), Position(p));
        crossing_id_[axis][At(p)] = AddVertex(c, LatticeVertex::kCrossing);
      }
    });
  }

  void AddCellVertices() {
    mask_.assign(lat_.size(), 0);
    cell_id_.assign(lat_.size(), -1);
    ForEach({lat_.count[0] - 1, lat_.count[1] - 1, lat_.count[2] - 1}, [&](const Index& p) {
      const std::int64_t at = At(p);
      const int mask = Mask(at);
      if (mask == 0) return;
      mask_[at] = static_cast<std::uint8_t>(mask);
      const Vec3 lo = Position(p);
      const Box3 cell{lo, lo + lat_.step};
      if (mask == 255) {
        cell_id_[at] = AddVertex(cell.center(), LatticeVertex::kCentre, cell);
        return;
      }
      for (int group = 0; group < groups_.count[mask]; ++group) {
        const Vec3 mean = MeanCrossing(at, mask, group);
        const Vec3 margin = kMargin * lat_.step;
        const int id = AddVertex(cwise_min(cwise_max(mean, cell.lo + margin), cell.hi - margin),
                                 LatticeVertex::kSurface, cell);
        if (group == 0) cell_id_[at] = id;
      }
    });
  }

  std::int64_t CornerOffset(int c) const {
    return (c & 1) * stride_[0] + (c >> 1 & 1) * stride_[1] + (c >> 2) * stride_[2];
  }

  Vec3 MeanCrossing(std::int64_t at, int mask, int group) const {
    Vec3 sum;
    int n = 0;
    for (int c = 0; c < 8; ++c) {
      if (groups_.of[mask][c] != group) continue;
      for (int axis = 0; axis < 3; ++axis) {
        const int other = c ^ (1 << axis);
        if (mask >> other & 1) continue;
        sum += out_.mesh.vertices[crossing_id_[axis][at + CornerOffset(std::min(c, other))]];
        ++n;
      }
    }
    return sum / n;
  }

  void AddTets() {
    ForEach(lat_.count, [&](const Index& p) {
      for (int axis = 0; axis < 3; ++axis) {
        if (p[axis] + 1 >= lat_.count[axis]) continue;
        const std::int64_t at = At(p), next = at + stride_[axis];
        if (!inside_[at] && !inside_[next]) continue;
        const int crossing = crossing_id_[axis][at];
        const int low = inside_[at] ? point_id_[at] : crossing;
        const int high = inside_[next] ? point_id_[next] : crossing;
        // Counter-clockwise about the axis: the cells at (-1, -1), (0, -1), (0, 0), (-1, 0) along the other
        // two.
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        int ring[4];
        for (int k = 0; k < 4; ++k) {
          const int back_b = k == 0 || k == 3, back_c = k < 2;
          const std::int64_t cell = at - back_b * stride_[b] - back_c * stride_[c];
          const int corner = (back_b << b) | (back_c << c) | (inside_[at] ? 0 : 1 << axis);
          ring[k] = cell_id_[cell] + groups_.of[mask_[cell]][corner];
        }
        for (int k = 0; k < 4; ++k) out_.mesh.tets.push_back({low, high, ring[k], ring[(k + 1) % 4]});
      }
    });
  }

  const MeshDistance& surface_;
  const Lattice& lat_;
  const Groups groups_;
  std::array<std::int64_t, 3> stride_;
  std::vector<char> inside_;
  std::vector<std::uint8_t> mask_;
  std::vector<int> point_id_, cell_id_;  // cell_id_: vertex of group 0; the other groups follow it
  std::array<std::vector<int>, 3> crossing_id_;
  LatticeMesh out_;
};

}  // namespace

Lattice MakeLattice(const Box3& box, double spacing, const std::vector<Vec3>& corners) {
  Lattice lattice;
  for (int axis = 0; axis < 3; ++axis) {
    const double lo = box.lo[axis], size = box.size()[axis];
    const int least = std::max(2, static_cast<int>(std::ceil(size / spacing - 0.01)));
    int best = least;
    double best_score = -1;
    for (int n = least; n <= least + (least + 1) / 2; ++n) {
      double margin = 0.5;  // least distance of a corner from a plane of points, in steps
      for (const Vec3& corner : corners) {
        const double cells = (corner[axis] - lo) / size * n;
        margin = std::min(margin, 0.5 - std::fabs(cells - std::round(cells)));
      }
      const double score = margin - 0.02 * (n - least);  // more cells only for a clear gain
      if (score > best_score + 1e-9) best_score = score, best = n;
    }
    lattice.step[axis] = size / best;
    lattice.origin[axis] = lo - 0.5 * lattice.step[axis];
    lattice.count[axis] = best + 2;
  }
  return lattice;
}

LatticeMesh MeshLattice(const MeshDistance& surface, const Lattice& lattice) {
  return Builder(surface, lattice).Build();
}

}  // namespace taxel::internal
