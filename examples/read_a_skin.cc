// A pad of 16 x 16 taxels pressed by a ball: what each taxel reads, and that together they carry the force.
#include <cmath>
#include <cstdio>

#include "taxel/contact/contact.h"
#include "taxel/skin/skin.h"

int main() {
  taxel::BodyOptions soft;
  soft.modulus = 3e4;
  soft.field.kind = taxel::FieldKind::kBacked;
  const taxel::Body pad(taxel::Box{{0.08, 0.08, 0.018}}, soft), ball(taxel::Sphere{0.02}, {});
  const taxel::Pose X_WP, X_WB{{}, {0.004, -0.002, 0.026}};
  const taxel::ContactSurface surface = taxel::ComputeContact(pad, X_WP, ball, X_WB);

  // The same words as in MJCF and Python.
  const taxel::Description description("pad", {{"shape", "16 16"}, {"aggregate", "force"}});
  const taxel::Skin skin = taxel::MakeSkin(description, pad);
  description.CheckAllRead();

  taxel::SkinLoad load;
  load.surface = &surface;
  load.skin_is_A = true;
  taxel::SkinWorkspace workspace;
  taxel::SkinReading reading;
  skin.Read(&load, 1, X_WP, {}, &workspace, &reading);

  double sum = 0;
  for (int row = 15; row >= 0; --row) {
    for (int col = 0; col < 16; ++col) {
      const double value = reading.values[16 * row + col];
      sum += value;
      std::printf("%c", " .:-=+*#%@"[std::lround(9 * value / 0.15 > 9 ? 9 : 9 * value / 0.15)]);
    }
    std::printf("\n");
  }
  std::printf("taxels %.9f N, contact %.9f N\n", sum, -surface.wrench_on_A.force.z);
  return std::fabs(sum + surface.wrench_on_A.force.z) < 1e-9 ? 0 : 1;
}
