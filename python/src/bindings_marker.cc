// Marker fields: HydroShear, FOTS and TacSL (taxel/marker/field.py wraps them).
#include <nanobind/stl/string.h>

#include <utility>
#include <variant>

#include "marker_arguments.h"
#include "module.h"
#include "taxel/contact/body_distance.h"
#include "taxel/marker/fots.h"
#include "taxel/marker/marker_field.h"
#include "taxel/marker/tacsl.h"
#include "taxel/math/error.h"
#include "taxel/shape/sample_area.h"

namespace taxel::python {
using namespace internal;
namespace {

// A taxel.Body, or a tuple (vertices, triangles).
const Body* ToBody(nb::handle shape, const std::string& name) {
  const Body* body = nullptr;
  if (nb::try_cast<const Body*>(shape, body) && body) return body;
  if (!nb::isinstance<nb::tuple>(shape) || nb::len(shape) != 2)
    throw nb::type_error(
        (name + ": give a taxel.Body, a taxel.MarkerDistance or a tuple (vertices, triangles)").c_str());
  return nullptr;
}

MarkerDistance Exact(nb::handle shape, const std::string& name) {
  if (const Body* body = ToBody(shape, name)) return DistanceOf(*body);
  return MarkerDistance(ToTriangleMesh(shape[0], shape[1]), name);
}

void MakeDistance(MarkerDistance* self, nb::handle shape, const std::string& kind, double spacing,
                  double margin, nb::handle origin) {
  MarkerDistance exact = Exact(shape, "shape");
  if (kind == "exact") {
    new (self) MarkerDistance(std::move(exact));
  } else if (kind == "trilinear") {
    new (self) MarkerDistance(exact.Trilinear(spacing, margin));
  } else {
    const Vec3 o = origin.is_none() ? Vec3{} : ToVec3(origin, "origin");
    new (self) MarkerDistance(exact.NearestVoxel(spacing, margin, origin.is_none() ? nullptr : &o));
  }
}

nb::object Values(const MarkerDistance& d, nb::handle points) {
  const std::vector<Vec3> p = ToPoints(points, "points");
  std::vector<double> values(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) values[i] = d.Value(p[i]);
  return nb::cast(Own<double>(std::move(values), {p.size()}));
}

struct Field {
  MarkerField field;
  MarkerReading reading;
};

Field* MakeField(nb::handle pad, nb::handle markers, nb::handle indenter, nb::handle points,
                 nb::handle normals, nb::handle areas, const std::string& mode, double radius,
                 std::uint64_t seed, nb::dict values) {
  MarkerParameters p;
  p.point_areas = !areas.is_none();
  p.mode = mode == "paper" ? MarkerMode::kPaper : MarkerMode::kRelease;
  const std::pair<const char*, double*> known[] = {{"lambda_d", &p.lambda_d},
                                                   {"lambda_s", &p.lambda_s},
                                                   {"friction", &p.friction},
                                                   {"stiffness_area", &p.stiffness_area},
                                                   {"dilate_scale", &p.dilate_scale},
                                                   {"shear_scale", &p.shear_scale},
                                                   {"young_over_stiffness", &p.young_over_stiffness},
                                                   {"tracking_friction", &p.tracking_friction}};
  for (const auto& [name, value] : known)
    if (values.contains(name)) *value = nb::cast<double>(values[name]);
  return new Field{MarkerField(ToDistance(pad, "pad"), ToPoints(markers, "markers"),
                               ToIndenter(indenter, points, normals, areas, radius, seed, false), p),
                   {}};
}

nb::object FieldStep(Field& f, nb::handle X_PI, nb::handle shift) {
  const Pose X = ToPose(X_PI, "X_PI");
  const Pose moved = shift.is_none() ? Pose{} : ToPose(shift, "shift");
  f.field.Step(X, &f.reading, shift.is_none() ? nullptr : &moved);
  return OwnPoints(f.reading.displacement);
}

FotsVariant ToVariant(const std::string& name) {
  if (name == "contact_center") return FotsVariant::kContactCentre;
  if (name == "hydroshear_original") return FotsVariant::kHydroShearOriginal;
  if (name == "hydroshear_reimpl") return FotsVariant::kHydroShearReimpl;
  return FotsVariant::kFots;
}

Fots* MakeFots(nb::handle markers, nb::handle object, const std::string& variant, double pixel,
               nb::handle center, nb::handle image_origin, bool whole_pixels, bool twist_about_start,
               nb::dict values) {
  FotsParameters p = FotsDefaults(ToVariant(variant), pixel);
  const std::pair<const char*, double*> known[] = {{"lambda_d", &p.lambda_d},
                                                   {"lambda_s", &p.lambda_s},
                                                   {"lambda_t", &p.lambda_t},
                                                   {"dilate_scale", &p.dilate_scale},
                                                   {"max_twist", &p.max_twist}};
  for (const auto& [name, value] : known)
    if (values.contains(name)) *value = nb::cast<double>(values[name]);
  p.whole_pixels = whole_pixels;
  p.twist_about_start = twist_about_start;
  p.image_origin_P = ToVec3(image_origin, "image_origin");
  const Vec3 c = center.is_none() ? Vec3{} : ToVec3(center, "center");
  return new Fots(ToPoints(markers, "markers"), ToDistance(object, "object"), p,
                  center.is_none() ? nullptr : &c);
}

nb::object FotsStep(Fots& fots, nb::handle X_PI, nb::handle shift) {
  std::vector<Vec3> out;
  const Vec3 moved = shift.is_none() ? Vec3{} : ToVec3(shift, "shift");
  fots.Step(ToPose(X_PI, "X_PI"), &out, shift.is_none() ? nullptr : &moved);
  return OwnPoints(out);
}

TacSl* MakeTacSl(nb::handle points, nb::handle object, double kn, double kt, double mu, bool unit_shear) {
  return new TacSl(ToPoints(points, "points"), ToDistance(object, "object"), {kn, kt, mu, unit_shear});
}

nb::tuple TacSlRead(const TacSl& t, nb::handle X_WP, nb::handle X_WI, nb::handle pad_v, nb::handle pad_w,
                    nb::handle object_v, nb::handle object_w) {
  TacSlReading r;
  t.Read(ToPose(X_WP, "X_WP"), ToPose(X_WI, "X_WI"),
         {ToVec3(pad_v, "pad_velocity"), ToVec3(pad_w, "pad_angular_velocity")},
         {ToVec3(object_v, "object_velocity"), ToVec3(object_w, "object_angular_velocity")}, &r);
  const std::size_t n = r.depth.size();
  return nb::make_tuple(OwnPoints(r.points_W), Own<double>(std::move(r.depth), {n}),
                        Own<double>(std::move(r.normal), {n}), Own<double>(std::move(r.shear), {n, 2}));
}

}  // namespace

MarkerDistance ToDistance(nb::handle shape, const std::string& name) {
  const MarkerDistance* distance = nullptr;
  if (nb::try_cast<const MarkerDistance*>(shape, distance) && distance) return *distance;
  return Exact(shape, name);
}

MarkerIndenter ToIndenter(nb::handle indenter, nb::handle points, nb::handle normals, nb::handle areas,
                          double radius, std::uint64_t seed, bool needs_areas) {
  const bool distance_only = nb::isinstance<MarkerDistance>(indenter);
  if (points.is_none()) {
    if (distance_only)
      throw Error(
          "marker field: an indenter given as a MarkerDistance has no surface to sample; give points too");
    const Body* body = ToBody(indenter, "indenter");
    if (needs_areas)
      return body ? SampleCellMiddles(*body, radius, seed)
                  : SampleCellMiddles(ToTriangleMesh(indenter[0], indenter[1]), radius, seed);
    return body ? SampleIndenter(*body, radius, seed)
                : SampleIndenter(ToTriangleMesh(indenter[0], indenter[1]), radius, seed);
  }
  MarkerIndenter made{ToDistance(indenter, "indenter"), ToPoints(points, "points"), {}, {}};
  if (!normals.is_none()) made.normals_I = ToPoints(normals, "normals");
  if (!areas.is_none()) {
    const Vector given = nb::cast<Vector>(areas);
    made.areas.assign(given.data(), given.data() + given.shape(0));
  } else if (needs_areas) {
    if (distance_only)
      throw Error(
          "marker field: an indenter given as a MarkerDistance has no surface to share among its points; "
          "give "
          "areas too (m^2, one a point)");
    const Body* body = ToBody(indenter, "indenter");
    made.areas = body ? PointAreas(*body, made.points_I, made.normals_I)
                      : SampleAreas(ToTriangleMesh(indenter[0], indenter[1]), made.points_I, made.normals_I);
  }
  return made;
}

nb::dict ToStateDict(const MarkerState& s) {
  std::vector<double> m(16, 0);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) m[4 * r + c] = s.X_PI.R(r, c);
    m[4 * r + 3] = s.X_PI.p[r];
  }
  m[15] = 1;
  nb::dict out;
  out["started"] = s.started;
  out["X_PI"] = nb::cast(Own<double>(std::move(m), {4, 4}));
  out["index"] = Own<std::int32_t>({s.index.begin(), s.index.end()}, {s.index.size()});
  out["f"] = OwnPoints(s.f_P);
  if (!s.g_P.empty()) out["g"] = OwnPoints(s.g_P);
  out["phi"] = Own<double>(std::vector<double>(s.phi), {s.phi.size()});
  return out;
}

