// Gradients of the elastic layer (mode layer) on the CPU: of a whole path, by poses and by the material.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "taxel/marker/layer_field.h"
#include "taxel/marker/taxel_vjp.h"

namespace taxel {

namespace internal {
class LayerPath;
}

/// In the order friction, young, poisson, thickness, pixel, marker_depth.
using LayerParameterGradient = std::array<double, 6>;

/// Derivatives of a number with respect to the results of a step.
struct LayerCotangent {
  std::vector<Vec3> displacement;  ///< one a marker, 1/px
  Vec3 force_P, torque_P;          ///< 1/N, 1/(N m)
};

/// Derivatives of the last step of a path.
struct LayerJacobian {
  /// Of the displacement, px per unit of a parameter; [parameter][marker].
  std::array<std::vector<Vec3>, 6> displacement_by_parameter;
  /// Of the wrench (force, torque); [parameter].
  std::array<std::array<double, 6>, 6> wrench_by_parameter;
  /// By the last poses: shift (m) and turn (rad) along the pad's axes, the turn about the object's origin;
  /// [object][direction][marker] and [object][direction].
  std::vector<std::array<std::vector<Vec3>, 6>> displacement_by_pose;
  std::vector<std::array<std::array<double, 6>, 6>> wrench_by_pose;
};

/// A path with its gradient:
///
///     LayerTape tape(field);                      // starts from the field's state, which it leaves alone
///     for (const Pose& X : path) tape.Step({X});
///     tape.Backward(cotangents, &poses, &parameters);
///
/// The steps are those of LayerField, cut and remembered as there, but every contact is solved to the last
/// digit by its active set, in double, so that readings differ from LayerField's by its tolerance (0.1 % of
/// the depth). Derivatives are those of these numbers: cells stay open or closed, stuck or slipping, steps
/// are cut as they were, and the linear equations that are left are solved transposed, back along the path.
/// Where one of these choices changes there is a corner, and it is that of one side.
///
/// - Derivatives by the influences of the layer (poisson, thickness, marker_depth) are by differences of the
///   influences: layer_slopes.h.
/// - Memory: some ten numbers a cell and increment. Time: the cube of the number of cells in contact.
class LayerTape {
 public:
  /// like: a tape of an equal gel, whose tables of derivatives are shared. Throws Error for a friction of 0,
  /// where slip has no direction to differentiate.
  explicit LayerTape(const LayerField& field, const LayerTape* like = nullptr);
  LayerTape(LayerTape&&) noexcept;
  LayerTape& operator=(LayerTape&&) noexcept;
  ~LayerTape();

  /// Displacement, dilation, force and torque; points and forces at them are left empty. Throws Error for a
  /// bad pose and for more than 2,000 cells within reach.
  const LayerReading& Step(const std::vector<Pose>& X_PI);
  std::size_t size() const;

  /// cotangents: one a step. poses[t][object]: by the entries of the poses; of a rotation's the least that
  /// says what there is along rotations (EntriesOfTwist). parameters: of all steps together.
  void Backward(const std::vector<LayerCotangent>& cotangents, std::vector<std::vector<PoseGradient>>* poses,
                LayerParameterGradient* parameters) const;
  /// Of the displacements alone.
  void Backward(const std::vector<std::vector<Vec3>>& cotangents,
                std::vector<std::vector<PoseGradient>>* poses, LayerParameterGradient* parameters) const;

  /// Of the last step, by one sweep back for all markers. @pre size() > 0
  LayerJacobian Jacobian() const;

 private:
  std::unique_ptr<internal::LayerPath> path_;
};

}  // namespace taxel
