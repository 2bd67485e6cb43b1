#include "taxel/bristle/probe_tree.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "taxel/math/lanes.h"
#include "taxel/shape/ray.h"

namespace taxel::internal {
namespace {

using Floats = float __attribute__((vector_size(32)));
using FloatMask = std::int32_t __attribute__((vector_size(32)));

// Aligned. (memcpy, which is the clean way, goes through the stack with GCC 12: a tenth of the query.)
Floats LoadFloats(const float* p) {
  using Aliased [[gnu::may_alias]] = Floats;
  return *reinterpret_cast<const Aliased*>(p);
}
Floats AllFloats(float s) { return Floats{s, s, s, s, s, s, s, s}; }
Floats Max(const Floats& a, const Floats& b) { return a > b ? a : b; }
Floats Min(const Floats& a, const Floats& b) { return a < b ? a : b; }
// Bit k is set when lane k of a comparison is true.
unsigned MaskBits(const FloatMask& m) {
#if defined(__AVX__)
  Floats f;
  std::memcpy(&f, &m, sizeof f);
  return static_cast<unsigned>(__builtin_ia32_movmskps256(f));
#else
  unsigned bits = 0;
  for (int k = 0; k < 8; ++k) bits |= static_cast<unsigned>(m[k] != 0) << k;
  return bits;
#endif
}

// Where a line crosses a triangle: IntersectTriangle, which also tells the side and who owns an edge.
struct Crossing {
  double t;
  bool positive;  // seen along +kz the corners run counter-clockwise
  bool owned;     // an edge or a vertex belongs to exactly one of the triangles there
};

bool CrossTriangle(const ShearedRay& ray, const Vec3& a, const Vec3& b, const Vec3& c, Crossing* crossing) {
  const Vec3 pa = a - ray.origin, pb = b - ray.origin, pc = c - ray.origin;
  const double az = pa[ray.kz], bz = pb[ray.kz], cz = pc[ray.kz];
  const double ax = pa[ray.kx] - ray.sx * az, ay = pa[ray.ky] - ray.sy * az;
  const double bx = pb[ray.kx] - ray.sx * bz, by = pb[ray.ky] - ray.sy * bz;
  const double cx = pc[ray.kx] - ray.sx * cz, cy = pc[ray.ky] - ray.sy * cz;
  const double wa = ExactCross(bx, by, cx, cy), wb = ExactCross(cx, cy, ax, ay),
               wc = ExactCross(ax, ay, bx, by);
  const double det = wa + wb + wc;
  if (!((wa >= 0 && wb >= 0 && wc >= 0) || (wa <= 0 && wb <= 0 && wc <= 0)) || det == 0) return false;
  double t, u, v;
  crossing->positive = det > 0;
  crossing->owned =
      (wa != 0 && wb != 0 && wc != 0) || IntersectTriangle(ray, a, b, c, EdgeRule::kOneSide, &t, &u, &v);
  crossing->t = (wa * az + wb * bz + wc * cz) * ray.sz * (1 / det);
  return true;
}

}  // namespace

struct ProbeTree::Query {
  ShearedRay ray;
  Vec3 base, direction;
  bool base_in_box;
  bool has_length;
  bool front_is_positive;
  double t_best = 1;
  int best = -1;
  bool best_front = true;
  int winding = 0;  // of the base

