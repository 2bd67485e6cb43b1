#include "taxel/shape/geodesic_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double Hypot(double x, double y) { return std::sqrt(x * x + y * y); }

}  // namespace

void GeodesicField::Reset(const TriangleMesh& mesh, const SurfaceNet& net) {
  if (first_.size() != net.sides.size() || vertex_.size() != mesh.vertices.size()) {
    first_.assign(net.sides.size(), -1);
    vertex_.assign(mesh.vertices.size(), kInf);
  } else {
    for (int h : touched_sides_) first_[h] = -1;
    for (int v : touched_vertices_) vertex_[v] = kInf;
  }
  mesh_ = &mesh;
  net_ = &net;
  touched_sides_.clear();
  touched_vertices_.clear();
  home_.clear();
  windows_.clear();
  pending_.clear();
  free_.clear();
  queue_.clear();
}

double GeodesicField::At(const Vec3& q, int triangle) const {
  if (triangle < 0 || triangle >= static_cast<int>(mesh_->triangles.size()))
    throw Error("geodesic field: there is no triangle " + std::to_string(triangle) + "; the mesh has " +
                std::to_string(mesh_->triangles.size()));
  if (!is_finite(q)) throw Error("geodesic field: the point is not finite");
  triangle = net_->twin[triangle];
  const double straight = norm(q - source_);
  double best = std::find(home_.begin(), home_.end(), triangle) != home_.end() ? straight : kInf;
  for (int k = 0; k < 3; ++k) {
    const int h = 3 * triangle + k;
    const Vec3 a = mesh_->corner(triangle, k), b = mesh_->corner(triangle, (k + 1) % 3);
    best = std::min(best, vertex_[net_->corners[h]] + norm(q - a));
    if (first_[h] < 0) continue;
    const double length = net_->sides[h].length;
    const double x = dot(q - a, b - a) / length, y = norm(cross(q - a, b - a)) / length;
    for (int i = first_[h]; i >= 0; i = windows_[i].next) {
      const Window& w = windows_[i];
      // Straight where the line from the image passes through the window, else round its nearer end: a real
      // path in any case.
      const double across = y > w.sy ? w.sx + (x - w.sx) * (-w.sy) / (y - w.sy) : x;
      const double through = std::min(std::max(across, w.x0), w.x1);
      const double way =
          through == across ? Hypot(x - w.sx, y - w.sy) : Hypot(through - w.sx, w.sy) + Hypot(x - through, y);
      best = std::min(best, w.offset + way);
    }
  }
  best = std::max(best, straight);
  return best <= radius_ ? best : kInf;
}

double GeodesicField::AtVertex(int vertex) const {
  if (vertex < 0 || vertex >= static_cast<int>(net_->merged.size()))
    throw Error("geodesic field: there is no vertex " + std::to_string(vertex) + "; the mesh has " +
                std::to_string(net_->merged.size()));
  const double d = std::max(vertex_[net_->merged[vertex]], norm(mesh_->vertices[vertex] - source_));
  return d <= radius_ ? d : kInf;
}

std::vector<double> GeodesicField::VertexDistances() const {
  std::vector<double> out(mesh_->vertices.size());
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = AtVertex(static_cast<int>(v));
  return out;
}

std::vector<int> GeodesicField::Triangles() const {
  std::vector<int> out(home_.begin(), home_.end());
  for (int h : touched_sides_) out.push_back(h / 3);
  // Round a vertex at which paths bend no window stands for the triangles next to it.
  for (int v : touched_vertices_) {
    if (!(vertex_[v] <= radius_)) continue;
    for (int i = net_->first_corner[v]; i < net_->first_corner[v + 1]; ++i)
      out.push_back(net_->corner_list[i] / 3);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace taxel::internal
