#include <dlfcn.h>

#include <string>

#include "taxel/batch/cuda_markers.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

// The folder of the binary this code is part of.
std::string OwnFolder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&OwnFolder), &info) == 0 || !info.dli_fname) return "";
  const std::string file = info.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

struct Loaded {
  const CudaApi* api = nullptr;
  std::string why;
};

Loaded Load() {
  constexpr const char* kName = "libtaxel_cuda.so";
  void* library = dlopen((OwnFolder() + kName).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return {nullptr,
            "taxel was built without CUDA (libtaxel_cuda.so is not there); build it on a machine with nvcc "
            "on the "
            "path, or use device 'cpu'"};
  const auto get = reinterpret_cast<const CudaApi* (*)()>(dlsym(library, "TaxelCudaApi"));
  const CudaApi* api = get ? get() : nullptr;
  if (!api || api->version != kCudaApiVersion)
    return {nullptr, "libtaxel_cuda.so belongs to another version of taxel; build both together"};
  char error[256] = "";
  if (api->device_count(error, sizeof error) < 1)
    return {nullptr, std::string("no GPU to run on (") + (error[0] ? error : "CUDA sees no device") +
                         "); use device 'cpu'"};
  return {api, ""};
}

const Loaded& Get() {
  static const Loaded loaded = Load();
  return loaded;
}

}  // namespace

const CudaApi& LoadCuda() {
  const Loaded& loaded = Get();
  if (!loaded.api) throw Error("CUDA: " + loaded.why);
  return *loaded.api;
}

std::string WhyNoCuda() { return Get().why; }

}  // namespace taxel
