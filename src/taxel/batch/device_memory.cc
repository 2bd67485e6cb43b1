#include "taxel/batch/device_memory.h"

#include <algorithm>
#include <utility>

#include "taxel/batch/cuda_library.h"

namespace taxel {
namespace {

template <typename Call>
void Run(const Call& call) {
  RunCuda("GPU", call);
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(bytes) {
  Run([&](char* error, std::size_t size) {
    return LoadCudaDevice().allocate(std::max<std::size_t>(bytes, 4), &data_, error, size);
  });
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (data_) LoadCudaDevice().release(data_);
}

void CopyMemory(void* to, const void* from, std::size_t bytes, void* stream, bool wait) {
  Run([&](char* error, std::size_t size) {
    return LoadCudaDevice().copy(to, from, bytes, stream, wait, error, size);
  });
}

void ClearDevice(void* memory, std::size_t bytes, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCudaDevice().clear(memory, bytes, stream, error, size);
  });
}

void MaskDevice(const void* from, CudaNumber kind, std::size_t count, void* to, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCudaDevice().mask(from, kind, count, static_cast<unsigned char*>(to), stream, error, size);
  });
}

}  // namespace taxel
