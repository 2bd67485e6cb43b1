// Many pads of a gel (taxel/gel/pads.py gives them a face).
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "alone.h"
#include "batch_arguments.h"
#include "marker_arguments.h"
#include "module.h"
#include "taxel/batch/gel_pads.h"

namespace taxel::python {
namespace {

Alone<GelPads>* Make(nb::handle positions, double volume, double cell, double young, double poisson,
                     double density, bool neo_hookean, double dt, double cfl, double damping,
                     nb::handle gravity, bool average_volume, int rounds, int threads, bool in_space,
                     int pads, bool cuda) {
  GelOptions o;
  o.cell = cell;
  o.material = {young, poisson, density, neo_hookean ? GelLaw::kNeoHookean : GelLaw::kCorotated};
  o.dt = dt, o.cfl = cfl, o.damping = damping;
  o.gravity = ToVec3(gravity, "gravity");
  o.average_volume = average_volume, o.rounds = rounds, o.threads = threads;
  o.frame = in_space ? GelFrame::kSpace : GelFrame::kRest;
  const std::vector<Vec3> points = ToPoints(positions, "positions");
  nb::gil_scoped_release release;
  return new Alone<GelPads>(o, points, volume, pads, cuda);
}

void Advance(GelPads& g, int steps, const Numbers& poses, const Numbers& hands, bool smooth) {
  const std::vector<Pose> X = PosesOf(poses), H = PosesOf(hands);
  nb::gil_scoped_release release;
  g.Advance(steps, X, H, smooth);
}

/// Addresses on the device that steps, of (pads, ..., 3) float32; 0: not wanted.
void Read(const GelPads& g, Address skin_position, Address skin_force, Address displacement, Address traction,
          const Numbers& area, Address position, Address deformation) {
  GelPadReading r;
  r.skin_position = At<float>(skin_position), r.skin_force = At<float>(skin_force);
  r.displacement = At<float>(displacement), r.traction = At<float>(traction), r.area = area.data();
  r.position = At<float>(position), r.deformation = At<float>(deformation);
  nb::gil_scoped_release release;
  g.Read(r);
}

/// (pads, bodies, 6): force and torque.
nb::object Loads(const std::vector<GelLoad>& loads, int pads) {
  std::vector<double> out;
  for (const GelLoad& l : loads)
    out.insert(out.end(), {l.force.x, l.force.y, l.force.z, l.torque.x, l.torque.y, l.torque.z});
  const auto P = static_cast<std::size_t>(pads);
  return nb::cast(Own<double>(std::move(out), {P, loads.size() / P, 6}));
}

/// (pads, bodies, 4, 4)
nb::object Matrices(const std::vector<Pose>& poses, int pads) {
  std::vector<double> out(16 * poses.size(), 0.0);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    double* m = &out[16 * k];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) m[4 * r + c] = poses[k].R(r, c);
      m[4 * r + 3] = poses[k].p[r];
    }
    m[15] = 1;
  }
  const auto P = static_cast<std::size_t>(pads);
  return nb::cast(Own<double>(std::move(out), {P, poses.size() / P, 4, 4}));
}

}  // namespace

template <>
const char* NameOf<GelPads>() {
  return "Gel";
}

void BindGelPads(nb::module_& m) {
  nb::class_<GelPadsState>(m, "GelPadsState");
  nb::class_<Alone<GelPads>>(m, "GelPads")
      .def(nb::new_(&Make))
      .def("set_skin",
           Held(+[](GelPads& g, nb::handle contact, nb::handle held, nb::handle outward, nb::handle rim) {
             g.SetSkin(ToPoints(contact, "contact"), ToPoints(held, "held"), ToPoints(outward, "outward"),
                       ToPoints(rim, "rim"));
           }))
      .def("add_object",
           Held(+[](GelPads& g, nb::handle shape, const std::vector<double>& friction, const Numbers& poses) {
             g.AddObject(ToDistance(shape, "the object"), friction, PosesOf(poses));
           }))
      .def("advance", Held(&Advance), nb::arg("steps"), nb::arg("poses"), nb::arg("hands"), nb::arg("smooth"))
      .def("read", Held(&Read), nb::arg("skin_position"), nb::arg("skin_force"), nb::arg("displacement"),
           nb::arg("traction"), nb::arg("area"), nb::arg("position"), nb::arg("deformation"))
      .def("save", Held(&GelPads::Save))
      .def("restore", Held(&GelPads::Restore))
      .def_prop_ro("pads", Held(&GelPads::pads))
      .def_prop_ro("dt", Held(&GelPads::dt))
      .def_prop_ro("time", Held(&GelPads::time))
      .def_prop_ro("cfl", Held(&GelPads::cfl))
      .def_prop_ro("mach", Held(&GelPads::mach))
      .def_prop_ro("loads", Held(+[](const GelPads& g) { return Loads(g.loads(), g.pads()); }))
      .def_prop_ro("hand_loads", Held(+[](const GelPads& g) { return Loads(g.hand_loads(), g.pads()); }))
      .def_prop_ro("poses", Held(+[](const GelPads& g) { return Matrices(g.poses(), g.pads()); }))
      .def_prop_ro("hands", Held(+[](const GelPads& g) { return Matrices(g.hands(), g.pads()); }));
}

}  // namespace taxel::python
