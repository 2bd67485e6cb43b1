#include "taxel/batch/cuda_markers.h"

#include <algorithm>
#include <limits>

#include "taxel/batch/cuda_library.h"
#include "taxel/batch/point_order.h"
#include "taxel/math/error.h"
#include "taxel/shape/to_kernel_shape.h"

namespace taxel {
using namespace internal;
namespace {

constexpr int kGroup = 32;

void SetBox(const Box3& box, CudaBatchSpec* spec) {
  constexpr double kMost = std::numeric_limits<float>::max();
  for (int k = 0; k < 3; ++k) {
    spec->gel_box[k] = static_cast<float>(std::max(box.lo[k], -kMost));
    spec->gel_box[3 + k] = static_cast<float>(std::min(box.hi[k], kMost));
  }
}

template <typename Call>
void Run(const Call& call) {
  RunCuda("marker batch on the GPU", call);
}

}  // namespace

std::array<float, kParameterCount> ToRow(const TaxelParameters& p) {
  const auto f = [](double v) { return static_cast<float>(v); };
  return {f(p.lambda_d),        f(p.lambda_s),  f(p.friction),     f(p.normal_stiffness),
          f(p.shear_stiffness), f(p.squeeze),   f(p.dilate_scale), f(p.shear_scale),
          f(p.creep),           f(p.creep_time)};
}

std::array<float, kParameterCount> ToRow(const MarkerParameters& p) {
  if (p.young_over_stiffness != 1 || (p.tracking_friction >= 0 && p.tracking_friction != p.friction) ||
      p.point_areas)
    throw Error(
        "marker batch on the GPU: mode \"paper\" has one tracker and equal areas there; leave out young, "
        "tracking_friction and areas, or use device=\"cpu\"");
  const auto f = [](double v) { return static_cast<float>(v); };
  return {f(p.lambda_d),
          f(p.lambda_s),
          f(p.friction),
          f(p.stiffness_area),
          1,
          0,
          f(p.dilate_scale),
          f(p.shear_scale),
          0,
          1};
}

CudaMarkers::CudaMarkers(const TaxelField& field, int worlds, int fingers)
    : worlds_(worlds), fingers_(fingers) {
  CudaBatchSpec spec;
  spec.mode = CudaMode::kTaxel;
  spec.substeps = field.substeps();
  spec.force_lambda = static_cast<float>(field.force_lambda());
  const GelSurface<double>& gel = field.pad().surface();
  const auto f = [](double v) {
    constexpr double kMost = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(v, -kMost, kMost));
  };
  spec.gel.flat = gel.flat;
  spec.gel.half_x = f(gel.half_x), spec.gel.half_y = f(gel.half_y);
  spec.gel.bottom = f(gel.bottom), spec.gel.top = f(gel.top);
  FloatLattices keep;
  if (!gel.flat) {
    keep.push_back(std::make_unique<FloatLattice>(gel.lattice));
    spec.gel.lattice = keep.back()->lattice();
  }
  SetBox(field.pad().box(), &spec);
  first_ = ToRow(field.parameters());
  if (field.substeps() != 1) why_no_gradient_ = "substeps have no gradient";
  Create(&spec, field.objects(), field.markers_P(), field.spread().normals());
}

CudaMarkers::CudaMarkers(const std::vector<MarkerField>& fields, int worlds, int fingers)
    : worlds_(worlds), fingers_(fingers) {
  if (fields.empty()) throw Error("marker batch: no object; give at least one that can press");
  CudaBatchSpec spec;
  const MarkerField& one = fields[0];
  spec.mode = one.parameters().mode == MarkerMode::kPaper ? CudaMode::kPaper : CudaMode::kRelease;
  FloatLattices keep;
  spec.pad = ToKernelShape(one.pad(), "marker batch: the pad", &keep);
  SetBox(one.pad().inside_box(), &spec);
  std::vector<KernelShape<float>> shapes;
  std::vector<MarkerIndenter> objects;
  for (const MarkerField& field : fields) {
    if (!(field.parameters() == one.parameters()) || field.markers_P() != one.markers_P())
      throw Error(
          "marker batch: fields with different modes, parameters or markers; objects of one pad share them");
    shapes.push_back(ToKernelShape(field.indenter().distance, "marker batch: an object", &keep));
    objects.push_back(field.indenter());
  }
  spec.object_shapes = shapes.data();
  first_ = ToRow(one.parameters());
  why_no_gradient_ = "the published modes have no gradient; use mode 'taxel'";
  Create(&spec, objects, one.markers_P(), std::vector<Vec3>(one.markers_P().size(), Vec3{0, 0, 1}));
}

