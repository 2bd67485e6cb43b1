// The increments of a path of a LayerField as a graph, and the sweep back over it.
#pragma once

#include <Eigen/Dense>
#include <memory>
#include <vector>

#include "taxel/marker/layer_adjoint.h"
#include "taxel/marker/layer_field.h"

namespace taxel::internal {

/// Derivatives of several numbers with respect to a reading, a column each.
struct LayerSeeds {
  Eigen::MatrixXd x, y;           ///< markers x numbers: along e1 and e2 of the marker, 1/px
  Eigen::MatrixXd force, torque;  ///< 3 x numbers
  static LayerSeeds Zero(Eigen::Index markers, Eigen::Index numbers);
};

/// ... with respect to what went in.
struct LayerSweep {
  std::vector<std::vector<Eigen::MatrixXd>> poses;  ///< [step][object]: 6 x numbers, shift and turn
  Eigen::MatrixXd parameters;                       ///< 6 x numbers, as LayerParameterGradient
};

/// A node is an increment with its tractions; its parent is the one whose tractions it starts from.
/// Increments that a field does not remember have no children.
class LayerPath {
 public:
  LayerPath(const LayerField& field, const LayerPath* like);
  LayerPath(const LayerPath&) = delete;
  LayerPath& operator=(const LayerPath&) = delete;

  const LayerReading& Step(const std::vector<Pose>& X_PI);
  std::size_t size() const { return steps_.size(); }
  /// seeds: one a step; null: none.
  LayerSweep Back(const std::vector<const LayerSeeds*>& seeds, Eigen::Index numbers) const;

  const LayerField& field() const { return field_; }
  const Pose& pose(std::size_t step, std::size_t object) const;

 private:
  // The poses of all objects at a moment, and where they come from.
  struct Moment {
    enum class Kind { kFixed, kInput, kBetween, kLifted } kind = Kind::kFixed;
    std::vector<Pose> X;
    int from = -1, to = -1;  // kBetween; kLifted: to
    double at = 0;
    int object = 0, cell = -1;  // kLifted: where it is deepest
  };
  struct Node {
    int parent = -1, from = -1, to = -1;  // node, moments
    bool touches = false;
    LayerRecord record;
    std::vector<Eigen::Index> kept;  // cells of the record in contact
  };
  // What a LayerField remembers.
  struct Memory {
    LayerState state;
    int node = -1, moment = 0;
  };
  // By the tractions of a node and what else a reading takes from it.
  struct Share {
    LayerThree T;
    Eigen::MatrixXd share, height;
  };

  int Add(Moment moment);
  int Lift(int input, double deepest);
  void Increment(int moment, Memory* memory);
  void Read(const Node& node);
  void ReadBack(const Node& node, const LayerSeeds& seeds, Share* to, Eigen::MatrixXd* parameters) const;
  void MomentBack(const Moment& moment, const std::vector<Eigen::MatrixXd>& by,
                  std::vector<std::vector<Eigen::MatrixXd>>* all, Eigen::MatrixXd* parameters) const;
  // Influences from the cells in contact to the markers: xx, xy, yy, xz, yz.
  void ToMarkers(const Node& node, double low, double high, Eigen::MatrixXd out[5]) const;

  LayerField field_;
  LayerStage stage_;
  std::shared_ptr<LayerSlopes> slopes_;
  Memory memory_;
  std::vector<Moment> moments_;
  std::vector<Node> nodes_;
  struct StepRecord {
    int node, input;
    std::vector<Vec3> displacement;
    Vec3 force, torque;
  };
  std::vector<StepRecord> steps_;
  LayerReading reading_;
};

}  // namespace taxel::internal
