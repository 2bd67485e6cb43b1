#include "taxel/marker/layer_arrays.h"

#include <algorithm>

#include "taxel/marker/layer_spectrum.h"

namespace taxel::internal {

LayerNumbers ToLayerNumbers(const LayerParameters& p) {
  return {static_cast<float>(p.friction), static_cast<float>(p.young / (2 * (1 + p.poisson))),
          static_cast<float>(1 / p.pixel)};
}

LayerArrays::LayerArrays(const LayerField& field, const std::string& what) : field_(field) {
  const LayerCells& c = field_.cells();
  const std::vector<LayerLevel>& levels = field_.levels();
  LayerScene& s = scene_;
  s.nx = c.nx, s.ny = c.ny, s.chunks_y = (c.ny + kLayerChunk - 1) / kLayerChunk;
  s.pitch = c.pitch, s.x0 = c.x0, s.y0 = c.y0, s.flat = c.flat;
  s.top = c.place[0].p.z;
  s.highest = field_.pad().box().hi.z;
  s.thickness = field_.thickness(), s.poisson = field_.parameters().poisson;
  s.step = field_.options().step, s.substeps = field_.options().substeps;
  s.force_lambda = field_.force_lambda();
  s.markers = static_cast<int>(c.marker.size()), s.marker_room = levels[0].marker_room();
  s.levels = static_cast<int>(levels.size());
  s.stride = 2 * s.across();
  s.table_size = (2 * s.nx - 1) * s.stride;
  s.most_chunks = std::min(s.chunks(), kMostChunks);

  for (std::size_t k = 0; k < field_.objects(); ++k)
    objects_.push_back(ToLayerObject(field_.object(k).distance(), what + ": object " + std::to_string(k)));
  s.objects = static_cast<int>(objects_.size());

  const std::size_t size = static_cast<std::size_t>(s.table_size), row = static_cast<std::size_t>(s.stride),
                    wide = static_cast<std::size_t>(2 * s.ny - 1);
  tables_.resize(levels.size() * 6 * size / 4);
  float* to = tables_[0].v;
  for (const LayerLevel& level : levels) {
    thickness_.push_back(level.thickness());
    const std::size_t component = level.tables().size() / 6;
    for (std::size_t k = 0; k < 6; ++k, to += size)
      for (std::size_t i = 0; i < static_cast<std::size_t>(2 * s.nx - 1); ++i)
        std::copy_n(level.tables().data() + k * component + i * wide, wide,
                    to + i * row + static_cast<std::size_t>(s.across() - (s.ny - 1)));
    const std::vector<float> spectrum = LayerSpectrum(c, level);
    spectra_.insert(spectra_.end(), spectrum.begin(), spectrum.end());
    const float* rows = level.to_markers(0);
    to_markers_.insert(
        to_markers_.end(), rows,
        rows + static_cast<std::size_t>(c.count()) * 6 * static_cast<std::size_t>(s.marker_room));
  }
  s.place = c.place.data(), s.valid = c.valid.data(), s.marker = c.marker.data();
  s.object = objects_.data(), s.level_thickness = thickness_.data();
  turns_ = FourierTurns();
  s.spectra = spectra_.data(), s.turns = turns_.data();
  s.tables = tables_[0].v, s.to_markers = to_markers_.data();
}

}  // namespace taxel::internal
