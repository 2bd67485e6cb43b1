#include "taxel/shape/tet_edit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "taxel/math/interrupt.h"

namespace taxel::internal {

double TetQuality(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double sum = norm2(b - a) + norm2(c - a) + norm2(d - a) + norm2(c - b) + norm2(d - b) + norm2(d - c);
  if (!(sum > 0)) return 0;
  const double rms = std::sqrt(sum / 6);
  return M_SQRT2 * Volume6(a, b, c, d) / (rms * rms * rms);
}

TetEditor::TetEditor(TetMesh mesh) : mesh_(std::move(mesh)), star_(mesh_.vertices.size()) {
  for (int t = 0; t < num_tets(); ++t) {
    if (t % 4096 == 0) CheckInterrupt();
    for (int v : mesh_.tets[t]) star_[v].push_back(t);
  }
}

void TetEditor::TetsAround(int a, int b, std::vector<int>* tets) const {
  tets->clear();
  const bool swap = star_[a].size() > star_[b].size();
  const int from = swap ? b : a, other = swap ? a : b;
  for (int t : star_[from]) {
    const auto& v = mesh_.tets[t];
    if (v[0] == other || v[1] == other || v[2] == other || v[3] == other) tets->push_back(t);
  }
}

bool TetEditor::IsBoundaryEdge(int a, int b, const std::vector<int>& around) const {
  // Each tetrahedron shows the two vertices opposite the edge; round a closed ring every one of them shows up
  // twice.
  for (int t : around)
    for (int v : mesh_.tets[t]) {
      if (v == a || v == b) continue;
      int uses = 0;
      for (int s : around) {
        const auto& w = mesh_.tets[s];
        uses += w[0] == v || w[1] == v || w[2] == v || w[3] == v;
      }
      if (uses == 1) return true;
    }
  return false;
}

double TetEditor::Quality(int tet) const {
  return TetQuality(mesh_.corner(tet, 0), mesh_.corner(tet, 1), mesh_.corner(tet, 2), mesh_.corner(tet, 3));
}

double TetEditor::WorstQualityAt(int v, const Vec3& p) const {
  double worst = 1;
  for (int t : star_[v]) {
    Vec3 c[4];
    for (int k = 0; k < 4; ++k) c[k] = mesh_.tets[t][k] == v ? p : mesh_.corner(t, k);
    worst = std::min(worst, TetQuality(c[0], c[1], c[2], c[3]));
  }
  return worst;
}

bool TetEditor::TryMove(int v, const Vec3& target, double floor) {
  const double now = WorstQualityAt(v, mesh_.vertices[v]);
  const double then = WorstQualityAt(v, target);
  if (then <= 0 || then < std::min(floor, now)) return false;
  mesh_.vertices[v] = target;
  return true;
}

double TetEditor::WorstSplitQuality(int a, int b, const Vec3& p, const std::vector<int>& around) const {
  double worst = 1;
  for (int t : around)
    for (int end : {a, b}) {
      Vec3 c[4];
      for (int k = 0; k < 4; ++k) c[k] = mesh_.tets[t][k] == end ? p : mesh_.corner(t, k);
      worst = std::min(worst, TetQuality(c[0], c[1], c[2], c[3]));
    }
  return worst;
}

int TetEditor::SplitEdge(int a, int b, const Vec3& p) {
  std::vector<int> around;
  TetsAround(a, b, &around);
  const int m = num_vertices();
  mesh_.vertices.push_back(p);
  star_.emplace_back();
  for (int t : around) {
    // The old element keeps b, the new one keeps a.
    std::array<int, 4> half = mesh_.tets[t];
    std::replace(half.begin(), half.end(), b, m);
    std::replace(mesh_.tets[t].begin(), mesh_.tets[t].end(), a, m);
    const int fresh = num_tets();
    mesh_.tets.push_back(half);
    for (int v : half) star_[v].push_back(fresh);
    star_[m].push_back(t);
    auto& at_a = star_[a];
    at_a.erase(std::find(at_a.begin(), at_a.end(), t));
  }
  return m;
}

std::vector<char> TetEditor::BoundaryVertices() const {
  std::vector<char> flag(mesh_.vertices.size(), 0);
  for (const auto& f : BoundarySurface(mesh_).triangles)
    for (int v : f) flag[v] = 1;
  return flag;
}

}  // namespace taxel::internal
