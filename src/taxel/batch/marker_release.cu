// Mode release: HydroShear as its authors released it.
#include "taxel/batch/marker_published.cuh"

namespace taxel::cuda {
namespace {

struct ReleaseModel : PublishedModel<MarkerMode::kRelease, false> {
  using PublishedModel::PublishedModel;
  static __device__ F3 KeepNormal(const F3& stretch, const F3&) { return {0, 0, stretch.z}; }
};

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    ReleaseStep(const __grid_constant__ Scene s, const __grid_constant__ CudaStepArguments a) {
  StepField<ReleaseModel>(s, a);
}

__global__ void ReleaseReset(const __grid_constant__ Scene s, const std::uint8_t* mask, bool keep_normal) {
  ResetField<ReleaseModel>(s, mask, keep_normal);
}

void Allow(const Scene& s) { AllowStep(ReleaseStep, s, false); }
void Step(const Scene& s, const CudaStepArguments& a) { LaunchStep(ReleaseStep, s, false, a); }
void Reset(const Scene& s, const std::uint8_t* mask, bool keep_normal, cudaStream_t stream) {
  LaunchReset(ReleaseReset, s, mask, keep_normal, stream);
}

}  // namespace

MarkerKernels ReleaseKernels() { return {Allow, Step, Reset, false}; }

}  // namespace taxel::cuda
