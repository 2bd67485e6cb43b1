#include "taxel/shape/watertight.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <tuple>

#include "taxel/math/error.h"

namespace taxel {

namespace {

/// One side of one triangle.
struct HalfEdge {
  int low, high, triangle;
  bool forward;  // from low to high
};

// To a hundredth of a millimetre and better, as a place to look at: vertices are often floats, whose every
// digit would fill the message.
std::string PointText(const Vec3& p) {
  char text[80];
  std::snprintf(text, sizeof text, "(%.5g, %.5g, %.5g)", p.x, p.y, p.z);
  return text;
}

std::string CountText(int count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

int Root(std::vector<int>* parent, int i) {
  while ((*parent)[i] != i) i = (*parent)[i] = (*parent)[(*parent)[i]];
  return i;
}

}  // namespace

bool WatertightReport::ok() const {
  return triangles > 0 && open_edges == 0 && overshared_edges == 0 && flipped_edges == 0;
}

std::string WatertightReport::Flaws(int places) const {
  if (triangles == 0) return "it has no triangle with an area";
  std::string flaws;
  const auto add = [&](int count, const std::string& one, const std::string& many) {
    if (count > 0) flaws += (flaws.empty() ? "" : ", ") + CountText(count, one, many);
  };
  add(open_edges, "open edge (the rim of a hole)", "open edges (the rims of holes)");
  add(overshared_edges, "edge shared by more than two triangles", "edges shared by more than two triangles");
  add(flipped_edges, "edge between triangles that face opposite sides",
      "edges between triangles that face opposite sides");
  if (degenerate_triangles > 0)
    flaws += "; " + CountText(degenerate_triangles, "triangle has", "triangles have") + " no area";
  std::string first;
  for (const auto& [a, b] : examples)
    if (places-- > 0) first += (first.empty() ? "" : "; ") + PointText(a) + " to " + PointText(b);
  return flaws + (first.empty() ? "" : ". The first (metres): " + first);
}

std::string WatertightReport::Describe(const std::string& name) const {
  const std::string who = "surface '" + name + "' ";
  if (ok())
    return who + "is watertight: " + CountText(triangles, "triangle", "triangles") + " in " +
           CountText(components, "closed piece", "closed pieces") +
           (degenerate_triangles == 0
                ? "."
                : "; " + CountText(degenerate_triangles, "triangle has", "triangles have") +
                      " no area, which does no harm.");
  const std::string flaws = who + "is not watertight: " + Flaws(static_cast<int>(examples.size())) + ". ";
  if (triangles == 0) return flaws + "Export the surface again.";
  return flaws +
         "Close the holes, merge duplicate vertices and make all triangles face outwards, or use 'taxel mesh "
         "IN OUT.vtk', which tolerates such flaws (with fTetWild: pip install wildmeshing).";
}

WatertightReport CheckWatertight(const TriangleMesh& mesh) {
  WatertightReport report;
  if (mesh.triangles.empty()) return report;
  CheckIndices(mesh, "surface");
  // A triangle that collapses uses its one edge in both directions, so dropping it changes no count.
  const TriangleMesh merged = MergeVertices(mesh);
  report.triangles = static_cast<int>(merged.triangles.size());
  report.degenerate_triangles = static_cast<int>(mesh.triangles.size() - merged.triangles.size());
  for (int t = 0; t < report.triangles; ++t)
    if (norm2(AreaNormal2(merged, t)) == 0) ++report.degenerate_triangles;

  std::vector<HalfEdge> edges;
  edges.reserve(3 * merged.triangles.size());
  for (int t = 0; t < report.triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = merged.triangles[t][k], b = merged.triangles[t][(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });

  std::vector<int> parent(merged.triangles.size());
  std::iota(parent.begin(), parent.end(), 0);
  constexpr std::size_t kMostExamples = 5;
  std::vector<std::pair<Vec3, Vec3>> open, overshared, flipped;
  const auto note = [&](const HalfEdge& e, int* count, std::vector<std::pair<Vec3, Vec3>>* places) {
    ++*count;
    if (places->size() < kMostExamples) places->emplace_back(merged.vertices[e.low], merged.vertices[e.high]);
  };
  for (std::size_t i = 0, j; i < edges.size(); i = j) {
    for (j = i + 1; j < edges.size() && edges[j].low == edges[i].low && edges[j].high == edges[i].high; ++j)
      parent[Root(&parent, edges[j].triangle)] = Root(&parent, edges[i].triangle);
    int way = 0;
    for (std::size_t k = i; k < j; ++k) way += edges[k].forward ? 1 : -1;
    report.uneven_edges += way != 0;
    if (j - i == 1) note(edges[i], &report.open_edges, &open);
    if (j - i > 2) note(edges[i], &report.overshared_edges, &overshared);
    if (j - i == 2 && edges[i].forward == edges[i + 1].forward)
      note(edges[i], &report.flipped_edges, &flipped);
  }
  for (int t = 0; t < report.triangles; ++t) report.components += Root(&parent, t) == t;
  for (const auto* places : {&open, &overshared, &flipped})
    for (const auto& place : *places)
      if (report.examples.size() < kMostExamples) report.examples.push_back(place);
  return report;
}

}  // namespace taxel
