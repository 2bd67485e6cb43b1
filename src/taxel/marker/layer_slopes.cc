#include "taxel/marker/layer_slopes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "taxel/marker/layer_interior.h"

namespace taxel::internal {
namespace {

constexpr double kLargestPoisson = 0.49999;

LayerBlock<double> Difference(const LayerBlock<double>& a, const LayerBlock<double>& b, double over) {
  return {(a.xx - b.xx) / over, (a.xy - b.xy) / over, (a.yy - b.yy) / over,
          (a.xz - b.xz) / over, (a.yz - b.yz) / over, (a.zz - b.zz) / over};
}

struct Sides {
  double low, high;
};

}  // namespace

struct LayerSlopes::Level {
  // Low and high of Poisson's ratio and of the thickness; of the depth there is no influence between cells.
  std::array<Sides, 3> sides;
  std::array<std::optional<LayerInfluence>, 4> face;
  std::array<std::optional<LayerInterior>, 6> below;
  std::array<std::vector<LayerBlock<double>>, 2> quadrant;
  std::array<std::map<int, Eigen::MatrixXd>, 3> markers;
};

LayerSlopes::LayerSlopes(const LayerCells& cells, const std::vector<LayerLevel>& levels, double poisson,
                         double depth)
    : cells_(cells), poisson_(poisson), depth_(depth), least_(levels[0].thickness()) {
  for (const LayerLevel& l : levels) thickness_.push_back(l.thickness());
}

LayerSlopes::Level& LayerSlopes::At(std::size_t level) {
  std::shared_ptr<Level>& out = made_[level];
  if (out) return *out;
  out = std::make_shared<Level>();
  const double H = thickness_[level], step = 1e-3 * (0.5 - poisson_), thin = 1e-4 * H;
  out->sides = {Sides{std::max(0.0, poisson_ - step), std::min(kLargestPoisson, poisson_ + step)},
                Sides{H - thin, H + thin},
                Sides{std::max(0.0, depth_ - thin), std::min(depth_ + thin, 0.5 * (depth_ + least_))}};
  return *out;
}

const std::vector<LayerBlock<double>>& LayerSlopes::Quadrant(LayerBy by, std::size_t level) {
  Level& at = At(level);
  const auto which = static_cast<std::size_t>(by);
  std::vector<LayerBlock<double>>& out = at.quadrant[which];
  if (!out.empty()) return out;
  const Sides& s = at.sides[which];
  const bool thick = by == LayerBy::kThickness;
  const LayerInfluence low(thick ? s.low : thickness_[level], thick ? poisson_ : s.low),
      high(thick ? s.high : thickness_[level], thick ? poisson_ : s.high);
  for (int di = 0; di < cells_.nx; ++di)
    for (int dj = 0; dj < cells_.ny; ++dj) {
      const double x = di * cells_.pitch, y = dj * cells_.pitch;
      out.push_back(
          Difference(high.Square(x, y, cells_.pitch), low.Square(x, y, cells_.pitch), s.high - s.low));
    }
  return out;
}

LayerDense LayerSlopes::Cells(LayerBy by, std::size_t level, double share, const std::vector<int>& targets,
                              const std::vector<int>& sources) {
  const auto made = [&](std::size_t l) -> const std::vector<LayerBlock<double>>& {
    const std::lock_guard lock(mutex_);  // what is made once stays
    return Quadrant(by, l);
  };
  const std::vector<LayerBlock<double>>& first = made(level);
  const std::vector<LayerBlock<double>>& second = share > 0 ? made(level + 1) : first;
  return LayerDense::Make(cells_, targets, sources, [&](int di, int dj, LayerBlock<double>* out) {
    const auto k = static_cast<std::size_t>(std::abs(di) * cells_.ny + std::abs(dj));
    const LayerBlock<double>&a = first[k], &b = second[k];
    const double keep = 1 - share, s = di < 0 ? -1 : 1, t = dj < 0 ? -1 : 1;
    *out = {keep * a.xx + share * b.xx,       s * t * (keep * a.xy + share * b.xy),
            keep * a.yy + share * b.yy,       s * (keep * a.xz + share * b.xz),
            t * (keep * a.yz + share * b.yz), keep * a.zz + share * b.zz};
  });
}

const Eigen::MatrixXd& LayerSlopes::Markers(LayerBy by, std::size_t level, int cell) {
  const std::lock_guard lock(mutex_);
  Level& at = At(level);
  const auto which = static_cast<std::size_t>(by);
  const auto found = at.markers[which].find(cell);
  if (found != at.markers[which].end()) return found->second;
  const Sides& s = at.sides[which];
  // Markers on the face have the tables of the face, those below it the others; by the depth always these.
  const bool face = depth_ == 0 && by != LayerBy::kDepth;
  const std::size_t first = 2 * which;
  for (std::size_t side = 0; side < 2; ++side) {
    const double value = side == 0 ? s.low : s.high, nu = by == LayerBy::kPoisson ? value : poisson_,
                 H = by == LayerBy::kThickness ? value : thickness_[level],
                 z = by == LayerBy::kDepth ? value : depth_;
    if (face && !at.face[first + side]) at.face[first + side].emplace(H, nu);
    if (!face && !at.below[first + side]) at.below[first + side].emplace(H, nu, z);
  }
  const auto square = [&](std::size_t side, double x, double y) -> LayerBlock<double> {
    if (face) return at.face[first + side]->Square(x, y, cells_.pitch);
    const InteriorBlock b = at.below[first + side]->Square(x, y, cells_.pitch);
    return {b.xx, b.xy, b.yy, b.xz, b.yz, b.zz};
  };
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(cells_.marker.size()), 5);
  const Vec3& q = cells_.place[static_cast<std::size_t>(cell)].p;
  for (Eigen::Index m = 0; m < rows.rows(); ++m) {
    const Vec3& p = cells_.marker[static_cast<std::size_t>(m)].p;
    const LayerBlock<double> b =
        Difference(square(1, p.x - q.x, p.y - q.y), square(0, p.x - q.x, p.y - q.y), s.high - s.low);
    rows.row(m) << b.xx, b.xy, b.yy, b.xz, b.yz;
  }
  return at.markers[which].emplace(cell, std::move(rows)).first->second;
}

}  // namespace taxel::internal
