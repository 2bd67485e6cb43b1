// Parameters of bristles and their friction law, over plain arrays; taxel/bristle/parameters.py checks and
// shapes.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "module.h"
#include "taxel/bristle/advice.h"
#include "taxel/bristle/bristle_options.h"
#include "taxel/bristle/lugre.h"
#include "taxel/bristle/sensor_xml.h"

namespace taxel::python {
namespace {

using Matrix2 = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

nb::dict ToDict(const SensorXml& sensor) {
  const BristleOptions options = ToBristleOptions(sensor);
  const LuGreParameters& friction = options.friction;
  nb::dict out;
  out["link"] = sensor.link;
  out["name"] = sensor.name;
  out["thickness"] = sensor.thickness;
  out["stiffness"] = options.stiffness;
  out["damping"] = options.damping;
  out["depth"] = options.depth;
  out["friction"] = nb::make_tuple(friction.static_friction, friction.dynamic_friction);
  out["stribeck_speed"] = friction.stribeck_speed;
  out["sigma0"] = friction.sigma0;
  out["sigma1"] = friction.sigma1;
  out["viscosity"] = friction.viscosity;
  out["notes"] = nb::cast(sensor.notes);
  return out;
}

nb::list ToDicts(const std::vector<SensorXml>& sensors) {
  nb::list out;
  for (const SensorXml& sensor : sensors) out.append(ToDict(sensor));
  return out;
}

// (forces, deflections), both (n, 2).
nb::tuple RunLuGre(const LuGreParameters& law, const Matrix2& velocity, const Vector& load, double dt,
                   double x, double y) {
  const std::size_t n = velocity.shape(0);
  std::vector<double> force(2 * n), deflection(2 * n);
  Vec3 z{x, y, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const double* v = velocity.data() + 2 * i;
    const LuGreStep step = AdvanceLuGre(law, z, {v[0], v[1], 0}, load.data()[i], dt);
    z = step.deflection;
    force[2 * i] = step.force.x, force[2 * i + 1] = step.force.y;
    deflection[2 * i] = z.x, deflection[2 * i + 1] = z.y;
  }
  return nb::make_tuple(Own<double>(std::move(force), {n, 2}), Own<double>(std::move(deflection), {n, 2}));
}

}  // namespace

void BindBristle(nb::module_& m) {
  m.def("bristle_stiffness", &BristleStiffness);
  m.def("bristle_damping", &DampingRule);
  m.def("bristle_stiffness_of_modulus", &StiffnessOfModulus);
  m.def("parse_sensor_xml",
        [](const std::string& text, const std::string& path) { return ToDicts(ParseSensorXml(text, path)); });
  m.def("read_sensor_xml", [](const std::string& path) { return ToDicts(ReadSensorXml(path)); });
  m.def("bristle_step_advice", [](double mass, int points, double stiffness, double damping, double sigma0,
                                  double sigma1, double viscosity, double timestep) {
    const StepAdvice advice = AdviseStep({mass, points, stiffness, damping, sigma0, sigma1, viscosity});
    return nb::make_tuple(advice.largest_explicit_step, advice.good_step, advice.period, advice.damping_ratio,
                          advice.friction_limits, Describe(advice, timestep));
  });
  nb::class_<LuGreParameters>(m, "LuGreParameters")
      .def("__init__",
           [](LuGreParameters* self, double sigma0, double sigma1, double viscosity, double static_friction,
              double dynamic_friction, double stribeck_speed, bool passive) {
             new (self) LuGreParameters{sigma0,
                                        sigma1,
                                        viscosity,
                                        static_friction,
                                        dynamic_friction,
                                        stribeck_speed,
                                        passive ? LuGreForm::kPassive : LuGreForm::kPaper};
           })
      .def("run", &RunLuGre)
      .def("steady",
           [](const LuGreParameters& law, const Vector& speed, const Vector& load) {
             std::vector<double> force(speed.shape(0));
             for (std::size_t i = 0; i < force.size(); ++i)
               force[i] = SteadyFriction(law, speed.data()[i], load.data()[i]);
             return Own<double>(std::move(force), {speed.shape(0)});
           })
      .def("active_above", [](const LuGreParameters& law, double load) { return ActiveAbove(law, load); });
}

}  // namespace taxel::python
