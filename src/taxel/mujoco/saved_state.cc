#include "taxel/mujoco/saved_state.h"

#include <algorithm>
#include <cmath>

namespace taxel::mujoco {

bool SavedState::Append(int key, const AnchorState& state) {
  const int i = count();
  if (i >= capacity()) return false;
  mjtNum* s = slot(i);
  s[0] = key, s[1] = state.partner, s[2] = state.normal_force, s[3] = state.elastic_force;
  s[4] = state.stretch_O.x, s[5] = state.stretch_O.y, s[6] = state.stretch_O.z;
  data_[1] = i + 1;
  return true;
}

int SavedState::Read(int i, AnchorState* state) const {
  constexpr double kMost = 1e15;  // N and m: no contact has more
  const mjtNum* s = slot(i);
  const auto within = [](mjtNum x, double low, double high) { return x >= low && x <= high; };  // no for NaN
  bool good = within(s[0], 0, 1e9) && within(s[1], 0, 1e9);
  for (int k = 2; k < kPerAnchor; ++k) good = good && within(s[k], -kMost, kMost);
  if (!good) return -1;
  state->partner = s[1], state->normal_force = s[2], state->elastic_force = s[3];
  state->stretch_O = {s[4], s[5], s[6]};
  return static_cast<int>(s[0]);
}

bool SavedState::Append(const PairState& pair) {
  const int i = count();
  if (i >= capacity()) return false;
  mjtNum* s = slot(i);
  s[0] = -1 - pair.geom1, s[1] = pair.geom2, s[2] = pair.budget;
  data_[1] = i + 1;
  return true;
}

bool SavedState::Read(int i, PairState* pair) const {
  const mjtNum* s = slot(i);
  if (!(s[0] < 0 && s[0] >= -1e9 && s[1] >= 0 && s[1] <= 1e9 && std::fabs(s[2]) <= 1e15)) return false;
  *pair = {-1 - static_cast<int>(s[0]), static_cast<int>(s[1]), s[2]};
  return true;
}

bool SavedState::MetricKnown() const {
  return std::all_of(data_ + 2, data_ + 2 + nv_, [](mjtNum x) { return std::fabs(x) <= 1e30; });
}

}  // namespace taxel::mujoco
