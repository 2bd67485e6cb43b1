#include "taxel/contact/column_room.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "taxel/math/interrupt.h"

namespace taxel::internal {
namespace {

// A ball may reach so far through the skin, as a part of its radius: facets lie inside of what they stand
// for.
constexpr double kThrough = 0.01;
constexpr int kHalvings = 12;

// The radius of the greatest ball: every smaller one that touches the skin there lies in it.
double Room(const std::function<double(const Vec3&)>& distance, const Column& c, double most) {
  const auto fits = [&](double r) { return distance(c.p - r * c.d) >= (1 - kThrough) * r; };
  if (fits(most)) return most;
  double in = 0, out = most;
  for (int i = 0; i < kHalvings; ++i) {
    const double r = 0.5 * (in + out);
    (fits(r) ? in : out) = r;
  }
  return in;
}

}  // namespace

void EndAtMiddle(const std::function<double(const Vec3&)>& distance, double thickness, ColumnSkin* skin) {
  Box3 box;
  for (const Column& c : skin->columns) box.Include(c.p);
  const double most = 0.5 * norm(box.size());
  double greatest = 0;
  for (Column& c : skin->columns) {
    CheckInterrupt();
    c.length = std::min(Room(distance, c, most), c.tight / (1 - kTightest));
    // Between two sides that are alike, a ball that reaches through the other by that much has its middle too
    // deep by half of it.
    if (thickness <= 0) greatest = std::max(greatest, distance(c.p - (1 - 0.5 * kThrough) * c.length * c.d));
  }
  if (thickness <= 0) thickness = greatest;
  for (Column& c : skin->columns) {
    c.length *= kRoomShare;
    c.modulus = c.length / thickness;
  }
}

}  // namespace taxel::internal
