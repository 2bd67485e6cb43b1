// Gravity in the hand: how far an object's weight moves it on the gel that holds it.
#pragma once

#include <vector>

#include "taxel/marker/layer_field.h"
#include "taxel/marker/marker_field.h"
#include "taxel/marker/taxel_field.h"

namespace taxel {

/// The part of an object's weight that one pad carries, and where it acts (the centre of mass).
struct GravityLoad {
  Vec3 weight_P;  ///< N
  Vec3 center_P;  ///< m
  /// Other fingers hold the rest from the other side: levers along z then cancel, and tilt nothing.
  bool opposed = false;
  friend bool operator==(const GravityLoad&, const GravityLoad&) = default;
};

/// Of the gel, along z of the pad and along x and y, Pa/m.
struct GelSprings {
  double normal = TaxelParameters{}.normal_stiffness, shear = TaxelParameters{}.shear_stiffness;
};

/// Where objects touch: points and the area each stands for.
struct ContactPatch {
  std::vector<Vec3> points_P;
  std::vector<double> areas;
};

/// Adds the points of an object inside the gel; `state`: after a step. Needs the areas of the points.
void AddContact(const MarkerIndenter& object, const MarkerState& state, ContactPatch* patch);
/// Of all objects of a field after a step; of mode layer the cells in contact.
void AddContact(const TaxelField& field, ContactPatch* patch);
void AddContact(const LayerField& field, ContactPatch* patch);
void AddContact(const MarkerField& field, ContactPatch* patch);

/// The gel's own stiffness: of mode taxel its parameters; of mode layer that of a bonded layer of thickness H
/// under a stuck contact of the patch's area (a its radius as a disc):
///     normal = m E / H (EffectiveModulus),  shear = g G / H,  g = (1 + (2.43 / ((2 - nu)
///     a/H))^1.09)^(1/1.09)
/// (docs/theory/material.md; Python has the same as taxel.sensors.effective_shear). The published modes know
/// none: that of mode taxel.
GelSprings SpringsOf(const TaxelField& field, const ContactPatch& patch);
GelSprings SpringsOf(const LayerField& field, const ContactPatch& patch);
GelSprings SpringsOf(const MarkerField& field, const ContactPatch& patch);

/// The motion of the object, for `shift` of a field's step. Each point is a spring of its area times the
/// stiffness, fixed in the pad; the six equations of balance give translation and turn, t + w x p. Without
/// points: none; what nothing holds (turns about a single point) does not move. Linear, so turns above
/// kMostGravityTurn are cut to it: a patch that is asked for more does not hold the object. Equations as in
/// taxel.gravity_shift (Python). Throws Error for a value that is not finite or a stiffness not above 0.
Pose GravityShift(const GravityLoad& load, const ContactPatch& patch, const GelSprings& springs);
inline constexpr double kMostGravityTurn = 0.1;  // rad

}  // namespace taxel