  void Take(double t, int triangle, bool front, bool open) {
    if (!(front || open) || t > t_best || (t == t_best && best >= 0 && triangle > best)) return;
    t_best = t, best = triangle, best_front = front;
  }
};

ProbeTree::ProbeTree(TriangleMesh mesh, bool closed) : mesh_(std::move(mesh)), closed_(closed) {
  if (closed_ && EnclosedVolume(mesh_) < 0)
    for (auto& t : mesh_.triangles) std::swap(t[1], t[2]);
  const int count = static_cast<int>(mesh_.triangles.size());
  std::vector<Box3> boxes(count);
  for (int t = 0; t < count; ++t) {
    for (int k = 0; k < 3; ++k) boxes[t].Include(mesh_.corner(t, k));
    box_.Include(boxes[t]);
    normals_.push_back(normalized(AreaNormal2(mesh_, t)));
  }
  const Vec3 far = cwise_max(cwise_abs(box_.lo), cwise_abs(box_.hi));
  reach_ = std::max({far.x, far.y, far.z});
  const Bvh bvh = BuildBvh(boxes, kLeaf);
  leaves_.push_back(MakeLeaf(nullptr, 0));  // behind missing children, so that every walk ends
  Widen(bvh, 0);
}

ProbeTree::Leaf ProbeTree::MakeLeaf(const std::int32_t* triangles, int count) const {
  Leaf leaf;
  for (int i = 0; i < kLeaf; ++i) {
    leaf.triangle[i] = i < count ? triangles[i] : -1;
    for (int corner = 0; corner < 3; ++corner)
      for (int axis = 0; axis < 3; ++axis)
        leaf.corner[corner][axis][i] =
            i < count ? mesh_.corner(triangles[i], corner)[axis] : std::numeric_limits<double>::quiet_NaN();
  }
  return leaf;
}

// Children of the binary tree are opened, the largest first, until there are eight.
std::int32_t ProbeTree::Widen(const Bvh& bvh, std::int32_t root) {
  std::int32_t open[kChildren] = {root};
  int count = 1;
  const auto area = [&](std::int32_t i) {
    const Vec3 s = bvh.nodes[i].box().size();
    return s.x * s.y + s.y * s.z + s.z * s.x;
  };
  while (count < kChildren) {
    int largest = -1;
    for (int k = 0; k < count; ++k)
      if (!bvh.nodes[open[k]].is_leaf() && (largest < 0 || area(open[k]) > area(open[largest]))) largest = k;
    if (largest < 0) break;
    const std::int32_t left = bvh.nodes[open[largest]].first;
    open[largest] = left;
    open[count++] = left + 1;
  }
  const auto index = static_cast<std::int32_t>(nodes_.size());
  nodes_.emplace_back();
  for (int k = 0; k < kChildren; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      nodes_[index].bounds[0][axis][k] = k < count ? bvh.nodes[open[k]].lo[axis] : INFINITY;
      nodes_[index].bounds[1][axis][k] = k < count ? bvh.nodes[open[k]].hi[axis] : -INFINITY;
      nodes_[index].child[k] = ~0;
    }
  for (int k = 0; k < count; ++k) {
    const BvhNode& node = bvh.nodes[open[k]];
    if (!node.is_leaf()) {
      const std::int32_t child = Widen(bvh, open[k]);  // moves nodes_
      nodes_[index].child[k] = child;
      continue;
    }
    nodes_[index].child[k] = ~static_cast<std::int32_t>(leaves_.size());
    leaves_.push_back(MakeLeaf(&bvh.items[node.first], node.count));
  }
  return index;
}

// False when the probe stays outside the box, or is no number.
[[gnu::always_inline]] inline bool ProbeTree::Start(const Vec3& base, const Vec3& tip, Query* query) const {
  Box3 probe;
  probe.Include(base);
  probe.Include(tip);
  const double sum = base.x + base.y + base.z + tip.x + tip.y + tip.z;
  if (!probe.Overlaps(box_) || !(0 * sum == 0)) return false;  // the box forgets NaN, the sum does not
  query->base = base;
  query->base_in_box = box_.Distance2(base) == 0;
  query->has_length = tip != base;
  query->direction = query->has_length ? tip - base : Vec3{0, 0, 1};
  query->ray = MakeShearedRay({base, query->direction});
  // The signed area in the sheared plane is that of the normal along the ray, over direction[kz].
  query->front_is_positive = query->ray.sz < 0;
  return true;
}

[[gnu::always_inline]] inline ProbeMeeting ProbeTree::Finish(const Query& query) const {
  ProbeMeeting meeting;
  if (query.winding > 0) {
    meeting.kind = ProbeMeeting::Kind::kInside;
  } else if (query.best >= 0 && query.has_length) {
    meeting.kind = ProbeMeeting::Kind::kEnters;
    meeting.t = query.t_best;
    meeting.normal = query.best_front ? normals_[query.best] : -normals_[query.best];
  }
  return meeting;
}

void ProbeTree::MeetTriangle(int triangle, bool winding, Query* query) const {
  Crossing crossing;
  if (!CrossTriangle(query->ray, mesh_.corner(triangle, 0), mesh_.corner(triangle, 1),
                     mesh_.corner(triangle, 2), &crossing) ||
      !(crossing.t >= 0))
    return;
  const bool front = crossing.positive == query->front_is_positive;
  if (winding && crossing.owned) query->winding += front ? -1 : 1;
  query->Take(crossing.t, triangle, front, !closed_);
}

ProbeMeeting ProbeTree::MeetByBruteForce(const Vec3& base, const Vec3& tip) const {
  Query query;
  if (!Start(base, tip, &query)) return {};
  const bool winding = closed_ && query.base_in_box;
  for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t) MeetTriangle(t, winding, &query);
  return Finish(query);
}

