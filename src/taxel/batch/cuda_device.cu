#include <cstdint>

#include "taxel/batch/cuda_device.h"
#include "taxel/batch/cuda_memory.cuh"

namespace taxel::cuda {
namespace {

// Of a float or a double all bits but the sign say whether it is 0, so a whole number of its size does.
template <typename Whole>
__global__ void IsNotZero(const Whole* from, Whole bits, std::size_t count, unsigned char* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = (from[i] & bits) != 0;
}

template <typename Whole>
void ToMask(const void* from, Whole bits, std::size_t count, unsigned char* to, cudaStream_t stream) {
  constexpr unsigned kBlock = 128;
  if (count == 0) return;
  const unsigned blocks = static_cast<unsigned>((count + kBlock - 1) / kBlock);
  IsNotZero<<<blocks, kBlock, 0, stream>>>(static_cast<const Whole*>(from), bits, count, to);
  Check(cudaGetLastError(), "mask");
}

void ToMask(const void* from, CudaNumber kind, std::size_t count, unsigned char* to, cudaStream_t stream) {
  switch (kind) {
    case CudaNumber::kByte:
      return ToMask<std::uint8_t>(from, 0xff, count, to, stream);
    case CudaNumber::kInt16:
      return ToMask<std::uint16_t>(from, 0xffff, count, to, stream);
    case CudaNumber::kInt32:
      return ToMask<std::uint32_t>(from, ~0u, count, to, stream);
    case CudaNumber::kInt64:
      return ToMask<std::uint64_t>(from, ~std::uint64_t{0}, count, to, stream);
    case CudaNumber::kHalf:
      return ToMask<std::uint16_t>(from, 0x7fff, count, to, stream);
    case CudaNumber::kFloat:
      return ToMask<std::uint32_t>(from, 0x7fffffffu, count, to, stream);
    case CudaNumber::kDouble:
      return ToMask<std::uint64_t>(from, ~std::uint64_t{0} >> 1, count, to, stream);
  }
}

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
    [](const void* from, CudaNumber kind, std::size_t count, unsigned char* to, void* stream, char* error,
       std::size_t size) {
      return Guard(error, size, [&] { ToMask(from, kind, count, to, Stream(stream)); });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaDeviceApi* taxel::TaxelCudaDevice() {
  return &taxel::cuda::kApi;
}
