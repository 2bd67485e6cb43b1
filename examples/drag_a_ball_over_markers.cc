// Presses a ball into the gel of a camera-based sensor, drags it, and prints where the markers go.
#include <cmath>
#include <cstdio>

#include "taxel/marker/taxel_field.h"

int main() {
  const taxel::GelPad gel(taxel::MarkerDistance(taxel::Primitive{taxel::Box{{0.02075, 0.02525, 0.004}}}));
  std::vector<taxel::Vec3> markers;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 7; ++c) markers.push_back({1.84375e-3 * (c - 3), 1.84375e-3 * (r - 4), 0.002});
  const taxel::Body ball(taxel::Sphere{0.0175}, {});
  taxel::TaxelField field(gel, markers, {taxel::SampleCellMiddles(ball, 0.75e-3, 0)}, {}, 1);

  taxel::TaxelReading reading;
  const double above = 0.002 + 0.0175;  // the ball's centre when it just touches
  for (int i = 0; i <= 10; ++i) field.Step({{{}, {0, 0, above + 1e-4 * (1 - i)}}}, 0, nullptr, &reading);
  for (int i = 1; i <= 10; ++i) field.Step({{{}, {5e-5 * i, 0, above - 9e-4}}}, 0, nullptr, &reading);

  const taxel::Vec3 middle = reading.displacement[31], force = reading.force_P;
  std::printf("0.9 mm deep, dragged by 0.5 mm: the marker in the middle moves by (%.2f, %.2f) px\n", middle.x,
              middle.y);
  std::printf("force on the gel (%.2f, %.2f, %.2f) N at %zu points\n", force.x, force.y, force.z,
              reading.points_P.size());
  return middle.x > 1 && std::fabs(middle.y) < 0.5 && force.x > 0.5 && force.z < -2 ? 0 : 1;
}
