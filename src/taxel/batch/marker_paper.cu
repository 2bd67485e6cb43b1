// Mode paper: HydroShear as printed. Markers move along the plane of the gel.
#include "taxel/batch/marker_published.cuh"

namespace taxel::cuda {
namespace {

struct PaperModel : PublishedModel<MarkerMode::kPaper, true> {
  using PublishedModel::PublishedModel;
  static __device__ F3 KeepNormal(const F3& stretch, const F3& n) { return Dot(stretch, n) * n; }
};

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    PaperStep(const __grid_constant__ Scene s, const __grid_constant__ CudaStepArguments a) {
  StepField<PaperModel>(s, a);
}

__global__ void PaperReset(const __grid_constant__ Scene s, const std::uint8_t* mask, bool keep_normal) {
  ResetField<PaperModel>(s, mask, keep_normal);
}

void Allow(const Scene& s) { AllowStep(PaperStep, s, false); }
void Step(const Scene& s, const CudaStepArguments& a) { LaunchStep(PaperStep, s, false, a); }
void Reset(const Scene& s, const std::uint8_t* mask, bool keep_normal, cudaStream_t stream) {
  LaunchReset(PaperReset, s, mask, keep_normal, stream);
}

}  // namespace

MarkerKernels PaperKernels() { return {Allow, Step, Reset, false}; }

}  // namespace taxel::cuda
