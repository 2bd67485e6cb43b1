#include "taxel/gel/gel_solver.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "taxel/gel/make_skin_object.h"
#include "taxel/math/check_rigid.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel {
using namespace internal;
namespace {

std::string Text(const Vec3& v) { return "(" + ToText(v.x) + ", " + ToText(v.y) + ", " + ToText(v.z) + ")"; }

Pose FromKernelPose(const KernelPose<double>& X) {
  Pose out;
  std::copy_n(X.r, 9, out.R.m);
  out.p = {X.t[0], X.t[1], X.t[2]};
  return out;
}

bool SameShape(const KernelShape<double>& p, const KernelShape<double>& q) {
  return p.kind == q.kind && p.a == q.a && p.b == q.b && p.c == q.c && p.lattice.values == q.lattice.values;
}

}  // namespace

GelSolver::~GelSolver() = default;
GelSolver::GelSolver(GelSolver&&) noexcept = default;
GelSolver& GelSolver::operator=(GelSolver&&) noexcept = default;

GelSolver::GelSolver(const GelOptions& options, const std::vector<Vec3>& positions, double particle_volume)
    : options_(options),
      dt_(ChooseStep(options)),
      particle_mass_(options.material.density * particle_volume),
      origin_(GridOrigin(options, positions, particle_volume)) {
  TransferOptions transfer;
  transfer.average_volume = options.average_volume;
  transfer.frame = options.frame;
  std::vector<Vec3> cells(positions.size());
  for (std::size_t p = 0; p < positions.size(); ++p) cells[p] = (positions[p] - origin_) / options.cell;
  core_ = std::make_unique<GelCore>(cells, transfer, options.threads);
  UseStep();
  start_ = std::move(cells);
}

void GelSolver::UseStep() {
  TransferOptions& transfer = core_->transfer();
  transfer.numbers = NumbersFor(options_, dt_);
  transfer.keep = static_cast<float>(std::exp(-options_.damping * dt_));
  advice_ =
      "the CFL number is " + ToText(cfl()) + "; take a smaller cfl or dt, or move the object more slowly";
}

void GelSolver::SetStep(double dt) {
  const double longest = options_.cell / options_.material.wave_speed();
  if (!(dt > 0 && dt <= longest))
    throw Error("gel: dt is " + ToText(dt) + " s; it must lie in 0 to " + ToText(longest) +
                " s, in which the pressure wave crosses a cell");
  if (dt == dt_) return;
  // Velocities are cells a step, impulses particles x cells a step^2.
  const auto ratio = static_cast<float>(dt / dt_);
  for (ParticleGroup& group : core_->particles().groups()) {
    for (auto& row : group.v)
      for (float& v : row) v *= ratio;
    for (auto& row : group.C)
      for (float& c : row) c *= ratio;
  }
  skin_.ScaleImpulses(ratio * ratio);
  dt_ = dt;
  UseStep();
}

void GelSolver::SetSkin(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
                        const std::vector<Vec3>& outward, const std::vector<Vec3>& rim) {
  if (!outward.empty() && outward.size() != contact.size())
    throw Error("gel: " + std::to_string(outward.size()) + " normals for " + std::to_string(contact.size()) +
                " contact points; give one each, or none");
  if (outward.empty() && !rim.empty())
    throw Error("gel: a rim of " + std::to_string(rim.size()) +
                " points needs the normals of the contact points");
  const auto cells = [&](const std::vector<Vec3>& points) {
    std::vector<Vec3> out(points.size());
    for (std::size_t k = 0; k < points.size(); ++k) out[k] = (points[k] - origin_) / options_.cell;
    return out;
  };
  skin_.Assign(cells(contact), cells(bonded), start_, outward, cells(rim));
  floor_.clear();
  if (rim.empty()) return;
  const std::optional<Pose> back = PlaneOfBack(bonded, outward, options_.cell);
  if (!back) return;
  floor_at_rest_ = *back;
  floor_ = {FloorObject(options_.cell)};
}

KernelPose<double> GelSolver::ToGrid(const Pose& X) const {
  return ToKernelPose({X.R, (X.p - origin_) / options_.cell});
}

