// FOTS and TacSL of many worlds: on threads, and on a GPU by addresses of device memory
// (taxel/batch/baseline_batch.py gives them a face).
#include <nanobind/stl/vector.h>

#include <utility>

#include "alone.h"
#include "batch_arguments.h"
#include "module.h"
#include "taxel/batch/baseline_batch.h"
#include "taxel/batch/cuda_baseline_batch.h"

namespace taxel::python {
namespace {

Alone<FotsBatch>* MakeFotsBatch(const Fots& fots, int worlds, int fingers, int threads) {
  auto* out = new Alone<FotsBatch>(fots, worlds, fingers, threads);
  out->Reset(nullptr);  // the pattern's memory is not taken over
  return out;
}

nb::object FotsStep(FotsBatch& b, const Numbers& X_PI, nb::handle shift, nb::handle mask, nb::handle before) {
  const std::vector<Pose> poses = PosesOf(X_PI);
  const std::vector<Vec3> moved = VectorsOf(shift);
  const auto W = static_cast<std::size_t>(b.worlds()), F = static_cast<std::size_t>(b.fingers()),
             N = static_cast<std::size_t>(b.markers());
  Mask keep;
  const std::uint8_t* only = MaskOf(mask, &keep);
  std::vector<double> out = Before(before, W * F * N * 3);
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  {
    nb::gil_scoped_release release;
    b.Step(poses, moved.empty() ? nullptr : moved.data(), reinterpret_cast<Vec3*>(out.data()), only);
  }
  return nb::cast(Own<double>(std::move(out), {W, F, N, 3}));
}

void SetFots(FotsBatch& b, int world, nb::dict values) {
  FotsParameters p = b.fots(world, 0).parameters();
  const std::pair<const char*, double*> known[] = {{"lambda_d", &p.lambda_d},
                                                   {"lambda_s", &p.lambda_s},
                                                   {"lambda_t", &p.lambda_t},
                                                   {"dilate_scale", &p.dilate_scale}};
  for (const auto& [name, value] : known)
    if (values.contains(name)) *value = nb::cast<double>(values[name]);
  b.SetParameters(world, p);
}

// velocity (worlds, fingers, 6) or None.
nb::tuple TacSlStep(TacSlBatch& b, const Numbers& X_PI, nb::handle velocity, double dt, nb::handle mask,
                    nb::tuple before) {
  const std::vector<Pose> poses = PosesOf(X_PI);
  const std::vector<Vec3> rates = VectorsOf(velocity);
  std::vector<BodyMotion> motion;
  for (std::size_t i = 0; i + 1 < rates.size(); i += 2) motion.push_back({rates[i], rates[i + 1]});
  const auto W = static_cast<std::size_t>(b.worlds()), F = static_cast<std::size_t>(b.fingers()),
             N = static_cast<std::size_t>(b.points());
  Mask keep;
  const std::uint8_t* only = MaskOf(mask, &keep);
  std::vector<double> depth = Before(before[0], W * F * N), normal = Before(before[1], W * F * N),
                      shear = Before(before[2], W * F * N * 2);
  {
    nb::gil_scoped_release release;
    b.Step(poses, motion.empty() ? nullptr : motion.data(), dt, {depth.data(), normal.data(), shear.data()},
           only);
  }
  return nb::make_tuple(Own<double>(std::move(depth), {W, F, N}), Own<double>(std::move(normal), {W, F, N}),
                        Own<double>(std::move(shear), {W, F, N, 2}));
}

void SetTacSl(TacSlBatch& b, int world, nb::dict values) {
  TacSlParameters p = b.tacsl(world).parameters();
  const std::pair<const char*, double*> known[] = {{"normal_contact_stiffness", &p.normal_contact_stiffness},
                                                   {"tangential_stiffness", &p.tangential_stiffness},
                                                   {"friction_coefficient", &p.friction_coefficient}};
  for (const auto& [name, value] : known)
    if (values.contains(name)) *value = nb::cast<double>(values[name]);
  b.SetParameters(world, p);
}

template <typename Batch>
void Reset(Batch& b, nb::handle mask) {
  Mask keep;
  b.Reset(MaskOf(mask, &keep));
}

void CudaFotsStep(CudaBaselines& b, const Attached* attached, Address X_PI, Address position,
                  Address rotation, Address shift, Address mask, Address displacement, Address stream) {
  CudaBaselineArguments a;
  a.poses = PosesAt(attached, X_PI, position, rotation);
  a.shift = At<const float>(shift);
  a.mask = At<const std::uint8_t>(mask);
  a.out.displacement = At<float>(displacement);
  a.stream = At<void>(stream);
  b.Step(a);
}

void CudaTacSlStep(CudaBaselines& b, const Attached* attached, Address X_PI, Address position,
                   Address rotation, Address velocity, double dt, Address mask, Address depth, Address normal,
                   Address shear, Address stream) {
  CudaBaselineArguments a;
  a.poses = PosesAt(attached, X_PI, position, rotation);
  a.velocity = At<const float>(velocity);
  a.dt = static_cast<float>(dt);
  a.mask = At<const std::uint8_t>(mask);
  a.out.depth = At<float>(depth), a.out.normal = At<float>(normal), a.out.shear = At<float>(shear);
  a.stream = At<void>(stream);
  b.Step(a);
}

}  // namespace

template <>
const char* NameOf<FotsBatch>() {
  return "FotsBatch";
}
template <>
const char* NameOf<TacSlBatch>() {
  return "TacSLBatch";
}

void BindBaselineBatch(nb::module_& m) {
  nb::class_<Alone<FotsBatch>>(m, "FotsBatch")
      .def("step", Held(&FotsStep), nb::arg("X_PI"), nb::arg("shift").none(), nb::arg("mask").none(),
           nb::arg("before").none())
      .def("reset", Held(&Reset<FotsBatch>), nb::arg("mask").none())
      .def("set_parameters", Held(&SetFots), nb::arg("world"), nb::arg("values"));
  m.def("make_fots_batch", &MakeFotsBatch, nb::arg("fots"), nb::arg("worlds"), nb::arg("fingers"),
        nb::arg("threads"), nb::rv_policy::take_ownership);
  nb::class_<Alone<TacSlBatch>>(m, "TacSlBatch")
      .def(nb::init<const TacSl&, int, int, int>(), nb::arg("tacsl"), nb::arg("worlds"), nb::arg("fingers"),
           nb::arg("threads"))
      .def("step", Held(&TacSlStep), nb::arg("X_PI"), nb::arg("velocity").none(), nb::arg("dt"),
           nb::arg("mask").none(), nb::arg("before"))
      .def("reset", Held(&Reset<TacSlBatch>), nb::arg("mask").none())
      .def("set_parameters", Held(&SetTacSl), nb::arg("world"), nb::arg("values"));
  nb::class_<CudaBaselines>(m, "CudaBaselines")
      .def(nb::init<const Fots&, int, int>(), nb::arg("fots"), nb::arg("worlds"), nb::arg("fingers"))
      .def(nb::init<const TacSl&, int, int>(), nb::arg("tacsl"), nb::arg("worlds"), nb::arg("fingers"))
      .def("step_fots", &CudaFotsStep, nb::arg("attached").none(), nb::arg("X_PI"), nb::arg("position"),
           nb::arg("rotation"), nb::arg("shift"), nb::arg("mask"), nb::arg("displacement"), nb::arg("stream"))
      .def("step_tacsl", &CudaTacSlStep, nb::arg("attached").none(), nb::arg("X_PI"), nb::arg("position"),
           nb::arg("rotation"), nb::arg("velocity"), nb::arg("dt"), nb::arg("mask"), nb::arg("depth"),
           nb::arg("normal"), nb::arg("shear"), nb::arg("stream"))
      .def("reset", [](CudaBaselines& b, Address mask,
                       Address stream) { b.Reset(At<const std::uint8_t>(mask), At<void>(stream)); })
      .def("set_parameters", [](CudaBaselines& b, Address rows,
                                Address stream) { b.SetParameters(At<const float>(rows), At<void>(stream)); })
      .def_prop_ro("first_parameters", &CudaBaselines::first_parameters);
}

}  // namespace taxel::python