MarkerState ToMarkerState(nb::dict state) {
  using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  MarkerState s;
  s.started = nb::cast<bool>(state["started"]);
  s.X_PI = ToPose(state["X_PI"], "X_PI");
  const Indices index = nb::cast<Indices>(state["index"]);
  s.index.assign(index.data(), index.data() + index.shape(0));
  s.f_P = ToPoints(state["f"], "f");
  if (state.contains("g")) s.g_P = ToPoints(state["g"], "g");
  const Vector phi = nb::cast<Vector>(state["phi"]);
  s.phi.assign(phi.data(), phi.data() + phi.shape(0));
  return s;
}

const MarkerField& PublishedFieldOf(nb::handle field) { return nb::cast<const Field&>(field).field; }

void BindMarker(nb::module_& m) {
  nb::class_<MarkerDistance>(m, "MarkerDistance")
      .def("__init__", &MakeDistance, nb::arg("shape"), nb::arg("kind"), nb::arg("spacing"),
           nb::arg("margin"), nb::arg("origin").none())
      .def("__call__", &Values, nb::arg("points"))
      .def_prop_ro("box",
                   [](const MarkerDistance& d) {
                     return nb::make_tuple(ToArray(d.inside_box().lo), ToArray(d.inside_box().hi));
                   })
      .def_prop_ro("has_formula",  // or a lattice: what kernels can evaluate
                   [](const MarkerDistance& d) {
                     return d.kind() != MarkerDistance::Kind::kExact ||
                            (d.primitive() && !std::holds_alternative<Ellipsoid>(*d.primitive()));
                   });
  nb::class_<Field>(m, "MarkerField")
      .def("step", &FieldStep, nb::arg("X_PI"), nb::arg("shift").none())
      .def("reset", [](Field& f) { f.field.Reset(); })
      .def("zero_tangential", [](Field& f) { f.field.ZeroTangential(); })
      .def("copy", [](const Field& f) { return Field(f); })
      .def("state", [](const Field& f) { return ToStateDict(f.field.state()); })
      .def("set_state", [](Field& f, nb::dict state) { f.field.set_state(ToMarkerState(state)); })
      .def_prop_ro("dilation", [](const Field& f) { return OwnPoints(f.reading.dilation); })
      .def_prop_ro("shear", [](const Field& f) { return OwnPoints(f.reading.shear); })
      .def_prop_ro("points", [](const Field& f) { return OwnPoints(f.field.indenter().points_I); })
      .def_prop_ro("normals", [](const Field& f) { return OwnPoints(f.field.indenter().normals_I); });
  m.def("make_marker_field", &MakeField, nb::arg("pad"), nb::arg("markers"), nb::arg("indenter"),
        nb::arg("points").none(), nb::arg("normals").none(), nb::arg("areas").none(), nb::arg("mode"),
        nb::arg("radius"), nb::arg("seed"), nb::arg("values"), nb::rv_policy::take_ownership);
  nb::class_<Fots>(m, "Fots")
      .def("step", &FotsStep, nb::arg("X_PI"), nb::arg("shift").none())
      .def("reset", &Fots::Reset)
      .def_prop_ro("markers", [](const Fots& f) { return OwnPoints(f.markers_P()); });
  m.def("make_fots", &MakeFots, nb::arg("markers"), nb::arg("object"), nb::arg("variant"), nb::arg("pixel"),
        nb::arg("center").none(), nb::arg("image_origin"), nb::arg("whole_pixels"),
        nb::arg("twist_about_start"), nb::arg("values"), nb::rv_policy::take_ownership);
  nb::class_<TacSl>(m, "TacSl")
      .def("read", &TacSlRead, nb::arg("X_WP"), nb::arg("X_WI"), nb::arg("pad_v"), nb::arg("pad_w"),
           nb::arg("object_v"), nb::arg("object_w"))
      .def_prop_ro("points", [](const TacSl& t) { return OwnPoints(t.points_P()); });
  m.def("make_tacsl", &MakeTacSl, nb::arg("points"), nb::arg("object"), nb::arg("kn"), nb::arg("kt"),
        nb::arg("mu"), nb::arg("unit_shear"), nb::rv_policy::take_ownership);
}

}  // namespace taxel::python
