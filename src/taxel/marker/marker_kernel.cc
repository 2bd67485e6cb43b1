#include "taxel/marker/marker_kernel.h"

#include "taxel/math/lane_exp.h"

namespace taxel {
using namespace internal;
MarkerKernel::MarkerKernel(MarkerMode mode, const std::vector<Vec3>& markers, double lambda_dilation,
                           double lambda_shear)
    : planar_(mode == MarkerMode::kPaper),
      n_(static_cast<int>(markers.size())),
      lambda_d_(lambda_dilation),
      lambda_s_(lambda_shear) {
  const std::size_t padded = (markers.size() + 3) / 4 * 4;
  for (std::size_t i = 0; i < padded; ++i) {
    const Vec3& p = markers[i < markers.size() ? i : markers.size() - 1];
    x_.push_back(p.x);
    y_.push_back(p.y);
    z_.push_back(planar_ ? 0 : p.z);
  }
  if (n_ > kTableMarkers) return;
  table_.resize(markers.size() * padded);
  for (std::size_t j = 0; j < markers.size(); ++j)
    for (std::size_t i = 0; i < padded; i += 4) {
      const Lanes dx = LoadLanes(&x_[i]) - x_[j], dy = LoadLanes(&y_[i]) - y_[j],
                  dz = LoadLanes(&z_[i]) - z_[j];
      StoreLanes(ExpLanes(-lambda_d_ * (dx * dx + dy * dy + dz * dz)), &table_[j * padded + i]);
    }
}

void MarkerKernel::Dilation(const std::vector<PressedMarker>& pressed, double scale, Vec3* out) const {
  const std::size_t padded = x_.size();
  for (std::size_t i = 0; i < padded; i += 4) {
    const Lanes px = LoadLanes(&x_[i]), py = LoadLanes(&y_[i]), pz = LoadLanes(&z_[i]);
    Lanes sx = AllLanes(0), sy = sx, sz = sx;
    for (const PressedMarker& m : pressed) {
      const Lanes dx = px - x_[m.index], dy = py - y_[m.index], dz = pz - z_[m.index];
      const Lanes g = table_.empty() ? ExpLanes(-lambda_d_ * (dx * dx + dy * dy + dz * dz))
                                     : LoadLanes(&table_[m.index * padded + i]);
      const Lanes weight = m.depth * g;
      sx += weight * dx, sy += weight * dy, sz += weight * dz;
    }
    for (int k = 0; k < 4 && static_cast<int>(i) + k < n_; ++k)
      out[i + k] = {scale * sx[k], scale * sy[k], scale * sz[k]};
  }
}

void MarkerKernel::Shear(const std::vector<ShearSource>& sources, double scale, Vec3* out) const {
  for (std::size_t i = 0; i < x_.size(); i += 4) {
    const Lanes px = LoadLanes(&x_[i]), py = LoadLanes(&y_[i]), pz = LoadLanes(&z_[i]);
    Lanes sx = AllLanes(0), sy = sx, sz = sx;
    for (const ShearSource& s : sources) {
      const Lanes dx = px - s.centre.x, dy = py - s.centre.y;
      Lanes distance2 = dx * dx + dy * dy;
      if (!planar_) {
        const Lanes dz = pz - s.centre.z;
        distance2 += dz * dz;
      }
      const Lanes g = ExpLanes(-lambda_s_ * distance2);
      sx += s.pull.x * g, sy += s.pull.y * g, sz += s.pull.z * g;
    }
    for (int k = 0; k < 4 && static_cast<int>(i) + k < n_; ++k)
      out[i + k] = {scale * sx[k], scale * sy[k], scale * sz[k]};
  }
}

}  // namespace taxel
