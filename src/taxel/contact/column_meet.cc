#include "taxel/contact/column_meet.h"

#include <algorithm>
#include <cmath>

#include "taxel/contact/contact_dual.h"

namespace taxel::internal {
namespace {

// A curved face is followed up to this share of its silhouette; beyond, its slope stays (1 - rho^2).
constexpr double kBrink = 0.04;

// The half space n . x <= c.
struct Half {
  Vec3 n;
  double c;
};

// Mean of the square beyond a seam over a chord of half length `reach`, as a part of that of the whole
// square, where the value and the slope are those of its middle, `past` beyond the seam.
template <typename T>
T BentPart(const T& past, const T& reach) {
  if (past >= reach) return T(1);
  if (past <= -reach) return T(0);
  const T x = 1 - Abs(past) / reach, half = 0.5 * x * x * x;
  return past > 0 ? 1 - half : half;
}

template <typename T>
class Meeting {
  using Vector = typename SpaceOf<T>::Vector;
  using Affine = AffineOf<T>;
  using ColumnMeeting = ColumnMeetingOf<T>;

 public:
  Meeting(const ColumnViewOf<T>& column, ColumnMeeting* out) : k_(column), out_(*out) {
    // Only as many of its planes as it counts are ever read.
    out_.fronts = out_.backs = out_.sides = 0;
    out_.bend = 0;
  }

  // Walls wait until the depth is known at which they count.
  void Add(const Half& h) { Add(h.n, h.c); }

  // The half space n . x <= c.
  template <typename Normal, typename Offset>
  void Add(const Normal& n, const Offset& c) {
    const T along = dot(n, k_.d);
    const Affine g{c - dot(n, k_.o), -dot(n, k_.u), -dot(n, k_.v)};
    if (along < -kWall) {
      out_.front[out_.fronts++] = {g.c / -along, g.a / -along, g.b / -along};
    } else if (along > kWall) {
      out_.back[out_.backs++] = {-g.c / along, -g.a / along, -g.b / along};
    } else {
      rise_[out_.sides] = along;
      out_.side[out_.sides++] = g;
    }
  }

  // The quadric sum of q_i x_i^2 <= 1 about `center`. False: it is nowhere near. past: how far along z the
  // column's axis meets it beyond (below zero: before) the seam of a wall (q.z is 0) and a round end.
  bool AddQuadric(const Vec3& q, const Vec3& center, const T* past = nullptr) {
    const Vector o = k_.o - center, Qd = cwise_mul(q, k_.d), Qo = cwise_mul(q, o);
    const T A = dot(k_.d, Qd), B = dot(o, Qd), C = dot(o, Qo) - 1;
    // Its axis lies along the column: all of it is wall.
    if (A < kWall * kWall * std::max({q.x, q.y, q.z})) {
      wall_ = q, wall_center_ = center, has_wall_ = true;
      return true;
    }
    // In the metric of the quadric the axis of the column passes its middle at rho.
    const T rho2 = 1 + C - B * B / A, rho = Sqrt(std::max(rho2, T(0)));
    const Vector across = Qo - (B / A) * Qd;
    const double near = k_.radius * std::sqrt(std::max({q.x, q.y, q.z}));
    if (rho > 1 + near) return false;
    // The deepest that it can be anywhere in the cell.
    const T inner = std::max(rho - near, T(0)), most = B + Sqrt(A * std::max(1 - inner * inner, T(0)));
    if (most + k_.radius * (Abs(dot(Qd, k_.u)) + Abs(dot(Qd, k_.v))) + A * k_.rise <= 0) return false;
    if (rho > 1 - near)
      out_.side[out_.sides] = {1 - rho, -dot(across, k_.u) / rho, -dot(across, k_.v) / rho},
      rise_[out_.sides++] = 0;
    Affine& front = out_.front[out_.fronts++];
    const T root = Sqrt(A * std::max(1 - rho2, T(0))), steep = Sqrt(A * kBrink);
    out_.back[out_.backs++] = {(B - root) / A, T(0), T(0)};
    if (rho2 < 1 - kBrink) {
      // x on the face; Qx . d = -root.  tau' = -Qx.u / Qx.d,  tau'' = -w.Qw / Qx.d  with  w = u + tau' d.
      const Vector Qx = Qo - ((B + root) / A) * Qd;
      const T ds = dot(Qx, k_.u) / root, dt = dot(Qx, k_.v) / root;                       // tau'
      if ((B + root) / A + k_.rise + k_.radius * (Abs(ds) + Abs(dt)) <= 0) return false;  // above the skin
      const Vector ws = k_.u + ds * k_.d, wt = k_.v + dt * k_.d;
      T curve = -(dot(ws, cwise_mul(q, ws)) * k_.mean_ss + dot(wt, cwise_mul(q, wt)) * k_.mean_tt);
      if (past) {
        // Along z only the part of the cell beyond the seam is bent.
        const T reach2 = ws.z * ws.z * k_.mean_ss + wt.z * wt.z * k_.mean_tt;
        curve += q.x * reach2 * ((q.z > 0 ? 1 : 0) - BentPart(*past, Sqrt(3 * reach2)));
      }
      front = {(B + root) / A + 0.5 * curve / root, -ds, -dt};
      out_.bend = std::max(out_.bend, ValueOf(-0.5 * curve / root));
    } else {
      // About the silhouette: the slope of the last place that was followed.
      out_.bend = k_.radius;
      const Vector slope = (-1 / std::max(steep, root)) * across + Qd / A;
      front = {(B + root) / A, std::clamp(dot(slope, k_.u), T(-5), T(5)),
               std::clamp(dot(slope, k_.v), T(-5), T(5))};
    }
    return true;
  }

