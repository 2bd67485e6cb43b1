// The gel of a LayerField as the plain arrays of a LayerScene.
#pragma once

#include <vector>

#include "taxel/marker/layer_field.h"
#include "taxel/marker/layer_scene.h"

namespace taxel::internal {

/// Owns what its scene points to, but for the lattices of objects, which lie in the field.
class LayerArrays {
 public:
  /// Most chunks of four cells that one gel works with; more than that are refused at run time.
  static constexpr int kMostChunks = 1024;

  /// Throws Error, opening with `what`, for an object that no kernel meets (layer_object.h).
  LayerArrays(const LayerField& field, const std::string& what);
  LayerArrays(const LayerArrays&) = delete;

  const LayerScene& scene() const { return scene_; }

 private:
  struct alignas(16) Quad {
    float v[4];
  };
  LayerScene scene_;
  std::vector<LayerObject> objects_;
  std::vector<double> thickness_;
  std::vector<Quad> tables_;
  std::vector<float> spectra_, turns_, to_markers_;
  LayerField field_;  // keeps cells and lattices
};

/// Numbers of one world for kernels.
LayerNumbers ToLayerNumbers(const LayerParameters& p);

}  // namespace taxel::internal
