// A ball pressed into a pad of silicone and then drawn along it: the elastic gel of particles, without an
// engine.
#include <cmath>
#include <cstdio>

#include "taxel/gel/fill.h"
#include "taxel/gel/gel_solver.h"
#include "taxel/gel/skin_points.h"

int main() {
  const taxel::SolidShape pad(taxel::Box{{0.012, 0.016, 0.004}});
  taxel::GelOptions options;
  options.cell = 0.8e-3;
  options.material = {2e5, 0.45, 1000};
  options.damping = M_PI * options.material.shear_speed() / 0.004;  // near critical: for slow presses
  options.threads = 2;
  const taxel::Filling filling = taxel::FillLattice(pad, options.cell / 2);
  taxel::GelSolver gel(options, filling.points, filling.volume_per_point());

  // Points of the top can be touched, those of the back are glued to the hand.
  const taxel::SkinPoints skin = taxel::SampleSkin(pad, options.cell / 2);
  std::vector<taxel::Vec3> top, back;
  for (const int k : taxel::PointsFacing(skin, {0, 0, 1}, 0.1)) top.push_back(skin.points[k]);
  for (const int k : taxel::PointsFacing(skin, {0, 0, -1}, 0.1)) back.push_back(skin.points[k]);
  gel.SetSkin(top, back);

  const double radius = 0.006;
  const auto ball = [&](double x, double depth) { return taxel::Pose{{}, {x, 0, 0.002 + radius - depth}}; };
  gel.SetObjects({{taxel::MarkerDistance(taxel::Primitive{taxel::Sphere{radius}}), ball(0, -1e-5), 0.4}});
  // Far below the speed of a shear wave, from rest to rest, and then until the waves have died down.
  const auto go = [&](double x, double depth, double way) {
    const double speed = 0.05 * options.material.shear_speed();
    gel.Advance(static_cast<int>(1.875 * way / (speed * gel.dt())), {ball(x, depth)}, {}, true);
    gel.Advance(static_cast<int>(4 * 0.004 / (options.material.shear_speed() * gel.dt())));
    return gel.loads()[0].force;
  };
  const taxel::Vec3 pressed = go(0, 0.4e-3, 0.41e-3);
  std::printf("%zu particles, dt %.1f us, CFL %.2f\n", gel.size(), 1e6 * gel.dt(), gel.cfl());
  std::printf("pressed by 0.4 mm: %.4f N, the hand feels %.4f N, Mach %.5f\n", pressed.z,
              gel.hand_load().force.z, gel.mach());
  const taxel::Vec3 drawn = go(1.2e-3, 0.4e-3, 1.2e-3);
  std::printf("drawn by 1.2 mm: friction %.3f of the pressure\n", -drawn.x / drawn.z);
  return pressed.z > 0.1 && std::fabs(gel.hand_load().force.z + drawn.z) < 0.02 * drawn.z &&
                 -drawn.x > 0.3 * drawn.z
             ? 0
             : 1;
}