  bool Finish() {
    if (out_.fronts == 0) return false;
    T depth = HUGE_VAL;
    for (int i = 0; i < out_.fronts; ++i) depth = std::min(depth, out_.front[i].c);
    for (int i = 0; i < out_.sides; ++i) out_.side[i].c += depth * rise_[i];
    if (has_wall_) {
      const Vector x = k_.o - depth * k_.d - wall_center_, Qx = cwise_mul(wall_, x);
      const T rho = Sqrt(dot(x, Qx));
      const double near = k_.radius * std::sqrt(std::max({wall_.x, wall_.y, wall_.z}));
      if (rho > 1 + near) return false;
      if (rho > 1 - near) {
        // The mean of a circle's bend along the cell's chord.
        const T scale = 1 / rho;
        const double bend = 0.25 * (wall_.x + wall_.y) * 0.5 * (k_.mean_ss + k_.mean_tt);
        out_.side[out_.sides++] = {1 - rho - bend, -scale * dot(Qx, k_.u), -scale * dot(Qx, k_.v)};
      }
    }
    return true;
  }

 private:
  const ColumnViewOf<T>& k_;
  ColumnMeeting& out_;
  T rise_[ColumnMeeting::kMaxSides];
  bool has_wall_ = false;
  Vec3 wall_, wall_center_;
};

// The part of a capsule that the column comes to first from below.
template <typename T>
bool AddCapsule(const Capsule& capsule, const ColumnViewOf<T>& k, Meeting<T>* meeting) {
  const double q = 1 / (capsule.radius * capsule.radius), half = 0.5 * capsule.length;
  const T A = q * (k.d.x * k.d.x + k.d.y * k.d.y), B = q * (k.o.x * k.d.x + k.o.y * k.d.y),
          C = q * (k.o.x * k.o.x + k.o.y * k.o.y) - 1;
  T z;  // it only chooses
  if (A > 1e-12 * q) {
    const T root = Sqrt(std::max(B * B - A * C, T(0)));
    z = k.o.z - (B + root) / A * k.d.z;
  } else {
    z = k.d.z > 0 ? -HUGE_VAL : HUGE_VAL;
  }
  T past = Abs(z) - half;
  if (past <= 0 && A > kWall * kWall * q) {
    // The wall ends: beyond, the capsule lies behind the plane that touches its end nearest to the skin.
    const double end = k.o.z > 0 ? half : -half;
    const auto out = k.o - Vec3{0, 0, end};
    const T length = Sqrt(dot(out, out));
    if (out.z * end > 0) meeting->Add((1 / length) * out, out.z * (end / length) + capsule.radius);
    return meeting->AddQuadric({q, q, 0}, {}, &past);
  }
  if (past <= 0) z = k.d.z > 0 ? -1 : 1, past = HUGE_VAL;  // along the column: the end that looks down
  return meeting->AddQuadric({q, q, q}, {0, 0, z > 0 ? half : -half}, &past);
}

}  // namespace

template <typename T>
bool MeetColumn(const Primitive& shape, const ColumnViewOf<T>& column, ColumnMeetingOf<T>* out) {
  Meeting<T> meeting(column, out);
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    const double q = 1 / (s->radius * s->radius);
    if (!meeting.AddQuadric({q, q, q}, {})) return false;
  } else if (const auto* e = std::get_if<Ellipsoid>(&shape)) {
    const Vec3 a = e->semi_axes;
    if (!meeting.AddQuadric({1 / (a.x * a.x), 1 / (a.y * a.y), 1 / (a.z * a.z)}, {})) return false;
  } else if (const auto* k = std::get_if<Capsule>(&shape)) {
    if (!AddCapsule(*k, column, &meeting)) return false;
  } else if (const auto* c = std::get_if<Cylinder>(&shape)) {
    const double q = 1 / (c->radius * c->radius);
    if (!meeting.AddQuadric({q, q, 0}, {})) return false;
    meeting.Add({{0, 0, 1}, 0.5 * c->length});
    meeting.Add({{0, 0, -1}, 0.5 * c->length});
  } else if (const auto* b = std::get_if<Box>(&shape)) {
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {1.0, -1.0}) {
        Vec3 n;
        n[axis] = side;
        meeting.Add({n, 0.5 * b->size[axis]});
      }
  } else {
    meeting.Add({{0, 0, 1}, 0});
  }
  return meeting.Finish();
}

