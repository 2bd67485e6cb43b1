// A pad with bristles, without an engine (taxel/_bristle_pad.py wraps it).
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "module.h"
#include "taxel/bristle/bristle_pad.h"
#include "taxel/skin/layout.h"

namespace taxel::python {
namespace {

// With the body that it met last, made ready for probes.
struct Pad {
  BristlePad pad;
  std::optional<Body> body;
  ProbeTarget target;
  int partner = 0;
  PadReading reading;
};

Pad* Make(const Body& body, const Description::Entries& entries, const std::string& where) {
  const Description d(where, entries);
  const BristleOptions options = ReadBristles(d);
  BristlePoints points(MakeLayout(d, body), options.depth);
  d.CheckAllRead();
  return new Pad{BristlePad(std::move(points), options), {}, {}, 0, {}};
}

nb::dict Press(Pad& p, const Body& body, nb::handle X_WP, nb::handle X_WB, nb::handle velocity,
               nb::handle angular, double step) {
  const Pose pad = ToPose(X_WP, "X_WP"), other = ToPose(X_WB, "X_WB");
  // Another body finds bristles that hold nothing.
  if (!p.body || &p.body->data() != &body.data()) {
    p.target = ProbeTarget(body);
    p.body = body;
    ++p.partner;
  }
  const RelativeMotion motion{ToVec3(velocity, "velocity"), ToVec3(angular, "angular_velocity"), other.p};
  p.pad.Press(p.target, pad, other, motion, step, &p.reading, p.partner);
  const PadReading& r = p.reading;
  const std::size_t n = r.normal.size();
  nb::dict out;
  out["normal"] = Own<double>(std::vector<double>(r.normal), {n});
  out["friction"] = OwnPoints(r.friction_P);
  out["deflection"] = Own<double>(std::vector<double>(r.deflection), {n});
  out["saturated"] =
      Own<std::uint8_t>(std::vector<std::uint8_t>(r.saturated.begin(), r.saturated.end()), {n});
  out["force"] = ToArray(r.on_body.force);
  out["torque"] = ToArray(r.on_body.torque - cross(other.p, r.on_body.force));
  return out;
}

}  // namespace

void BindPad(nb::module_& m) {
  nb::class_<Pad>(m, "BristlePad")
      .def("press", &Press, nb::arg("body"), nb::arg("X_WP").none(), nb::arg("X_WB").none(),
           nb::arg("velocity"), nb::arg("angular_velocity"), nb::arg("step"))
      .def("reset", [](Pad& p) { p.pad.Reset(); })
      .def_prop_ro("layout", [](const Pad& p) { return LayoutDict(p.pad.points().layout()); });
  m.def("make_bristle_pad", &Make, nb::arg("body"), nb::arg("entries"), nb::arg("where"),
        nb::rv_policy::take_ownership);
}

}  // namespace taxel::python
