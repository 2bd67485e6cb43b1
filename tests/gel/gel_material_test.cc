// Cases: the moduli give E and nu back; the wave speeds are those of a bar without side motion and of shear;
// every wrong value is refused with its name and range.
#include "taxel/gel/gel_material.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

TEST(GelMaterial, ModuliGiveYoungAndPoissonBack) {
  for (const double nu : {0.0, 0.2, 0.45, 0.4999}) {
    const GelMaterial m{1.7e5, nu, 1070};
    const double mu = m.mu(), lambda = m.lambda();
    EXPECT_NEAR(mu * (3 * lambda + 2 * mu) / (lambda + mu), 1.7e5, 1e-6 * 1.7e5);
    EXPECT_NEAR(lambda / (2 * (lambda + mu)), nu, 1e-12);
    const double oedometer = 1.7e5 * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    EXPECT_NEAR(m.wave_speed() * m.wave_speed() * 1070, oedometer, 1e-9 * oedometer);
    EXPECT_NEAR(m.shear_speed() * m.shear_speed() * 1070, mu, 1e-9 * mu);
    EXPECT_NO_THROW(CheckGelMaterial(m, "pad"));
  }
}

TEST(GelMaterial, WrongValuesAreNamed) {
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    ExpectError(
        [&] {
          CheckGelMaterial({bad, 0.3, 1000}, "pad 3");
        },
        {"pad 3", "young is", "finite and > 0", "1e5"});
    ExpectError(
        [&] {
          CheckGelMaterial({1e5, 0.3, bad}, "pad 3");
        },
        {"pad 3", "density is", "finite and > 0", "1000"});
  }
  for (const double bad : {-0.01, 0.49995, 0.5, 0.7, std::nan(""), HUGE_VAL})
    ExpectError(
        [&] {
          CheckGelMaterial({1e5, bad, 1000}, "pad 3");
        },
        {"pad 3", "poisson is", "0 to 0.4999", "0.49"});
}

}  // namespace
}  // namespace taxel
