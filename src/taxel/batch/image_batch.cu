// Host side of grey images on the GPU: memory, launches, and the table of functions the library loads.
#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/image_step.cuh"

namespace taxel::cuda {
namespace {

struct ImageBatch {
  explicit ImageBatch(const CudaImageSpec& spec);
  void Render(const CudaImageArguments& a);

  ImageScene scene{};
  std::vector<Memory> keep;
};

ImageBatch::ImageBatch(const CudaImageSpec& spec) {
  const int rows = spec.plane.rows, cols = spec.plane.cols;
  if (spec.worlds < 1 || spec.fingers < 1 || spec.fingers > kMaxFingers || rows < 3 || cols < 3)
    throw std::runtime_error(
        "worlds and fingers (at most 16) must be at least 1, rows and columns at least 3");
  if (spec.nodes < 3 || !(spec.plane.pixel > 0))
    throw std::runtime_error("the photometric table needs at least 3 nodes, a pixel a size above 0");
  scene = {spec.worlds, spec.fingers, spec.plane, spec.object, spec.skin, {}};
  scene.object.lattice = UploadLattice(spec.object.lattice, &keep);
  const std::size_t pixels = static_cast<std::size_t>(rows) * cols;
  std::vector<float> grey(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const float* ground = spec.background + 3 * i;
    grey[i] = Luma(ClampLevel(ground[0]), ClampLevel(ground[1]), ClampLevel(ground[2]));
  }
  const auto put = [&](const float* from, std::size_t count) {
    keep.push_back(Upload(from, count));
    return keep.back().as<float>();
  };
  scene.camera = {put(spec.background, 3 * pixels), put(grey.data(), pixels),
                  put(spec.table, static_cast<std::size_t>(spec.nodes) * spec.nodes * kPlaceTerms * kColours),
                  spec.nodes};
  AllowShared(scene.skin.membrane ? ImageKernel<true> : ImageKernel<false>,
              ImageMemory(rows, cols, scene.skin.membrane), "an image of so many pixels");
}

void ImageBatch::Render(const CudaImageArguments& a) {
  if (!a.poses.X_PI && !(a.poses.position && a.poses.rotation))
    throw std::runtime_error("no poses: give X_PI, or position and rotation");
  const int blocks = scene.worlds * scene.fingers;
  const std::size_t bytes = ImageMemory(scene.plane.rows, scene.plane.cols, scene.skin.membrane);
  AllowShared(scene.skin.membrane ? ImageKernel<true> : ImageKernel<false>, bytes,
              "an image of so many pixels");
  if (scene.skin.membrane)
    ImageKernel<true><<<blocks, kImageThreads, bytes, Stream(a.stream)>>>(scene, a);
  else
    ImageKernel<false><<<blocks, kImageThreads, bytes, Stream(a.stream)>>>(scene, a);
  Check(cudaGetLastError(), "render");
}

const CudaImageApi kImageApi = {
    kCudaImagesVersion,
    [](const CudaImageSpec* spec, void** batch, char* error, std::size_t size) {
      return Guard(error, size, [&] { *batch = new ImageBatch(*spec); });
    },
    [](void* batch) { delete static_cast<ImageBatch*>(batch); },
    [](void* batch, const CudaImageArguments* a, char* error, std::size_t size) {
      return Guard(error, size, [&] { static_cast<ImageBatch*>(batch)->Render(*a); });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaImageApi* taxel::TaxelCudaImages() {
  return &taxel::cuda::kImageApi;
}
