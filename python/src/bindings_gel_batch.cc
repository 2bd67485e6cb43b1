// Gels of particles in many worlds on a GPU (Python gives it a face).
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "alone.h"
#include "batch_arguments.h"
#include "marker_arguments.h"
#include "module.h"
#include "taxel/batch/cuda_gel_batch.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;

// Error unless the array has as many numbers.
template <typename Array>
void CheckSize(const Array& a, std::size_t wanted, const char* name) {
  if (a.size() != wanted)
    throw Error(std::string("gel on the GPU: ") + name + " has " + std::to_string(a.size()) +
                " numbers; give " + std::to_string(wanted));
}

// What an optional array holds, or null.
template <typename Array>
auto DataOf(const std::optional<Array>& a, std::size_t wanted, const char* name) -> decltype(a->data()) {
  if (!a) return nullptr;
  CheckSize(*a, wanted, name);
  return a->data();
}

Alone<CudaGel>* Make(const Doubles& positions, const std::vector<int>& cells, int worlds, double mu,
                     double lambda, const std::string& law, const std::optional<Floats>& velocities,
                     const std::optional<Floats>& deformations, bool average_volume, double keep,
                     const std::vector<double>& gravity, const std::optional<Bytes>& pad,
                     const std::optional<Floats>& alpha, const std::optional<Ints>& contact,
                     const std::optional<Floats>& alpha_slope, double hand_offset, nb::list objects,
                     nb::object object_points, double point_mass, double unit, bool stop_inside,
                     bool mix_momentum, double stop_chamfer, const std::string& chamfer, int check_every) {
  const std::size_t n = positions.size() / 3;
  CheckSize(positions, 3 * n, "positions");
  if (cells.size() != 3 || gravity.size() != 3)
    throw Error("gel on the GPU: cells and gravity have three numbers each");
  CudaGelSpec s;
  s.worlds = worlds, s.particles = static_cast<int>(n);
  for (std::size_t k = 0; k < 3; ++k) s.cells[k] = cells[k], s.gravity[k] = static_cast<float>(gravity[k]);
  s.position = positions.data();
  s.velocity = DataOf(velocities, 3 * n, "velocities");
  s.deformation = DataOf(deformations, 9 * n, "deformations");
  if (law != "corotated" && law != "neo-hookean")
    throw Error("gel on the GPU: law is '" + law + "'; give 'corotated' or 'neo-hookean'");
  s.numbers = {static_cast<float>(mu), static_cast<float>(lambda),
               law == "corotated" ? GelLaw::kCorotated : GelLaw::kNeoHookean};
  s.average_volume = average_volume, s.keep = static_cast<float>(keep);
  if (contact) {
    if (contact->ndim() != 2) throw Error("gel on the GPU: contact must have the shape (pads, layer)");
    s.pads = static_cast<int>(contact->shape(0)), s.layer = static_cast<int>(contact->shape(1));
    if (!pad || !alpha) throw Error("gel on the GPU: contact layers need pad and alpha of every particle");
    s.pad = DataOf(pad, n, "pad"), s.alpha = DataOf(alpha, n, "alpha");
    s.contact = contact->data();
    s.alpha_slope = DataOf(alpha_slope, 3 * n, "alpha_slope");
    s.hand_offset = static_cast<float>(hand_offset);
  }
  if (chamfer != "mean" && chamfer != "sum")
    throw Error("gel on the GPU: chamfer is '" + chamfer + "'; give 'mean' or 'sum'");
  s.chamfer = chamfer == "sum" ? CudaChamfer::kSum : CudaChamfer::kMean;
  s.stop_chamfer = static_cast<float>(stop_chamfer), s.check_every = check_every;
  s.unit = static_cast<float>(unit), s.point_mass = static_cast<float>(point_mass);
  s.stop_inside = stop_inside, s.mix_momentum = mix_momentum;
  std::vector<CudaGelBody> bodies;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    CudaGelBody body{ToDistance(objects[k], "objects[" + std::to_string(k) + "]"), {}};
    if (!object_points.is_none()) body.points = ToPoints(object_points[k], "object_points");
    bodies.push_back(std::move(body));
  }
  nb::gil_scoped_release release;
  return new Alone<CudaGel>(s, bodies);
}

void Place(CudaGel& g, const std::optional<Ints>& objects, const std::optional<Numbers>& X_GO,
           const std::optional<Floats>& hands) {
  std::vector<int> object;
  std::vector<float> hand;
  if (objects) object.assign(objects->data(), objects->data() + objects->size());
  if (hands) hand.assign(hands->data(), hands->data() + hands->size());
  g.Place(object, X_GO ? PosesOf(*X_GO) : std::vector<Pose>{}, hand);
}

