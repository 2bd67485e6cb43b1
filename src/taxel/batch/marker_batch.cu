// Host side of a batch of marker fields: memory, and the table of functions the library loads.
#include <cmath>
#include <cstring>

#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/marker_kernels.cuh"

namespace taxel::cuda {
namespace {

struct Batch {
  explicit Batch(const CudaBatchSpec& spec);
  void Step(const CudaStepArguments& a);

  MarkerKernels kernels;
  Scene scene{};
  std::vector<Memory> keep;
  Memory parameters, state;
  std::size_t numbers = 0;
};

template <typename T>
const T* Keep(Batch* b, const std::vector<T>& host) {
  b->keep.push_back(Upload(host.data(), host.size()));
  return b->keep.back().template as<T>();
}

MarkerKernels KernelsOf(CudaMode mode) {
  switch (mode) {
    case CudaMode::kPaper:
      return PaperKernels();
    case CudaMode::kRelease:
      return ReleaseKernels();
    case CudaMode::kTaxel:
      break;
  }
  return TaxelKernels();
}

Batch::Batch(const CudaBatchSpec& spec) : kernels(KernelsOf(spec.mode)) {
  Scene& s = scene;
  s.worlds = spec.worlds, s.fingers = spec.fingers, s.objects = spec.objects;
  s.markers = spec.markers, s.substeps = spec.substeps, s.points = spec.object_begin[spec.objects];
  s.force_lambda = spec.force_lambda;
  s.state_size = 13 * s.objects + 3 * s.points + 3 * s.markers;

  std::vector<float4> points, normals, groups;
  std::vector<int> slots;
  for (int o = 0; o < s.objects; ++o) {
    s.group_begin[o] = static_cast<int>(groups.size());
    for (int first = spec.object_begin[o]; first < spec.object_begin[o + 1]; first += 32) {
      const int end = std::min(first + 32, spec.object_begin[o + 1]);
      float lo[3] = {1e30f, 1e30f, 1e30f}, hi[3] = {-1e30f, -1e30f, -1e30f};
      for (int k = first; k < end; ++k)
        for (int d = 0; d < 3; ++d)
          lo[d] = std::min(lo[d], spec.points[3 * k + d]), hi[d] = std::max(hi[d], spec.points[3 * k + d]);
      const float c[3] = {0.5f * (lo[0] + hi[0]), 0.5f * (lo[1] + hi[1]), 0.5f * (lo[2] + hi[2])};
      float r2 = 0;
      for (int k = first; k < first + 32; ++k) {
        const bool real = k < end;
        const float* p = spec.points + 3 * (real ? k : first);
        const float* n = spec.normals + 3 * (real ? k : first);
        points.push_back({p[0], p[1], p[2], real ? spec.areas[k] : 0.f});
        normals.push_back({n[0], n[1], n[2], 0});
        slots.push_back(real ? k : -1);
        float d2 = 0;
        for (int d = 0; d < 3; ++d) d2 += (p[d] - c[d]) * (p[d] - c[d]);
        r2 = std::max(r2, d2);
      }
      groups.push_back({c[0], c[1], c[2], std::sqrt(r2) * 1.00001f + 1e-7f});
    }
  }
  s.group_begin[s.objects] = static_cast<int>(groups.size());
  s.point = Keep(this, points);
  s.normal = Keep(this, normals);
  s.group = Keep(this, groups);
  s.slot_point = Keep(this, slots);
  keep.push_back(Upload(spec.marker_points, 3 * static_cast<std::size_t>(s.markers)));
  s.marker = keep.back().as<float>();
  keep.push_back(Upload(spec.marker_normals, 3 * static_cast<std::size_t>(s.markers)));
  s.marker_normal = keep.back().as<float>();

  s.gel = spec.gel;
  s.gel.lattice = UploadLattice(spec.gel.lattice, &keep);
  std::memcpy(s.box, spec.gel_box, sizeof s.box);
  s.pad = spec.pad;
  s.pad.lattice = UploadLattice(spec.pad.lattice, &keep);
  if (spec.object_shapes) {
    std::vector<KernelShape<float>> shapes(spec.object_shapes, spec.object_shapes + s.objects);
    for (KernelShape<float>& shape : shapes) shape.lattice = UploadLattice(shape.lattice, &keep);
    s.shape = Keep(this, shapes);
  }
  parameters = Upload(spec.parameters, static_cast<std::size_t>(s.worlds) * kParameterCount);
  s.parameters = parameters.as<float>();
  numbers = static_cast<std::size_t>(s.worlds) * s.fingers * s.state_size;
  state = Memory(numbers * sizeof(float));
  Check(cudaMemset(state.as<void>(), 0, numbers * sizeof(float)), "state");
  kernels.allow(s);
  Check(cudaStreamSynchronize(nullptr), "state");  // the first step may be on another stream
  s.state = state.as<float>();
}

void Batch::Step(const CudaStepArguments& a) {
  if (!a.poses.X_PI && !(a.poses.position && a.poses.rotation))
    throw std::runtime_error("no poses; give X_PI, or positions and rotations");
  if (!a.out.displacement) throw std::runtime_error("nowhere to write the displacements to");
  if (!kernels.forces && (a.out.wrench || a.out.marker_forces))
    throw std::runtime_error("the published modes know no forces; use mode 'taxel'");
  kernels.step(scene, a);
}

Batch& Of(void* batch) { return *static_cast<Batch*>(batch); }

const CudaApi kApi = {
    kCudaApiVersion,
    [](const CudaBatchSpec* spec, void** batch, char* error, std::size_t size) {
      return Guard(error, size, [&] { *batch = new Batch(*spec); });
    },
    [](void* batch) { delete static_cast<Batch*>(batch); },
    [](void* batch, const CudaStepArguments* a, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Step(*a); });
    },
    [](void* batch, const std::uint8_t* mask, int keep_normal, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        const Batch& b = Of(batch);
        b.kernels.reset(b.scene, mask, keep_normal != 0, Stream(stream));
      });
    },
    [](void* batch, const float* parameters, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        const Batch& b = Of(batch);
        Check(cudaMemcpyAsync(b.parameters.as<void>(), parameters,
                              sizeof(float) * kParameterCount * static_cast<std::size_t>(b.scene.worlds),
                              cudaMemcpyDeviceToDevice, Stream(stream)),
              "parameters");
      });
    },
    [](void* batch) { return static_cast<std::size_t>(Of(batch).scene.state_size); },
    [](void* batch, float* state, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        Check(cudaMemcpyAsync(state, Of(batch).scene.state, Of(batch).numbers * sizeof(float),
                              cudaMemcpyDeviceToDevice, Stream(stream)),
              "state");
      });
    },
    [](void* batch, const float* state, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        Check(cudaMemcpyAsync(Of(batch).scene.state, state, Of(batch).numbers * sizeof(float),
                              cudaMemcpyDeviceToDevice, Stream(stream)),
              "state");
      });
    },
    [](void* batch, const CudaVjpArguments* a, char* error, std::size_t size) {
      return Guard(error, size, [&] { LaunchVjp(Of(batch).scene, *a); });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaApi* taxel::TaxelCudaApi() {
  return &taxel::cuda::kApi;
}
