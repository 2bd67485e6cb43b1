// taxel.Body: constructors by shape, with the options as keywords.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>

#include "module.h"
#include "taxel/contact/body.h"
#include "taxel/math/error.h"
#include "taxel/shape/read_mesh.h"

namespace taxel::python {
namespace {

FieldKind ToFieldKind(const std::string& text) {
  if (text == "distance") return FieldKind::kDistance;
  if (text == "backed") return FieldKind::kBacked;
  if (text == "laplace") return FieldKind::kLaplace;
  throw Error("field is \"" + text + "\"; give \"distance\", \"backed\" or \"laplace\"");
}

std::string FieldName(FieldKind kind) {
  return kind == FieldKind::kDistance ? "distance" : kind == FieldKind::kBacked ? "backed" : "laplace";
}

using Setter = std::function<void(BodyOptions&, nb::handle)>;

const std::map<std::string, Setter>& Setters() {
  static const std::map<std::string, Setter> setters = {
      {"name", [](BodyOptions& o, nb::handle v) { o.name = nb::cast<std::string>(v); }},
      {"modulus", [](BodyOptions& o, nb::handle v) { o.modulus = nb::cast<double>(v); }},
      {"field", [](BodyOptions& o, nb::handle v) { o.field.kind = ToFieldKind(nb::cast<std::string>(v)); }},
      {"thickness", [](BodyOptions& o, nb::handle v) { o.field.thickness = nb::cast<double>(v); }},
      {"exposed", [](BodyOptions& o, nb::handle v) { o.field.exposed = ToVec3(v, "exposed"); }},
      {"back_triangles",
       [](BodyOptions& o, nb::handle v) { o.field.back_triangles = nb::cast<std::vector<int>>(v); }},
      {"skin_triangles",
       [](BodyOptions& o, nb::handle v) { o.field.skin_triangles = nb::cast<std::vector<int>>(v); }},
      {"stiffening_start",
       [](BodyOptions& o, nb::handle v) { o.field.stiffening_start = nb::cast<double>(v); }},
      {"core_fraction", [](BodyOptions& o, nb::handle v) { o.field.core_fraction = nb::cast<double>(v); }},
      {"resolution", [](BodyOptions& o, nb::handle v) { o.resolution = nb::cast<double>(v); }},
      {"dissipation", [](BodyOptions& o, nb::handle v) { o.dissipation = nb::cast<double>(v); }},
      {"static_friction", [](BodyOptions& o, nb::handle v) { o.static_friction = nb::cast<double>(v); }},
      {"dynamic_friction", [](BodyOptions& o, nb::handle v) { o.dynamic_friction = nb::cast<double>(v); }},
  };
  return setters;
}

BodyOptions ToBodyOptions(double modulus, const nb::kwargs& keywords) {
  BodyOptions options;
  options.modulus = modulus;
  for (const auto& [key, value] : keywords) {
    const std::string name = nb::cast<std::string>(key);
    const auto setter = Setters().find(name);
    if (setter == Setters().end()) {
      std::string known;
      for (const auto& entry : Setters()) known += (known.empty() ? "" : ", ") + entry.first;
      throw nb::type_error(("unknown body option '" + name + "'; the options are: " + known).c_str());
    }
    try {
      setter->second(options, value);
    } catch (const nb::cast_error&) {
      throw nb::type_error(("body option '" + name + "': a value of type " +
                            nb::cast<std::string>(value.type().attr("__name__")) + " does not fit")
                               .c_str());
    }
  }
  return options;
}

std::string Extension(const std::string& path) {
  std::string text = std::filesystem::path(path).extension().string();
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Body BodyFromFile(nb::object path_like, double scale, double modulus, const nb::kwargs& keywords) {
  const std::string path = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path_like));
  BodyOptions options = ToBodyOptions(modulus, keywords);
  if (options.name.empty()) options.name = std::filesystem::path(path).filename().string();
  if (!(scale > 0))
    throw Error(path + ": scale is " + ToText(scale) + "; give a positive factor, 0.001 for millimetres");
  const std::string extension = Extension(path);
  nb::gil_scoped_release release;
  if (extension == ".obj" || extension == ".stl") {
    TriangleMesh mesh = ReadTriangleMesh(path);
    for (Vec3& v : mesh.vertices) v *= scale;
    return Body(mesh, options);
  }
  if (extension == ".vtk" || extension == ".vtu") {
    TetMesh mesh = ReadTetMesh(path);
    for (Vec3& v : mesh.vertices) v *= scale;
    return Body(mesh, options);
  }
  throw Error(path + ": the extension \"" + extension +
              "\" is not known; give .obj or .stl (triangles), .vtk or .vtu " + "(tetrahedra)");
}

template <typename Shape>
Body MakeBody(const Shape& shape, double modulus, const nb::kwargs& keywords) {
  const BodyOptions options = ToBodyOptions(modulus, keywords);
  nb::gil_scoped_release release;
  return Body(shape, options);
}

nb::object PressureAt(const Body& body, nb::handle points) {
  const Matrix3 p = ToMatrix3(points, "points");
  std::vector<double> pressures(p.shape(0));
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

}  // namespace

void BindBody(nb::module_& m) {
  nb::class_<Body> body(m, "Body");
  body.def_static(
          "sphere",
          [](double radius, double modulus, nb::kwargs k) {
            return MakeBody(Primitive(Sphere{radius}), modulus, k);
          },
          nb::arg("radius"), nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_static(
          "box",
          [](nb::object size, double modulus, nb::kwargs k) {
            return MakeBody(Primitive(Box{ToVec3(size, "size")}), modulus, k);
          },
          nb::arg("size"), nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_static(
          "cylinder",
          [](double radius, double length, double modulus, nb::kwargs k) {
            return MakeBody(Primitive(Cylinder{radius, length}), modulus, k);
          },
          nb::arg("radius"), nb::arg("length"), nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_static(
          "capsule",
          [](double radius, double length, double modulus, nb::kwargs k) {
            return MakeBody(Primitive(Capsule{radius, length}), modulus, k);
          },
          nb::arg("radius"), nb::arg("length"), nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_static(
          "ellipsoid",
          [](nb::object semi_axes, double modulus, nb::kwargs k) {
            return MakeBody(Primitive(Ellipsoid{ToVec3(semi_axes, "semi_axes")}), modulus, k);
          },
          nb::arg("semi_axes"), nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_static(
          "half_space",
          [](double modulus, nb::kwargs k) { return MakeBody(Primitive(HalfSpace{}), modulus, k); },
          nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_static(
          "mesh",
          [](nb::object vertices, nb::object triangles, double modulus, nb::kwargs k) {
            return MakeBody(ToTriangleMesh(vertices, triangles), modulus, k);
          },
          nb::arg("vertices"), nb::arg("triangles"), nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_static(
          "tets",
          [](nb::object vertices, nb::object tets, double modulus, nb::kwargs k) {
            return MakeBody(ToTetMesh(vertices, tets), modulus, k);
          },
          nb::arg("vertices"), nb::arg("tets"), nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_static("from_file", &BodyFromFile, nb::arg("path"), nb::arg("scale") = 1.0,
                  nb::arg("modulus") = 0.0, nb::arg("options"))
      .def_prop_ro("soft", &Body::soft)
      .def_prop_ro("name", [](const Body& b) { return b.name(); })
      .def_prop_ro("modulus", [](const Body& b) { return b.options().modulus; })
      .def_prop_ro("field", [](const Body& b) { return FieldName(b.options().field.kind); })
      .def_prop_ro("resolution", [](const Body& b) { return b.options().resolution; })
      .def_prop_ro("dissipation", [](const Body& b) { return b.options().dissipation; })
      .def_prop_ro("static_friction", [](const Body& b) { return b.options().static_friction; })
      .def_prop_ro("dynamic_friction", [](const Body& b) { return b.options().dynamic_friction; })
      .def_prop_ro("tet_mesh",
                   [](const Body& b) -> nb::object {
                     if (!b.tets()) return nb::none();
                     return ToTuple(*b.tets());
                   })
      .def_prop_ro("vertex_pressures",
                   [](const Body& b) -> nb::object {
                     if (!b.vertex_pressures()) return nb::none();
                     std::vector<double> copy = *b.vertex_pressures();
                     const std::size_t n = copy.size();
                     return nb::cast(Own<double>(std::move(copy), {n}));
                   })
      .def(
          "surface", [](const Body& b, double size) { return ToTuple(b.Surface(size)); },
          nb::arg("half_space_size") = 0.2)
      .def("pressure_at", &PressureAt, nb::arg("points"))
      .def("__repr__", &Repr);
}

}  // namespace taxel::python
