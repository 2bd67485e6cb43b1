#include "taxel/marker/gravity.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "taxel/field/layer_modulus.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// Directions that are held by less than this part of the best held one are held by nothing.
constexpr double kHeld = 1e-10;

// Rows: d(t + w x arm)_c / d(t, w).
Vector6 Row(const Vec3& arm, int c) {
  Vector6 row = Vector6::Zero();
  row[c] = 1;
  const Vec3 turn[3] = {{0, arm.z, -arm.y}, {-arm.z, 0, arm.x}, {arm.y, -arm.x, 0}};
  for (int k = 0; k < 3; ++k) row[3 + k] = turn[c][k];
  return row;
}

}  // namespace

void AddContact(const MarkerIndenter& object, const MarkerState& state, ContactPatch* patch) {
  if (object.areas.size() != object.points_I.size())
    throw Error(
        "gravity shift: the object's points were given without areas; leave them out, so that they are "
        "sampled, " +
        std::string("or call taxel.gravity_shift with points and areas"));
  for (const int i : state.index) {
    const auto k = static_cast<std::size_t>(i);
    patch->points_P.push_back(state.X_PI * object.points_I[k]);
    patch->areas.push_back(object.areas[k]);
  }
}

void AddContact(const TaxelField& field, ContactPatch* patch) {
  for (std::size_t k = 0; k < field.objects().size(); ++k)
    AddContact(field.objects()[k], field.state().objects[k], patch);
}

void AddContact(const MarkerField& field, ContactPatch* patch) {
  AddContact(field.indenter(), field.state(), patch);
}

void AddContact(const LayerField& field, ContactPatch* patch) {
  for (const int cell : field.state().index) {
    patch->points_P.push_back(field.cells().place[static_cast<std::size_t>(cell)].p);
    patch->areas.push_back(field.cells().area(cell));
  }
}

GelSprings SpringsOf(const TaxelField& field, const ContactPatch&) {
  return {field.parameters().normal_stiffness, field.parameters().shear_stiffness};
}

GelSprings SpringsOf(const MarkerField&, const ContactPatch&) { return {}; }

GelSprings SpringsOf(const LayerField& field, const ContactPatch& patch) {
  constexpr double kDrag = 2.426, kBend = 1.088;
  double area = 0;
  for (const double a : patch.areas) area += a;
  const LayerParameters& p = field.parameters();
  const double H = field.thickness(), nu = p.poisson, G = p.young / (2 * (1 + nu));
  const double size =
      std::fmin(std::fmax(std::sqrt(area / 3.14159265358979) / H, kSmallestSize), kWidestSize);
  const double g = std::pow(1 + std::pow(kDrag / ((2 - nu) * size), kBend), 1 / kBend);
  return {EffectiveModulus(size, std::fmin(nu, 0.4999)) * p.young / H, g * G / H};
}

Pose GravityShift(const GravityLoad& load, const ContactPatch& patch, const GelSprings& springs) {
  if (!is_finite(load.weight_P) || !is_finite(load.center_P))
    throw Error("gravity shift: weight or center is not finite; give N and m in the pad's frame");
  for (const double k : {springs.normal, springs.shear})
    if (!(k > 0) || !std::isfinite(k))
      throw Error("gravity shift: a stiffness is " + std::to_string(k) + "; give a number above 0, Pa/m");
  double area = 0;
  Vec3 middle{};
  for (std::size_t i = 0; i < patch.areas.size(); ++i) {
    area += patch.areas[i];
    middle += patch.areas[i] * patch.points_P[i];
  }
  if (!(area > 0)) return {};  // nothing holds it: the models do nothing without contact
  middle = middle / area;
  Matrix6 stiffness = Matrix6::Zero();
  double spread = 0;
  for (std::size_t i = 0; i < patch.areas.size(); ++i) {
    const Vec3 arm = patch.points_P[i] - middle;
    spread += norm2(arm);
    for (int c = 0; c < 3; ++c) {
      const Vector6 row = Row(arm, c);
      stiffness += patch.areas[i] * (c == 2 ? springs.normal : springs.shear) * row * row.transpose();
    }
  }
  Vec3 lever = load.center_P - middle;
  if (load.opposed) lever.z = 0;
  const Vec3 moment = cross(lever, load.weight_P);
  Vector6 force;
  for (int c = 0; c < 3; ++c) force[c] = load.weight_P[c], force[3 + c] = moment[c];
  // Lengths in units of the patch; of a single point, or points in a line, the motion of least size.
  const double size = std::fmax(std::sqrt(spread / static_cast<double>(patch.areas.size())), 1e-9);
  Vector6 scale = Vector6::Ones();
  scale.tail<3>().setConstant(1 / size);
  const Eigen::SelfAdjointEigenSolver<Matrix6> modes(scale.asDiagonal() * stiffness * scale.asDiagonal());
  const double least = kHeld * modes.eigenvalues()[5];
  Vector6 motion = Vector6::Zero();
  for (int k = 0; k < 6; ++k)
    if (modes.eigenvalues()[k] > least) {
      const Vector6 mode = modes.eigenvectors().col(k);
      motion += mode.dot(scale.asDiagonal() * force) / modes.eigenvalues()[k] * mode;
    }
  motion = scale.asDiagonal() * motion;
  const Vec3 turn{motion[3], motion[4], motion[5]};
  const double angle = norm(turn);
  Pose X;
  if (angle > 0) X.R = RotationAbout(turn / angle, std::fmin(angle, kMostGravityTurn));
  X.p = Vec3{motion[0], motion[1], motion[2]} + middle - X.R * middle;
  return X;
}

}  // namespace taxel
