#include "taxel/shape/geodesic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "taxel/math/error.h"
#include "taxel/shape/triangle_distance.h"

namespace taxel::internal {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
// Windows narrower than this part of their edge are dropped; paths through the gap bend by as little.
constexpr double kNarrow = 1e-9;
// A path through a vertex must be shorter by this part before a window is dropped for it: ties keep both.
constexpr double kTie = 1e-12;
// A source within this part of the triangle's size of an edge or corner is on it.
constexpr double kSnap = 1e-9;

double Hypot(double x, double y) { return std::sqrt(x * x + y * y); }

}  // namespace

// Fills a field: windows and vertices leave a queue in the order of their distance, so a vertex that leaves
// it is final.
class GeodesicSearch {
 public:
  GeodesicSearch(const SurfaceNet& net, GeodesicField* field) : net_(net), f_(*field) {}

  void AddInside(int triangle) {
    f_.home_.push_back(triangle);
    for (int k = 0; k < 3; ++k) AddHomeSide(3 * triangle + k);
  }
  void AddOnEdge(int side) {
    const auto add = [&](int h) {
      f_.home_.push_back(h / 3);
      AddHomeSide(Next(h));
      AddHomeSide(Next(Next(h)));
    };
    add(side);
    for (int i = net_.sides[side].begin; i < net_.sides[side].end; ++i) add(net_.across[i]);
  }
  void AddAtVertex(int vertex) {
    Reach(vertex, 0);
    Push({0, -1 - vertex});
  }
  // A triangle with two corners in one place is a segment: on to the triangles that share it, or to its ends.
  void AddOnSegment(int triangle) {
    const std::int32_t* c = &net_.corners[3 * triangle];
    const int a = c[0], b = c[1] != c[0] ? c[1] : c[2];
    f_.home_.push_back(triangle);
    for (int v : {a, b}) Reach(v, norm(f_.source_ - f_.mesh_->vertices[v]));
    for (int i = net_.first_corner[a]; i < net_.first_corner[a + 1]; ++i)
      for (int h : {net_.corner_list[i], Next(Next(net_.corner_list[i]))})
        if (net_.corners[h] + net_.corners[Next(h)] == a + b) return AddOnEdge(h);
  }

  void Run() {
    while (!f_.queue_.empty() && f_.queue_.front().distance <= f_.radius_) {
      std::pop_heap(f_.queue_.begin(), f_.queue_.end(), Later);
      const Event event = f_.queue_.back();
      f_.queue_.pop_back();
      if (event.what < 0) {
        // A vertex that was reached again by a shorter way has an earlier entry.
        if (event.distance == f_.vertex_[-1 - event.what]) TurnAt(-1 - event.what);
      } else {
        Window window = f_.pending_[event.what];
        f_.free_.push_back(event.what);
        if (!Useless(window) && Trim(&window)) Pass(window);
      }
    }
  }

 private:
  using Window = GeodesicField::Window;
  using Event = GeodesicField::Event;

  // The order of the queue; ties by index, so that it is the same on every machine.
  static bool Later(const Event& a, const Event& b) {
    return a.distance != b.distance ? a.distance > b.distance : a.what > b.what;
  }
  void Push(const Event& event) {
    f_.queue_.push_back(event);
    std::push_heap(f_.queue_.begin(), f_.queue_.end(), Later);
  }
  static int Next(int side) { return side % 3 == 2 ? side - 2 : side + 1; }

  void Reach(int vertex, double distance) {
    double& best = f_.vertex_[vertex];
    if (!(distance < best)) return;
    if (best == kInf) f_.touched_vertices_.push_back(vertex);
    best = distance;
    if (net_.turning[vertex] && distance > 0) Push({distance, -1 - vertex});
  }

