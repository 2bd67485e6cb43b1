#include "taxel/skin/poisson_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <string>
#include <utility>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/bvh.h"
#include "taxel/shape/sample_surface.h"
#include "taxel/skin/point_layout.h"
#include "taxel/skin/taxel_area.h"

namespace taxel {
using namespace internal;
namespace {

// Two taxels face each other, and crowd each other, when their normals are within 96 degrees: across a right
// angle rounding, and the slant of facets that stand for a round wall, must not decide.
constexpr double kRightAngle = -0.1;

// Which samples stay when the most crowded ones are removed until `count` are left. `packed` is the spacing
// of the densest packing of `count` points (2 r_max in the paper); weights fall from 1 to 0 over it.
std::vector<bool> Eliminate(const std::vector<SurfaceSample>& samples, int count, double packed) {
  const int size = static_cast<int>(samples.size());
  std::vector<Box3> boxes(size);
  for (int i = 0; i < size; ++i) boxes[i].Include(samples[i].point);
  const Bvh bvh = BuildBvh(boxes);
  // Pairs much nearer than can be avoided all count the same, or the removal would care for them alone.
  const double floor = 0.65 * packed * (1 - std::pow(static_cast<double>(count) / size, 1.5));
  std::vector<std::vector<std::pair<int, double>>> near(size);
  std::vector<double> weight(size);
  for (int i = 0; i < size; ++i) {
    CheckInterrupt();
    Walk(
        bvh,
        [&](const BvhNode& node, int) { return node.box().Distance2(samples[i].point) <= packed * packed; },
        [&](int place) {
          const int j = bvh.items[place];
          const double d = norm(samples[i].point - samples[j].point);
          if (j == i || d >= packed || dot(samples[i].normal, samples[j].normal) < kRightAngle) return;
          near[i].emplace_back(j, std::pow(1 - std::max(d, floor) / packed, 8));
        });
    for (const auto& [j, w] : near[i]) weight[i] += w;
  }
  // Entries grow stale when a neighbour goes; a stale one is put back with its present weight.
  std::priority_queue<std::pair<double, int>> queue;
  for (int i = 0; i < size; ++i) queue.emplace(weight[i], i);
  std::vector<bool> kept(size, true);
  for (int left = size; left > count;) {
    const auto [w, i] = queue.top();
    queue.pop();
    if (w > weight[i]) {
      queue.emplace(weight[i], i);
      continue;
    }
    kept[i] = false;
    --left;
    for (const auto& [j, share] : near[i]) weight[j] -= share;
  }
  return kept;
}

// The sampler compares normals with 90 degrees sharp. Drops the later of two samples that are too near across
// an edge of about that.
std::vector<SurfaceSample> WithoutCrowdedEdges(const std::vector<SurfaceSample>& samples, double spacing) {
  std::vector<Box3> boxes(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) boxes[i].Include(samples[i].point);
  const Bvh bvh = BuildBvh(boxes);
  std::vector<bool> kept(samples.size());
  std::vector<SurfaceSample> out;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    bool free = true;
    Walk(
        bvh,
        [&](const BvhNode& node, int) {
          return free && node.box().Distance2(samples[i].point) < spacing * spacing;
        },
        [&](int place) {
          const SurfaceSample& other = samples[bvh.items[place]];
          free = free && !(kept[bvh.items[place]] && dot(samples[i].normal, other.normal) >= kRightAngle &&
                           norm(samples[i].point - other.point) < spacing * (1 - 1e-12));
        });
    kept[i] = free;
    if (free) out.push_back(samples[i]);
  }
  return out;
}

Layout LayoutOf(const TriangleMesh& mesh, const std::vector<SurfaceSample>& samples) {
  if (samples.size() > kMaxTaxels)
    throw Error("the spacing gives " + std::to_string(samples.size()) + " taxels; one sensor has at most " +
                std::to_string(kMaxTaxels) + ": raise spacing (metres)");
  Layout layout;
  for (const SurfaceSample& s : samples) {
    layout.points.push_back(s.point);
    layout.normals.push_back(s.normal);
    layout.axes.push_back(FreeAxis(s.normal));
  }
  layout.areas =
      TaxelAreas(mesh, layout.points, layout.normals, std::numeric_limits<double>::infinity(), kRightAngle);
  return layout;
}

}  // namespace

Layout PoissonLayout(const TriangleMesh& mesh, double spacing, std::uint64_t seed) {
  CheckIndices(mesh, "surface to sample");
  // SampleSurface refuses what is beyond it; this one spares the work for what cannot be a sensor.
  const double area = SurfaceArea(mesh), expected = 0.7 * area / (spacing * spacing);
  if (spacing > 0 && expected > 1.5 * kMaxTaxels && expected < kMaxSurfaceSamples)
    throw Error("spacing " + ToText(spacing) + " m on " + ToText(area) + " m2 gives about " +
                ToText(std::round(expected)) + " taxels; one sensor has at most " +
                std::to_string(kMaxTaxels) + ": raise spacing to " + ToText(std::sqrt(area / kMaxTaxels)) +
                " m");
  const std::vector<SurfaceSample> samples = SampleSurface(mesh, spacing, seed);
  return LayoutOf(mesh, WithoutCrowdedEdges(samples, spacing));
}

Layout PoissonLayoutOf(const TriangleMesh& mesh, int count, std::uint64_t seed) {
  if (count < 1 || count > kMaxTaxels)
    throw Error("count is " + std::to_string(count) + "; it must be a number of taxels from 1 to " +
                std::to_string(kMaxTaxels));
  CheckIndices(mesh, "surface to sample");
  const double area = SurfaceArea(mesh);
  if (!(area > 0)) throw Error("surface to sample: its area is 0; every triangle is degenerate");
  std::vector<SurfaceSample> samples;
  for (double spacing = std::sqrt(0.7 * area / (4.0 * count)); static_cast<int>(samples.size()) < 3 * count;
       spacing *= 0.8)
    samples = SampleSurface(mesh, spacing, seed);
  const std::vector<bool> kept = Eliminate(samples, count, std::sqrt(2 * area / (std::sqrt(3.0) * count)));
  std::vector<SurfaceSample> left;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (kept[i]) left.push_back(samples[i]);
  return LayoutOf(mesh, left);
}

}  // namespace taxel