nb::dict Step(CudaGel& g, int steps, int sort_every, bool wait) {
  CudaGelStatus status;
  {
    nb::gil_scoped_release release;
    status = g.Advance(steps, sort_every, wait);
  }
  nb::dict out;
  out["step"] = status.step, out["stopped"] = status.stopped, out["fastest"] = status.fastest;
  out["filled_blocks"] = status.filled, out["active_blocks"] = status.active;
  return out;
}

std::size_t Count(const CudaGel& g) { return static_cast<std::size_t>(g.particles()); }

}  // namespace

template <>
const char* NameOf<CudaGel>() {
  return "CudaGel";
}

void BindGelBatch(nb::module_& m) {
  nb::class_<Alone<CudaGel>>(m, "CudaGel")
      .def(nb::new_(&Make), nb::arg("positions"), nb::arg("cells"), nb::arg("worlds"), nb::arg("mu"),
           nb::arg("lambda_"), nb::arg("law") = "corotated", nb::arg("velocities").none() = nb::none(),
           nb::arg("deformations").none() = nb::none(), nb::arg("average_volume") = false,
           nb::arg("keep") = 1.0, nb::arg("gravity") = std::vector<double>{0, 0, 0},
           nb::arg("pad").none() = nb::none(), nb::arg("alpha").none() = nb::none(),
           nb::arg("contact").none() = nb::none(), nb::arg("alpha_slope").none() = nb::none(),
           nb::arg("hand_offset") = 0.0, nb::arg("objects") = nb::list(),
           nb::arg("object_points").none() = nb::none(), nb::arg("point_mass") = 0.0, nb::arg("unit") = 1.0,
           nb::arg("stop_inside") = false, nb::arg("mix_momentum") = false, nb::arg("stop_chamfer") = 0.0,
           nb::arg("chamfer") = "mean", nb::arg("check_every") = 1)
      .def("place", Held(&Place), nb::arg("objects").none() = nb::none(), nb::arg("X_GO").none() = nb::none(),
           nb::arg("hands").none() = nb::none())
      .def("step", Held(&Step), nb::arg("steps"), nb::arg("sort_every") = 0, nb::arg("wait") = true)
      .def("run", Held(+[](CudaGel& g, int max_steps) { return Step(g, max_steps, 0, true); }),
           nb::arg("max_steps"))
      .def("positions", Held(+[](const CudaGel& g, int world) {
             std::vector<double> out(3 * Count(g));
             g.Read(world, out.data(), nullptr, nullptr);
             return Own<double>(std::move(out), {Count(g), 3});
           }))
      .def("velocities", Held(+[](const CudaGel& g, int world) {
             std::vector<float> out(3 * Count(g));
             g.Read(world, nullptr, out.data(), nullptr);
             return Own<float>(std::move(out), {Count(g), 3});
           }))
      .def("deformations", Held(+[](const CudaGel& g, int world) {
             std::vector<float> out(9 * Count(g));
             g.Read(world, nullptr, nullptr, out.data());
             return Own<float>(std::move(out), {Count(g), 3, 3});
           }))
      .def("images", Held(+[](const CudaGel& g) {
             const auto W = static_cast<std::size_t>(g.worlds()), P = static_cast<std::size_t>(g.pads()),
                        L = static_cast<std::size_t>(g.layer());
             return Own<float>(std::move(g.Layers(true, false).displacement), {W, P, L, 3});
           }))
      .def("chamfer", Held(+[](const CudaGel& g) {
             return Own<float>(std::move(g.Layers(false, true).chamfer),
                               {static_cast<std::size_t>(g.worlds()), static_cast<std::size_t>(g.pads())});
           }))
      .def("stopped_steps", Held(+[](const CudaGel& g) {
             CudaGelLayers layers = g.Layers(false, false);
             const std::size_t W = layers.steps.size();
             return nb::make_tuple(Own<int>(std::move(layers.steps), {W}),
                                   Own<std::uint8_t>(std::move(layers.stopped), {W}));
           }))
      .def("profile", Held(&CudaGel::Profile), nb::arg("repeats") = 10)
      .def_prop_ro("worlds", Held(&CudaGel::worlds))
      .def_prop_ro("particles", Held(&CudaGel::particles))
      .def_prop_ro("pads", Held(&CudaGel::pads))
      .def_prop_ro("layer", Held(&CudaGel::layer));
}

}  // namespace taxel::python
