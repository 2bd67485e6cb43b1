// The laws on the surface, over flat arrays of equal length; taxel/laws.py broadcasts.
#include "module.h"
#include "taxel/contact/friction_law.h"
#include "taxel/contact/normal_law.h"

namespace taxel::python {
namespace {

// Applies a law of n numbers to n arrays of equal length, element by element.
template <auto law, typename... Arrays>
nb::object Apply(const Arrays&... arrays) {
  const std::size_t n = (arrays.shape(0), ...);
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = law(arrays.data()[i]...);
  return nb::cast(Own<double>(std::move(result), {n}));
}

}  // namespace

void BindLaws(nb::module_& m) {
  using V = Vector;
  m.def("combine_dissipation",
        [](V Ea, V da, V Eb, V db) { return Apply<&CombineDissipation>(Ea, da, Eb, db); });
  m.def("combine_friction", [](V a, V b) { return Apply<&CombineFriction>(a, b); });
  m.def("series_gradient", [](V a, V b) { return Apply<&SeriesGradient>(a, b); });
  m.def("hunt_crossley_pressure",
        [](V p0, V g, V d, V v, V dt) { return Apply<&HuntCrossleyPressure>(p0, g, d, v, dt); });
  m.def("regularized_coulomb", [](V s, V mu, V vs) { return Apply<&RegularizedCoulomb>(s, mu, vs); });
  m.def("stribeck_friction",
        [](V s, V mu_s, V mu_d, V v, V vs) { return Apply<&StribeckFriction>(s, mu_s, mu_d, v, vs); });
}

}  // namespace taxel::python
