// The walk over the columns that meet a body, written over its scalar: double for a contact surface, a Dual
// for its derivatives. Included where it is made for one of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "taxel/contact/body_data.h"
#include "taxel/contact/clip.h"
#include "taxel/contact/column_meet.h"
#include "taxel/contact/column_query.h"
#include "taxel/contact/column_scratch.h"
#include "taxel/contact/column_series.h"
#include "taxel/contact/columns.h"
#include "taxel/shape/signed_distance.h"

namespace taxel::internal {

/// Walks over the columns of F that meet S and hands their faces to `Sink`: void Add(const ColumnFace<T>&),
/// SetColumn(int), SetBeyond().
template <typename T, class Sink>
class ColumnWalk {
  using Vector = typename SpaceOf<T>::Vector;
  using Motion = typename SpaceOf<T>::Motion;
  using Affine = AffineOf<T>;
  using ColumnView = ColumnViewOf<T>;
  using ColumnMeeting = ColumnMeetingOf<T>;
  using ColumnScratch = ColumnScratchOf<T>;
  using FlatPolygon = FlatPolygonOf<T>;

 public:
  ColumnWalk(const ColumnQuery<T>& query, Sink* sink)
      : F_(query.F),
        S_(query.S),
        X_FS_(query.at),
        X_SF_(Inverse(query.at)),
        Y_FS_(query.X_FS),
        Y_SF_(Inverse(query.X_FS)),
        stiffer_F_(query.stiffer_F),
        longer_F_(query.longer_F),
        law_S_{S_.law, query.stiffer_S},
        give_(S_.soft ? S_.length * query.longer_S : T(0)),
        sink_(sink) {}

  void AgainstPrimitive(const ColumnSkin& skin, ColumnScratch* scratch) {
    const bool bounded = !std::holds_alternative<HalfSpace>(S_.primitive);
    const bool quick = !std::holds_alternative<Ellipsoid>(S_.primitive);  // its distance is not
    const Box3 near = bounded ? Seen(X_FS_, S_.box) : Box3{};
    ColumnMeeting meeting;
    T deepest = 0;
    scratch->met.clear();
    for (const ColumnSkin::Cluster& cluster : skin.clusters) {
      if (bounded && !cluster.box.Overlaps(near)) continue;
      const Box3 there = Seen(X_SF_, cluster.box);
      if (bounded ? !there.Overlaps(S_.box) : there.lo.z > 0) continue;
      if (quick && SignedDistance(S_.primitive, X_SF_ * cluster.center) > cluster.radius) continue;
      for (int i = cluster.first; i < cluster.first + cluster.count; ++i) {
        const Column& c = skin.columns[i];
        const ColumnView view = ViewOf(c);
        if (!MeetColumn(S_.primitive, view, &meeting)) continue;
        T depth;
        if (!InSkin(c, view, meeting, &depth)) continue;
        if (Behind(c, meeting, depth)) {
          sink_->SetBeyond();
          continue;
        }
        deepest = std::max(deepest, std::min(depth, Length(c)));
        scratch->met.emplace_back(i, meeting);
      }
    }
    for (auto& [i, known] : scratch->met) {
      sink_->SetColumn(i);
      // A face that bends as much as the contact is deep is followed more closely.
      int parts = 0;
      for (double bend = known.bend; parts < kMostParts && bend > kBend * deepest; bend /= 4) ++parts;
      if (parts == 0)
        AddColumn(skin.columns[i], &known);
      else
        AddParts(skin.columns[i], parts);
    }
  }

