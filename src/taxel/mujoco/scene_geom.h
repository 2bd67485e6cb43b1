// A geom of a model as the scene keeps it.
#pragma once

#include <cstdint>
#include <memory>

#include "taxel/bristle/bristle_points.h"
#include "taxel/mujoco/geom_shape.h"
#include "taxel/skin/description.h"

namespace taxel::mujoco {

/// One geom that takes part.
struct SceneGeom {
  std::shared_ptr<GeomShape> shape;               ///< null: this geom never touches a soft one
  bool soft = false;                              ///< has a pressure field or bristles
  bool plane = false;                             ///< or a height field: never owns anchors
  std::unique_ptr<const BristlePoints> bristles;  ///< null: has none
  Description::Entries point_entries;             ///< what says where they are
  bool owns = false;                              ///< the anchors of its shape remember friction
  double anchor_spacing = 0;                      ///< how fine its anchors are, or would be, m
  int first_anchor = -1;                          ///< in the saved state
  double extent = 0;                              ///< radius about its middle, m; infinite for those
  std::uint64_t signature = 0;                    ///< of the shape the body was made from
};

}  // namespace taxel::mujoco
