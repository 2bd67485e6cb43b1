#include "taxel/marker/layer_lattice.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "taxel/marker/layer_interior.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel {
using namespace internal;
namespace {

constexpr int kMostCells = 65536;
constexpr double kLeastFacing = 0.5;

// Straight down onto the surface of a gel that is no box. False where there is none that faces up.
bool OntoSurface(const GelPad& pad, Vec3 p, LayerPlace* out) {
  const Box3& box = pad.box();
  p.z = box.hi.z;
  Triple<double> g;
  for (int round = 0; round < 100; ++round) {
    const double height = HeightAbove(pad.surface(), Triple<double>{p.x, p.y, p.z}, &g);
    if (std::fabs(height) < 1e-9) break;
    p.z -= height;
    if (p.z < box.lo.z) return false;
  }
  if (!(g.z > kLeastFacing)) return false;
  *out = MakePlace(p, {g.x, g.y, g.z});
  return true;
}

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

// Of markers only the motion along the surface is read, so that u_z of a tangential load has no place.
LayerBlock<double> AlongSurface(const InteriorBlock& b) { return {b.xx, b.xy, b.yy, b.xz, b.yz, b.zz}; }

}  // namespace

LayerPlace MakePlace(const Vec3& p, const Vec3& g) {
  LayerPlace out;
  out.p = p;
  out.g = g;
  out.e1 = normalized(Vec3{1, 0, 0} - g.x * g);
  out.e2 = cross(g, out.e1);
  return out;
}

LayerCells::LayerCells(const GelPad& pad, const std::vector<Vec3>& markers_P, double pitch_) : pitch(pitch_) {
  flat = pad.surface().flat;
  Box3 box = pad.box();
  if (flat && pad.surface().half_x > 1e3) {  // without end: where the markers are, and a little more
    Box3 around;
    for (const Vec3& p : markers_P) around.Include(p);
    const double beyond = 32 * pitch;
    box.lo.x = around.lo.x - beyond, box.lo.y = around.lo.y - beyond;
    box.hi.x = around.hi.x + beyond, box.hi.y = around.hi.y + beyond;
  }
  const double wide = (box.hi.x - box.lo.x) / pitch, high = (box.hi.y - box.lo.y) / pitch;
  if (!(wide * high <= kMostCells))
    throw Error("marker field: pitch is " + ToText(pitch) + " m, which makes " + ToText(wide) + " x " +
                ToText(high) + " cells of the gel; give a wider one (at most " + std::to_string(kMostCells) +
                " cells, some hundred of them in contact)");
  nx = std::max(1, static_cast<int>(wide + 1e-6));
  ny = std::max(1, static_cast<int>(high + 1e-6));
  x0 = 0.5 * (box.lo.x + box.hi.x) - 0.5 * (nx - 1) * pitch;
  y0 = 0.5 * (box.lo.y + box.hi.y) - 0.5 * (ny - 1) * pitch;
  place.resize(Index(count()));
  valid.assign(Index(count()), 1);
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) {
      const std::size_t k = Index(i * ny + j);
      const Vec3 p{x0 + i * pitch, y0 + j * pitch, flat ? pad.surface().top : 0.0};
      if (flat)
        place[k] = MakePlace(p, {0, 0, 1});
      else
        valid[k] = OntoSurface(pad, p, &place[k]);
    }
  for (const Vec3& p : markers_P) {
    if (flat)
      marker.push_back(MakePlace({p.x, p.y, pad.surface().top}, {0, 0, 1}));
    else
      marker.push_back(MakePlace(p, pad.Normal(p)));
  }
  double top = -Box3::kInf, bottom = Box3::kInf;
  for (std::size_t k = 0; k < place.size(); ++k)
    if (valid[k]) top = std::max(top, place[k].p.z), bottom = std::min(bottom, place[k].p.z);
  if (!(top >= bottom))
    throw Error(
        "marker field: nothing of the pad faces +z of its frame; mode 'layer' needs a gel whose surface "
        "faces z");
  for (std::size_t k = 0; k < place.size(); ++k)
    if (valid[k]) place[k].height = place[k].p.z - top;
  for (LayerPlace& m : marker) m.height = std::min(0.0, m.p.z - top);
  lowest = bottom - top;
}

