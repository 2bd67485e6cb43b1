// Shapes on their own: readers, watertightness, signed distance, surface samples, tetrahedra.
#include <nanobind/stl/string.h>

#include <cmath>

#include "module.h"
#include "taxel/contact/body.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/read_mesh.h"
#include "taxel/shape/sample_surface.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/tet_mesher.h"
#include "taxel/shape/watertight.h"

namespace taxel::python {
namespace {

nb::tuple ReadMesh(nb::handle path_like, double scale) {
  const std::string path = ToPath(path_like);
  CheckScale(path, scale);
  if (HoldsTets(path)) {
    TetMesh mesh = ReadTetMesh(path);
    for (Vec3& v : mesh.vertices) v *= scale;
    return ToTuple(mesh);
  }
  TriangleMesh mesh = ReadTriangleMesh(path);
  for (Vec3& v : mesh.vertices) v *= scale;
  return ToTuple(mesh);
}

void WriteTets(nb::handle path, nb::handle vertices, nb::handle tets, nb::handle values,
               const std::string& value_name) {
  const TetMesh mesh = ToTetMesh(vertices, tets);
  if (values.is_none()) return WriteVtk(mesh, ToPath(path));
  const auto array = nb::cast<Vector>(values);
  const std::vector<double> numbers(array.data(), array.data() + array.shape(0));
  WriteVtk(mesh, ToPath(path), &numbers, value_name);
}

template <typename Distance>
nb::object DistancesOf(const Matrix3& points, const Distance& distance) {
  const std::size_t n = points.shape(0);
  std::vector<double> result(n);
  for (std::size_t i = 0; i < 3 * n; ++i)
    if (!std::isfinite(points.data()[i]))
      throw Error("points[" + std::to_string(i / 3) + "] is not finite (" + ToText(points.data()[i]) +
                  "); give points in metres");
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 64 == 0) CheckInterrupt();
      result[i] = distance(Vec3{points.data()[3 * i], points.data()[3 * i + 1], points.data()[3 * i + 2]});
    }
  }
  return nb::cast(Own<double>(std::move(result), {n}));
}

nb::object Distances(nb::handle shape, nb::handle points) {
  const Matrix3 p = ToMatrix3(points, "points");
  const Body* body = nullptr;
  if (nb::try_cast<const Body*>(shape, body) && body) {
    if (const Primitive* primitive = body->primitive())
      return DistancesOf(p, [&](const Vec3& q) { return SignedDistance(*primitive, q); });
    const MeshDistance mesh(body->Surface());
    return DistancesOf(p, [&](const Vec3& q) { return mesh.SignedDistance(q); });
  }
  if (!nb::isinstance<nb::tuple>(shape) || nb::len(shape) != 2)
    throw nb::type_error("shape: give a taxel.Body or a tuple (vertices, triangles)");
  const MeshDistance mesh(ToTriangleMesh(shape[0], shape[1]));
  return DistancesOf(p, [&](const Vec3& q) { return mesh.SignedDistance(q); });
}

nb::tuple Samples(nb::handle vertices, nb::handle triangles, double radius, std::uint64_t seed) {
  const TriangleMesh mesh = ToTriangleMesh(vertices, triangles);
  const std::vector<SurfaceSample> samples = SampleSurface(mesh, radius, seed);
  std::vector<Vec3> points, normals;
  std::vector<std::int32_t> owners;
  for (const SurfaceSample& s : samples) {
    points.push_back(s.point);
    normals.push_back(s.normal);
    owners.push_back(s.triangle);
  }
  return nb::make_tuple(OwnPoints(points), OwnPoints(normals),
                        nb::cast(Own<std::int32_t>(std::move(owners), {samples.size()})));
}

nb::tuple Interior(nb::handle vertices, nb::handle triangles, double edge_length, nb::handle progress) {
  const TriangleMesh mesh = ToTriangleMesh(vertices, triangles);
  MesherOptions options;
  if (!(edge_length >= 0))
    throw Error("edge_length is " + ToText(edge_length) + "; give 0 (automatic) or a length in metres");
  options.spacing = edge_length;
  MeshedInterior result;
  {
    const Working working("meshing", progress);
    nb::gil_scoped_release release;
    result = MeshInterior(mesh, options, "mesh");
  }
  return ToTuple(result.mesh);
}

nb::tuple Refined(nb::handle vertices, nb::handle tets, nb::handle progress) {
  const TetMesh mesh = ToTetMesh(vertices, tets);
  MeshedInterior result;
  {
    const Working working("refining", progress);
    nb::gil_scoped_release release;
    result = RefineForDepth(mesh, {}, "mesh");
  }
  return ToTuple(result.mesh);
}

}  // namespace

void BindShape(nb::module_& m) {
  nb::class_<WatertightReport>(m, "WatertightReport")
      .def_ro("open_edges", &WatertightReport::open_edges)
      .def_ro("overshared_edges", &WatertightReport::overshared_edges)
      .def_ro("flipped_edges", &WatertightReport::flipped_edges)
      .def_ro("degenerate_triangles", &WatertightReport::degenerate_triangles)
      .def_ro("components", &WatertightReport::components)
      .def_prop_ro("ok", [](const WatertightReport& r) { return r.ok(); })
      .def_prop_ro(
          "closed", [](const WatertightReport& r) { return r.closed(); },
          "Whether it has an inside; ``ok`` asks that no edge has more than two triangles, too.")
      .def("describe", &WatertightReport::Describe, nb::arg("name") = "mesh",
           "What is wrong and where, in words.")
      .def("__bool__", [](const WatertightReport& r) { return r.ok(); })
      .def("__repr__",
           [](const WatertightReport& r) { return "<taxel.WatertightReport: " + r.Describe("mesh") + ">"; });
  m.def(
      "check_watertight", [](nb::handle v, nb::handle t) { return CheckWatertight(ToTriangleMesh(v, t)); },
      nb::arg("vertices"), nb::arg("triangles"), "Whether a surface is closed, and where it is not.");
  m.def("read_mesh", &ReadMesh, nb::arg("path"), nb::arg("scale") = 1.0,
        "(vertices, triangles) of an .obj or .stl, (vertices, tets) of a .vtk or .vtu.");
  m.def("write_tets", &WriteTets, nb::arg("path"), nb::arg("vertices"), nb::arg("tets"),
        nb::arg("values") = nb::none(), nb::arg("value_name") = "pressure");
  m.def("signed_distance", &Distances, nb::arg("shape"), nb::arg("points"),
        "Distance of points (N, 3) to a body or a closed (vertices, triangles) surface, m; negative inside.");
  m.def("sample_surface", &Samples, nb::arg("vertices"), nb::arg("triangles"), nb::arg("radius"),
        nb::arg("seed") = 0,
        "Poisson-disk samples: (points, normals, triangle numbers), no two nearer than ``radius``.");
  m.def("mesh_interior", &Interior, nb::arg("vertices"), nb::arg("triangles"), nb::arg("edge_length") = 0.0,
        nb::arg("progress").none() = nb::none(),
        "(vertices, tets) inside a watertight surface; sharp edges and corners are kept. 0: automatic size.");
  m.def("refine_for_depth", &Refined, nb::arg("vertices"), nb::arg("tets"),
        nb::arg("progress").none() = nb::none(),
        "Splits inner edges of tetrahedra from elsewhere until depth, linear on them, follows the true "
        "distance.");
}

}  // namespace taxel::python
