// What colour a slope of the gel has: a table over the surface normal, with a polynomial of the place in the
// image at each node, fitted to photos.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "taxel/math/vec3.h"

namespace taxel {

/// Monomials of the place (x, y), each in [-1, 1] across the image: 1, x, y, x^2, x y, y^2.
inline constexpr int kPlaceTerms = 6;
inline constexpr int kColours = 3;

/// Colour differences to the untouched image, in grey levels.
///
/// A node (i, j) of the square table stands for the normal with tangential parts
///   (nx, ny) = (-1 + 2 i / (nodes-1), -1 + 2 j / (nodes-1)),   n = (sx, sy) / sqrt(1 + sx^2 + sy^2),
/// where s is the slope of the height towards the camera (SlopeAt). The flat gel is the middle node (nodes is
/// odd), and there is no seam and no pole, as bins of magnitude and direction have them.
struct PhotometricTable {
  int nodes = 0;
  std::vector<float> values;  ///< (nodes of ny, nodes of nx, kPlaceTerms, kColours)

  static PhotometricTable Flat(int nodes);
};

/// Error unless nodes is odd, at least 3, and the values are finite, as many as stated, and zero for the flat
/// gel.
void CheckTable(const PhotometricTable& table);

/// The two entries beside a coordinate in [-1, 1] and the weight of the second one; outside it is clamped,
/// and what is no number is the first.
TAXEL_HD inline void TableCell(int nodes, float n, int* first, float* weight) {
  float u = 0.5f * (n + 1.0f) * static_cast<float>(nodes - 1);
  u = u > 0 ? (u > static_cast<float>(nodes - 1) ? static_cast<float>(nodes - 1) : u) : 0;  // NaN: 0
  int i = static_cast<int>(u);
  if (i > nodes - 2) i = nodes - 2;
  *first = i;
  *weight = u - static_cast<float>(i);
}

/// Tangential part of the unit normal of a slope.
TAXEL_HD inline void NormalOfSlope(float sx, float sy, float* nx, float* ny) {
  const float scale = 1.0f / std::sqrt(1.0f + sx * sx + sy * sy);
  *nx = sx * scale;
  *ny = sy * scale;
}

/// Colour difference at the normal (nx, ny) and the place (x, y): bilinear between the nodes.
TAXEL_HD inline void LookUpColour(const float* values, int nodes, float nx, float ny, float x, float y,
                                  float colour[kColours]) {
  int i, j;
  float u, v;
  TableCell(nodes, nx, &i, &u);
  TableCell(nodes, ny, &j, &v);
  const float terms[kPlaceTerms] = {1.0f, x, y, x * x, x * y, y * y};
  const float weights[4] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
  const std::size_t node = kPlaceTerms * kColours;
  const float* corner = values + (static_cast<std::size_t>(j) * nodes + i) * node;
  const float* corners[4] = {corner, corner + node, corner + nodes * node, corner + (nodes + 1) * node};
  colour[0] = colour[1] = colour[2] = 0;
  for (int k = 0; k < 4; ++k)
    for (int t = 0; t < kPlaceTerms; ++t) {
      const float w = weights[k] * terms[t];
      for (int c = 0; c < kColours; ++c) colour[c] += w * corners[k][t * kColours + c];
    }
}

/// Least squares for the table: minimises
///   sum over pixels  weight |colour - table(n, place)|^2
///   + smoothing * sum over nodes |second differences along nx and ny|^2  +  ridge * sum |terms of the
///   place|^2,
/// the flat node held at zero. Smoothing fills normals that no photo shows, straight on from their
/// neighbours; the ridge keeps the table free of places that no photo shows.
class PhotometricFit {
 public:
  /// Error unless nodes is odd, 5 to 101.
  explicit PhotometricFit(int nodes);
  int nodes() const { return nodes_; }
  /// One pixel of a photo.
  void Add(float nx, float ny, float x, float y, const float colour[kColours], float weight);
  /// How much weight of pixels lies at each node (nodes x nodes, ny first).
  const std::vector<double>& coverage() const { return coverage_; }
  /// Error unless smoothing and ridge are positive.
  PhotometricTable Solve(double smoothing, double ridge) const;

 private:
  int nodes_, unknowns_, band_;
  std::vector<double> matrix_;  // lower band, one row an unknown: (unknown, band + 1), the diagonal last
  std::vector<double> rhs_;     // (unknown, kColours)
  std::vector<double> coverage_;
};

}  // namespace taxel
