// Presses of "Elastic Interaction of Particles" (taxel/gel/eip.py gives them a face).
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <utility>

#include "alone.h"
#include "marker_arguments.h"
#include "module.h"
#include "taxel/batch/cuda_eip.h"
#include "taxel/batch/eip_batch.h"
#include "taxel/math/error.h"

namespace taxel::python {
using namespace internal;
namespace {

constexpr std::size_t kSide = 61;

EipOptions ToOptions(nb::dict d) {
  EipOptions o;
  o.grid = nb::cast<int>(d["grid"]);
  o.material = {nb::cast<double>(d["young"]), nb::cast<double>(d["poisson"]), nb::cast<double>(d["density"]),
                GelLaw::kCorotated};
  o.speed = nb::cast<double>(d["speed"]), o.dt = nb::cast<double>(d["dt"]),
  o.gap = nb::cast<double>(d["gap"]);
  o.steps = nb::cast<int>(d["steps"]), o.check_every = nb::cast<int>(d["check_every"]);
  o.chamfer = nb::cast<double>(d["chamfer"]);
  o.form = nb::cast<bool>(d["sum"]) ? ChamferForm::kSum : ChamferForm::kMean;
  o.contact = nb::cast<bool>(d["mixing"]) ? EipContact::kMixing : EipContact::kStop;
  o.object_density = nb::cast<double>(d["object_density"]);
  o.hand_offset = nb::cast<bool>(d["hand_offset"]), o.follow_blend = nb::cast<bool>(d["follow_blend"]);
  o.threads = nb::cast<int>(d["threads"]);
  return o;
}

void PutPose(const Pose& X, double* to) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) to[4 * r + c] = X.R(r, c);
    to[4 * r + 3] = X.p[r];
  }
  to[15] = 1;
}

nb::object Image(const std::vector<Vec3>& v) {
  std::vector<float> out(3 * v.size());
  for (std::size_t k = 0; k < v.size(); ++k)
    for (int c = 0; c < 3; ++c) out[3 * k + static_cast<std::size_t>(c)] = static_cast<float>(v[k][c]);
  return nb::cast(Own<float>(std::move(out), {kSide, kSide, 3}));
}

/// images (n, 2, 61, 61, 3), X_DP (n, 2, 4, 4), chamfer (n, 2), steps (n,), stopped (n,)
nb::tuple Pack(const std::vector<EipResult>& results) {
  const std::size_t n = results.size(), pixels = kSide * kSide;
  std::vector<float> images(n * 2 * pixels * 3);
  std::vector<double> poses(n * 32, 0.0), chamfer(n * 2);
  std::vector<std::int64_t> steps(n);
  std::vector<std::uint8_t> stopped(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t pad = 0; pad < 2; ++pad) {
      const EipPad& p = results[k].pads[pad];
      float* to = &images[(2 * k + pad) * pixels * 3];
      for (std::size_t i = 0; i < pixels; ++i)
        for (int c = 0; c < 3; ++c) *to++ = static_cast<float>(p.image[i][c]);
      PutPose(p.X_DP, &poses[(2 * k + pad) * 16]);
      chamfer[2 * k + pad] = p.chamfer;
    }
    steps[k] = results[k].steps;
    stopped[k] = results[k].stopped;
  }
  return nb::make_tuple(Own<float>(std::move(images), {n, 2, kSide, kSide, 3}),
                        Own<double>(std::move(poses), {n, 2, 4, 4}), Own<double>(std::move(chamfer), {n, 2}),
                        Own<std::int64_t>(std::move(steps), {n}), Own<std::uint8_t>(std::move(stopped), {n}));
}

using Run = std::vector<EipResult>(const EipOptions&, const std::vector<MarkerDistance>&,
                                   const std::vector<int>&, const std::vector<Pose>&);

template <Run* kRun>
nb::tuple RunPresses(nb::dict options, nb::list shapes, const std::vector<int>& which, nb::handle poses) {
  const EipOptions o = ToOptions(options);
  std::vector<MarkerDistance> objects;
  for (std::size_t k = 0; k < nb::len(shapes); ++k)
    objects.push_back(ToDistance(shapes[k], "object " + std::to_string(k)));
  const std::vector<Pose> X = ToPoses(poses, "X_DO");
  std::vector<EipResult> results;
  {
    nb::gil_scoped_release release;
    results = kRun(o, objects, which, X);
  }
  return Pack(results);
}

}  // namespace

template <>
const char* NameOf<EipPress>() {
  return "EipSeries";
}

void BindEip(nb::module_& m) {
  m.def("run_eip_presses", &RunPresses<RunEipPresses>);
  m.def("run_eip_presses_cuda", &RunPresses<RunEipPressesCuda>);
  m.def("check_eip_object", [](nb::dict options, nb::handle object, nb::handle X_DO) {
    CheckEipObject(ToOptions(options), ToDistance(object, "object"), ToPose(X_DO, "X_DO"));
  });
  m.def("check_eip_options", [](nb::dict options) { CheckEipOptions(ToOptions(options)); });
  nb::class_<Alone<EipPress>>(m, "EipPress")
      .def("__init__",
           [](Alone<EipPress>* self, nb::dict options, nb::handle object, nb::handle X_DO) {
             new (self)
                 Alone<EipPress>(ToOptions(options), ToDistance(object, "object"), ToPose(X_DO, "X_DO"));
           })
      .def("step", Held(+[](EipPress& p, int n) {
             nb::gil_scoped_release release;
             bool on = true;
             for (int k = 0; k < n && on; ++k) on = p.Step();
             return on;
           }))
      .def_prop_ro("steps", Held(&EipPress::steps))
      .def("chamfer", Held(&EipPress::chamfer))
      .def_prop_ro("positions", Held(+[](const EipPress& p) { return OwnPoints(p.Positions()); }))
      .def_prop_ro("layers", Held(+[](const EipPress& p) {
                     std::vector<std::int64_t> out(p.layers().begin(), p.layers().end());
                     const std::size_t n = out.size();
                     return nb::cast(Own<std::int64_t>(std::move(out), {n}));
                   }))
      .def("layer_image",
           Held(+[](const EipPress& p, int pad, int layer) { return Image(p.LayerImage(pad, layer)); }))
      .def("result", Held(+[](const EipPress& p) { return Pack({p.Result()}); }));
}

}  // namespace taxel::python
