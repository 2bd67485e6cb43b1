// taxel.Body: constructors by shape, with the options as keywords.
#include <nanobind/stl/string.h>

#include <cmath>
#include <filesystem>
#include <new>

#include "body_arguments.h"
#include "module.h"
#include "taxel/contact/body.h"
#include "taxel/contact/body_data.h"
#include "taxel/math/error.h"
#include "taxel/shape/read_mesh.h"

namespace taxel::python {
using namespace internal;
namespace {

template <typename Shape>
Body MakeBody(const Shape& shape, const BodyOptions& options) {
  const auto make = [&] {
    nb::gil_scoped_release release;
    return Body(shape, options);
  };
  return make();
}

Body BodyFromFile(const BodyArguments& given) {
  const std::string path = ToPath(given.Get("path"));
  const double scale = given.Number("scale", 1);
  BodyOptions options = given.Options();
  if (options.name.empty()) options.name = std::filesystem::path(path).filename().string();
  CheckScale(path, scale);
  const bool tets = HoldsTets(path);
  const auto make = [&] {
    nb::gil_scoped_release release;
    if (tets) {
      TetMesh mesh = ReadTetMesh(path);
      for (Vec3& v : mesh.vertices) v *= scale;
      return Body(mesh, options);
    }
    TriangleMesh mesh = ReadTriangleMesh(path);
    for (Vec3& v : mesh.vertices) v *= scale;
    return Body(mesh, options);
  };
  return make();
}

// --- pickling: the shape and the options, from which the same constructor builds the same body
// --------------

nb::tuple FromPrimitive(const Primitive& shape) {
  nb::object sizes = std::visit(
      [](const auto& s) -> nb::object {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, Sphere>) return nb::make_tuple(s.radius);
        if constexpr (std::is_same_v<S, Box>) return nb::make_tuple(s.size.x, s.size.y, s.size.z);
        if constexpr (std::is_same_v<S, Cylinder>) return nb::make_tuple(s.radius, s.length);
        if constexpr (std::is_same_v<S, Capsule>) return nb::make_tuple(s.radius, s.length);
        if constexpr (std::is_same_v<S, Ellipsoid>)
          return nb::make_tuple(s.semi_axes.x, s.semi_axes.y, s.semi_axes.z);
        return nb::make_tuple();
      },
      shape);
  return nb::make_tuple(PrimitiveName(shape), sizes);
}

// Tetrahedra as given have their boundary, over the same vertices, as their surface; a surface that we
// filled ourselves has vertices of its own, fewer than the tetrahedra.
bool GivenAsTets(const BodyData& data) {
  return data.kind == BodyData::Kind::kTets && data.surface.vertices == data.tets.vertices;
}

nb::tuple GetState(const Body& body) {
  const BodyData& data = body.data();
  const nb::object options = FromBodyOptions(data.options);
  if (const Primitive* primitive = body.primitive())
    return nb::make_tuple("primitive", FromPrimitive(*primitive), options);
  if (GivenAsTets(data)) return nb::make_tuple("tets", ToTuple(data.tets), options);
  return nb::make_tuple("mesh", ToTuple(data.surface), options);
}

Primitive ToPrimitive(const std::string& name, nb::handle sizes) {
  auto at = [&](int i) { return nb::cast<double>(sizes[i]); };
  if (name == PrimitiveName(Sphere{})) return Sphere{at(0)};
  if (name == PrimitiveName(Box{})) return Box{{at(0), at(1), at(2)}};
  if (name == PrimitiveName(Cylinder{})) return Cylinder{at(0), at(1)};
  if (name == PrimitiveName(Capsule{})) return Capsule{at(0), at(1)};
  if (name == PrimitiveName(Ellipsoid{})) return Ellipsoid{{at(0), at(1), at(2)}};
  if (name == PrimitiveName(HalfSpace{})) return HalfSpace{};
  throw Error("pickled body: the shape '" + name + "' is not known to this version of taxel");
}

void SetState(Body& body, const nb::tuple& state) {
  const std::string kind = nb::cast<std::string>(state[0]);
  const nb::object shape = state[1];
  const BodyOptions options = ToBodyOptions("pickled body: ", nb::cast<nb::dict>(state[2]));
  if (kind == "primitive")
    new (&body) Body(MakeBody(ToPrimitive(nb::cast<std::string>(shape[0]), shape[1]), options));
  else if (kind == "tets")
    new (&body) Body(MakeBody(ToTetMesh(shape[0], shape[1]), options));
  else
    new (&body) Body(MakeBody(ToTriangleMesh(shape[0], shape[1]), options));
}

nb::object PressureAt(const Body& body, nb::handle points) {
  const Matrix3 p = ToMatrix3(points, "points");
  std::vector<double> pressures(p.shape(0));
  for (std::size_t i = 0; i < 3 * pressures.size(); ++i)
    if (!std::isfinite(p.data()[i]))
      throw Error("points[" + std::to_string(i / 3) + "] is not finite (" + ToText(p.data()[i]) +
                  "); give points in metres");
  for (std::size_t i = 0; i < pressures.size(); ++i)
    pressures[i] = body.PressureAt({p.data()[3 * i], p.data()[3 * i + 1], p.data()[3 * i + 2]});
  const std::size_t n = pressures.size();
  return nb::cast(Own<double>(std::move(pressures), {n}));
}

std::string Repr(const Body& body) {
  const std::string shape = body.primitive() ? PrimitiveName(*body.primitive())
                            : body.tets()    ? "tetrahedra"
                                             : "mesh";
  std::string text = "<taxel.Body " + shape;
  if (!body.name().empty() && body.name() != shape) text += " '" + body.name() + "'";
  if (!body.soft()) return text + ", rigid>";
  text += ", soft, modulus " + ToText(body.options().modulus) + " Pa, field '" +
          FieldName(body.options().field.kind) + "'";
  if (body.tets()) text += ", " + std::to_string(body.tets()->tets.size()) + " tets";
  return text + ">";
}

// Passes on what was mended. With the GIL held.
Body Warned(Body body) {
  for (const std::string& warning : body.warnings())
    if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) < 0) throw nb::python_error();
  return body;
}

