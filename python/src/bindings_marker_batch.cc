// Marker fields of many worlds: on threads, and on a GPU by addresses of device memory
// (taxel/_marker_batch.py gives them a face).
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <utility>

#include "marker_arguments.h"
#include "module.h"
#include "taxel/batch/cuda_markers.h"
#include "taxel/batch/marker_batch.h"
#include "taxel/batch/parallel_for.h"
#include "taxel/marker/taxel_vjp.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<Pose> PosesOf(const Numbers& X) {
  std::vector<Pose> out(X.size() / 16);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) out[i].R(r, c) = X.data()[16 * i + 4 * r + c];
      out[i].p[r] = X.data()[16 * i + 4 * r + 3];
    }
  return out;
}

MarkerBatch* MakeBatch(nb::list fields, bool taxel, int worlds, int fingers, int threads) {
  if (taxel) return new MarkerBatch(FieldOf(fields[0]), worlds, fingers, threads);
  std::vector<MarkerField> all;
  for (const nb::handle f : fields) all.push_back(PublishedFieldOf(f));
  return new MarkerBatch(all, worlds, fingers, threads);
}

nb::object Array(std::vector<double>&& values, std::initializer_list<std::size_t> shape) {
  return nb::cast(Own<double>(std::move(values), shape));
}

