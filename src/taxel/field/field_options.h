// Which pressure field a soft body carries.
#pragma once

#include <vector>

#include "taxel/math/vec3.h"

namespace taxel {

enum class FieldKind {
  kDistance,  ///< p = E d(x) / d_max: zero at the surface, modulus at the medial axis (Drake's definition)
  kBacked,   ///< p = E s(depth / thickness): a layer glued to something stiff, with stiffening (stiffening.h)
  kLaplace,  ///< p = E u(x), Laplace's equation, u = 0 at the surface, 1 on an inner core (laplace.h)
  kColumns,  ///< as kBacked, by a lattice of columns instead of a field in space (contact/columns.h)
};

/// A layer on something stiff.
inline bool IsLayer(FieldKind kind) { return kind == FieldKind::kBacked || kind == FieldKind::kColumns; }

/// Where the columns of a skin that goes round a body end.
enum class Bone {
  kThickness,  ///< a thickness below the skin
  kMiddle,     ///< where those of the other sides begin: in the body's middle (contact/column_room.h)
};

/// Where the columns of a flat skin stand: the rectangle of one of them in the body's frame, all others side
/// by side with it. Skins lay it by their taxels (skin/taxel_columns.h).
struct ColumnCell {
  Vec3 corner;              ///< m
  Vec3 across_u, across_v;  ///< its sides, m; both 0: not given

  bool given() const { return norm2(across_u) > 0; }
};

struct FieldOptions {
  FieldKind kind = FieldKind::kDistance;

  /// Layers: full thickness, m. 0: taken from the shape (box: its size along `exposed`; mesh: measured
  /// between exposed face and back). A half space always needs it, with kDistance too: p = E depth /
  /// thickness.
  double thickness = 0;
  /// Layers: outward direction of the exposed face in the body's frame. Box: one of +-x, +-y, +-z. Mesh:
  /// faces whose outward normal is within 60 degrees of `exposed` are the skin, those within 45 degrees of
  /// its opposite are glued; the rest (side walls) neither. Columns of a given thickness stand under all
  /// triangles of a mesh but the glued ones. Curved primitives are shells: exposed all round,
  /// `exposed` is not used.
  Vec3 exposed{0, 0, 1};
  /// kBacked on a mesh: the glued triangles by number, instead of by direction (`exposed` then still names
  /// the skin unless `skin_triangles` is given too).
  std::vector<int> back_triangles;
  std::vector<int> skin_triangles;
  /// Layers: compression (0..1) at which the layer starts to stiffen.
  double stiffening_start = 0.8;

  /// Layers: the law as pairs of compression (0..1) and pressure over modulus, both rising from 0; the layer
  /// is flat where they end. Empty: the stiffening law.
  std::vector<double> law;

  /// Layers: Poisson's ratio of the layer, 0 to 0.4999. Its stiffness then follows the size of each contact
  /// (contact/layer_size.h), and the modulus is that where it is softest. Negative: one stiffness for all.
  double poisson = -1;

  /// kColumns on a mesh, sphere, capsule or ellipsoid. kMiddle: soft to the middle, as kDistance is. The
  /// pressure rises by the modulus over `thickness` everywhere (0: the inscribed radius), and each column
  /// ends where the middle is under it.
  Bone bone = Bone::kThickness;

  /// kColumns on a box or on a height map: counts instead of BodyOptions::resolution.
  ColumnCell column_cell;

  /// kLaplace: the core is {depth >= core_fraction * greatest depth}.
  double core_fraction = 0.5;
};

/// Columns of a mesh stand under its triangles; else they are a height map over its back.
inline bool UnderTriangles(const FieldOptions& field) {
  return field.thickness > 0 || field.bone == Bone::kMiddle;
}

}  // namespace taxel