  // The whole far side of a triangle is seen from p within it.
  void AddHomeSide(int h) {
    const Vec3& p = f_.source_;
    const TriangleMesh& mesh = *f_.mesh_;
    const Vec3 &a = mesh.vertices[net_.corners[h]], &b = mesh.vertices[net_.corners[Next(h)]];
    Reach(net_.corners[h], norm(p - a));
    Reach(net_.corners[Next(h)], norm(p - b));
    const double length = net_.sides[h].length, x = dot(p - a, b - a) / length;
    SendAcross(h, 0, length, x, -norm(cross(p - a, b - a)) / length, 0);
  }

  // A path bends at a vertex: its rays see the far sides of all triangles round it.
  void TurnAt(int vertex) {
    const double distance = f_.vertex_[vertex];
    for (int i = net_.first_corner[vertex]; i < net_.first_corner[vertex + 1]; ++i) {
      const int near = net_.corner_list[i], far = Next(near);
      Reach(net_.corners[far], distance + net_.sides[near].length);
      Reach(net_.corners[Next(far)], distance + net_.sides[Next(far)].length);
      SendAcross(far, 0, net_.sides[far].length, net_.sides[far].apex_x, -net_.sides[far].apex_y, distance);
    }
  }

  // Rays that leave a triangle through x0..x1 of its side h enter all triangles on the other side.
  void SendAcross(int h, double x0, double x1, double sx, double sy, double offset) {
    const SurfaceNet::Side& side = net_.sides[h];
    if (!(x1 - x0 > kNarrow * side.length)) return;
    const double beyond = sx < x0 ? x0 - sx : sx > x1 ? sx - x1 : 0;
    const double least = offset + Hypot(beyond, sy);
    if (!(least <= f_.radius_)) return;
    for (int i = side.begin; i < side.end; ++i) {
      const int g = net_.across[i];
      Window w{x0, x1, sx, sy, offset, g, -1};
      if (net_.corners[g] != net_.corners[h]) {
        w.x0 = side.length - x1;
        w.x1 = side.length - x0;
        w.sx = side.length - sx;
      }
      if (Useless(w)) continue;
      std::int32_t slot = static_cast<std::int32_t>(f_.pending_.size());
      if (f_.free_.empty()) {
        f_.pending_.push_back(w);
      } else {
        slot = f_.free_.back();
        f_.free_.pop_back();
        f_.pending_[slot] = w;
      }
      Push({least, slot});
    }
  }

  bool Longer(double way, double through_vertex) const { return way * (1 - kTie) > through_vertex; }

  // No ray of the window starts a shortest path when an end of its edge gives a shorter one to the window's
  // farther end: the difference of the two ways only grows on the way back along the edge.
  bool Useless(const Window& w) const {
    const double length = net_.sides[w.side].length;
    return Longer(w.offset + Hypot(w.x1 - w.sx, w.sy), f_.vertex_[net_.corners[w.side]] + w.x1) ||
           Longer(w.offset + Hypot(w.x0 - w.sx, w.sy),
                  f_.vertex_[net_.corners[Next(w.side)]] + length - w.x0);
  }

  // Takes off the ends of a window what earlier windows of its side reach by shorter ways; false: nothing is
  // left. Without it their number may grow by a factor with every edge that has more than two triangles.
  bool Trim(Window* w) const {
    const double narrow = kNarrow * net_.sides[w->side].length;
    for (int i = f_.first_[w->side]; i >= 0 && w->x1 - w->x0 > narrow; i = f_.windows_[i].next) {
      const Window& other = f_.windows_[i];
      const double lo = std::max(w->x0, other.x0), hi = std::min(w->x1, other.x1);
      if (!(lo < hi)) continue;
      // Between the ends and the places where both are as long, one of the two is the shorter throughout.
      double places[4];
      const int count = PlacesOfChange(*w, other, lo, hi, places);
      const auto worse = [&](int k) {
        const double x = 0.5 * (places[k] + places[k + 1]);
        const double way = w->offset + Hypot(x - w->sx, w->sy);
        return way * (1 + kTie) >= other.offset + Hypot(x - other.sx, other.sy);
      };
      int first = 0, last = count - 1;
      while (first < last && lo == w->x0 && worse(first)) ++first;
      while (last > first && hi == w->x1 && worse(last - 1)) --last;
      if (lo == w->x0) w->x0 = places[first];
      if (hi == w->x1) w->x1 = places[last];
    }
    return w->x1 - w->x0 > narrow;
  }