void GelSolver::SetObjects(const std::vector<GelObject>& objects) {
  for (std::size_t k = 0; k < objects.size(); ++k) {
    if (!(objects[k].friction >= 0))
      throw Error("gel: the friction of object " + std::to_string(k) + " is " + ToText(objects[k].friction) +
                  "; it must be >= 0, infinity for an object that sticks");
    CheckRigid(objects[k].X_WO, "gel: the pose of object " + std::to_string(k));
  }
  std::vector<SkinObject> skin_objects;
  std::vector<MarkerDistance> distances;
  std::vector<Pose> poses;
  for (const GelObject& o : objects) distances.push_back(o.distance);
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const GelObject& o = objects[k];
    SkinObject s = ToSkinObject(distances[k], "gel, object " + std::to_string(k), options_.cell);
    s.friction = std::isinf(o.friction) ? -1 : o.friction;
    s.X = s.before = ToGrid(o.X_WO);
    skin_objects.push_back(s);
    poses.push_back(o.X_WO);
  }
  for (std::size_t k = 0; k < objects_.size(); ++k)
    if (k >= poses.size() || poses[k] != poses_[k] || !SameShape(skin_objects[k].shape, objects_[k].shape))
      skin_.Forget(static_cast<int>(k));
  if (skin_objects.size() != objects_.size()) skin_.Forget(static_cast<int>(objects_.size()));  // the floor
  objects_ = std::move(skin_objects);
  distances_ = std::move(distances);
  poses_ = std::move(poses);
  loads_.assign(objects_.size(), {});
}

void GelSolver::SetVelocities(const std::vector<Vec3>& velocities) {
  if (velocities.size() != size())
    throw Error("gel: " + std::to_string(velocities.size()) + " velocities for " + std::to_string(size()) +
                " particles");
  for (std::size_t p = 0; p < velocities.size(); ++p)
    if (!is_finite(velocities[p]))
      throw Error("gel: the velocity of particle " + std::to_string(p) + " is " + Text(velocities[p]) +
                  " m/s; it must be finite");
  for (std::size_t p = 0; p < velocities.size(); ++p) {
    GelParticle q = core_->particles().Get(p);
    for (int k = 0; k < 3; ++k) q.v[k] = static_cast<float>(velocities[p][k] * dt_ / options_.cell);
    core_->particles().Set(p, q);
  }
}

void GelSolver::SetDeformations(const double* F, std::size_t n) {
  if (n != size())
    throw Error("gel: " + std::to_string(n) + " deformation gradients for " + std::to_string(size()) +
                " particles");
  for (std::size_t k = 0; k < 9 * n; ++k)
    if (!std::isfinite(static_cast<float>(F[k])))
      throw Error("gel: the deformation gradient of particle " + std::to_string(k / 9) + " is not finite");
  for (std::size_t p = 0; p < n; ++p) {
    GelParticle q = core_->particles().Get(p);
    for (std::size_t k = 0; k < 9; ++k) q.F[k] = static_cast<float>(F[9 * p + k]);
    core_->particles().Set(p, q);
  }
}

GelState GelSolver::Save() const {
  return {core_->particles(), skin_,  poses_,     hand_, time_, core_->drifted(),
          core_->fastest(),   loads_, hand_load_, dt_};
}

void GelSolver::Restore(const GelState& s) {
  const auto text = [](std::size_t particles, std::size_t objects, const GelSkin& skin) {
    return std::to_string(particles) + " particles, " + std::to_string(objects) + " objects, " +
           std::to_string(skin.contact_points()) + " contact points and " +
           std::to_string(skin.size() - skin.contact_points() - skin.rim_points()) + " held ones";
  };
  if (s.particles.size() != size() || s.X_WO.size() != poses_.size() || s.skin.size() != skin_.size() ||
      s.skin.contact_points() != skin_.contact_points())
    throw Error("gel: the state has " + text(s.particles.size(), s.X_WO.size(), s.skin) + ", the gel " +
                text(size(), poses_.size(), skin_) + "; give a state of this gel");
  dt_ = s.dt;
  UseStep();
  core_->Restore(s.particles, s.drifted, s.fastest);
  skin_ = s.skin;
  poses_ = s.X_WO;
  hand_ = s.X_WH;
  time_ = s.time;
  loads_ = s.loads;
  hand_load_ = s.hand_load;
  for (std::size_t k = 0; k < objects_.size(); ++k) objects_[k].X = objects_[k].before = ToGrid(poses_[k]);
}

