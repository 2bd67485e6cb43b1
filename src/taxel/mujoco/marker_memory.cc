#include "taxel/mujoco/marker_memory.h"

#include <algorithm>
#include <cmath>

#include "taxel/marker/check_pose.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

// A number as somebody may have left it in the state.
int Within(mjtNum count, int most) {
  return count >= 0 ? static_cast<int>(std::min<mjtNum>(count, most)) : 0;
}

}  // namespace

int MarkerMemory::Size(const mjModel* m, const MarkerSettings& settings) {
  return MarkerMemory(settings, MarkerObjectRoom(m, settings)).size();
}

int MarkerMemory::Used(const mjtNum* data) const {
  int points = 0;
  for (int k = 0; k < objects_; ++k) points += Within(data[object(k) + 13], room_ - points);
  return point(points);
}

bool MarkerMemory::Sane(const mjtNum* data, const std::vector<int>& points) const {
  const auto flag = [](mjtNum x) { return x == 0 || x == 1; };
  if (!flag(data[0])) return false;
  for (int i = 1; i < object(0); ++i)
    if (!std::isfinite(data[i])) return false;
  int first = 0;
  for (int k = 0; k < objects_; ++k) {
    const mjtNum* o = data + object(k);
    const mjtNum count = o[13];
    if (!flag(o[0]) || !(count >= 0 && count <= room_ - first) || (o[0] == 0 && count > 0)) return false;
    if (o[0] == 0) continue;
    Pose X;
    std::copy(o + 1, o + 10, X.R.m);
    X.p = {o[10], o[11], o[12]};
    if (!IsMarkerPose(X)) return false;
    mjtNum before = -1;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      const mjtNum* s = data + point(first + i);
      const int most = k < static_cast<int>(points.size()) ? points[k] : 0;
      if (!(s[0] > before && s[0] < most && std::isfinite(s[1] + s[2] + s[3]) && s[4] < 0)) return false;
      before = s[0];
    }
    first += static_cast<int>(count);
  }
  return true;
}

void MarkerMemory::Read(const mjtNum* data, int k, int* first, MarkerState* state) const {
  const mjtNum* o = data + object(k);
  state->index.clear(), state->f_P.clear(), state->phi.clear();
  state->started = o[0] != 0;
  state->X_PI = {};
  if (!state->started) return;
  std::copy(o + 1, o + 10, state->X_PI.R.m);
  state->X_PI.p = {o[10], o[11], o[12]};
  const int count = Within(o[13], room_ - *first);
  for (int i = 0; i < count; ++i) {
    const mjtNum* s = data + point(*first + i);
    state->index.push_back(Within(s[0], 1 << 30));
    state->f_P.push_back({s[1], s[2], s[3]});
    state->phi.push_back(s[4]);
  }
  *first += count;
}

void MarkerMemory::Begin(mjtNum* data, mjtNum time, const std::vector<mjtNum>& reading,
                         const std::vector<Vec3>& late) const {
  mju_zero(data, Used(data));
  data[0] = 1;
  data[1] = time;
  std::copy_n(reading.begin(), reading_, data + 2);
  for (int i = 0; i < late_; ++i) data[2 + reading_ + i] = late[i / 3][i % 3];
}

bool MarkerMemory::Append(mjtNum* data, int k, int* first, const MarkerState& state) const {
  mjtNum* o = data + object(k);
  o[0] = state.started;
  std::copy(state.X_PI.R.m, state.X_PI.R.m + 9, o + 1);
  for (int c = 0; c < 3; ++c) o[10 + c] = state.X_PI.p[c];
  const int all = static_cast<int>(state.index.size()), count = std::min(all, room_ - *first);
  o[13] = count;
  for (int i = 0; i < count; ++i) {
    mjtNum* s = data + point(*first + i);
    s[0] = state.index[i];
    s[1] = state.f_P[i].x, s[2] = state.f_P[i].y, s[3] = state.f_P[i].z;
    s[4] = state.phi[i];
  }
  *first += count;
  return count == all;
}

}  // namespace taxel::mujoco
