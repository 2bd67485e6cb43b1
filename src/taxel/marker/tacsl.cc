#include "taxel/marker/tacsl.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"

namespace taxel {

TacSl::TacSl(std::vector<Vec3> points_P, MarkerDistance object, const TacSlParameters& parameters)
    : points_P_(std::move(points_P)), object_(std::move(object)), parameters_(parameters) {
  if (points_P_.empty()) throw Error("TacSL: no point; give at least one");
  for (std::size_t i = 0; i < points_P_.size(); ++i)
    if (!is_finite(points_P_[i]))
      throw Error("TacSL: point " + std::to_string(i) + " is not finite; give numbers in m");
  const std::pair<const char*, double> values[] = {
      {"normal_contact_stiffness", parameters_.normal_contact_stiffness},
      {"tangential_stiffness", parameters_.tangential_stiffness},
      {"friction_coefficient", parameters_.friction_coefficient}};
  for (const auto& [name, value] : values)
    if (!std::isfinite(value) || value < 0)
      throw Error(std::string("TacSL: ") + name + " is " + ToText(value) + "; give a number of 0 or more");
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
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p_W = reading->points_W[i] = X_WP * points_P_[i];
    const Vec3 p_I = X_IW * p_W;
    if (box.Distance2(p_I) > 0) continue;
    const double depth = -object_.Value(p_I);
    if (!(depth > 0)) continue;
    const Vec3 n_I = object_.Gradient(p_I), n_W = X_WI.R * n_I;
    const Vec3 nearest = X_WI.R * (p_I + depth * n_I);
    const Vec3 v = pad.v_W + cross(pad.w_W, p_W - X_WP.p) - (object.v_W + cross(object.w_W, nearest));
    const Vec3 v_t = v - dot(v, n_W) * n_W;
    const double speed = norm(v_t), normal = parameters_.normal_contact_stiffness * depth;
    const double friction =
        std::min(parameters_.tangential_stiffness * speed, parameters_.friction_coefficient * normal);
    Vec3 F_W = normal * n_W;
    if (speed > 0) F_W -= (friction / speed) * v_t;
    const Vec3 F_P = TransposeMul(X_WP.R, F_W);
    const double length = std::sqrt(F_P.x * F_P.x + F_P.y * F_P.y);
    const double scale = parameters_.unit_shear && length > 0 ? 1 / length : 1;
    reading->depth[i] = depth;
    reading->normal[i] = -F_P.z;
    reading->shear[2 * i] = scale * F_P.x;
    reading->shear[2 * i + 1] = scale * F_P.y;
  }
}

}  // namespace taxel
