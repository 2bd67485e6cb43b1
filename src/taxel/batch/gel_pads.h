// Many pads of one gel, each with its own ways of the objects and of the hand: on a GPU, or on threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taxel/batch/cuda_pads.h"
#include "taxel/gel/gel_solver.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

/// All that the pads remember: what comes after is the same, bit by bit, on the same kind of machine.
struct GelPadsState {
  std::vector<char> memory;
  std::vector<Pose> X_WO, X_WH;
  std::vector<GelLoad> loads, hand_loads;
  std::vector<float> fastest;
  double time = 0;
};

/// The model is GelSolver's with GelFrame::kRest, step by step; sums have another order, and displacements
/// are kept in double. Each sum has one order: same input, same bits, whatever the number of pads and
/// threads. Arrays over pads and objects have the objects of a pad side by side.
class GelPads {
 public:
  /// Of the options `threads` is for the pads on the host. Throws the errors of GelSolver, and Error for a
  /// grid in space, fewer than 1 or more than 65535 pads, and when there is no GPU.
  GelPads(const GelOptions& options, const std::vector<Vec3>& positions, double particle_volume, int pads,
          bool cuda);

  /// As GelSolver::SetSkin. Before any object.
  void SetSkin(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
               const std::vector<Vec3>& outward, const std::vector<Vec3>& rim);
  /// The same shape in all pads, with friction (>= 0) and a pose in each; friction keeps its grip on the
  /// others.
  void AddObject(const MarkerDistance& distance, const std::vector<double>& friction,
                 const std::vector<Pose>& X_WO);
  /// As GelSolver::Advance, with the poses of (pads, objects) and of (pads) hands. Interrupted, the pads
  /// stand after one of every kPadSteps steps, all after the same.
  void Advance(int steps, const std::vector<Pose>& X_WO, const std::vector<Pose>& X_WH, bool smooth);
  /// Memory of the device that steps, as in GelPadReading; units and hands are filled in here.
  void Read(GelPadReading reading) const;
  GelPadsState Save() const;
  void Restore(const GelPadsState& state);

  const GelOptions& options() const { return options_; }
  bool cuda() const { return cuda_; }
  int pads() const { return pads_; }
  int objects() const { return static_cast<int>(distances_.size()); }
  std::size_t size() const { return positions_.size(); }
  int contact_points() const { return plan_.contact - plan_.rim; }
  double dt() const { return dt_; }
  double time() const { return time_; }
  double cfl() const;
  /// Greatest speed of a particle of a pad in the last step over that of the pressure wave.
  std::vector<double> mach() const;
  const std::vector<Pose>& poses() const { return poses_; }
  const std::vector<Pose>& hands() const { return hands_; }
  const std::vector<GelLoad>& loads() const { return loads_; }            ///< (pads, objects)
  const std::vector<GelLoad>& hand_loads() const { return hand_loads_; }  ///< (pads)

 private:
  template <typename Call>
  void Run(const Call& call) const;
  void Make(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
            const std::vector<Vec3>& outward, const std::vector<Vec3>& rim);
  void SetObjects();
  KernelPose<double> ToGrid(const Pose& X) const;
  KernelPose<double> HandToGrid(const Pose& X) const;
  void ForgetMoved(const std::vector<Pose>& X_WO);
  void CheckWay(int steps, const std::vector<Pose>& X_WO, const std::vector<Pose>& X_WH) const;
  [[noreturn]] void BlowUp(int pad, unsigned long long trouble) const;
  void Average(const std::vector<double>& sums, int steps);

  GelOptions options_;
  double dt_, time_ = 0, particle_mass_;
  Vec3 origin_;
  int pads_;
  bool cuda_, blown_up_ = false;
  std::vector<Vec3> positions_;  // cells
  PadPlan plan_;                 // its arrays are gone
  std::vector<MarkerDistance> distances_;
  std::vector<double> friction_;  // (pads, objects)
  std::vector<Pose> poses_, hands_;
  std::vector<GelLoad> loads_, hand_loads_;
  std::vector<float> fastest_;
  std::shared_ptr<void> batch_;
};

}  // namespace taxel