// A constructor Body.`name`(`names`..., modulus=0, **options) that `make` builds from its arguments.
template <typename Make>
void DefineConstructor(nb::class_<Body>& body, const char* name, std::vector<std::string> names,
                       const char* words, Make make) {
  body.def_static(
      name,
      [name, names, make](nb::args values, nb::kwargs keywords) {
        return Warned(make(BodyArguments(name, names, values, keywords)));
      },
      words);
}

// The same of a mesh, which may take long: also with progress=None.
template <typename Make>
void DefineSlowConstructor(nb::class_<Body>& body, const char* name, std::vector<std::string> names,
                           const char* words, Make make) {
  body.def_static(
      name,
      [name, names, make](nb::args values, nb::kwargs keywords) {
        nb::dict options;
        nb::object progress = nb::none();
        for (const auto& [key, value] : keywords)
          if (nb::cast<std::string>(key) == "progress")
            progress = nb::borrow(value);
          else
            options[key] = value;
        const BodyArguments given(name, names, values, nb::borrow<nb::kwargs>(options));
        const Working working(std::string("Body.") + name, progress);
        return Warned(make(given));
      },
      words);
}

}  // namespace

void BindBody(nb::module_& m) {
  using Given = const BodyArguments&;
  nb::class_<Body> body(
      m, "Body",
      "A body that can touch: shape, stiffness and everything a query needs, prepared once. Immutable.\n\n"
      "A copy is the body itself; threads may share it. A pickle holds the shape and the options; loading it "
      "prepares the\nsame body again.\n\n"
      "modulus: hydroelastic modulus, Pa; 0 is rigid. Other options: see ``taxel.common.types.BodyOptions``. "
      "What is made of a\nmesh may take long: ``progress`` is as in ``mesh_interior``, and Ctrl-C stops it.");
  DefineConstructor(body, "sphere", {"radius"}, "Centred.",
                    [](Given a) { return MakeBody(Primitive(Sphere{a.Number("radius")}), a.Options()); });
  DefineConstructor(body, "box", {"size"}, "Centred; ``size`` holds the full edge lengths.", [](Given a) {
    return MakeBody(Primitive(Box{ToVec3(a.Get("size"), "size")}), a.Options());
  });
  DefineConstructor(
      body, "cylinder", {"radius", "length"}, "Centred, axis along z; ``length`` is the full height.",
      [](Given a) {
        return MakeBody(Primitive(Cylinder{a.Number("radius"), a.Number("length")}), a.Options());
      });
  DefineConstructor(
      body, "capsule", {"radius", "length"},
      "Centred, axis along z; ``length`` is that of the straight part.", [](Given a) {
        return MakeBody(Primitive(Capsule{a.Number("radius"), a.Number("length")}), a.Options());
      });
  DefineConstructor(body, "ellipsoid", {"semi_axes"}, "Centred.", [](Given a) {
    return MakeBody(Primitive(Ellipsoid{ToVec3(a.Get("semi_axes"), "semi_axes")}), a.Options());
  });
  DefineConstructor(
      body, "half_space", {},
      "The points with z <= 0. Soft: p = modulus * depth / thickness, so ``thickness`` is needed.",
      [](Given a) { return MakeBody(Primitive(HalfSpace{}), a.Options()); });
  DefineSlowConstructor(
      body, "mesh", {"vertices", "triangles"},
      "A triangle mesh, counter-clockwise from outside. Soft: watertight; it is meshed into tetrahedra here.",
      [](Given a) { return MakeBody(ToTriangleMesh(a.Get("vertices"), a.Get("triangles")), a.Options()); });
  DefineSlowConstructor(body, "tets", {"vertices", "tets"}, "Tetrahedra as given.", [](Given a) {
    return MakeBody(ToTetMesh(a.Get("vertices"), a.Get("tets")), a.Options());
  });
  DefineSlowConstructor(
      body, "from_file", {"path", "scale"},
      ".obj and .stl hold triangles, .vtk and .vtu tetrahedra. ``scale`` 0.001 reads millimetres.",
      &BodyFromFile);
  body.def_prop_ro("soft", &Body::soft)
      .def_prop_ro("name", [](const Body& b) { return b.name(); })
      .def_prop_ro("modulus", [](const Body& b) { return b.options().modulus; })
      .def_prop_ro("field", [](const Body& b) { return FieldName(b.options().field.kind); })
      .def_prop_ro("resolution", [](const Body& b) { return b.options().resolution; })
      .def_prop_ro("dissipation", [](const Body& b) { return b.options().dissipation; })
      .def_prop_ro("static_friction", [](const Body& b) { return b.options().static_friction; })
      .def_prop_ro("dynamic_friction", [](const Body& b) { return b.options().dynamic_friction; })
      .def_prop_ro(
          "tet_mesh",
          [](const Body& b) -> nb::object {
            if (!b.tets()) return nb::none();
            return ToTuple(*b.tets());
          },
          "(vertices, tets) that carry the field, or None where the field is analytic.")
      .def_prop_ro(
          "vertex_pressures",
          [](const Body& b) -> nb::object {
            if (!b.vertex_pressures()) return nb::none();
            std::vector<double> copy = *b.vertex_pressures();
            const std::size_t n = copy.size();
            return nb::cast(Own<double>(std::move(copy), {n}));
          },
          "Pressure at the vertices of ``tet_mesh``, Pa.")
      .def(
          "surface", [](const Body& b, double size) { return ToTuple(b.Surface(size)); },
          nb::arg("half_space_size") = 0.2, "(vertices, triangles) for pictures.")
      .def("pressure_at", &PressureAt, nb::arg("points"),
           "Pressure at points (N, 3) of the body's frame, Pa; 0 outside.")
      .def("__getstate__", &GetState)
      .def("__setstate__", &SetState)
      // Immutable: a copy is the body itself.
      .def("__copy__", [](nb::object self) { return self; })
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; })
      .def("__repr__", &Repr);
}

}  // namespace taxel::python