  // Parallel columns look at a mesh by four samples each, at the points of Gauss: their plane has the mean
  // depth of whatever is curved no more than a parabola over the cell. Where a sample finds nothing, or an
  // edge lies between them, the triangles are cut exactly.
  void AgainstTrianglesByLattice(const ColumnSkin& skin, ColumnScratch* scratch) {
    const ColumnSkin::Lattice& l = skin.lattice;
    // Faces above the skin tell how it goes on at the rim of the contact.
    const double above = skin.spacing;
    Box3 around = skin.box;
    for (const double way : {above, -(kDeepest - 1) * skin.longest})
      around.Include(skin.box.lo + way * l.d), around.Include(skin.box.hi + way * l.d);
    lattice_d_ = Y_SF_.R * l.d, lattice_u_ = Y_SF_.R * l.u, lattice_v_ = Y_SF_.R * l.v;
    lattice_at_ = {dot(Y_FS_.p, l.u), dot(Y_FS_.p, l.v), dot(Y_FS_.p, l.d)};
    scratch->sampled.resize(std::max(scratch->sampled.size(), skin.columns.size()), -1);
    scratch->samples.clear();
    ForTrianglesIn(Seen(X_SF_, around), [&](int t) { Sample(skin, t, scratch); });
    for (typename ColumnScratch::Samples& s : scratch->samples) s.whole = Whole(s);
    ColumnMeeting meeting;
    for (const typename ColumnScratch::Samples& s : scratch->samples) {
      const Column& c = skin.columns[s.column];
      sink_->SetColumn(s.column);
      if (Smooth(skin, *scratch, s)) {
        Plane(c, s, &meeting);
        AddColumn(c, &meeting);
        continue;
      }
      Box3 box;
      for (int i = 0; i < c.corners; ++i) {
        const Vec3 top = c.p + c.s[i] * c.u + c.t[i] * c.v, rise = RiseOf(c) * c.d;
        box.Include(top + rise), box.Include(top - rise - ValueOf(Deepest(c)) * c.d);
      }
      const ColumnView view = ViewOf(c);
      ForTrianglesIn(Seen(X_SF_, box), [&](int t) { AddTriangle(c, view, t, &meeting); });
    }
    for (const typename ColumnScratch::Samples& s : scratch->samples) scratch->sampled[s.column] = -1;
  }

  void AgainstTriangles(const ColumnSkin& skin, std::vector<int>* found) {
    ColumnMeeting meeting;
    for (const ColumnSkin::Cluster& cluster : skin.clusters) {
      Box3 there = Seen(X_SF_, cluster.box);
      const double beyond = (kDeepest - 1) * skin.longest;  // past the bone
      there.lo -= Vec3{beyond, beyond, beyond}, there.hi += Vec3{beyond, beyond, beyond};
      if (!there.Overlaps(S_.box)) continue;
      found->clear();
      ForTrianglesIn(there, [&](int t) { found->push_back(t); });
      if (found->empty()) continue;
      for (int i = cluster.first; i < cluster.first + cluster.count; ++i) {
        const Column& c = skin.columns[i];
        const ColumnView view = ViewOf(c);
        sink_->SetColumn(i);
        for (const int t : *found) AddTriangle(c, view, t, &meeting);
      }
    }
  }

 private:
  // Cells are halved along both sides at most so often, where a tangent plane is off by more than this part
  // of the depth of the contact.
  static constexpr int kMostParts = 2;
  static constexpr double kBend = 0.03;

  // False: what is met begins above the skin, all over the cell. `depth`: where, below the skin.
  static bool InSkin(const Column& c, const ColumnView& view, const ColumnMeeting& m, T* depth) {
    *depth = HUGE_VAL;
    T most = HUGE_VAL;
    for (int k = 0; k < m.fronts; ++k) {
      const Affine& f = m.front[k];
      *depth = std::min(*depth, f.c - c.sag);
      most = std::min(most, f.c + c.radius * (Abs(f.a) + Abs(f.b)));
    }
    return most + view.rise + m.bend > 0;
  }

  void AddParts(const Column& c, int parts) {
    for (int k = 0; k < 4; ++k) {
      const Column part = c.Quarter(k);
      const ColumnView view = ViewOf(part);
      ColumnMeeting meeting;
      T depth;
      if (!MeetColumn(S_.primitive, view, &meeting) || !InSkin(part, view, meeting, &depth)) continue;
      if (parts > 1)
        AddParts(part, parts - 1);
      else
        AddColumn(part, &meeting);
    }
  }

  template <class Use>
  void ForTrianglesIn(const Box3& box_S, Use&& use) const {
    Walk(
        S_.surface_bvh, [&](const BvhNode& node, int) { return node.box().Overlaps(box_S); },
        [&](int i) { use(S_.surface_bvh.items[i]); });
  }

  void AddTriangle(const Column& c, const ColumnView& view, int t, ColumnMeeting* meeting) {
    const Vec3 corners[3] = {S_.surface.corner(t, 0), S_.surface.corner(t, 1), S_.surface.corner(t, 2)};
    if (MeetTriangle(corners, S_.surface_normals[t], view, meeting)) AddColumn(c, meeting);
  }

