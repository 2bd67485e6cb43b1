// The core of taxel.contact (taxel/contact/query.py explains wrong calls) and the surface it returns.
//
// Lifetime. A Surface shares its arrays with the NumPy views made of it; a view keeps the arrays alive even
// after the Surface is gone. When a Surface is handed back as out= while views of it are still held, the
// query writes into fresh arrays and the views keep the old numbers: nothing is ever overwritten behind a
// view.
#include <time.h>

#include <algorithm>
#include <limits>
#include <new>

#include "module.h"
#include "taxel/contact/contact.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

// Says that a surface is being written, as long as it lives; made and ended with the lock held.
class Writing {
 public:
  explicit Writing(Surface* surface) : surface_(surface) { surface_->busy = true; }
  ~Writing() { surface_->busy = false; }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  Surface* surface_;
};

ContactWorkspace& Workspace() {
  thread_local ContactWorkspace workspace;
  return workspace;
}

template <typename T>
nb::object View(const Surface& s, const T* data, std::initializer_list<std::size_t> shape) {
  auto* keep = new std::shared_ptr<ContactSurface>(s.Ready());
  nb::capsule owner(keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<ContactSurface>*>(p); });
  static const T kNothing{};  // an empty vector has no address; NumPy wants one
  return nb::cast(nb::ndarray<nb::numpy, const T>(data ? data : &kNothing, shape, owner));
}
nb::object View(const Surface& s, const std::vector<double>& v) { return View(s, v.data(), {v.size()}); }
nb::object View(const Surface& s, const std::vector<Vec3>& v) {
  return View(s, v.empty() ? nullptr : &v[0].x, {v.size(), 3});
}

nb::object Contact(const Body& A, nb::handle X_WA, const Body& B, nb::handle X_WB, const char* faces,
                   bool cull, double cull_angle, double resolution, int facets_across, nb::object out) {
  const Pose pose_A = ToPose(X_WA, "X_WA"), pose_B = ToPose(X_WB, "X_WB");
  const ContactOptions options = ToContactOptions(faces, cull, cull_angle, resolution, facets_across);
  Surface* surface;
  if (out.is_none()) {
    out = nb::cast(Surface{});
    surface = nb::cast<Surface*>(out);
  } else {
    if (!nb::try_cast<Surface*>(out, surface) || !surface)
      throw nb::type_error("out: give a ContactSurface that taxel.contact returned, or None");
    surface->Ready();  // two queries must not write into one
    if (surface->data.use_count() > 1) surface->data = std::make_shared<ContactSurface>();
  }
  const std::shared_ptr<ContactSurface> data = surface->data;
  {
    const Writing writing(surface);
    nb::gil_scoped_release release;
    ComputeContact(A, pose_A, B, pose_B, options, &Workspace(), data.get());
  }
  return out;
}

std::int64_t ThreadNanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{1000000000} * t.tv_sec + t.tv_nsec;
}

// Median CPU time of one query over `repeats` samples, each of enough queries to last a tenth of a
// millisecond.
nb::tuple TimeContact(const Body& A, nb::handle X_WA, const Body& B, nb::handle X_WB, int repeats,
                      const char* faces, bool cull, double cull_angle, double resolution, int facets_across) {
  if (repeats < 1) throw Error("repeats is " + std::to_string(repeats) + "; give 1 or more");
  const Pose pose_A = ToPose(X_WA, "X_WA"), pose_B = ToPose(X_WB, "X_WB");
  const ContactOptions options = ToContactOptions(faces, cull, cull_angle, resolution, facets_across);
  ContactSurface surface;
  std::vector<double> samples(repeats);
  {
    nb::gil_scoped_release release;
    auto sample = [&](int queries) {
      const std::int64_t start = ThreadNanoseconds();
      for (int i = 0; i < queries; ++i) ComputeContact(A, pose_A, B, pose_B, options, &Workspace(), &surface);
      return static_cast<double>(ThreadNanoseconds() - start) / queries;
    };
    for (int i = 0; i < 3; ++i) sample(1);
    const int queries = std::max(1, static_cast<int>(1e5 / std::max(1.0, sample(3))));
    for (double& s : samples) s = sample(queries);
  }
  std::nth_element(samples.begin(), samples.begin() + repeats / 2, samples.end());
  return nb::make_tuple(samples[repeats / 2], surface.num_faces(), surface.normal_force, surface.area);
}

