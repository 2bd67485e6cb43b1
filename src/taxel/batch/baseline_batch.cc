#include "taxel/batch/baseline_batch.h"

#include <algorithm>
#include <string>

#include "taxel/batch/parallel_for.h"
#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

void CheckSizes(const std::string& model, int worlds, int fingers, int threads) {
  if (worlds < 1 || fingers < 1)
    throw Error(model + ": " + std::to_string(worlds) + " worlds and " + std::to_string(fingers) +
                " fingers; give at least one of each");
  if (threads < 0) throw Error(model + ": threads is " + std::to_string(threads) + "; give 0 (all) or more");
}

void CheckWorld(const std::string& model, int world, int worlds) {
  if (world < 0 || world >= worlds)
    throw Error(model + ": there is no world " + std::to_string(world) + "; give 0 to " +
                std::to_string(worlds - 1));
}

std::string Place(std::size_t i, int fingers) {
  const std::size_t f = static_cast<std::size_t>(fingers);
  return "world " + std::to_string(i / f) + ", finger " + std::to_string(i % f);
}

bool IsChosen(const std::uint8_t* mask, std::size_t i, int fingers) {
  return !mask || mask[i / static_cast<std::size_t>(fingers)];
}

void CheckPoses(const char* model, const std::vector<Pose>& X_PI, int worlds, int fingers,
                const std::uint8_t* mask) {
  if (X_PI.size() != static_cast<std::size_t>(worlds) * static_cast<std::size_t>(fingers))
    throw Error(std::string(model) + ": " + std::to_string(X_PI.size()) + " poses for " +
                std::to_string(worlds) + " worlds and " + std::to_string(fingers) +
                " fingers; give one each");
  for (std::size_t i = 0; i < X_PI.size(); ++i)
    if (IsChosen(mask, i, fingers) && !IsMarkerPose(X_PI[i]))
      CheckMarkerPose(X_PI[i], model, ("X_PI of " + Place(i, fingers)).c_str());
}

constexpr std::size_t kChunk = 8;

}  // namespace

FotsBatch::FotsBatch(const Fots& fots, int worlds, int fingers, int threads)
    : worlds_(worlds),
      fingers_(fingers),
      markers_(static_cast<int>(fots.markers_P().size())),
      threads_(threads) {
  CheckSizes("FOTS batch", worlds, fingers, threads);
  copies_.assign(static_cast<std::size_t>(worlds) * static_cast<std::size_t>(fingers), fots);
}

const Fots& FotsBatch::fots(int world, int finger) const {
  return copies_.at(static_cast<std::size_t>(world * fingers_ + finger));
}

void FotsBatch::Step(const std::vector<Pose>& X_PI, const Vec3* shift, Vec3* displacement,
                     const std::uint8_t* mask) {
  CheckPoses("FOTS batch", X_PI, worlds_, fingers_, mask);
  for (std::size_t i = 0; shift && i < copies_.size(); ++i)
    if (IsChosen(mask, i, fingers_) && !is_finite(shift[i]))
      throw Error("FOTS batch: the shift of " + Place(i, fingers_) + " is not finite; give metres");
  std::size_t failed = 0;
  undo_.Begin(copies_.size());
  const std::exception_ptr failure = ParallelFor<std::vector<Vec3>>(
      copies_.size(), threads_, kChunk, &failed, [&](std::size_t i, std::vector<Vec3>* out) {
        if (!IsChosen(mask, i, fingers_)) return;
        undo_.Keep(i, copies_[i].state());
        copies_[i].Step(X_PI[i], out, shift ? &shift[i] : nullptr);
        std::copy(out->begin(), out->end(), displacement + i * out->size());
      });
  undo_.End(failure, [&](std::size_t i, const FotsState<>& s) { copies_[i].set_state(s); });
}

void FotsBatch::Reset(const std::uint8_t* mask) {
  for (std::size_t i = 0; i < copies_.size(); ++i)
    if (IsChosen(mask, i, fingers_)) copies_[i].Reset();
}

void FotsBatch::SetParameters(int world, const FotsParameters& parameters) {
  CheckWorld("FOTS batch", world, worlds_);
  for (int f = 0; f < fingers_; ++f)
    copies_[static_cast<std::size_t>(world * fingers_ + f)].set_parameters(parameters);
}

TacSlBatch::TacSlBatch(const TacSl& tacsl, int worlds, int fingers, int threads)
    : worlds_(worlds),
      fingers_(fingers),
      points_(static_cast<int>(tacsl.points_P().size())),
      threads_(threads) {
  CheckSizes("TacSL batch", worlds, fingers, threads);
  models_.assign(static_cast<std::size_t>(worlds), tacsl);
  before_.resize(static_cast<std::size_t>(worlds) * static_cast<std::size_t>(fingers));
}

void TacSlBatch::Step(const std::vector<Pose>& X_PI, const BodyMotion* motion, double dt,
                      const TacSlBatchOutput& out, const std::uint8_t* mask) {
  CheckPoses("TacSL batch", X_PI, worlds_, fingers_, mask);
  if (!motion && !(dt > 0))
    throw Error("TacSL batch: dt is " + ToText(dt) +
                " s; without velocities give the time since the step before, above 0");
  for (std::size_t i = 0; motion && i < before_.size(); ++i)
    if (IsChosen(mask, i, fingers_) && !(is_finite(motion[i].v_W) && is_finite(motion[i].w_W)))
      throw Error("TacSL batch: the velocity of " + Place(i, fingers_) +
                  " is not finite; give m/s and rad/s");
  std::size_t failed = 0;
  undo_.Begin(before_.size());
  const std::exception_ptr failure = ParallelFor<TacSlReading>(
      before_.size(), threads_, kChunk, &failed, [&](std::size_t i, TacSlReading* r) {
        if (!IsChosen(mask, i, fingers_)) return;
        BodyMotion object;
        if (motion) {
          object = motion[i];
        } else if (before_[i].started) {
          const KernelMotion<double> m =
              MotionBetween(ToKernelPose(before_[i].X_PI), ToKernelPose(X_PI[i]), dt);
          object = {{m.v.x, m.v.y, m.v.z}, {m.w.x, m.w.y, m.w.z}};
        }
        models_[i / static_cast<std::size_t>(fingers_)].Read({}, X_PI[i], {}, object, r);
        undo_.Keep(i, before_[i]);
        before_[i] = {true, X_PI[i]};
        const std::size_t n = r->depth.size();
        if (out.depth) std::copy(r->depth.begin(), r->depth.end(), out.depth + i * n);
        if (out.normal) std::copy(r->normal.begin(), r->normal.end(), out.normal + i * n);
        if (out.shear) std::copy(r->shear.begin(), r->shear.end(), out.shear + 2 * i * n);
      });
  undo_.End(failure, [&](std::size_t i, const Before& b) { before_[i] = b; });
}

void TacSlBatch::Reset(const std::uint8_t* mask) {
  for (std::size_t i = 0; i < before_.size(); ++i)
    if (IsChosen(mask, i, fingers_)) before_[i] = {};
}

void TacSlBatch::SetParameters(int world, const TacSlParameters& parameters) {
  CheckWorld("TacSL batch", world, worlds_);
  models_[static_cast<std::size_t>(world)].set_parameters(parameters);
}

}  // namespace taxel
