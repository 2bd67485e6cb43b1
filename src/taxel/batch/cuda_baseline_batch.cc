#include "taxel/batch/cuda_baseline_batch.h"

#include "taxel/batch/cuda_library.h"
#include "taxel/shape/to_kernel_shape.h"

namespace taxel {
using namespace internal;
namespace {

template <typename Call>
void Run(const Call& call) {
  RunCuda("FOTS and TacSL on the GPU", call);
}

}  // namespace

CudaBaselines::CudaBaselines(const Fots& fots, int worlds, int fingers) {
  CudaBaselineSpec spec;
  spec.kind = CudaBaselineKind::kFots, spec.worlds = worlds, spec.fingers = fingers;
  const Triple<double>& c = fots.rule().centre_I;
  const Vec3 centre_I{c.x, c.y, c.z};
  spec.fots = ToFotsRule<float>(fots.parameters(), fots.rule().has_centre ? &centre_I : nullptr);
  const FotsRates<float> r = ToFotsRates<float>(fots.parameters());
  first_ = {r.lambda_d, r.lambda_s, r.lambda_t, r.dilate_scale};
  Create(&spec, fots.markers_P(), fots.object());
}

CudaBaselines::CudaBaselines(const TacSl& tacsl, int worlds, int fingers) {
  CudaBaselineSpec spec;
  spec.kind = CudaBaselineKind::kTacSl, spec.worlds = worlds, spec.fingers = fingers;
  const TacSlParameters& p = tacsl.parameters();
  spec.unit_shear = p.unit_shear;
  first_ = {static_cast<float>(p.normal_contact_stiffness), static_cast<float>(p.tangential_stiffness),
            static_cast<float>(p.friction_coefficient)};
  Create(&spec, tacsl.points_P(), tacsl.object());
}

void CudaBaselines::Create(CudaBaselineSpec* spec, const std::vector<Vec3>& points,
                           const MarkerDistance& object) {
  const CudaBaselineApi& api = LoadCudaBaselines();
  const char* model = spec->kind == CudaBaselineKind::kFots ? "FOTS batch" : "TacSL batch";
  CheckCudaSizes(model, spec->worlds, spec->fingers);
  FloatLattices keep;
  spec->object = ToKernelShape(object, std::string(model) + ": the object", &keep);
  const std::vector<float> places = FlattenToFloat(points);
  std::vector<float> rows;
  for (int w = 0; w < spec->worlds; ++w) rows.insert(rows.end(), first_.begin(), first_.end());
  spec->markers = static_cast<int>(points.size());
  spec->marker_points = places.data();
  spec->parameters = rows.data();
  void* made = nullptr;
  Run([&](char* error, std::size_t size) { return api.create(spec, &made, error, size); });
  batch_ = std::shared_ptr<void>(made, api.destroy);
}

void CudaBaselines::Step(const CudaBaselineArguments& a) {
  Run([&](char* error, std::size_t size) { return LoadCudaBaselines().step(batch_.get(), &a, error, size); });
}
void CudaBaselines::Reset(const std::uint8_t* mask, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCudaBaselines().reset(batch_.get(), mask, stream, error, size);
  });
}
void CudaBaselines::SetParameters(const float* parameters, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCudaBaselines().set_parameters(batch_.get(), parameters, stream, error, size);
  });
}

}  // namespace taxel
