// A vector of float or double for kernels.
#pragma once

#include "taxel/math/vec3.h"

namespace taxel {

/// A vector of float or double, for host and device.
template <typename T>
struct Triple {
  T x = 0, y = 0, z = 0;
  friend TAXEL_HD Triple operator+(const Triple& a, const Triple& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend TAXEL_HD Triple operator-(const Triple& a, const Triple& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend TAXEL_HD Triple operator*(T s, const Triple& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend TAXEL_HD T Dot(const Triple& a, const Triple& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend bool operator==(const Triple&, const Triple&) = default;
};

}  // namespace taxel
