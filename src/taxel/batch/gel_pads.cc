#include "taxel/batch/gel_pads.h"

#include <algorithm>
#include <cmath>

#include "taxel/batch/cuda_library.h"
#include "taxel/batch/pad_loops.h"
#include "taxel/batch/pad_plan.h"
#include "taxel/gel/gel_options.h"
#include "taxel/gel/make_skin_object.h"
#include "taxel/math/check_rigid.h"
#include "taxel/math/interrupt.h"

namespace taxel {
using namespace internal;
namespace {

constexpr int kMostPads = 65535;  // the second extent of a launch

Pose FromGrid(const KernelPose<double>& X) {
  Pose out;
  std::copy_n(X.r, 9, out.R.m);
  out.p = {X.t[0], X.t[1], X.t[2]};
  return out;
}

}  // namespace

template <typename Call>
void GelPads::Run(const Call& call) const {
  RunCuda(cuda_ ? "gel on the GPU" : "gel of many pads", [&](char* error, std::size_t size) {
    return call(cuda_ ? LoadCudaPads() : HostPads(), error, size);
  });
}

GelPads::GelPads(const GelOptions& options, const std::vector<Vec3>& positions, double particle_volume,
                 int pads, bool cuda)
    : options_(options),
      dt_(ChooseStep(options)),
      particle_mass_(options.material.density * particle_volume),
      origin_(GridOrigin(options, positions, particle_volume)),
      pads_(pads),
      cuda_(cuda) {
  if (options.frame != GelFrame::kRest)
    throw Error(
        "gel of many pads: the grid is one in space; many pads have a grid at rest, so give grid 'rest'");
  if (pads < 1 || pads > kMostPads)
    throw Error("gel of many pads: pads is " + std::to_string(pads) + "; give 1 to " +
                std::to_string(kMostPads));
  if (static_cast<double>(pads) * static_cast<double>(positions.size()) > 1e9)
    throw Error("gel of many pads: " + std::to_string(pads) + " pads of " + std::to_string(positions.size()) +
                " particles are more than 1e9 in all; give fewer pads or a larger cell");
  if (cuda) LoadCudaPads();  // says at once where there is no GPU
  for (const Vec3& p : positions) positions_.push_back((p - origin_) / options.cell);
  hands_.assign(static_cast<std::size_t>(pads), Pose{});
  hand_loads_.assign(static_cast<std::size_t>(pads), {});
  fastest_.assign(static_cast<std::size_t>(pads), 0.0f);
  Make({}, {}, {}, {});
}

void GelPads::SetSkin(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
                      const std::vector<Vec3>& outward, const std::vector<Vec3>& rim) {
  if (!distances_.empty()) throw Error("gel of many pads: the skin comes before the objects");
  if (!outward.empty() && outward.size() != contact.size())
    throw Error("gel: " + std::to_string(outward.size()) + " normals for " + std::to_string(contact.size()) +
                " contact points; give one each, or none");
  if (outward.empty() && !rim.empty())
    throw Error("gel: a rim of " + std::to_string(rim.size()) +
                " points needs the normals of the contact points");
  Make(contact, bonded, outward, rim);
}

void GelPads::Make(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
                   const std::vector<Vec3>& outward, const std::vector<Vec3>& rim) {
  const auto cells = [&](const std::vector<Vec3>& points) {
    std::vector<Vec3> out;
    for (const Vec3& p : points) out.push_back((p - origin_) / options_.cell);
    return out;
  };
  PadPlanArrays arrays(positions_, {cells(contact), cells(bonded), outward, cells(rim)});
  PadPlan& plan = arrays.plan();
  plan.numbers = NumbersFor(options_, dt_);
  plan.average_volume = options_.average_volume, plan.rounds = options_.rounds;
  plan.keep = static_cast<float>(std::exp(-options_.damping * dt_));
  for (int k = 0; k < 3; ++k)
    plan.gravity[k] = static_cast<float>(dt_ * dt_ / options_.cell * options_.gravity[k]);
  const std::optional<Pose> back = rim.empty() ? std::nullopt : PlaneOfBack(bonded, outward, options_.cell);
  plan.floor = back.has_value();
  if (back) plan.floor_at_rest = ToGrid(*back);
  batch_.reset();  // its memory first
  void* made = nullptr;
  Run([&](const CudaPadsApi& api, char* error, std::size_t size) {
    const int status = api.create(&plan, pads_, options_.threads, &made, error, size);
    if (status == 0) batch_ = std::shared_ptr<void>(made, api.destroy);
    return status;
  });
  plan_ = plan;
  SetObjects();
}

KernelPose<double> GelPads::ToGrid(const Pose& X) const {
  return ToKernelPose({X.R, (X.p - origin_) / options_.cell});
}

KernelPose<double> GelPads::HandToGrid(const Pose& X) const {
  return ToKernelPose({X.R, (X * origin_ - origin_) / options_.cell});
}

void GelPads::AddObject(const MarkerDistance& distance, const std::vector<double>& friction,
                        const std::vector<Pose>& X_WO) {
  const auto P = static_cast<std::size_t>(pads_), O = distances_.size();
  if (friction.size() != P || X_WO.size() != P)
    throw Error("gel of many pads: " + std::to_string(friction.size()) + " coefficients of friction and " +
                std::to_string(X_WO.size()) + " poses for " + std::to_string(pads_) + " pads");
  for (std::size_t k = 0; k < P; ++k) {
    if (!(friction[k] >= 0))
      throw Error("gel: the friction in pad " + std::to_string(k) + " is " + ToText(friction[k]) +
                  "; it must be >= 0, infinity for an object that sticks");
    CheckRigid(X_WO[k], "gel: the pose in pad " + std::to_string(k));
  }
  ToSkinObject(distance, "gel, object " + std::to_string(O), options_.cell);  // throws before all else
  distances_.push_back(distance);
  std::vector<double> mu;
  std::vector<Pose> poses;
  for (std::size_t k = 0; k < P; ++k) {
    const auto first = static_cast<std::ptrdiff_t>(k * O), end = static_cast<std::ptrdiff_t>((k + 1) * O);
    mu.insert(mu.end(), friction_.begin() + first, friction_.begin() + end);
    mu.push_back(std::isinf(friction[k]) ? -1 : friction[k]);
    poses.insert(poses.end(), poses_.begin() + first, poses_.begin() + end);
    poses.push_back(X_WO[k]);
  }
  friction_ = std::move(mu), poses_ = std::move(poses);
  loads_.assign(P * (O + 1), {});
  SetObjects();
  const std::vector<std::uint8_t> all(P, 1);  // what was the floor is this object now
  Run([&](const CudaPadsApi& api, char* error, std::size_t size) {
    return api.forget(batch_.get(), static_cast<int>(O), all.data(), error, size);
  });
}

void GelPads::SetObjects() {
  std::vector<SkinObject> objects;
  for (std::size_t k = 0; k < distances_.size(); ++k)
    objects.push_back(ToSkinObject(distances_[k], "gel, object " + std::to_string(k), options_.cell));
  objects.push_back(FloorObject(options_.cell));
  Run([&](const CudaPadsApi& api, char* error, std::size_t size) {
    return api.set_objects(batch_.get(), objects.data(), friction_.data(), this->objects(), error, size);
  });
}

void GelPads::CheckWay(int steps, const std::vector<Pose>& X_WO, const std::vector<Pose>& X_WH) const {
  if (steps < 0) throw Error("gel: steps is " + std::to_string(steps) + "; it must be at least 0");
  if (X_WO.size() != poses_.size() || X_WH.size() != hands_.size())
    throw Error("gel of many pads: " + std::to_string(X_WO.size()) + " poses of objects and " +
                std::to_string(X_WH.size()) + " of hands; " + std::to_string(pads_) + " pads with " +
                std::to_string(objects()) + " objects have " + std::to_string(poses_.size()) + " and " +
                std::to_string(hands_.size()));
  for (std::size_t k = 0; k < X_WO.size(); ++k)
    if (!IsRigid(X_WO[k]))
      CheckRigid(X_WO[k], "gel: pad " + std::to_string(k / distances_.size()) + ", the pose of object " +
                              std::to_string(k % distances_.size()));
  for (std::size_t k = 0; k < X_WH.size(); ++k)
    if (!IsRigid(X_WH[k])) CheckRigid(X_WH[k], "gel: the pose of the hand of pad " + std::to_string(k));
  if (blown_up_)
    throw Error("gel: it blew up and cannot go on; restore a state saved before, or make a new one");
}

void GelPads::Advance(int steps, const std::vector<Pose>& X_WO, const std::vector<Pose>& X_WH, bool smooth) {
  CheckWay(steps, X_WO, X_WH);
  if (steps == 0) {
    ForgetMoved(X_WO);
    poses_ = X_WO, hands_ = X_WH;
    return;
  }
  const auto P = static_cast<std::size_t>(pads_), O = distances_.size();
  std::vector<KernelPose<double>> from, to;
  for (std::size_t k = 0; k < P; ++k) {
    for (std::size_t o = 0; o < O; ++o)
      from.push_back(ToGrid(poses_[k * O + o])), to.push_back(ToGrid(X_WO[k * O + o]));
    from.push_back(HandToGrid(hands_[k])), to.push_back(HandToGrid(X_WH[k]));
  }
  std::vector<double> sums(6 * P * (O + 1), 0.0), part(sums.size());
  std::vector<unsigned long long> trouble(P);
  PadWay way{from.data(), to.data(), steps, 0, 0, smooth};
  while (way.begin < steps) {
    way.count = std::min(kPadSteps, steps - way.begin);
    try {
      CheckInterrupt();
      const PadReport report{part.data(), trouble.data(), fastest_.data()};
      Run([&](const CudaPadsApi& api, char* error, std::size_t size) {
        return api.advance(batch_.get(), &way, &report, error, size);
      });
    } catch (const Interrupted&) {
      if (way.begin > 0) {
        const double t = static_cast<double>(way.begin) / steps,
                     at = smooth ? t * t * t * (10 + t * (6 * t - 15)) : t;
        for (std::size_t k = 0; k < P; ++k) {
          const auto now = [&](std::size_t o) {
            return FromGrid(Interpolate(from[k * (O + 1) + o], to[k * (O + 1) + o], at));
          };
          for (std::size_t o = 0; o < O; ++o) {
            poses_[k * O + o] = now(o);
            poses_[k * O + o].p = options_.cell * poses_[k * O + o].p + origin_;
          }
          hands_[k] = now(O);
          hands_[k].p = options_.cell * hands_[k].p + origin_ - hands_[k].R * origin_;
        }
        Average(sums, way.begin);
      }
      throw;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += part[k];
    for (std::size_t k = 0; k < P; ++k)
      if (trouble[k] != kNoTrouble) {
        blown_up_ = true;
        BlowUp(static_cast<int>(k), trouble[k]);
      }
    way.begin += way.count;
    time_ += way.count * dt_;
  }
  poses_ = X_WO, hands_ = X_WH;
  Average(sums, steps);
}

void GelPads::ForgetMoved(const std::vector<Pose>& X_WO) {
  const std::size_t P = hands_.size(), O = distances_.size();
  for (std::size_t o = 0; o < O; ++o) {
    std::vector<std::uint8_t> moved(P);
    for (std::size_t k = 0; k < P; ++k) moved[k] = X_WO[k * O + o] != poses_[k * O + o];
    Run([&](const CudaPadsApi& api, char* error, std::size_t size) {
      return api.forget(batch_.get(), static_cast<int>(o), moved.data(), error, size);
    });
  }
}

void GelPads::BlowUp(int pad, unsigned long long trouble) const {
  throw Error("gel: blow-up in pad " + std::to_string(pad) + ", step " + std::to_string(trouble >> 32) +
              ": particle " + std::to_string(trouble & 0xffffffffu) +
              " moved half a cell or more in one step; the CFL number is " + ToText(cfl()) +
              "; take a smaller cfl or dt, or move the object more slowly");
}

void GelPads::Average(const std::vector<double>& sums, int steps) {
  const std::size_t O = distances_.size();
  const double unit = particle_mass_ * options_.cell / (dt_ * dt_) / steps;
  for (std::size_t k = 0; k < hands_.size(); ++k)
    for (std::size_t o = 0; o <= O; ++o) {
      const double* s = &sums[6 * (k * (O + 1) + o)];
      GelLoad& load = o < O ? loads_[k * O + o] : hand_loads_[k];
      load.force = unit * Vec3{s[0], s[1], s[2]};
      load.torque = unit * options_.cell * Vec3{s[3], s[4], s[5]} + cross(origin_, load.force);
    }
}

void GelPads::Read(GelPadReading reading) const {
  std::vector<KernelPose<double>> hand;
  for (const Pose& X : hands_) hand.push_back(HandToGrid(X));
  reading.cell = options_.cell, reading.hand = hand.data();
  for (int k = 0; k < 3; ++k) reading.origin[k] = origin_[k];
  reading.impulse = particle_mass_ * options_.cell / (dt_ * dt_);
  Run([&](const CudaPadsApi& api, char* error, std::size_t size) {
    return api.read(batch_.get(), &reading, error, size);
  });
}

GelPadsState GelPads::Save() const {
  GelPadsState out{{}, poses_, hands_, loads_, hand_loads_, fastest_, time_};
  Run([&](const CudaPadsApi& api, char* error, std::size_t size) {
    out.memory.resize(api.state_size(batch_.get()));
    return api.save(batch_.get(), out.memory.data(), error, size);
  });
  return out;
}

void GelPads::Restore(const GelPadsState& s) {
  Run([&](const CudaPadsApi& api, char* error, std::size_t size) {
    if (s.memory.size() != api.state_size(batch_.get()) || s.X_WO.size() != poses_.size() ||
        s.X_WH.size() != hands_.size())
      throw Error("gel of many pads: the state is of " + std::to_string(s.X_WH.size()) + " pads, " +
                  std::to_string(s.X_WO.size()) + " poses of objects and " + std::to_string(s.memory.size()) +
                  " bytes, the gel of " + std::to_string(hands_.size()) + ", " +
                  std::to_string(poses_.size()) + " and " + std::to_string(api.state_size(batch_.get())) +
                  "; give a state of this gel");
    return api.restore(batch_.get(), s.memory.data(), error, size);
  });
  poses_ = s.X_WO, hands_ = s.X_WH, loads_ = s.loads, hand_loads_ = s.hand_loads;
  fastest_ = s.fastest, time_ = s.time, blown_up_ = false;
}

double GelPads::cfl() const { return options_.material.wave_speed() * dt_ / options_.cell; }

std::vector<double> GelPads::mach() const {
  std::vector<double> out;
  for (const float f : fastest_) out.push_back(f * options_.cell / (dt_ * options_.material.wave_speed()));
  return out;
}

}  // namespace taxel
