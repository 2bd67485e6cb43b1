// Device memory and errors of the CUDA part.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "taxel/shape/distance_lattice.h"

namespace taxel::cuda {

inline void Check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    cudaGetLastError();  // so that the next call does not see it again
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
  }
}

/// Device memory that goes with its owner.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t bytes) {
    if (bytes > 0) Check(cudaMalloc(&data_, bytes), "device memory");
  }
  Memory(Memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~Memory() { cudaFree(data_); }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

template <typename T>
Memory Upload(const T* from, std::size_t count) {
  Memory out(count * sizeof(T));
  if (count > 0) Check(cudaMemcpy(out.as<void>(), from, count * sizeof(T), cudaMemcpyHostToDevice), "upload");
  return out;
}

inline DistanceLattice<float> UploadLattice(DistanceLattice<float> lattice, std::vector<Memory>* keep) {
  if (!lattice.values) return lattice;
  keep->push_back(Upload(lattice.values, static_cast<std::size_t>(lattice.nx) * lattice.ny * lattice.nz));
  lattice.values = keep->back().as<float>();
  return lattice;
}

/// Runs `work`; an exception becomes a message.
template <typename Work>
int Guard(char* error, std::size_t size, const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& e) {
    std::snprintf(error, size, "%s", e.what());
    return 1;
  }
}

inline cudaStream_t Stream(void* stream) { return static_cast<cudaStream_t>(stream); }

/// Before each launch: the limit belongs to the kernel, and another batch may have set it for its own size.
template <typename Kernel>
void AllowShared(Kernel kernel, std::size_t bytes, const char* what) {
  if (bytes <= 32 * 1024) return;
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        (std::string("shared memory for ") + what).c_str());
}

}  // namespace taxel::cuda
