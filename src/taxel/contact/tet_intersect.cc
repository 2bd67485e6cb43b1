#include "taxel/contact/tet_intersect.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "taxel/math/lanes.h"

namespace taxel::internal {
namespace {

// A vertex and the barycentric coordinates of the tetrahedron it is clipped by. Along an edge all seven
// change linearly, so clipping never evaluates a plane again. Two vector registers.
struct Vertex {
  Lanes place;  // x, y, z, 0
  Lanes bary;

  Vec3 point() const { return {place[0], place[1], place[2]}; }
};

struct Ring {
  int n = 0;
  Vertex v[Polygon::kMax];
  Ring() {}
};

Vertex Between(const Vertex& p, const Vertex& q, double t) {
  return {p.place + t * (q.place - p.place), p.bary + t * (q.bary - p.bary)};
}

Lanes Barycentric(const TetCell& tet, const Vec3& p) {
  return LoadLanes(tet.bx) * p.x + LoadLanes(tet.by) * p.y + LoadLanes(tet.bz) * p.z + LoadLanes(tet.bd);
}

// Which faces cut the ring (bits 0-3), which it lies in (bits 4-7); -1 when it is wholly outside one: most
// candidates.
int FacesThatCut(const Ring& ring) {
  int in = 0, out = 0;
  for (int i = 0; i < ring.n; ++i) {
    in |= Bits(ring.v[i].bary > kOnPlane);
    out |= Bits(ring.v[i].bary < -kOnPlane);
  }
  return (out & ~in) != 0 ? -1 : out | (~in & 15) << 4;
}

// Keeps what has b_k >= 0 for all k; the rule for coplanar polygons is that of Clip. *ring and *spare change
// places.
bool ClipToTet(const TetCell& tet, int faces, bool keep_coplanar, const Vec3& normal_T, Ring** ring,
               Ring** spare) {
  for (int k = 0; k < 4 && faces > 15 && !keep_coplanar; ++k)
    if (faces >> (4 + k) & 1 && dot(normal_T, tet.bary(k).n) <= 0) return false;
  for (int k = 0; k < 4; ++k) {
    if (!(faces >> k & 1)) continue;
    const Ring& in = **ring;
    Ring& out = **spare;
    out.n = 0;
    bool any_in = false;
    for (int i = 0; i < in.n; ++i) {
      const Vertex &p = in.v[i], &q = in.v[i + 1 == in.n ? 0 : i + 1];
      const double s = p.bary[k], r = q.bary[k];
      any_in |= s > kOnPlane;
      if (s >= -kOnPlane) out.v[out.n++] = p;
      if ((s > kOnPlane && r < -kOnPlane) || (s < -kOnPlane && r > kOnPlane))
        out.v[out.n++] = Between(p, q, s / (s - r));
    }
    if (!any_in || out.n < 3) return false;
    std::swap(*ring, *spare);
  }
  return true;
}

Polygon ToPolygon(const Ring& ring) {
  Polygon out;
  out.n = ring.n;
  for (int i = 0; i < ring.n; ++i) out.v[i] = ring.v[i].point();
  return out;
}

// The polygon in which the plane {e = 0} cuts a tetrahedron, given e at its vertices: `code` has a bit for
// each positive one. Vertices in order round the polygon; which way round is not said.
int Slice(const TetCell& tet, const double* e, int code, Vec3* out) {
  // Edges that are cut: for one vertex apart its three edges, for two and two the four between them.
  static constexpr signed char kCut[8][8] = {
      {},
      {0, 1, 0, 2, 0, 3, -1},
      {1, 0, 1, 3, 1, 2, -1},
      {0, 2, 0, 3, 1, 3, 1, 2},
      {2, 0, 2, 1, 2, 3, -1},
      {0, 1, 2, 1, 2, 3, 0, 3},
      {1, 0, 1, 3, 2, 3, 2, 0},
      {3, 0, 3, 2, 3, 1, -1},
  };
  const signed char* cut = kCut[code < 8 ? code : 15 - code];
  int n = 0;
  for (int k = 0; k < 4 && cut[2 * k] >= 0; ++k) {
    const int i = cut[2 * k], j = cut[2 * k + 1];
    const Vec3 p = tet.vertex(i), q = tet.vertex(j);
    out[n++] = p + (e[i] / (e[i] - e[j])) * (q - p);
  }
  return n;
}

// By the diagonals: two corners fall together where the plane goes through a vertex.
bool TurnsWith(const Vec3* v, int n, const Vec3& normal) {
  return dot(cross(v[2] - v[0], v[n - 1] - v[1]), normal) > 0;
}

// A ball at p with radius r lies wholly beyond one of the faces.
bool BallMissesTet(const TetCell& tet, const Vec3& p, double r) {
  return Bits(Barycentric(tet, p) + r * LoadLanes(tet.steepness) < 0) != 0;
}

Lanes AtVertices(const TetCell& tet, const Linear& f) {
  return f.n.x * LoadLanes(tet.x) + f.n.y * LoadLanes(tet.y) + f.n.z * LoadLanes(tet.z) + f.d;
}

}  // namespace

void EqualPressureOfTets(const Pose& X_WF, const Pose& X_SF, const TetCell& first, const MovedTet& first_S,
                         double slope1, const TetCell& second, const MovedTet& second_F, double slope2,
                         FaceSink* sink) {
  if (BallMissesTet(first, second_F.center, second.radius)) return;
  if (BallMissesTet(second, first_S.center, first.radius)) return;
  // The plane of equal pressure must cut both. Zero counts as negative: a polygon in a face of the first is
  // kept when the normal points into it, as in Clip.
  const Lanes excess = slope1 * LoadLanes(first.u) - slope2 * AtVertices(first, second_F.depth);
  const int code = Bits(excess > 0);
  if (code == 0 || code == 15) return;
  const Lanes excess2 = slope1 * AtVertices(second, first_S.depth) - slope2 * LoadLanes(second.u);
  const double noise = 1e-12 * (slope1 + slope2);
  if (Bits(excess2 > noise) == 15 || Bits(excess2 < -noise) == 15) return;
  double e[4];
  StoreLanes(excess, e);
  Vec3 slice[4];
  Ring a, b;
  Ring *ring = &a, *spare = &b;
  const int sides = ring->n = Slice(first, e, code, slice);
  for (int i = 0; i < ring->n; ++i) ring->v[i] = {ToLanes(slice[i]), Barycentric(second, X_SF * slice[i])};
  const int faces = FacesThatCut(*ring);
  if (faces < 0) return;
  const Vec3 g1 = slope1 * first.depth.n, g2 = slope2 * second_F.depth.n;
  Vec3 m;
  if (!EqualNormal(g1, g2, sink->linear_cull_cosine(), &m)) return;
  // A first without pressure: the polygon is the second's own surface, which no other tetrahedron of the
  // second has.
  const bool unloaded = norm2(g1) == 0 && first.depth.d == 0;
  if (!ClipToTet(second, faces, unloaded, X_SF.R * m, &ring, &spare)) return;
  Polygon polygon = ToPolygon(*ring);
  if (!TurnsWith(slice, sides, m)) std::reverse(polygon.v, polygon.v + polygon.n);
  sink->Add(X_WF, polygon, m, {g1, slope1 * first.depth.d}, dot(m, g1), -dot(m, g2));
}

void EqualPressureInTet(const Pose& X_WK, const SoftPiece& piece, const TetCell& tet, double slope,
                        FaceSink* sink) {
  const Linear p1 = PressureIn((*piece.law)[0], piece.depth);
  // Excess of the first's pressure. A polygon in a face of the tetrahedron is kept when the normal points
  // into it, as above.
  double e[4];
  int code = 0;
  for (int i = 0; i < 4; ++i) {
    e[i] = p1(tet.vertex(i)) - slope * tet.u[i];
    code |= (e[i] > 0) << i;
  }
  if (code == 0 || code == 15) return;
  const Vec3 g2 = slope * tet.depth.n;
  Vec3 m;
  if (!EqualNormal(p1.n, g2, sink->linear_cull_cosine(), &m)) return;
  Polygon a, b;
  Polygon *part = &a, *spare = &b;
  part->n = Slice(tet, e, code, part->v);
  if (!TurnsWith(part->v, part->n, m)) std::reverse(part->v, part->v + part->n);
  for (int i = 0; i < piece.num_planes; ++i)
    if (!ClipInPlace(piece.planes[i], m, &part, &spare)) return;
  sink->Add(X_WK, *part, m, p1, dot(m, p1.n), -dot(m, g2));
}

void FacetInTet(const Pose& X_WK, const Polygon& facet, const Vec3& n_K, const TetCell& tet, double slope,
                FaceSink* sink) {
  const Vec3 gradient = slope * tet.depth.n;
  if (!Along(n_K, gradient, sink->linear_cull_cosine())) return;
  Ring a, b;
  Ring *ring = &a, *spare = &b;
  ring->n = facet.n;
  for (int i = 0; i < facet.n; ++i) ring->v[i] = {ToLanes(facet.v[i]), Barycentric(tet, facet.v[i])};
  const int faces = FacesThatCut(*ring);
  if (faces < 0 || !ClipToTet(tet, faces, false, n_K, &ring, &spare)) return;
  sink->Add(X_WK, ToPolygon(*ring), n_K, {gradient, slope * tet.depth.d}, dot(n_K, gradient),
            std::numeric_limits<double>::infinity());
}

}  // namespace taxel::internal
