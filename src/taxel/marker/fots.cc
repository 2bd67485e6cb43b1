#include "taxel/marker/fots.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

bool FromHydroShear(FotsVariant v) {
  return v == FotsVariant::kHydroShearOriginal || v == FotsVariant::kHydroShearReimpl;
}
bool AboutContact(FotsVariant v) {
  return v == FotsVariant::kContactCentre || v == FotsVariant::kHydroShearReimpl;
}

std::array<double, 4> ToQuaternion(const Mat3& R) {
  // The greatest of the four squares, so that no root is of a small difference.
  const double t = R(0, 0) + R(1, 1) + R(2, 2);
  const double squares[4] = {1 + t, 1 + 2 * R(0, 0) - t, 1 + 2 * R(1, 1) - t, 1 + 2 * R(2, 2) - t};
  const int k = static_cast<int>(std::max_element(squares, squares + 4) - squares);
  const double s = 2 * std::sqrt(squares[k]);
  const double a = (R(2, 1) - R(1, 2)) / s, b = (R(0, 2) - R(2, 0)) / s, c = (R(1, 0) - R(0, 1)) / s;
  const double xy = (R(0, 1) + R(1, 0)) / s, xz = (R(0, 2) + R(2, 0)) / s, yz = (R(1, 2) + R(2, 1)) / s;
  std::array<double, 4> q{};
  if (k == 0) q = {0.25 * s, a, b, c};
  if (k == 1) q = {a, 0.25 * s, xy, xz};
  if (k == 2) q = {b, xy, 0.25 * s, yz};
  if (k == 3) q = {c, xz, yz, 0.25 * s};
  if (q[0] < 0)
    for (double& value : q) value = -value;
  return q;
}

// z of the rotation vector; the angle runs from 0 to 2 pi, so that -q and q differ.
double RotationVectorZ(const std::array<double, 4>& q) {
  const double v = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double angle = 2 * std::atan2(v, q[0]);
  return v > 0 ? angle * (q[3] / v) : 2 * q[3];
}

}  // namespace

FotsParameters FotsDefaults(FotsVariant variant, double pixel) {
  FotsParameters p;
  p.variant = variant;
  p.pixel = pixel;
  if (variant == FotsVariant::kHydroShearOriginal) {
    p.lambda_d = 5e-6, p.lambda_s = 3.08307 * pixel, p.lambda_t = 0.71568 * pixel;
    p.dilate_scale = 1;
  } else if (variant == FotsVariant::kHydroShearReimpl) {
    p.lambda_d = 300 * pixel, p.lambda_s = 203.34 * pixel, p.lambda_t = 326 * pixel;
    p.dilate_scale = 2.5;
  } else {
    p.lambda_d = 0.00125, p.lambda_s = 0.00021, p.lambda_t = 0.00038;
    p.dilate_scale = 1000;
  }
  p.max_twist = (FromHydroShear(variant) ? 180 : 50) * std::numbers::pi / 180;
  return p;
}

Fots::Fots(std::vector<Vec3> markers_P, MarkerDistance object, const FotsParameters& parameters,
           const Vec3* centre_I)
    : markers_P_(std::move(markers_P)),
      object_(std::move(object)),
      parameters_(parameters),
      has_centre_(centre_I != nullptr),
      given_centre_I_(centre_I ? *centre_I : Vec3{}),
      depth_(markers_P_.size()) {
  if (markers_P_.empty()) throw Error("FOTS: no marker; give at least one point");
  for (std::size_t i = 0; i < markers_P_.size(); ++i)
    if (!is_finite(markers_P_[i]))
      throw Error("FOTS: marker " + std::to_string(i) + " is not finite; give numbers in m");
  if (!is_finite(given_centre_I_) || !is_finite(parameters_.image_origin_P))
    throw Error("FOTS: a centre is not finite; give a point in m");
  if (!std::isfinite(parameters_.pixel) || parameters_.pixel <= 0)
    throw Error("FOTS: pixel is " + ToText(parameters_.pixel) + "; give the size of a pixel in m, above 0");
  const std::pair<const char*, double> rates[] = {{"lambda_d", parameters_.lambda_d},
                                                  {"lambda_s", parameters_.lambda_s},
                                                  {"lambda_t", parameters_.lambda_t},
                                                  {"dilate_scale", parameters_.dilate_scale},
                                                  {"max_twist", parameters_.max_twist}};
  for (const auto& [name, value] : rates)
    if (!std::isfinite(value) || value < 0)
      throw Error(std::string("FOTS: ") + name + " is " + ToText(value) + "; give a number of 0 or more");
  if (parameters_.whole_pixels && FromHydroShear(parameters_.variant))
    throw Error("FOTS: whole_pixels belongs to the code of FOTS; the HydroShear variants do not truncate");
}

Vec3 Fots::ToPixels(const Vec3& p_P) const {
  const Vec3 d = p_P - parameters_.image_origin_P;
  return {d.x / parameters_.pixel, d.y / parameters_.pixel, 0};
}

