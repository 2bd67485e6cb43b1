#include "taxel/skin/crosstalk.h"

#include <algorithm>

#include "taxel/math/error.h"
#include "taxel/skin/neighbours.h"

namespace taxel {
using namespace internal;
namespace {

// Lists of neighbours from pairs.
class Links {
 public:
  explicit Links(int count) : lists_(static_cast<std::size_t>(count)) {}
  void Add(int a, int b) {
    lists_[a].push_back(b);
    lists_[b].push_back(a);
  }
  void Pack(std::vector<int>* begin, std::vector<int>* neighbour) {
    begin->assign(1, 0);
    for (std::vector<int>& list : lists_) {
      std::sort(list.begin(), list.end());
      neighbour->insert(neighbour->end(), list.begin(), list.end());
      begin->push_back(static_cast<int>(neighbour->size()));
    }
  }

 private:
  std::vector<std::vector<int>> lists_;
};

// A line of a grid: `count` taxels, `stride` apart in number. It closes when it is said to or when its ends
// are near.
void LinkLine(const Layout& layout, int first, int stride, int count, bool closes, Links* links) {
  double length = 0;
  for (int k = 0; k + 1 < count; ++k) {
    const int a = first + k * stride;
    links->Add(a, a + stride);
    length += norm(layout.points[a + stride] - layout.points[a]);
  }
  if (count < 3) return;
  const int last = first + (count - 1) * stride;
  const double gap = norm(layout.points[last] - layout.points[first]);
  if (closes || gap < 1.5 * length / (count - 1)) links->Add(first, last);
}

}  // namespace

Crosstalk::Crosstalk(const Layout& layout, double fraction, double row_fraction, const std::string& where)
    : fraction_(fraction), row_fraction_(row_fraction), count_(layout.count()) {
  const bool grid = layout.rows > 0 && layout.cols > 0;
  if (grid) rows_ = layout.rows, cols_ = layout.cols;
  if (row_fraction > 0 && !grid)
    throw Error(where + ": crosstalk_rows=" + ToText(row_fraction) +
                " needs a layout with rows and columns; this one has none: use crosstalk");
  if (fraction <= 0) return;
  Links links(count_);
  if (grid) {
    for (int r = 0; r < rows_; ++r) LinkLine(layout, r * cols_, 1, cols_, layout.wraps, &links);
    for (int c = 0; c < cols_; ++c) LinkLine(layout, c, cols_, rows_, false, &links);
  } else if (const double reach = 1.5 * MeanSpacing(layout.points); reach > 0) {
    const NearPoints near(layout.points, reach);
    for (int i = 0; i < count_; ++i)
      near.ForEach(i, [&](int j, double) {
        if (i < j && dot(layout.normals[i], layout.normals[j]) >= -1e-9) links.Add(i, j);
      });
  }
  links.Pack(&begin_, &neighbour_);
}

std::vector<int> Crosstalk::NeighboursOf(int taxel) const {
  if (begin_.empty()) return {};
  return {neighbour_.begin() + begin_[taxel], neighbour_.begin() + begin_[taxel + 1]};
}

void Crosstalk::Apply(const double* in, double* out) const {
  for (int i = 0; i < count_; ++i) {
    double sum = 0;
    if (fraction_ > 0)
      for (int e = begin_[i]; e < begin_[i + 1]; ++e) sum += in[neighbour_[e]];
    out[i] = in[i] + fraction_ * sum;
  }
  if (row_fraction_ > 0) AddRows(in, out);
}

// Sums of rows and columns first, so that the cost is that of the taxels.
void Crosstalk::AddRows(const double* in, double* out) const {
  const int others = rows_ + cols_ - 2;
  if (others == 0) return;
  const double factor = row_fraction_ / others;
  for (int r = 0; r < rows_; ++r) {
    double sum = 0;
    for (int c = 0; c < cols_; ++c) sum += in[r * cols_ + c];
    for (int c = 0; c < cols_; ++c) out[r * cols_ + c] += factor * (sum - in[r * cols_ + c]);
  }
  for (int c = 0; c < cols_; ++c) {
    double sum = 0;
    for (int r = 0; r < rows_; ++r) sum += in[r * cols_ + c];
    for (int r = 0; r < rows_; ++r) out[r * cols_ + c] += factor * (sum - in[r * cols_ + c]);
  }
}

}  // namespace taxel
