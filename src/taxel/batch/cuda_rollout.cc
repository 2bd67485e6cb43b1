#include "taxel/batch/cuda_rollout.h"

#include "taxel/math/error.h"

namespace taxel {
namespace {

RolloutRows RowsOf(const CudaMarkers& m, std::size_t steps) {
  if (!m.why_no_gradient().empty()) throw Error("marker rollout: " + m.why_no_gradient());
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  return {steps,
          size(m.worlds()) * size(m.fingers()),
          size(m.objects()),
          size(m.markers()),
          size(m.points()),
          m.state_size()};
}

DeviceMemory Floats(std::size_t count) { return DeviceMemory(count * sizeof(float)); }

}  // namespace

CudaStepArguments RolloutRows::Forward(std::size_t step, const float* path, float* displacement,
                                       void* stream) const {
  CudaStepArguments a;
  a.poses.X_PI = path + step * copies * objects * 16;
  a.out.displacement = displacement + step * copies * markers * 3;
  a.stream = stream;
  return a;
}

CudaVjpArguments RolloutRows::Backward(std::size_t step, const float* path, const float* states,
                                       const float* cotangents, float* work, float* poses, float* parameters,
                                       void* stream) const {
  float* stretch = work + row_of_poses();
  CudaVjpArguments a;
  a.step.poses.X_PI = path + step * copies * objects * 16;
  a.step.stream = stream;
  a.state_before = states + step * copies * state_size;
  a.displacement = cotangents + step * copies * markers * 3;
  if (step + 1 < steps) a.stretch_after = stretch + (step + 1) % 2 * row_of_stretches();
  a.stretch_before = stretch + step % 2 * row_of_stretches();
  a.X_PI = poses + step * row_of_poses();
  a.X_PI_before = step > 0 ? poses + (step - 1) * row_of_poses() : work;
  a.parameters = parameters;
  return a;
}

CudaRollout::CudaRollout(CudaMarkers* markers, const float* path, std::size_t steps, float* displacement,
                         void* stream)
    : markers_(markers), path_(path), rows_(RowsOf(*markers, steps)), states_(Floats(rows_.states())) {
  for (std::size_t t = 0; t < steps; ++t) {
    markers_->GetState(rows_.StateBefore(t, states_.floats()), stream);
    markers_->Step(rows_.Forward(t, path_, displacement, stream));
  }
}

CudaRollout::Gradients CudaRollout::Backward(const float* cotangents, void* stream) const {
  Gradients out{Floats(rows_.poses()), Floats(rows_.parameters()), Floats(rows_.work())};
  ClearDevice(out.poses.data(), out.poses.bytes(), stream);
  ClearDevice(out.parameters.data(), out.parameters.bytes(), stream);
  ClearDevice(out.work.data(), rows_.cleared_work() * sizeof(float), stream);
  for (std::size_t t = rows_.steps; t-- > 0;)
    markers_->Vjp(rows_.Backward(t, path_, states_.floats(), cotangents, out.work.floats(),
                                 out.poses.floats(), out.parameters.floats(), stream));
  return out;
}

}  // namespace taxel
