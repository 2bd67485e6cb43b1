// taxel's own marker model (mode "taxel" of taxel.MarkerField; taxel/marker/field.py wraps it).
#include <nanobind/stl/string.h>

#include <utility>

#include "marker_arguments.h"
#include "module.h"
#include "taxel/marker/taxel_vjp.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

struct Gel {
  TaxelField field;
  TaxelReading reading;
};

TaxelParameters ToParameters(nb::dict values) {
  TaxelParameters p;
  for (const auto& [name, value] : TaxelParameterNames(&p))
    if (values.contains(name)) *value = nb::cast<double>(values[name]);
  return p;
}

Gel* MakeGel(nb::handle pad, nb::handle markers, nb::list indenters, nb::list points, nb::list normals,
             nb::list areas, double radius, std::uint64_t seed, int substeps, nb::dict values) {
  std::vector<MarkerIndenter> objects;
  for (std::size_t k = 0; k < nb::len(indenters); ++k)
    objects.push_back(ToIndenter(indenters[k], points[k], normals[k], areas[k], radius, seed, true));
  return new Gel{TaxelField(GelPad(ToDistance(pad, "pad")), ToPoints(markers, "markers"), std::move(objects),
                            ToParameters(values), substeps),
                 {}};
}

nb::object GelStep(Gel& g, nb::handle X_PI, nb::handle shift, double dt) {
  const std::vector<Pose> poses = ToPoses(X_PI, "X_PI");
  const Pose moved = shift.is_none() ? Pose{} : ToPose(shift, "shift");
  g.field.Step(poses, dt, shift.is_none() ? nullptr : &moved, &g.reading);
  return OwnPoints(g.reading.displacement);
}

nb::object Wrench(const Gel& g) {
  const Vec3 &f = g.reading.force_P, &t = g.reading.torque_P;
  return nb::cast(Own<double>({f.x, f.y, f.z, t.x, t.y, t.z}, {6}));
}

nb::list GelState(const Gel& g) {
  nb::list objects;
  for (const MarkerState& s : g.field.state().objects) objects.append(ToStateDict(s));
  nb::list out;
  out.append(objects);
  out.append(OwnPoints(g.field.state().late));
  return out;
}

void SetGelState(Gel& g, nb::list objects, nb::handle late) {
  TaxelState s;
  for (const nb::handle one : objects) s.objects.push_back(ToMarkerState(nb::cast<nb::dict>(one)));
  s.late = ToPoints(late, "late");
  g.field.set_state(s);
}

// Displacements of all steps at once, (T, N, 3).
nb::object Follow(TaxelTape& tape, nb::handle X_PI, std::size_t objects, std::size_t markers) {
  const std::vector<Pose> poses = ToPoses(X_PI, "path");
  const std::size_t steps = poses.size() / objects;
  std::vector<double> out;
  out.reserve(steps * markers * 3);
  for (std::size_t t = 0; t < steps; ++t) {
    const TaxelReading& r = tape.Step({poses.begin() + static_cast<std::ptrdiff_t>(t * objects),
                                       poses.begin() + static_cast<std::ptrdiff_t>((t + 1) * objects)});
    for (const Vec3& u : r.displacement) out.insert(out.end(), {u.x, u.y, u.z});
  }
  return nb::cast(Own<double>(std::move(out), {steps, markers, 3}));
}

// (N, 3) at the end of a path and (8, N, 3), its derivatives.
nb::tuple Jacobian(const Gel& g, nb::handle X_PI) {
  const std::vector<Pose> poses = ToPoses(X_PI, "path");
  const std::size_t objects = g.field.objects().size();
  std::vector<std::vector<Pose>> path;
  for (std::size_t t = 0; t < poses.size(); t += objects)
    path.emplace_back(poses.begin() + static_cast<std::ptrdiff_t>(t),
                      poses.begin() + static_cast<std::ptrdiff_t>(t + objects));
  std::vector<Vec3> u;
  std::array<std::vector<Vec3>, 8> columns;
  TaxelJacobian(g.field, path, &u, &columns);
  std::vector<double> out;
  for (const std::vector<Vec3>& column : columns)
    for (const Vec3& v : column) out.insert(out.end(), {v.x, v.y, v.z});
  return nb::make_tuple(OwnPoints(u), nb::cast(Own<double>(std::move(out), {8, u.size(), 3})));
}

