// Derivatives of contacts and of taxels (taxel/contact/gradient.py wraps them).
#include <nanobind/stl/string.h>

#include <memory>

#include "module.h"
#include "taxel/contact/contact_gradient.h"
#include "taxel/math/error.h"
#include "taxel/skin/skin_gradient.h"

namespace taxel::python {
namespace {

using Gradient = std::shared_ptr<const ContactGradient>;

struct Made {
  Gradient data;
};

ContactWorkspace& Workspace() {
  thread_local ContactWorkspace workspace;
  return workspace;
}

Made Make(const Body& A, nb::handle X_WA, const Body& B, nb::handle X_WB, const char* faces, bool cull,
          double cull_angle, double resolution, int facets_across) {
  const Pose pose_A = ToPose(X_WA, "X_WA"), pose_B = ToPose(X_WB, "X_WB");
  const ContactOptions options = ToContactOptions(faces, cull, cull_angle, resolution, facets_across);
  auto out = std::make_shared<ContactGradient>();
  nb::gil_scoped_release release;
  ContactSurface surface;
  ComputeContactGradient(A, pose_A, B, pose_B, options, &Workspace(), &surface, out.get());
  return {out};
}

void Append(const Wrench& w, std::vector<double>* out) {
  for (const Vec3& v : {w.force, w.torque})
    for (int i = 0; i < 3; ++i) out->push_back(v[i]);
}

nb::tuple Taxels(const Made& g, const Skin& skin) {
  if (g.data->faces.num_faces() == 0 && skin.column_taxels().empty())
    throw Error(
        "taxels: derivatives of taxels are those of a skin of columns, and this contact has none; give the "
        "body "
        "field \"columns\"");
  SkinGradient out;
  {
    nb::gil_scoped_release release;
    ReadGradient(skin, g.data->faces, &out);
  }
  const std::size_t n = out.values.size();
  return nb::make_tuple(Own<double>(std::move(out.values), {n}),
                        Own<double>(std::move(out.by), {n, std::size_t{kContactInputs}}));
}

}  // namespace

void BindGradient(nb::module_& m) {
  const ContactOptions defaults;
  nb::class_<Made>(m, "ContactGradient")
      .def_prop_ro("wrench_on_A",
                   [](const Made& g) {
                     std::vector<double> out;
                     Append(g.data->wrench_on_A, &out);
                     return nb::cast(Own<double>(std::move(out), {6}));
                   })
      .def_prop_ro("by",
                   [](const Made& g) {
                     std::vector<double> out;
                     for (const Wrench& w : g.data->by) Append(w, &out);
                     return nb::cast(Own<double>(std::move(out), {std::size_t{kContactInputs}, 6}));
                   })
      .def_prop_ro("has",
                   [](const Made& g) {
                     nb::list out;
                     for (const bool has : g.data->has) out.append(has);
                     return out;
                   })
      .def_prop_ro("complete", [](const Made& g) { return g.data->complete; })
      .def("taxels", &Taxels, nb::arg("skin"));
  m.def("contact_gradient", &Make, nb::arg("A"), nb::arg("X_WA").none(), nb::arg("B"), nb::arg("X_WB").none(),
        nb::kw_only(), nb::arg("faces") = "polygons", nb::arg("cull") = true,
        nb::arg("cull_angle") = defaults.cull_angle, nb::arg("resolution") = defaults.resolution,
        nb::arg("facets_across") = defaults.facets_across);
}

}  // namespace taxel::python
