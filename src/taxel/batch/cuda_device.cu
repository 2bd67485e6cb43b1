#include "taxel/batch/cuda_device.h"
#include "taxel/batch/cuda_memory.cuh"

namespace taxel::cuda {
namespace {

const CudaDeviceApi kApi = {
    kCudaDeviceVersion,
    [](char* error, std::size_t size) {
      int count = 0;
      return Guard(error, size, [&] { Check(cudaGetDeviceCount(&count), "CUDA"); }) ? 0 : count;
    },
    [](std::size_t bytes, void** memory, char* error, std::size_t size) {
      return Guard(error, size, [&] { Check(cudaMalloc(memory, bytes), "device memory"); });
    },
    [](void* memory) { cudaFree(memory); },
    [](void* to, const void* from, std::size_t bytes, void* stream, int wait, char* error, std::size_t size) {
      return Guard(error, size, [&] {
        Check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, Stream(stream)), "copy");
        if (wait) Check(cudaStreamSynchronize(Stream(stream)), "copy");
      });
    },
    [](void* memory, std::size_t bytes, void* stream, char* error, std::size_t size) {
      return Guard(error, size, [&] { Check(cudaMemsetAsync(memory, 0, bytes, Stream(stream)), "clear"); });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaDeviceApi* taxel::TaxelCudaDevice() {
  return &taxel::cuda::kApi;
}
