#include "taxel/batch/cuda_image_batch.h"

#include "taxel/batch/cuda_library.h"

namespace taxel {
namespace {

constexpr const char* kWhere = "grey images on the GPU";

}  // namespace

CudaImages::CudaImages(const GreyScene<float>& scene, int worlds, int fingers) {
  const CudaImageApi& api = LoadCudaImages();
  CheckScene(scene);
  CheckCudaSizes("grey images", worlds, fingers);
  CudaImageSpec spec;
  spec.worlds = worlds, spec.fingers = fingers;
  spec.plane = scene.plane, spec.object = scene.object, spec.skin = scene.skin;
  spec.background = scene.camera->background.data();
  spec.table = scene.camera->table.values.data(), spec.nodes = scene.camera->table.nodes;
  void* made = nullptr;
  RunCuda(kWhere, [&](char* error, std::size_t size) { return api.create(&spec, &made, error, size); });
  batch_ = std::shared_ptr<void>(made, api.destroy);
}

void CudaImages::Render(const CudaImageArguments& a) {
  RunCuda(kWhere, [&](char* error, std::size_t size) {
    return LoadCudaImages().render(batch_.get(), &a, error, size);
  });
}

}  // namespace taxel
