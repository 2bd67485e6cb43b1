// Marker fields of many worlds: on threads, and on a GPU by addresses of device memory
// (taxel/batch/marker_batch.py gives them a face).
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <utility>

#include "alone.h"
#include "batch_arguments.h"
#include "marker_arguments.h"
#include "module.h"
#include "taxel/batch/cuda_markers.h"
#include "taxel/batch/marker_batch.h"
#include "taxel/batch/parallel_for.h"
#include "taxel/marker/taxel_vjp.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

Alone<MarkerBatch>* MakeBatch(nb::list fields, bool taxel, int worlds, int fingers, int threads) {
  if (taxel) return new Alone<MarkerBatch>(FieldOf(fields[0]), worlds, fingers, threads);
  std::vector<MarkerField> all;
  for (const nb::handle f : fields) all.push_back(PublishedFieldOf(f));
  return new Alone<MarkerBatch>(all, worlds, fingers, threads);
}

nb::object Array(std::vector<double>&& values, std::initializer_list<std::size_t> shape) {
  return nb::cast(Own<double>(std::move(values), shape));
}

nb::tuple BatchStep(MarkerBatch& b, const Numbers& X_PI, double dt, nb::handle shift, bool wrench,
                    bool forces) {
  const std::vector<Pose> poses = PosesOf(X_PI);
  const auto W = static_cast<std::size_t>(b.worlds()), F = static_cast<std::size_t>(b.fingers()),
             N = static_cast<std::size_t>(b.markers());
  const std::vector<Vec3> moved = VectorsOf(shift);
  std::vector<double> u(W * F * N * 3), w(wrench ? W * F * 6 : 0), f(forces ? W * F * N * 3 : 0);
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  {
    nb::gil_scoped_release release;
    b.Step(poses, dt, moved.empty() ? nullptr : moved.data(), reinterpret_cast<Vec3*>(u.data()),
           wrench ? reinterpret_cast<Vec3*>(w.data()) : nullptr,
           forces ? reinterpret_cast<Vec3*>(f.data()) : nullptr);
  }
  return nb::make_tuple(Array(std::move(u), {W, F, N, 3}),
                        wrench ? Array(std::move(w), {W, F, 6}) : nb::object(nb::none()),
                        forces ? Array(std::move(f), {W, F, N, 3}) : nb::object(nb::none()));
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

// Tapes of all worlds and fingers, from the batch's present state.
struct BatchTape {
  std::vector<TaxelTape> tapes;
  std::size_t worlds, fingers, objects, markers, steps = 0;
  int threads = 0;
};

Alone<BatchTape>* MakeTape(const MarkerBatch& b, int threads) {
  auto out = std::make_unique<Alone<BatchTape>>();  // a tape may refuse its field
  out->worlds = static_cast<std::size_t>(b.worlds()), out->fingers = static_cast<std::size_t>(b.fingers());
  out->objects = static_cast<std::size_t>(b.objects()), out->markers = static_cast<std::size_t>(b.markers());
  out->threads = threads;
  for (int w = 0; w < b.worlds(); ++w)
    for (int f = 0; f < b.fingers(); ++f) out->tapes.emplace_back(b.taxel_field(w, f));
  return out.release();
}

struct Nothing {};

// X_PI (T, worlds, fingers, objects, 4, 4)
nb::object TapeFollow(BatchTape& tape, const Numbers& X_PI) {
  const std::vector<Pose> poses = PosesOf(X_PI);
  const std::size_t copies = tape.worlds * tape.fingers, row = copies * tape.objects, T = poses.size() / row,
                    N = tape.markers;
  tape.steps = T;
  std::vector<double> out(T * copies * N * 3);
  std::exception_ptr failure;
  {
    nb::gil_scoped_release release;
    std::size_t failed;
    failure = ParallelFor<Nothing>(copies, tape.threads, 1, &failed, [&](std::size_t i, Nothing*) {
      for (std::size_t t = 0; t < T; ++t) {
        const auto first = poses.begin() + static_cast<std::ptrdiff_t>(t * row + i * tape.objects);
        const TaxelReading& r =
            tape.tapes[i].Step({first, first + static_cast<std::ptrdiff_t>(tape.objects)});
        std::memcpy(&out[(t * copies + i) * N * 3], r.displacement.data(), N * sizeof(Vec3));
      }
    });
  }
  if (failure) std::rethrow_exception(failure);
  return Array(std::move(out), {T, tape.worlds, tape.fingers, N, 3});
}

nb::tuple TapeBackward(const BatchTape& tape, const Numbers& cotangents) {
  const std::size_t copies = tape.worlds * tape.fingers, T = tape.steps, N = tape.markers, O = tape.objects;
  std::vector<double> poses(T * copies * O * 16), parameters(copies * 8);
  std::exception_ptr failure;
  {
    nb::gil_scoped_release release;
    std::size_t failed;
    failure = ParallelFor<Nothing>(copies, tape.threads, 1, &failed, [&](std::size_t i, Nothing*) {
      std::vector<std::vector<Vec3>> rows(T, std::vector<Vec3>(N));
      for (std::size_t t = 0; t < T; ++t)
        std::memcpy(rows[t].data(), cotangents.data() + (t * copies + i) * N * 3, N * sizeof(Vec3));
      std::vector<std::vector<PoseGradient>> g;
      TaxelParameterGradient p;
      tape.tapes[i].Backward(rows, &g, &p);
      for (std::size_t t = 0; t < T; ++t)
        for (std::size_t k = 0; k < O; ++k)
          std::copy(g[t][k].begin(), g[t][k].end(), &poses[((t * copies + i) * O + k) * 16]);
      std::copy(p.begin(), p.end(), &parameters[i * 8]);
    });
  }
  if (failure) std::rethrow_exception(failure);
  return nb::make_tuple(Array(std::move(poses), {T, tape.worlds, tape.fingers, O, 4, 4}),
                        Array(std::move(parameters), {tape.worlds, tape.fingers, 8}));
}

CudaMarkers* MakeCuda(nb::list fields, bool taxel, int worlds, int fingers) {
  if (taxel) return new CudaMarkers(FieldOf(fields[0]), worlds, fingers);
  std::vector<MarkerField> all;
  for (const nb::handle f : fields) all.push_back(PublishedFieldOf(f));
  return new CudaMarkers(all, worlds, fingers);
}

CudaStepArguments Arguments(const Attached* attached, Address X_PI, Address position, Address rotation,
                            Address shift, double dt, Address stream) {
  CudaStepArguments a;
  a.poses = PosesAt(attached, X_PI, position, rotation);
  a.shift = At<const float>(shift);
  a.dt = static_cast<float>(dt);
  a.stream = At<void>(stream);
  return a;
}

void CudaStep(CudaMarkers& b, const Attached* attached, Address X_PI, Address position, Address rotation,
              Address shift, double dt, Address displacement, Address wrench, Address forces,
              Address stream) {
  CudaStepArguments a = Arguments(attached, X_PI, position, rotation, shift, dt, stream);
  a.out = {At<float>(displacement), At<float>(wrench), At<float>(forces)};
  b.Step(a);
}

void CudaVjp(CudaMarkers& b, Address X_PI, Address state_before, Address displacement, Address wrench,
             Address stretch_after, Address gX, Address gX_before, Address g_stretch, Address g_parameters,
             Address stream) {
  CudaVjpArguments a;
  a.step = Arguments(nullptr, X_PI, 0, 0, 0, 0, stream);
  a.state_before = At<const float>(state_before);
  a.displacement = At<const float>(displacement), a.wrench = At<const float>(wrench);
  a.stretch_after = At<const float>(stretch_after);
  a.X_PI = At<float>(gX), a.X_PI_before = At<float>(gX_before);
  a.stretch_before = At<float>(g_stretch), a.parameters = At<float>(g_parameters);
  b.Vjp(a);
}

}  // namespace

