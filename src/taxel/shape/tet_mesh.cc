#include "taxel/shape/tet_mesh.h"

#include <algorithm>
#include <string>
#include <utility>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel {

double TetVolume(const TetMesh& mesh, int t) {
  return Volume6(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), mesh.corner(t, 3)) / 6;
}

double TotalVolume(const TetMesh& mesh) {
  double v = 0;
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) v += TetVolume(mesh, t);
  return v;
}

Box3 BoundingBox(const TetMesh& mesh) {
  Box3 box;
  for (const auto& t : mesh.tets)
    for (int v : t) box.Include(mesh.vertices[v]);
  return box;
}

TriangleMesh BoundarySurface(const TetMesh& mesh) {
  // Outward faces of a positive tetrahedron.
  static constexpr int kFace[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  struct Face {
    std::array<int, 3> key, face;
  };
  std::vector<Face> faces;
  faces.reserve(4 * mesh.tets.size());
  for (const auto& t : mesh.tets)
    for (const auto& f : kFace) {
      const std::array<int, 3> face{t[f[0]], t[f[1]], t[f[2]]};
      std::array<int, 3> key = face;
      std::sort(key.begin(), key.end());
      faces.push_back({key, face});
    }
  std::size_t compared = 0;
  std::stable_sort(faces.begin(), faces.end(), [&compared](const Face& a, const Face& b) {
    if (++compared % (1 << 16) == 0) CheckInterrupt();
    return a.key < b.key;
  });
  TriangleMesh out;
  out.vertices = mesh.vertices;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t j = i;
    while (j < faces.size() && faces[j].key == faces[i].key) ++j;
    if (j == i + 1) out.triangles.push_back(faces[i].face);
    i = j;
  }
  return out;
}

void CheckAndOrient(TetMesh* mesh, const char* name) {
  const std::string who = std::string("tetrahedral mesh '") + name + "': ";
  if (mesh->tets.empty())
    throw Error(who +
                "no tetrahedra; a soft body needs a volume (make one with 'taxel mesh IN.obj OUT.vtk')");
  for (std::size_t i = 0; i < mesh->vertices.size(); ++i)
    if (!is_finite(mesh->vertices[i]))
      throw Error(who + "vertex " + std::to_string(i) + " is not finite; repair or remove it");
  const int n = static_cast<int>(mesh->vertices.size());
  for (std::size_t t = 0; t < mesh->tets.size(); ++t)
    for (int v : mesh->tets[t])
      if (v < 0 || v >= n)
        throw Error(who + "tetrahedron " + std::to_string(t) + " uses vertex " + std::to_string(v) +
                    ", but there are " + std::to_string(n) + " vertices (counted from 0)");
  const Vec3 size = BoundingBox(*mesh).size();
  const double tiny = 1e-15 * size.x * size.y * size.z;
  std::size_t positive = 0, negative = 0, first_negative = 0;
  for (int t = 0; t < static_cast<int>(mesh->tets.size()); ++t) {
    const double v = TetVolume(*mesh, t);
    if (std::fabs(v) <= tiny)
      throw Error(who + "tetrahedron " + std::to_string(t) + " has no volume (" + ToText(v) +
                  " m3); remove degenerate elements or mesh again with 'taxel mesh'");
    if (v > 0) {
      ++positive;
    } else if (negative++ == 0) {
      first_negative = t;
    }
  }
  if (positive > 0 && negative > 0)
    throw Error(who + std::to_string(negative) + " of " + std::to_string(mesh->tets.size()) +
                " tetrahedra are inverted (the first is number " + std::to_string(first_negative) +
                "); the mesh folds over itself: mesh the surface again with 'taxel mesh'");
  if (negative > 0)
    for (auto& t : mesh->tets) std::swap(t[2], t[3]);
}

}  // namespace taxel
