// exp of four doubles at once. For inner loops in source files only.
#pragma once

#include <cstring>

#include "taxel/math/lanes.h"

namespace taxel::internal {

/// exp(x) for x <= 0, to 1e-15 of itself; 0 below -708. With x = n ln 2 + r, |r| <= ln 2 / 2, the Taylor
/// series of exp(r) to r^13 has a remainder below 4e-18, and 2^n is made of the bits of n.
inline Lanes ExpLanes(const Lanes& given) {
  const LaneMask normal = given > -708.0;
  const Lanes x = normal ? given : AllLanes(-708.0);
  const Lanes shifted = x * 0x1.71547652b82fep0 + 0x1.8p52;  // the low bits now hold n
  const Lanes n = shifted - 0x1.8p52;
  const Lanes r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  Lanes p = r * (1.0 / 6227020800) + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  LaneMask bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023) << 52;
  Lanes power;
  std::memcpy(&power, &bits, sizeof power);
  return normal ? p * power : AllLanes(0);
}

}  // namespace taxel::internal
