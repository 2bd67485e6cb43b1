#include "taxel/marker/tacsl.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;

namespace {

void CheckParameters(const TacSlParameters& p) {
  const std::pair<const char*, double> values[] = {{"normal_contact_stiffness", p.normal_contact_stiffness},
                                                   {"tangential_stiffness", p.tangential_stiffness},
                                                   {"friction_coefficient", p.friction_coefficient}};
  for (const auto& [name, value] : values)
    if (!std::isfinite(value) || value < 0)
      throw Error(std::string("TacSL: ") + name + " is " + ToText(value) + "; give a number of 0 or more");
}

}  // namespace

TacSl::TacSl(std::vector<Vec3> points_P, MarkerDistance object, const TacSlParameters& parameters)
    : points_P_(std::move(points_P)), object_(std::move(object)), parameters_(parameters) {
  if (points_P_.empty()) throw Error("TacSL: no point; give at least one");
  for (std::size_t i = 0; i < points_P_.size(); ++i)
    if (!is_finite(points_P_[i]))
      throw Error("TacSL: point " + std::to_string(i) + " is not finite; give numbers in m");
  CheckParameters(parameters_);
}

void TacSl::set_parameters(const TacSlParameters& parameters) {
  CheckParameters(parameters);
  parameters_ = parameters;
}

void TacSl::Read(const Pose& X_WP, const Pose& X_WI, const BodyMotion& pad, const BodyMotion& object,
                 TacSlReading* reading) const {
  CheckMarkerPose(X_WP, "TacSL", "X_WP");
  CheckMarkerPose(X_WI, "TacSL", "X_WI");
  if (!is_finite(pad.v_W) || !is_finite(pad.w_W) || !is_finite(object.v_W) || !is_finite(object.w_W))
    throw Error("TacSL: a velocity is not finite; give m/s and rad/s");
  const std::size_t count = points_P_.size();
  reading->points_W.resize(count);
  reading->depth.assign(count, 0);
  reading->normal.assign(count, 0);
  reading->shear.assign(2 * count, 0);
  const Pose X_IW = Inverse(X_WI);
  const Box3& box = object_.inside_box();
  const TacSlRates<double> rates = ToTacSlRates<double>(parameters_);
  double hardest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p_W = reading->points_W[i] = X_WP * points_P_[i];
    const Vec3 p_I = X_IW * p_W;
    if (box.Distance2(p_I) > 0) continue;
    const double depth = -object_.Value(p_I);
    if (!(depth > 0)) continue;
    const Vec3 n_I = object_.Gradient(p_I), n_W = X_WI.R * n_I;
    const Vec3 nearest = X_WI.R * (p_I + depth * n_I);
    const Vec3 v = pad.v_W + cross(pad.w_W, p_W - X_WP.p) - (object.v_W + cross(object.w_W, nearest));
    const Triple<double> F = TacSlForce(rates, depth, {n_W.x, n_W.y, n_W.z}, {v.x, v.y, v.z});
    const Vec3 F_P = TransposeMul(X_WP.R, {F.x, F.y, F.z});
    const TacSlForces<double> out = ToTacSlForces(Triple<double>{F_P.x, F_P.y, F_P.z});
    hardest = std::max(hardest, out.normal);
    reading->depth[i] = depth;
    reading->normal[i] = out.normal;
    reading->shear[2 * i] = out.shear_x;
    reading->shear[2 * i + 1] = out.shear_y;
  }
  for (std::size_t i = 0; parameters_.unit_shear && i < count; ++i)
    MakeUnitShear(hardest, &reading->shear[2 * i], &reading->shear[2 * i + 1]);
}

}  // namespace taxel
