#include "taxel/math/pose_twist.h"

namespace taxel::internal {
namespace {

Mat3 Add(double a, const Mat3& A, double b, const Mat3& B) {
  Mat3 out;
  for (int i = 0; i < 9; ++i) out.m[i] = a * A.m[i] + b * B.m[i];
  return out;
}

Mat3 Cross(const Vec3& v) { return {{0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0}}; }

// 1 + a [phi] + b [phi]^2
Mat3 Series(double a, double b, const Vec3& phi) {
  const Mat3 P = Cross(phi);
  return Add(1, Add(1, Mat3{}, a, P), b, P * P);
}

Mat3 LeftJacobian(const Vec3& phi) {
  const double t2 = norm2(phi), t = std::sqrt(t2);
  if (t < 1e-3) return Series(0.5 - t2 / 24, 1.0 / 6 - t2 / 120, phi);
  return Series((1 - std::cos(t)) / t2, (t - std::sin(t)) / (t2 * t), phi);
}

Mat3 InverseLeftJacobian(const Vec3& phi) {
  const double t2 = norm2(phi), t = std::sqrt(t2);
  if (t < 1e-3) return Series(-0.5, 1.0 / 12 + t2 / 720, phi);
  return Series(-0.5, 1 / t2 - (1 + std::cos(t)) / (2 * t * std::sin(t)), phi);
}

Vec3 RotationVector(const Mat3& R) {
  const Vec3 axis{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  const double sine2 = norm(axis);
  // Below this Interpolate does not turn at all.
  if (!(sine2 > 1e-7)) return {};
  return (std::atan2(sine2, R(0, 0) + R(1, 1) + R(2, 2) - 1) / sine2) * axis;
}

}  // namespace

Pose Moved(const Pose& X, const PoseTwist& change) {
  const double angle = norm(change.turn);
  return {angle > 0 ? RotationAbout((1 / angle) * change.turn, angle) * X.R : X.R, X.p + change.shift};
}

BetweenTurns TurnsBetween(const Pose& from, const Pose& to, double at) {
  if (at >= 1) return {Add(0, Mat3{}, 0, Mat3{}), Mat3{}};
  const Vec3 phi = RotationVector(to.R * Transpose(from.R));
  const Mat3 J = LeftJacobian(at * phi);
  const double angle = at * norm(phi);
  const Mat3 turned = angle > 0 ? RotationAbout(normalized(phi), angle) : Mat3{};
  return {Add(1, turned, -at, J * InverseLeftJacobian(-phi)),
          Add(at, J * InverseLeftJacobian(phi), 0, Mat3{})};
}

std::array<double, 12> EntriesOfTwist(const Pose& X, const PoseTwist& d) {
  const Mat3 half = Cross(0.5 * d.turn) * X.R;
  std::array<double, 12> out{};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out[static_cast<std::size_t>(4 * r + c)] = half(r, c);
    out[static_cast<std::size_t>(4 * r + 3)] = d.shift[r];
  }
  return out;
}

}  // namespace taxel::internal
