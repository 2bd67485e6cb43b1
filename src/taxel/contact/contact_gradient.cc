#include "taxel/contact/contact_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taxel/contact/body_data.h"
#include "taxel/contact/column_gradient.h"
#include "taxel/contact/surface_gradient.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;

void ColumnFaceGradients::Clear() {
  vertices.clear(), pressures.clear(), normals.clear(), columns.clear();
  face_start.assign(1, 0);
}

double VariedThickness(const Body& body) {
  const BodyData& d = body.data();
  if (!d.soft) return 0;
  const bool half_space = !d.is_mesh && std::holds_alternative<HalfSpace>(d.primitive);
  if (d.options.field.kind == FieldKind::kColumns || half_space) return d.length;
  if (d.options.field.kind != FieldKind::kBacked) return 0;
  // A backed mesh without a thickness has that of its shape, place by place.
  return d.is_mesh ? d.options.field.thickness : d.length;
}

void ComputeContactGradient(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB,
                            const ContactOptions& options, ContactWorkspace* workspace,
                            ContactSurface* surface, ContactGradient* gradient) {
  for (const Body* body : {&A, &B})
    if (body->data().softest > 0)
      throw Error(
          "contact: '" + body->name() +
          "' follows the size of its contacts (layer_poisson), which has no derivative here; leave it "
          "out and give the modulus for the size that matters (taxel.Material.modulus(contact=...))");
  ComputeContact(A, X_WA, B, X_WB, options, workspace, surface);
  ContactGradient& g = *gradient;
  g.wrench_on_A = surface->wrench_on_A;
  std::fill(std::begin(g.by), std::end(g.by), Wrench{});
  std::fill(std::begin(g.has), std::end(g.has), false);
  std::fill(g.has + kShiftB, g.has + kTurnB + 3, true);
  g.has[kModulusA] = A.soft(), g.has[kThicknessA] = VariedThickness(A) > 0;
  g.has[kModulusB] = B.soft(), g.has[kThicknessB] = VariedThickness(B) > 0;
  g.complete = true;
  g.faces.Clear();
  const auto columns = [](const Body& b) {
    return b.soft() && b.options().field.kind == FieldKind::kColumns;
  };
  if (columns(A) || columns(B)) {
    g.columns_of_A = surface->columns_of_A;
    ColumnGradient(A, X_WA, B, X_WB, gradient);
  } else {
    SurfaceGradient(A, X_WA, B, X_WB, *surface, gradient);
  }
}

}  // namespace taxel
