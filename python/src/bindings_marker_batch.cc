// Marker fields of many worlds: on threads, and on a GPU by addresses of device memory
// (taxel/batch/marker_batch.py gives them a face).
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "alone.h"
#include "batch_arguments.h"
#include "marker_arguments.h"
#include "module.h"
#include "taxel/batch/cuda_layer_batch.h"
#include "taxel/batch/cuda_rollout.h"
#include "taxel/batch/marker_batch.h"
#include "taxel/batch/marker_rollout.h"

namespace taxel::python {
namespace {

Alone<MarkerBatch>* MakeBatch(nb::list fields, bool taxel, int worlds, int fingers, int threads) {
  if (taxel) return new Alone<MarkerBatch>(FieldOf(fields[0]), worlds, fingers, threads);
  std::vector<MarkerField> all;
  for (const nb::handle f : fields) all.push_back(PublishedFieldOf(f));
  return new Alone<MarkerBatch>(all, worlds, fingers, threads);
}

Alone<MarkerBatch>* MakeLayerBatch(nb::handle field, int worlds, int fingers, int threads) {
  return new Alone<MarkerBatch>(LayerFieldOf(field), worlds, fingers, threads);
}

void SetLayerRow(MarkerBatch& b, int world, nb::dict values) {
  LayerParameters p = b.layer_field(world, 0).parameters();
  for (const auto& [name, value] : LayerParameterNames(&p))
    if (values.contains(name)) *value = nb::cast<double>(values[name]);
  b.SetParameters(world, p);
}

nb::object Array(std::vector<double>&& values, std::initializer_list<std::size_t> shape) {
  return nb::cast(Own<double>(std::move(values), shape));
}

// press: distance and number of steps of a press from outside, or None for a step.
nb::tuple BatchStep(MarkerBatch& b, const Numbers& X_PI, double dt, nb::handle shift, bool wrench,
                    bool forces, nb::handle mask, nb::tuple before, nb::handle press) {
  const std::vector<Pose> poses = PosesOf(X_PI);
  const auto W = static_cast<std::size_t>(b.worlds()), F = static_cast<std::size_t>(b.fingers()),
             N = static_cast<std::size_t>(b.markers());
  const std::vector<Pose> moved = shift.is_none() ? std::vector<Pose>{} : PosesOf(nb::cast<Numbers>(shift));
  Mask keep;
  const std::uint8_t* only = MaskOf(mask, &keep);
  std::vector<double> u = Before(before[0], W * F * N * 3), w = Before(before[1], wrench ? W * F * 6 : 0),
                      f = Before(before[2], forces ? W * F * N * 3 : 0);
  const auto [distance, steps] =
      press.is_none() ? std::pair{0.0, 0} : nb::cast<std::pair<double, int>>(press);
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  {
    nb::gil_scoped_release release;
    const Pose* along = moved.empty() ? nullptr : moved.data();
    Vec3 *to = reinterpret_cast<Vec3*>(u.data()),
         *to_w = wrench ? reinterpret_cast<Vec3*>(w.data()) : nullptr,
         *to_f = forces ? reinterpret_cast<Vec3*>(f.data()) : nullptr;
    if (steps)
      b.Press(poses, distance, steps, dt, along, to, to_w, to_f, only);
    else
      b.Step(poses, dt, along, to, to_w, to_f, only);
  }
  return nb::make_tuple(Array(std::move(u), {W, F, N, 3}),
                        wrench ? Array(std::move(w), {W, F, 6}) : nb::object(nb::none()),
                        forces ? Array(std::move(f), {W, F, N, 3}) : nb::object(nb::none()));
}

// weight, center (worlds, fingers, 3): (worlds, fingers, 4, 4).
nb::object GravityOfBatch(MarkerBatch& b, nb::handle weight, nb::handle center, bool opposed,
                          nb::handle springs) {
  const std::vector<Vec3> weights = VectorsOf(weight), centers = VectorsOf(center);
  std::vector<GravityLoad> loads;
  for (std::size_t i = 0; i < weights.size(); ++i) loads.push_back({weights[i], centers[i], opposed});
  GelSprings given;
  return MatricesOf(b.GravityShift(loads, SpringsOf(springs, &given)),
                    {static_cast<std::size_t>(b.worlds()), static_cast<std::size_t>(b.fingers()), 4, 4});
}

// Of one field: (4, 4).
template <typename Field>
nb::object GravityOf(const Field& field, nb::handle weight, nb::handle center, bool opposed,
                     nb::handle springs) {
  ContactPatch patch;
  AddContact(field, &patch);
  GelSprings given;
  const GelSprings* asked = SpringsOf(springs, &given);
  const GravityLoad load{ToVec3(weight, "weight"), ToVec3(center, "center"), opposed};
  return MatricesOf({GravityShift(load, patch, asked ? *asked : SpringsOf(field, patch))}, {4, 4});
}

void SetRow(MarkerBatch& b, int world, nb::dict values, bool taxel) {
  if (taxel) {
    TaxelParameters p = b.taxel_field(world, 0).parameters();
    for (const auto& [name, value] : TaxelParameterNames(&p))
      if (values.contains(name)) *value = nb::cast<double>(values[name]);
    b.SetParameters(world, p);
    return;
  }
  MarkerParameters p = b.published_field(world, 0, 0).parameters();
  const std::pair<const char*, double*> known[] = {
      {"lambda_d", &p.lambda_d},         {"lambda_s", &p.lambda_s},
      {"friction", &p.friction},         {"stiffness_area", &p.stiffness_area},
      {"dilate_scale", &p.dilate_scale}, {"shear_scale", &p.shear_scale}};
  for (const auto& [name, value] : known)
    if (values.contains(name)) *value = nb::cast<double>(values[name]);
  b.SetParameters(world, p);
}

// X_PI (T, worlds, fingers, objects, 4, 4): displacements (T, worlds, fingers, N, 3), and what knows the way
// back.
nb::tuple Rollout(const MarkerBatch& b, const Numbers& X_PI, int threads) {
  const std::vector<Pose> path = PosesOf(X_PI);
  const auto W = static_cast<std::size_t>(b.worlds()), F = static_cast<std::size_t>(b.fingers()),
             O = static_cast<std::size_t>(b.objects()), N = static_cast<std::size_t>(b.markers());
  const std::size_t T = path.size() / (W * F * O);
  std::vector<double> u(T * W * F * N * 3);
  std::unique_ptr<Alone<MarkerRollout>> rollout;
  {
    nb::gil_scoped_release release;
    rollout = std::make_unique<Alone<MarkerRollout>>(b, path, threads, reinterpret_cast<Vec3*>(u.data()));
  }
  return nb::make_tuple(Array(std::move(u), {T, W, F, N, 3}),
                        nb::cast(rollout.release(), nb::rv_policy::take_ownership));
}

nb::tuple RolloutBackward(const MarkerRollout& r, const Numbers& cotangents) {
  const std::size_t T = r.steps(), W = r.worlds(), F = r.fingers(), O = r.objects();
  std::vector<PoseGradient> gradients(T * W * F * O);
  const std::size_t numbers = r.layer() ? 6 : 8;
  std::vector<double> poses(gradients.size() * 16), parameters(W * F * numbers);
  static_assert(sizeof(TaxelParameterGradient) == 8 * sizeof(double));
  static_assert(sizeof(LayerParameterGradient) == 6 * sizeof(double));
  {
    nb::gil_scoped_release release;
    const auto* seeds = reinterpret_cast<const Vec3*>(cotangents.data());
    if (r.layer())
      r.Backward(seeds, gradients.data(), reinterpret_cast<LayerParameterGradient*>(parameters.data()));
    else
      r.Backward(seeds, gradients.data(), reinterpret_cast<TaxelParameterGradient*>(parameters.data()));
  }
  for (std::size_t i = 0; i < gradients.size(); ++i)
    std::copy(gradients[i].begin(), gradients[i].end(), &poses[16 * i]);
  return nb::make_tuple(Array(std::move(poses), {T, W, F, O, 4, 4}),
                        Array(std::move(parameters), {W, F, numbers}));
}

CudaMarkers* MakeCuda(nb::list fields, bool taxel, int worlds, int fingers) {
  if (taxel) return new CudaMarkers(FieldOf(fields[0]), worlds, fingers);
  std::vector<MarkerField> all;
  for (const nb::handle f : fields) all.push_back(PublishedFieldOf(f));
  return new CudaMarkers(all, worlds, fingers);
}

template <typename Batch>
void CudaStep(Batch& b, const Attached* attached, Address X_PI, Address position, Address rotation,
              Address shift, int shift_numbers, double dt, Address turns, double lift, Address mask,
              Address displacement, Address wrench, Address forces, Address stream) {
  CudaStepArguments a;
  a.poses = PosesAt(attached, X_PI, position, rotation);
  a.shift = At<const float>(shift);
  a.shift_numbers = shift_numbers;
  a.dt = static_cast<float>(dt);
  a.turns = At<const float>(turns);
  a.lift = static_cast<float>(lift);
  a.mask = At<const std::uint8_t>(mask);
  a.out = {At<float>(displacement), At<float>(wrench), At<float>(forces)};
  a.stream = At<void>(stream);
  b.Step(a);
}

}  // namespace

template <>
const char* NameOf<MarkerBatch>() {
  return "MarkerBatch";
}
template <>
const char* NameOf<MarkerRollout>() {
  return "rollout of a MarkerBatch";
}

void BindMarkerBatch(nb::module_& m) {
  nb::class_<Alone<MarkerBatch>>(m, "MarkerBatch")
      .def("step", Held(&BatchStep), nb::arg("X_PI"), nb::arg("dt"), nb::arg("shift").none(),
           nb::arg("wrench"), nb::arg("forces"), nb::arg("mask").none(), nb::arg("before"),
           nb::arg("press").none())
      .def("gravity_shift", Held(&GravityOfBatch), nb::arg("weight"), nb::arg("center"), nb::arg("opposed"),
           nb::arg("springs").none())
      .def("reset", Held(+[](MarkerBatch& b, nb::handle mask) {
             Mask keep;
             b.Reset(MaskOf(mask, &keep));
           }),
           nb::arg("mask").none())
      .def("zero_tangential", Held(+[](MarkerBatch& b, nb::handle mask) {
             Mask keep;
             b.ZeroTangential(MaskOf(mask, &keep));
           }),
           nb::arg("mask").none())
      .def("set_parameters", Held(&SetRow), nb::arg("world"), nb::arg("values"), nb::arg("taxel"))
      .def("set_layer_parameters", Held(&SetLayerRow), nb::arg("world"), nb::arg("values"))
      .def("rollout", Held(&Rollout), nb::arg("path"), nb::arg("threads"));
  nb::class_<Alone<MarkerRollout>>(m, "MarkerRollout")
      .def("backward", Held(&RolloutBackward), nb::arg("cotangents"));
  m.def(
      "gravity_of_field",
      [](nb::handle field, const std::string& mode, nb::handle weight, nb::handle center, bool opposed,
         nb::handle springs) {
        if (mode == "layer") return GravityOf(LayerFieldOf(field), weight, center, opposed, springs);
        if (mode == "taxel") return GravityOf(FieldOf(field), weight, center, opposed, springs);
        return GravityOf(PublishedFieldOf(field), weight, center, opposed, springs);
      },
      nb::arg("field"), nb::arg("mode"), nb::arg("weight"), nb::arg("center"), nb::arg("opposed"),
      nb::arg("springs").none());
  m.def("make_marker_batch", &MakeBatch, nb::arg("fields"), nb::arg("taxel"), nb::arg("worlds"),
        nb::arg("fingers"), nb::arg("threads"), nb::rv_policy::take_ownership);

  nb::class_<CudaLayer>(m, "CudaLayer")
      .def("step", &CudaStep<CudaLayer>, nb::arg("attached").none(), nb::arg("X_PI"), nb::arg("position"),
           nb::arg("rotation"), nb::arg("shift"), nb::arg("shift_numbers"), nb::arg("dt"), nb::arg("turns"),
           nb::arg("lift"), nb::arg("mask"), nb::arg("displacement"), nb::arg("wrench"), nb::arg("forces"),
           nb::arg("stream"))
      .def("reset",
           [](CudaLayer& b, Address mask, bool keep_normal, Address stream) {
             b.Reset(At<const std::uint8_t>(mask), keep_normal, At<void>(stream));
           })
      .def("set_parameters", [](CudaLayer& b, Address rows,
                                Address stream) { b.SetParameters(At<const float>(rows), At<void>(stream)); })
      .def("overflows", &CudaLayer::Overflows)
      .def_prop_ro("first_parameters", [](const CudaLayer& b) {
        return std::vector<float>(b.first_parameters().begin(), b.first_parameters().end());
      });
  m.def(
      "make_cuda_layer",
      [](nb::handle field, int worlds, int fingers) {
        return new CudaLayer(LayerFieldOf(field), worlds, fingers);
      },
      nb::arg("field"), nb::arg("worlds"), nb::arg("fingers"), nb::rv_policy::take_ownership);
  m.def("make_layer_batch", &MakeLayerBatch, nb::arg("field"), nb::arg("worlds"), nb::arg("fingers"),
        nb::arg("threads"), nb::rv_policy::take_ownership);

  nb::class_<CudaMarkers>(m, "CudaMarkers")
      .def("step", &CudaStep<CudaMarkers>, nb::arg("attached").none(), nb::arg("X_PI"), nb::arg("position"),
           nb::arg("rotation"), nb::arg("shift"), nb::arg("shift_numbers"), nb::arg("dt"), nb::arg("turns"),
           nb::arg("lift"), nb::arg("mask"), nb::arg("displacement"), nb::arg("wrench"), nb::arg("forces"),
           nb::arg("stream"))
      .def("reset",
           [](CudaMarkers& b, Address mask, bool keep_normal, Address stream) {
             b.Reset(At<const std::uint8_t>(mask), keep_normal, At<void>(stream));
           })
      .def("set_parameters", [](CudaMarkers& b, Address rows,
                                Address stream) { b.SetParameters(At<const float>(rows), At<void>(stream)); })
      .def(
          "rollout",
          [](CudaMarkers& b, Address path, std::size_t steps, Address displacement, Address stream) {
            return new CudaRollout(&b, At<const float>(path), steps, At<float>(displacement),
                                   At<void>(stream));
          },
          nb::arg("path"), nb::arg("steps"), nb::arg("displacement"), nb::arg("stream"),
          nb::rv_policy::take_ownership, nb::keep_alive<0, 1>())
      .def_prop_ro("first_parameters", [](const CudaMarkers& b) {
        return std::vector<float>(b.first_parameters().begin(), b.first_parameters().end());
      });
  nb::class_<CudaRollout>(m, "CudaRollout")
      .def(
          "backward",
          [](const CudaRollout& r, Address cotangents, Address stream) {
            CudaRollout::Gradients g = r.Backward(At<const float>(cotangents), At<void>(stream));
            return nb::make_tuple(std::move(g.poses), std::move(g.parameters), std::move(g.work));
          },
          nb::arg("cotangents"), nb::arg("stream"));
  m.def("make_cuda_markers", &MakeCuda, nb::arg("fields"), nb::arg("taxel"), nb::arg("worlds"),
        nb::arg("fingers"), nb::rv_policy::take_ownership);
}

}  // namespace taxel::python