  // lo, the x between at which |S x| + offset is equal for both windows, and hi, rising. With P and Q the two
  // lengths and D = Q's offset less P's: P = Q + D, so P^2 - Q^2 - D^2 = 2 D Q, where the left side is linear
  // in x.
  static int PlacesOfChange(const Window& p, const Window& q, double lo, double hi, double* places) {
    const double d = q.offset - p.offset;
    const double slope = 2 * (q.sx - p.sx);
    const double level = (p.sx - q.sx) * (p.sx + q.sx) + (p.sy - q.sy) * (p.sy + q.sy) - d * d;
    // (slope x + level)^2 = 4 d^2 ((x - q.sx)^2 + q.sy^2)
    const double a = slope * slope - 4 * d * d, b = slope * level + 4 * d * d * q.sx;
    const double c = level * level - 4 * d * d * (q.sx * q.sx + q.sy * q.sy);
    int count = 0;
    places[count++] = lo;
    // b^2 - a c, in a form that keeps the double root of d = 0.
    const double at = level + slope * q.sx, inner = at * at + q.sy * q.sy * a;
    if (inner >= 0) {
      const double s = -(b + std::copysign(2 * std::fabs(d) * std::sqrt(inner), b));
      double x[2] = {a != 0 ? s / a : kInf, s != 0 ? c / s : kInf};
      if (x[1] < x[0]) std::swap(x[0], x[1]);
      for (double root : x)
        if (root > places[count - 1] && root < hi) places[count++] = root;
    }
    places[count++] = hi;
    return count;
  }

  // Accepts a window, and sends its rays through the triangle.
  void Pass(Window w) {
    const int h = w.side, right = Next(h), left = Next(right);
    const SurfaceNet::Side& side = net_.sides[h];
    if (f_.first_[h] < 0) f_.touched_sides_.push_back(h);
    w.next = f_.first_[h];
    f_.first_[h] = static_cast<std::int32_t>(f_.windows_.size());
    f_.windows_.push_back(w);

    // Where the rays through both ends stand to the apex: > 0 when they pass to the right of it.
    const auto passes = [&](double x) {
      return (x - w.sx) * (side.apex_y - w.sy) + w.sy * (side.apex_x - w.sx);
    };
    const double pass0 = passes(w.x0), pass1 = passes(w.x1);
    const int apex = net_.corners[left];
    const double d_a = f_.vertex_[net_.corners[h]], d_b = f_.vertex_[net_.corners[right]];
    Reach(apex, std::min(d_a + net_.sides[left].length, d_b + net_.sides[right].length));
    const bool to_left = pass0 < 0;
    const bool to_right = pass1 > 0;
    if (to_left && to_right) {
      Reach(apex, w.offset + Hypot(side.apex_x - w.sx, side.apex_y - w.sy));
    } else {
      const double x = to_left ? w.x1 : w.x0;  // the end next to the apex
      Reach(apex, w.offset + Hypot(x - w.sx, w.sy) + Hypot(side.apex_x - x, side.apex_y));
    }
    if (to_left) PassTo(w, h, left, true, to_right);
    if (to_right) PassTo(w, h, right, false, to_left);
  }