nb::tuple BatchStep(MarkerBatch& b, const Numbers& X_PI, double dt, nb::handle shift, bool wrench,
                    bool forces) {
  const std::vector<Pose> poses = PosesOf(X_PI);
  const auto W = static_cast<std::size_t>(b.worlds()), F = static_cast<std::size_t>(b.fingers()),
             N = static_cast<std::size_t>(b.markers());
  std::vector<Vec3> moved;
  if (!shift.is_none()) {
    const Numbers given = nb::cast<Numbers>(shift);
    for (std::size_t i = 0; i < W * F; ++i)
      moved.push_back({given.data()[3 * i], given.data()[3 * i + 1], given.data()[3 * i + 2]});
  }
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

const std::uint8_t* MaskOf(nb::handle mask, Mask* keep) {
  if (mask.is_none()) return nullptr;
  *keep = nb::cast<Mask>(mask);
  return keep->data();
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

BatchTape* MakeTape(const MarkerBatch& b, int threads) {
  auto* out = new BatchTape;
  out->worlds = static_cast<std::size_t>(b.worlds()), out->fingers = static_cast<std::size_t>(b.fingers());
  out->objects = static_cast<std::size_t>(b.objects()), out->markers = static_cast<std::size_t>(b.markers());
  out->threads = threads;
  for (int w = 0; w < b.worlds(); ++w)
    for (int f = 0; f < b.fingers(); ++f) out->tapes.emplace_back(b.taxel_field(w, f));
  return out;
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

using Address = std::uintptr_t;
template <typename T>
T* At(Address address) {
  return reinterpret_cast<T*>(address);
}

CudaMarkers* MakeCuda(nb::list fields, bool taxel, int worlds, int fingers) {
  if (taxel) return new CudaMarkers(FieldOf(fields[0]), worlds, fingers);
  std::vector<MarkerField> all;
  for (const nb::handle f : fields) all.push_back(PublishedFieldOf(f));
  return new CudaMarkers(all, worlds, fingers);
}

// How a batch reads poses in the world: indices and offsets, set once.
struct Attached {
  CudaPoses poses;
};

void SetOffsets(const Numbers& X, float (*to)[12]) {
  const std::vector<Pose> poses = PosesOf(X);
  for (std::size_t i = 0; i < poses.size(); ++i)
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) to[i][4 * r + c] = static_cast<float>(poses[i].R(r, c));
      to[i][4 * r + 3] = static_cast<float>(poses[i].p[r]);
    }
}

Attached* Attach(int count, const std::vector<int>& pads, const Numbers& pad_offsets,
                 const std::vector<int>& objects, const Numbers& object_offsets) {
  auto* out = new Attached;
  out->poses.count = count;
  std::copy(pads.begin(), pads.end(), out->poses.pad_index);
  std::copy(objects.begin(), objects.end(), out->poses.object_index);
  SetOffsets(pad_offsets, out->poses.pad_offset);
  SetOffsets(object_offsets, out->poses.object_offset);
  return out;
}

CudaStepArguments Arguments(const Attached* attached, Address X_PI, Address position, Address rotation,
                            Address shift, double dt, Address stream) {
  CudaStepArguments a;
  if (attached) a.poses = attached->poses;
  a.poses.X_PI = At<const float>(X_PI);
  a.poses.position = At<const float>(position), a.poses.rotation = At<const float>(rotation);
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

/// Device memory of this process's GPU, given back with the object.
struct CudaMemory {
  void* data = nullptr;
  std::size_t bytes = 0;

  explicit CudaMemory(std::size_t n) : bytes(n) {
    char error[256] = "";
    if (LoadCuda().allocate(n, &data, error, sizeof error)) throw Error(std::string("GPU: ") + error);
  }
  CudaMemory(const CudaMemory&) = delete;
  ~CudaMemory() { LoadCuda().release(data); }
};

void Copy(Address to, Address from, std::size_t bytes, Address stream, bool wait) {
  char error[256] = "";
  if (LoadCuda().copy(At<void>(to), At<const void>(from), bytes, At<void>(stream), wait, error, sizeof error))
    throw Error(std::string("GPU: ") + error);
}

// A view for DLPack; `owner` stays alive with it.
nb::object ToDlpack(Address address, const std::vector<std::size_t>& shape, nb::handle owner) {
  return nb::cast(nb::ndarray<float>(At<void>(address), shape.size(), shape.data(), owner, nullptr,
                                     nb::dtype<float>(), nb::device::cuda::value, 0));
}

// Address, shape, kind (DLPack's code and bits) and strides of an array on a GPU that speaks DLPack alone.
nb::tuple ReadDlpack(const nb::ndarray<nb::ro, nb::device::cuda>& a) {
  nb::list shape, strides;
  for (std::size_t k = 0; k < a.ndim(); ++k) shape.append(a.shape(k)), strides.append(a.stride(k));
  return nb::make_tuple(reinterpret_cast<Address>(a.data()), shape, static_cast<int>(a.dtype().code),
                        static_cast<int>(a.dtype().bits), strides);
}

}  // namespace

void BindMarkerBatch(nb::module_& m) {
  nb::class_<MarkerBatch>(m, "MarkerBatch")
      .def("step", &BatchStep, nb::arg("X_PI"), nb::arg("dt"), nb::arg("shift").none(), nb::arg("wrench"),
           nb::arg("forces"))
      .def(
          "reset",
          [](MarkerBatch& b, nb::handle mask) {
            Mask keep;
            b.Reset(MaskOf(mask, &keep));
          },
          nb::arg("mask").none())
      .def(
          "zero_tangential",
          [](MarkerBatch& b, nb::handle mask) {
            Mask keep;
            b.ZeroTangential(MaskOf(mask, &keep));
          },
          nb::arg("mask").none())
      .def("set_parameters", &SetRow, nb::arg("world"), nb::arg("values"), nb::arg("taxel"))
      .def("tape", &MakeTape, nb::arg("threads"), nb::rv_policy::take_ownership);
  nb::class_<BatchTape>(m, "MarkerBatchTape").def("follow", &TapeFollow).def("backward", &TapeBackward);
  m.def("make_marker_batch", &MakeBatch, nb::arg("fields"), nb::arg("taxel"), nb::arg("worlds"),
        nb::arg("fingers"), nb::arg("threads"), nb::rv_policy::take_ownership);

  nb::class_<Attached>(m, "AttachedPoses");
  m.def("attach_poses", &Attach, nb::arg("count"), nb::arg("pads"), nb::arg("pad_offsets"),
        nb::arg("objects"), nb::arg("object_offsets"), nb::rv_policy::take_ownership);
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
  nb::class_<CudaMemory>(m, "CudaMemory")
      .def(nb::init<std::size_t>())
      .def_prop_ro("address", [](const CudaMemory& c) { return reinterpret_cast<Address>(c.data); })
      .def("clear", [](CudaMemory& c, Address stream) {
        char error[256] = "";
        if (LoadCuda().clear(c.data, c.bytes, At<void>(stream), error, sizeof error))
          throw Error(std::string("GPU: ") + error);
      });
  m.def("cuda_copy", &Copy, nb::arg("to"), nb::arg("source"), nb::arg("bytes"), nb::arg("stream"),
        nb::arg("wait"));
  m.def("cuda_view", &ToDlpack, nb::arg("address"), nb::arg("shape"), nb::arg("owner"));
  m.def("read_dlpack", &ReadDlpack);
  m.def("why_no_cuda", &WhyNoCuda);
}

}  // namespace taxel::python
