#include "taxel/skin/ray_lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taxel {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
// In lattice steps: neighbouring faces may differ in the last bits of the vertices they share, and a ray
// between them must not slip through.
constexpr double kOverlap = 1e-9;

int Clamp(double x, int lo, int hi) { return static_cast<int>(std::clamp(x, double(lo), double(hi))); }

}  // namespace

void RayLattice::Cast(const PlaneGrid& g, const PressedFaces& faces, double reach) {
  r0 = r1 = c0 = c1 = 0;
  if (faces.count() == 0) return;
  const Mat3& R = g.X_GF.R;
  const Vec3 eu = R.col(0), ev = R.col(1), en = R.col(2);
  const double inv_u = 1 / g.du, inv_v = 1 / g.dv;
  // In steps: lattice point (r, c) is at (c, r).
  const double shift_u = (-g.u0 - dot(eu, g.X_GF.p)) * inv_u - 0.5,
               shift_v = (-g.v0 - dot(ev, g.X_GF.p)) * inv_v - 0.5, shift_n = -dot(en, g.X_GF.p);
  const auto U = [&](const Vec3& p) { return dot(eu, p) * inv_u + shift_u; };
  const auto V = [&](const Vec3& p) { return dot(ev, p) * inv_v + shift_v; };

  double ulo = kInf, uhi = -kInf, vlo = kInf, vhi = -kInf;
  for (const Vec3& p : faces.vertices) {
    const double u = U(p), v = V(p);
    ulo = std::min(ulo, u), uhi = std::max(uhi, u), vlo = std::min(vlo, v), vhi = std::max(vhi, v);
  }
  r0 = Clamp(std::ceil(vlo - kOverlap), 0, g.rows), r1 = Clamp(std::floor(vhi + kOverlap) + 1, r0, g.rows);
  c0 = Clamp(std::ceil(ulo - kOverlap), 0, g.cols), c1 = Clamp(std::floor(uhi + kOverlap) + 1, c0, g.cols);
  const std::size_t size = static_cast<std::size_t>(r1 - r0) * (c1 - c0);
  if (size == 0) {
    r1 = r0, c1 = c0;
    return;
  }
  pressure_.assign(size, 0.0);
  height_.assign(size, reach > 0 ? -reach : -kInf);
  face_.assign(size, -1);
  lo_.resize(r1 - r0), hi_.resize(r1 - r0);

  double u[64], v[64];
  for (int f = 0; f < faces.count(); ++f) {
    const Vec3 n = {dot(eu, faces.inward[f]), dot(ev, faces.inward[f]), dot(en, faces.inward[f])};
    if (!(n.z < -1e-9)) continue;  // seen from behind or edge-on
    const int first = faces.start[f], count = std::min(faces.start[f + 1] - first, 64);
    double top = -kInf, bottom = kInf, least = kInf, most = -kInf, mean = 0;
    Vec3 center, gradient, area;
    for (int i = 0; i < count; ++i) {
      const Vec3& p = faces.vertices[first + i];
      u[i] = U(p), v[i] = V(p);
      bottom = std::min(bottom, v[i]), top = std::max(top, v[i]);
      least = std::min(least, faces.pressures[first + i]), most = std::max(most, faces.pressures[first + i]);
      center += p / count;
      mean += faces.pressures[first + i] / count;
    }
    const int j0 = Clamp(std::ceil(bottom - kOverlap), r0, r1),
              j1 = Clamp(std::floor(top + kOverlap) + 1, j0, r1);
    if (j0 == j1) continue;
    // Pressure as a linear function on the face, by Gauss: gradient = (1/A) x boundary integral of p times
    // the edge's outward normal.
    const Vec3& normal = faces.inward[f];
    for (int i = 0; i < count; ++i) {
      const int k = i + 1 == count ? 0 : i + 1;
      const Vec3 a = faces.vertices[first + i] - center, b = faces.vertices[first + k] - center;
      area += 0.5 * cross(a, b);
      gradient += (0.5 * (faces.pressures[first + i] + faces.pressures[first + k]) - mean) * (b - a);
    }
    const double signed_area = dot(area, normal);
    const Vec3 slope = signed_area != 0 ? cross(gradient, normal) / signed_area : Vec3{};
    // Heights and pressures along a row, in steps: x = center + du eu + dv ev + dw en on the plane of the
    // face.
    const double wu = -n.x / n.z, wv = -n.y / n.z;
    const double pu = (dot(slope, eu) + wu * dot(slope, en)) * g.du,
                 pv = (dot(slope, ev) + wv * dot(slope, en)) * g.dv;
    const double hu = wu * g.du, hv = wv * g.dv;
    const double cu = U(center), cv = V(center), cw = dot(en, center) + shift_n;

    std::fill(lo_.begin() + (j0 - r0), lo_.begin() + (j1 - r0), kInf);
    std::fill(hi_.begin() + (j0 - r0), hi_.begin() + (j1 - r0), -kInf);
    for (int i = 0; i < count; ++i) {
      int a = i, b = i + 1 == count ? 0 : i + 1;
      if (v[a] > v[b] || (v[a] == v[b] && u[a] > u[b])) std::swap(a, b);
      const int e0 = std::max(j0, static_cast<int>(std::ceil(std::max(v[a] - kOverlap, double(j0))))),
                e1 = std::min(j1, static_cast<int>(std::floor(std::min(v[b] + kOverlap, double(j1)))) + 1);
      if (v[b] - v[a] < kOverlap) {
        for (int j = e0; j < e1; ++j) {
          lo_[j - r0] = std::min({lo_[j - r0], u[a], u[b]});
          hi_[j - r0] = std::max({hi_[j - r0], u[a], u[b]});
        }
        continue;
      }
      const double run = (u[b] - u[a]) / (v[b] - v[a]);
      const double left = std::min(u[a], u[b]), right = std::max(u[a], u[b]);
      for (int j = e0; j < e1; ++j) {
        const double x = std::min(std::max(u[a] + (j - v[a]) * run, left), right);
        lo_[j - r0] = std::min(lo_[j - r0], x);
        hi_[j - r0] = std::max(hi_[j - r0], x);
      }
    }
    for (int j = j0; j < j1; ++j) {
      const int i0 = Clamp(std::ceil(lo_[j - r0] - kOverlap), c0, c1),
                i1 = Clamp(std::floor(hi_[j - r0] + kOverlap) + 1, i0, c1);
      if (i0 >= i1) continue;
      const std::size_t at = index(j, i0);
      double* height = height_.data() + at;
      double* pressure = pressure_.data() + at;
      int* face = face_.data() + at;
      const double h0 = cw + hv * (j - cv) + hu * (i0 - cu), p0 = mean + pv * (j - cv) + pu * (i0 - cu);
      const int m = i1 - i0;
      for (int i = 0; i < m; ++i) {
        const double h = h0 + hu * i;
        double p = p0 + pu * i;
        p = p < least ? least : p;
        p = p > most ? most : p;
        const bool nearer = h > height[i];
        height[i] = nearer ? h : height[i];
        pressure[i] = nearer ? p : pressure[i];
        face[i] = nearer ? f : face[i];
      }
    }
  }
}

}  // namespace taxel