void GelSolver::Advance(int steps) { Advance(steps, poses_, hand_); }

void GelSolver::Advance(int steps, const std::vector<Pose>& X_WO, const Pose& X_WH, bool smooth) {
  if (X_WO.size() != objects_.size())
    throw Error("gel: " + std::to_string(X_WO.size()) + " poses for " + std::to_string(objects_.size()) +
                " objects");
  if (steps < 0) throw Error("gel: steps is " + std::to_string(steps) + "; it must be at least 0");
  for (std::size_t k = 0; k < X_WO.size(); ++k)
    if (!IsRigid(X_WO[k])) CheckRigid(X_WO[k], "gel: the pose of object " + std::to_string(k));
  CheckRigid(X_WH, "gel: the pose of the hand");
  std::vector<KernelPose<double>> from, to;
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    from.push_back(ToGrid(poses_[k]));
    objects_[k].X = from.back();  // no steps may have put it there
    to.push_back(ToGrid(X_WO[k]));
  }
  // The hand's pose takes points of the rest state to where they belong; in cells about the grid's origin.
  const auto hand_pose = [&](const Pose& X) {
    return ToKernelPose({X.R, (X * origin_ - origin_) / options_.cell});
  };
  const KernelPose<double> hand_from = hand_pose(hand_), hand_to = hand_pose(X_WH);
  std::vector<GelSkinLoad> total(objects_.size());
  GelSkinLoad hand_total;
  KernelPose<double> hand_before = hand_from;
  // Impulse a step in particles x cells / step, to N; torque moved from the grid's origin to W's.
  const auto average = [&](int over) {
    const double unit = particle_mass_ * options_.cell / (dt_ * dt_) / over;
    const auto load = [&](const GelSkinLoad& s) {
      const Vec3 f = unit * s.force;
      return GelLoad{f, unit * options_.cell * s.torque + cross(origin_, f)};
    };
    for (std::size_t k = 0; k < total.size(); ++k) loads_[k] = load(total[k]);
    hand_load_ = load(hand_total);
  };
  for (int s = 1; s <= steps; ++s) {
    try {
      CheckInterrupt();
    } catch (const Interrupted&) {
      // Here ends what was asked for: all stand where the last whole step brought them.
      if (s > 1) {
        for (std::size_t k = 0; k < objects_.size(); ++k) {
          poses_[k] = FromKernelPose(objects_[k].X);
          poses_[k].p = options_.cell * poses_[k].p + origin_;
        }
        hand_ = FromKernelPose(hand_before);
        hand_.p = options_.cell * hand_.p + origin_ - hand_.R * origin_;
        average(s - 1);
      }
      throw;
    }
    const double t = static_cast<double>(s) / steps, at = smooth ? t * t * t * (10 + t * (6 * t - 15)) : t;
    for (std::size_t k = 0; k < objects_.size(); ++k) {
      objects_[k].before = objects_[k].X;
      objects_[k].X = Interpolate(from[k], to[k], at);
    }
    const KernelPose<double> hand_now = Interpolate(hand_from, hand_to, at);
    skin_.MoveBonds(hand_now, hand_before);
    for (int k = 0; k < 3; ++k) hand_velocity_[k] = hand_now.t[k] - hand_before.t[k];
    for (SkinObject& floor : floor_) {
      floor.X = Compose(hand_now, ToGrid(floor_at_rest_));
      floor.before = Compose(hand_before, ToGrid(floor_at_rest_));
    }
    hand_before = hand_now;
    Step();
    for (std::size_t k = 0; k < objects_.size(); ++k)
      total[k].force += step_loads_[k].force, total[k].torque += step_loads_[k].torque;
    hand_total.force += step_hand_.force, hand_total.torque += step_hand_.torque;
  }
  for (std::size_t k = 0; steps == 0 && k < X_WO.size(); ++k)
    if (X_WO[k] != poses_[k]) skin_.Forget(static_cast<int>(k));
  poses_ = X_WO;
  hand_ = X_WH;
  if (steps == 0) return;
  average(steps);
}

