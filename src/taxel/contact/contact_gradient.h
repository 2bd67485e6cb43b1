// How a contact changes with what goes into it: pose, modulus and thickness to force and torque.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "taxel/contact/body.h"
#include "taxel/contact/contact.h"
#include "taxel/contact/contact_dual.h"
#include "taxel/math/dual_vec3.h"

namespace taxel {

/// The faces of a skin of columns with their derivatives, in the frame of the body that has the columns.
struct ColumnFaceGradients {
  using Scalar = internal::ContactDual;
  std::vector<DualVec3<Scalar>> vertices;
  std::vector<Scalar> pressures;               ///< at the vertices, Pa
  std::vector<std::int32_t> face_start = {0};  ///< as ContactSurface has it
  std::vector<DualVec3<Scalar>> normals;       ///< into the columns' body
  std::vector<std::int32_t> columns;

  int num_faces() const { return static_cast<int>(columns.size()); }
  void Clear();
};

/// Derivatives of a query. Arrays go over ContactInput; what an input does not exist for (the modulus of a
/// rigid body, the thickness of a field that has none) is 0.
///
/// **Columns**: derivatives of the numbers that ComputeContact gives, by dual numbers through the same code.
/// **Other fields**, soft against rigid: the faces of the rigid body move through the field, or the field
/// over them, and the pressure on each gains grad p . w; they turn with it; at the side walls of a backed box
/// more or less of a face is inside. Two soft bodies: their surface moves along its normal n with the speed
///     V = -(grad p_B . w) / (g_A + g_B),
/// and by Gauss's theorem d (integral p n dA) = integral grad p_A V dA, the torque likewise with x cross.
/// This is the derivative of the model, to which the facets of curved bodies come to some per cent of a turn
/// and 0.1 % of a shift. `complete` is false where a part may be missing: the walls of a backed mesh, a
/// backed layer against something soft.
///
/// Force and torque are continuous, and differentiable but where something begins: a column, an edge or the
/// next piece of a law that is just touched has a derivative to either side, and this is that of the side on
/// which the query is. A flat face that meets a flat skin in one instant jumps from 0.
struct ContactGradient {
  Wrench wrench_on_A;             ///< as ContactSurface has it: torque about the world's origin
  Wrench by[kContactInputs];      ///< its derivatives
  bool has[kContactInputs] = {};  ///< the input exists
  bool complete = true;
  bool columns_of_A = true;   ///< whose the columns are, where `faces` has some
  ColumnFaceGradients faces;  ///< of columns only
};

/// Derivatives at the poses of a query, and its surface. Arguments and errors are those of ComputeContact.
void ComputeContactGradient(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB,
                            const ContactOptions& options, ContactWorkspace* workspace,
                            ContactSurface* surface, ContactGradient* gradient);

/// The thickness that kThicknessA and kThicknessB vary, m; 0 where the field has none: of a layer, of a half
/// space. Of columns of different length it is their mean, and all vary in proportion.
double VariedThickness(const Body& body);

}  // namespace taxel
