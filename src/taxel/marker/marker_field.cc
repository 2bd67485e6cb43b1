#include "taxel/marker/marker_field.h"

#include <cmath>
#include <string>
#include <utility>

#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

Triple<double> ToTriple(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 ToVec3(const Triple<double>& t) { return {t.x, t.y, t.z}; }

void CheckAllFinite(const std::vector<Vec3>& points, const char* what) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!is_finite(points[i]))
      throw Error(std::string("marker field: ") + what + " " + std::to_string(i) + " is not finite (" +
                  ToText(points[i].x) + ", " + ToText(points[i].y) + ", " + ToText(points[i].z) +
                  "); give numbers in m");
}

void CheckParameter(double value, bool zero_allowed, const char* name, const char* unit) {
  if (!std::isfinite(value) || value < 0 || (value == 0 && !zero_allowed))
    throw Error(std::string("marker field: ") + name + " is " + ToText(value) + "; give a number " +
                (zero_allowed ? "of 0 or more" : "above 0") + unit);
}

const std::vector<Vec3>& Checked(const std::vector<Vec3>& markers, const MarkerParameters& p) {
  if (markers.empty()) throw Error("marker field: no marker; give at least one point");
  CheckAllFinite(markers, "marker");
  CheckParameter(p.lambda_d, false, "lambda_d", " (1/m^2)");
  CheckParameter(p.lambda_s, false, "lambda_s", " (1/m^2)");
  CheckParameter(p.friction, true, "friction", "");
  CheckParameter(p.stiffness_area, true, "stiffness times area", "");
  CheckParameter(p.young_over_stiffness, true, "young over stiffness", "");
  if (!std::isfinite(p.tracking_friction))
    throw Error("marker field: tracking_friction is " + ToText(p.tracking_friction) +
                "; give a number of 0 or more, or leave it out");
  CheckParameter(p.dilate_scale, true, "dilate_scale", " (px)");
  CheckParameter(p.shear_scale, true, "shear_scale", " (px)");
  return markers;
}

bool Contains(const Box3& box, const Vec3& p) {
  return p.x >= box.lo.x && p.x <= box.hi.x && p.y >= box.lo.y && p.y <= box.hi.y && p.z >= box.lo.z &&
         p.z <= box.hi.z;
}

}  // namespace

MarkerField::MarkerField(MarkerDistance pad, std::vector<Vec3> markers_P, MarkerIndenter indenter,
                         const MarkerParameters& parameters)
    : pad_(std::move(pad)),
      markers_P_(Checked(markers_P, parameters)),
      parameters_(parameters),
      kernel_(std::make_shared<const MarkerKernel>(parameters.mode, markers_P_, parameters.lambda_d,
                                                   parameters.lambda_s)) {
  PointCloud cloud(indenter.points_I);
  object_ = std::make_shared<const Object>(Object{std::move(indenter), std::move(cloud)});
  const std::vector<Vec3>&points = object_->indenter.points_I, &normals = object_->indenter.normals_I;
  CheckAllFinite(points, "point");
  CheckAllFinite(normals, "normal");
  if (parameters_.mode == MarkerMode::kPaper) {
    if (normals.size() != points.size())
      throw Error("marker field: the mode as printed needs one outward normal a point; got " +
                  std::to_string(normals.size()) + " for " + std::to_string(points.size()) + " points");
    for (std::size_t i = 0; i < normals.size(); ++i)
      if (!(std::fabs(norm(normals[i]) - 1) <= 1e-6))
        throw Error("marker field: normal " + std::to_string(i) + " has the length " +
                    ToText(norm(normals[i])) + "; give unit vectors");
    const std::vector<double>& areas = object_->indenter.areas;
    if (parameters_.point_areas && areas.size() != points.size())
      throw Error("marker field: " + std::to_string(areas.size()) + " areas for " +
                  std::to_string(points.size()) + " points; give one a point, m^2");
    for (std::size_t i = 0; parameters_.point_areas && i < areas.size(); ++i)
      if (!std::isfinite(areas[i]) || areas[i] < 0)
        throw Error("marker field: area " + std::to_string(i) + " is " + ToText(areas[i]) +
                    "; give numbers of 0 or more, m^2");
  }
  const std::size_t n = points.size();
  candidates_.reserve(n + 3);
  pressed_.reserve(markers_P_.size());
  sources_.reserve(n);
  for (MarkerState* s : {&state_, &next_, &shifted_}) s->Reserve(n);
}