  static double RiseOf(const Column& c) { return c.radius * (std::fabs(c.slope_s) + std::fabs(c.slope_t)); }

  // Samples lie at this part of the way from the centre to a corner.
  static constexpr double kGauss = 0.57735026918962576;

  // Those of a column, none found at first.
  static typename ColumnScratch::Samples& SamplesOf(int column, ColumnScratch* scratch) {
    int& at = scratch->sampled[column];
    if (at < 0) {
      at = static_cast<int>(scratch->samples.size());
      scratch->samples.push_back(
          {column, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {-1, -1, -1, -1}, false});
    }
    return scratch->samples[at];
  }

  void Sample(const ColumnSkin& skin, int t, ColumnScratch* scratch) const {
    const ColumnSkin::Lattice& l = skin.lattice;
    const Vec3& n = S_.surface_normals[t];
    const T along = dot(n, lattice_d_);
    if (along > -kWall) return;
    T x[3], y[3], lowest = HUGE_VAL;
    double least_x = HUGE_VAL, least_y = HUGE_VAL, most_x = -HUGE_VAL, most_y = -HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
      const Vec3& p = S_.surface.corner(t, k);
      lowest = std::min(lowest, dot(p, lattice_d_) + lattice_at_.z);
      x[k] = dot(p, lattice_u_) + lattice_at_.x, y[k] = dot(p, lattice_v_) + lattice_at_.y;
      least_x = std::min(least_x, ValueOf(x[k])), most_x = std::max(most_x, ValueOf(x[k]));
      least_y = std::min(least_y, ValueOf(y[k])), most_y = std::max(most_y, ValueOf(y[k]));
    }
    const auto first = [](double at, double from, double step) {
      return static_cast<int>(std::floor((at - from) / step));
    };
    const int c0 = std::max(0, first(least_x, l.u0, l.step_u)),
              r0 = std::max(0, first(least_y, l.v0, l.step_v));
    const int c1 = std::min(l.cols - 1, first(most_x, l.u0, l.step_u)),
              r1 = std::min(l.rows - 1, first(most_y, l.v0, l.step_v));
    if (c0 > c1 || r0 > r1) return;
    // tau = height + rise_u x + rise_v y on its plane; inside where all three edges are positive.
    const T rise_u = -dot(n, lattice_u_) / along, rise_v = -dot(n, lattice_v_) / along,
            height = dot(S_.surface.corner(t, 0), lattice_d_) + lattice_at_.z - rise_u * x[0] - rise_v * y[0];
    Affine edge[3];
    T reach[3], corner[3];
    const double slack = -1e-12 * l.step_u;
    for (int k = 0; k < 3; ++k) {
      const int j = k == 2 ? 0 : k + 1;
      const T a = y[j] - y[k], b = x[k] - x[j];  // it is clockwise, seen against d
      edge[k] = {-(a * x[k] + b * y[k]), a, b};
      // From the centre of a cell to its samples, and to its corners, it changes by this at most.
      corner[k] = 0.5 * (Abs(a) * l.step_u + Abs(b) * l.step_v);
      reach[k] = kGauss * corner[k] - slack;
    }
    for (int row = r0; row <= r1; ++row)
      for (int col = c0; col <= c1; ++col) {
        const int i = l.column[row * l.cols + col];
        if (i < 0) continue;
        const Column& c = skin.columns[i];
        const double cx = l.at[i].x, cy = l.at[i].y, top = l.at[i].z;
        // Far above the skin here, though not above the top of a dome.
        if (lowest > top + RiseOf(c) + 2 * skin.spacing) continue;
        const T e0 = edge[0](cx, cy), e1 = edge[1](cx, cy), e2 = edge[2](cx, cy);
        if (e0 < -corner[0] || e1 < -corner[1] || e2 < -corner[2]) continue;
        const bool none = e0 < -reach[0] || e1 < -reach[1] || e2 < -reach[2];
        const bool all = e0 > reach[0] && e1 > reach[1] && e2 > reach[2];
        // What passes between the samples is cut exactly, by the column's being listed; what lies above the
        // skin does not matter.
        if (!all && top + RiseOf(c) > lowest) SamplesOf(i, scratch);
        for (int k = 0; k < 4 && !none; ++k) {
          const double s = kGauss * c.s[k], v = kGauss * c.t[k], px = cx + s, py = cy + v;
          if (!all && (edge[0](px, py) < slack || edge[1](px, py) < slack || edge[2](px, py) < slack))
            continue;
          const T depth = top + c.slope_s * s + c.slope_t * v - (height + rise_u * px + rise_v * py);
          if (depth > Deepest(c)) continue;
          typename ColumnScratch::Samples& found = SamplesOf(i, scratch);
          if (depth > found.depth[k]) found.depth[k] = depth, found.triangle[k] = t;
        }
      }
  }

