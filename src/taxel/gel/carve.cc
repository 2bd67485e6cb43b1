#include "taxel/gel/carve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/bvh.h"
#include "taxel/shape/ray.h"

namespace taxel {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr float kUnknown = -std::numeric_limits<float>::infinity();
constexpr float kEmpty = std::numeric_limits<float>::infinity();
// The image is this much wider than the ball, so that the pixels around a projection always exist.
constexpr double kMargin = 1.02;

// Camera axes: right, down, forward. Depth is along forward, from the eye (from the plane of the eye for
// parallel rays).
struct View {
  Vec3 eye, right, down, forward;
  bool pinhole = false;
  double half_width = 0;  // of the image: metres for parallel rays, at depth 1 for a pinhole
  int pixels = 0;

  Ray PixelRay(int row, int col) const {
    const double u = ((col + 0.5) * 2 / pixels - 1) * half_width;
    const double v = ((row + 0.5) * 2 / pixels - 1) * half_width;
    const Vec3 aside = u * right + v * down;
    Ray ray;
    ray.origin = pinhole ? eye : eye + aside;
    ray.direction = pinhole ? forward + aside : forward;
    return ray;
  }
  // The place in the image in pixels, a pixel's middle at a whole number, and the depth.
  void Project(const Vec3& p, double* row, double* col, double* depth) const {
    const Vec3 r = p - eye;
    *depth = dot(r, forward);
    const double scale = 0.5 * pixels / half_width / (pinhole ? *depth : 1);
    *col = dot(r, right) * scale + 0.5 * pixels - 0.5;
    *row = dot(r, down) * scale + 0.5 * pixels - 0.5;
  }
};

// Directions of a spiral on the sphere with equal areas between its turns (spherical Fibonacci points).
View MakeView(int i, const CarveOptions& options, const Vec3& center, double radius) {
  const double golden = kPi * (3 - std::sqrt(5.0));
  const double z = 1 - (i + 0.5) * 2 / options.views, r = std::sqrt(1 - z * z);
  View view;
  const Vec3 out{r * std::cos(golden * i), r * std::sin(golden * i), z};
  view.forward = -out;
  MakeFrame(view.forward, &view.right, &view.down);
  view.pinhole = options.pinhole;
  view.pixels = options.pixels;
  if (options.pinhole) {
    view.eye = center + options.distance * radius * out;
    view.half_width = kMargin / std::sqrt(options.distance * options.distance - 1);
  } else {
    view.eye = center + 2 * radius * out;
    view.half_width = kMargin * radius;
  }
  return view;
}

// Least depth of the four pixels (row, col) .. (row + 1, col + 1), at row * pixels + col.
std::vector<float> DepthOfFour(const TriangleMesh& mesh, const Bvh& bvh, const View& view,
                               bool look_through_holes) {
  const int n = view.pixels;
  std::vector<float> depth(static_cast<std::size_t>(n) * n, kEmpty);
  for (int row = 0; row < n; ++row) {
    CheckInterrupt();
    for (int col = 0; col < n; ++col) {
      const Ray ray = view.PixelRay(row, col);
      const auto hit = CastRay(mesh, bvh, ray);
      if (!hit) continue;
      const bool from_behind = dot(AreaNormal2(mesh, hit->triangle), ray.direction) > 0;
      depth[static_cast<std::size_t>(row) * n + col] =
          from_behind && !look_through_holes ? kUnknown : static_cast<float>(hit->t);
    }
  }
  // Upper left first, so that what is read is not yet changed.
  for (int row = 0; row + 1 < n; ++row)
    for (int col = 0; col + 1 < n; ++col) {
      float* d = &depth[static_cast<std::size_t>(row) * n + col];
      *d = std::min({d[0], d[1], d[n], d[n + 1]});
    }
  return depth;
}

bool SeenEmpty(const View& view, const std::vector<float>& depth_of_four, const Vec3& p) {
  double row, col, depth;
  view.Project(p, &row, &col, &depth);
  const double r = std::floor(row), c = std::floor(col);
  if (!(r >= 0 && c >= 0 && r + 1 < view.pixels && c + 1 < view.pixels)) return false;
  return depth < static_cast<double>(
                     depth_of_four[static_cast<std::size_t>(r) * view.pixels + static_cast<std::size_t>(c)]);
}

void CheckOptions(const CarveOptions& o) {
  if (o.views < 4 || o.views > 10000)
    throw Error("carving: views is " + std::to_string(o.views) + "; give 4 to 10000 cameras (200 is usual)");
  if (o.pixels < 8 || o.pixels > 8192)
    throw Error("carving: pixels is " + std::to_string(o.pixels) +
                "; give 8 to 8192 rows and columns (300 is usual)");
  if (o.pinhole && (!std::isfinite(o.distance) || o.distance < 1.1))
    throw Error(
        "carving: distance is " + ToText(o.distance) +
        " half diagonals; pinhole cameras must stand outside the mesh: give 1.1 or more (3 is usual)");
}

}  // namespace

