#include "taxel/shape/primitive_tets.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "taxel/math/error.h"
#include "taxel/shape/shell_tets.h"

namespace taxel::internal {
namespace {

constexpr double kMaxTets = 5e6;
constexpr double kNoLength = 1e-6;  // of the inscribed radius: a shorter core counts as a point

void CheckSize(double quads, double layers) {
  if (24 * quads * layers > kMaxTets)
    throw Error("primitive mesh: the resolution would make about " + ToText(std::round(24 * quads * layers)) +
                " tetrahedra, more than " + ToText(kMaxTets) +
                "; take a greater resolution (0: the coarsest)");
}

int Pieces(double length, double resolution, int coarsest) {
  if (resolution <= 0) return coarsest;
  return static_cast<int>(std::clamp(std::ceil(length / resolution - 1e-9), 1.0, 1e5));
}

/// Segments round a circle: a multiple of four, so that the mirror planes of the frame are kept.
int RoundPieces(double radius, double resolution) {
  return resolution <= 0 ? 24 : 4 * std::max(2, Pieces(M_PI_2 * radius, resolution, 6));
}

/// Numbers keys 0, 1, 2, ... in the order they are met.
template <class Key>
class Numbering {
 public:
  int operator()(const Key& key) {
    return index_.try_emplace(key, static_cast<int>(index_.size())).first->second;
  }

 private:
  std::map<Key, int> index_;
};

using Index3 = std::array<int, 3>;

/// The surface of a block of n[0] x n[1] x n[2] cells: corner indices of its vertices, and its faces.
struct BlockSurface {
  std::vector<Index3> vertices;
  std::vector<std::array<int, 4>> quads;

