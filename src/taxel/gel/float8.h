// Eight or four floats at once, through the compiler's vector types. For inner loops in source files only.
#pragma once

#include <cstdint>
#include <cstring>

namespace taxel::internal {

using Float8 = float __attribute__((vector_size(32)));
using Int8 = std::int32_t __attribute__((vector_size(32)));
using Float4 = float __attribute__((vector_size(16)));

template <typename V>
inline V LoadAs(const float* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <typename V>
inline void StoreAs(const V& v, float* p) {
  std::memcpy(p, &v, sizeof v);
}
inline Float8 All8(float s) { return Float8{s, s, s, s, s, s, s, s}; }
/// (a, b)
inline Float8 Join(const Float4& a, const Float4& b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
inline Float4 Low(const Float8& v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
inline Float4 High(const Float8& v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
inline Float8 Abs(const Float8& v) { return v < 0 ? -v : v; }

/// Greatest integer not above v, for |v| < 2^31.
inline Int8 Floor(const Float8& v) {
  const Int8 cut = __builtin_convertvector(v, Int8);
  return cut + (__builtin_convertvector(cut, Float8) > v);  // true is -1
}

/// Four rows of eight to eight rows of four: out[k] = (row0[k], row1[k], row2[k], row3[k]).
inline void Transpose(const Float8& a, const Float8& b, const Float8& c, const Float8& d, float* out) {
  const Float8 t0 = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  const Float8 t1 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const Float8 t2 = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const Float8 t3 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  const Float8 r0 = __builtin_shufflevector(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13);  // particles 0, 4
  const Float8 r1 = __builtin_shufflevector(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15);
  const Float8 r2 = __builtin_shufflevector(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13);
  const Float8 r3 = __builtin_shufflevector(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15);
  StoreAs(__builtin_shufflevector(r0, r1, 0, 1, 2, 3, 8, 9, 10, 11), out);
  StoreAs(__builtin_shufflevector(r2, r3, 0, 1, 2, 3, 8, 9, 10, 11), out + 8);
  StoreAs(__builtin_shufflevector(r0, r1, 4, 5, 6, 7, 12, 13, 14, 15), out + 16);
  StoreAs(__builtin_shufflevector(r2, r3, 4, 5, 6, 7, 12, 13, 14, 15), out + 24);
}

/// The first three rows of the inverse: in[8][4] to three vectors of eight.
inline void TransposeBack(const float* in, Float8* a, Float8* b, Float8* c) {
  const Float8 r04 = Join(LoadAs<Float4>(in), LoadAs<Float4>(in + 16));
  const Float8 r15 = Join(LoadAs<Float4>(in + 4), LoadAs<Float4>(in + 20));
  const Float8 r26 = Join(LoadAs<Float4>(in + 8), LoadAs<Float4>(in + 24));
  const Float8 r37 = Join(LoadAs<Float4>(in + 12), LoadAs<Float4>(in + 28));
  const Float8 t0 = __builtin_shufflevector(r04, r15, 0, 8, 1, 9, 4, 12, 5, 13);  // x0 x1 y0 y1 | x4 x5 y4 y5
  const Float8 t1 = __builtin_shufflevector(r04, r15, 2, 10, 3, 11, 6, 14, 7, 15);  // z0 z1 w0 w1 | ...
  const Float8 t2 = __builtin_shufflevector(r26, r37, 0, 8, 1, 9, 4, 12, 5, 13);
  const Float8 t3 = __builtin_shufflevector(r26, r37, 2, 10, 3, 11, 6, 14, 7, 15);
  *a = __builtin_shufflevector(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13);
  *b = __builtin_shufflevector(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15);
  *c = __builtin_shufflevector(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13);
}

}  // namespace taxel::internal