// Triangles as a fan round the first vertex: for pictures.
nb::object FanTriangles(const Surface& s) {
  const ContactSurface& c = *s.Ready();
  std::vector<std::int32_t> flat;
  for (int f = 0; f < c.num_faces(); ++f)
    for (std::int32_t v = c.face_start[f] + 2; v < c.face_start[f + 1]; ++v) {
      flat.push_back(c.face_start[f]);
      flat.push_back(v - 1);
      flat.push_back(v);
    }
  const std::size_t n = flat.size() / 3;
  return nb::cast(Own<std::int32_t>(std::move(flat), {n, 3}));
}

// --- pickling: the arrays in the order of ContactSurface, then the totals
// ------------------------------------

nb::tuple GetState(const Surface& s) {
  const ContactSurface& c = *s.Ready();
  std::vector<double> totals = {c.area, c.max_pressure, c.normal_force};
  for (const Vec3& v : {c.centroid, c.center_of_pressure, c.wrench_on_A.force, c.wrench_on_A.torque})
    totals.insert(totals.end(), {v.x, v.y, v.z});
  const std::size_t n = totals.size();
  return nb::make_tuple(
      View(s, c.vertices), View(s, c.pressures), View(s, c.face_start.data(), {c.face_start.size()}),
      View(s, c.normals), View(s, c.areas), View(s, c.centroids), View(s, c.face_pressures),
      View(s, c.gradients_A), View(s, c.gradients_B), nb::cast(Own<double>(std::move(totals), {n})));
}

template <typename T>
std::vector<T> ToVector(nb::handle array) {
  const auto a = nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(array);
  return {a.data(), a.data() + a.shape(0)};
}

void SetState(Surface& s, const nb::tuple& state) {
  new (&s) Surface;
  ContactSurface& c = *s.data;
  c.vertices = ToPoints(state[0], "vertices");
  c.pressures = ToVector<double>(state[1]);
  c.face_start = ToVector<std::int32_t>(state[2]);
  c.normals = ToPoints(state[3], "normals");
  c.areas = ToVector<double>(state[4]);
  c.centroids = ToPoints(state[5], "centroids");
  c.face_pressures = ToVector<double>(state[6]);
  c.gradients_A = ToVector<double>(state[7]);
  c.gradients_B = ToVector<double>(state[8]);
  const std::vector<double> t = ToVector<double>(state[9]);
  c.area = t[0], c.max_pressure = t[1], c.normal_force = t[2];
  const double* next = t.data() + 3;
  for (Vec3* v : {&c.centroid, &c.center_of_pressure, &c.wrench_on_A.force, &c.wrench_on_A.torque}) {
    *v = {next[0], next[1], next[2]};
    next += 3;
  }
}

nb::tuple ToTuple(const Wrench& w) { return nb::make_tuple(ToArray(w.force), ToArray(w.torque)); }

nb::str Repr(const Surface& s) {
  const ContactSurface& c = *s.Ready();
  if (c.empty()) return nb::str("<taxel.ContactSurface: no contact>");
  return nb::str("<taxel.ContactSurface: {} faces, {:.4g} N, {:.4g} cm2, at most {:.4g} Pa>")
      .format(c.num_faces(), c.normal_force, 1e4 * c.area, c.max_pressure);
}

}  // namespace

const std::shared_ptr<ContactSurface>& Surface::Ready() const {
  if (busy)
    throw Error(
        "this ContactSurface is being computed by another thread (it was given as out=); give each thread a "
        "surface of its own");
  return data;
}