MarkerField MarkerField::With(const MarkerParameters& parameters) const {
  Checked(markers_P_, parameters);
  if (parameters.mode != parameters_.mode)
    throw Error("marker field: the mode of a field cannot change; make another one");
  if (parameters.point_areas && object_->indenter.areas.size() != object_->indenter.points_I.size())
    throw Error("marker field: this field has no areas of its points; make another one with them");
  MarkerField out = *this;
  out.parameters_ = parameters;
  // What one tracker knew both begin with, and the other way round the displacements stay.
  if (out.two_trackers() && out.state_.g_P.empty()) out.state_.g_P = out.state_.f_P;
  if (!out.two_trackers()) out.state_.g_P.clear();
  out.kernel_ = std::make_shared<const MarkerKernel>(parameters.mode, markers_P_, parameters.lambda_d,
                                                     parameters.lambda_s);
  return out;
}

void MarkerField::Reset() {
  state_.started = false;
  state_.X_PI = {};
  state_.ClearPoints();
}

void MarkerField::ZeroTangential() {
  for (std::size_t i = 0; i < state_.index.size(); ++i) {
    Vec3& f = state_.f_P[i];
    if (parameters_.mode == MarkerMode::kPaper) {
      const Vec3 n = state_.X_PI.R * object_->indenter.normals_I[state_.index[i]];
      f = dot(f, n) * n;
      if (!state_.g_P.empty()) state_.g_P[i] = dot(state_.g_P[i], n) * n;
    } else {
      f = {0, 0, f.z};
    }
  }
}

void MarkerField::set_state(const MarkerState& s) {
  const std::size_t n = s.index.size();
  bool good = s.f_P.size() == n && s.phi.size() == n && (s.started || n == 0) &&
              s.g_P.size() == (two_trackers() ? n : 0);
  for (const Vec3& g : s.g_P) good = good && is_finite(g);
  for (std::size_t i = 0; good && i < n; ++i)
    good = s.index[i] > (i == 0 ? -1 : s.index[i - 1]) &&
           s.index[i] < static_cast<int>(object_->indenter.points_I.size()) && is_finite(s.f_P[i]) &&
           s.phi[i] < 0;
  if (!good)
    throw Error(
        "marker field: the state is not one of this field (points ascending and below " +
        std::to_string(object_->indenter.points_I.size()) +
        ", one finite displacement and one distance below 0 each); take it from a field with the same "
        "indenter");
  CheckMarkerPose(s.X_PI, "marker field", "the pose of the state");
  state_ = s;
  state_.Reserve(object_->indenter.points_I.size());
}

void MarkerField::FindPressed(const Pose& X_PI) {
  pressed_.clear();
  const Pose X_IP = Inverse(X_PI);
  const Box3& box = object_->indenter.distance.inside_box();
  for (std::size_t i = 0; i < markers_P_.size(); ++i) {
    const Vec3 p_I = X_IP * markers_P_[i];
    if (parameters_.cull && !Contains(box, p_I)) continue;
    const double phi = object_->indenter.distance.Value(p_I);
    if (phi < 0) pressed_.push_back({static_cast<int>(i), -phi});
  }
}

void MarkerField::FindCandidates(const Pose& X_PI) {
  if (parameters_.cull) return object_->cloud.FindInBox(X_PI, pad_.inside_box(), &candidates_);
  candidates_.clear();
  for (int i = 0; i < object_->cloud.size(); ++i) candidates_.push_back(i);
}

