// Particles and skin points of a solid: lattice, Poisson-disk and carved fillings, layers, the paper's pads.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include "module.h"
#include "taxel/contact/body.h"
#include "taxel/gel/carve.h"
#include "taxel/gel/layers.h"
#include "taxel/gel/poisson_fill.h"
#include "taxel/gel/skin_points.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

const Body* AsBody(nb::handle shape) {
  const Body* body = nullptr;
  return nb::try_cast<const Body*>(shape, body) ? body : nullptr;
}

TriangleMesh MeshOf(nb::handle shape) {
  if (!nb::isinstance<nb::tuple>(shape) || nb::len(shape) != 2)
    throw nb::type_error("shape: give a taxel.Body or a tuple (vertices, triangles)");
  return ToTriangleMesh(shape[0], shape[1]);
}

SolidShape ToSolid(nb::handle shape) {
  if (const Body* body = AsBody(shape)) {
    if (const Primitive* primitive = body->primitive()) return SolidShape(*primitive);
    return SolidShape(body->Surface(), body->name());
  }
  return SolidShape(MeshOf(shape), "shape");
}

nb::tuple ToTuple(const Filling& filling) {
  return nb::make_tuple(OwnPoints(filling.points), filling.volume_per_point(), filling.solid_volume);
}

nb::tuple Lattice(nb::handle shape, double spacing) {
  const SolidShape solid = ToSolid(shape);
  Filling filling;
  {
    nb::gil_scoped_release release;
    filling = FillLattice(solid, spacing);
  }
  return ToTuple(filling);
}

nb::tuple Poisson(nb::handle shape, double radius, std::uint64_t seed) {
  const SolidShape solid = ToSolid(shape);
  Filling filling;
  {
    nb::gil_scoped_release release;
    filling = FillPoissonDisk(solid, radius, seed);
  }
  return ToTuple(filling);
}

nb::tuple Carve(nb::handle shape, double voxel, int views, int pixels, bool pinhole, double distance,
                bool whole_voxels, bool look_through_holes) {
  const Body* body = AsBody(shape);
  if (body && body->primitive() && std::holds_alternative<HalfSpace>(*body->primitive()))
    throw Error("carving: a half space has no end; give a box of the size that is needed");
  const TriangleMesh mesh = body ? body->Surface() : MeshOf(shape);
  const CarveOptions options{views, pixels, pinhole, distance, whole_voxels, look_through_holes};
  Carving carving;
  {
    nb::gil_scoped_release release;
    carving = CarveVoxels(mesh, voxel, options);
  }
  return nb::make_tuple(OwnPoints(carving.points), carving.volume_per_point(),
                        carving.volume_per_point() * static_cast<double>(carving.points.size()));
}

nb::dict Skin(nb::handle shape, double spacing, std::uint64_t seed) {
  const SolidShape solid = ToSolid(shape);
  SkinPoints skin;
  {
    nb::gil_scoped_release release;
    skin = SampleSkin(solid, spacing, seed);
  }
  const std::size_t n = skin.points.size();
  nb::dict out;
  out["points"] = OwnPoints(skin.points);
  out["normals"] = OwnPoints(skin.normals);
  out["areas"] = Own<double>(std::move(skin.areas), {n});
  out["faces"] = Own<int>(std::move(skin.faces), {n});
  return out;
}

nb::object Facing(nb::handle normals, nb::handle direction, double angle) {
  SkinPoints skin;
  skin.normals = ToPoints(normals, "normals");
  std::vector<int> found = PointsFacing(skin, ToVec3(direction, "direction"), angle);
  const std::size_t n = found.size();
  return nb::cast(Own<int>(std::move(found), {n}));
}

nb::object Layers(nb::handle points, nb::handle outward, int count) {
  std::vector<int> layers = LayersOf(ToPoints(points, "points"), ToVec3(outward, "outward"), count);
  const std::size_t n = layers.size();
  return nb::cast(Own<int>(std::move(layers), {n}));
}

nb::dict ToDict(LayeredPad pad) {
  const std::size_t n = pad.points.size();
  nb::dict out;
  out["points"] = OwnPoints(pad.points);
  out["layers"] = Own<int>(std::move(pad.layers), {n});
  out["outward"] = ToArray(pad.outward);
  out["image"] = nb::make_tuple(pad.image[0], pad.image[1]);
  out["count"] = pad.count;
  out["volume"] = pad.volume_per_point;
  return out;
}

}  // namespace

void BindGelFill(nb::module_& m) {
  m.def("fill_lattice", &Lattice, nb::arg("shape"), nb::arg("spacing"));
  m.def("fill_poisson", &Poisson, nb::arg("shape"), nb::arg("radius"), nb::arg("seed"));
  m.def("carve_voxels", &Carve, nb::arg("shape"), nb::arg("voxel"), nb::arg("views"), nb::arg("pixels"),
        nb::arg("pinhole"), nb::arg("distance"), nb::arg("whole_voxels"), nb::arg("look_through_holes"));
  m.def("sample_skin", &Skin, nb::arg("shape"), nb::arg("spacing"), nb::arg("seed"));
  m.def("points_facing", &Facing, nb::arg("normals"), nb::arg("direction"), nb::arg("angle"));
  m.def("layers_of", &Layers, nb::arg("points"), nb::arg("outward"), nb::arg("count"));
  m.def(
      "layered_pad",
      [](nb::handle size, std::array<int, 3> counts, int axis, int sign, nb::handle center) {
        return ToDict(MakeLayeredPad(ToVec3(size, "size"), counts, axis, sign, ToVec3(center, "center")));
      },
      nb::arg("size"), nb::arg("counts"), nb::arg("axis"), nb::arg("sign"), nb::arg("center"));
  m.def(
      "eip_pads",
      [](double gap, nb::handle center) {
        EipPads pads = MakeEipPads(gap, ToVec3(center, "center"));
        return nb::make_tuple(ToDict(std::move(pads.lower)), ToDict(std::move(pads.upper)));
      },
      nb::arg("gap"), nb::arg("center"));
}

}  // namespace taxel::python
