#include "taxel/gel/gel_material.h"

#include "taxel/math/error.h"

namespace taxel {

void CheckGelMaterial(const GelMaterial& m, const std::string& where) {
  if (!(std::isfinite(m.young) && m.young > 0))
    throw Error(where + ": young is " + ToText(m.young) +
                " Pa; it must be finite and > 0 (soft silicone: 1e5 to 1e6)");
  if (!(std::isfinite(m.density) && m.density > 0))
    throw Error(where + ": density is " + ToText(m.density) +
                " kg/m^3; it must be finite and > 0 (silicone: about 1000)");
  if (!(m.poisson >= 0 && m.poisson <= 0.4999))
    throw Error(where + ": poisson is " + ToText(m.poisson) +
                "; it must lie in 0 to 0.4999: at 0.5 the pressure wave is infinitely fast and no explicit "
                "step is small "
                "enough (0.49 is as good as incompressible for a gel)");
}

}  // namespace taxel
