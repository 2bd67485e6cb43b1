#include "taxel/marker/taxel_field.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"
#include "taxel/math/kernel_pose.h"

namespace taxel {
using namespace internal;
namespace {

using V = Triple<double>;
V ToTriple(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 ToVec3(const V& t) { return {t.x, t.y, t.z}; }

constexpr const char* kField = "marker field";

void CheckObjects(const std::vector<MarkerIndenter>& objects) {
  if (objects.empty()) throw Error("marker field: no object; give at least one that can press");
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const MarkerIndenter& o = objects[k];
    const std::string where = std::string("marker field: object ") + std::to_string(k);
    const std::size_t n = o.points_I.size();
    if (n == 0) throw Error(where + " has no point; give some of its surface");
    if (o.normals_I.size() != n || o.areas.size() != n)
      throw Error(where + " has " + std::to_string(n) + " points, " + std::to_string(o.normals_I.size()) +
                  " normals and " + std::to_string(o.areas.size()) +
                  " areas; mode 'taxel' needs one outward normal and one area a point");
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!is_finite(o.points_I[i]))
        throw Error(where + ": point " + std::to_string(i) + " is not finite; give numbers in m");
      if (!(std::fabs(norm(o.normals_I[i]) - 1) <= 1e-6))
        throw Error(where + ": normal " + std::to_string(i) + " has the length " +
                    ToText(norm(o.normals_I[i])) + "; give unit vectors");
      if (!std::isfinite(o.areas[i]) || o.areas[i] < 0)
        throw Error(where + ": area " + std::to_string(i) + " is " + ToText(o.areas[i]) +
                    " m^2; give numbers of 0 or more");
      total += o.areas[i];
    }
    if (!(total > 0)) throw Error(where + ": the areas sum to 0; give those of the surface, in m^2");
  }
}

const std::vector<Vec3>& CheckMarkers(const std::vector<Vec3>& markers) {
  if (markers.empty()) throw Error("marker field: no marker; give at least one point");
  for (std::size_t i = 0; i < markers.size(); ++i)
    if (!is_finite(markers[i]))
      throw Error("marker field: marker " + std::to_string(i) + " is not finite; give numbers in m");
  return markers;
}

void CheckMarkersOnPad(const GelPad& pad, const std::vector<Vec3>& markers) {
  constexpr double kReach = 5e-3;
  for (std::size_t i = 0; i < markers.size(); ++i)
    if (pad.box().Distance2(markers[i]) > kReach * kReach)
      throw Error(
          "marker field: marker " + std::to_string(i) + " at (" + ToText(markers[i].x) + ", " +
          ToText(markers[i].y) + ", " + ToText(markers[i].z) +
          ") m is more than 5 mm away from the pad; give places on the gel, in metres, in the pad's frame");
}

// On a flat gel markers lie on its top, whatever their z: the sums over a flat gel are planar.
std::vector<Vec3> OnTheGel(const GelPad& pad, std::vector<Vec3> markers) {
  if (pad.surface().flat)
    for (Vec3& p : markers) p.z = pad.surface().top;
  return markers;
}

std::vector<Vec3> NormalsAt(const GelPad& pad, const std::vector<Vec3>& markers) {
  std::vector<Vec3> out;
  for (const Vec3& p : markers) out.push_back(pad.Normal(p));
  return out;
}

}  // namespace