void CudaMarkers::Create(CudaBatchSpec* spec, const std::vector<MarkerIndenter>& objects,
                         const std::vector<Vec3>& markers, const std::vector<Vec3>& normals) {
  const CudaApi& api = LoadCuda();
  CheckCudaSizes("marker batch", worlds_, fingers_);
  if (objects.size() > static_cast<std::size_t>(kMaxObjects))
    throw Error("marker batch: " + std::to_string(objects.size()) + " objects; a GPU takes up to " +
                std::to_string(kMaxObjects));
  objects_ = static_cast<int>(objects.size()), markers_ = static_cast<int>(markers.size());
  std::vector<float> points, point_normals, areas;
  std::vector<int> begin{0};
  int before = 0;
  for (const MarkerIndenter& o : objects) {
    for (const int k : GroupOrder(o.points_I, kGroup)) {
      const auto i = static_cast<std::size_t>(k);
      order_.push_back(before + k);
      for (int d = 0; d < 3; ++d) {
        points.push_back(static_cast<float>(o.points_I[i][d]));
        point_normals.push_back(o.normals_I.empty() ? 0.0f : static_cast<float>(o.normals_I[i][d]));
      }
      areas.push_back(o.areas.empty() ? 0.0f : static_cast<float>(o.areas[i]));
    }
    before += static_cast<int>(o.points_I.size());
    begin.push_back(before);
  }
  const std::vector<float> marker_points = FlattenToFloat(markers), marker_normals = FlattenToFloat(normals);
  std::vector<float> rows;
  for (int w = 0; w < worlds_; ++w) rows.insert(rows.end(), first_.begin(), first_.end());
  spec->worlds = worlds_, spec->fingers = fingers_, spec->objects = objects_, spec->markers = markers_;
  spec->marker_points = marker_points.data(), spec->marker_normals = marker_normals.data();
  spec->object_begin = begin.data();
  spec->points = points.data(), spec->normals = point_normals.data(), spec->areas = areas.data();
  spec->parameters = rows.data();
  void* made = nullptr;
  Run([&](char* error, std::size_t size) { return api.create(spec, &made, error, size); });
  batch_ = std::shared_ptr<void>(made, api.destroy);
}

void CudaMarkers::Step(const CudaStepArguments& a) {
  Run([&](char* error, std::size_t size) { return LoadCuda().step(batch_.get(), &a, error, size); });
}
void CudaMarkers::Reset(const std::uint8_t* mask, bool keep_normal, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCuda().reset(batch_.get(), mask, keep_normal, stream, error, size);
  });
}
void CudaMarkers::SetParameters(const float* parameters, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCuda().set_parameters(batch_.get(), parameters, stream, error, size);
  });
}
std::size_t CudaMarkers::state_size() const { return LoadCuda().state_size(batch_.get()); }
void CudaMarkers::GetState(float* state, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCuda().get_state(batch_.get(), state, stream, error, size);
  });
}
void CudaMarkers::SetState(const float* state, void* stream) {
  Run([&](char* error, std::size_t size) {
    return LoadCuda().set_state(batch_.get(), state, stream, error, size);
  });
}
void CudaMarkers::Vjp(const CudaVjpArguments& a) {
  if (!why_no_gradient_.empty()) throw Error("marker batch: " + why_no_gradient_);
  Run([&](char* error, std::size_t size) { return LoadCuda().vjp(batch_.get(), &a, error, size); });
}

}  // namespace taxel
