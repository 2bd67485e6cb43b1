#include "taxel/skin/point_spread.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"
#include "taxel/skin/neighbours.h"

namespace taxel {
using namespace internal;

PointSpread::PointSpread(const Layout& layout, double sigma, const std::string& where) {
  if (sigma <= 0) return;
  const int n = layout.count();
  const NearPoints near(layout.points, 4 * sigma);
  begin_.push_back(0);
  for (int i = 0; i < n; ++i) {
    from_.push_back(i);
    weight_.push_back(1);
    if (layout.areas[i] > 0)
      near.ForEach(i, [&](int j, double distance) {
        // The margin keeps the faces of a box together or apart whatever the rounding.
        if (layout.areas[j] <= 0 || dot(layout.normals[i], layout.normals[j]) < -1e-9) return;
        const double x = distance / sigma;
        from_.push_back(j);
        weight_.push_back(std::exp(-0.5 * x * x));
      });
    if (from_.size() > kMaxEntries)
      throw Error(where + ": spread=" + ToText(sigma) + " m mixes more than " + std::to_string(kMaxEntries) +
                  " pairs of the " + std::to_string(n) + " taxels; it is a length in m: make it shorter");
    begin_.push_back(from_.size());
  }
  Balance(layout.areas);
}

void PointSpread::Balance(const std::vector<double>& areas) {
  const std::size_t n = begin_.size() - 1;
  const auto area = [&](std::size_t i) {
    return areas[i] > 0 ? areas[i] : 1.0;
  };  // alone in its row: any will do
  std::vector<double> d(n), row(n);
  for (std::size_t i = 0; i < n; ++i) d[i] = 1 / std::sqrt(area(i));
  // The square root makes each round halve the error or better, the Gaussian having no negative eigenvalues.
  for (int round = 0; round < 200; ++round) {
    double defect = 0;
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = 0;
      for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e)
        row[i] += weight_[e] * area(from_[e]) * d[from_[e]];
      defect = std::max(defect, std::fabs(d[i] * row[i] - 1));
    }
    if (defect < 1e-14) break;
    for (std::size_t i = 0; i < n; ++i) d[i] = std::sqrt(d[i] / row[i]);
  }
  std::vector<double> load(n, 0.0);  // where the load of a cell goes, summed
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) {
      weight_[e] *= d[i] * d[from_[e]] * area(from_[e]);
      load[from_[e]] += weight_[e] * area(i) / area(from_[e]);
    }
  // What the rounds left over goes to uniformity, not to the load.
  for (std::size_t e = 0; e < from_.size(); ++e) weight_[e] /= load[from_[e]];
}

void PointSpread::Apply(const double* pressure, double* spread) const {
  for (std::size_t i = 0; i + 1 < begin_.size(); ++i) {
    double sum = 0;
    for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) sum += weight_[e] * pressure[from_[e]];
    spread[i] = sum;
  }
}

}  // namespace taxel