template <typename T>
bool MeetTriangle(const Vec3 corners[3], const Vec3& n, const ColumnViewOf<T>& k, ColumnMeetingOf<T>* out) {
  const T along = dot(n, k.d);
  if (along > -kWall) return false;
  T s[3], t[3];
  for (int i = 0; i < 3; ++i) s[i] = dot(corners[i] - k.o, k.u), t[i] = dot(corners[i] - k.o, k.v);
  if (std::min({s[0], s[1], s[2]}) > k.radius || std::max({s[0], s[1], s[2]}) < -k.radius ||
      std::min({t[0], t[1], t[2]}) > k.radius || std::max({t[0], t[1], t[2]}) < -k.radius)
    return false;
  *out = {};
  out->fronts = 1;
  out->front[0] = {dot(n, corners[0] - k.o) / -along, dot(n, k.u) / along, dot(n, k.v) / along};
  // It looks towards the bone: clockwise in (s, t).
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1;
    const T a = t[j] - t[i], b = s[i] - s[j];
    out->side[out->sides++] = {-(a * s[i] + b * t[i]), a, b};
  }
  return true;
}

template bool MeetColumn(const Primitive&, const ColumnViewOf<double>&, ColumnMeetingOf<double>*);
template bool MeetColumn(const Primitive&, const ColumnViewOf<ContactDual>&, ColumnMeetingOf<ContactDual>*);
template bool MeetTriangle(const Vec3[3], const Vec3&, const ColumnViewOf<double>&, ColumnMeetingOf<double>*);
template bool MeetTriangle(const Vec3[3], const Vec3&, const ColumnViewOf<ContactDual>&,
                           ColumnMeetingOf<ContactDual>*);

}  // namespace taxel::internal
