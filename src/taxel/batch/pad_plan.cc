#include "taxel/batch/pad_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "taxel/batch/pad_skin.h"
#include "taxel/gel/block_bins.h"
#include "taxel/gel/skin_ride.h"
#include "taxel/gel/spline.h"
#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

/// Nodes around those that particles reach: what sums over the cells around a node need not look for an end.
constexpr int kBorder = 2;

/// First node of a particle's stencil along an axis, and the way from there: as the blocks of the solver on
/// the host have it, bit by bit.
int FirstNode(double x, float* f) {
  const double block = std::floor((x - 0.5) / kBlockCells);
  const float local = static_cast<float>(x - kBlockCells * block);
  const float base = std::floor(local - 0.5f);
  *f = local - base;
  return kBlockCells * static_cast<int>(block) + static_cast<int>(base);
}

}  // namespace

PadPlanArrays::PadPlanArrays(const std::vector<Vec3>& positions, const PadSkin& skin) {
  SortParticles(positions);
  PlaceNodes();
  CutTiles();
  HangSkin(positions, skin);
  ListPoints();
  Point();
}

void PadPlanArrays::SortParticles(const std::vector<Vec3>& positions) {
  const std::size_t n = positions.size();
  std::vector<std::array<int, 3>> base(n);
  std::vector<std::array<float, 3>> f(n);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t k = 0; k < 3; ++k) base[p][k] = FirstNode(positions[p][static_cast<int>(k)], &f[p][k]);
  number_.resize(n);
  std::iota(number_.begin(), number_.end(), 0);
  const auto base_of = [&](int p) -> const auto& { return base[static_cast<std::size_t>(p)]; };
  std::stable_sort(number_.begin(), number_.end(), [&](int a, int b) { return base_of(a) < base_of(b); });
  f_.resize(3 * n), cell_of_.resize(n), sorted_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto p = static_cast<std::size_t>(number_[i]);
    if (i == 0 || base[p] != cell_at_.back()) {
      cell_at_.push_back(base[p]);
      cell_first_.push_back(static_cast<int>(i));
    }
    sorted_[p] = static_cast<int>(i);
    cell_of_[i] = static_cast<int>(cell_at_.size()) - 1;
    for (std::size_t k = 0; k < 3; ++k) f_[k * n + i] = f[p][k];
  }
  cell_first_.push_back(static_cast<int>(n));
  plan_.particles = static_cast<int>(n), plan_.cells = static_cast<int>(cell_at_.size());
}

void PadPlanArrays::PlaceNodes() {
  std::array<int, 3> low = cell_at_[0], high = cell_at_[0];
  for (const auto& at : cell_at_)
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], at[k]), high[k] = std::max(high[k], at[k]);
  double nodes = 1;
  int size[3];
  for (std::size_t k = 0; k < 3; ++k) {
    plan_.low[k] = low[k] - kBorder;
    size[k] = high[k] - low[k] + 3 + 2 * kBorder;
    nodes *= size[k];
  }
  if (nodes > 1 << 27)
    throw Error("gel of many pads: its box has " + ToText(nodes) +
                " nodes, more than 2^27; take a larger cell, or turn a long gel along an axis");
  plan_.row = size[2], plan_.plane = size[1] * size[2], plan_.nodes = size[0] * plan_.plane;
  node_cell_.assign(static_cast<std::size_t>(plan_.nodes), -1);
  std::vector<double> mass(static_cast<std::size_t>(plan_.nodes), 0.0);
  for (std::size_t c = 0; c < cell_at_.size(); ++c) {
    const auto& at = cell_at_[c];
    const int node =
        (at[0] - plan_.low[0]) * plan_.plane + (at[1] - plan_.low[1]) * plan_.row + at[2] - plan_.low[2];
    cell_node_.push_back(node);
    node_cell_[static_cast<std::size_t>(node)] = static_cast<int>(c);
    for (int p = cell_first_[c]; p < cell_first_[c + 1]; ++p) {
      float w[9];
      for (std::size_t k = 0; k < 3; ++k)
        SplineWeights(f_[k * number_.size() + static_cast<std::size_t>(p)], w + 3 * k);
      for (int n = 0; n < 27; ++n)
        mass[static_cast<std::size_t>(node + StencilOffset(plan_, n))] +=
            w[n / 9] * w[3 + n / 3 % 3] * w[6 + n % 3];
    }
  }
  for (const double m : mass) inverse_mass_.push_back(m > 0 ? 1 / static_cast<float>(m) : 0.0f);
}