void CheckTaxelParameters(const TaxelParameters& p, const std::string& where) {
  const struct {
    const char* name;
    double value;
    bool zero;
    const char* unit;
  } rows[] = {{"lambda_d", p.lambda_d, false, " (1/m^2)"},
              {"lambda_s", p.lambda_s, false, " (1/m^2)"},
              {"friction", p.friction, true, " (finite; 1000 lets nothing slip)"},
              {"normal_stiffness", p.normal_stiffness, false, " (Pa/m)"},
              {"shear_stiffness", p.shear_stiffness, false, " (Pa/m)"},
              {"squeeze", p.squeeze, true, ""},
              {"dilate_scale", p.dilate_scale, true, " (px/m^2)"},
              {"shear_scale", p.shear_scale, true, " (px/m)"},
              {"creep", p.creep, true, ""},
              {"creep_time", p.creep_time, false, " (s)"}};
  for (const auto& row : rows)
    if (!std::isfinite(row.value) || row.value < 0 || (row.value == 0 && !row.zero))
      throw Error(where + ": " + row.name + " is " + ToText(row.value) + "; give a number " +
                  (row.zero ? "of 0 or more" : "above 0") + row.unit);
  if (p.creep > 1)
    throw Error(where + ": creep is " + ToText(p.creep) + "; it is a part of the motion, so give 0 to 1");
}

Pose InterpolatePose(const Pose& from, const Pose& to, double at) {
  const auto plain = [](const Pose& X) {
    KernelPose<double> out;
    std::copy(X.R.m, X.R.m + 9, out.r);
    for (int k = 0; k < 3; ++k) out.t[k] = X.p[k];
    return out;
  };
  const KernelPose<double> X = Interpolate(plain(from), plain(to), at);
  Pose out;
  std::copy(X.r, X.r + 9, out.R.m);
  out.p = {X.t[0], X.t[1], X.t[2]};
  return out;
}

double ForceLambda(const std::vector<Vec3>& markers) {
  std::vector<double> nearest;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    double best = 0;
    for (std::size_t j = 0; j < markers.size(); ++j)
      if (i != j) {
        const double d2 = norm2(markers[i] - markers[j]);
        if (best == 0 || d2 < best) best = d2;
      }
    if (best > 0) nearest.push_back(best);
  }
  if (nearest.empty()) return 1;
  std::nth_element(nearest.begin(), nearest.begin() + nearest.size() / 2, nearest.end());
  return 1 / nearest[nearest.size() / 2];
}

TaxelField::TaxelField(GelPad pad, const std::vector<Vec3>& markers_P, std::vector<MarkerIndenter> objects,
                       const TaxelParameters& parameters, int substeps)
    : parameters_(parameters),
      substeps_(substeps),
      force_lambda_(ForceLambda(CheckMarkers(markers_P))),
      spread_(OnTheGel(pad, markers_P), NormalsAt(pad, markers_P)) {
  CheckMarkersOnPad(pad, markers_P);
  CheckObjects(objects);
  CheckTaxelParameters(parameters_, kField);
  if (substeps < 1 || substeps > 64)
    throw Error("marker field: substeps is " + std::to_string(substeps) + "; give 1 to 64");
  std::size_t most = 0, all = 0;
  std::vector<PointCloud> clouds;
  for (const MarkerIndenter& o : objects) {
    clouds.emplace_back(o.points_I);
    most = std::max(most, o.points_I.size());
    all += o.points_I.size();
  }
  scene_ = std::make_shared<const Scene>(Scene{std::move(pad), std::move(objects), std::move(clouds)});
  candidates_.reserve(most + 3);
  sources_.reserve(all);
  path_.resize(static_cast<std::size_t>(substeps_) + 1);
  for (MarkerState* s : {&next_, &shifted_}) s->Reserve(most);
  state_.objects.resize(this->objects().size());
  for (std::size_t k = 0; k < this->objects().size(); ++k) state_.objects[k].Reserve(most);
  state_.late.assign(markers_P.size(), Vec3{});
}

void TaxelField::set_parameters(const TaxelParameters& parameters) {
  CheckTaxelParameters(parameters, kField);
  parameters_ = parameters;
}

void TaxelField::Dilation(std::vector<Vec3>* out) {
  spread_.Sum(sources_, {parameters_.lambda_d, parameters_.lambda_s, parameters_.dilate_scale, 0}, out);
}

