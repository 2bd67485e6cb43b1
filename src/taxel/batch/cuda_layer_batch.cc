#include "taxel/batch/cuda_layer_batch.h"

#include <string>
#include <vector>

#include "taxel/batch/cuda_library.h"
#include "taxel/marker/layer_arrays.h"

namespace taxel {
using namespace internal;
namespace {

template <typename Call>
void Run(const Call& call) {
  RunCuda("marker batch on the GPU, mode 'layer'", call);
}

}  // namespace

CudaLayer::CudaLayer(const LayerField& field, int worlds, int fingers) {
  // First what is wrong on any machine.
  const LayerArrays arrays(field, "marker batch");
  if (field.objects() > static_cast<std::size_t>(kMaxObjects))
    throw Error("marker batch: " + std::to_string(field.objects()) + " objects; a GPU takes up to " +
                std::to_string(kMaxObjects));
  CheckCudaSizes("marker batch", worlds, fingers);
  const CudaLayerApi& api = LoadCudaLayer();
  const LayerParameters& p = field.parameters();
  first_ = {static_cast<float>(p.friction), static_cast<float>(p.young), static_cast<float>(p.pixel)};
  std::vector<float> rows;
  for (int w = 0; w < worlds; ++w) rows.insert(rows.end(), first_.begin(), first_.end());
  const CudaLayerSpec spec{worlds, fingers, &arrays.scene(), rows.data()};
  void* made = nullptr;
  Run([&](char* error, std::size_t size) { return api.create(&spec, &made, error, size); });
  batch_ = std::shared_ptr<void>(made, api.destroy);
}

void CudaLayer::Step(const CudaStepArguments& a) {
  Run([&](char* error, std::size_t size) { return LoadCudaLayer().step(batch_.get(), &a, error, size); });
}
void CudaLayer::Reset(const std::uint8_t* mask, bool keep_normal, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCudaLayer().reset(batch_.get(), mask, keep_normal, stream, error, size);
  });
}
void CudaLayer::SetParameters(const float* parameters, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCudaLayer().set_parameters(batch_.get(), parameters, stream, error, size);
  });
}
std::uint64_t CudaLayer::Overflows() const {
  std::uint64_t count = 0;
  Run([&](char* error, std::size_t size) {
    return LoadCudaLayer().overflows(batch_.get(), &count, error, size);
  });
  return count;
}

}  // namespace taxel