void PadPlanArrays::CutTiles() {
  tile_first_.push_back(0);
  for (int c = 0; c < plan_.cells; ++c) {
    const auto end = static_cast<std::size_t>(c) + 1;
    const int first = cell_first_[static_cast<std::size_t>(tile_first_.back())];
    if (cell_first_[end] - cell_first_[end - 1] > kPadTile)
      throw Error("gel of many pads: " + std::to_string(cell_first_[end] - cell_first_[end - 1]) +
                  " particles lie in one cell; at most " + std::to_string(kPadTile) + " can (8 are usual)");
    if (cell_first_[end] - first > kPadTile) tile_first_.push_back(c);
  }
  tile_first_.push_back(plan_.cells);
  plan_.tiles = static_cast<int>(tile_first_.size()) - 1;
}

void PadPlanArrays::HangSkin(const std::vector<Vec3>& positions, const PadSkin& skin) {
  std::vector<SkinRide> ride = RideOnNearest(skin.contact, positions, "contact");
  for (const SkinRide& r : RideOnNearest(skin.rim, positions, "rim")) ride.push_back(r);
  plan_.contact = static_cast<int>(ride.size()), plan_.rim = static_cast<int>(skin.rim.size());
  for (const SkinRide& r : RideOnNearest(skin.held, positions, "held")) ride.push_back(r);
  const std::size_t points = ride.size(), n = positions.size();
  plan_.points = static_cast<int>(points);
  weight_.resize(27 * points);
  for (std::size_t k = 0; k < points; ++k) {
    const auto p = static_cast<std::size_t>(sorted_[static_cast<std::size_t>(ride[k].particle)]);
    ride_.push_back(static_cast<int>(p));
    r0_.insert(r0_.end(), ride[k].r0, ride[k].r0 + 3);
    point_node_.push_back(cell_node_[static_cast<std::size_t>(cell_of_[p])]);
    const float f[3] = {f_[p], f_[n + p], f_[2 * n + p]};
    float w[27];
    SkinWeights(f, ride[k].r0, w);
    for (std::size_t i = 0; i < 27; ++i) weight_[i * points + k] = w[i];
  }
  plan_.normals = !skin.outward.empty();
  std::vector<Vec3> outward = skin.outward;
  Vec3 mean;
  for (const Vec3& v : outward) mean += v;
  if (!skin.rim.empty()) outward.resize(static_cast<std::size_t>(plan_.contact), normalized(mean));
  for (const Vec3& v : outward) outward_.insert(outward_.end(), {v.x, v.y, v.z});
  for (const Vec3& v : skin.held) home_.insert(home_.end(), {v.x, v.y, v.z});
}

void PadPlanArrays::ListPoints() {
  const auto nodes = static_cast<std::size_t>(plan_.nodes), points = point_node_.size();
  node_begin_.assign(nodes + 1, 0);
  const auto node_of = [&](std::size_t k, int n) {
    return static_cast<std::size_t>(point_node_[k] + StencilOffset(plan_, n));
  };
  for (std::size_t k = 0; k < points; ++k)
    for (int n = 0; n < 27; ++n) ++node_begin_[node_of(k, n) + 1];
  for (std::size_t i = 0; i < nodes; ++i) {
    if (node_begin_[i + 1] > 0) skin_node_.push_back(static_cast<int>(i));
    node_begin_[i + 1] += node_begin_[i];
  }
  plan_.skin_nodes = static_cast<int>(skin_node_.size());
  std::vector<int> next(node_begin_.begin(), node_begin_.end() - 1);
  node_point_.resize(27 * points), node_weight_.resize(27 * points);
  for (std::size_t k = 0; k < points; ++k)
    for (int n = 0; n < 27; ++n) {
      const auto e = static_cast<std::size_t>(next[node_of(k, n)]++);
      node_point_[e] = static_cast<int>(k);
      node_weight_[e] = weight_[static_cast<std::size_t>(n) * points + k];
    }
}

void PadPlanArrays::Point() {
  plan_.f = f_.data(), plan_.cell_of = cell_of_.data(), plan_.number = number_.data();
  plan_.cell_first = cell_first_.data(), plan_.cell_node = cell_node_.data();
  plan_.tile_first = tile_first_.data(), plan_.node_cell = node_cell_.data();
  plan_.inverse_mass = inverse_mass_.data(), plan_.ride = ride_.data(), plan_.r0 = r0_.data();
  plan_.point_node = point_node_.data(), plan_.weight = weight_.data(), plan_.outward = outward_.data();
  plan_.home = home_.data(), plan_.skin_node = skin_node_.data(), plan_.node_begin = node_begin_.data();
  plan_.node_point = node_point_.data(), plan_.node_weight = node_weight_.data();
}

}  // namespace taxel::internal
