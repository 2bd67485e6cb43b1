// The two quadratic programs of contact on an elastic layer, over the cells that an object can reach.
#pragma once

#include <vector>

#include "taxel/marker/layer_lattice.h"

namespace taxel {

/// Tractions on cells, by cell; what the sums take.
struct LayerSources {
  std::vector<internal::LayerOffset> offset;
  std::vector<float> a, b;
  void Clear() { offset.clear(), a.clear(), b.clear(); }
};

/// Scratch and loops; holds no memory of a path. Fields are arrays of slots(): eight neighbours along y in a
/// chunk, of which some may stand for no cell.
///
///     normal      min over p >= 0        of  p.A p / 2 - p.h      A p >= h where p = 0, A p = h where p > 0
///     tangential  min over |t| <= bound  of  t.A t / 2 - t.b      slip b - A t: none inside, along t on the
///     rim
///
/// Deterministic: the order of all sums is fixed by the cells.
class LayerSolver {
 public:
  using Field = std::vector<float>;

  /// cells: ascending; tables: of a LayerLevel, or blended ones, kept by the caller.
  void Begin(const LayerCells& cells, const std::vector<int>& reachable, const std::vector<float>& tables);
  int slots() const { return static_cast<int>(cell_.size()); }
  /// Cell of a slot; -1: none.
  const std::vector<int>& cell() const { return cell_; }

  /// Sources by cell, of which any may lie outside what is reachable.
  internal::LayerOffset SourceOffset(int cell) const;
  void Tangential(const LayerSources& s, Field* u, Field* v) const;
  /// One component: which is a member of LayerTables.
  void One(const float* internal::LayerTables::*which, const LayerSources& s, const std::vector<float>& value,
           Field* out) const;

  /// Of fields on slots.
  void Gather(const Field& a, const Field* b, LayerSources* s) const;
  /// Pressures of unilateral contact: conjugate gradients with an active set (Polonsky and Keer 1999), from
  /// the given start. h: overlap, m. Ends when no cell is off by more than `tolerance`, or after `limit`
  /// rounds.
  int SolveNormal(const Field& h, double tolerance, int limit, Field* p);
  /// Projected gradients with the step of Barzilai and Borwein and an exact line search. step: the first one,
  /// as an earlier problem with these cells has left it, or 0; afterwards the last.
  int SolveTangential(const Field& bx, const Field& by, const Field& bound, double tolerance, int limit,
                      double* step, Field* tx, Field* ty);

 private:
  const LayerCells* cells_ = nullptr;
  internal::LayerTables tables_{};
  int wide_ = 0;
  std::vector<int> cell_;
  std::vector<internal::LayerOffset> chunk_;

  LayerSources sources_;
  Field residual_, direction_, image_, step_x_, step_y_, image_x_, image_y_, slope_x_, slope_y_;
};

}  // namespace taxel
