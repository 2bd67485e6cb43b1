// Four doubles at once, through the compiler's vector types (GCC, Clang). For inner loops in source files
// only.
#pragma once

#include <cstdint>
#include <cstring>

#include "taxel/math/vec3.h"

namespace taxel::internal {

using Lanes = double __attribute__((vector_size(32)));
using LaneMask = std::int64_t __attribute__((vector_size(32)));

inline Lanes LoadLanes(const double* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline Lanes LoadLanes(const float* p) {
  using Floats = float __attribute__((vector_size(16)));
  Floats f;
  std::memcpy(&f, p, sizeof f);
  return __builtin_convertvector(f, Lanes);
}
inline void StoreLanes(const Lanes& v, double* p) { std::memcpy(p, &v, sizeof v); }
inline Lanes AllLanes(double s) { return Lanes{s, s, s, s}; }
/// (x, y, z, 0)
inline Lanes ToLanes(const Vec3& v) { return Lanes{v.x, v.y, v.z, 0}; }
inline Lanes AbsLanes(const Lanes& v) { return v < 0 ? -v : v; }

/// Bit k is set when lane k of a comparison is true.
inline int Bits(const LaneMask& m) {
#if defined(__AVX__)
  Lanes d;
  std::memcpy(&d, &m, sizeof d);
  return __builtin_ia32_movmskpd256(d);
#else
  return (m[0] != 0) | (m[1] != 0) << 1 | (m[2] != 0) << 2 | (m[3] != 0) << 3;
#endif
}

}  // namespace taxel::internal
