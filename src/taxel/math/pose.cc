#include "taxel/math/pose.h"

#include <algorithm>

namespace taxel {

Mat3 RotationAbout(const Vec3& axis, double angle) {
  const Vec3 k = normalized(axis);
  const double c = std::cos(angle), s = std::sin(angle), t = 1 - c;
  return {{c + t * k.x * k.x, t * k.x * k.y - s * k.z, t * k.x * k.z + s * k.y, t * k.x * k.y + s * k.z,
           c + t * k.y * k.y, t * k.y * k.z - s * k.x, t * k.x * k.z - s * k.y, t * k.y * k.z + s * k.x,
           c + t * k.z * k.z}};
}

Mat3 RotationFromQuaternion(double w, double x, double y, double z) {
  const double n = std::sqrt(w * w + x * x + y * y + z * z);
  w /= n, x /= n, y /= n, z /= n;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
           1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
           1 - 2 * (x * x + y * y)}};
}

double RotationDefect(const Mat3& R) {
  const Mat3 I = Transpose(R) * R;
  double worst = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) worst = std::max(worst, std::fabs(I(r, c) - (r == c ? 1.0 : 0.0)));
  const double det = dot(R.col(0), cross(R.col(1), R.col(2)));
  return std::max(worst, std::fabs(det - 1));
}

}  // namespace taxel
