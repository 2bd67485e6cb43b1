#include "taxel/batch/cuda_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <vector>

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

// Where else to look, of those who know more (a Python package beside ours).
std::vector<std::string>& MoreFolders() {
  static std::vector<std::string> folders;
  return folders;
}

struct Loaded {
  const CudaDeviceApi* device = nullptr;
  const CudaApi* api = nullptr;
  const CudaLayerApi* layer = nullptr;
  const CudaBaselineApi* baselines = nullptr;
  const CudaImageApi* images = nullptr;
  const CudaGelApi* gel = nullptr;
  const CudaPadsApi* pads = nullptr;
  std::string why;
  pid_t process = getpid();
};

// The table of functions behind a symbol; null when it is missing or of another version.
template <typename Api>
const Api* Table(void* library, const char* symbol, int version) {
  const auto get = reinterpret_cast<const Api* (*)()>(dlsym(library, symbol));
  const Api* api = get ? get() : nullptr;
  return api && api->version == version ? api : nullptr;
}

Loaded Load() {
  constexpr const char* kName = "libtaxel_cuda.so";
  Loaded out;
  void* library = dlopen((OwnFolder() + kName).c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* reason = library ? nullptr : dlerror();
  const std::string first = reason ? reason : "";
  for (const std::string& folder : MoreFolders())
    if (!library) library = dlopen((folder + "/" + kName).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    out.why =
        "libtaxel_cuda.so, the part of taxel for GPUs, cannot be loaded (" + first +
        "); pip install taxel-cuda, or build taxel on a machine with nvcc on the path, or use device 'cpu'";
    return out;
  }
  out.device = Table<CudaDeviceApi>(library, "TaxelCudaDevice", kCudaDeviceVersion);
  out.api = Table<CudaApi>(library, "TaxelCudaApi", kCudaApiVersion);
  out.layer = Table<CudaLayerApi>(library, "TaxelCudaLayer", kCudaLayerVersion);
  out.baselines = Table<CudaBaselineApi>(library, "TaxelCudaBaselines", kCudaBaselinesVersion);
  out.images = Table<CudaImageApi>(library, "TaxelCudaImages", kCudaImagesVersion);
  out.gel = Table<CudaGelApi>(library, "TaxelCudaGel", kCudaGelVersion);
  out.pads = Table<CudaPadsApi>(library, "TaxelCudaPads", kCudaPadsVersion);
  if (!out.device || !out.api || !out.layer || !out.baselines || !out.images || !out.gel || !out.pads) {
    out.why =
        "libtaxel_cuda.so belongs to another version of taxel; install the taxel-cuda of the same version, "
        "or "
        "build both together";
    return out;
  }
  char error[256] = "";
  if (out.device->device_count(error, sizeof error) < 1)
    out.why = std::string("no GPU to run on (") + (error[0] ? error : "CUDA sees no device") +
              "); use device 'cpu'";
  return out;
}

const Loaded& Get() {
  static const Loaded loaded = Load();
  return loaded;
}

const Loaded& Need() {
  const Loaded& loaded = Get();
  if (!loaded.why.empty()) throw Error("CUDA: " + loaded.why);
  return loaded;
}

}  // namespace

void AddCudaFolder(const std::string& folder) { MoreFolders().push_back(folder); }

const CudaDeviceApi& LoadCudaDevice() { return *Need().device; }
const CudaApi& LoadCuda() { return *Need().api; }
const CudaLayerApi& LoadCudaLayer() { return *Need().layer; }
const CudaBaselineApi& LoadCudaBaselines() { return *Need().baselines; }
const CudaImageApi& LoadCudaImages() { return *Need().images; }
const CudaGelApi& LoadCudaGel() { return *Need().gel; }
const CudaPadsApi& LoadCudaPads() { return *Need().pads; }

bool CudaForked() { return Get().process != getpid(); }

std::string WhyNoCuda() { return Get().why; }

void CheckCudaSizes(const char* what, int worlds, int fingers) {
  if (worlds < 1 || fingers < 1 || fingers > kMaxFingers)
    throw Error(std::string(what) + ": " + std::to_string(worlds) + " worlds and " + std::to_string(fingers) +
                " fingers; give at least one world and 1 to " + std::to_string(kMaxFingers) + " fingers");
}

}  // namespace taxel
