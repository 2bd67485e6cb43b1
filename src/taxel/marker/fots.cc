#include "taxel/marker/fots.h"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

void CheckParameters(const FotsParameters& p) {
  if (!is_finite(p.image_origin_P)) throw Error("FOTS: image_origin_P is not finite; give a point in m");
  if (!std::isfinite(p.pixel) || p.pixel <= 0)
    throw Error("FOTS: pixel is " + ToText(p.pixel) + "; give the size of a pixel in m, above 0");
  const std::pair<const char*, double> rates[] = {{"lambda_d", p.lambda_d},
                                                  {"lambda_s", p.lambda_s},
                                                  {"lambda_t", p.lambda_t},
                                                  {"dilate_scale", p.dilate_scale},
                                                  {"max_twist", p.max_twist}};
  for (const auto& [name, value] : rates)
    if (!std::isfinite(value) || value < 0)
      throw Error(std::string("FOTS: ") + name + " is " + ToText(value) + "; give a number of 0 or more");
  if (p.whole_pixels && FromHydroShear(p.variant))
    throw Error("FOTS: whole_pixels belongs to the code of FOTS; the HydroShear variants do not truncate");
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
    p.lambda_d = 300 * pixel, p.lambda_s = 203.3439 * pixel, p.lambda_t = 326 * pixel;
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
      rule_(ToFotsRule<double>(parameters, centre_I)),
      moved_(markers_P_.size()),
      sources_(markers_P_.size()),
      depth_(markers_P_.size()) {
  if (markers_P_.empty()) throw Error("FOTS: no marker; give at least one point");
  for (std::size_t i = 0; i < markers_P_.size(); ++i) {
    const Vec3& p = markers_P_[i];
    if (!is_finite(p)) throw Error("FOTS: marker " + std::to_string(i) + " is not finite; give numbers in m");
    places_.push_back({p.x, p.y, p.z});
  }
  if (centre_I && !is_finite(*centre_I)) throw Error("FOTS: the centre is not finite; give a point in m");
  CheckParameters(parameters_);
}

void Fots::set_parameters(const FotsParameters& parameters) {
  CheckParameters(parameters);
  parameters_ = parameters;
  const Vec3 centre{rule_.centre_I.x, rule_.centre_I.y, rule_.centre_I.z};
  rule_ = ToFotsRule<double>(parameters, rule_.has_centre ? &centre : nullptr);
}

void Fots::Step(const Pose& X_PI, std::vector<Vec3>* displacement, const Vec3* shift) {
  CheckMarkerPose(X_PI, "FOTS", "X_PI");
  if (shift && !is_finite(*shift)) throw Error("FOTS: shift is not finite; give a vector in m");
  const Pose X_IP = Inverse(X_PI);
  const std::size_t count = markers_P_.size();
  for (std::size_t i = 0; i < count; ++i) depth_[i] = -object_.Value(X_IP * markers_P_[i]);
  const Triple<double> moved_on = shift ? Triple<double>{shift->x, shift->y, shift->z} : Triple<double>{};
  StepFots(rule_, ToFotsRates<double>(parameters_), places_.data(), depth_.data(), static_cast<int>(count),
           ToKernelPose(X_PI), moved_on, &state_, sources_.data(), moved_.data());
  displacement->resize(count);
  for (std::size_t i = 0; i < count; ++i) (*displacement)[i] = {moved_[i].x, moved_[i].y, moved_[i].z};
}

}  // namespace taxel
