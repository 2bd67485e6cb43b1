// Heights of the objects over the cells of a gel of mode layer, by a team of lanes: LayerField::Meet.
#pragma once

#include "taxel/marker/layer_scratch.h"

namespace taxel::internal {

/// Rows and columns of cells.
struct LayerBounds {
  int i0 = 1 << 30, i1 = -1, j0 = 1 << 30, j1 = -1;
  TAXEL_HD void Include(int i, int j) {
    i0 = i < i0 ? i : i0, i1 = i > i1 ? i : i1;
    j0 = j < j0 ? j : j0, j1 = j > j1 ? j : j1;
  }
  TAXEL_HD void Join(const LayerBounds& o) {
    i0 = o.i0 < i0 ? o.i0 : i0, i1 = o.i1 > i1 ? o.i1 : i1;
    j0 = o.j0 < j0 ? o.j0 : j0, j1 = o.j1 > j1 ? o.j1 : j1;
  }
};

struct LayerBox {
  Box3 box;
  TAXEL_HD void Join(const LayerBox& o) { box.Include(o.box); }
};

/// Of an object over a place of the gel; X_IP: the pad in its frame.
TAXEL_HD inline double HeightOver(const LayerScene& s, const LayerObject& object, const Pose& X_IP,
                                  const LayerPlace& at) {
  return HeightAlong(object, X_IP * at.p, X_IP.R * at.g, -kLayerDeepest * (s.thickness + at.height));
}

TAXEL_HD inline void CutRange(double from, double to, double start, double pitch, int* first, int* last) {
  const auto within = [](double x) { return x < -1 ? -1.0 : (x > 1e6 ? 1e6 : x); };
  const int a = static_cast<int>(std::ceil(within((from - start) / pitch))),
            b = static_cast<int>(std::floor(within((to - start) / pitch)));
  *first = a > *first ? a : *first;
  *last = b < *last ? b : *last;
}

TAXEL_HD inline LayerRange RangeOf(const LayerScene& s, const LayerObject& object, const Pose& X) {
  LayerRange out{0, s.nx - 1, 0, s.ny - 1};
  if (object.endless) return out;
  const Vec3 middle = X * (0.5 * (object.box.lo + object.box.hi)), half = 0.5 * object.box.size();
  double reach[3];
  for (int k = 0; k < 3; ++k)
    reach[k] = std::fabs(X.R.m[3 * k]) * half.x + std::fabs(X.R.m[3 * k + 1]) * half.y +
               std::fabs(X.R.m[3 * k + 2]) * half.z;
  if (s.flat && object.kind == LayerObjectKind::kSphere) {
    // The cap of the ball below the highest place that a gel can bulge to.
    const double radius = object.sizes.x, rise = X.p.z - (s.top + kLayerBulge * kLayerDeepest * s.thickness);
    reach[0] = reach[1] = rise <= 0 ? radius : (rise < radius ? std::sqrt(radius * radius - rise * rise) : 0);
  }
  // Lines along a sloping normal may meet what lies beside the cell.
  const double slack = s.flat ? 0 : 2 * s.thickness;
  CutRange(middle.x - reach[0] - slack, middle.x + reach[0] + slack, s.x0, s.pitch, &out.i0, &out.i1);
  CutRange(middle.y - reach[1] - slack, middle.y + reach[1] + slack, s.y0, s.pitch, &out.j0, &out.j1);
  if (middle.z - reach[2] > s.highest + s.thickness) out.i1 = -1;
  return out;
}

/// Heights of all objects over the cells, infinite where none matters; the deepest overlap.
template <typename Team>
TAXEL_APART TAXEL_HD double MeetObjects(Team& team, const LayerScene& s, const LayerScratch& m,
                                        const Pose* X) {
  team.For(s.cells(), [&](int k) {
    m.height[k] = static_cast<float>(kNoSpan);
    m.owner[k] = 0;
    if (k >= s.objects) return;
    m.X_IP[k] = Inverse(X[k]);
    m.range[k] = RangeOf(s, s.object[k], X[k]);
  });
  LayerMost deepest;
  for (int o = 0; o < s.objects; ++o) {
    const LayerObject& object = s.object[o];
    const LayerRange r = m.range[o];
    const Pose X_IP = m.X_IP[o];
    const int rows = r.i1 - r.i0 + 1, columns = r.j1 - r.j0 + 1;
    deepest.Join(team.template Reduce<LayerMost>(
        rows > 0 && columns > 0 ? rows * columns : 0, [&](int cell, LayerMost* most) {
          const int row = cell / columns, k = (r.i0 + row) * s.ny + r.j0 + cell - row * columns;
          if (!s.is_cell(k)) return;
          const double h = HeightOver(s, object, X_IP, s.place_of(k));
          if (!(h < s.thickness)) return;
          most->Include(-h);
          if (!(h < m.height[k])) return;
          m.height[k] = static_cast<float>(h);
          m.owner[k] = static_cast<std::uint8_t>(o);
        }));
  }
  return deepest.value;
}

/// Boxes around the cells where each object overlaps the gel, of the last MeetObjects.
template <typename Team>
TAXEL_HD inline void BoxOverlaps(Team& team, const LayerScene& s, const LayerScratch& m) {
  for (int o = 0; o < s.objects; ++o) {
    const auto overlaps = [&](int k) { return m.height[k] < 0 && m.owner[k] == o; };
    LayerBox near;
    if (s.flat) {
      const LayerBounds bounds = team.template Reduce<LayerBounds>(s.cells(), [&](int k, LayerBounds* b) {
        if (overlaps(k)) b->Include(k / s.ny, k - k / s.ny * s.ny);
      });
      if (bounds.i1 >= 0) {
        near.box.Include(s.place_of(bounds.i0 * s.ny + bounds.j0).p);
        near.box.Include(s.place_of(bounds.i1 * s.ny + bounds.j1).p);
      }
    } else {
      near = team.template Reduce<LayerBox>(s.cells(), [&](int k, LayerBox* b) {
        if (overlaps(k)) b->box.Include(s.place_of(k).p);
      });
    }
    team.For(1, [&](int) { m.near[o] = near.box; });
  }
}

}  // namespace taxel::internal
