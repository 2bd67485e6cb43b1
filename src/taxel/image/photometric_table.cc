#include "taxel/image/photometric_table.h"

#include <algorithm>
#include <string>

#include "taxel/math/error.h"

namespace taxel {

PhotometricTable PhotometricTable::Flat(int nodes) {
  PhotometricTable table;
  table.nodes = nodes;
  table.values.assign(static_cast<std::size_t>(nodes) * nodes * kPlaceTerms * kColours, 0.0f);
  return table;
}

void CheckTable(const PhotometricTable& table) {
  if (table.nodes < 3 || table.nodes % 2 == 0)
    throw Error("photometric table: " + std::to_string(table.nodes) +
                " nodes a side; give an odd number from 3, so that the flat gel is a node");
  const std::size_t wanted = static_cast<std::size_t>(table.nodes) * table.nodes * kPlaceTerms * kColours;
  if (table.values.size() != wanted)
    throw Error("photometric table: " + std::to_string(table.values.size()) + " values where " +
                std::to_string(wanted) + " are needed (nodes, nodes, 6, 3)");
  for (const float v : table.values)
    if (!std::isfinite(v)) throw Error("photometric table: a value is not a finite number");
  const std::size_t flat = (wanted - kPlaceTerms * kColours) / 2;
  for (int t = 0; t < kPlaceTerms * kColours; ++t)
    if (table.values[flat + t] != 0)
      throw Error(
          "photometric table: the middle node, which is the flat gel, must be zero: it has no colour");
}

PhotometricFit::PhotometricFit(int nodes) : nodes_(nodes) {
  if (nodes < 5 || nodes > 101 || nodes % 2 == 0)
    throw Error("photometric fit: " + std::to_string(nodes) +
                " nodes a side; give an odd number from 5 to 101");
  unknowns_ = nodes * nodes * kPlaceTerms;
  // Second differences along ny tie nodes two rows apart.
  band_ = 2 * nodes * kPlaceTerms;
  matrix_.assign(static_cast<std::size_t>(unknowns_) * (band_ + 1), 0.0);
  rhs_.assign(static_cast<std::size_t>(unknowns_) * kColours, 0.0);
  coverage_.assign(static_cast<std::size_t>(nodes) * nodes, 0.0);
}

void PhotometricFit::Add(float nx, float ny, float x, float y, const float colour[kColours], float weight) {
  int i, j;
  float u, v;
  TableCell(nodes_, nx, &i, &u);
  TableCell(nodes_, ny, &j, &v);
  const double terms[kPlaceTerms] = {1.0, x, y, double(x) * x, double(x) * y, double(y) * y};
  const double weights[4] = {(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, double(u) * v};
  const int node[4] = {j * nodes_ + i, j * nodes_ + i + 1, (j + 1) * nodes_ + i, (j + 1) * nodes_ + i + 1};
  for (int a = 0; a < 4; ++a) {
    coverage_[node[a]] += weight * weights[a];
    for (int s = 0; s < kPlaceTerms; ++s) {
      const int row = node[a] * kPlaceTerms + s;
      const double f = weight * weights[a] * terms[s];
      double* entries = matrix_.data() + static_cast<std::size_t>(row) * (band_ + 1) + band_ - row;
      for (int b = 0; b <= a; ++b)
        for (int t = 0; t < (b == a ? s + 1 : kPlaceTerms); ++t)
          entries[node[b] * kPlaceTerms + t] += f * weights[b] * terms[t];
      for (int c = 0; c < kColours; ++c) rhs_[static_cast<std::size_t>(row) * kColours + c] += f * colour[c];
    }
  }
}

PhotometricTable PhotometricFit::Solve(double smoothing, double ridge) const {
  if (!(smoothing > 0) || !(ridge > 0))
    throw Error("photometric fit: smoothing " + ToText(smoothing) + " and ridge " + ToText(ridge) +
                " must be positive; without them nodes that no pixel shows have no value");
  std::vector<double> m = matrix_, q = rhs_;
  const int w = band_ + 1;
  const auto at = [&](int row, int col) -> double& {
    return m[static_cast<std::size_t>(row) * w + band_ - (row - col)];
  };
  const double stencil[3] = {1, -2, 1};
  for (int j = 0; j < nodes_; ++j)
    for (int i = 0; i < nodes_; ++i)
      for (int axis = 0; axis < 2; ++axis) {
        if ((axis == 0 ? i : j) + 2 >= nodes_) continue;
        const int start = j * nodes_ + i, stride = axis == 0 ? 1 : nodes_;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b <= a; ++b)
            for (int t = 0; t < kPlaceTerms; ++t)
              at((start + a * stride) * kPlaceTerms + t, (start + b * stride) * kPlaceTerms + t) +=
                  smoothing * stencil[a] * stencil[b];
      }
  const int flat = (nodes_ / 2) * nodes_ + nodes_ / 2;
  double largest = 0;
  for (int k = 0; k < unknowns_; ++k) {
    at(k, k) += k % kPlaceTerms == 0 ? 1e-6 * ridge : ridge;
    largest = std::max(largest, at(k, k));
  }
  for (int t = 0; t < kPlaceTerms; ++t) {
    at(flat * kPlaceTerms + t, flat * kPlaceTerms + t) += 1e6 * largest;
    for (int c = 0; c < kColours; ++c) q[static_cast<std::size_t>(flat * kPlaceTerms + t) * kColours + c] = 0;
  }
  // Cholesky in the band: m = L L^T, then both triangles.
  for (int row = 0; row < unknowns_; ++row) {
    const int first = std::max(0, row - band_);
    double* r = m.data() + static_cast<std::size_t>(row) * w + band_ - row;
    for (int col = first; col <= row; ++col) {
      const double* o = m.data() + static_cast<std::size_t>(col) * w + band_ - col;
      double sum = r[col];
      for (int k = std::max(first, col - band_); k < col; ++k) sum -= r[k] * o[k];
      r[col] = col == row ? std::sqrt(sum) : sum / o[col];
    }
    for (int c = 0; c < kColours; ++c) {
      double sum = q[static_cast<std::size_t>(row) * kColours + c];
      for (int k = first; k < row; ++k) sum -= r[k] * q[static_cast<std::size_t>(k) * kColours + c];
      q[static_cast<std::size_t>(row) * kColours + c] = sum / r[row];
    }
  }
  for (int row = unknowns_ - 1; row >= 0; --row) {
    const int first = std::max(0, row - band_);
    const double* r = m.data() + static_cast<std::size_t>(row) * w + band_ - row;
    for (int c = 0; c < kColours; ++c) {
      const double value = q[static_cast<std::size_t>(row) * kColours + c] / r[row];
      q[static_cast<std::size_t>(row) * kColours + c] = value;
      for (int k = first; k < row; ++k) q[static_cast<std::size_t>(k) * kColours + c] -= r[k] * value;
    }
  }
  PhotometricTable table = PhotometricTable::Flat(nodes_);
  for (std::size_t k = 0; k < q.size(); ++k) table.values[k] = static_cast<float>(q[k]);
  for (int t = 0; t < kPlaceTerms * kColours; ++t)
    table.values[static_cast<std::size_t>(flat) * kPlaceTerms * kColours + t] = 0;
  return table;
}

}  // namespace taxel
