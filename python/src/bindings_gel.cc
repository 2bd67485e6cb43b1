// The elastic gel of particles (taxel/gel/gel.py gives it a face).
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "alone.h"
#include "marker_arguments.h"
#include "module.h"
#include "taxel/gel/gel_solver.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

GelSolver* MakeGel(nb::handle positions, double volume, double cell, double young, double poisson,
                   double density, bool neo_hookean, double dt, double cfl, double damping,
                   nb::handle gravity, bool average_volume, int rounds, int threads, bool in_space) {
  GelOptions o;
  o.cell = cell;
  o.material = {young, poisson, density, neo_hookean ? GelLaw::kNeoHookean : GelLaw::kCorotated};
  o.dt = dt, o.cfl = cfl, o.damping = damping;
  o.gravity = ToVec3(gravity, "gravity");
  o.average_volume = average_volume, o.rounds = rounds, o.threads = threads;
  o.frame = in_space ? GelFrame::kSpace : GelFrame::kRest;
  return new GelSolver(o, ToPoints(positions, "positions"), volume);
}

void SetObjects(GelSolver& g, nb::list shapes, nb::handle poses, const std::vector<double>& friction) {
  std::vector<GelObject> objects;
  const std::vector<Pose> X = ToPoses(poses, "poses");
  if (X.size() != nb::len(shapes) || friction.size() != X.size())
    throw Error("gel: " + std::to_string(nb::len(shapes)) + " objects, " + std::to_string(X.size()) +
                " poses and " + std::to_string(friction.size()) +
                " coefficients of friction; give one of each an object");
  for (std::size_t k = 0; k < X.size(); ++k)
    objects.push_back({ToDistance(shapes[k], "object " + std::to_string(k)), X[k], friction[k]});
  g.SetObjects(objects);
}

void Advance(GelSolver& g, int steps, nb::handle poses, nb::handle hand, bool smooth) {
  const std::vector<Pose> X = poses.is_none() ? g.poses() : ToPoses(poses, "poses");
  const Pose H = hand.is_none() ? g.hand() : ToPose(hand, "hand");
  nb::gil_scoped_release release;
  g.Advance(steps, X, H, smooth);
}

template <typename F>
nb::object Points(std::size_t n, const F& value) {
  std::vector<Vec3> out(n);
  for (std::size_t k = 0; k < n; ++k) out[k] = value(k);
  return OwnPoints(out);
}

nb::object Deformations(const GelSolver& g) {
  std::vector<float> out;
  out.reserve(9 * g.size());
  for (std::size_t k = 0; k < g.size(); ++k) {
    const GelMatrix<float> F = g.deformation(k);
    out.insert(out.end(), F.m, F.m + 9);
  }
  return nb::cast(Own<float>(std::move(out), {g.size(), 3, 3}));
}

nb::object PoseMatrices(const std::vector<Pose>& poses) {
  std::vector<double> out(16 * poses.size(), 0.0);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    double* m = &out[16 * k];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) m[4 * r + c] = poses[k].R(r, c);
      m[4 * r + 3] = poses[k].p[r];
    }
    m[15] = 1;
  }
  return nb::cast(Own<double>(std::move(out), {poses.size(), 4, 4}));
}

nb::tuple LoadTuple(const GelLoad& l) { return nb::make_tuple(ToArray(l.force), ToArray(l.torque)); }

}  // namespace

template <>
const char* NameOf<GelSolver>() {
  return "Gel";
}

void BindGel(nb::module_& m) {
  nb::class_<GelState>(m, "GelState");
  nb::class_<Alone<GelSolver>>(m, "GelSolver")
      .def("__init__",
           [](Alone<GelSolver>* self, nb::handle positions, double volume, double cell, double young,
              double poisson, double density, bool neo_hookean, double dt, double cfl, double damping,
              nb::handle gravity, bool average_volume, int rounds, int threads, bool in_space) {
             std::unique_ptr<GelSolver> made(MakeGel(positions, volume, cell, young, poisson, density,
                                                     neo_hookean, dt, cfl, damping, gravity, average_volume,
                                                     rounds, threads, in_space));
             new (self) Alone<GelSolver>(std::move(*made));
           })
      .def("set_skin",
           Held(+[](GelSolver& g, nb::handle contact, nb::handle held, nb::handle outward, nb::handle rim) {
             g.SetSkin(ToPoints(contact, "contact"), ToPoints(held, "held"), ToPoints(outward, "outward"),
                       ToPoints(rim, "rim"));
           }))
      .def("set_objects", Held(&SetObjects))
      .def("set_velocities",
           Held(+[](GelSolver& g, nb::handle v) { g.SetVelocities(ToPoints(v, "velocities")); }))
      .def("set_deformations",
           Held(+[](GelSolver& g,
                    nb::ndarray<const double, nb::shape<-1, 3, 3>, nb::c_contig, nb::device::cpu> F) {
             g.SetDeformations(F.data(), F.shape(0));
           }))
      .def("advance", Held(&Advance), nb::arg("steps"), nb::arg("poses").none(), nb::arg("hand").none(),
           nb::arg("smooth"))
      .def("save", Held(&GelSolver::Save))
      .def("restore", Held(&GelSolver::Restore))
      .def("set_step", Held(&GelSolver::SetStep), nb::arg("dt"))
      .def_prop_ro("dt", Held(&GelSolver::dt))
      .def_prop_ro("time", Held(&GelSolver::time))
      .def_prop_ro("cfl", Held(&GelSolver::cfl))
      .def_prop_ro("speed", Held(&GelSolver::speed))
      .def_prop_ro("mach", Held(&GelSolver::mach))
      .def_prop_ro("size", Held(&GelSolver::size))
      .def_prop_ro("positions", Held(+[](const GelSolver& g) {
                     return Points(g.size(), [&](auto k) { return g.position(k); });
                   }))
      .def_prop_ro("velocities", Held(+[](const GelSolver& g) {
                     return Points(g.size(), [&](auto k) { return g.velocity(k); });
                   }))
      .def_prop_ro("deformations", Held(&Deformations))
      .def_prop_ro("energy", Held(+[](const GelSolver& g) {
                     const GelEnergy e = g.energy();
                     return nb::make_tuple(e.kinetic, e.elastic);
                   }))
      .def_prop_ro("momentum", Held(+[](const GelSolver& g) { return ToArray(g.momentum()); }))
      .def_prop_ro("contact_points", Held(&GelSolver::contact_points))
      .def_prop_ro("skin_positions", Held(+[](const GelSolver& g) {
                     return Points(g.skin_points(), [&](auto k) { return g.skin_position(k); });
                   }))
      .def_prop_ro("skin_forces", Held(+[](const GelSolver& g) {
                     return Points(g.skin_points(), [&](auto k) { return g.skin_force(k); });
                   }))
      .def_prop_ro("loads", Held(+[](const GelSolver& g) {
                     nb::list out;
                     for (const GelLoad& l : g.loads()) out.append(LoadTuple(l));
                     return out;
                   }))
      .def_prop_ro("poses", Held(+[](const GelSolver& g) { return PoseMatrices(g.poses()); }))
      .def_prop_ro("hand", Held(+[](const GelSolver& g) { return PoseMatrices({g.hand()}); }))
      .def_prop_ro("hand_load", Held(+[](const GelSolver& g) { return LoadTuple(g.hand_load()); }));
}

}  // namespace taxel::python