void GelSolver::Step() {
  TransferOptions& transfer = core_->transfer();
  for (int k = 0; k < 3; ++k) transfer.rest[k] = static_cast<float>((1 - transfer.keep) * hand_velocity_[k]);
  const double g = dt_ * dt_ / options_.cell;
  const float gravity[3] = {static_cast<float>(g * options_.gravity.x),
                            static_cast<float>(g * options_.gravity.y),
                            static_cast<float>(g * options_.gravity.z)};
  core_->Scatter(gravity);
  acting_ = objects_;
  acting_.insert(acting_.end(), floor_.begin(), floor_.end());
  skin_.Solve(core_->particles(), &core_->grid(), acting_, options_.rounds, &core_->crew(), &step_loads_,
              &step_hand_);
  core_->Gather(nullptr, advice_);
  time_ += dt_;
}

double GelSolver::cfl() const { return options_.material.wave_speed() * dt_ / options_.cell; }
double GelSolver::speed() const { return core_->fastest() * options_.cell / dt_; }
double GelSolver::mach() const { return speed() / options_.material.wave_speed(); }
std::size_t GelSolver::size() const { return core_->particles().size(); }

Vec3 GelSolver::position(std::size_t particle) const {
  const GelParticle q = core_->particles().Get(particle);
  return origin_ + options_.cell * Vec3{q.x[0], q.x[1], q.x[2]};
}
Vec3 GelSolver::velocity(std::size_t particle) const {
  const GelParticle q = core_->particles().Get(particle);
  return (options_.cell / dt_) * Vec3{q.v[0], q.v[1], q.v[2]};
}
GelMatrix<float> GelSolver::deformation(std::size_t particle) const {
  const GelParticle q = core_->particles().Get(particle);
  GelMatrix<float> F;
  for (int k = 0; k < 9; ++k) F.m[k] = q.F[k];
  return F;
}

GelEnergy GelSolver::energy() const {
  // Kinetic energy of the particles, with that of their affine velocity (APIC keeps |C|^2 / 4 of inertia a
  // cell).
  GelEnergy e;
  const double v_unit = options_.cell / dt_;
  const double volume = particle_mass_ / options_.material.density;
  const GelNumbers si = {static_cast<float>(options_.material.mu()),
                         static_cast<float>(options_.material.lambda()), options_.material.law};
  for (std::size_t p = 0; p < core_->particles().size(); ++p) {
    const GelParticle q = core_->particles().Get(p);
    double v2 = 0, c2 = 0;
    for (int k = 0; k < 3; ++k) v2 += double(q.v[k]) * q.v[k];
    for (int k = 0; k < 9; ++k) c2 += double(q.C[k]) * q.C[k];
    e.kinetic += 0.5 * particle_mass_ * v_unit * v_unit * (v2 + 0.25 * c2);
    GelMatrix<float> F;
    for (int k = 0; k < 9; ++k) F.m[k] = q.F[k];
    const float J = Determinant(F);
    e.elastic += volume * ElasticEnergy(si, F, J, J);
  }
  return e;
}

Vec3 GelSolver::momentum() const {
  Vec3 sum;
  for (std::size_t p = 0; p < core_->particles().size(); ++p) sum += velocity(p);
  return particle_mass_ * sum;
}

std::size_t GelSolver::contact_points() const { return skin_.contact_points(); }
std::size_t GelSolver::skin_points() const { return skin_.size() - skin_.rim_points(); }
std::size_t GelSolver::Point(std::size_t k) const {
  return k < skin_.contact_points() ? k : k + skin_.rim_points();
}
Vec3 GelSolver::skin_position(std::size_t point) const {
  return origin_ + options_.cell * skin_.position(Point(point), core_->particles());
}
Vec3 GelSolver::skin_force(std::size_t point) const {
  const Triple<float>& l = skin_.impulses()[Point(point)];
  return (particle_mass_ * options_.cell / (dt_ * dt_)) * Vec3{l.x, l.y, l.z};
}

}  // namespace taxel