void TaxelField::Reset() {
  for (MarkerState& s : state_.objects) {
    s.started = false;
    s.X_PI = {};
    s.ClearPoints();
  }
  sources_.clear();
  std::fill(state_.late.begin(), state_.late.end(), Vec3{});
}

void TaxelField::ZeroTangential() {
  for (MarkerState& s : state_.objects) std::fill(s.f_P.begin(), s.f_P.end(), Vec3{});
}

void TaxelField::set_state(const TaxelState& given) {
  bool good = given.objects.size() == objects().size() && given.late.size() == markers_P().size();
  for (std::size_t k = 0; good && k < objects().size(); ++k) {
    const MarkerState& s = given.objects[k];
    const std::size_t n = s.index.size();
    good = s.f_P.size() == n && s.phi.size() == n && (s.started || n == 0);
    for (std::size_t i = 0; good && i < n; ++i)
      good = s.index[i] > (i == 0 ? -1 : s.index[i - 1]) &&
             s.index[i] < static_cast<int>(objects()[k].points_I.size()) && is_finite(s.f_P[i]) &&
             s.phi[i] < 0;
  }
  for (std::size_t i = 0; good && i < given.late.size(); ++i) good = is_finite(given.late[i]);
  if (!good)
    throw Error(
        "marker field: the state is not one of this field (one list of touching points an object, ascending, "
        "with a finite stretch and a depth each; one late motion a marker); take it from a field with the "
        "same objects and markers");
  for (const MarkerState& s : given.objects) CheckMarkerPose(s.X_PI, kField, "the pose of the state");
  for (std::size_t k = 0; k < objects().size(); ++k) {
    MarkerState& mine = state_.objects[k];
    const std::size_t room = mine.index.capacity();
    mine = given.objects[k];
    mine.Reserve(room);
  }
  state_.late = given.late;
}

void TaxelField::Advance(int object, const MarkerState& from, const Pose& X, int substeps, MarkerState* to) {
  to->ClearPoints();
  const MarkerIndenter& o = objects()[static_cast<std::size_t>(object)];
  scene_->clouds[static_cast<std::size_t>(object)].FindInBox(X, pad().box(), &candidates_);
  const int steps = from.started ? substeps : 1;
  path_[0] = from.X_PI;
  for (int k = 1; k <= steps; ++k)
    path_[static_cast<std::size_t>(k)] = k == steps ? X : InterpolatePose(from.X_PI, X, 1.0 * k / steps);
  const PointMaterial<double> m{
      parameters_.friction * parameters_.normal_stiffness / parameters_.shear_stiffness, parameters_.squeeze};
  std::size_t held = 0;
  for (const int k : candidates_) {
    const Vec3 p_I = o.points_I[static_cast<std::size_t>(k)], n_I = o.normals_I[static_cast<std::size_t>(k)];
    while (held < from.index.size() && from.index[held] < k) ++held;
    const bool remembered = held < from.index.size() && from.index[held] == k;
    PointTouch<double> touch;
    V stretch = remembered ? ToTriple(from.f_P[held]) : V{};
    bool inside = false;
    for (int j = 1; j <= steps; ++j) {
      const Pose &before = path_[static_cast<std::size_t>(j - 1)], &now = path_[static_cast<std::size_t>(j)];
      inside =
          MovePoint(pad().surface(), m, from.started, ToTriple(before * p_I), ToTriple(-(before.R * n_I)),
                    stretch, ToTriple(now * p_I), ToTriple(-(now.R * n_I)), &touch);
      stretch = inside ? touch.stretch : V{};
    }
    if (!inside) continue;
    to->index.push_back(k);
    to->f_P.push_back(ToVec3(stretch));
    to->phi.push_back(-touch.depth);
  }
  to->X_PI = X;
  to->started = true;
}

