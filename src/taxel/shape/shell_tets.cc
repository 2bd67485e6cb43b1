#include "taxel/shape/shell_tets.h"

#include <algorithm>
#include <map>
#include <utility>

namespace taxel::internal {
namespace {

using Ring = std::vector<int>;

Ring WithoutRepeats(const std::array<int, 4>& corners) {
  Ring ring;
  for (int v : corners)
    if (ring.empty() || ring.back() != v) ring.push_back(v);
  while (ring.size() > 1 && ring.back() == ring.front()) ring.pop_back();
  return ring;
}

class Filler {
 public:
  Filler(const ShrinkingSurface& surface, int layers) : surface_(surface), layers_(layers) {}

  TetMesh Fill() {
    const int n = static_cast<int>(surface_.core_group.size());
    for (int l = 0; l < layers_; ++l)
      for (int v = 0; v < n; ++v)
        out_.vertices.push_back(surface_.position(v, static_cast<double>(l) / layers_));
    core_begin_ = static_cast<int>(out_.vertices.size());
    out_.vertices.resize(core_begin_ + 1 +
                         *std::max_element(surface_.core_group.begin(), surface_.core_group.end()));
    for (int v = n - 1; v >= 0; --v)
      out_.vertices[core_begin_ + surface_.core_group[v]] = surface_.position(v, 1);
    for (int q = 0; q < static_cast<int>(surface_.quads.size()); ++q)
      for (int l = 0; l < layers_; ++l) AddCell(q, l);
    return std::move(out_);
  }

 private:
  int Id(int v, int layer) const {
    return layer < layers_ ? layer * static_cast<int>(surface_.core_group.size()) + v
                           : core_begin_ + surface_.core_group[v];
  }

  void AddCell(int q, int l) {
    std::array<int, 4> outer, inner;
    for (int k = 0; k < 4; ++k) {
      outer[k] = Id(surface_.quads[q][k], l);
      inner[k] = Id(surface_.quads[q][k], l + 1);
    }
    const Ring inner_ring = WithoutRepeats(inner);
    int apex;
    if (inner_ring.size() == 1) {
      apex = inner_ring[0];
    } else {
      Ring corners(outer.begin(), outer.end());
      corners.insert(corners.end(), inner.begin(), inner.end());
      std::sort(corners.begin(), corners.end());
      corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
      apex = static_cast<int>(out_.vertices.size());
      out_.vertices.push_back(Mean(corners));
    }
    AddFace(apex, WithoutRepeats(outer), q, l);
    AddFace(apex, inner_ring, q, l + 1);
    for (int k = 0; k < 4; ++k) {
      const int m = (k + 1) % 4;
      AddFace(apex, WithoutRepeats({outer[m], outer[k], inner[k], inner[m]}), -1, l);
    }
  }

  Vec3 Mean(const Ring& ring) const {
    Vec3 sum;
    for (int v : ring) sum += out_.vertices[v];
    return sum / static_cast<double>(ring.size());
  }

  // `quad` < 0: a face between two shells.
  void AddFace(int apex, const Ring& ring, int quad, int layer) {
    if (ring.size() < 3 || std::find(ring.begin(), ring.end(), apex) != ring.end()) return;
    if (ring.size() == 3) {
      AddTet(ring[0], ring[1], ring[2], apex);
      return;
    }
    Ring key = ring;
    std::sort(key.begin(), key.end());
    const auto [it, fresh] = middle_.try_emplace(key, static_cast<int>(out_.vertices.size()));
    if (fresh) {
      const Vec3 mean = Mean(ring);
      const bool on_shell = quad >= 0 && layer < layers_;
      out_.vertices.push_back(on_shell ? surface_.middle(quad, mean, static_cast<double>(layer) / layers_)
                                       : mean);
    }
    for (std::size_t k = 0; k < ring.size(); ++k)
      AddTet(ring[k], ring[(k + 1) % ring.size()], it->second, apex);
  }

  void AddTet(int a, int b, int c, int d) {
    const auto& p = out_.vertices;
    if (Volume6(p[a], p[b], p[c], p[d]) < 0) std::swap(a, b);
    out_.tets.push_back({a, b, c, d});
  }

  const ShrinkingSurface& surface_;
  const int layers_;
  int core_begin_ = 0;
  std::map<Ring, int> middle_;
  TetMesh out_;
};

}  // namespace

TetMesh FillShells(const ShrinkingSurface& surface, int layers) { return Filler(surface, layers).Fill(); }

}  // namespace taxel::internal
