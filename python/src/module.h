// Shared by the binding files: one function a topic, and the conversions between NumPy arrays and our
// structs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taxel/contact/contact.h"
#include "taxel/math/pose.h"
#include "taxel/shape/tet_mesh.h"
#include "taxel/shape/triangle_mesh.h"
#include "taxel/skin/layout_data.h"

namespace taxel::python {

namespace nb = nanobind;

void BindInterrupt(nb::module_& m);
void BindBody(nb::module_& m);
void BindContact(nb::module_& m);
void BindGradient(nb::module_& m);
void BindBatch(nb::module_& m);
void BindShape(nb::module_& m);
void BindLaws(nb::module_& m);
void BindSkin(nb::module_& m);
void BindChain(nb::module_& m);
void BindPad(nb::module_& m);
void BindBristle(nb::module_& m);
void BindMarker(nb::module_& m);
void BindTaxelField(nb::module_& m);
void BindLayerField(nb::module_& m);
void BindLayerTape(nb::module_& m);
void BindCuda(nb::module_& m);
void BindMarkerBatch(nb::module_& m);
void BindBaselineBatch(nb::module_& m);
void BindImage(nb::module_& m);
void BindImageBatch(nb::module_& m);
void BindGel(nb::module_& m);
void BindEip(nb::module_& m);
void BindGelFill(nb::module_& m);
void BindGelBatch(nb::module_& m);
void BindGelPads(nb::module_& m);

/// A surface shares its arrays with the NumPy views made of it (bindings_contact.cc).
struct Surface {
  std::shared_ptr<ContactSurface> data = std::make_shared<ContactSurface>();
  bool busy = false;  ///< a query writes into it without the interpreter's lock

  /// To read from. @throws Error while another thread computes it.
  const std::shared_ptr<ContactSurface>& Ready() const;
};

using Matrix3 = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Triangles = nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Tets = nb::ndarray<const std::int64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A pose from a 4x4 float64 matrix (read at once) or anything that taxel.pose understands (through Python).
/// `argument` names it in messages.
Pose ToPose(nb::handle value, const char* argument);
/// Many poses, (N, 4, 4) or a list of what ToPose takes; one pose counts as N = 1.
std::vector<Pose> ToPoses(nb::handle value, const char* argument);

/// While it lives, long work shows that it goes on (taxel.report.progress.working, with its arguments).
class Working {
 public:
  Working(const std::string& label, nb::handle progress);
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  nb::object context_;
};

/// A path from text, bytes or os.PathLike; Error when it cannot be one (a NUL character, not UTF-8).
std::string ToPath(nb::handle path_like);
/// Whether a mesh file holds tetrahedra or triangles, by its extension. Error for a folder or another
/// extension.
bool HoldsTets(const std::string& path);
/// Error unless `scale`, by which the file's numbers are multiplied, is positive and finite.
void CheckScale(const std::string& path, double scale);

/// Arrays of any float or integer kind, checked: (N, columns) else Error naming argument and shape.
Matrix3 ToMatrix3(nb::handle value, const char* argument);
std::vector<Vec3> ToPoints(nb::handle value, const char* argument);
Vec3 ToVec3(nb::handle value, const char* argument);
TriangleMesh ToTriangleMesh(nb::handle vertices, nb::handle triangles);
TetMesh ToTetMesh(nb::handle vertices, nb::handle tets);

ContactOptions ToContactOptions(const char* faces, bool cull, double cull_angle, double resolution,
                                int facets_across);

/// A NumPy array that owns `values`.
template <typename T>
nb::ndarray<nb::numpy, T> Own(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(kept->data(), shape, owner);
}
nb::object OwnPoints(const std::vector<Vec3>& points);
nb::tuple ToTuple(const TriangleMesh& mesh);
nb::tuple ToTuple(const TetMesh& mesh);
/// The fields of taxel.Layout.
nb::dict LayoutDict(const Layout& layout);
/// A fresh array of three.
nb::object ToArray(const Vec3& v);

}  // namespace taxel::python
