// Host side of FOTS and TacSL on the GPU: memory, launches, and the table of functions the library loads.
#include "taxel/batch/baseline_step.cuh"
#include "taxel/batch/cuda_memory.cuh"

namespace taxel::cuda {
using namespace internal;
namespace {

struct BaselineBatch {
  explicit BaselineBatch(const CudaBaselineSpec& spec);
  void Step(const CudaBaselineArguments& a);
  void Reset(const std::uint8_t* mask, cudaStream_t stream);

  CudaBaselineKind kind;
  BaselineScene scene{};
  int state_size, parameter_count;
  std::vector<Memory> keep;
  Memory parameters, state;
  std::size_t numbers = 0;
};

using FotsKernelType = void (*)(BaselineScene, CudaBaselineArguments);

FotsKernelType FotsKernelOf(FotsVariant variant) {
  if (variant == FotsVariant::kContactCentre) return FotsKernel<FotsVariant::kContactCentre>;
  if (variant == FotsVariant::kHydroShearOriginal) return FotsKernel<FotsVariant::kHydroShearOriginal>;
  if (variant == FotsVariant::kHydroShearReimpl) return FotsKernel<FotsVariant::kHydroShearReimpl>;
  return FotsKernel<FotsVariant::kFots>;
}

BaselineBatch::BaselineBatch(const CudaBaselineSpec& spec) : kind(spec.kind) {
  if (spec.worlds < 1 || spec.fingers < 1 || spec.fingers > kMaxFingers || spec.markers < 1)
    throw std::runtime_error("worlds, fingers (at most 16) and markers must be at least 1");
  const bool fots = kind == CudaBaselineKind::kFots;
  state_size = fots ? kFotsStateSize : kTacSlStateSize;
  parameter_count = fots ? +kFotsParameterCount : +kTacSlParameterCount;
  BaselineScene& s = scene;
  s.worlds = spec.worlds, s.fingers = spec.fingers, s.markers = spec.markers;
  s.unit_shear = spec.unit_shear;
  s.rule = spec.fots;
  s.object = spec.object;
  s.object.lattice = UploadLattice(spec.object.lattice, &keep);
  keep.push_back(Upload(spec.marker_points, 3 * static_cast<std::size_t>(s.markers)));
  s.marker = keep.back().as<float>();
  parameters = Upload(spec.parameters, static_cast<std::size_t>(s.worlds) * parameter_count);
  s.parameters = parameters.as<float>();
  numbers = static_cast<std::size_t>(s.worlds) * s.fingers * state_size;
  state = Memory(numbers * sizeof(float));
  s.state = state.as<float>();
  Check(cudaMemset(s.state, 0, numbers * sizeof(float)), "state");
  if (fots) AllowShared(FotsKernelOf(s.rule.variant), FotsMemory(s.markers), "so many markers");
  Check(cudaStreamSynchronize(nullptr), "state");  // the first step may be on another stream
}

void BaselineBatch::Step(const CudaBaselineArguments& a) {
  if (!a.poses.X_PI && !(a.poses.position && a.poses.rotation))
    throw std::runtime_error("no poses: give X_PI, or position and rotation");
  const int blocks = scene.worlds * scene.fingers;
  if (kind == CudaBaselineKind::kTacSl) {
    if (!a.velocity && !(a.dt > 0))
      throw std::runtime_error("TacSL without velocities needs the time step dt, above 0");
    TacSlKernel<<<blocks, kBaselineThreads, 0, Stream(a.stream)>>>(scene, a);
  } else {
    const FotsKernelType kernel = FotsKernelOf(scene.rule.variant);
    const std::size_t bytes = FotsMemory(scene.markers);
    AllowShared(kernel, bytes, "so many markers");
    kernel<<<blocks, kBaselineThreads, bytes, Stream(a.stream)>>>(scene, a);
  }
  Check(cudaGetLastError(), "step");
}

void BaselineBatch::Reset(const std::uint8_t* mask, cudaStream_t stream) {
  const int threads = 128, blocks = (scene.worlds * scene.fingers + threads - 1) / threads;
  BaselineResetKernel<<<blocks, threads, 0, stream>>>(scene, mask, state_size);
  Check(cudaGetLastError(), "reset");
}

BaselineBatch& Of(void* batch) { return *static_cast<BaselineBatch*>(batch); }

void CopyOnDevice(void* to, const void* from, std::size_t numbers, void* stream, const char* what) {
  Check(cudaMemcpyAsync(to, from, numbers * sizeof(float), cudaMemcpyDeviceToDevice, Stream(stream)), what);
}

const CudaBaselineApi kBaselineApi = {
    kCudaBaselinesVersion,
    [](const CudaBaselineSpec* spec, void** batch, char* error, std::size_t size) {
      return Guard(error, size, [&] { *batch = new BaselineBatch(*spec); });
    },
    [](void* batch) { delete static_cast<BaselineBatch*>(batch); },
    [](void* batch, const CudaBaselineArguments* a, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Step(*a); });
    },
    [](void* batch, const std::uint8_t* mask, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Reset(mask, Stream(stream)); });
    },
    [](void* batch, const float* parameters, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        const BaselineBatch& b = Of(batch);
        CopyOnDevice(b.parameters.as<void>(), parameters,
                     static_cast<std::size_t>(b.scene.worlds) * b.parameter_count, stream, "parameters");
      });
    },
    [](void* batch) { return static_cast<std::size_t>(Of(batch).state_size); },
    [](void* batch, float* state, void* stream, char* error, std::size_t size) {
      return Guard(error, size,
                   [&] { CopyOnDevice(state, Of(batch).scene.state, Of(batch).numbers, stream, "state"); });
    },
    [](void* batch, const float* state, void* stream, char* error, std::size_t size) {
      return Guard(error, size,
                   [&] { CopyOnDevice(Of(batch).scene.state, state, Of(batch).numbers, stream, "state"); });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaBaselineApi* taxel::TaxelCudaBaselines() {
  return &taxel::cuda::kBaselineApi;
}
