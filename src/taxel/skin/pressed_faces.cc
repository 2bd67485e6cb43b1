#include "taxel/skin/pressed_faces.h"

#include <algorithm>

#include "taxel/contact/edge_on.h"
#include "taxel/contact/normal_law.h"

namespace taxel {
using namespace internal;

void PressedFaces::Set(const ContactSurface& surface, bool skin_is_A, const Pose& X_WG, bool walls) {
  const std::size_t n = surface.vertices.size();
  vertices.resize(n);
  box = {};
  for (std::size_t i = 0; i < n; ++i) {
    vertices[i] = TransposeMul(X_WG.R, surface.vertices[i] - X_WG.p);
    box.Include(vertices[i]);
  }
  pressures.assign(surface.pressures.begin(), surface.pressures.end());
  start.assign(surface.face_start.begin(), surface.face_start.end());
  if (start.empty()) start.push_back(0);
  inward.resize(surface.normals.size());
  // The normal points out of B into A.
  const double sign = skin_is_A ? 1 : -1;
  grip.assign(inward.size(), 1.0);
  left_out = {};
  Vec3 mean;
  for (std::size_t f = 0; f < inward.size(); ++f) {
    inward[f] = sign * TransposeMul(X_WG.R, surface.normals[f]);
    if (walls) continue;
    const double along = SeriesGradient(surface.gradients_A[f], surface.gradients_B[f]);
    grip[f] = EdgeOnWeight(along, norm(PressureGradientWithin(surface, static_cast<int>(f))));
    mean += (grip[f] * surface.areas[f] * surface.face_pressures[f]) * inward[f];
  }
  if (walls) return;
  // As in contact/patch.cc: what looks the way the whole contact does is no wall.
  mean = normalized(mean);
  for (std::size_t f = 0; f < inward.size(); ++f) {
    grip[f] = std::max(grip[f], SmoothStep((dot(inward[f], mean) - 0.2) / 0.3));
    if (grip[f] == 1) continue;
    corners_.clear();
    for (int i = start[f]; i < start[f + 1]; ++i) corners_.push_back({vertices[i], pressures[i]});
    AddPolygon(corners_.data(), static_cast<int>(corners_.size()), inward[f], 1 - grip[f], &left_out);
  }
}

}  // namespace taxel
