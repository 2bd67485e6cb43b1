// Mode layer on a GPU: the table of functions the library loads.
#include "taxel/batch/layer_kernel.cuh"

namespace taxel::cuda {
namespace {

using Batch = LayerBatch<BlockTeam>;

Batch& Of(void* batch) { return *static_cast<Batch*>(batch); }

const CudaLayerApi kLayerApi = {
    kCudaLayerVersion,
    [](const CudaLayerSpec* spec, void** batch, char* error, std::size_t size) {
      return Guard(error, size, [&] { *batch = new Batch(*spec); });
    },
    [](void* batch) { delete static_cast<Batch*>(batch); },
    [](void* batch, const CudaStepArguments* a, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Step(*a); });
    },
    [](void* batch, const std::uint8_t* mask, int keep_normal, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        const LayerBatchView& b = Of(batch).view;
        LayerResetKernel<<<b.gels(), internal::kLayerLanes, 0, Stream(stream)>>>(b, mask, keep_normal != 0);
        Check(cudaGetLastError(), "reset");
      });
    },
    [](void* batch, const float* parameters, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        const Batch& b = Of(batch);
        Check(cudaMemcpyAsync(b.parameters.as<void>(), parameters,
                              sizeof(float) * kLayerParameterCount * static_cast<std::size_t>(b.view.worlds),
                              cudaMemcpyDeviceToDevice, Stream(stream)),
              "parameters");
      });
    },
    [](void* batch, std::uint64_t* count, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        unsigned long long found = 0;
        Check(cudaDeviceSynchronize(), "overflows");
        Check(cudaMemcpy(&found, Of(batch).workers.overflows, sizeof found, cudaMemcpyDeviceToHost),
              "overflows");
        *count = found;
      });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaLayerApi* taxel::TaxelCudaLayer() {
  return &taxel::cuda::kLayerApi;
}
