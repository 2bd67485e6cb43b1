// The law of a column in series with that of what it meets.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "taxel/field/stiffening.h"
#include "taxel/math/dual.h"

namespace taxel::internal {

// A body that is deeper than so many lengths is taken to be as deep: it has passed the bone, and what is
// beyond is the core's.
inline constexpr double kDeepest = 2;

// The laws of a column and of what it meets, in series: overlap D, compression z of the column, pressure p,
// linear between knots.
template <typename T>
struct Series {
  static constexpr int kMax = 16;
  int n = 0;
  T D[kMax + 1], z[kMax + 1], p[kMax + 1];

  void Add(const T& overlap, const T& compression, const T& pressure) {
    D[n] = overlap, z[n] = compression, p[n++] = pressure;
  }
};

// A body's law times a factor of its modulus: 1, of a column its own, and free to vary.
template <typename T>
struct VariedLaw {
  const std::vector<Layer>& layers;
  T stiffer;

  T Slope(std::size_t i) const { return layers[i].slope * stiffer; }
  T Offset(std::size_t i) const { return layers[i].offset * stiffer; }
  // Pressure where a layer ends.
  T End(std::size_t i) const {
    if (std::isinf(layers[i].u1)) return std::numeric_limits<double>::infinity();
    return Slope(i) * layers[i].u1 + Offset(i);
  }
};

// `give`: how far S gives way along the column where its normalised depth rises by 1, m; 0: rigid. Knots
// beyond the first that holds an overlap of `most` are not made.
template <typename T>
void MakeSeries(const VariedLaw<T>& law, const T& length, const VariedLaw<T>& other, const T& give,
                const T& most, Series<T>* out) {
  out->n = 0;
  out->Add(0, 0, 0);
  const T last = law.Slope(law.layers.size() - 1) * kDeepest + law.Offset(law.layers.size() - 1);
  T p = 0;
  std::size_t i = 0, j = 0;
  while (p < last && out->n < Series<T>::kMax && out->D[out->n - 1] < most) {
    // The next knot of either law.
    while (i + 1 < law.layers.size() && law.End(i) <= p) ++i;
    T next = std::min(last, law.End(i));
    if (give > 0) {
      while (j + 1 < other.layers.size() && other.End(j) <= p) ++j;
      next = std::min(next, other.End(j));
    }
    p = next;
    const T z = (p - law.Offset(i)) / law.Slope(i) * length;
    const T w = give > 0 ? (p - other.Offset(j)) / other.Slope(j) * give : T(0);
    out->Add(z + w, z, p);
  }
}

}  // namespace taxel::internal
