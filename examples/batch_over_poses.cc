// Rolls a cylinder over a tactile pad: a thousand poses in one call, on all threads and on one.
#include <cmath>
#include <cstdio>
#include <vector>

#include "taxel/batch/contact_batch.h"

int main() {
  taxel::BodyOptions pad_options;
  pad_options.name = "pad";
  pad_options.modulus = 3e4;
  pad_options.field.kind = taxel::FieldKind::kBacked;  // glued to something stiff
  const taxel::Body pad(taxel::Box{{0.08, 0.08, 0.018}}, pad_options);
  const taxel::Body cylinder(taxel::Cylinder{0.0225, 0.15}, {});

  const int count = 1000;
  const double depth = 0.002, top = 0.009;
  std::vector<taxel::Pose> X_WC(count);
  const taxel::Mat3 lying = taxel::RotationAbout({0, 1, 0}, M_PI / 2);
  for (int i = 0; i < count; ++i) {
    const double y = -0.01 + 0.02 * i / (count - 1);
    X_WC[i].R = taxel::RotationAbout({1, 0, 0}, -y / 0.0225) * lying;  // rolls without slip
    X_WC[i].p = {0, y, top + 0.0225 - depth};
  }
  // One pose for the pad: it stands still.
  const auto all = taxel::ContactBatch(pad, {taxel::Pose{}}, cylinder, X_WC);
  const auto one = taxel::ContactBatch(pad, {taxel::Pose{}}, cylinder, X_WC, {}, 1);

  double low = all[0].normal_force, high = low;
  bool same = true;
  for (int i = 0; i < count; ++i) {
    low = std::fmin(low, all[i].normal_force);
    high = std::fmax(high, all[i].normal_force);
    same = same && all[i].wrench_on_A.force == one[i].wrench_on_A.force && all[i].area == one[i].area;
  }
  std::printf("%d poses: force %.4f to %.4f N (spread %.3f %%), centre of pressure y from %.4f to %.4f m\n",
              count, low, high, 100 * (high - low) / high, all.front().center_of_pressure.y,
              all.back().center_of_pressure.y);
  std::printf("same bits on one thread and on all: %s\n", same ? "yes" : "no");
  // A round body on an even pad: the force must not depend on where it rolls.
  return same && low > 0 && (high - low) / high < 0.005 ? 0 : 1;
}
