// The skin of a gel: points where it is touched and where it is held.
#pragma once

#include <memory>
#include <vector>

#include "taxel/gel/gel_grid.h"
#include "taxel/gel/skin_law.h"
#include "taxel/math/kernel_pose.h"
#include "taxel/math/pose.h"
#include "taxel/shape/kernel_shape.h"

namespace taxel {

/// A rigid object, in the frame and the units of the grid (cells).
struct SkinObject {
  KernelShape<double> shape;  ///< in the object's own units
  double unit = 1;            ///< cells for one unit of the shape's lengths
  Vec3 center;                ///< of a ball around the shape, own units
  double radius = 0;          ///< of that ball; infinite: everywhere
  double friction = 0;        ///< Coulomb; < 0: sticks
  KernelPose<double> X;       ///< of the shape's frame in the grid, cells, at the end of the step
  KernelPose<double> before;  ///< at its start
};

/// Impulse on an object over a step: force and the torque about the origin of the grid (cells, particles).
struct GelSkinLoad {
  Vec3 force, torque;
};

class GelSkin {
 public:
  /// Contact points first, then bonded ones; positions in cells, with the particles at rest. Throws Error for
  /// a point farther than a cell from every particle.
  void Assign(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
              const std::vector<Vec3>& particles);
  std::size_t contact_points() const { return contact_; }
  std::size_t size() const { return ride_.size(); }
  /// Where a point is now, cells.
  Vec3 position(std::size_t point, const ParticleBlocks& particles) const;
  /// Impulse of the last step on the gel, a point.
  const std::vector<Triple<float>>& impulses() const { return impulse_; }
  /// The object nearest to a contact point in this step, within half a cell; -1: none.
  const std::vector<int>& objects() const { return object_; }
  /// Where the bonded points belong: they follow these, and the hand's velocity is their motion.
  void MoveBonds(const KernelPose<double>& X, const KernelPose<double>& before);
  /// Friction forgets where points were gripped by this object: it is another one, or somewhere else.
  void Forget(int object);
  /// Impulses are those of a step: where its length changes, so do they.
  void ScaleImpulses(float factor);

  /// Changes the velocities of the nodes so that the gel does not enter the objects and stays on the hand.
  void Solve(const ParticleBlocks& particles, GelGrid* grid, const std::vector<SkinObject>& objects,
             int rounds, ThreadCrew* crew, std::vector<GelSkinLoad>* loads, GelSkinLoad* hand);

 private:
  struct Ride {
    std::int32_t particle;
    float r0[3];  // from the particle at rest, cells
  };
  /// What acts on a point in one step, and the nodes it hangs on.
  struct Touch {
    int object = kFree;
    float gap = 0, row_sum = 0;
    Vec3 x;
    Triple<float> n;      // normal of the object
    Triple<float> v;      // velocity of the object at the point, or of the hand
    Triple<float> drift;  // from where the hand wants it, or from where it was gripped
    std::int32_t node[27];
    float w[27];
  };
  static constexpr int kFree = -1, kBond = -2;

  struct Carrier;  // a point's particle
  void Look(std::size_t point, const Carrier& carrier, const std::vector<SkinObject>& objects);
  void Hang(std::size_t point, const Carrier& carrier);
  void Push(const Touch& t, const Triple<float>& impulse, float* nodes) const;
  static Triple<float> Velocity(const Touch& t, const float* nodes);

  std::size_t contact_ = 0;
  std::vector<Ride> ride_;
  std::vector<Vec3> home_, target_, target_velocity_;
  std::vector<Triple<float>> impulse_, change_;
  /// Of a contact point: which object it touches, where it was gripped (in that object's frame, cells) and
  /// the smoothed pressure.
  struct Grip {
    int object = kFree;
    Triple<double> at;
    float pressed = 0;
  };
  SkinGrip<float> GripOf(std::size_t point, const std::vector<SkinObject>& objects) const;
  void Remember(std::size_t point, const std::vector<SkinObject>& objects);

  std::vector<Grip> grip_;
  std::vector<int> object_, active_;
  std::vector<Touch> touch_;
  std::vector<float> shared_, inverse_;  // of a node: A_i, and 1 / m_i
};

}  // namespace taxel