template <bool kWinding>
[[gnu::always_inline]] inline void ProbeTree::MeetLeaf(const Leaf& leaf, Query* query) const {
  const ShearedRay& ray = query->ray;
  const Lanes ox = AllLanes(ray.origin[ray.kx]), oy = AllLanes(ray.origin[ray.ky]),
              oz = AllLanes(ray.origin[ray.kz]), sx = AllLanes(ray.sx), sy = AllLanes(ray.sy);
  Lanes x[3], y[3], z[3];
  for (int k = 0; k < 3; ++k) {
    z[k] = LoadLanes(leaf.corner[k][ray.kz]) - oz;
    x[k] = (LoadLanes(leaf.corner[k][ray.kx]) - ox) - sx * z[k];
    y[k] = (LoadLanes(leaf.corner[k][ray.ky]) - oy) - sy * z[k];
  }
  const Lanes wa = x[1] * y[2] - y[1] * x[2], wb = x[2] * y[0] - y[2] * x[0], wc = x[0] * y[1] - y[0] * x[1];
  // A difference of 0 may hide a sign: such a triangle goes through the exact test, alone.
  int close = Bits((wa == 0) | (wb == 0) | (wc == 0));
  for (; close != 0; close &= close - 1) MeetTriangle(leaf.triangle[__builtin_ctz(close)], kWinding, query);
  const LaneMask positive = (wa > 0) & (wb > 0) & (wc > 0), negative = (wa < 0) & (wb < 0) & (wc < 0);
  int hit = Bits(positive | negative);
  if (hit == 0) return;
  const Lanes det = wa + wb + wc;
  const Lanes t = (wa * z[0] + wb * z[1] + wc * z[2]) * AllLanes(ray.sz) * (AllLanes(1) / det);
  const int front_bits = Bits(query->front_is_positive ? positive : negative);
  for (; hit != 0; hit &= hit - 1) {
    const int k = __builtin_ctz(hit);
    if (!(t[k] >= 0)) continue;
    const bool front = (front_bits >> k & 1) != 0;
    if (kWinding) query->winding += front ? -1 : 1;
    query->Take(t[k], leaf.triangle[k], front, !closed_);
  }
}

// kWinding: all crossings of the endless ray; else the nearest one, near children first.
template <bool kWinding>
void ProbeTree::Descend(Query* query) const {
  // Rounding, as a length: of the origin, of plane - origin and of two products, below 5 half-ulps of the
  // coordinates. Twelve are taken.
  const Vec3 far = cwise_abs(query->base);
  const double pad = 6 * FLT_EPSILON * (std::max({far.x, far.y, far.z}) + reach_);
  // A probe slower than this along an axis does not leave the pad of a box it starts in; no infinity, which
  // would give NaN.
  constexpr double kSlow = 1e-30;
  const Lanes o = ToLanes(query->base);
  Lanes d = ToLanes(query->direction);
  d = AbsLanes(d) > kSlow ? d : AllLanes(kSlow);
  const Lanes inverse_d = 1 / d, grow = d > 0 ? AllLanes(pad) : AllLanes(-pad);
  const Lanes o_near = o + grow, o_far = o - grow;
  int near_side[3];
  Floats near_origin[3], far_origin[3], inverse[3];
  for (int k = 0; k < 3; ++k) {
    near_side[k] = d[k] > 0 ? 0 : 1;
    near_origin[k] = AllFloats(static_cast<float>(o_near[k]));
    far_origin[k] = AllFloats(static_cast<float>(o_far[k]));
    inverse[k] = AllFloats(static_cast<float>(inverse_d[k]));
  }
  // One word an entry, near above child: near is never negative, so entries compare as numbers (and a load of
  // the whole does not wait for two stores).
  const auto entry = [](float near, std::int32_t child) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(near)} << 32 | static_cast<std::uint32_t>(child);
  };
  std::uint64_t stack[(kChildren - 1) * Bvh::kMaxDepth + kChildren];
  int size = 0;
  float t_max = kWinding ? FLT_MAX : 1;
  std::int32_t child = 0;
  while (true) {
    unsigned bits = 0;
    Floats near;
    const Node* node = nullptr;
    if (child < 0) {
      MeetLeaf<kWinding>(leaves_[~child], query);
      // Rounded up: what is equally near must still be looked at.
      if (!kWinding) t_max = static_cast<float>(query->t_best) * (1 + 2 * FLT_EPSILON);
    } else {
      node = &nodes_[child];
      Floats far = AllFloats(t_max);
      near = AllFloats(0);
      for (int k = 0; k < 3; ++k) {
        near = Max((LoadFloats(node->bounds[near_side[k]][k]) - near_origin[k]) * inverse[k], near);
        far = Min((LoadFloats(node->bounds[1 - near_side[k]][k]) - far_origin[k]) * inverse[k], far);
      }
      bits = MaskBits(near <= far);
    }
    if (bits == 0) {
      do {
        if (size == 0) return;
        child = static_cast<std::int32_t>(stack[--size]);
      } while (std::bit_cast<float>(static_cast<std::uint32_t>(stack[size] >> 32)) > t_max);
      continue;
    }
    int k = __builtin_ctz(bits);
    bits &= bits - 1;
    if (bits == 0) {
      child = node->child[k];
      continue;
    }
    // Nearest first.
    std::uint64_t best = entry(near[k], node->child[k]);
    const int first = size;
    for (; bits != 0; bits &= bits - 1) {
      k = __builtin_ctz(bits);
      std::uint64_t other = entry(near[k], node->child[k]);
      if (other < best) std::swap(best, other);
      int place = size++;
      if (!kWinding)
        for (; place > first && stack[place - 1] < other; --place) stack[place] = stack[place - 1];
      stack[place] = other;
    }
    child = static_cast<std::int32_t>(best);
  }
}

ProbeMeeting ProbeTree::Meet(const Vec3& base, const Vec3& tip) const {
  Query query;
  if (!Start(base, tip, &query)) return {};
  if (closed_ && query.base_in_box)
    Descend<true>(&query);
  else
    Descend<false>(&query);
  return Finish(query);
}

}  // namespace taxel::internal
