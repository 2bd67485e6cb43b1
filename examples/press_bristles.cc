// A ball let down on a pad of 14 x 6 bristles that is tilted by 10 degrees: it sinks in until they carry its
// weight, and friction holds it. No engine: one body, stepped by hand.
#include <cmath>
#include <cstdio>

#include "taxel/bristle/bristle_pad.h"
#include "taxel/skin/layout.h"

int main() {
  // The same words as in MJCF and Python.
  const taxel::Description keys("pad", {{"stiffness", "300"}, {"depth", "0.012"}, {"friction", "0.6 0.5"}});
  const taxel::BristleOptions options = taxel::ReadBristles(keys);
  const taxel::Body box(taxel::Box{{0.0204, 0.0476, 0.006}}, {}), ball(taxel::Sphere{0.02}, {});
  const taxel::Layout grid = taxel::MakeLayout(taxel::Description("pad", {{"shape", "14 6"}}), box);
  taxel::BristlePad pad(taxel::BristlePoints(grid, options.depth), options);
  const taxel::ProbeTarget target(ball);

  const double mass = 0.2, step = 1e-4, g = 9.81, tilt = 10 * M_PI / 180;
  const taxel::Pose X_WP{taxel::RotationAbout({0, 1, 0}, tilt), {}};
  const taxel::Vec3 start = X_WP * taxel::Vec3{0, 0, 0.003 + 0.02};
  taxel::Vec3 p = start, v;
  taxel::PadReading reading;
  for (int i = 0; i < 20000; ++i) {
    // The ball does not turn here (think of it on a guide): only its velocity counts.
    pad.Press(target, X_WP, {{}, p}, {v, {}, {}}, step, &reading);
    v += (step / mass) * (reading.on_body.force + taxel::Vec3{0, 0, -mass * g});
    p += step * v;
  }
  double normal = 0, along = 0;
  for (int row = 13; row >= 0; --row) {
    for (int col = 0; col < 6; ++col) {
      normal += reading.normal[6 * row + col];
      along += reading.friction_P[6 * row + col].x;
      std::printf(" %5.3f", reading.normal[6 * row + col]);
    }
    std::printf("\n");
  }
  const taxel::Vec3 moved = taxel::TransposeMul(X_WP.R, p - start);
  std::printf("sank %.3f mm, %.4f mm downhill, speed %.1e m/s\n", -1e3 * moved.z, 1e3 * moved.x, norm(v));
  std::printf("bristles carry %.6f N against the weight %.6f N\n", reading.on_body.force.z, mass * g);
  return std::fabs(reading.on_body.force.z / (mass * g) - 1) < 1e-6 && norm(v) < 1e-9 && along > 0 ? 0 : 1;
}
