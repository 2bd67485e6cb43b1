// The surface of a gel as square cells, with what each does to each and to the markers.
#pragma once

#include <memory>
#include <vector>

#include "taxel/marker/gel_pad.h"
#include "taxel/marker/layer_influence.h"
#include "taxel/marker/layer_sums.h"

namespace taxel {

/// A place of the gel's surface with its own axes: e1 and e2 along the surface (nearest to x and y of the
/// pad), g out of it.
struct LayerPlace {
  Vec3 p, e1, e2, g;
  double height = 0;  ///< of the surface over its highest place, 0 or below, m
};

/// g: unit.
LayerPlace MakePlace(const Vec3& p, const Vec3& g);

/// Cells (i, j), numbered i * ny + j, of a regular grid over the pad's x and y, centred on the gel.
/// On gels that are not flat each cell has the place and the axes of the surface above its middle; where the
/// surface ends or is steeper than 60 degrees there is no cell.
struct LayerCells {
  LayerCells(const GelPad& pad, const std::vector<Vec3>& markers_P, double pitch);

  int nx = 0, ny = 0;
  double pitch = 0, x0 = 0, y0 = 0;  ///< middle of the first cell
  bool flat = true;
  std::vector<LayerPlace> place;
  std::vector<unsigned char> valid;
  std::vector<LayerPlace> marker;
  double lowest = 0;  ///< of all heights

  int count() const { return nx * ny; }
  double area(int cell) const { return pitch * pitch / place[static_cast<std::size_t>(cell)].g.z; }
};

/// Influences for one thickness, in float: between cells by their difference, and from cells to markers,
/// which lie marker_depth (m) below the surface.
class LayerLevel {
 public:
  LayerLevel(const LayerCells& cells, double thickness, double poisson, double marker_depth);

  double thickness() const { return thickness_; }
  /// All six tables, one after the other, each of table_size() numbers (a multiple of 8).
  const std::vector<float>& tables() const { return tables_; }
  static internal::LayerTables Split(const std::vector<float>& tables);
  /// From a cell to all markers: six rows of marker_room() numbers, in the order of LayerBlock.
  const float* to_markers(int cell) const {
    return to_markers_.data() + static_cast<std::size_t>(cell) * 6 * static_cast<std::size_t>(marker_room_);
  }
  int marker_room() const { return marker_room_; }
  const LayerInfluence& influence() const { return influence_; }

 private:
  double thickness_;
  LayerInfluence influence_;
  int marker_room_;
  std::vector<float> tables_, to_markers_;
};

/// Levels for the thicknesses of a gel: one where it is flat, else some 10 % apart.
std::vector<LayerLevel> MakeLevels(const LayerCells& cells, double thickness, double poisson,
                                   double marker_depth);

}  // namespace taxel