  explicit BlockSurface(const Index3& n) {
    std::map<Index3, int> index;
    auto id = [&](const Index3& p) {
      const auto [it, fresh] = index.try_emplace(p, static_cast<int>(vertices.size()));
      if (fresh) vertices.push_back(p);
      return it->second;
    };
    for (int axis = 0; axis < 3; ++axis) {
      const int b = (axis + 1) % 3, c = (axis + 2) % 3;
      for (int end : {0, n[axis]})
        for (int i = 0; i < n[b]; ++i)
          for (int j = 0; j < n[c]; ++j) {
            auto corner = [&](int di, int dj) {
              Index3 p{};
              p[axis] = end, p[b] = i + di, p[c] = j + dj;
              return id(p);
            };
            const int p00 = corner(0, 0), p10 = corner(1, 0), p11 = corner(1, 1), p01 = corner(0, 1);
            if (end) {
              quads.push_back({p00, p10, p11, p01});
            } else {
              quads.push_back({p00, p01, p11, p10});
            }
          }
    }
  }
};

TetMesh Mesh(const Box& box, double resolution, int most_layers) {
  const Vec3 half = 0.5 * box.size;
  const double inradius = std::min({half.x, half.y, half.z});
  Index3 n;
  for (int i = 0; i < 3; ++i) n[i] = Pieces(2 * half[i], resolution, 1);
  const int layers = std::min(most_layers, Pieces(inradius, resolution, 1));
  CheckSize(2.0 * n[0] * n[1] + 2.0 * n[1] * n[2] + 2.0 * n[2] * n[0], layers);
  const BlockSurface block(n);
  ShrinkingSurface s;
  s.quads = block.quads;
  Numbering<Index3> group;
  for (Index3 p : block.vertices) {
    for (int i = 0; i < 3; ++i)
      if (half[i] - inradius <= kNoLength * inradius) p[i] = 0;
    s.core_group.push_back(group(p));
  }
  s.position = [&](int v, double t) {
    Vec3 p;
    for (int i = 0; i < 3; ++i) {
      const double size = half[i] - t * inradius;
      const bool gone = t == 1 && size <= kNoLength * inradius;
      p[i] = gone ? 0 : (2.0 * block.vertices[v][i] - n[i]) / n[i] * size;
    }
    return p;
  };
  s.middle = [](int, const Vec3& mean, double) { return mean; };
  return FillShells(s, layers);
}

TetMesh MeshBall(const Vec3& semi_axes, double resolution, int most_layers) {
  const double most = std::max({semi_axes.x, semi_axes.y, semi_axes.z});
  const double least = std::min({semi_axes.x, semi_axes.y, semi_axes.z});
  const int n = RoundPieces(most, resolution) / 4;
  // At least as deep as the place where the shortest ball of curvature, radius least^2 / most, has its
  // centre.
  const int curved = static_cast<int>(std::min(8.0, std::ceil(std::pow(most / least, 2) - 1e-9)));
  const int layers = std::min(most_layers, std::max(curved, Pieces(least, resolution, 1)));
  CheckSize(6.0 * n * n, layers);
  const BlockSurface block({n, n, n});
  ShrinkingSurface s;
  s.quads = block.quads;
  s.core_group.assign(block.vertices.size(), 0);
  s.position = [&](int v, double t) {
    Vec3 u;  // equal angles along the great circles
    for (int i = 0; i < 3; ++i) u[i] = std::tan(M_PI_4 * (2.0 * block.vertices[v][i] - n) / n);
    return cwise_mul(semi_axes, (1 - t) * normalized(u));
  };
  s.middle = [&](int, const Vec3& mean, double t) {
    return cwise_mul(semi_axes, (1 - t) * normalized(cwise_div(mean, semi_axes)));
  };
  return FillShells(s, layers);
}

TetMesh Mesh(const Sphere& s, double resolution, int most_layers) {
  return MeshBall({s.radius, s.radius, s.radius}, resolution, most_layers);
}
TetMesh Mesh(const Ellipsoid& s, double resolution, int most_layers) {
  return MeshBall(s.semi_axes, resolution, most_layers);
}

/// Rings of `around` vertices between two poles, first ring next to the bottom pole.
struct RingSurface {
  int around, rings;
  int size() const { return around * rings + 2; }
  int bottom() const { return around * rings; }
  int top() const { return around * rings + 1; }
  int ring_of(int v) const { return v == bottom() ? -1 : (v == top() ? rings : v / around); }
  Vec3 Direction(int v) const {
    // The eighths are exact, so that mirror images are too.
    const int k = v % around, quarter = around / 4;
    const double angle = M_PI_2 * (k % quarter) / quarter;
    const double c = std::cos(angle), s = k % quarter == 0 ? 0 : std::sin(angle);
    switch (k / quarter) {
      case 0:
        return {c, s, 0};
      case 1:
        return {-s, c, 0};
      case 2:
        return {-c, -s, 0};
      default:
        return {s, -c, 0};
    }
  }
  std::vector<std::array<int, 4>> Quads() const {
    std::vector<std::array<int, 4>> quads;
    for (int k = 0; k < around; ++k) {
      const int next = (k + 1) % around, last = (rings - 1) * around;
      quads.push_back({bottom(), next, k, k});
      for (int r = 0; r + 1 < rings; ++r)
        quads.push_back({r * around + k, r * around + next, (r + 1) * around + next, (r + 1) * around + k});
      quads.push_back({last + k, last + next, top(), top()});
    }
    return quads;
  }
};

TetMesh Mesh(const Cylinder& shape, double resolution, int most_layers) {
  const double half = 0.5 * shape.length, inradius = std::min(shape.radius, half);
  const int cap = Pieces(shape.radius, resolution, 1), side = Pieces(shape.length, resolution, 1);
  const int layers = std::min(most_layers, Pieces(inradius, resolution, 1));
  // Rings: out along the bottom (cap of them), up the side (side more), in along the top (cap - 1 more).
  const RingSurface grid{RoundPieces(shape.radius, resolution), 2 * cap + side - 1};
  CheckSize(1.0 * grid.around * (grid.rings + 1), layers);
  auto steps_in = [&](int ring) {  // rings to go inwards from the rim, on the caps
    return std::max({0, cap - 1 - ring, ring - (cap - 1 + side)});
  };
  auto steps_up = [&](int ring) { return std::clamp(ring - (cap - 1), 0, side); };
  const bool axis = shape.radius - inradius <= kNoLength * inradius,
             disc = half - inradius <= kNoLength * inradius;
  ShrinkingSurface s;
  s.quads = grid.Quads();
  Numbering<Index3> group;
  for (int v = 0; v < grid.size(); ++v) {
    const int ring = grid.ring_of(v);
    const bool pole = v >= grid.bottom();
    Index3 key{disc ? 0 : steps_up(ring), axis ? 0 : steps_in(ring), axis || pole ? 0 : v % grid.around};
    s.core_group.push_back(group(key));
  }
  s.position = [&, axis, disc](int v, double t) {
    const int ring = grid.ring_of(v);
    const double radius = t == 1 && axis ? 0 : shape.radius - t * inradius;
    const double height = t == 1 && disc ? 0 : half - t * inradius;
    const double inwards = static_cast<double>(cap - steps_in(ring)) / cap;
    Vec3 p = radius * inwards * grid.Direction(v);
    p.z = height * (2.0 * steps_up(ring) - side) / side;
    return p;
  };
  const int per_sector = grid.rings + 1;
  s.middle = [&, per_sector](int quad, const Vec3& mean, double t) {
    const int below = quad % per_sector - 1;  // the ring under the quadrilateral
    if (below < cap - 1 || below >= cap - 1 + side) return mean;
    const double r = std::hypot(mean.x, mean.y), scale = (shape.radius - t * inradius) / r;
    return Vec3{mean.x * scale, mean.y * scale, mean.z};
  };
  return FillShells(s, layers);
}

TetMesh Mesh(const Capsule& shape, double resolution, int most_layers) {
  const double half = 0.5 * shape.length;
  const int around = RoundPieces(shape.radius, resolution), quarter = around / 4;
  const int side = Pieces(shape.length, resolution, 1),
            layers = std::min(most_layers, Pieces(shape.radius, resolution, 1));
  const RingSurface grid{around, 2 * quarter + side - 1};
  CheckSize(1.0 * around * (grid.rings + 1), layers);
  auto steps_up = [&](int ring) { return std::clamp(ring - (quarter - 1), 0, side); };
  ShrinkingSurface s;
  s.quads = grid.Quads();
  for (int v = 0; v < grid.size(); ++v) s.core_group.push_back(steps_up(grid.ring_of(v)));
  s.position = [&](int v, double t) {
    const int ring = grid.ring_of(v), up = steps_up(ring);
    const int below = std::max(0, quarter - 1 - ring), above = std::max(0, ring - (quarter - 1 + side));
    const double latitude = M_PI_2 * (above - below) / quarter, r = (1 - t) * shape.radius;
    const bool pole = above == quarter || below == quarter;
    Vec3 p = (pole ? 0 : r * std::cos(latitude)) * grid.Direction(v);
    p.z = half * (2.0 * up - side) / side + r * std::sin(latitude);
    return p;
  };
  s.middle = [&](int, const Vec3& mean, double t) {
    const Vec3 on_axis{0, 0, std::clamp(mean.z, -half, half)};
    return on_axis + (1 - t) * shape.radius * normalized(mean - on_axis);
  };
  return FillShells(s, layers);
}

TetMesh Mesh(const HalfSpace&, double, int) {
  throw Error(
      "half_space: it is endless and cannot be filled with tetrahedra; use it as the rigid body of a pair, "
      "or take a box "
      "as large as needed");
}

constexpr int kAnyLayers = 1 << 30;

void CheckResolution(const Primitive& shape, double resolution) {
  if (!std::isfinite(resolution) || resolution < 0)
    throw Error(PrimitiveName(shape) + ": mesh resolution is " + ToText(resolution) +
                "; it must be a length >= 0 in metres (0: the coarsest mesh)");
}

}  // namespace

TetMesh PrimitiveTets(const Primitive& shape, double resolution) {
  CheckPrimitive(shape);
  CheckResolution(shape, resolution);
  return std::visit([&](const auto& s) { return Mesh(s, resolution, kAnyLayers); }, shape);
}

TriangleMesh PrimitiveSurface(const Primitive& shape, double resolution) {
  CheckPrimitive(shape, 1000);  // a floor may be large
  CheckResolution(shape, resolution);
  // One layer has the same outside as many.
  const TriangleMesh all =
      BoundarySurface(std::visit([&](const auto& s) { return Mesh(s, resolution, 1); }, shape));
  TriangleMesh out;
  std::vector<int> index(all.vertices.size(), -1);
  for (const auto& t : all.triangles) {
    std::array<int, 3> triangle;
    for (int k = 0; k < 3; ++k) {
      int& i = index[t[k]];
      if (i < 0) {
        i = static_cast<int>(out.vertices.size());
        out.vertices.push_back(all.vertices[t[k]]);
      }
      triangle[k] = i;
    }
    out.triangles.push_back(triangle);
  }
  return out;
}

}  // namespace taxel::internal
