// Fourier transforms of 40 complex numbers of which 20 are not 0, in the pieces that lanes share: 8 numbers
// five apart, then 5 numbers side by side. For host and device.
//
// With n = n1 + 5 n2 and k = 8 k1 + k2 (n1, k1 < 5; n2, k2 < 8) and w_N = exp(-2 pi i / N)
//     X[k] = sum over n1 of w_5^(n1 k1) w_40^(n1 k2) sum over n2 of w_8^(n2 k2) x[n1 + 5 n2]
// The inner sums of one n1 take the places n1 + 5 k2, the outer ones of one k2 the places k1 + 5 k2, so that
// every piece lies where it came from. Back the same with conjugate turns; nothing is divided by 40.
#pragma once

#include "taxel/math/triple.h"

namespace taxel::internal {

struct alignas(8) LayerComplex {
  float x = 0, y = 0;
};
TAXEL_HD inline LayerComplex operator+(LayerComplex a, LayerComplex b) { return {a.x + b.x, a.y + b.y}; }
TAXEL_HD inline LayerComplex operator-(LayerComplex a, LayerComplex b) { return {a.x - b.x, a.y - b.y}; }
TAXEL_HD inline LayerComplex operator*(LayerComplex a, LayerComplex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
TAXEL_HD inline LayerComplex operator*(float a, LayerComplex b) { return {a * b.x, a * b.y}; }
TAXEL_HD inline LayerComplex Conjugate(LayerComplex a) { return {a.x, -a.y}; }
TAXEL_HD inline LayerComplex TimesI(LayerComplex a) { return {-a.y, a.x}; }
/// a + s b
TAXEL_HD inline LayerComplex PlusTimes(LayerComplex a, float s, LayerComplex b) {
  return {a.x + s * b.x, a.y + s * b.y};
}

/// The place of the frequency k of 40 between the two kinds of pieces.
TAXEL_HD constexpr int FourierPlace(int k) { return k / 8 + k % 8 * 5; }

/// y[k] = sum of x[n] i^(+-n k): plus where kBack.
template <bool kBack>
TAXEL_HD inline void FourierFour(const LayerComplex x[4], LayerComplex y[4]) {
  const LayerComplex a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3],
                     d = kBack ? TimesI(x[1] - x[3]) : TimesI(x[3] - x[1]);
  y[0] = a + c, y[1] = b + d, y[2] = a - c, y[3] = b - d;
}

/// From the first four of eight numbers; the others are 0.
TAXEL_HD inline void FourierEight(const LayerComplex x[4], LayerComplex y[8]) {
  constexpr float h = 0.70710678118654752f;
  LayerComplex even[4], odd[4];
  const LayerComplex turned[4] = {x[0],
                                  {h * (x[1].x + x[1].y), h * (x[1].y - x[1].x)},
                                  {x[2].y, -x[2].x},
                                  {h * (x[3].y - x[3].x), -h * (x[3].x + x[3].y)}};
  FourierFour<false>(x, even);
  FourierFour<false>(turned, odd);
  for (int k = 0; k < 4; ++k) y[2 * k] = even[k], y[2 * k + 1] = odd[k];
}

/// Back to the first four of eight numbers.
TAXEL_HD inline void FourierEightBack(const LayerComplex y[8], LayerComplex x[4]) {
  constexpr float h = 0.70710678118654752f;
  const LayerComplex even[4] = {y[0], y[2], y[4], y[6]}, odd[4] = {y[1], y[3], y[5], y[7]};
  LayerComplex a[4], b[4];
  FourierFour<true>(even, a);
  FourierFour<true>(odd, b);
  x[0] = a[0] + b[0];
  x[1] = a[1] + LayerComplex{h * (b[1].x - b[1].y), h * (b[1].x + b[1].y)};
  x[2] = a[2] + TimesI(b[2]);
  x[3] = a[3] + LayerComplex{-h * (b[3].x + b[3].y), h * (b[3].x - b[3].y)};
}

/// In place; kBack: with conjugate turns.
template <bool kBack>
TAXEL_HD inline void FourierFive(LayerComplex x[5]) {
  constexpr float c1 = 0.30901699437494742f, c2 = -0.80901699437494742f, s1 = 0.95105651629515357f,
                  s2 = 0.58778525229247313f;
  const LayerComplex p = x[1] + x[4], q = x[2] + x[3], d = x[1] - x[4], e = x[2] - x[3];
  const LayerComplex a = PlusTimes(PlusTimes(x[0], c1, p), c2, q),
                     b = PlusTimes(PlusTimes(x[0], c2, p), c1, q);
  // -i times them for a transform, i times them back.
  const LayerComplex f = TimesI(PlusTimes(s1 * d, s2, e)), g = TimesI(PlusTimes(s2 * d, -s1, e));
  x[0] = x[0] + p + q;
  x[1] = kBack ? a + f : a - f;
  x[4] = kBack ? a - f : a + f;
  x[2] = kBack ? b + g : b - g;
  x[3] = kBack ? b - g : b + g;
}

}  // namespace taxel::internal