  // All samples of the column, and those of each around it, lie on faces that look about the same way: no
  // edge, and no end of the mesh, crosses its cell.
  static constexpr double kOneFace = 0.96, kNextFace = 0.88;  // cosines, in a cell and to those around it

  bool Whole(const typename ColumnScratch::Samples& found) const {
    for (const int t : found.triangle)
      if (t < 0 || (t != found.triangle[0] &&
                    dot(S_.surface_normals[t], S_.surface_normals[found.triangle[0]]) < kOneFace))
        return false;
    return true;
  }

  bool Smooth(const ColumnSkin& skin, const ColumnScratch& scratch,
              const typename ColumnScratch::Samples& found) const {
    if (!found.whole) return false;
    const Vec3& n = S_.surface_normals[found.triangle[0]];
    const ColumnSkin::Lattice& l = skin.lattice;
    const int place = skin.columns[found.column].place, row = place / l.cols, col = place % l.cols;
    for (int r = std::max(0, row - 1); r <= std::min(l.rows - 1, row + 1); ++r)
      for (int c = std::max(0, col - 1); c <= std::min(l.cols - 1, col + 1); ++c) {
        const int column = l.column[r * l.cols + c];
        if (column < 0) continue;  // beyond the outline of the pad
        const int at = scratch.sampled[column];
        if (at < 0 || !scratch.samples[at].whole) return false;
        if (dot(S_.surface_normals[scratch.samples[at].triangle[0]], n) < kNextFace) return false;
      }
    return true;
  }

  // The plane through the samples of a rectangular cell.
  void Plane(const Column& c, const typename ColumnScratch::Samples& found, ColumnMeeting* out) const {
    const T* z = found.depth;
    *out = {};
    out->fronts = 1;
    const double half_s = kGauss * c.s[2], half_t = kGauss * c.t[2];
    // AddColumn takes it from the tangent plane.
    out->front[0] = {0.25 * (z[0] + z[1] + z[2] + z[3]) + c.sag,
                     0.25 * (z[1] + z[2] - z[0] - z[3]) / half_s - c.slope_s,
                     0.25 * (z[2] + z[3] - z[0] - z[1]) / half_t - c.slope_t};
  }

  ColumnView ViewOf(const Column& c) const {
    return {Y_SF_ * c.p, Y_SF_.R * c.d, Y_SF_.R * c.u, Y_SF_.R * c.v,
            c.mean_ss,   c.mean_tt,     c.radius,      RiseOf(c)};
  }

  // How far a column looks: past the bone, but under a tight bend not into the other side of the skin.
  T Deepest(const Column& c) const {
    const T length = Length(c);
    return std::min(kDeepest * length, std::max(length, T(c.tight))) + give_;
  }
  // A column that ends in the middle stays as long, whatever the thickness over which the pressure rises.
  bool AtMiddle() const { return F_.options.field.bone == Bone::kMiddle; }
  T Length(const Column& c) const { return AtMiddle() ? T(c.length) : c.length * longer_F_; }
  VariedLaw<T> Law(const Column& c) const {
    return {F_.law, AtMiddle() ? c.modulus * stiffer_F_ / longer_F_ : c.modulus * stiffer_F_};
  }

  // What holds the bone and not the skin lies behind it, or came in from the side; `depth` is where it
  // begins.
  bool Behind(const Column& c, const ColumnMeeting& m, const T& depth) const {
    // What is soft may overlap with a bone by what it gives, but in the middle other columns stand behind it.
    const T bone = AtMiddle() ? Length(c) : Length(c) + give_;
    for (int k = 0; k < m.backs; ++k) {
      const T end = m.back[k].c - c.sag;
      if (end > bone || (depth > bone && end > 0)) return true;
    }
    return false;
  }

