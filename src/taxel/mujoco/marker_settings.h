// What a marker sensor of a model says about itself: the configuration keys of the plugin "taxel.markers".
//
//   <extension><plugin plugin="taxel.markers"/></extension>
//   <sensor>
//     <plugin name="gel" plugin="taxel.markers" objtype="geom" objname="pad">
//       <config key="shape" value="9 7"/>
//       <config key="pitch" value="0.00184375"/>
//       <config key="objects" value="peg"/>
//     </plugin>
//   </sensor>
//
// The geom is the gel: a box or a closed mesh, rigid for MuJoCo or soft, as it likes. The pad's frame P is
// the geom's (of a mesh, that of its file); **z points out of the gel**. sensordata holds x y z of marker 0,
// of marker 1, ..., pixels in P; rows of a grid along y, columns along x, the first at the lowest x and y.
// With output="displacement wrench" force (N) and torque about P's origin (N m) on the gel follow, in P.
//
//   mode          layer, taxel, paper or release (docs/guide/markers.md)                        [taxel]
//   shape         rows columns of a grid, laid on the gel along -z                              [none]
//   pitch         of the grid, m: one number, or two, along x and y              [the grid fills the gel]
//   center        of the grid, x y, m                                                           [0 0]
//   points        x y z x y z ... instead of a grid, m                                          [none]
//   objects       names of geoms or bodies that may press; of a body those geoms that collide; planes only in
//                 mode layer                 [all geoms that may collide with the pad, without planes]
//   lambda_d, lambda_s, friction, stiffness_area (paper only)      [HydroShear: 20000, 10800, 0.5, 1]
//   pixel         of the camera on the gel, m                                                   [6.5e-5]
//   dilate_scale, shear_scale                                                 [HydroShear: 1 / pixel]
//   normal_stiffness, shear_stiffness (Pa/m), squeeze, creep, creep_time (s), substeps
//                 taxel only; of it also other defaults of the lambdas and scales [TaxelParameters, 1
//                 substep]
//   young (Pa), poisson, thickness (m, of the gel over its back at its highest place), marker_depth (m, of
//   the
//                 markers below the face), cell (m), substeps; layer only, with friction and pixel
//                 [LayerParameters]
//   output        displacement, or displacement wrench (layer, taxel)                    [displacement]
//   backing       a mesh's back is moved down by so much, m: a deep press is then measured from the top   [0]
//   point_radius  least distance of the tracked points of an object, m; point_seed; not of mode layer
//                                                                                               [7.5e-4, 0]
//   distance      to the gel: exact, trilinear (on a grid of `spacing`, m), or nearest (voxels, as the
//                 HydroShear release)                           [exact; spacing 2.5e-4, nearest: 1e-3]
//   gravity       the gravity pass: the part of an object's weight that this pad carries (0.5: one of two
//                 fingers). By it the object sags and turns on the gel's stiffness, for what is read alone;
//                 below 1 other fingers balance the lever along the pad's normal (GravityLoad). Of objects
//                 with a free joint and mocap bodies, with all their bodies                [0: none]
//   gravity_shift the authors' instead: a motion along gravity, m (0.00025); of all objects         [0: none]
//   rate          frames a second; between them the numbers stay                       [one frame a step]
//   capacity      points (layer: cells) that can touch at once                    [1024; layer 2048]
//   show_markers, show_scale   in viewers: dots and arrows, their lengths times show_scale      [true, 1]
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <string>
#include <vector>

#include "taxel/marker/layer_field.h"
#include "taxel/marker/marker_field.h"
#include "taxel/marker/taxel_field.h"
#include "taxel/skin/description.h"

namespace taxel::mujoco {

inline constexpr const char* kMarkerPluginName = "taxel.markers";
extern const char* const kMarkerKeys[];
extern const int kNumMarkerKeys;

struct MarkerSettings {
  MarkerParameters parameters;  ///< of HydroShear
  bool own = true;              ///< mode taxel: the next two count instead
  TaxelParameters taxel;
  bool layer = false;  ///< mode layer: the next two count instead of `taxel`
  LayerParameters layer_parameters;
  double cell = 0;
  int substeps = 1;
  bool wrench = false;  ///< part of the output
  double backing = 0;
  double pixel = 0.065e-3;
  int rows = 0, cols = 0;  ///< of a grid; 0: points
  double pitch[2] = {0, 0};
  double center[2] = {0, 0};
  std::vector<Vec3> points_P;
  std::vector<std::string> objects;
  double point_radius = 0.75e-3;
  int point_seed = 0;
  MarkerDistance::Kind distance = MarkerDistance::Kind::kExact;
  double spacing = 0.25e-3;
  double gravity = 0, gravity_shift = 0;  ///< at most one of them
  double rate = 0;                        ///< 0: every step
  int capacity = 1024;
  bool show = true;
  double show_scale = 1;

  bool sags() const { return gravity > 0 || gravity_shift > 0; }
  bool late() const { return own && taxel.creep > 0; }  ///< part of the motion comes late
  int num_data() const { return 3 * count() + (wrench ? 6 : 0); }
  int count() const { return rows ? rows * cols : static_cast<int>(points_P.size()); }
};

/// @throws Error that opens with description.where().
MarkerSettings ReadMarkerSettings(const Description& description);

/// Mode of a name; the names there are, for messages.
bool FindMarkerMode(const std::string& name, MarkerSettings* settings);
std::string MarkerModeNames();

/// Instance i of the model's plugins is one of "taxel.markers".
bool IsMarkerInstance(const mjModel* m, int i);
Description MarkerDescription(const mjModel* m, int instance, const std::string& where);

/// Places for objects in the saved state. MuJoCo asks before geoms are filled in: as many as the model has
/// geoms besides the pad, or, where all `objects` are names of geoms, as many as those.
int MarkerObjectRoom(const mjModel* m, const MarkerSettings& settings);

}  // namespace taxel::mujoco
