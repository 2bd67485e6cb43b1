// Presses a soft sphere onto a rigid plate and compares the force with the closed form.
#include <cmath>
#include <cstdio>

#include "taxel/contact/contact.h"

int main() {
  const double R = 0.05, E = 1e5;  // m, Pa
  taxel::BodyOptions soft;
  soft.modulus = E;
  const taxel::Body sphere(taxel::Sphere{R}, soft);
  const taxel::Body plate(taxel::HalfSpace{}, {});  // no modulus: rigid

  bool good = true;
  std::printf("depth mm   force N   closed form   error     area cm2   greatest kPa\n");
  for (const double d : {0.001, 0.002, 0.005, 0.010}) {
    taxel::Pose X_WS;  // pose of the sphere S in the world W; the plate's top is z = 0
    X_WS.p = {0.01, -0.02, R - d};
    const taxel::ContactSurface surface = taxel::ComputeContact(sphere, X_WS, plate, taxel::Pose{});

    // p = E (1 - r/R) on the disc r^2 = h^2 + rho^2, h = R - d, integrated over it.
    const double h = R - d, a2 = R * R - h * h;
    const double exact = 2 * M_PI * E * (a2 / 2 - (R * R * R - h * h * h) / (3 * R));
    const double force = surface.wrench_on_A.force.z;  // the plate pushes the sphere up
    const double error = force / exact - 1;
    std::printf("%8.1f %9.5f %13.5f %+8.3f %% %9.3f %14.3f\n", 1e3 * d, force, exact, 100 * error,
                1e4 * surface.area, 1e-3 * surface.max_pressure);
    good = good && std::fabs(error) < 0.01;
  }
  return good ? 0 : 1;
}
