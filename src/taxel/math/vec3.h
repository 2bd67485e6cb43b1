// Plain vectors and matrices that compile for host and device.
#pragma once

#include <cmath>

#if defined(__CUDACC__)
#define TAXEL_HD __host__ __device__
#else
#define TAXEL_HD
#endif

namespace taxel {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  TAXEL_HD double operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  TAXEL_HD double& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  TAXEL_HD Vec3& operator+=(const Vec3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  TAXEL_HD Vec3& operator-=(const Vec3& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  TAXEL_HD Vec3& operator*=(double s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

TAXEL_HD inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
TAXEL_HD inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
TAXEL_HD inline Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
TAXEL_HD inline Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
TAXEL_HD inline Vec3 operator*(const Vec3& a, double s) { return {s * a.x, s * a.y, s * a.z}; }
TAXEL_HD inline Vec3 operator/(const Vec3& a, double s) { return (1.0 / s) * a; }
TAXEL_HD inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TAXEL_HD inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TAXEL_HD inline double norm2(const Vec3& a) { return dot(a, a); }
TAXEL_HD inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
/// Unit vector along a; the zero vector stays zero.
TAXEL_HD inline Vec3 normalized(const Vec3& a) {
  const double n = norm(a);
  return n > 0 ? a / n : a;
}
TAXEL_HD inline Vec3 cwise_mul(const Vec3& a, const Vec3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
TAXEL_HD inline Vec3 cwise_div(const Vec3& a, const Vec3& b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
TAXEL_HD inline Vec3 cwise_abs(const Vec3& a) { return {std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)}; }
TAXEL_HD inline Vec3 cwise_min(const Vec3& a, const Vec3& b) {
  return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
TAXEL_HD inline Vec3 cwise_max(const Vec3& a, const Vec3& b) {
  return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// Two unit vectors that make a right-handed frame (e1, e2, n) with the unit vector n.
TAXEL_HD inline void MakeFrame(const Vec3& n, Vec3* e1, Vec3* e2) {
  const Vec3 a = cwise_abs(n);
  const Vec3 t = (a.x <= a.y && a.x <= a.z) ? Vec3{1, 0, 0} : (a.y <= a.z ? Vec3{0, 1, 0} : Vec3{0, 0, 1});
  *e1 = normalized(cross(t, n));
  *e2 = cross(n, *e1);
}

/// Row-major 3x3 matrix.
struct Mat3 {
  double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

  TAXEL_HD double operator()(int r, int c) const { return m[3 * r + c]; }
  TAXEL_HD double& operator()(int r, int c) { return m[3 * r + c]; }
  TAXEL_HD Vec3 col(int c) const { return {m[c], m[3 + c], m[6 + c]}; }
  friend bool operator==(const Mat3&, const Mat3&) = default;
};

TAXEL_HD inline Vec3 operator*(const Mat3& R, const Vec3& v) {
  return {R.m[0] * v.x + R.m[1] * v.y + R.m[2] * v.z, R.m[3] * v.x + R.m[4] * v.y + R.m[5] * v.z,
          R.m[6] * v.x + R.m[7] * v.y + R.m[8] * v.z};
}
TAXEL_HD inline Mat3 operator*(const Mat3& A, const Mat3& B) {
  Mat3 C;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) C(r, c) = A(r, 0) * B(0, c) + A(r, 1) * B(1, c) + A(r, 2) * B(2, c);
  return C;
}
/// R^T v without forming the transpose.
TAXEL_HD inline Vec3 TransposeMul(const Mat3& R, const Vec3& v) {
  return {R.m[0] * v.x + R.m[3] * v.y + R.m[6] * v.z, R.m[1] * v.x + R.m[4] * v.y + R.m[7] * v.z,
          R.m[2] * v.x + R.m[5] * v.y + R.m[8] * v.z};
}
TAXEL_HD inline Mat3 Transpose(const Mat3& A) {
  return {{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
}
/// The matrix with the given columns.
TAXEL_HD inline Mat3 FromColumns(const Vec3& a, const Vec3& b, const Vec3& c) {
  return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}

}  // namespace taxel
