#include "taxel/gel/poisson_fill.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "taxel/gel/column_scan.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/math/random.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kMaxCells = 5e8;  // 2 GiB
constexpr int kLevels = 4;         // the last parts are radius / sqrt(3) / 8 wide
constexpr int kRim = 2;            // cells around the shape, so that every cell has all its neighbours
constexpr int kRounds = 3;         // darts a part before it is cut

// A cell without a point; else it holds the point's index. A cut cell may hold a part of the surface; in or
// out is its middle.
enum : std::int32_t { kOutside = -4, kCutOut = -3, kCutIn = -2, kFull = -1 };
bool IsCut(std::int32_t cell) { return cell == kCutOut || cell == kCutIn; }

// A part of a cell: at level l the cell has 2^l parts along each axis.
struct Part {
  std::uint32_t cell;
  std::uint8_t i, j, k;
};

class DartBoard {
 public:
  DartBoard(const SolidShape& solid, double radius, std::uint64_t seed)
      : solid_(solid), radius2_(radius * radius), edge_(radius / std::sqrt(3.0)), seed_(seed) {
    const Vec3 size = solid.box().size();
    double cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const double count = std::floor(size[axis] / edge_) + 1 + 2 * kRim;
      cells *= count;
      if (cells > kMaxCells)
        throw Error("filling '" + solid.name() + "': radius " + ToText(radius) + " m gives more than " +
                    ToText(kMaxCells) + " cells in the shape's bounding box; use at least " +
                    ToText(std::sqrt(3.0) * std::cbrt(size.x * size.y * size.z / kMaxCells)) +
                    " m, or turn the shape");
      n_[axis] = static_cast<int>(count);
    }
    // Centred, so that no side of the shape is preferred.
    origin_ = solid.box().center() - 0.5 * edge_ * Vec3{1.0 * n_[0], 1.0 * n_[1], 1.0 * n_[2]};
    cells_.assign(static_cast<std::size_t>(n_[0]) * n_[1] * n_[2], kOutside);
    if (solid.primitive())
      SortCellsOfPrimitive();
    else
      SortCellsOfMesh();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (c % 4096 == 0) CheckInterrupt();
      const auto place = PlaceOf(c);
      for (int axis = 0; axis < 3; ++axis)
        if (place[axis] < kRim || place[axis] >= n_[axis] - kRim) cells_[c] = kOutside;
    }
    ListNeighbours();
  }

  std::vector<Vec3> Throw() {
    std::vector<Part> open;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (c % 4096 == 0) CheckInterrupt();
      if (cells_[c] != kOutside) open.push_back({static_cast<std::uint32_t>(c), 0, 0, 0});
    }
    for (int level = 0; level < kLevels && !open.empty(); ++level) {
      if (level > 0) open = Halved(std::move(open), level);
      for (int round = 0; round < kRounds; ++round) {
        for (std::size_t i = open.size(); i > 1; --i) {
          if (i % 4096 == 0) CheckInterrupt();
          std::swap(open[i - 1], open[RandomBits(seed_, draw_++) % i]);
        }
        std::size_t kept = 0;
        for (const Part& part : open) {
          CheckInterrupt();
          if (StaysOpen(part, level)) open[kept++] = part;
        }
        open.resize(kept);
      }
    }
    return std::move(points_);
  }

 private:
  std::size_t CellAt(int i, int j, int k) const {
    return (static_cast<std::size_t>(i) * n_[1] + j) * n_[2] + k;
  }
  Vec3 Corner(int i, int j, int k) const { return origin_ + edge_ * Vec3{1.0 * i, 1.0 * j, 1.0 * k}; }
  std::array<int, 3> PlaceOf(std::size_t c) const {
    const auto line = static_cast<int>(c / n_[2]);
    return {line / n_[1], line % n_[1], static_cast<int>(c % n_[2])};
  }

  void SortCellsOfPrimitive() {
    const double reach = 0.5 * std::sqrt(3.0) * edge_ * (1 + 1e-9);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const auto [i, j, k] = PlaceOf(c);
      if (k == 0) CheckInterrupt();
      const Vec3 middle = Corner(i, j, k) + 0.5 * edge_ * Vec3{1, 1, 1};
      const double d = SignedDistance(*solid_.primitive(), middle);
      cells_[c] = d > reach ? kOutside : (d < -reach ? kFull : (d > 0 ? kCutOut : kCutIn));
    }
  }

  void SortCellsOfMesh() {
    const TriangleMesh& mesh = solid_.mesh()->mesh();
    const ColumnLattice lattice{origin_.x + 0.5 * edge_, origin_.y + 0.5 * edge_, edge_, n_[0], n_[1]};
    const ColumnScan scan(mesh, lattice);
    for (int i = 0; i < n_[0]; ++i)
      for (int j = 0; j < n_[1]; ++j) {
        CheckInterrupt();
        const auto column = scan.column(i, j);
        std::size_t c = 0;
        int winding = 0;
        for (int k = 0; k < n_[2]; ++k) {
          const double z = origin_.z + (k + 0.5) * edge_;
          for (; c < column.size() && column[c].z <= z; ++c) winding += column[c].turn;
          if (winding > 0) cells_[CellAt(i, j, k)] = kFull;
        }
      }
    for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) MarkCut(mesh, t);
  }

  // Cells that the triangle may cut: those of its bounding box whose centre is near enough to its plane.
  void MarkCut(const TriangleMesh& mesh, int t) {
    Box3 box;
    for (int corner = 0; corner < 3; ++corner) box.Include(mesh.corner(t, corner));
    std::array<int, 3> lo, hi;
    for (int axis = 0; axis < 3; ++axis) {
      lo[axis] = std::max(0, static_cast<int>(std::floor((box.lo[axis] - origin_[axis]) / edge_ - 1e-6)));
      hi[axis] =
          std::min(n_[axis] - 1, static_cast<int>(std::floor((box.hi[axis] - origin_[axis]) / edge_ + 1e-6)));
    }
    const Vec3 normal = normalized(AreaNormal2(mesh, t)), on_plane = mesh.corner(t, 0);
    const double reach = 0.5 * std::sqrt(3.0) * edge_ * (1 + 1e-6);
    for (int i = lo[0]; i <= hi[0]; ++i) {
      CheckInterrupt();
      for (int j = lo[1]; j <= hi[1]; ++j)
        for (int k = lo[2]; k <= hi[2]; ++k) {
          const Vec3 middle = Corner(i, j, k) + 0.5 * edge_ * Vec3{1, 1, 1};
          if (std::fabs(dot(normal, middle - on_plane)) > reach) continue;
          std::int32_t& cell = cells_[CellAt(i, j, k)];
          cell = cell == kFull || cell == kCutIn ? kCutIn : kCutOut;
        }
    }
  }

  // Cells that can hold a point nearer than the radius, nearest first: that finds a reason to refuse soonest.
  void ListNeighbours() {
    std::vector<std::array<int, 3>> steps;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j)
        for (int k = -2; k <= 2; ++k)
          if (i * i + j * j + k * k < 12) steps.push_back({i, j, k});  // (2, 2, 2) is a whole radius away
    std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
      return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] < b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    });
    for (const auto& [i, j, k] : steps)
      near_.push_back((static_cast<std::ptrdiff_t>(i) * n_[1] + j) * n_[2] + k);
  }

  // Calls visit(point) for the points in the cells around one; stops and returns true when visit does.
  template <class Visit>
  bool AnyNear(std::size_t cell, Visit visit) const {
    const std::int32_t* here = cells_.data() + cell;
    for (const std::ptrdiff_t step : near_)
      if (here[step] >= 0 && visit(points_[static_cast<std::size_t>(here[step])])) return true;
    return false;
  }

  Vec3 LowCorner(const Part& part, double width) const {
    const auto [i, j, k] = PlaceOf(part.cell);
    return Corner(i, j, k) + width * Vec3{1.0 * part.i, 1.0 * part.j, 1.0 * part.k};
  }

  bool Covers(const Vec3& point, const Vec3& low, double width) const {
    const Vec3 middle = low + 0.5 * width * Vec3{1, 1, 1};
    return norm2(cwise_abs(point - middle) + 0.5 * width * Vec3{1, 1, 1}) < radius2_;
  }

  // The part lies outside the solid.
  bool Beyond(const Part& part, const Vec3& low, double width) const {
    const Vec3 middle = low + 0.5 * width * Vec3{1, 1, 1};
    const double reach = 0.5 * std::sqrt(3.0) * width * (1 + 1e-9);
    if (solid_.primitive()) return SignedDistance(*solid_.primitive(), middle) > reach;
    const auto [i, j, k] = PlaceOf(part.cell);
    const double aside = norm(middle - Corner(i, j, k) - 0.5 * edge_ * Vec3{1, 1, 1});
    const bool cell_in = cells_[part.cell] == kCutIn;
    if (cell_in && aside < reach) return false;
    const double distance = solid_.mesh()->ClosestPoint(middle).distance;
    if (distance <= reach) return false;
    // Nearer to the middle of the cell than to the surface: on the same side of it.
    return aside < distance ? !cell_in : !solid_.Inside(middle);
  }

  // Throws a dart; false when the part needs no other.
  bool StaysOpen(const Part& part, int level) {
    if (cells_[part.cell] >= 0) return false;
    const double width = std::ldexp(edge_, -level);
    const Vec3 low = LowCorner(part, width);
    const Vec3 dart = low + width * Vec3{RandomUniform(seed_, draw_), RandomUniform(seed_, draw_ + 1),
                                         RandomUniform(seed_, draw_ + 2)};
    draw_ += 3;
    bool covered = false;
    const bool taken = AnyNear(part.cell, [&](const Vec3& point) {
      if (norm2(point - dart) >= radius2_) return false;
      covered = Covers(point, low, width);
      return true;
    });
    if (taken) return !covered;
    if (IsCut(cells_[part.cell]) && !solid_.Inside(dart)) return true;
    cells_[part.cell] = static_cast<std::int32_t>(points_.size());
    points_.push_back(dart);
    return false;
  }

  std::vector<Part> Halved(std::vector<Part> open, int level) const {
    // Neighbours in space follow each other in memory; the order is shuffled again before darts are thrown.
    std::size_t compared = 0;
    std::sort(open.begin(), open.end(), [&compared](const Part& a, const Part& b) {
      if (++compared % (1 << 16) == 0) CheckInterrupt();
      return std::tie(a.cell, a.i, a.j, a.k) < std::tie(b.cell, b.i, b.j, b.k);
    });
    const double width = std::ldexp(edge_, -level);
    std::vector<Part> out;
    std::vector<Vec3> around;
    for (const Part& whole : open) {
      CheckInterrupt();
      if (cells_[whole.cell] >= 0) continue;
      // What covers a half holds the middle of the whole, which is one of its corners.
      const Vec3 middle = LowCorner(whole, 2 * width) + width * Vec3{1, 1, 1};
      around.clear();
      AnyNear(whole.cell, [&](const Vec3& point) {
        if (norm2(point - middle) < radius2_) around.push_back(point);
        return false;
      });
      for (int half = 0; half < 8; ++half) {
        const Part part{whole.cell, static_cast<std::uint8_t>(2 * whole.i + (half & 1)),
                        static_cast<std::uint8_t>(2 * whole.j + (half >> 1 & 1)),
                        static_cast<std::uint8_t>(2 * whole.k + (half >> 2))};
        const Vec3 low = LowCorner(part, width);
        if (std::any_of(around.begin(), around.end(),
                        [&](const Vec3& point) { return Covers(point, low, width); }))
          continue;
        if (IsCut(cells_[part.cell]) && Beyond(part, low, width)) continue;
        out.push_back(part);
      }
    }
    return out;
  }

  const SolidShape& solid_;
  double radius2_, edge_;
  std::uint64_t seed_, draw_ = 0;
  Vec3 origin_;
  std::array<int, 3> n_{};
  std::vector<std::int32_t> cells_;
  std::vector<std::ptrdiff_t> near_;  // steps in cells_
  std::vector<Vec3> points_;
};

}  // namespace

Filling FillPoissonDisk(const SolidShape& solid, double radius, std::uint64_t seed) {
  Filling out;
  CheckedSites(solid, radius, "radius", kMaxPoissonPoints / 0.75);
  out.spacing = radius;
  out.solid_volume = solid.volume();
  out.points = DartBoard(solid, radius, seed).Throw();
  if (out.points.empty())
    throw Error("filling '" + solid.name() + "': radius " + ToText(radius) + " m leaves no point inside " +
                ToText(solid.volume()) + " m3; use at most " + ToText(0.5 * std::cbrt(solid.volume())) +
                " m");
  return out;
}

}  // namespace taxel