  // Depths below the tangent plane become depths below the skin; what lies behind the bone is left out.
  void AddColumn(const Column& c, ColumnMeeting* m) {
    // What is soft itself may overlap with the bone by what it gives.
    const T deepest = Deepest(c);
    T least = HUGE_VAL;
    for (int k = 0; k < m->fronts; ++k) {
      Affine& f = m->front[k];
      f.c -= c.sag, f.a += c.slope_s, f.b += c.slope_t;
      least = std::min(least, f.c);
    }
    const double reach = c.radius;
    for (int k = 0; k < m->fronts; ++k) {
      const Affine& f = m->front[k];
      if (f.c + reach * (Abs(f.a) + Abs(f.b)) <= 0) return;  // nowhere in the skin
    }
    if (Behind(c, *m, least)) return sink_->SetBeyond();
    for (int k = 0; k < m->backs; ++k) {
      Affine& b = m->back[k];
      b.c -= c.sag, b.a += c.slope_s, b.b += c.slope_t;
    }
    // Where a triangle is that deep, another part of its mesh is the one that counts.
    if (least > deepest) {
      if (S_.is_mesh) return;
      m->fronts = 1;
      m->front[0] = {deepest, T(0), T(0)};
    }
    if (!SetCell(c, std::clamp(least, T(0), std::min(Length(c), T(c.tight))))) return;
    for (int k = 0; k < m->fronts; ++k) AddFront(c, *m, k);
  }

  // The cell at a depth. False where nothing of it is left.
  bool SetCell(const Column& c, const T& z) {
    cell_.n = c.corners;
    for (int i = 0; i < c.corners; ++i)
      cell_.x[i] = c.s[i] - z * c.spread_s[i], cell_.y[i] = c.t[i] - z * c.spread_t[i];
    for (int i = 0; i < c.corners; ++i) {
      const int j = i + 1 == c.corners ? 0 : i + 1, k = j + 1 == c.corners ? 0 : j + 1;
      if (!((cell_.x[j] - cell_.x[i]) * (cell_.y[k] - cell_.y[j]) >
            (cell_.y[j] - cell_.y[i]) * (cell_.x[k] - cell_.x[j])))
        return false;
    }
    return true;
  }

  bool Cut(const Affine& f) { return ClipInPlace(HalfPlaneOf<T>{f.a, f.b, f.c}, f.c >= 0, &now_, &spare_); }

  void AddFront(const Column& c, const ColumnMeeting& m, int k) {
    const Affine& f = m.front[k];
    first_ = cell_;
    now_ = &first_, spare_ = &second_;
    if (!Cut(f)) return;
    if (c.ridge < c.length && !Cut({c.ridge - f.c, c.ridge_s - f.a, c.ridge_t - f.b})) return;
    for (int j = 0; j < m.fronts; ++j) {
      if (j == k) continue;
      const Affine& g = m.front[j];
      // Of two faces at the same depth the first counts.
      const Affine less{g.c - f.c, g.a - f.a, g.b - f.b};
      if (j < k && less.c == 0 && less.a == 0 && less.b == 0) return;
      if (!Cut(less)) return;
    }
    for (int j = 0; j < m.sides; ++j)
      if (!Cut(m.side[j])) return;
    for (int j = 0; j < m.backs; ++j) {
      const Affine& g = m.back[j];
      if (!Cut({f.c - g.c, f.a - g.a, f.b - g.b})) return;
    }
    Series<T> series;
    const T cosine = 1 / Sqrt(1 + f.a * f.a + f.b * f.b);
    T most = 0;
    for (int i = 0; i < now_->n; ++i) most = std::max(most, f(now_->x[i], now_->y[i]));
    MakeSeries(Law(c), Length(c), law_S_, S_.soft ? give_ / cosine : T(0), most, &series);
    FlatPolygon* const whole = now_;
    for (int i = 1; i < series.n && series.D[i - 1] < most; ++i) {
      const bool last = i + 1 == series.n || series.D[i] >= most;
      if (i == 1 && last) return Emit(c, f, cosine, series, i, *whole);
      layer_ = *whole;
      now_ = &layer_, spare_ = &third_;
      if (i > 1 && !Cut({f.c - series.D[i - 1], f.a, f.b})) continue;
      if (!last && !Cut({series.D[i] - f.c, -f.a, -f.b})) continue;
      Emit(c, f, cosine, series, i, *now_);
      if (last) return;
    }
  }