LayerLevel::LayerLevel(const LayerCells& cells, double thickness, double poisson, double marker_depth)
    : thickness_(thickness), influence_(thickness, poisson) {
  const int rows = 2 * cells.nx - 1, wide = 2 * cells.ny - 1;
  const std::size_t size = (Index(rows) * Index(wide) + 8 + 7) / 8 * 8;
  tables_.assign(6 * size, 0.0f);
  const auto store = [&](std::size_t at, const LayerBlock<double>& b) {
    const double all[] = {b.xx, b.xy, b.yy, b.xz, b.yz, b.zz};
    for (std::size_t c = 0; c < 6; ++c) tables_[c * size + at] = static_cast<float>(all[c]);
  };
  for (int di = 0; di < cells.nx; ++di)
    for (int dj = 0; dj < cells.ny; ++dj) {
      const LayerBlock<double> b = influence_.Square(di * cells.pitch, dj * cells.pitch, cells.pitch);
      for (const int s : {-1, 1})
        for (const int t : {-1, 1}) {
          LayerBlock<double> turned = b;
          turned.xz *= s;
          turned.yz *= t;
          turned.xy *= s * t;
          store(Index((s * di + cells.nx - 1) * wide + t * dj + cells.ny - 1), turned);
        }
    }
  const int markers = static_cast<int>(cells.marker.size());
  marker_room_ = (markers + 7) / 8 * 8;
  std::optional<LayerInterior> below;
  if (marker_depth > 0) below.emplace(thickness, poisson, marker_depth);
  to_markers_.assign(Index(cells.count()) * 6 * Index(marker_room_), 0.0f);
  for (int k = 0; k < cells.count(); ++k) {
    if (!cells.valid[Index(k)]) continue;
    float* out = to_markers_.data() + Index(k) * 6 * Index(marker_room_);
    const Vec3& q = cells.place[Index(k)].p;
    for (int m = 0; m < markers; ++m) {
      const Vec3& p = cells.marker[Index(m)].p;
      const LayerBlock<double> b = below ? AlongSurface(below->Square(p.x - q.x, p.y - q.y, cells.pitch))
                                         : influence_.Square(p.x - q.x, p.y - q.y, cells.pitch);
      const double all[] = {b.xx, b.xy, b.yy, b.xz, b.yz, b.zz};
      for (int c = 0; c < 6; ++c) out[c * marker_room_ + m] = static_cast<float>(all[c]);
    }
    if (k % 64 == 0) CheckInterrupt();
  }
}

LayerTables LayerLevel::Split(const std::vector<float>& tables) {
  const std::size_t size = tables.size() / 6;
  const float* t = tables.data();
  return {t, t + size, t + 2 * size, t + 3 * size, t + 4 * size, t + 5 * size};
}

std::vector<LayerLevel> MakeLevels(const LayerCells& cells, double thickness, double poisson,
                                   double marker_depth) {
  const double least = thickness + cells.lowest;
  if (!(least > 0.1 * thickness))
    throw Error("marker field: thickness is " + ToText(thickness) +
                " m at the highest place of the gel, but its surface falls by " + ToText(-cells.lowest) +
                " m towards the rim; give the thickness of gel over its rigid back");
  if (!(cells.pitch <= 2 * least))
    throw Error("marker field: pitch is " + ToText(cells.pitch) + " m, wide against a gel of " +
                ToText(least) + " m; give cells of at most twice the thickness");
  if (!(marker_depth < least))
    throw Error("marker field: marker_depth is " + ToText(marker_depth) + " m, but the gel is " +
                ToText(least) + " m thick" + (least < thickness ? " at its rim" : "") +
                "; give how far the markers lie below its face, less than that (0: on the face)");
  std::vector<LayerLevel> out;
  // A flat face may be that of a mesh, or of distances: one level.
  const double range = std::log(thickness / least);
  const int count =
      cells.flat || range < 1e-4 ? 1 : 1 + std::max(1, static_cast<int>(std::ceil(range / 0.1)));
  for (int i = 0; i < count; ++i)
    out.emplace_back(cells, count == 1 ? thickness : least + (thickness - least) * i / (count - 1), poisson,
                     marker_depth);
  return out;
}

}  // namespace taxel
