// Memory of a GPU, from C++ without CUDA's headers.
#pragma once

#include <cstddef>

#include "taxel/batch/cuda_device.h"

namespace taxel {

/// Device memory that is given back with the object; never null. Its bytes are not set.
class DeviceMemory {
 public:
  /// Throws Error when there is no GPU, or not so much memory.
  explicit DeviceMemory(std::size_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  void* data() const { return data_; }
  float* floats() const { return static_cast<float*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Either side may be host or device memory. wait: until it is done; else the memory of the host must stay.
/// stream: null for CUDA's default. Throws Error when CUDA says no.
void CopyMemory(void* to, const void* from, std::size_t bytes, void* stream, bool wait);
/// Sets device memory to 0; does not wait.
void ClearDevice(void* memory, std::size_t bytes, void* stream);
/// Bytes of 0 and 1 from `count` numbers of any kind in device memory; does not wait.
void MaskDevice(const void* from, CudaNumber kind, std::size_t count, void* to, void* stream);

}  // namespace taxel
