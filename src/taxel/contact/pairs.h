// Which pieces of two bodies can meet: loops over lists and walks through trees, ending in the kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taxel/contact/body_data.h"
#include "taxel/contact/intersect.h"

namespace taxel::internal {

/// Pairs of nodes still to visit; kept between queries.
using TraversalStack = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// The balls and tubes of cells, four at a time; kept between queries.
class CellBounds {
 public:
  void Set(std::span<const Cell> cells);
  /// Calls use(i), ascending, for the cells that the facet in the plane normal . x + offset = 0 may meet.
  template <class Use>
  void ForEachNear(const Facet& facet, double offset, Use&& use) const;

 private:
  struct Four {
    double x[4], y[4], z[4], radius[4], ax[4], ay[4], az[4], width[4];
  };
  std::vector<Four> fours_;
  int count_ = 0;
};

// F first body, S second body. X_W* is the pose of the frame the work is done in; facets come in that frame.

void CellsAndFacets(const Pose& X_WF, std::span<const Cell> cells, const std::vector<Layer>& law,
                    std::span<const Facet> facets_F, CellBounds* bounds, FaceSink* sink);
void CellsAndTriangles(const Pose& X_WS, const Pose& X_SF, std::span<const Cell> cells,
                       const std::vector<Layer>& law, const BodyData& triangles, FaceSink* sink);
/// `moved` is scratch for the second's cells in F.
void CellsAndCells(const Pose& X_WF, std::span<const Cell> cells, const std::vector<Layer>& law,
                   const Pose& X_FS, std::span<const Cell> others, const std::vector<Layer>& other_law,
                   std::vector<Cell>* moved, FaceSink* sink);
void CellsAndTets(const Pose& X_WS, const Pose& X_SF, std::span<const Cell> cells,
                  const std::vector<Layer>& law, const BodyData& second, FaceSink* sink);
void TetsAndFacets(const Pose& X_WF, const BodyData& first, std::span<const Facet> facets_F, FaceSink* sink);
void TetsAndTriangles(const Pose& X_WF, const BodyData& first, const Pose& X_FS, const BodyData& triangles,
                      TraversalStack* stack, FaceSink* sink);
void TetsAndTets(const Pose& X_WF, const BodyData& first, const Pose& X_FS, const BodyData& second,
                 TraversalStack* stack, FaceSink* sink);

}  // namespace taxel::internal
