// A ball pressed into the membrane of height_map.h, in closed form. Photos of such presses calibrate the
// image.
#pragma once

namespace taxel {

/// Surface of the gel about a ball of radius R that touches it within a circle of radius a.
///
/// Inside the contact the gel is the ball; outside h = h_a K0(r/l) / K0(a/l), the decaying solution of
/// h = l^2 laplace h. Height and slope are continuous at a, which fixes
///   h_a = l tan(theta) K0(a/l) / K1(a/l),   sin(theta) = a / R.
/// So the ball sits h_a deeper than the cap of radius a alone: the rim of a contact lies below the rest
/// plane.
class BallPress {
 public:
  /// Error unless 0 < contact_radius < ball_radius and decay_length > 0 (one unit for all three).
  BallPress(double ball_radius, double contact_radius, double decay_length);

  /// How deep the lowest point of the ball lies below the rest plane.
  double depth() const { return depth_; }
  /// Height of the rim of the contact, h_a.
  double rim() const { return rim_; }
  /// Height of the gel at the distance r from the axis.
  double Height(double r) const;
  /// -dh/dr, at least 0.
  double Slope(double r) const;

 private:
  double ball_radius_, contact_radius_, decay_length_;
  double rim_, rim_slope_, depth_, k0_, k1_;
};

/// K0 and K1, the modified Bessel functions of the second kind (x > 0), to about 1e-7 of their value.
double BesselK0(double x);
double BesselK1(double x);

}  // namespace taxel