void MarkerField::Advance(const MarkerState& from, const Pose& X_PI, MarkerState* to) {
  to->ClearPoints();
  FindCandidates(X_PI);
  const bool two = two_trackers();
  std::size_t held = 0;
  for (const int k : candidates_) {
    const Vec3& p_I = object_->indenter.points_I[k];
    const Vec3 o = X_PI * p_I;
    const double phi = pad_.Value(o);
    if (!(phi < 0)) continue;  // out of the gel: forgotten
    while (held < from.index.size() && from.index[held] < k) ++held;
    const bool was_inside = held < from.index.size() && from.index[held] == k;
    const Vec3 o_before = from.started ? from.X_PI * p_I : o;
    const double phi_before = was_inside ? from.phi[held] : (from.started ? pad_.Value(o_before) : phi);
    const Vec3 f = was_inside ? from.f_P[held] : Vec3{};
    const Vec3 n =
        parameters_.mode == MarkerMode::kPaper ? -(X_PI.R * object_->indenter.normals_I[k]) : Vec3{};
    to->index.push_back(k);
    const auto track = [&](const Vec3& held_f, double mu, double young) {
      return ToVec3(Track(parameters_.mode, ToTriple(held_f), ToTriple(o), phi, ToTriple(o_before),
                          phi_before, ToTriple(n), mu, young));
    };
    const double mu = parameters_.friction, follow = parameters_.tracking_friction;
    to->f_P.push_back(track(f, two && follow >= 0 ? follow : mu, 1));
    if (two)
      to->g_P.push_back(track(was_inside ? from.g_P[held] : Vec3{}, mu, parameters_.young_over_stiffness));
    to->phi.push_back(phi);
  }
  to->X_PI = X_PI;
  to->started = true;
}

void MarkerField::GatherShear(const MarkerState& now, const MarkerState* shifted) {
  sources_.clear();
  const MarkerState& tracked = shifted ? *shifted : now;
  std::size_t held = 0;
  for (std::size_t i = 0; i < tracked.index.size(); ++i) {
    const int k = tracked.index[i];
    double phi = tracked.phi[i];
    if (shifted) {  // the depth stays that of the pose itself
      while (held < now.index.size() && now.index[held] < k) ++held;
      phi = held < now.index.size() && now.index[held] == k ? now.phi[held] : 0;
    }
    const Vec3& f = tracked.f_P[i];
    const Vec3& g = tracked.g_P.empty() ? f : tracked.g_P[i];
    const double area = parameters_.point_areas ? object_->indenter.areas[k] : 1;
    const Vec3 pull =
        ToVec3(ShearPull(parameters_.mode, ToTriple(g), phi, parameters_.stiffness_area * area));
    if (pull == Vec3{}) continue;
    sources_.push_back({now.X_PI * object_->indenter.points_I[k] + f, pull});
  }
}

void MarkerField::Step(const Pose& X_PI, MarkerReading* reading, const Pose* shift) {
  CheckMarkerPose(X_PI, "marker field", "X_PI");
  if (shift) CheckMarkerPose(*shift, "marker field", "shift");
  Advance(state_, X_PI, &next_);
  std::swap(state_, next_);
  if (shift) Advance(state_, *shift * X_PI, &shifted_);

  const std::size_t n = markers_P_.size();
  reading->displacement.resize(n);
  reading->dilation.resize(n);
  reading->shear.resize(n);
  FindPressed(X_PI);
  kernel_->Dilation(pressed_, parameters_.dilate_scale, reading->dilation.data());
  GatherShear(state_, shift ? &shifted_ : nullptr);
  kernel_->Shear(sources_, parameters_.shear_scale, reading->shear.data());
  for (std::size_t i = 0; i < n; ++i) reading->displacement[i] = reading->dilation[i] + reading->shear[i];
}

}  // namespace taxel
