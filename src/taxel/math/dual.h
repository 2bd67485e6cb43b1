// Numbers that carry derivatives, for host and device.
#pragma once

#include <cmath>

#include "taxel/math/vec3.h"

namespace taxel {

/// A value and its derivatives along W inputs: forward differentiation of code written over a scalar type.
///
///     Dual<double, 2> x = Dual<double, 2>::Input(3, 0), y = Dual<double, 2>::Input(4, 1);
///     Sqrt(x * x + y * y).d[0];  // 0.6
///
/// Comparisons look at values alone, so a branch has the derivative of the side taken.
template <typename T, int W>
struct Dual {
  T v = 0;
  T d[W] = {};

  TAXEL_HD Dual() {}
  TAXEL_HD Dual(T value) : v(value) {}  // NOLINT: a constant
  /// The input number `index`; an index outside [0, W) is a constant.
  TAXEL_HD static Dual Input(T value, int index) {
    Dual out(value);
    for (int k = 0; k < W; ++k) out.d[k] = k == index ? T(1) : T(0);
    return out;
  }

  friend TAXEL_HD Dual operator+(const Dual& a, const Dual& b) {
    Dual out(a.v + b.v);
    for (int k = 0; k < W; ++k) out.d[k] = a.d[k] + b.d[k];
    return out;
  }
  friend TAXEL_HD Dual operator-(const Dual& a, const Dual& b) {
    Dual out(a.v - b.v);
    for (int k = 0; k < W; ++k) out.d[k] = a.d[k] - b.d[k];
    return out;
  }
  friend TAXEL_HD Dual operator-(const Dual& a) {
    Dual out(-a.v);
    for (int k = 0; k < W; ++k) out.d[k] = -a.d[k];
    return out;
  }
  friend TAXEL_HD Dual operator*(const Dual& a, const Dual& b) {
    Dual out(a.v * b.v);
    for (int k = 0; k < W; ++k) out.d[k] = a.d[k] * b.v + a.v * b.d[k];
    return out;
  }
  friend TAXEL_HD Dual operator/(const Dual& a, const Dual& b) {
    const T inverse = T(1) / b.v;
    Dual out(a.v * inverse);
    for (int k = 0; k < W; ++k) out.d[k] = (a.d[k] - out.v * b.d[k]) * inverse;
    return out;
  }
  TAXEL_HD Dual& operator+=(const Dual& b) { return *this = *this + b; }
  TAXEL_HD Dual& operator-=(const Dual& b) { return *this = *this - b; }
  friend TAXEL_HD bool operator<(const Dual& a, const Dual& b) { return a.v < b.v; }
  friend TAXEL_HD bool operator>(const Dual& a, const Dual& b) { return a.v > b.v; }
  friend TAXEL_HD bool operator<=(const Dual& a, const Dual& b) { return a.v <= b.v; }
  friend TAXEL_HD bool operator>=(const Dual& a, const Dual& b) { return a.v >= b.v; }
  friend TAXEL_HD bool operator==(const Dual& a, const Dual& b) { return a.v == b.v; }
};

/// The number without its derivatives, whatever the type.
TAXEL_HD inline float ValueOf(float x) { return x; }
TAXEL_HD inline double ValueOf(double x) { return x; }
template <typename T, int W>
TAXEL_HD inline T ValueOf(const Dual<T, W>& x) {
  return x.v;
}

TAXEL_HD inline float Sqrt(float x) { return std::sqrt(x); }
TAXEL_HD inline double Sqrt(double x) { return std::sqrt(x); }
/// At 0 the derivative is taken as 0.
template <typename T, int W>
TAXEL_HD inline Dual<T, W> Sqrt(const Dual<T, W>& x) {
  Dual<T, W> out(std::sqrt(x.v));
  const T half = out.v > 0 ? T(0.5) / out.v : T(0);
  for (int k = 0; k < W; ++k) out.d[k] = half * x.d[k];
  return out;
}

TAXEL_HD inline double Abs(double x) { return std::fabs(x); }
/// At 0 the derivative is that of the positive side.
template <typename T, int W>
TAXEL_HD inline Dual<T, W> Abs(const Dual<T, W>& x) {
  return x.v < 0 ? -x : x;
}

template <typename T, int W>
TAXEL_HD inline Dual<T, W> Exp(const Dual<T, W>& x) {
  Dual<T, W> out(std::exp(x.v));
  for (int k = 0; k < W; ++k) out.d[k] = out.v * x.d[k];
  return out;
}

}  // namespace taxel
