// The signal chain by itself (taxel/skin/skin.py wraps it).
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "module.h"
#include "taxel/math/error.h"
#include "taxel/skin/signal_chain.h"

namespace taxel::python {
namespace {

using State = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

SignalChain Make(nb::handle points, nb::handle normals, nb::handle axes, const Vector& areas, int rows,
                 int cols, bool wraps, const Description::Entries& entries, double timestep, int channel,
                 bool signed_values) {
  Layout layout;
  layout.points = ToPoints(points, "points");
  layout.normals = ToPoints(normals, "normals");
  layout.axes = ToPoints(axes, "axes");
  layout.areas.assign(areas.data(), areas.data() + areas.shape(0));
  layout.rows = rows, layout.cols = cols, layout.wraps = wraps;
  const Description description("signal chain", entries);
  const ChainOptions options = ReadChain(description);
  description.CheckAllRead();
  return SignalChain(options, layout, timestep, channel, signed_values);
}

nb::object Step(const SignalChain& chain, double time, const Vector& raw, State state) {
  if (static_cast<int>(state.shape(0)) != chain.state_size())
    throw Error("signal chain: the state has " + std::to_string(state.shape(0)) + " numbers; it needs " +
                std::to_string(chain.state_size()));
  // Checked before anything moves: what the material and the line remember would stay wrong for ever.
  if (!std::isfinite(time))
    throw Error("signal chain: the time is " + ToText(time) + "; give a finite time in s");
  for (int i = 0; i < chain.count(); ++i)
    if (!std::isfinite(raw.data()[i]))
      throw Error("signal chain: the pressure of taxel " + std::to_string(i) + " is " +
                  ToText(raw.data()[i]) + "; give finite pressures in Pa");
  std::vector<double> out(chain.count());
  chain.Output(time, raw.data(), state.data(), out.data());
  chain.Advance(time, raw.data(), state.data());
  const std::size_t n = out.size();
  return nb::cast(Own<double>(std::move(out), {n}));
}

}  // namespace

void BindChain(nb::module_& m) {
  nb::class_<SignalChain>(m, "SignalChain")
      .def("__init__",
           [](SignalChain* self, nb::handle points, nb::handle normals, nb::handle axes, const Vector& areas,
              int rows, int cols, bool wraps, const Description::Entries& entries, double timestep,
              int channel, bool signed_values) {
             new (self) SignalChain(Make(points, normals, axes, areas, rows, cols, wraps, entries, timestep,
                                         channel, signed_values));
           })
      .def_prop_ro("state_size", &SignalChain::state_size)
      .def("step", &Step, nb::arg("time"), nb::arg("raw"), nb::arg("state"));
}

}  // namespace taxel::python
