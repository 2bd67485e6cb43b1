#include "taxel/batch/cuda_gel_batch.h"

#include <cmath>
#include <limits>

#include "taxel/batch/cuda_library.h"
#include "taxel/shape/to_kernel_shape.h"

namespace taxel {
using namespace internal;
namespace {

template <typename Call>
void Run(const Call& call) {
  RunCuda("gel on the GPU", call);
}

void CheckCount(const char* what, std::size_t given, std::size_t wanted) {
  if (given != 0 && given != wanted)
    throw Error(std::string("gel on the GPU: ") + std::to_string(given) + " numbers of " + what + "; give " +
                std::to_string(wanted));
}

}  // namespace

CudaGel::CudaGel(CudaGelSpec spec, const std::vector<CudaGelBody>& objects)
    : worlds_(spec.worlds), particles_(spec.particles), pads_(spec.pads), layer_(spec.layer) {
  if (spec.pads == 0 && !objects.empty())
    throw Error("gel on the GPU: " + std::to_string(objects.size()) +
                " objects, but no pads, and only pads meet objects; give contact layers, or no objects");
  const CudaGelApi& api = LoadCudaGel();
  FloatLattices keep;
  std::vector<CudaGelObject> plain;
  std::vector<float> points;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    CudaGelObject o;
    o.shape = ToKernelShape(objects[k].distance, "gel on the GPU: object " + std::to_string(k), &keep);
    const Box3& box = objects[k].distance.inside_box();
    const Vec3 center = box.center();
    const double radius = 0.5 * norm(box.size());
    const bool finite = std::isfinite(radius);
    for (int c = 0; c < 3; ++c) o.center[c] = finite ? static_cast<float>(center[c]) : 0;
    o.radius = finite ? static_cast<float>(1.0001 * radius) : std::numeric_limits<float>::infinity();
    o.first_point = static_cast<int>(points.size() / 3),
    o.points = static_cast<int>(objects[k].points.size());
    const std::vector<float> flat = FlattenToFloat(objects[k].points);
    points.insert(points.end(), flat.begin(), flat.end());
    plain.push_back(o);
  }
  if (spec.mix_momentum && points.empty())
    throw Error("gel on the GPU: mixing of momentum needs points that fill the objects");
  spec.objects = static_cast<int>(plain.size());
  spec.object = plain.data(), spec.object_points = points.data();
  void* made = nullptr;
  Run([&](char* error, std::size_t size) { return api.create(&spec, &made, error, size); });
  batch_ = std::shared_ptr<void>(made, api.destroy);
}

void CudaGel::Place(const std::vector<int>& object, const std::vector<Pose>& X_GO,
                    const std::vector<float>& hand) {
  const auto W = static_cast<std::size_t>(worlds_);
  if (pads_ == 0 && !(object.empty() && hand.empty()))
    throw Error("gel on the GPU: this gel has no pads, so neither objects nor hands; leave them out");
  CheckCount("objects", object.size(), W);
  CheckCount("poses", X_GO.size(), W);
  CheckCount("hands' velocities", hand.size(), W * static_cast<std::size_t>(pads_) * 3);
  if (object.empty() != X_GO.empty()) throw Error("gel on the GPU: objects need poses, and poses objects");
  std::vector<float> poses;
  for (const Pose& X : X_GO)
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) poses.push_back(static_cast<float>(X.R(i, j)));
      poses.push_back(static_cast<float>(X.p[i]));
    }
  CudaGelPlaces places;
  if (!object.empty()) places.object = object.data(), places.X_GO = poses.data();
  if (!hand.empty()) places.hand = hand.data();
  Run([&](char* error, std::size_t size) { return LoadCudaGel().place(batch_.get(), &places, error, size); });
}

CudaGelStatus CudaGel::Advance(int steps, int sort_every, bool wait) {
  CudaGelStatus status;
  Run([&](char* error, std::size_t size) {
    return LoadCudaGel().advance(batch_.get(), steps, sort_every, wait, &status, error, size);
  });
  return status;
}

void CudaGel::Read(int world, double* position, float* velocity, float* deformation) const {
  Run([&](char* error, std::size_t size) {
    return LoadCudaGel().read(batch_.get(), world, position, velocity, deformation, error, size);
  });
}

CudaGelLayers CudaGel::Layers(bool displacement, bool chamfer) const {
  const auto W = static_cast<std::size_t>(worlds_), P = static_cast<std::size_t>(pads_);
  CudaGelLayers out;
  if (displacement) out.displacement.resize(W * P * static_cast<std::size_t>(layer_) * 3);
  if (chamfer) out.chamfer.resize(W * P);
  out.steps.resize(W), out.stopped.resize(W);
  Run([&](char* error, std::size_t size) {
    return LoadCudaGel().read_layers(batch_.get(), displacement ? out.displacement.data() : nullptr,
                                     chamfer ? out.chamfer.data() : nullptr, out.steps.data(),
                                     out.stopped.data(), error, size);
  });
  return out;
}

std::vector<float> CudaGel::Profile(int repeats) {
  std::vector<float> out(5);
  Run([&](char* error, std::size_t size) {
    return LoadCudaGel().profile(batch_.get(), repeats, out.data(), error, size);
  });
  return out;
}

}  // namespace taxel
