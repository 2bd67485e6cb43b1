// The gel as an elastic layer (mode "layer" of taxel.MarkerField; taxel/marker/field.py wraps it).
#include <utility>

#include "marker_arguments.h"
#include "module.h"
#include "taxel/marker/layer_field.h"

namespace taxel::python {
namespace {

struct Layer {
  LayerField field;
  LayerReading reading;
};

LayerParameters ToParameters(nb::dict values, LayerParameters p) {
  for (const auto& [name, value] : LayerParameterNames(&p))
    if (values.contains(name)) *value = nb::cast<double>(values[name]);
  return p;
}

Layer* MakeLayer(nb::handle pad, nb::handle markers, nb::list indenters, double pitch, double step,
                 int substeps, nb::dict values) {
  std::vector<MarkerDistance> objects;
  for (const nb::handle one : indenters) objects.push_back(ToDistance(one, "indenter"));
  return new Layer{LayerField(GelPad(ToDistance(pad, "pad")), ToPoints(markers, "markers"), objects,
                              ToParameters(values, {}), {pitch, step, substeps}),
                   {}};
}

nb::object LayerStep(Layer& l, nb::handle X_PI, nb::handle shift) {
  const std::vector<Pose> poses = ToPoses(X_PI, "X_PI");
  const Pose moved = shift.is_none() ? Pose{} : ToPose(shift, "shift");
  l.field.Step(poses, shift.is_none() ? nullptr : &moved, &l.reading);
  return OwnPoints(l.reading.displacement);
}

nb::dict State(const Layer& l) {
  const LayerState& s = l.field.state();
  std::vector<double> poses;
  for (const Pose& X : s.X_PI) {
    for (int r = 0; r < 3; ++r) poses.insert(poses.end(), {X.R(r, 0), X.R(r, 1), X.R(r, 2), X.p[r]});
    poses.insert(poses.end(), {0, 0, 0, 1});
  }
  nb::dict out;
  out["started"] = s.started;
  out["X_PI"] = nb::cast(Own<double>(std::move(poses), {s.X_PI.size(), 4, 4}));
  out["index"] = Own<std::int32_t>({s.index.begin(), s.index.end()}, {s.index.size()});
  out["object"] = Own<std::int32_t>({s.object.begin(), s.object.end()}, {s.object.size()});
  out["traction"] = OwnPoints(s.traction);
  return out;
}

void SetState(Layer& l, nb::dict state) {
  using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  LayerState s;
  s.started = nb::cast<bool>(state["started"]);
  s.X_PI = ToPoses(state["X_PI"], "X_PI");
  const Indices index = nb::cast<Indices>(state["index"]), object = nb::cast<Indices>(state["object"]);
  s.index.assign(index.data(), index.data() + index.shape(0));
  s.object.assign(object.data(), object.data() + object.shape(0));
  s.traction = ToPoints(state["traction"], "traction");
  l.field.set_state(s);
}

nb::object Wrench(const Layer& l) {
  const Vec3 &f = l.reading.force_P, &t = l.reading.torque_P;
  return nb::cast(Own<double>({f.x, f.y, f.z, t.x, t.y, t.z}, {6}));
}

nb::object Pressure(const Layer& l) {
  std::vector<double> out;
  l.field.Pressure(&out);
  const LayerCells& c = l.field.cells();
  return nb::cast(
      Own<double>(std::move(out), {static_cast<std::size_t>(c.nx), static_cast<std::size_t>(c.ny)}));
}

nb::object CellPlaces(const Layer& l) {
  std::vector<Vec3> out;
  for (const LayerPlace& p : l.field.cells().place) out.push_back(p.p);
  return OwnPoints(out);
}

nb::dict Parameters(const Layer& l) {
  LayerParameters p = l.field.parameters();
  p.thickness = l.field.thickness();
  nb::dict out;
  for (const auto& [name, value] : LayerParameterNames(&p)) out[name] = *value;
  return out;
}

}  // namespace

const LayerField& LayerFieldOf(nb::handle layer) { return nb::cast<const Layer&>(layer).field; }

std::vector<std::pair<const char*, double*>> LayerParameterNames(LayerParameters* p) {
  return {{"friction", &p->friction},   {"young", &p->young}, {"poisson", &p->poisson},
          {"thickness", &p->thickness}, {"pixel", &p->pixel}, {"marker_depth", &p->marker_depth}};
}

void BindLayerField(nb::module_& m) {
  nb::class_<Layer>(m, "LayerField")
      .def("step", &LayerStep, nb::arg("X_PI"), nb::arg("shift").none())
      .def("reset", [](Layer& l) { l.field.Reset(); })
      .def("zero_tangential", [](Layer& l) { l.field.ZeroTangential(); })
      .def("copy", [](const Layer& l) { return Layer(l); })
      .def("state", &State)
      .def("set_state", &SetState, nb::arg("state"))
      .def("set_marker_forces", [](Layer& l, bool on) { l.field.set_marker_forces(on); })
      .def("parameters", &Parameters)
      .def("set_parameters",
           [](Layer& l, nb::dict values) {
             l.field.set_parameters(ToParameters(values, l.field.parameters()));
           })
      .def("surface",
           [](const Layer& l, nb::handle places) {
             std::vector<Vec3> out;
             l.field.Surface(ToPoints(places, "places"), &out);
             return OwnPoints(out);
           })
      .def_prop_ro("pitch", [](const Layer& l) { return l.field.cells().pitch; })
      .def_prop_ro("pressure", &Pressure)
      .def_prop_ro("cells", &CellPlaces)
      .def_prop_ro("dilation", [](const Layer& l) { return OwnPoints(l.reading.dilation); })
      .def_prop_ro("wrench", &Wrench)
      .def_prop_ro("contact_points", [](const Layer& l) { return OwnPoints(l.reading.points_P); })
      .def_prop_ro("contact_forces", [](const Layer& l) { return OwnPoints(l.reading.point_forces_P); })
      .def_prop_ro("marker_forces", [](const Layer& l) { return OwnPoints(l.reading.marker_forces_P); });
  m.def("make_layer_field", &MakeLayer, nb::arg("pad"), nb::arg("markers"), nb::arg("indenters"),
        nb::arg("pitch"), nb::arg("step"), nb::arg("substeps"), nb::arg("values"),
        nb::rv_policy::take_ownership);
}

}  // namespace taxel::python