void TaxelField::Gather(int object, const MarkerState& now, const MarkerState* shifted,
                        TaxelReading* reading) {
  const MarkerIndenter& o = objects()[static_cast<std::size_t>(object)];
  std::size_t other = 0;
  for (std::size_t i = 0; i < now.index.size(); ++i) {
    const auto k = static_cast<std::size_t>(now.index[i]);
    PointTouch<double> touch;
    const V p = ToTriple(now.X_PI * o.points_I[k]), n = ToTriple(-(now.X_PI.R * o.normals_I[k]));
    touch.depth = -HeightAbove(pad().surface(), p, &touch.g);
    touch.stretch = ToTriple(now.f_P[i]);
    if (shifted) {
      while (other < shifted->index.size() && shifted->index[other] < now.index[i]) ++other;
      const bool there = other < shifted->index.size() && shifted->index[other] == now.index[i];
      touch.stretch = there ? ToTriple(shifted->f_P[other]) : V{};
    }
    sources_.push_back(
        ToSource(touch, p, n, o.areas[k], parameters_.normal_stiffness, parameters_.shear_stiffness));
    const Vec3 force = ToVec3(sources_.back().force), at = ToVec3(p);
    reading->points_P.push_back(at);
    reading->point_forces_P.push_back(force);
    reading->force_P += force;
    reading->torque_P += cross(at, force);
  }
}

void TaxelField::ShareForces(TaxelReading* reading) {
  const std::vector<Vec3>& markers = markers_P();
  reading->marker_forces_P.assign(markers.size(), Vec3{});
  for (const PointSource<double>& s : sources_) {
    const Vec3 c = ToVec3(s.centre), f = ToVec3(s.force);
    // The nearest marker has the weight 1, so that the sum is never 0.
    double nearest = norm2(markers[0] - c), sum = 0;
    for (const Vec3& p : markers) nearest = std::min(nearest, norm2(p - c));
    for (const Vec3& p : markers) sum += std::exp(-force_lambda_ * (norm2(p - c) - nearest));
    for (std::size_t i = 0; i < markers.size(); ++i)
      reading->marker_forces_P[i] += (std::exp(-force_lambda_ * (norm2(markers[i] - c) - nearest)) / sum) * f;
  }
}

void TaxelField::Step(const std::vector<Pose>& X_PI, double dt, const Pose* shift, TaxelReading* reading) {
  if (X_PI.size() != objects().size())
    throw Error("marker field: " + std::to_string(X_PI.size()) + " poses for " +
                std::to_string(objects().size()) + " objects; give one each");
  for (const Pose& X : X_PI) CheckMarkerPose(X, kField, "X_PI");
  if (shift) CheckMarkerPose(*shift, kField, "shift");
  if (!std::isfinite(dt) || dt < 0)
    throw Error("marker field: dt is " + ToText(dt) + "; give the time since the last step in s, 0 or more");

  sources_.clear();
  reading->points_P.clear();
  reading->point_forces_P.clear();
  reading->force_P = reading->torque_P = {};
  for (std::size_t k = 0; k < objects().size(); ++k) {
    const int object = static_cast<int>(k);
    Advance(object, state_.objects[k], X_PI[k], substeps_, &next_);
    std::swap(state_.objects[k], next_);
    if (shift) Advance(object, state_.objects[k], *shift * X_PI[k], 1, &shifted_);
    Gather(object, state_.objects[k], shift ? &shifted_ : nullptr, reading);
  }
  spread_.Sum(sources_,
              {parameters_.lambda_d, parameters_.lambda_s, parameters_.dilate_scale, parameters_.shear_scale},
              &reading->displacement);
  if (parameters_.creep > 0) {
    const double share = -std::expm1(-dt / parameters_.creep_time);
    for (std::size_t i = 0; i < state_.late.size(); ++i) {
      Vec3 &u = reading->displacement[i], &late = state_.late[i];
      late += share * (u - late);
      u = u + parameters_.creep * (late - u);
    }
  }
  reading->marker_forces_P.clear();
  if (marker_forces_) ShareForces(reading);
}

}  // namespace taxel