  // The part of the cell between the knots i - 1 and i.
  void Emit(const Column& c, const Affine& f, const T& cosine, const Series<T>& series, int i,
            const FlatPolygon& cell) {
    const T D0 = series.D[i - 1], z0 = series.z[i - 1], dD = series.D[i] - D0, dz = series.z[i] - z0;
    const T share = dz / dD, rise = (series.p[i] - series.p[i - 1]) / dz;  // of the column alone, Pa/m
    // The face is where the column ends: tau = slope . (s, t) - z.
    const Affine z{z0 + share * (f.c - D0), share * f.a, share * f.b};
    const T down_s = z.a - c.slope_s, down_t = z.b - c.slope_t;
    face_.n = cell.n;
    for (int k = 0; k < cell.n; ++k) {
      const T s = cell.x[k], t = cell.y[k];
      const T tau = c.slope_s * s + c.slope_t * t - z(s, t);
      face_.v[cell.n - 1 - k] = c.p + s * c.u + t * c.v + tau * c.d;
    }
    const T length = Sqrt(1 + down_s * down_s + down_t * down_t);
    face_.normal = (-1 / length) * (c.d + down_s * c.u + down_t * c.v);
    // p = p0 + rise (z - z0) with z = slope . (s, t) - tau, a linear function in space.
    const Vec3 up = c.slope_s * c.u + c.slope_t * c.v - c.d;
    face_.pressure_slope = rise * up;
    face_.pressure_at_0 = series.p[i - 1] - rise * (z0 + dot(up, c.p));
    face_.gradient_first = rise * dot(up, face_.normal);
    face_.gradient_second = S_.soft ? (series.p[i] - series.p[i - 1]) / (dD - dz) / cosine
                                    : T(std::numeric_limits<double>::infinity());
    sink_->Add(face_);
  }

  const BodyData &F_, &S_;
  const Pose X_FS_, X_SF_;
  const Motion Y_FS_, Y_SF_;  // the same with derivatives
  const T stiffer_F_, longer_F_;
  const VariedLaw<T> law_S_;
  const T give_;  // the most that S gives way, m
  Sink* sink_;
  Vector lattice_d_, lattice_u_, lattice_v_, lattice_at_;  // axes in S, and where its origin is along them
  FlatPolygon cell_, first_, second_, third_, layer_;
  FlatPolygon *now_ = nullptr, *spare_ = nullptr;
  ColumnFace<T> face_;
};

// Columns of a half space where S is over it.
inline void PlaneColumns(const BodyData& F, const Pose& X_FS, const BodyData& S, ColumnSkin* out) {
  const Box3 near = Seen(X_FS, S.box);
  const Vec3 size = near.size();
  constexpr double kAcross = 32, kMostAcross = 128;
  const double widest = std::max(size.x, size.y);
  double spacing = F.options.resolution > 0 ? F.options.resolution : widest / kAcross;
  spacing = std::max(spacing, widest / kMostAcross);
  out->columns.clear();
  out->clusters.clear();
  if (near.lo.z < 0)
    MakePlaneColumns(near.lo.x, near.hi.x, near.lo.y, near.hi.y, F.options.field.thickness, spacing, out);
}

/// The contact of the columns of F with S, one face for each column and flat piece of S over it.
template <typename T, class Sink>
void WalkColumns(const ColumnQuery<T>& query, ColumnScratchOf<T>* scratch, Sink* sink) {
  const BodyData &F = query.F, &S = query.S;
  const bool plane = !F.is_mesh && std::holds_alternative<HalfSpace>(F.primitive);
  if (plane) PlaneColumns(F, query.at, S, &scratch->plane);
  const ColumnSkin& skin = plane ? scratch->plane : F.columns;
  ColumnWalk<T, Sink> walk(query, sink);
  if (S.is_mesh && !S.from_primitive && skin.lattice.cols > 0) {
    walk.AgainstTrianglesByLattice(skin, scratch);
  } else if (S.is_mesh && !S.from_primitive) {
    walk.AgainstTriangles(skin, &scratch->triangles);
  } else {
    walk.AgainstPrimitive(skin, scratch);
  }
}

}  // namespace taxel::internal
