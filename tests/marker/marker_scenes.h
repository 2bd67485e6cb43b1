// Shared by the tests of markers: a flat pad with a grid of markers, and paths of an indenter.
#pragma once

#include <cmath>
#include <vector>

#include "taxel/marker/marker_field.h"
#include "taxel/math/random.h"

namespace taxel::test {
using namespace internal;

/// Box of 20.75 x 25.25 x 4 mm about the origin: its face is z = 2 mm.
inline MarkerDistance FlatPad() { return MarkerDistance(Primitive{Box{{20.75e-3, 25.25e-3, 4e-3}}}); }

inline std::vector<Vec3> Grid(int rows = 9, int cols = 7) {
  std::vector<Vec3> out;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      out.push_back({1.84375e-3 * (c - 0.5 * (cols - 1)), 1.84375e-3 * (r - 0.5 * (rows - 1)), 2e-3});
  return out;
}

inline MarkerIndenter Ball(double radius = 8e-3, double spacing = 0.9e-3) {
  return SampleIndenter(Body(Sphere{radius}, {}), spacing, 5);
}

/// Into the gel and out, twice, with turns and slides of random size; a ball of radius 8 mm.
inline std::vector<Pose> RandomPath(std::uint64_t seed, int steps = 60) {
  std::vector<Pose> out;
  Pose X{{}, {0, 0, 11e-3}};
  std::uint64_t n = 0;
  const auto draw = [&] { return 2 * RandomUniform(seed, n++) - 1; };
  for (int i = 0; i < steps; ++i) {
    const double size = i % 3 == 0 ? 2e-4 : 2e-5;
    X.R = RotationAbout(normalized({draw(), draw(), draw()}), 60 * size * draw()) * X.R;
    X.p.x += size * draw(), X.p.y += size * draw();
    X.p.z = 9.6e-3 - 0.6e-3 * std::sin(4 * 3.14159 * i / steps - 0.6) + 1e-5 * draw();
    out.push_back(X);
  }
  return out;
}

}  // namespace taxel::test
