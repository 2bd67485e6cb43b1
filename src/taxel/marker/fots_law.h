// What FOTS does with one contact and one marker, in float or double for host and device.
#pragma once

#include "taxel/math/kernel_turn.h"

namespace taxel {

/// Which published form. G is the centre of shear and twist.
enum class FotsVariant {
  kFots,           ///< Zhao et al. 2024, as coded (see FotsParameters): G is the origin of the object
  kContactCentre,  ///< the same formulas; G is the point of the object at the middle of the first contact
  kHydroShearOriginal,  ///< "FOTS" of the HydroShear release: exp(-lambda |d|), G is the object's origin
  kHydroShearReimpl,    ///< "FOTS (Reimpl.)" there: exp(-lambda |d|), G at the middle of the contact
};

TAXEL_HD inline bool FromHydroShear(FotsVariant v) {
  return v == FotsVariant::kHydroShearOriginal || v == FotsVariant::kHydroShearReimpl;
}
TAXEL_HD inline bool AboutContact(FotsVariant v) {
  return v == FotsVariant::kContactCentre || v == FotsVariant::kHydroShearReimpl;
}

/// What is the same for all worlds; FotsParameters says what the numbers mean.
template <typename T>
struct FotsRule {
  FotsVariant variant = FotsVariant::kFots;
  T pixel = T(0.065e-3), max_twist = 0;
  bool whole_pixels = false, has_centre = false;
  Triple<T> image_origin_P;
  Triple<T> centre_I;  ///< where has_centre
  bool twist_about_start = false;
};

/// What may differ from world to world.
template <typename T>
struct FotsRates {
  T lambda_d = 0, lambda_s = 0, lambda_t = 0, dilate_scale = 0;
};

/// A contact: where the object was when it began, and the tracked point of the object.
template <typename T = double>
struct FotsState {
  bool started = false, touching = false;
  KernelPose<T> X_PI;                                ///< at the start of the contact
  Triple<T> centre_I;                                ///< the tracked point in the object's frame
  KernelQuaternion<T> quaternion_start, quaternion;  ///< no sign jumps
  friend bool operator==(const FotsState&, const FotsState&) = default;
};

/// The motion of the tracked point since the contact began; px.
template <typename T>
struct FotsMotion {
  Triple<T> G, G_now, shear;  ///< G_now: the centre of the twist
  T cosine = 1, sine = 0;     ///< of the twist
};

/// A pressed marker: its place [px] and its depth times dilate_scale.
template <typename T>
struct FotsSource {
  Triple<T> at;
  T push = 0;
};

template <typename T>
TAXEL_HD inline T FotsExp(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == sizeof(float)) return __expf(x);
#endif
  return std::exp(x);
}

/// Place in the image of a point of the pad; z is 0.
template <typename T>
TAXEL_HD inline Triple<T> ToPixels(const FotsRule<T>& rule, const Triple<T>& p_P) {
  return {(p_P.x - rule.image_origin_P.x) / rule.pixel, (p_P.y - rule.image_origin_P.y) / rule.pixel, 0};
}
/// Truncated as Python's int() does. FOTS has markers at whole pixels; here they come from metres, so 26 may
/// be 25.999999: what is within 1e-4 px (the rounding of float at 320 px, and some) of a pixel lies on it.
template <typename T>
TAXEL_HD inline T WholePixel(T x) {
  const T nearest = std::round(x);
  return std::fabs(x - nearest) < T(1e-4) ? nearest : std::trunc(x);
}
template <typename T>
TAXEL_HD inline Triple<T> ToWhole(const FotsRule<T>& rule, const Triple<T>& p) {
  return rule.whole_pixels ? Triple<T>{WholePixel(p.x), WholePixel(p.y), 0} : p;
}
/// Where a marker feels dilation: the HydroShear variants have a z.
template <typename T>
TAXEL_HD inline Triple<T> FotsPlace(const FotsRule<T>& rule, const Triple<T>& marker_P) {
  Triple<T> p = ToPixels(rule, marker_P);
  if (FromHydroShear(rule.variant)) p.z = (marker_P.z - rule.image_origin_P.z) / rule.pixel;
  return p;
}
/// Of a marker with depth > 0.
template <typename T>
TAXEL_HD inline FotsSource<T> ToFotsSource(const FotsRule<T>& rule, const FotsRates<T>& rates,
                                           const Triple<T>& marker_P, T depth) {
  return {ToWhole(rule, FotsPlace(rule, marker_P)), rates.dilate_scale * depth};
}

/// Where the contact began, and the point and the turn that are followed since. pressed: number of markers
/// with depth > 0; sum_P: the sum of their places [m], read only when a contact begins about its middle.
template <typename T>
TAXEL_HD inline void FollowContact(const FotsRule<T>& rule, const KernelPose<T>& X_PI, int pressed,
                                   const Triple<T>& sum_P, FotsState<T>* state) {
  const bool first = pressed > 0 && !state->touching;
  KernelQuaternion<T> q = ToQuaternion(X_PI.r);
  if (!state->started || pressed == 0 || (first && !FromHydroShear(rule.variant))) {
    state->X_PI = X_PI;
    state->quaternion_start = q;
  } else {
    const KernelQuaternion<T>& then = state->quaternion;
    if (q.w * then.w + q.x * then.x + q.y * then.y + q.z * then.z < 0) q = {-q.w, -q.x, -q.y, -q.z};
  }
  state->quaternion = q;
  if (rule.has_centre)
    state->centre_I = rule.centre_I;
  else if (first && AboutContact(rule.variant))
    state->centre_I = ApplyInverse(X_PI, (T(1) / T(pressed)) * sum_P);
  state->started = true;
  state->touching = pressed > 0;
}

