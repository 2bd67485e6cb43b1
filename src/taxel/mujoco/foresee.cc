#include "taxel/mujoco/foresee.h"

#include <algorithm>
#include <cmath>

#include "taxel/mujoco/engine.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

constexpr double kPart = 0.5;     // of a layer, from pose to pose
constexpr int kMostPoses = 64;    // a body that leaps over 32 layers is not looked for in each of them
constexpr double kSafety = 1.25;  // what else may speed a body up within a step

// The farthest that a point of the smaller geom goes within a step.
double WayOf(const TouchContext& c, const Touch& touch) {
  const RelativeMotion& v = touch.motion;
  double way = HUGE_VAL;
  for (const int geom : {touch.geom1, touch.geom2}) {
    const double extent = c.scene->geoms()[geom].extent;
    if (std::isfinite(extent)) way = std::min(way, norm(v(GeomPose(c.d, geom).p)) + extent * norm(v.angular));
  }
  return std::isfinite(way) ? c.m->opt.timestep * way : 0.0;
}

}  // namespace

Pose PoseAfter(const Pose& X_WG, const RelativeMotion& v, double time) {
  const double speed = norm(v.angular);
  const Mat3 turn = speed > 0 ? RotationAbout(v.angular / speed, speed * time) : Mat3{};
  return {turn * X_WG.R, X_WG.p + time * v(X_WG.p)};
}

void Foresee(const TouchContext& c, double reach, Touch* touch, Touch* scratch) {
  const double way = kSafety * WayOf(c, *touch), layer = touch->model->LayerDepth(c, *touch);
  if (!(way > layer)) return;
  const Pose now = GeomPose(c.d, touch->geom2);
  const int poses = std::min(kMostPoses, static_cast<int>(std::ceil(way / (kPart * layer))));
  scratch->geom1 = touch->geom1, scratch->geom2 = touch->geom2, scratch->owner = touch->owner;
  scratch->model = touch->model;
  scratch->parameters = touch->parameters;
  scratch->motion = touch->motion;
  TouchContext there = c;
  there.moved_geom = touch->geom2;
  bool first = true;
  Patch axes;
  for (int k = 1; k <= poses; ++k) {
    there.moved = PoseAfter(now, touch->motion, kSafety * c.m->opt.timestep * k / poses);
    if (!touch->model->Find(there, scratch)) continue;
    touch->model->BuildPatch(there, scratch);
    touch->model->FindCore(there, reach, scratch);
    if (first) axes.axis_u = scratch->patch.axis_u, axes.axis_v = scratch->patch.axis_v;
    first = false;
    const Pose back = now * Inverse(there.moved);
    double least = HUGE_VAL;
    for (CoreTouch core : scratch->core) {
      least = std::min(least, core.gap);
      const Vec3 from = back * core.p_W;
      core.gap -= dot(core.n_W, core.p_W - from);
      core.p_W = from;
      touch->core.push_back(core);
    }
    if (least <= 0) break;
  }
  if (!first) KeepNearest(axes, &touch->core);
}

}  // namespace taxel::mujoco
