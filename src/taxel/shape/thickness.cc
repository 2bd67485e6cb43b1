#include "taxel/shape/thickness.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/interrupt.h"
#include "taxel/math/pose.h"
#include "taxel/math/random.h"

namespace taxel::internal {
namespace {

constexpr double kOpposite = -0.8;  // cosine of 143 degrees

}  // namespace

Thickness MeasureThickness(const MeshDistance& surface, int samples) {
  const TriangleMesh& mesh = surface.mesh();
  const int n = static_cast<int>(mesh.triangles.size());
  std::vector<double> area_up_to(n);
  double total = 0;
  for (int t = 0; t < n; ++t) area_up_to[t] = total += norm(AreaNormal2(mesh, t));
  const double start = norm(BoundingBox(mesh).size());
  Thickness result;
  std::vector<double> between_walls;
  Ball best;
  for (int i = 0; i < samples; ++i) {
    CheckInterrupt();
    const double at = (i + RandomUniform(1, 3 * i)) / samples * total;
    const int t =
        std::min<int>(n - 1, std::upper_bound(area_up_to.begin(), area_up_to.end(), at) - area_up_to.begin());
    double u = RandomUniform(1, 3 * i + 1), v = RandomUniform(1, 3 * i + 2);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const Vec3 a = mesh.corner(t, 0);
    const Vec3 p = a + u * (mesh.corner(t, 1) - a) + v * (mesh.corner(t, 2) - a);
    const Vec3 normal = normalized(AreaNormal2(mesh, t));
    if (norm2(normal) == 0) continue;
    // The ball with centre p - r n touches p; the one that also touches q has r = |p - q|^2 / (2 n . (p -
    // q)).
    double r = start;
    int touched = -1;
    for (int round = 0; round < 40; ++round) {
      const auto closest = surface.ClosestPoint(p - r * normal);
      if (closest.distance >= (1 - 1e-4) * r) break;
      const Vec3 chord = p - closest.point;
      const double along = dot(normal, chord);
      if (!(along > 0)) break;
      r = norm2(chord) / (2 * along);
      touched = closest.triangle;
    }
    if (touched < 0) continue;
    if (r > best.radius) best = {p - r * normal, r};
    if (dot(normalized(AreaNormal2(mesh, touched)), normal) < kOpposite) between_walls.push_back(r);
  }
  if (best.radius > 0) result.greatest = GrowInscribedBall(surface, best.center, 0.5 * best.radius).radius;
  std::sort(between_walls.begin(), between_walls.end());
  const std::size_t tenth = static_cast<std::size_t>(samples) / 10;
  result.thin = between_walls.size() > tenth ? between_walls[tenth] : result.greatest;
  return result;
}

Ball GrowInscribedBall(const MeshDistance& surface, const Vec3& start, double step) {
  Ball ball{start, surface.ClosestPoint(start).distance};
  // On a ridge of the distance few directions lead up, so the 26 directions are turned in every round.
  for (int round = 0; round < 400 && step > 2e-4 * ball.radius; ++round) {
    CheckInterrupt();
    const double stride =
        std::min(step, 0.9 * ball.radius);  // stays inside the present ball, hence inside the body
    const Vec3 axis = normalized({RandomUniform(2, 4 * round) - 0.5, RandomUniform(2, 4 * round + 1) - 0.5,
                                  RandomUniform(2, 4 * round + 2) - 0.5});
    const Mat3 turn = RotationAbout(axis, 2 * M_PI * RandomUniform(2, 4 * round + 3));
    Ball best = ball;
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = -1; k <= 1; ++k) {
          if (i == 0 && j == 0 && k == 0) continue;
          const Vec3 p = ball.center + turn * (stride * normalized({1.0 * i, 1.0 * j, 1.0 * k}));
          const double d = surface.ClosestPoint(p).distance;
          if (d > best.radius) best = {p, d};
        }
    if (best.radius <= ball.radius * (1 + 1e-9)) step *= 0.5;
    ball = best;
  }
  return ball;
}

}  // namespace taxel::internal