template <>
const char* NameOf<MarkerBatch>() {
  return "MarkerBatch";
}
template <>
const char* NameOf<BatchTape>() {
  return "rollout of a MarkerBatch";
}

void BindMarkerBatch(nb::module_& m) {
  nb::class_<Alone<MarkerBatch>>(m, "MarkerBatch")
      .def("step", Held(&BatchStep), nb::arg("X_PI"), nb::arg("dt"), nb::arg("shift").none(),
           nb::arg("wrench"), nb::arg("forces"))
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
      .def("tape", Held(&MakeTape), nb::arg("threads"), nb::rv_policy::take_ownership);
  nb::class_<Alone<BatchTape>>(m, "MarkerBatchTape")
      .def("follow", Held(&TapeFollow))
      .def("backward", Held(&TapeBackward));
  m.def("make_marker_batch", &MakeBatch, nb::arg("fields"), nb::arg("taxel"), nb::arg("worlds"),
        nb::arg("fingers"), nb::arg("threads"), nb::rv_policy::take_ownership);

  nb::class_<CudaMarkers>(m, "CudaMarkers")
      .def("step", &CudaStep, nb::arg("attached").none(), nb::arg("X_PI"), nb::arg("position"),
           nb::arg("rotation"), nb::arg("shift"), nb::arg("dt"), nb::arg("displacement"), nb::arg("wrench"),
           nb::arg("forces"), nb::arg("stream"))
      .def("reset",
           [](CudaMarkers& b, Address mask, bool keep_normal, Address stream) {
             b.Reset(At<const std::uint8_t>(mask), keep_normal, At<void>(stream));
           })
      .def("set_parameters", [](CudaMarkers& b, Address rows,
                                Address stream) { b.SetParameters(At<const float>(rows), At<void>(stream)); })
      .def("get_state", [](CudaMarkers& b, Address state,
                           Address stream) { b.GetState(At<float>(state), At<void>(stream)); })
      .def("set_state", [](CudaMarkers& b, Address state,
                           Address stream) { b.SetState(At<const float>(state), At<void>(stream)); })
      .def("vjp", &CudaVjp)
      .def_prop_ro("state_size", &CudaMarkers::state_size)
      .def_prop_ro("points", &CudaMarkers::points)
      .def_prop_ro("first_parameters", [](const CudaMarkers& b) {
        return std::vector<float>(b.first_parameters().begin(), b.first_parameters().end());
      });
  m.def("make_cuda_markers", &MakeCuda, nb::arg("fields"), nb::arg("taxel"), nb::arg("worlds"),
        nb::arg("fingers"), nb::rv_policy::take_ownership);
}

}  // namespace taxel::python
