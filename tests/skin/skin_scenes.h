// Presses, descriptions and sums that the tests of the read-out share.
#pragma once

#include <string>
#include <vector>

#include "../contact/scenes.h"
#include "taxel/contact/contact.h"
#include "taxel/skin/skin.h"

namespace taxel::test {

inline Description Describe(Description::Entries entries) { return {"skin 'test'", std::move(entries)}; }

/// Something pressed into the body of a skin. The surface is in the world, whatever the pose of the skin.
struct Press {
  Pose X_WG;
  bool skin_is_A = true;
  ContactSurface surface;

  Press(const Body& skin, const Body& object, const Pose& X_GO, const Pose& X = {}, bool is_A = true,
        const ContactOptions& options = {})
      : X_WG(X), skin_is_A(is_A) {
    surface = is_A ? ComputeContact(skin, X, object, X * X_GO, options)
                   : ComputeContact(object, X * X_GO, skin, X, options);
  }
  SkinLoad load() const {
    SkinLoad l;
    l.surface = &surface;
    l.skin_is_A = skin_is_A;
    return l;
  }
  /// Elastic force on the skin in its frame.
  Vec3 force_G() const { return (skin_is_A ? 1.0 : -1.0) * TransposeMul(X_WG.R, surface.wrench_on_A.force); }
  /// All faces alike, walls too, unless told.
  PressedFaces faces(bool walls = true) const {
    PressedFaces f;
    f.Set(surface, skin_is_A, X_WG, walls);
    return f;
  }
};

inline SkinReading Read(const Skin& skin, const std::vector<SkinLoad>& loads, const Pose& X_WG,
                        const SkinWants& wants = {true, true}) {
  SkinWorkspace workspace;
  SkinReading reading;
  skin.Read(loads.data(), static_cast<int>(loads.size()), X_WG, wants, &workspace, &reading);
  return reading;
}
inline SkinReading Read(const Skin& skin, const Press& press, const SkinWants& wants = {true, true}) {
  return Read(skin, {press.load()}, press.X_WG, wants);
}

/// The forces of the taxels turned back into the skin's frame and added up.
inline Vec3 SumOfForces(const Layout& layout, const SkinReading& reading) {
  Vec3 sum;
  for (int i = 0; i < layout.count(); ++i)
    sum += reading.forces[i].x * layout.axes[i] + reading.forces[i].y * layout.second_axis(i) -
           reading.forces[i].z * layout.normals[i];
  return sum;
}

inline double Sum(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += v;
  return sum;
}

/// All cells added up.
inline CellLoad SumOfCells(const CellLoads& cells) {
  CellLoad sum;
  for (int i : cells.active()) {
    sum.force += cells[i].force;
    sum.moment += cells[i].moment;
    sum.load += cells[i].load;
    sum.held += cells[i].held;
    sum.grip += cells[i].grip;
    sum.torque += cells[i].torque;
    sum.area += cells[i].area;
    sum.peak = std::max(sum.peak, cells[i].peak);
  }
  return sum;
}

/// A face of PressedFaces made by hand.
inline void AddFace(PressedFaces* faces, const std::vector<Vec3>& corners,
                    const std::vector<double>& pressures, const Vec3& inward) {
  for (std::size_t i = 0; i < corners.size(); ++i) {
    faces->vertices.push_back(corners[i]);
    faces->pressures.push_back(pressures[i]);
    faces->box.Include(corners[i]);
  }
  faces->start.push_back(static_cast<int>(faces->vertices.size()));
  faces->inward.push_back(normalized(inward));
  faces->grip.push_back(1);
}

/// Calls use(point, pressure, area, inward) for n^2 equal triangles of every triangle of the fan of a face:
/// an integral by the midpoint rule, which knows nothing of cutting.
template <class Use>
void ForEachSpeck(const PressedFaces& faces, int n, Use&& use) {
  for (int f = 0; f < faces.count(); ++f)
    for (int k = faces.start[f] + 2; k < faces.start[f + 1]; ++k) {
      const int ids[3] = {faces.start[f], k - 1, k};
      const Vec3 a = faces.vertices[ids[0]], ab = faces.vertices[ids[1]] - a, ac = faces.vertices[ids[2]] - a;
      const double area = 0.5 * norm(cross(ab, ac)) / (n * n);
      const double p = faces.pressures[ids[0]], pb = faces.pressures[ids[1]] - p,
                   pc = faces.pressures[ids[2]] - p;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n - i; ++j)
          for (int half = 0; half < (j + 1 < n - i ? 2 : 1); ++half) {
            const double u = (i + (half ? 2 : 1) / 3.0) / n, v = (j + (half ? 2 : 1) / 3.0) / n;
            use(a + u * ab + v * ac, p + u * pb + v * pc, area, faces.inward[f]);
          }
    }
}

}  // namespace taxel::test
