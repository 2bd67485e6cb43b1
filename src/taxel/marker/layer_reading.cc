// What a LayerField says of its tractions.
#include <cmath>

#include "taxel/marker/layer_field.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void LayerField::Read(const LayerState& state, LayerReading* reading) {
  const LayerCells& c = cells();
  const std::vector<LayerLevel>& levels = *levels_;
  const std::size_t count = c.marker.size(), room = Index(levels[0].marker_room());
  // Two rows each: of pressure, of friction.
  marker_sums_.assign(4 * room, 0.0f);
  const int wide = static_cast<int>(room);
  for (std::size_t i = 0; i < state.index.size(); ++i) {
    const Vec3& t = state.traction[i];
    for (std::size_t l = 0; l < 2; ++l) {
      const std::size_t level = level_ + l;
      const double w = levels.size() == 1 ? (l == 0 ? 1 : 0) : (l == 0 ? 1 - share_ : share_);
      if (w == 0) continue;
      const float* row = levels[level].to_markers(state.index[i]);
      const auto a = static_cast<float>(w * t.x), b = static_cast<float>(w * t.y),
                 z = static_cast<float>(w * t.z);
      float *px = marker_sums_.data(), *py = px + room, *tx = py + room, *ty = tx + room;
      AddScaled(row + 3 * room, z, wide, px);
      AddScaled(row + 4 * room, z, wide, py);
      AddScaled(row, a, wide, tx);
      AddScaled(row + room, b, wide, tx);
      AddScaled(row + room, a, wide, ty);
      AddScaled(row + 2 * room, b, wide, ty);
    }
  }
  reading->displacement.resize(count);
  reading->dilation.resize(count);
  const double per = 1 / parameters_.pixel;
  for (std::size_t m = 0; m < count; ++m) {
    const LayerPlace& at = c.marker[m];
    const double px = marker_sums_[m], py = marker_sums_[room + m], tx = marker_sums_[2 * room + m],
                 ty = marker_sums_[3 * room + m];
    reading->dilation[m] = per * (px * at.e1 + py * at.e2);
    reading->displacement[m] = per * ((px + tx) * at.e1 + (py + ty) * at.e2);
  }
  const double modulus = Modulus();
  reading->points_P.clear();
  reading->point_forces_P.clear();
  reading->force_P = reading->torque_P = {};
  for (std::size_t i = 0; i < state.index.size(); ++i) {
    const LayerPlace& at = c.place[Index(state.index[i])];
    const Vec3& t = state.traction[i];
    const Vec3 force = modulus * c.area(state.index[i]) * (t.x * at.e1 + t.y * at.e2 + t.z * at.g);
    // Where the object is: the gel has come down to it.
    const Vec3 touch = at.p + static_cast<double>(height_[Index(state.index[i])]) * at.g;
    reading->points_P.push_back(touch);
    reading->point_forces_P.push_back(force);
    reading->force_P += force;
    reading->torque_P += cross(touch, force);
  }
  reading->marker_forces_P.clear();
  if (marker_forces_) ShareForces(reading);
}

void LayerField::ShareForces(LayerReading* reading) {
  const std::vector<Vec3>& markers = markers_P();
  const double lambda = scene_->force_lambda;
  reading->marker_forces_P.assign(markers.size(), Vec3{});
  for (std::size_t i = 0; i < reading->points_P.size(); ++i) {
    const Vec3 &at = reading->points_P[i], &force = reading->point_forces_P[i];
    double nearest = norm2(markers[0] - at), sum = 0;
    for (const Vec3& p : markers) nearest = std::min(nearest, norm2(p - at));
    for (const Vec3& p : markers) sum += std::exp(-lambda * (norm2(p - at) - nearest));
    for (std::size_t m = 0; m < markers.size(); ++m)
      reading->marker_forces_P[m] += (std::exp(-lambda * (norm2(markers[m] - at) - nearest)) / sum) * force;
  }
}

void LayerField::Pressure(std::vector<double>* out) const {
  out->assign(Index(cells().count()), 0.0);
  for (std::size_t i = 0; i < shown_.index.size(); ++i)
    (*out)[Index(shown_.index[i])] = -Modulus() * shown_.traction[i].z;
}

void LayerField::Surface(const std::vector<Vec3>& places_P, std::vector<Vec3>* out) const {
  const LayerCells& c = cells();
  const std::vector<LayerLevel>& levels = *levels_;
  for (std::size_t m = 0; m < places_P.size(); ++m)
    if (!is_finite(places_P[m]))
      throw Error("marker field: place " + std::to_string(m) +
                  " of the surface is not finite; give numbers in m");
  out->assign(places_P.size(), Vec3{});
  for (std::size_t m = 0; m < places_P.size(); ++m) {
    const Vec3& p = places_P[m];
    Vec3 u;
    for (std::size_t i = 0; i < shown_.index.size(); ++i) {
      const Vec3 &q = c.place[Index(shown_.index[i])].p, &t = shown_.traction[i];
      for (std::size_t l = 0; l < 2; ++l) {
        const double w = levels.size() == 1 ? (l == 0 ? 1 : 0) : (l == 0 ? 1 - share_ : share_);
        if (w == 0) continue;
        const LayerBlock<double> b = levels[level_ + l].influence().Square(p.x - q.x, p.y - q.y, c.pitch);
        u += w * Vec3{b.xx * t.x + b.xy * t.y + b.xz * t.z, b.xy * t.x + b.yy * t.y + b.yz * t.z,
                      -b.xz * t.x - b.yz * t.y + b.zz * t.z};
      }
    }
    const LayerPlace at = MakePlace(p, scene_->pad.Normal(p));
    (*out)[m] = u.x * at.e1 + u.y * at.e2 + u.z * at.g;
  }
}

}  // namespace taxel