nb::tuple Backward(const TaxelTape& tape, nb::handle cotangents, std::size_t objects, std::size_t markers) {
  const std::vector<Vec3> all = ToPoints(cotangents, "cotangents");
  std::vector<std::vector<Vec3>> rows;
  for (std::size_t t = 0; t * markers < all.size(); ++t)
    rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(t * markers),
                      all.begin() + static_cast<std::ptrdiff_t>((t + 1) * markers));
  std::vector<std::vector<PoseGradient>> poses;
  TaxelParameterGradient parameters;
  tape.Backward(rows, &poses, &parameters);
  return nb::make_tuple(PoseGradients(poses, objects),
                        nb::cast(Own<double>({parameters.begin(), parameters.end()}, {parameters.size()})));
}

}  // namespace

nb::object PoseGradients(const std::vector<std::vector<PoseGradient>>& rows, std::size_t objects) {
  std::vector<double> out;
  out.reserve(rows.size() * objects * 16);
  for (const auto& row : rows)
    for (const PoseGradient& g : row) {
      out.insert(out.end(), g.begin(), g.end());
      out.insert(out.end(), 4, 0.0);
    }
  return nb::cast(Own<double>(std::move(out), {rows.size(), objects, 4, 4}));
}

const TaxelField& FieldOf(nb::handle gel) { return nb::cast<const Gel&>(gel).field; }

std::vector<std::pair<const char*, double*>> TaxelParameterNames(TaxelParameters* p) {
  return {{"lambda_d", &p->lambda_d},
          {"lambda_s", &p->lambda_s},
          {"friction", &p->friction},
          {"normal_stiffness", &p->normal_stiffness},
          {"shear_stiffness", &p->shear_stiffness},
          {"squeeze", &p->squeeze},
          {"dilate_scale", &p->dilate_scale},
          {"shear_scale", &p->shear_scale},
          {"creep", &p->creep},
          {"creep_time", &p->creep_time}};
}

void BindTaxelField(nb::module_& m) {
  nb::class_<Gel>(m, "TaxelField")
      .def("step", &GelStep, nb::arg("X_PI"), nb::arg("shift").none(), nb::arg("dt"))
      .def("reset", [](Gel& g) { g.field.Reset(); })
      .def("zero_tangential", [](Gel& g) { g.field.ZeroTangential(); })
      .def("copy", [](const Gel& g) { return Gel(g); })
      .def("state", &GelState)
      .def("set_state", &SetGelState, nb::arg("objects"), nb::arg("late"))
      .def("set_marker_forces", [](Gel& g, bool on) { g.field.set_marker_forces(on); })
      .def("parameters",
           [](const Gel& g) {
             TaxelParameters p = g.field.parameters();
             nb::dict out;
             for (const auto& [name, value] : TaxelParameterNames(&p)) out[name] = *value;
             return out;
           })
      .def("set_parameters", [](Gel& g, nb::dict values) { g.field.set_parameters(ToParameters(values)); })
      .def("points", [](const Gel& g, int k) { return OwnPoints(g.field.objects().at(k).points_I); })
      .def("normals", [](const Gel& g, int k) { return OwnPoints(g.field.objects().at(k).normals_I); })
      .def("areas",
           [](const Gel& g, int k) {
             const std::vector<double>& a = g.field.objects().at(k).areas;
             return nb::cast(Own<double>(std::vector<double>(a), {a.size()}));
           })
      .def("jacobian", &Jacobian, nb::arg("path"))
      .def("tape", [](const Gel& g) { return TaxelTape(g.field); })
      .def_prop_ro("dilation",
                   [](Gel& g) {
                     std::vector<Vec3> out;
                     g.field.Dilation(&out);
                     return OwnPoints(out);
                   })
      .def_prop_ro("wrench", &Wrench)
      .def_prop_ro("contact_points", [](const Gel& g) { return OwnPoints(g.reading.points_P); })
      .def_prop_ro("contact_forces", [](const Gel& g) { return OwnPoints(g.reading.point_forces_P); })
      .def_prop_ro("marker_forces", [](const Gel& g) { return OwnPoints(g.reading.marker_forces_P); });
  nb::class_<TaxelTape>(m, "TaxelTape")
      .def("follow", &Follow, nb::arg("path"), nb::arg("objects"), nb::arg("markers"))
      .def("backward", &Backward, nb::arg("cotangents"), nb::arg("objects"), nb::arg("markers"));
  m.def("make_taxel_field", &MakeGel, nb::arg("pad"), nb::arg("markers"), nb::arg("indenters"),
        nb::arg("points"), nb::arg("normals"), nb::arg("areas"), nb::arg("radius"), nb::arg("seed"),
        nb::arg("substeps"), nb::arg("values"), nb::rv_policy::take_ownership);
}

}  // namespace taxel::python
