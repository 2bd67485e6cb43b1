// taxel.contact_batch: one pair of bodies at many poses. Returns a dict; taxel/contact/query.py gives it a
// face.
#include <algorithm>

#include "module.h"
#include "taxel/batch/contact_batch.h"

namespace taxel::python {
namespace {

template <typename Get>
nb::object Column(const std::vector<ContactSummary>& rows, Get get) {
  std::vector<double> column(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) column[i] = get(rows[i]);
  return nb::cast(Own<double>(std::move(column), {rows.size()}));
}

template <typename Get>
nb::object Points(const std::vector<ContactSummary>& rows, Get get) {
  std::vector<Vec3> points(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) points[i] = get(rows[i]);
  return OwnPoints(points);
}

nb::dict Batch(const Body& A, nb::handle X_WA, const Body& B, nb::handle X_WB, int threads, const char* faces,
               bool cull, double cull_angle, double resolution, int facets_across) {
  const std::vector<Pose> poses_A = ToPoses(X_WA, "X_WA"), poses_B = ToPoses(X_WB, "X_WB");
  const ContactOptions options = ToContactOptions(faces, cull, cull_angle, resolution, facets_across);
  std::vector<ContactSummary> rows;
  // No poses, no rows; "1 pose of A and 0 of B" is no mismatch here, for one pose means "stands still".
  const bool nothing =
      std::min(poses_A.size(), poses_B.size()) == 0 && std::max(poses_A.size(), poses_B.size()) <= 1;
  if (!nothing) {
    nb::gil_scoped_release release;
    rows = ContactBatch(A, poses_A, B, poses_B, options, threads);
  }
  nb::dict result;
  result["force_on_A"] = Points(rows, [](const ContactSummary& r) { return r.wrench_on_A.force; });
  result["torque_on_A"] = Points(rows, [](const ContactSummary& r) { return r.wrench_on_A.torque; });
  result["area"] = Column(rows, [](const ContactSummary& r) { return r.area; });
  result["normal_force"] = Column(rows, [](const ContactSummary& r) { return r.normal_force; });
  result["max_pressure"] = Column(rows, [](const ContactSummary& r) { return r.max_pressure; });
  result["centroid"] = Points(rows, [](const ContactSummary& r) { return r.centroid; });
  result["center_of_pressure"] = Points(rows, [](const ContactSummary& r) { return r.center_of_pressure; });
  std::vector<std::int32_t> faces_of(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) faces_of[i] = rows[i].num_faces;
  result["num_faces"] = nb::cast(Own<std::int32_t>(std::move(faces_of), {rows.size()}));
  return result;
}

}  // namespace

void BindBatch(nb::module_& m) {
  const ContactOptions defaults;
  m.def("contact_batch", &Batch, nb::arg("A"), nb::arg("X_WA").none(), nb::arg("B"), nb::arg("X_WB").none(),
        nb::arg("threads") = 0, nb::kw_only(), nb::arg("faces") = "polygons", nb::arg("cull") = true,
        nb::arg("cull_angle") = defaults.cull_angle, nb::arg("resolution") = defaults.resolution,
        nb::arg("facets_across") = defaults.facets_across);
}

}  // namespace taxel::python