/// shift_P [m]: the tracked point is taken to have moved on by that much (see Fots::Step).
template <typename T>
TAXEL_HD inline FotsMotion<T> MotionSinceContact(const FotsRule<T>& rule, const FotsState<T>& state,
                                                 const KernelPose<T>& X_PI, const Triple<T>& shift_P) {
  const Triple<T> start = ToPixels(rule, Apply(state.X_PI, state.centre_I)),
                  now = ToPixels(rule, Apply(X_PI, state.centre_I) + shift_P);
  FotsMotion<T> m;
  m.G = ToWhole(rule, start);
  m.G_now = rule.twist_about_start ? m.G : ToWhole(rule, now);
  m.shear = ToWhole(rule, now - start);
  T theta;
  if (FromHydroShear(rule.variant)) {
    theta = RotationVector(state.quaternion).z - RotationVector(state.quaternion_start).z;
  } else {
    // The first column of R' R^T.
    const T *a = X_PI.r, *b = state.X_PI.r;
    theta = std::atan2(a[3] * b[0] + a[4] * b[1] + a[5] * b[2], a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  }
  theta = theta < -rule.max_twist ? -rule.max_twist : (theta > rule.max_twist ? rule.max_twist : theta);
  m.cosine = std::cos(theta);
  m.sine = std::sin(theta);
  return m;
}

/// One term of the dilation at a place (FotsPlace), px.
template <typename T>
TAXEL_HD inline Triple<T> FotsDilation(FotsVariant variant, T lambda_d, const Triple<T>& place,
                                       const FotsSource<T>& source) {
  const Triple<T> v = place - source.at;
  const T d2 = Dot(v, v);
  return (source.push * FotsExp(-lambda_d * (FromHydroShear(variant) ? std::sqrt(d2) : d2))) * v;
}

/// Displacement of a marker at rest at `place` (px; z is not read) from the sum of its dilation terms.
template <typename T>
TAXEL_HD inline Triple<T> FotsDisplacement(FotsVariant variant, const FotsRates<T>& rates,
                                           const FotsMotion<T>& m, const Triple<T>& place,
                                           const Triple<T>& dilation) {
  const Triple<T> rest{place.x, place.y, 0};
  const auto twist = [&](const Triple<T>& v) {  // (R - 1) v
    return Triple<T>{m.cosine * v.x - m.sine * v.y - v.x, m.sine * v.x + m.cosine * v.y - v.y, 0};
  };
  if (FromHydroShear(variant)) {
    const Triple<T> v = rest - m.G;
    const T d = std::sqrt(Dot(v, v));
    return dilation + FotsExp(-rates.lambda_s * d) * m.shear + FotsExp(-rates.lambda_t * d) * twist(v);
  }
  const Triple<T> from_start = rest + dilation - m.G;
  const Triple<T> moved = dilation + FotsExp(-rates.lambda_s * Dot(from_start, from_start)) * m.shear;
  const Triple<T> v = rest + moved - m.G_now;
  return moved + FotsExp(-rates.lambda_t * Dot(v, v)) * twist(v);
}

/// A whole step of one pad: from the depths at the markers (below 0: not pressed) to the displacements [px].
/// `sources`: room for as many as there are markers.
template <typename T>
TAXEL_HD inline void StepFots(const FotsRule<T>& rule, const FotsRates<T>& rates, const Triple<T>* markers_P,
                              const T* depth, int markers, const KernelPose<T>& X_PI,
                              const Triple<T>& shift_P, FotsState<T>* state, FotsSource<T>* sources,
                              Triple<T>* displacement) {
  int pressed = 0;
  Triple<T> sum;
  for (int j = 0; j < markers; ++j) {
    displacement[j] = {};
    if (!(depth[j] > 0)) continue;
    sum = sum + markers_P[j];
    sources[pressed++] = ToFotsSource(rule, rates, markers_P[j], depth[j]);
  }
  FollowContact(rule, X_PI, pressed, sum, state);
  if (pressed == 0) return;
  const FotsMotion<T> motion = MotionSinceContact(rule, *state, X_PI, shift_P);
  for (int i = 0; i < markers; ++i) {
    const Triple<T> place = FotsPlace(rule, markers_P[i]);
    Triple<T> dilation;
    for (int j = 0; j < pressed; ++j)
      dilation = dilation + FotsDilation(rule.variant, rates.lambda_d, place, sources[j]);
    displacement[i] = FotsDisplacement(rule.variant, rates, motion, place, dilation);
  }
}

}  // namespace taxel
