// All worlds of a batch take a step, or none.
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include "taxel/math/interrupt.h"

namespace taxel {

/// What copies remembered before a step, to give back where an interrupt stopped it half-way. Memory is kept
/// from step to step.
template <typename State>
class Undo {
 public:
  void Begin(std::size_t copies) {
    states_.resize(copies);
    kept_.assign(copies, 0);
  }
  /// Before copy i moves; different copies from different threads.
  void Keep(std::size_t i, const State& state) {
    states_[i] = state;
    kept_[i] = 1;
  }
  /// Throws what a step ended with; an interrupt only after give_back(i, state) for all that had begun.
  template <typename GiveBack>
  void End(const std::exception_ptr& failure, const GiveBack& give_back) const {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const Interrupted&) {
      All(give_back);
      throw;
    }
  }
  /// Calls give_back(i, state) for all that had begun.
  template <typename GiveBack>
  void All(const GiveBack& give_back) const {
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (kept_[i]) give_back(i, states_[i]);
  }

 private:
  std::vector<State> states_;
  std::vector<char> kept_;
};

}  // namespace taxel
