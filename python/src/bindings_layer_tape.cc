// Gradients of the gel as an elastic layer (MarkerField.rollout, jacobian and pose_jacobian in mode "layer").
#include <utility>

#include "marker_arguments.h"
#include "module.h"
#include "taxel/marker/layer_vjp.h"

namespace taxel::python {
namespace {

std::vector<std::vector<Pose>> Rows(nb::handle X_PI, std::size_t objects) {
  const std::vector<Pose> poses = ToPoses(X_PI, "path");
  std::vector<std::vector<Pose>> out;
  for (std::size_t t = 0; t + objects <= poses.size(); t += objects)
    out.emplace_back(poses.begin() + static_cast<std::ptrdiff_t>(t),
                     poses.begin() + static_cast<std::ptrdiff_t>(t + objects));
  return out;
}

// Displacements of all steps, (T, N, 3).
nb::object Follow(LayerTape& tape, nb::handle X_PI, std::size_t objects, std::size_t markers) {
  const std::vector<std::vector<Pose>> path = Rows(X_PI, objects);
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    for (const std::vector<Pose>& X : path) {
      const LayerReading& r = tape.Step(X);
      for (const Vec3& u : r.displacement) out.insert(out.end(), {u.x, u.y, u.z});
    }
  }
  return nb::cast(Own<double>(std::move(out), {path.size(), markers, 3}));
}

nb::tuple Backward(const LayerTape& tape, nb::handle cotangents, std::size_t objects, std::size_t markers) {
  const std::vector<Vec3> all = ToPoints(cotangents, "cotangents");
  std::vector<std::vector<Vec3>> rows;
  for (std::size_t t = 0; t * markers < all.size(); ++t)
    rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(t * markers),
                      all.begin() + static_cast<std::ptrdiff_t>((t + 1) * markers));
  std::vector<std::vector<PoseGradient>> poses;
  LayerParameterGradient parameters;
  {
    nb::gil_scoped_release release;
    tape.Backward(rows, &poses, &parameters);
  }
  return nb::make_tuple(PoseGradients(poses, objects),
                        nb::cast(Own<double>({parameters.begin(), parameters.end()}, {parameters.size()})));
}

// Of the last step: markers by parameters (6, N, 3), markers by poses (objects, 6, N, 3), wrench by
// parameters (6, 6) and by poses (objects, 6, 6), the wrench last.
nb::tuple Jacobian(const LayerTape& tape) {
  LayerJacobian J;
  {
    nb::gil_scoped_release release;
    J = tape.Jacobian();
  }
  const auto add = [](const std::vector<Vec3>& from, std::vector<double>* to) {
    for (const Vec3& v : from) to->insert(to->end(), {v.x, v.y, v.z});
  };
  std::vector<double> parameters, poses, wrench, wrench_poses;
  const std::size_t objects = J.wrench_by_pose.size(), markers = J.displacement_by_parameter[0].size();
  for (std::size_t k = 0; k < 6; ++k) {
    add(J.displacement_by_parameter[k], &parameters);
    wrench.insert(wrench.end(), J.wrench_by_parameter[k].begin(), J.wrench_by_parameter[k].end());
  }
  for (std::size_t o = 0; o < objects; ++o)
    for (std::size_t k = 0; k < 6; ++k) {
      add(J.displacement_by_pose[o][k], &poses);
      wrench_poses.insert(wrench_poses.end(), J.wrench_by_pose[o][k].begin(), J.wrench_by_pose[o][k].end());
    }
  return nb::make_tuple(Own<double>(std::move(parameters), {6, markers, 3}),
                        Own<double>(std::move(poses), {objects, 6, markers, 3}),
                        Own<double>(std::move(wrench), {6, 6}),
                        Own<double>(std::move(wrench_poses), {objects, 6, 6}));
}

}  // namespace

void BindLayerTape(nb::module_& m) {
  nb::class_<LayerTape>(m, "LayerTape")
      .def("follow", &Follow, nb::arg("path"), nb::arg("objects"), nb::arg("markers"))
      .def("backward", &Backward, nb::arg("cotangents"), nb::arg("objects"), nb::arg("markers"))
      .def("jacobian", &Jacobian);
  m.def(
      "make_layer_tape", [](nb::handle field) { return LayerTape(LayerFieldOf(field)); }, nb::arg("field"));
}

}  // namespace taxel::python
