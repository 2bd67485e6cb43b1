#include "taxel/shape/ray.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "taxel/math/error.h"

namespace taxel {
namespace {

void CheckRay(const Ray& ray) {
  auto text = [](const Vec3& v) { return "(" + ToText(v.x) + ", " + ToText(v.y) + ", " + ToText(v.z) + ")"; };
  if (!is_finite(ray.origin)) throw Error("ray: origin " + text(ray.origin) + " is not finite");
  if (!is_finite(ray.direction) || ray.direction == Vec3{})
    throw Error("ray: direction is " + text(ray.direction) + "; it must be finite and not zero");
  if (std::isnan(ray.t_min) || std::isnan(ray.t_max))
    throw Error("ray: t_min or t_max is NaN; leave them at 0 and infinity for the whole ray");
}

// Calls accept(hit) for the hits with t_min <= t <= *t_max; accept may lower *t_max. Near boxes first.
template <class Accept>
void Traverse(const TriangleMesh& mesh, const Bvh& bvh, const Ray& ray, EdgeRule rule, double* t_max,
              Accept accept) {
  CheckRay(ray);
  if (bvh.nodes.empty()) return;
  const ShearedRay sheared = MakeShearedRay(ray);
  const SlabRay slab = MakeSlabRay(ray, bvh.nodes[0].box());
  struct Entry {
    std::int32_t node;
    double t_near;
  };
  Entry stack[Bvh::kMaxDepth + 1];
  int size = 0;
  auto enter = [&](std::int32_t node, Entry* entry) {
    double near, far;
    if (!IntersectBox(slab, bvh.nodes[node], &near, &far) || far < ray.t_min || near > *t_max) return false;
    *entry = {node, near};
    return true;
  };
  if (enter(0, &stack[0])) size = 1;
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.t_near > *t_max) continue;
    const BvhNode& node = bvh.nodes[entry.node];
    if (node.is_leaf()) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        RayHit hit;
        hit.triangle = bvh.items[i];
        const auto& [a, b, c] = mesh.triangles[hit.triangle];
        if (IntersectTriangle(sheared, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c], rule, &hit.t,
                              &hit.u, &hit.v) &&
            hit.t >= ray.t_min && hit.t <= *t_max)
          accept(hit);
      }
      continue;
    }
    Entry left, right;
    const bool in_left = enter(node.first, &left), in_right = enter(node.first + 1, &right);
    if (in_left && in_right) {
      if (right.t_near < left.t_near) std::swap(left, right);
      stack[size++] = right;
      stack[size++] = left;
    } else if (in_left || in_right) {
      stack[size++] = in_left ? left : right;
    }
  }
}

}  // namespace

SlabRay MakeSlabRay(const Ray& ray, const Box3& around) {
  SlabRay slab;
  slab.origin = ray.origin;
  const Vec3 d = cwise_abs(ray.direction),
             reach = cwise_max(cwise_abs(around.lo - ray.origin), cwise_abs(around.hi - ray.origin));
  const double longest = std::max({d.x, d.y, d.z});
  // Sheared coordinates are right to about 3 roundings of the reach; the rest is margin.
  slab.pad = 4e-15 * std::max({reach.x, reach.y, reach.z});
  for (int k = 0; k < 3; ++k) slab.inverse[k] = d[k] > 1e-200 * longest ? 1 / ray.direction[k] : 0;
  return slab;
}

std::optional<RayHit> CastRay(const TriangleMesh& mesh, const Bvh& bvh, const Ray& ray) {
  double t_max = ray.t_max;
  RayHit best;
  Traverse(mesh, bvh, ray, EdgeRule::kBoth, &t_max, [&](const RayHit& hit) {
    if (best.triangle >= 0 && hit.t == best.t && hit.triangle > best.triangle) return;
    best = hit;
    t_max = hit.t;
  });
  return best.triangle >= 0 ? std::optional(best) : std::nullopt;
}

std::vector<RayHit> AllHits(const TriangleMesh& mesh, const Bvh& bvh, const Ray& ray) {
  std::vector<RayHit> hits;
  double t_max = ray.t_max;
  Traverse(mesh, bvh, ray, EdgeRule::kOneSide, &t_max, [&](const RayHit& hit) { hits.push_back(hit); });
  std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
    return a.t < b.t || (a.t == b.t && a.triangle < b.triangle);
  });
  return hits;
}

int CountHits(const TriangleMesh& mesh, const Bvh& bvh, const Ray& ray) {
  int count = 0;
  double t_max = ray.t_max;
  Traverse(mesh, bvh, ray, EdgeRule::kOneSide, &t_max, [&](const RayHit&) { ++count; });
  return count;
}

}  // namespace taxel