// Where the contact began, and the point and the turn that are followed since.
void Fots::Follow(const Pose& X_PI) {
  Vec3 middle;
  int pressed = 0;
  for (std::size_t i = 0; i < markers_P_.size(); ++i)
    if (depth_[i] > 0) middle += markers_P_[i], ++pressed;
  const bool first = pressed > 0 && !state_.touching, from_before = FromHydroShear(parameters_.variant);
  std::array<double, 4> q = ToQuaternion(X_PI.R);
  if (!state_.started || pressed == 0 || (first && !from_before)) {
    state_.X_PI = X_PI;
    state_.quaternion_start = state_.quaternion = q;
  } else {
    double along = 0;
    for (int k = 0; k < 4; ++k) along += q[k] * state_.quaternion[k];
    if (along < 0)
      for (double& value : q) value = -value;
    state_.quaternion = q;
  }
  if (has_centre_)
    state_.centre_I = given_centre_I_;
  else if (first && AboutContact(parameters_.variant))
    state_.centre_I = Inverse(X_PI) * ((1.0 / pressed) * middle);
  state_.started = true;
  state_.touching = pressed > 0;
}

void Fots::Step(const Pose& X_PI, std::vector<Vec3>* displacement) {
  CheckMarkerPose(X_PI, "FOTS", "X_PI");
  const Pose X_IP = Inverse(X_PI);
  for (std::size_t i = 0; i < markers_P_.size(); ++i)
    depth_[i] = std::max(0.0, -object_.Value(X_IP * markers_P_[i]));
  Follow(X_PI);
  displacement->assign(markers_P_.size(), Vec3{});
  if (!state_.touching) return;
  FromHydroShear(parameters_.variant) ? Added(X_PI, displacement) : Chained(X_PI, displacement);
}

void Fots::Chained(const Pose& X_PI, std::vector<Vec3>* displacement) const {
  const FotsParameters& p = parameters_;
  const auto whole = [&](double v) { return p.whole_pixels ? std::trunc(v) : v; };
  const auto whole_point = [&](const Vec3& v) { return Vec3{whole(v.x), whole(v.y), 0}; };
  const Vec3 start = ToPixels(state_.X_PI * state_.centre_I), now = ToPixels(X_PI * state_.centre_I);
  const Vec3 G = whole_point(start), G_now = whole_point(now), shear = whole_point(now - start);
  const Mat3 turn = X_PI.R * Transpose(state_.X_PI.R);
  const double theta = std::clamp(std::atan2(turn(1, 0), turn(0, 0)), -p.max_twist, p.max_twist);
  for (std::size_t i = 0; i < markers_P_.size(); ++i) {
    const Vec3 rest = ToPixels(markers_P_[i]);
    Vec3 M = rest;
    for (std::size_t j = 0; j < markers_P_.size(); ++j) {
      if (!(depth_[j] > 0)) continue;
      const Vec3 v = rest - whole_point(ToPixels(markers_P_[j]));
      M += (p.dilate_scale * depth_[j] * std::exp(-p.lambda_d * norm2(v))) * v;
    }
    M += std::exp(-p.lambda_s * norm2(M - G)) * shear;
    const Vec3 v = M - G_now;
    const Vec3 turned{std::cos(theta) * v.x - std::sin(theta) * v.y,
                      std::sin(theta) * v.x + std::cos(theta) * v.y, 0};
    M += std::exp(-p.lambda_t * norm2(v)) * (turned - v);
    (*displacement)[i] = M - rest;
  }
}

void Fots::Added(const Pose& X_PI, std::vector<Vec3>* displacement) const {
  const FotsParameters& p = parameters_;
  const Vec3 G = ToPixels(state_.X_PI * state_.centre_I), shear = ToPixels(X_PI * state_.centre_I) - G;
  const double theta =
      std::clamp(RotationVectorZ(state_.quaternion) - RotationVectorZ(state_.quaternion_start), -p.max_twist,
                 p.max_twist);
  for (std::size_t i = 0; i < markers_P_.size(); ++i) {
    Vec3 sum;
    for (std::size_t j = 0; j < markers_P_.size(); ++j) {
      if (!(depth_[j] > 0)) continue;
      const Vec3 v = (1 / p.pixel) * (markers_P_[i] - markers_P_[j]);
      sum += (p.dilate_scale * depth_[j] * std::exp(-p.lambda_d * norm(v))) * v;
    }
    const Vec3 v = ToPixels(markers_P_[i]) - G;
    const Vec3 turned{std::cos(theta) * v.x - std::sin(theta) * v.y,
                      std::sin(theta) * v.x + std::cos(theta) * v.y, 0};
    (*displacement)[i] =
        sum + std::exp(-p.lambda_s * norm(v)) * shear + std::exp(-p.lambda_t * norm(v)) * (turned - v);
  }
}

}  // namespace taxel
