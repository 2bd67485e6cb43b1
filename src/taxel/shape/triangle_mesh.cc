#include "taxel/shape/triangle_mesh.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel {

Box3 BoundingBox(const TriangleMesh& mesh) {
  Box3 box;
  for (const auto& t : mesh.triangles)
    for (int v : t) box.Include(mesh.vertices[v]);
  return box;
}

double SurfaceArea(const TriangleMesh& mesh) {
  double area = 0;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) area += 0.5 * norm(AreaNormal2(mesh, t));
  return area;
}

double EnclosedVolume(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return 0;
  const Vec3 o = mesh.corner(0, 0);  // any origin; a near one keeps digits
  double six = 0;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t)
    six += dot(mesh.corner(t, 0) - o, cross(mesh.corner(t, 1) - o, mesh.corner(t, 2) - o));
  return six / 6;
}

namespace {

struct CellHash {
  std::size_t operator()(const std::array<std::int64_t, 3>& k) const {
    std::size_t h = 1469598103934665603ull;
    for (auto v : k) h = (h ^ static_cast<std::size_t>(v)) * 1099511628211ull;
    return h;
  }
};

}  // namespace

TriangleMesh MergeVertices(const TriangleMesh& mesh, double tolerance) {
  std::unordered_map<std::array<std::int64_t, 3>, std::vector<int>, CellHash> cells;
  TriangleMesh out;
  std::vector<int> new_index(mesh.vertices.size(), -1);
  const double width = tolerance > 0 ? 2 * tolerance : 0;
  auto key_of = [&](const Vec3& p, int dx, int dy, int dz) {
    std::array<std::int64_t, 3> key;
    const int d[3] = {dx, dy, dz};
    for (int i = 0; i < 3; ++i) {
      if (width > 0) {
        key[i] = static_cast<std::int64_t>(std::floor(p[i] / width)) + d[i];
      } else {
        const double v = p[i] == 0 ? 0.0 : p[i];  // -0 and 0 are one place
        std::memcpy(&key[i], &v, sizeof v);
      }
    }
    return key;
  };
  const int reach = width > 0 ? 1 : 0;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (i % 256 == 0) CheckInterrupt();
    const Vec3& p = mesh.vertices[i];
    for (int dx = -reach; dx <= reach && new_index[i] < 0; ++dx)
      for (int dy = -reach; dy <= reach && new_index[i] < 0; ++dy)
        for (int dz = -reach; dz <= reach && new_index[i] < 0; ++dz) {
          const auto it = cells.find(key_of(p, dx, dy, dz));
          if (it == cells.end()) continue;
          for (int j : it->second)
            if (norm2(out.vertices[j] - p) <= tolerance * tolerance) {
              new_index[i] = j;
              break;
            }
        }
    if (new_index[i] < 0) {
      new_index[i] = static_cast<int>(out.vertices.size());
      out.vertices.push_back(p);
      cells[key_of(p, 0, 0, 0)].push_back(new_index[i]);
    }
  }
  for (const auto& t : mesh.triangles) {
    const std::array<int, 3> n{new_index[t[0]], new_index[t[1]], new_index[t[2]]};
    if (n[0] != n[1] && n[1] != n[2] && n[2] != n[0]) out.triangles.push_back(n);
  }
  return out;
}

void CheckIndices(const TriangleMesh& mesh, const char* name) {
  const std::string who = std::string("mesh '") + name + "': ";
  if (mesh.triangles.empty())
    throw Error(who + "no triangles; a surface needs at least one (4 for a closed body)");
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    if (!is_finite(mesh.vertices[i]))
      throw Error(who + "vertex " + std::to_string(i) + " is not finite; repair or remove it");
  const int n = static_cast<int>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int v : mesh.triangles[t])
      if (v < 0 || v >= n)
        throw Error(who + "triangle " + std::to_string(t) + " uses vertex " + std::to_string(v) +
                    ", but there are " + std::to_string(n) + " vertices (counted from 0)");
}

}  // namespace taxel
