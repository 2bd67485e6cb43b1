// The skin of a gel: points where it is touched and where it is held.
#pragma once

#include <vector>

#include "taxel/gel/gel_grid.h"
#include "taxel/gel/skin_grips.h"
#include "taxel/gel/skin_ride.h"
#include "taxel/gel/skin_touch.h"

namespace taxel {

/// Impulse on an object over a step: force and the torque about the origin of the grid (cells, particles).
struct GelSkinLoad {
  Vec3 force, torque;
};

class GelSkin {
 public:
  /// Contact points first, then those of the rim, then bonded ones; positions in cells, with the particles at
  /// rest. `outward`: unit normals of the contact points (FindTouch), or none, and then no rim. Throws Error
  /// for a point farther than a cell from every particle.
  void Assign(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
              const std::vector<Vec3>& particles, const std::vector<Vec3>& outward = {},
              const std::vector<Vec3>& rim = {});
  std::size_t contact_points() const { return contact_ - rim_; }
  std::size_t rim_points() const { return rim_; }
  std::size_t size() const { return ride_.size(); }
  /// Where a point is now, cells.
  Vec3 position(std::size_t point, const ParticleBlocks& particles) const;
  /// Impulse of the last step on the gel, a point.
  const std::vector<Triple<float>>& impulses() const { return impulse_; }
  /// The object nearest to a contact point in this step, within half a cell; -1: none.
  const std::vector<int>& objects() const { return object_; }
  /// Where the bonded points belong: they follow these, and the hand's velocity is their motion.
  void MoveBonds(const KernelPose<double>& X, const KernelPose<double>& before) {
    bonds_.Move(X, before);
    hand_ = X;
  }
  /// Friction forgets where points were gripped by this object: it is another one, or somewhere else.
  void Forget(int object) { grips_.Forget(object); }
  /// Impulses are those of a step: where its length changes, so do they.
  void ScaleImpulses(float factor);

  /// Changes the velocities of the nodes so that the gel does not enter the objects and stays on the hand.
  void Solve(const ParticleBlocks& particles, GelGrid* grid, const std::vector<SkinObject>& objects,
             int rounds, ThreadCrew* crew, std::vector<GelSkinLoad>* loads, GelSkinLoad* hand);

 private:
  // The steps of Solve.
  void Look(const ParticleBlocks& particles, const std::vector<SkinObject>& objects, ThreadCrew* crew);
  void SumRows(const float* nodes, std::size_t count);
  void Start(float* nodes);
  void Round(const std::vector<SkinObject>& objects, ThreadCrew* crew, float* nodes);
  void AddLoads(const std::vector<SkinObject>& objects, std::vector<GelSkinLoad>* loads,
                GelSkinLoad* hand) const;

  std::size_t contact_ = 0, rim_ = 0;  // contact: with the rim
  std::vector<SkinRide> ride_;
  std::vector<Vec3> outward_;  // of contact points at rest; empty: not known
  KernelPose<double> hand_;
  SkinBonds bonds_;
  SkinGrips grips_;
  std::vector<SkinTouch> touch_;
  std::vector<Triple<float>> impulse_, change_;
  std::vector<int> object_, active_, summed_;  // summed: those that the row sums are of
  std::vector<float> shared_;                  // of a node: A_i
};

}  // namespace taxel
