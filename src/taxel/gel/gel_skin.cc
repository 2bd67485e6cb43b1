#include "taxel/gel/gel_skin.h"

#include <cmath>
#include <utility>

#include "taxel/gel/float8.h"

namespace taxel {
using namespace internal;
namespace {

Triple<float> VelocityAt(const SkinNodes& s, const float* nodes) {
  Float4 v{};
  for (int n = 0; n < 27; ++n) v += s.w[n] * LoadAs<Float4>(nodes + 4 * s.node[n]);
  return {v[0], v[1], v[2]};
}

/// An impulse at a point changes the velocities of its nodes; their masses stay.
void Push(const SkinNodes& s, const Triple<float>& impulse, float* nodes) {
  const Float4 l = {impulse.x, impulse.y, impulse.z, 0};
  for (int n = 0; n < 27; ++n) {
    float* v = nodes + 4 * s.node[n];
    StoreAs(LoadAs<Float4>(v) + s.push[n] * l, v);
  }
}

}  // namespace

void GelSkin::Assign(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
                     const std::vector<Vec3>& particles, const std::vector<Vec3>& outward,
                     const std::vector<Vec3>& rim) {
  std::vector<SkinRide> ride = RideOnNearest(contact, particles, "contact");
  for (const SkinRide& r : RideOnNearest(rim, particles, "rim")) ride.push_back(r);
  contact_ = ride.size();
  rim_ = rim.size();
  const std::vector<SkinRide> held = RideOnNearest(bonded, particles, "held");
  ride.insert(ride.end(), held.begin(), held.end());
  ride_ = std::move(ride);
  outward_ = outward;
  Vec3 mean;
  for (const Vec3& n : outward) mean += n;
  if (!rim.empty()) outward_.resize(contact_, normalized(mean));
  hand_ = {};
  hand_.r[0] = hand_.r[4] = hand_.r[8] = 1;
  bonds_.Assign(bonded);
  impulse_.assign(ride_.size(), {});
  object_.assign(contact_, -1);
  grips_.Assign(contact_);
  touch_.assign(ride_.size(), {});
  summed_.clear();
}

Vec3 GelSkin::position(std::size_t point, const ParticleBlocks& particles) const {
  return SkinCarrier(particles, ride_[point]).place();
}

void GelSkin::ScaleImpulses(float factor) {
  for (Triple<float>& l : impulse_) l.x *= factor, l.y *= factor, l.z *= factor;
  grips_.Scale(factor);
}

void GelSkin::Look(const ParticleBlocks& particles, const std::vector<SkinObject>& objects,
                   ThreadCrew* crew) {
  const int points = static_cast<int>(ride_.size());
  crew->For(points, 128, [&](int i, int) {
    const std::size_t p = static_cast<std::size_t>(i);
    const SkinCarrier carrier(particles, ride_[p]);
    SkinTouch& t = touch_[p];
    t.x = carrier.place();
    if (p >= contact_) {
      bonds_.Hold(p - contact_, &t);
    } else {
      if (!outward_.empty()) {
        const Triple<double> n = Rotate(hand_, ToTriple(outward_[p]));
        t.outward = {n.x, n.y, n.z};
        t.rim = p >= contact_points();
        t.normal = carrier.Normal(outward_[p]);
      }
      FindTouch(objects, &t);
      if (t.object != SkinTouch::kFree) grips_.SetDrift(p, objects, &t);
    }
    if (t.object == SkinTouch::kFree || (t.hangs && particles.at_rest())) return;
    carrier.Hang(&t.nodes);
    t.hangs = true;
  });
  active_.clear();
  for (int i = 0; i < points; ++i) {
    const std::size_t p = static_cast<std::size_t>(i);
    const int object = touch_[p].object;
    if (p < contact_) object_[p] = object < 0 ? -1 : object;
    if (object == SkinTouch::kFree)
      impulse_[p] = {};
    else
      active_.push_back(i);
  }
}

void GelSkin::SumRows(const float* nodes, std::size_t count) {
  shared_.resize(count);
  for (const int i : active_)
    for (const std::int32_t n : touch_[static_cast<std::size_t>(i)].nodes.node)
      shared_[static_cast<std::size_t>(n)] = 0;
  for (const int i : active_) {
    const SkinNodes& s = touch_[static_cast<std::size_t>(i)].nodes;
    for (int n = 0; n < 27; ++n) shared_[static_cast<std::size_t>(s.node[n])] += std::fabs(s.w[n]);
  }
  for (const int i : active_) {
    SkinTouch& t = touch_[static_cast<std::size_t>(i)];
    float sum = 0;
    for (int n = 0; n < 27; ++n) {
      const float mass = nodes[4 * t.nodes.node[n] + 3];
      t.nodes.push[n] = mass > 0 ? t.nodes.w[n] / mass : 0;
      sum += std::fabs(t.nodes.push[n]) * shared_[static_cast<std::size_t>(t.nodes.node[n])];
    }
    t.row_sum = sum;
  }
  summed_ = active_;
}

void GelSkin::Start(float* nodes) {
  for (const int i : active_) {
    const std::size_t p = static_cast<std::size_t>(i);
    const SkinTouch& t = touch_[p];
    impulse_[p] = t.object == SkinTouch::kBond ? kSkinKeep * impulse_[p] : ContactStart(impulse_[p], t.n);
    Push(t.nodes, impulse_[p], nodes);
  }
}

void GelSkin::Round(const std::vector<SkinObject>& objects, ThreadCrew* crew, float* nodes) {
  change_.resize(active_.size());
  crew->For(static_cast<int>(active_.size()), 128, [&](int k, int) {
    const std::size_t p = static_cast<std::size_t>(active_[static_cast<std::size_t>(k)]);
    const SkinTouch& t = touch_[p];
    const Triple<float> v = VelocityAt(t.nodes, nodes) - t.v;
    const Triple<float> next =
        t.object == SkinTouch::kBond
            ? BondImpulse(impulse_[p], v, t.drift, t.row_sum)
            : ContactImpulse(impulse_[p], v, t.n, t.gap, grips_.Of(p, t, objects), t.row_sum);
    change_[static_cast<std::size_t>(k)] = next - impulse_[p];
    impulse_[p] = next;
  });
  for (std::size_t k = 0; k < active_.size(); ++k)
    Push(touch_[static_cast<std::size_t>(active_[k])].nodes, change_[k], nodes);
}

void GelSkin::AddLoads(const std::vector<SkinObject>& objects, std::vector<GelSkinLoad>* loads,
                       GelSkinLoad* hand) const {
  for (const int i : active_) {
    const std::size_t p = static_cast<std::size_t>(i);
    const SkinTouch& t = touch_[p];
    const Triple<float>& l = impulse_[p];
    const Vec3 f{-double(l.x), -double(l.y), -double(l.z)};
    const auto object = static_cast<std::size_t>(t.object);
    GelSkinLoad& load = t.object == SkinTouch::kBond || objects[object].floor ? *hand : (*loads)[object];
    load.force += f;
    load.torque += cross(t.x, f);
  }
}

void GelSkin::Solve(const ParticleBlocks& particles, GelGrid* grid, const std::vector<SkinObject>& objects,
                    int rounds, ThreadCrew* crew, std::vector<GelSkinLoad>* loads, GelSkinLoad* hand) {
  loads->assign(objects.size(), {});
  *hand = {};
  if (ride_.empty()) return;
  float* nodes = grid->nodes().data();
  Look(particles, objects, crew);
  // On a grid at rest weights and masses stay, so the sums change with the points that take part alone.
  if (!particles.at_rest() || active_ != summed_) SumRows(nodes, grid->nodes().size() / 4);
  Start(nodes);
  for (int round = 0; round < rounds; ++round) Round(objects, crew, nodes);
  crew->For(static_cast<int>(contact_), 256, [&](int i, int) {
    const std::size_t p = static_cast<std::size_t>(i);
    grips_.Remember(p, touch_[p], impulse_[p], objects);
  });
  AddLoads(objects, loads, hand);
}

}  // namespace taxel
