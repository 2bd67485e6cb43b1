#include "taxel/marker/layer_interior.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "taxel/marker/layer_waves.h"
#include "taxel/math/error.h"

namespace taxel::internal {

InteriorBlock HalfSpaceInterior(double x, double y, double z, double half, double nu) {
  // Integrals over the square, r to the place: x^2/r^3, y^2/r^3, x y/r^3, z x/r^3, z y/r^3, z/r^3 (the solid
  // angle), x/(r (r + z)), y/(r (r + z)), and of 1/(r + z) - x^2/(r (r + z)^2) with its likes.
  double xx = 0, yy = 0, xy = 0, zx = 0, zy = 0, solid = 0, px = 0, py = 0, fxx = 0, fyy = 0, fxy = 0;
  for (int i = -1; i <= 1; i += 2)
    for (int j = -1; j <= 1; j += 2) {
      const double X = x + i * half, Y = y + j * half, sign = i * j;
      const double r = std::sqrt(X * X + Y * Y + z * z), a = std::hypot(X, z), b = std::hypot(Y, z);
      const double along_y = a > 0 ? std::asinh(Y / a) : 0, along_x = b > 0 ? std::asinh(X / b) : 0;
      const double angle = z > 0 ? std::atan2(X * Y, z * r) : 0, log = r > 0 ? std::log(r + z) : 0;
      // atan(Y/X) - atan(z Y/(X r)), and the same with X and Y changed over.
      const double turn = X * Y * (r - z), turn_x = std::atan2(turn, X * X * r + z * Y * Y),
                   turn_y = std::atan2(turn, Y * Y * r + z * X * X);
      solid += sign * angle;
      xx += sign * (Y * along_x - z * angle);
      yy += sign * (X * along_y - z * angle);
      xy -= sign * r;
      zx -= sign * z * along_y;
      zy -= sign * z * along_x;
      px += sign * (Y * log + z * along_y + X * turn_x);
      py += sign * (X * log + z * along_x + Y * turn_y);
      fxx += sign * (X * along_y - z * turn_x);
      fyy += sign * (Y * along_x - z * turn_y);
      fxy += sign * (z * log - r);
    }
  const double one = xx + yy + z * solid;  // of 1/r
  const double unit = 0.25 / std::numbers::pi, squeeze = 1 - 2 * nu;
  InteriorBlock out;
  out.xx = unit * (one + xx + squeeze * fxx);
  out.yy = unit * (one + yy + squeeze * fyy);
  out.xy = unit * (xy - squeeze * fxy);
  out.xz = unit * (squeeze * px - zx);
  out.yz = unit * (squeeze * py - zy);
  out.zx = -unit * (squeeze * px + zx);
  out.zy = -unit * (squeeze * py + zy);
  out.zz = unit * (z * solid + 2 * (1 - nu) * one);
  return out;
}

LayerInterior::LayerInterior(double thickness, double poisson, double depth)
    : thickness_(thickness), poisson_(poisson), depth_(depth) {
  LayerInfluence::Check(thickness, poisson);
  if (!(depth >= 0 && depth < thickness))
    throw Error("elastic layer: depth is " + ToText(depth) +
                " m; give 0 (its face) to below its thickness of " + ToText(thickness) + " m");
  const LayerWaves& waves = Waves();
  constexpr int n = LayerWaves::kCount;
  std::vector<double> zz(n), rz(n), round(n), two(n), zr(n), none(n);
  const double d = depth / thickness;
  for (std::size_t i = 0; i < n; ++i) {
    const double k = waves.k[i], w = waves.weight[i] * k / (2 * std::numbers::pi);
    const LayerCompliances c = LayerComplianceAt(d, k, poisson);
    const double fall = std::exp(-k * d) / k, low = 0.5 * k * d;  // of a half space
    const double rr = c.rr - fall * (1 - poisson - low), tt = c.tt - fall;
    zz[i] = w * (c.zz - fall * (1 - poisson + low));
    rz[i] = -w * (c.rz + fall * (0.5 - poisson - low));
    zr[i] = w * (c.zr + fall * (0.5 - poisson + low));
    round[i] = 0.5 * w * (rr + tt);
    two[i] = -0.5 * w * (rr - tt);
  }
  table_ = Tabulate(zz, rz, round, two);
  down_ = Tabulate(none, zr, none, none);
}

InteriorBlock LayerInterior::Square(double x, double y, double side) const {
  const double reach = (kLayerRadii - 3) * kLayerSpacing * thickness_ - side;
  if (x * x + y * y > reach * reach) return {};
  LayerBlock<double> base, down;
  AddOverSquare(*table_, x, y, side, thickness_, &base);
  AddOverSquare(*down_, x, y, side, thickness_, &down);
  InteriorBlock out = HalfSpaceInterior(x, y, depth_, 0.5 * side, poisson_);
  out.xx += base.xx;
  out.xy += base.xy;
  out.yy += base.yy;
  out.xz += base.xz;
  out.yz += base.yz;
  out.zz += base.zz;
  out.zx += down.xz;
  out.zy += down.yz;
  return out;
}

}  // namespace taxel::internal