  // Sends on the part of a window that leaves its triangle by the left (apex to a) or right (b to apex) side.
  void PassTo(const Window& w, int h, int out, bool to_left, bool sees_apex) {
    const SurfaceNet::Side& side = net_.sides[h];
    const double foot = to_left ? 0 : side.length;  // common end of the two sides
    const double ex = side.apex_x - foot, ey = side.apex_y, length = net_.sides[out].length;
    // From the foot to where the ray through x meets the side, as a part of the side.
    const auto hit = [&](double x) {
      const double dx = x - w.sx, dy = -w.sy;
      const double down = dx * ey - dy * ex;
      const double u = down == 0 ? 0 : (dy * (foot - w.sx) - dx * (0 - w.sy)) / down;
      return std::min(std::max(u, 0.0), 1.0);
    };
    const double x_low = to_left ? w.x0 : w.x1, x_high = to_left ? w.x1 : w.x0;
    const double low = hit(x_low), high = sees_apex ? 1 : hit(x_high);
    // Xin and Wang's third filter: the far end of the entry gives a shorter way to the end that is nearer to
    // the foot.
    const double px = foot + low * ex, py = low * ey;
    const double opposite = side.length - foot;
    const double d_far = f_.vertex_[net_.corners[to_left ? Next(h) : h]];
    if (Longer(w.offset + Hypot(px - w.sx, py - w.sy), d_far + Hypot(px - opposite, py))) return;
    // The source seen from the side, which runs from the foot to the apex here.
    const double rx = w.sx - foot, ry = w.sy;
    const double along = (rx * ex + ry * ey) / length, away = -std::fabs(ex * ry - ey * rx) / length;
    if (to_left) {
      SendAcross(out, (1 - high) * length, (1 - low) * length, length - along, away, w.offset);
    } else {
      SendAcross(out, low * length, high * length, along, away, w.offset);
    }
  }

  const SurfaceNet& net_;
  GeodesicField& f_;
};

GeodesicDistance::GeodesicDistance(TriangleMesh mesh)
    : distance_(std::move(mesh)), net_(BuildSurfaceNet(distance_.mesh())) {
  const Vec3 size = BoundingBox(distance_.mesh()).size();
  size_ = std::max({size.x, size.y, size.z});
}

GeodesicField GeodesicDistance::From(const Vec3& p, int triangle, double radius) const {
  GeodesicField field;
  From(p, triangle, radius, &field);
  return field;
}

void GeodesicDistance::From(const Vec3& p, int triangle, double radius, GeodesicField* field) const {
  const TriangleMesh& mesh = distance_.mesh();
  if (triangle < 0 || triangle >= static_cast<int>(mesh.triangles.size()))
    throw Error("geodesic distance: there is no triangle " + std::to_string(triangle) + "; the mesh has " +
                std::to_string(mesh.triangles.size()));
  if (!(radius > 0))
    throw Error("geodesic distance: radius is " + ToText(radius) + "; it must be greater than 0 (metres)");
  triangle = net_.twin[triangle];
  const Vec3 c[3] = {mesh.corner(triangle, 0), mesh.corner(triangle, 1), mesh.corner(triangle, 2)};
  const Vec3 source = ClosestPointOnTriangle(c[0], c[1], c[2], p);
  if (!(norm(p - source) <= 1e-6 * size_))
    throw Error("geodesic distance: the point " + ToText(p.x) + " " + ToText(p.y) + " " + ToText(p.z) +
                " is " + ToText(norm(p - source)) + " m from triangle " + std::to_string(triangle) +
                "; it must lie on it: use Project");
  field->Reset(mesh, net_);
  field->source_ = source;
  field->radius_ = radius;
  GeodesicSearch search(net_, field);
  const double longest = std::max({norm(c[1] - c[0]), norm(c[2] - c[1]), norm(c[0] - c[2])});
  int vertex = -1, edge = -1;
  double nearest = kSnap * longest;
  for (int k = 0; k < 3; ++k) {
    if (norm(c[k] - source) <= kSnap * longest) vertex = k;
    const double gap = norm(ClosestPointOnSegment(c[k], c[(k + 1) % 3], source) - source);
    if (gap <= nearest) nearest = gap, edge = k;
  }
  const SurfaceNet::Side* sides = &net_.sides[3 * triangle];
  const bool collapsed = sides[0].length == 0 || sides[1].length == 0 || sides[2].length == 0;
  if (vertex >= 0) {
    search.AddAtVertex(net_.corners[3 * triangle + vertex]);
  } else if (collapsed) {
    search.AddOnSegment(triangle);
  } else if (edge >= 0) {
    search.AddOnEdge(3 * triangle + edge);
  } else {
    search.AddInside(triangle);
  }
  search.Run();
}

}  // namespace taxel::internal
