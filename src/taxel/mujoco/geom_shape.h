// What is made from the shape of a geom, when it is first needed.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <vector>

#include "taxel/bristle/probe_target.h"
#include "taxel/contact/anchors.h"
#include "taxel/contact/body.h"
#include "taxel/math/on_first_use.h"
#include "taxel/mujoco/settings.h"

namespace taxel::mujoco {

/// The body, its anchors, and what bristles meet of it; one for all geoms of equal shape and material. A
/// scene makes soft bodies and primitives at once, so that whatever is wrong with them is a compile error;
/// rigid meshes and all anchors wait until somebody comes near: most geoms of a scene never meet a skin.
///
/// Safe from many threads at once. The model is not kept, so every call names it, and a geom whose shape has
/// not changed since the scene was made (Runtime sees to that).
class GeomShape {
 public:
  explicit GeomShape(const BodyOptions& options) : options_(options) {}

  /// @throws Error what the constructor of Body throws, each time.
  const Body& body(const mjModel* m, int geom) const;
  const Anchors& anchors(const mjModel* m, int geom) const;
  const ProbeTarget& target(const mjModel* m, int geom) const;
  /// Anchors::OfColumns, where it has columns.
  const std::vector<int>& column_anchors(const mjModel* m, int geom) const;
  bool has_body() const { return body_.made(); }

  /// How many anchors there may be, and the seed of their places. Before the first use.
  void ReserveAnchors(int count, int seed) { max_anchors_ = count, seed_ = seed; }
  int max_anchors() const { return max_anchors_; }

 private:
  BodyOptions options_;
  int max_anchors_ = 0, seed_ = 0;
  internal::OnFirstUse<Body> body_;
  internal::OnFirstUse<Anchors> anchors_;
  internal::OnFirstUse<std::vector<int>> column_anchors_;
  internal::OnFirstUse<ProbeTarget> target_;
};

/// For each geom that `joins` its shape, null for the others. Bodies that are not plain rigid meshes are made
/// here. @throws Error for whatever is wrong with them.
std::vector<std::shared_ptr<GeomShape>> MakeGeomShapes(const mjModel* m, const Settings& settings,
                                                       const std::vector<bool>& joins);

}  // namespace taxel::mujoco
