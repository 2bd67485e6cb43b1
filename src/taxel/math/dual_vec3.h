// Vectors and poses whose numbers carry derivatives.
#pragma once

#include "taxel/math/dual.h"
#include "taxel/math/pose.h"

namespace taxel {

/// A Vec3 over a Dual; plain vectors turn into constant ones.
template <typename D>
struct DualVec3 {
  D x, y, z;

  DualVec3() = default;
  DualVec3(const D& x_, const D& y_, const D& z_) : x(x_), y(y_), z(z_) {}
  DualVec3(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}  // NOLINT: a constant

  Vec3 value() const { return {x.v, y.v, z.v}; }
  DualVec3& operator+=(const DualVec3& b) { return *this = *this + b; }

  friend DualVec3 operator+(const DualVec3& a, const DualVec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend DualVec3 operator-(const DualVec3& a, const DualVec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend DualVec3 operator-(const DualVec3& a) { return {-a.x, -a.y, -a.z}; }
  friend DualVec3 operator*(const D& s, const DualVec3& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend DualVec3 operator/(const DualVec3& a, const D& s) { return (D(1) / s) * a; }
  friend D dot(const DualVec3& a, const DualVec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend DualVec3 cross(const DualVec3& a, const DualVec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend DualVec3 cwise_mul(const DualVec3& a, const DualVec3& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
  }
};

template <typename T, int W>
DualVec3<Dual<T, W>> operator*(const Dual<T, W>& s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}

/// A rotation, row by row, and a pose.
template <typename D>
struct DualMat3 {
  DualVec3<D> row[3];

  friend DualVec3<D> operator*(const DualMat3& R, const DualVec3<D>& v) {
    return {dot(R.row[0], v), dot(R.row[1], v), dot(R.row[2], v)};
  }
  friend DualMat3 operator*(const DualMat3& A, const DualMat3& B) {
    const DualMat3 columns = Transpose(B);
    DualMat3 out;
    for (int r = 0; r < 3; ++r) out.row[r] = columns * A.row[r];
    return out;
  }
  friend DualMat3 Transpose(const DualMat3& A) {
    return {{{A.row[0].x, A.row[1].x, A.row[2].x},
             {A.row[0].y, A.row[1].y, A.row[2].y},
             {A.row[0].z, A.row[1].z, A.row[2].z}}};
  }
};

template <typename D>
struct DualPose {
  DualMat3<D> R;
  DualVec3<D> p;

  DualPose() = default;
  DualPose(const DualMat3<D>& R_, const DualVec3<D>& p_) : R(R_), p(p_) {}
  DualPose(const Pose& X) : p(X.p) {  // NOLINT: a constant
    for (int r = 0; r < 3; ++r) R.row[r] = Vec3{X.R(r, 0), X.R(r, 1), X.R(r, 2)};
  }

  friend DualVec3<D> operator*(const DualPose& X, const DualVec3<D>& p) { return X.R * p + X.p; }
  friend DualPose operator*(const DualPose& A, const DualPose& B) { return {A.R * B.R, A.R * B.p + A.p}; }
  friend DualPose Inverse(const DualPose& X) { return {Transpose(X.R), -(Transpose(X.R) * X.p)}; }
};

/// The pose with a small motion: input `first` .. first + 2 shift it along the outer frame's axes, the next
/// three turn it about them through its own origin, rad.
template <typename D>
DualPose<D> Moving(const Pose& X, int first) {
  DualPose<D> out(X);
  D* const shift[3] = {&out.p.x, &out.p.y, &out.p.z};
  for (int k = 0; k < 3; ++k) shift[k]->d[first + k] = 1;
  // dR = [w] R: the column c turns by w x c.
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) {
      Vec3 axis;
      axis[k] = 1;
      const Vec3 turned = cross(axis, X.R.col(c));
      for (int r = 0; r < 3; ++r) {
        DualVec3<D>& row = out.R.row[r];
        (c == 0 ? row.x : (c == 1 ? row.y : row.z)).d[first + 3 + k] = turned[r];
      }
    }
  return out;
}

/// Vectors and poses of code that is written over its scalar.
template <typename T>
struct SpaceOf {
  using Vector = DualVec3<T>;
  using Motion = DualPose<T>;
};
template <>
struct SpaceOf<double> {
  using Vector = Vec3;
  using Motion = Pose;
};

}  // namespace taxel
