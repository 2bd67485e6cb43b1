#include "taxel/batch/point_order.h"

#include <algorithm>
#include <numeric>

namespace taxel::internal {
namespace {

void Split(const std::vector<Vec3>& points, int group, int* first, int* last) {
  const int n = static_cast<int>(last - first);
  if (n <= group) return;
  Vec3 lo = points[static_cast<std::size_t>(*first)], hi = lo;
  for (int* i = first; i != last; ++i) {
    lo = cwise_min(lo, points[static_cast<std::size_t>(*i)]);
    hi = cwise_max(hi, points[static_cast<std::size_t>(*i)]);
  }
  const Vec3 size = hi - lo;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const int groups = (n + group - 1) / group;
  int* middle = first + groups / 2 * group;
  std::nth_element(first, middle, last, [&](int a, int b) {
    const double x = points[static_cast<std::size_t>(a)][axis], y = points[static_cast<std::size_t>(b)][axis];
    return x < y || (x == y && a < b);
  });
  Split(points, group, first, middle);
  Split(points, group, middle, last);
}

}  // namespace

std::vector<int> GroupOrder(const std::vector<Vec3>& points, int group) {
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  Split(points, group, order.data(), order.data() + order.size());
  // Within a group by index, whatever the halving did.
  for (std::size_t i = 0; i < order.size(); i += static_cast<std::size_t>(group))
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(i),
              order.begin() +
                  static_cast<std::ptrdiff_t>(std::min(order.size(), i + static_cast<std::size_t>(group))));
  return order;
}

}  // namespace taxel::internal