void BindContact(nb::module_& m) {
  const ContactOptions defaults;
  nb::class_<Surface>(
      m, "ContactSurface",
      "Where two bodies touch, in the world frame. The arrays are read-only views, no copies.\n\n"
      "Face k owns the vertices face_start[k] .. face_start[k+1]-1, counter-clockwise about its normal, "
      "which "
      "points\nout of B into A. True when there is contact; ``len`` is the number of faces. Copies and "
      "pickles "
      "own their arrays.")
      .def_prop_ro(
          "vertices", [](const Surface& s) { return View(s, s.Ready()->vertices); }, "(V, 3), m.")
      .def_prop_ro(
          "pressures", [](const Surface& s) { return View(s, s.Ready()->pressures); }, "(V,), Pa.")
      .def_prop_ro(
          "face_start",
          [](const Surface& s) {
            const auto& v = s.Ready()->face_start;
            // An empty surface may hold no entry at all; "num_faces + 1 entries, first 0" is kept
            // for readers.
            return v.empty() ? View<std::int32_t>(s, nullptr, {1}) : View(s, v.data(), {v.size()});
          },
          "(F + 1,).")
      .def_prop_ro(
          "normals", [](const Surface& s) { return View(s, s.Ready()->normals); },
          "(F, 3), unit, out of B into A.")
      .def_prop_ro(
          "areas", [](const Surface& s) { return View(s, s.Ready()->areas); }, "(F,), m2.")
      .def_prop_ro(
          "centroids", [](const Surface& s) { return View(s, s.Ready()->centroids); }, "(F, 3), m.")
      .def_prop_ro(
          "face_pressures", [](const Surface& s) { return View(s, s.Ready()->face_pressures); },
          "(F,), mean over the face, Pa.")
      .def_prop_ro(
          "gradients_A", [](const Surface& s) { return View(s, s.Ready()->gradients_A); },
          "(F,), pressure gradient along the normal into A, Pa/m; infinity for a rigid body.")
      .def_prop_ro(
          "gradients_B", [](const Surface& s) { return View(s, s.Ready()->gradients_B); },
          "(F,), the same into B.")
      .def_prop_ro("num_faces", [](const Surface& s) { return s.Ready()->num_faces(); })
      .def_prop_ro("area", [](const Surface& s) { return s.Ready()->area; })
      .def_prop_ro(
          "centroid", [](const Surface& s) { return ToArray(s.Ready()->centroid); },
          "Of the contact area, m.")
      .def_prop_ro(
          "center_of_pressure", [](const Surface& s) { return ToArray(s.Ready()->center_of_pressure); }, "m.")
      .def_prop_ro("max_pressure", [](const Surface& s) { return s.Ready()->max_pressure; })
      .def_prop_ro("normal_force", [](const Surface& s) { return s.Ready()->normal_force; })
      .def_prop_ro(
          "force_on_A", [](const Surface& s) { return ToArray(s.Ready()->wrench_on_A.force); }, "N.")
      .def_prop_ro(
          "torque_on_A", [](const Surface& s) { return ToArray(s.Ready()->wrench_on_A.torque); },
          "About the world origin, N m.")
      .def_prop_ro(
          "force_on_B", [](const Surface& s) { return ToArray(-s.Ready()->wrench_on_A.force); }, "N.")
      .def_prop_ro(
          "torque_on_B", [](const Surface& s) { return ToArray(-s.Ready()->wrench_on_A.torque); },
          "About the world origin, N m.")
      .def(
          "wrench_on_A",
          [](const Surface& s, nb::handle p) { return ToTuple(s.Ready()->WrenchOnA(ToVec3(p, "point"))); },
          nb::arg("point"), "(force, torque about ``point``).")
      .def(
          "wrench_on_B",
          [](const Surface& s, nb::handle p) { return ToTuple(s.Ready()->WrenchOnB(ToVec3(p, "point"))); },
          nb::arg("point"), "(force, torque about ``point``).")
      .def("triangles", &FanTriangles, "(T, 3) indices into ``vertices``: each face as a fan, for pictures.")
      .def("__len__", [](const Surface& s) { return s.Ready()->num_faces(); })
      .def("__bool__", [](const Surface& s) { return !s.Ready()->empty(); })
      .def("__getstate__", &GetState)
      .def("__setstate__", &SetState)
      .def("__repr__", &Repr);

  // For the MuJoCo adapter, whose library hands out the address of a surface that the next step overwrites.
  m.def("copy_surface", [](std::uintptr_t address) {
    Surface s;
    *s.data = *reinterpret_cast<const ContactSurface*>(address);
    return s;
  });
  m.def("contact", &Contact, nb::arg("A"), nb::arg("X_WA").none(), nb::arg("B"), nb::arg("X_WB").none(),
        nb::kw_only(), nb::arg("faces") = "polygons", nb::arg("cull") = true,
        nb::arg("cull_angle") = defaults.cull_angle, nb::arg("resolution") = defaults.resolution,
        nb::arg("facets_across") = defaults.facets_across, nb::arg("out") = nb::none(),
        "Where A and B touch, and with what pressure; ``taxel.contact`` explains it.");
  m.def("time_contact", &TimeContact, nb::arg("A"), nb::arg("X_WA").none(), nb::arg("B"),
        nb::arg("X_WB").none(), nb::arg("repeats") = 50, nb::kw_only(), nb::arg("faces") = "polygons",
        nb::arg("cull") = true, nb::arg("cull_angle") = defaults.cull_angle,
        nb::arg("resolution") = defaults.resolution, nb::arg("facets_across") = defaults.facets_across);
}

}  // namespace taxel::python
