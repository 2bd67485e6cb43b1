// Hysteresis that does not depend on speed: three play operators (Prandtl and Ishlinskii).
#pragma once

#include <algorithm>

namespace taxel {

/// The reading h of a load x is
///
///     h = x - sum_k w_k (x - z_k),   z_k <- clamp(z_k, x - r_k, x + r_k),   k = 0, 1, 2
///
/// with z_k the play operators (the state, 0 at rest), thresholds r_k = scale / 4, / 8, / 16 and weights
/// w_k = width, width, 2 width. Each x - z_k is the force of a spring in series with dry friction (Maxwell
/// slip).
///
/// A load that swings over A (peak to peak, 2 r_0 = scale/2 or more) runs round a closed loop of
///     opening in the middle  sum_k w_k min(2 r_k, A - 2 r_k), half of it on either side of the true load
///     area                   sum_k w_k 2 r_k (A - 2 r_k)
/// and for a smaller swing the sums run over the k with 2 r_k < A. The halving thresholds, with the tail of
/// the series put on the last one, make the opening exactly width A for scale/4 <= A <= scale. It stays
/// width scale beyond, and shrinks to nothing at A = scale/8. The area at A = scale is 21/32 width scale^2.
///
/// Loaded from rest to A and back to 0, the residual is sum_k w_k min(r_k, max(A - r_k, 0)), which is
/// (width scale)/2 for A >= scale/2. It is the memory of the material: only a pull, or a reset, takes it
/// away.
///
/// Slopes lie between 1 - 4 width and 1, so h rises with x for width < 0.25; where x never was negative, h
/// is not.
class Hysteresis {
 public:
  static constexpr int kPlays = 3;

  Hysteresis() = default;
  /// scale in Pa.
  Hysteresis(double width, double scale)
      : weight_{width, width, 2 * width}, threshold_{scale / 4, scale / 8, scale / 16} {}

  bool on() const { return weight_[0] > 0; }
  double weight(int k) const { return weight_[k]; }
  double threshold(int k) const { return threshold_[k]; }

  /// The reading under `load`; `plays` (kPlays numbers) as the last Advance left them.
  double Reading(double load, const double* plays) const {
    double reading = load;
    for (int k = 0; k < kPlays; ++k) reading -= weight_[k] * (load - Play(k, load, plays[k]));
    return reading;
  }
  void Advance(double load, double* plays) const {
    for (int k = 0; k < kPlays; ++k) plays[k] = Play(k, load, plays[k]);
  }

 private:
  double Play(int k, double x, double z) const { return std::clamp(z, x - threshold_[k], x + threshold_[k]); }

  double weight_[kPlays] = {}, threshold_[kPlays] = {};
};

}  // namespace taxel