double PaperVoxel(const TriangleMesh& mesh) { return norm(BoundingBox(mesh).size()) / 256; }

Carving CarveVoxels(const TriangleMesh& mesh, double voxel, const CarveOptions& options) {
  CheckIndices(mesh, "mesh to carve");
  CheckOptions(options);
  if (!std::isfinite(voxel) || voxel <= 0)
    throw Error("carving: voxel is " + ToText(voxel) + "; it must be finite and greater than 0 (metres)");
  const Box3 box = BoundingBox(mesh);
  const Vec3 size = box.size();
  const double longest = std::max({size.x, size.y, size.z});
  if (voxel > longest)
    throw Error("carving: voxel is " + ToText(voxel) + " m, larger than the mesh (" + ToText(longest) +
                " m); use at most a tenth of that");
  Carving out;
  out.voxel = voxel;
  double total = 1;
  Vec3 first = box.center();
  for (int axis = 0; axis < 3; ++axis) {
    const double count = std::max(1.0, std::round(size[axis] / voxel));
    total *= count;
    if (total > kMaxVoxels)
      throw Error("carving: voxel " + ToText(voxel) + " m gives more than " + ToText(kMaxVoxels) +
                  " voxels in the mesh's bounding box; use at least " +
                  ToText(std::max(std::cbrt(size.x * size.y * size.z / kMaxVoxels), longest / kMaxVoxels)) +
                  " m (and check the unit of the mesh: metres)");
    out.lattice[axis] = static_cast<int>(count);
    first[axis] -= 0.5 * (count - 1) * voxel;
  }

  std::vector<Box3> boxes(mesh.triangles.size());
  for (std::size_t t = 0; t < boxes.size(); ++t)
    for (int k = 0; k < 3; ++k) boxes[t].Include(mesh.corner(static_cast<int>(t), k));
  const Bvh bvh = BuildBvh(boxes);
  // Holds the corners of the outer voxels too.
  const double radius = 0.5 * norm(size) + voxel;

  const auto center_of = [&](std::uint32_t v) {
    const int k = static_cast<int>(v % out.lattice[2]), line = static_cast<int>(v / out.lattice[2]);
    return first + voxel * Vec3{1.0 * (line / out.lattice[1]), 1.0 * (line % out.lattice[1]), 1.0 * k};
  };
  std::vector<std::uint32_t> kept(static_cast<std::size_t>(total));
  for (std::size_t v = 0; v < kept.size(); ++v) kept[v] = static_cast<std::uint32_t>(v);
  for (int i = 0; i < options.views && !kept.empty(); ++i) {
    CheckInterrupt();
    const View view = MakeView(i, options, box.center(), radius);
    const std::vector<float> depth = DepthOfFour(mesh, bvh, view, options.look_through_holes);
    std::size_t left = 0;
    for (const std::uint32_t v : kept) {
      if (v % 256 == 0) CheckInterrupt();
      const Vec3 p = center_of(v);
      bool empty = SeenEmpty(view, depth, p);
      for (int corner = 0; corner < 8 && empty && options.whole_voxels; ++corner)
        empty = SeenEmpty(view, depth,
                          p + voxel * Vec3{(corner & 1) - 0.5, (corner >> 1 & 1) - 0.5, (corner >> 2) - 0.5});
      if (!empty) kept[left++] = v;
    }
    kept.resize(left);
  }
  if (kept.empty())
    throw Error("carving: the views carve away every voxel of edge " + ToText(voxel) +
                " m; use a smaller voxel, whole_voxels for thin sheets, or leave look_through_holes out");
  out.points.reserve(kept.size());
  for (const std::uint32_t v : kept) out.points.push_back(center_of(v));
  return out;
}

}  // namespace taxel
