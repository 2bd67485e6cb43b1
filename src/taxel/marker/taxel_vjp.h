// Gradients of taxel's marker model on the CPU: one step, and a whole path.
#pragma once

#include <array>
#include <vector>

#include "taxel/marker/taxel_field.h"

namespace taxel {

/// Row-major 3 x 4 derivatives with respect to the entries of a pose (rotation | translation), each entry
/// taken as a number of its own.
using PoseGradient = std::array<double, 12>;

/// In the order lambda_d, lambda_s, friction, normal_stiffness, shear_stiffness, squeeze, dilate_scale,
/// shear_scale.
using TaxelParameterGradient = std::array<double, 8>;

/// Derivatives of a number with respect to the results of a step.
struct TaxelCotangent {
  std::vector<Vec3> displacement;          ///< one a marker, 1/px
  Vec3 force_P, torque_P;                  ///< 1/N, 1/(N m)
  std::vector<std::vector<Vec3>> stretch;  ///< with respect to the state after the step; empty: none
};

/// ... and to what went in.
struct TaxelGradient {
  std::vector<PoseGradient> X_PI, X_PI_before;    ///< one an object
  TaxelParameterGradient parameters{};            ///< added to
  std::vector<std::vector<Vec3>> stretch_before;  ///< as `stretch` of the state before the step
};

/// Vector-Jacobian product of the step from `before` to `after` (states of this field; after.X_PI are the
/// poses it moved to). Branches (stick or slip, in or out) are taken as they were. Throws Error for creep or
/// substeps, which have no gradient.
void TaxelVjp(const TaxelField& field, const TaxelState& before, const TaxelState& after,
              const TaxelCotangent& cotangent, TaxelGradient* gradient);

/// Derivatives of the last displacement of a path from the field's state (path[t]: one pose an object) with
/// respect to each parameter: columns[k] has one vector a marker. By forward differentiation: the memory of
/// the path goes through two numbers alone, mu E / K and squeeze. Throws Error as TaxelVjp.
void TaxelJacobian(const TaxelField& field, const std::vector<std::vector<Pose>>& path,
                   std::vector<Vec3>* displacement, std::array<std::vector<Vec3>, 8>* columns);

/// A path with its gradient:
///
///     TaxelTape tape(field);                      // starts from the field's state
///     for (const Pose& X : path) tape.Step({X});  // tape.readings().back() is the last
///     tape.Backward(cotangents, &poses, &parameters);
class TaxelTape {
 public:
  explicit TaxelTape(const TaxelField& field);
  const TaxelReading& Step(const std::vector<Pose>& X_PI);
  std::size_t size() const { return states_.size() - 1; }
  /// cotangents: of the displacements, one list a step. poses[t][object]; parameters: of all steps together.
  void Backward(const std::vector<std::vector<Vec3>>& cotangents,
                std::vector<std::vector<PoseGradient>>* poses, TaxelParameterGradient* parameters) const;

 private:
  TaxelField field_;
  TaxelReading reading_;
  std::vector<TaxelState> states_;
};

}  // namespace taxel
