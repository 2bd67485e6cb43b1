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
/// What tractions do is carried along with them (A p - h, A t - b), so that a program asks for no sum it has
/// had. Deterministic: the order of all sums is fixed by the cells.
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
  /// Adds sign times that.
  void AddOne(const float* internal::LayerTables::*which, const LayerSources& s,
              const std::vector<float>& value, float sign, Field* out);

  /// Of fields on slots.
  void Gather(const Field& a, const Field* b, LayerSources* s) const;
  /// Pressures of unilateral contact: conjugate gradients with an active set (Polonsky and Keer 1999; where
  /// they go: layer_direction.h), from the given start. h: overlap, m; residual: A p - h, before and after.
  /// Ends when no cell is off by more than `tolerance`, or after `limit` rounds. Whether p has changed.
  bool SolveNormal(const Field& h, double tolerance, int limit, Field* p, Field* residual);
  /// Conjugate gradients on Coulomb's discs, with an exact line search. slope: A t - b, before and after;
  /// way: along the first direction, as an earlier problem with these cells has left it, or 0; afterwards the
  /// last.
  void SolveTangential(const Field& bound, double tolerance, int limit, float* way, Field* tx, Field* ty,
                       Field* slope_x, Field* slope_y);

 private:
  const LayerCells* cells_ = nullptr;
  internal::LayerTables tables_{};
  int wide_ = 0;
  std::vector<int> cell_, slot_;  // of a slot; of a cell, -1 where none
  std::vector<int> around_;       // eight a slot, the nearest first; slots() where there is none
  std::vector<internal::LayerOffset> chunk_;

  LayerSources sources_;
  Field direction_, image_, free_, sharp_, more_, step_x_, step_y_, image_x_, image_y_;
};

}  // namespace taxel
