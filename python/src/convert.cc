#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "module.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

// The slow road: taxel.common.convert turns lists, tuples and arrays of other kinds into what the fast road
// takes, or raises an error that names the argument and its shape.
nb::object CallConvert(const char* function, nb::handle value, const char* argument) {
  return nb::module_::import_("taxel.common.convert").attr(function)(value, argument);
}

template <typename Array>
Array ToArrayOf(nb::handle value, const char* function, const char* argument) {
  Array array;
  if (nb::try_cast<Array>(value, array, false)) return array;
  return nb::cast<Array>(CallConvert(function, value, argument), false);
}

static_assert(sizeof(Vec3) == 3 * sizeof(double), "points are read and shown as rows of three doubles");

// A row of 16 numbers whose last four are (0, 0, 0, 1). `index`: which of many, for the message.
Pose PoseFromRow(const double* m, const char* argument, std::ptrdiff_t index = -1) {
  if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1)
    throw Error(argument + (index < 0 ? "" : "[" + std::to_string(index) + "]") +
                ": the last row of a pose matrix is 0 0 0 1; got " + ToText(m[12]) + " " + ToText(m[13]) +
                " " + ToText(m[14]) + " " + ToText(m[15]) + " (is the matrix transposed?)");
  Pose X;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) X.R(r, c) = m[4 * r + c];
  X.p = {m[3], m[7], m[11]};
  return X;
}

}  // namespace

Pose ToPose(nb::handle value, const char* argument) {
  using Matrix4 = nb::ndarray<const double, nb::shape<4, 4>, nb::c_contig, nb::device::cpu>;
  return PoseFromRow(ToArrayOf<Matrix4>(value, "pose_matrix", argument).data(), argument);
}

std::vector<Pose> ToPoses(nb::handle value, const char* argument) {
  using Matrices = nb::ndarray<const double, nb::shape<-1, 4, 4>, nb::c_contig, nb::device::cpu>;
  const auto array = ToArrayOf<Matrices>(value, "pose_matrices", argument);
  std::vector<Pose> poses(array.shape(0));
  for (std::size_t i = 0; i < poses.size(); ++i)
    poses[i] = PoseFromRow(array.data() + 16 * i, argument, static_cast<std::ptrdiff_t>(i));
  return poses;
}

std::string ToPath(nb::handle path_like) {
  return nb::cast<std::string>(CallConvert("path_text", path_like, "path"));
}

bool HoldsTets(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error("mesh file '" + path + "' is a folder; name a file in it");
  const std::string extension = std::filesystem::path(path).extension().string();
  std::string lower = extension;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == ".vtk" || lower == ".vtu") return true;
  if (lower == ".obj" || lower == ".stl") return false;
  throw Error("mesh file '" + path + "': extension '" + extension +
              "' is unknown; triangles are read from .obj or .stl, tetrahedra from .vtk or .vtu: convert the "
              "file");
}

void CheckScale(const std::string& path, double scale) {
  if (!(scale > 0) || !std::isfinite(scale))
    throw Error("mesh file '" + path + "': scale is " + ToText(scale) +
                "; give a positive factor, 0.001 for millimetres");
}

Matrix3 ToMatrix3(nb::handle value, const char* argument) {
  return ToArrayOf<Matrix3>(value, "points", argument);
}

std::vector<Vec3> ToPoints(nb::handle value, const char* argument) {
  const Matrix3 array = ToMatrix3(value, argument);
  std::vector<Vec3> points(array.shape(0));
  if (!points.empty()) std::memcpy(points.data(), array.data(), points.size() * sizeof(Vec3));
  return points;
}

Vec3 ToVec3(nb::handle value, const char* argument) {
  const auto a = ToArrayOf<nb::ndarray<const double, nb::shape<3>, nb::c_contig, nb::device::cpu>>(
      value, "vector3", argument);
  return {a.data()[0], a.data()[1], a.data()[2]};
}

namespace {

// Numbers past the range of int would wrap silently; they are out of range for any mesh, so -1 says the same.
int ToIndex(std::int64_t i) { return i == static_cast<int>(i) ? static_cast<int>(i) : -1; }

// Rows of N vertex numbers; `name` is that of the argument and of the kind of array.
template <class Array, std::size_t N>
std::vector<std::array<int, N>> ToElements(nb::handle value, const char* name) {
  const auto rows = ToArrayOf<Array>(value, name, name);
  std::vector<std::array<int, N>> elements(rows.shape(0));
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (std::size_t k = 0; k < N; ++k) elements[i][k] = ToIndex(rows.data()[N * i + k]);
  return elements;
}

}  // namespace

TriangleMesh ToTriangleMesh(nb::handle vertices, nb::handle triangles) {
  return {ToPoints(vertices, "vertices"), ToElements<Triangles, 3>(triangles, "triangles")};
}

TetMesh ToTetMesh(nb::handle vertices, nb::handle tets) {
  return {ToPoints(vertices, "vertices"), ToElements<Tets, 4>(tets, "tets")};
}

ContactOptions ToContactOptions(const char* faces, bool cull, double cull_angle, double resolution,
                                int facets_across) {
  ContactOptions options;
  if (std::strcmp(faces, "triangles") == 0)
    options.faces = Faces::kTriangles;
  else if (std::strcmp(faces, "polygons") != 0)
    throw Error("faces is \"" + std::string(faces) + "\"; give \"polygons\" or \"triangles\"");
  options.cull = cull;
  options.cull_angle = cull_angle;
  options.resolution = resolution;
  options.facets_across = facets_across;
  return options;
}

nb::object OwnPoints(const std::vector<Vec3>& points) {
  std::vector<double> flat(3 * points.size());
  if (!points.empty()) std::memcpy(flat.data(), points.data(), flat.size() * sizeof(double));
  return nb::cast(Own<double>(std::move(flat), {points.size(), 3}));
}

nb::tuple ToTuple(const TriangleMesh& mesh) {
  std::vector<std::int32_t> flat;
  flat.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles) flat.insert(flat.end(), t.begin(), t.end());
  return nb::make_tuple(OwnPoints(mesh.vertices),
                        nb::cast(Own<std::int32_t>(std::move(flat), {mesh.triangles.size(), 3})));
}

nb::tuple ToTuple(const TetMesh& mesh) {
  std::vector<std::int32_t> flat;
  flat.reserve(4 * mesh.tets.size());
  for (const auto& t : mesh.tets) flat.insert(flat.end(), t.begin(), t.end());
  return nb::make_tuple(OwnPoints(mesh.vertices),
                        nb::cast(Own<std::int32_t>(std::move(flat), {mesh.tets.size(), 4})));
}

nb::object ToArray(const Vec3& v) { return nb::cast(Own<double>({v.x, v.y, v.z}, {3})); }

}  // namespace taxel::python
