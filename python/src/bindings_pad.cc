// A pad with bristles, without an engine (taxel/bristle/pad.py wraps it).
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <ctime>
#include <limits>
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
  const RelativeMotion motion{ToVec3(velocity, "velocity"), ToVec3(angular, "angular_velocity"), other.p};
  // Another body finds bristles that hold nothing.
  if (!p.body || &p.body->data() != &body.data()) {
    p.target = ProbeTarget(body);
    p.body = body;
    ++p.partner;
  }
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

double ThreadSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Least CPU time of a call over `rounds` rounds, each long enough to be told.
template <class Call>
double TimeOf(int rounds, Call&& call) {
  double least = std::numeric_limits<double>::infinity();
  int repeats = 1;
  for (int k = 0; k < rounds;) {
    const double start = ThreadSeconds();
    for (int i = 0; i < repeats; ++i) call();
    const double spent = ThreadSeconds() - start;
    if (spent < 5e-3 && repeats < 1 << 20) {
      repeats *= 2;
      continue;
    }
    least = std::min(least, spent / repeats);
    ++k;
  }
  return least;
}

// For benchmarks: seconds of a step, of its probes, and of the probes without the tree.
nb::dict TimePress(Pad& p, const Body& body, nb::handle X_WP, nb::handle X_WB, nb::handle velocity,
                   double step, int rounds, bool brute_force) {
  const Pose pad = ToPose(X_WP, "X_WP"), other = ToPose(X_WB, "X_WB");
  const RelativeMotion motion{ToVec3(velocity, "velocity"), {}, other.p};
  const ProbeTarget target(body);
  std::vector<ProbeHit> hits;
  nb::dict out;
  const BristlePoints& points = p.pad.points();
  out["probe"] = TimeOf(rounds, [&] { Probe(points, pad, target, other, &hits); });
  out["hits"] = hits.size();
  out["step"] = TimeOf(rounds, [&] { p.pad.Press(target, pad, other, motion, step, &p.reading); });
  if (brute_force)
    out["brute_force"] = TimeOf(rounds, [&] { ProbeByBruteForce(points, pad, target, other, &hits); });
  return out;
}

}  // namespace

void BindPad(nb::module_& m) {
  nb::class_<Pad>(m, "BristlePad")
      .def("press", &Press, nb::arg("body"), nb::arg("X_WP").none(), nb::arg("X_WB").none(),
           nb::arg("velocity"), nb::arg("angular_velocity"), nb::arg("step"))
      .def("time", &TimePress, nb::arg("body"), nb::arg("X_WP").none(), nb::arg("X_WB").none(),
           nb::arg("velocity"), nb::arg("step"), nb::arg("rounds"), nb::arg("brute_force"))
      .def("reset", [](Pad& p) { p.pad.Reset(); })
      .def_prop_ro("layout", [](const Pad& p) { return LayoutDict(p.pad.points().layout()); });
  m.def("make_bristle_pad", &Make, nb::arg("body"), nb::arg("entries"), nb::arg("where"),
        nb::rv_policy::take_ownership);
}

}  // namespace taxel::python
