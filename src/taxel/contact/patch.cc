#include "taxel/contact/patch.h"

#include <algorithm>
#include <cmath>

#include "taxel/contact/edge_on.h"
#include "taxel/contact/normal_law.h"
#include "taxel/contact/slice.h"

namespace taxel {
using namespace internal;
namespace {

constexpr int kBins = 6;            // along the mean normal, +-u, +-v, against it
constexpr double kFlat = 0.7;       // cosine of about 45 degrees
constexpr double kWall = 0.2;       // cosine to the mean normal up to which a face may be a wall,
constexpr double kWallFades = 0.3;  // over which it ceases to be one
constexpr double kFarAside = 0.3;   // cosine below which a block has no way out along the mean normal
// Faces of a skin of columns that look aside are the thin flank of something deep: with less than these
// shares of the load they have a quarter of the blocks along each side, or half.
constexpr double kThinFlank = 0.002, kSmallFlank = 0.12;
constexpr std::size_t kManyPieces = 200;  // from here on pieces are merged within cells of a third of a block

int BinOf(const Vec3& n, const Vec3& mean, const Vec3& u, const Vec3& v) {
  if (dot(n, mean) >= kFlat) return 0;
  const double c[5] = {dot(n, u), -dot(n, u), dot(n, v), -dot(n, v), -dot(n, mean)};
  return 1 + static_cast<int>(std::max_element(c, c + 5) - c);
}

// Each group of faces is measured along its own two axes.
struct Axes {
  Vec3 u, v;
};
Axes AxesOf(int bin, const Vec3& mean, const Vec3& u, const Vec3& v) {
  switch (bin) {
    case 1:
    case 2:
      return {v, mean};
    case 3:
    case 4:
      return {u, mean};
    default:
      return {u, v};
  }
}

// The sign with which that gradient counts when A slides over B: +1 where the face moves with A through the
// field of B, -1 where it stays with B, between for two soft bodies.
double SlidingShare(double a, double b) {
  return std::isinf(a) ? 1.0 : std::isinf(b) ? -1.0 : a + b > 0 ? (a - b) / (a + b) : 0.0;
}

Vec3 FaceCenterOfPressure(const ContactSurface& s, int face) {
  const int first = s.face_start[face], last = s.face_start[face + 1];
  Vec3 moment;
  double load = 0;
  for (int i = first + 1; i + 1 < last; ++i) {
    const Vec3 &a = s.vertices[first], &b = s.vertices[i], &c = s.vertices[i + 1];
    const double pa = s.pressures[first], pb = s.pressures[i], pc = s.pressures[i + 1], sum = pa + pb + pc;
    const double area = 0.5 * dot(cross(b - a, c - a), s.normals[face]);
    load += area / 3 * sum;
    moment += (area / 12) * ((sum + pa) * a + (sum + pb) * b + (sum + pc) * c);
  }
  return load > 0 ? moment / load : s.centroids[face];
}

int CellOf(double x, double lo, double hi, int cells) {
  return hi > lo ? std::clamp(static_cast<int>((x - lo) / (hi - lo) * cells), 0, cells - 1) : 0;
}

// Cuts a polygon along the lines of `cells` equal cells of lo..hi, in order; calls use(cell, corners, count).
// A polygon shorter than `whole` goes to the cell of its middle.
template <class Corner, class Use>
void Slice(const Corner* polygon, int n, double Corner::*value, double lo, double hi, int cells, double whole,
           Use&& use) {
  double first = polygon[0].*value, last = first;
  for (int i = 1; i < n; ++i)
    first = std::min(first, polygon[i].*value), last = std::max(last, polygon[i].*value);
  if (last - first <= whole) first = last = 0.5 * (first + last);
  const int c0 = CellOf(first, lo, hi, cells), c1 = CellOf(last, lo, hi, cells);
  SliceCells(polygon, n, value, lo, (hi - lo) / cells, c0, c1, use);
}

}  // namespace

void Patch::Clear() {
  pieces.clear();
  grid_block_.clear();
  blocks.clear();
  force = stiffness = 0;
  wrench = {};
}

void Patch::Scale(double force_factor, double stiffness_factor) {
  for (PatchPiece& p : pieces)
    p.force *= force_factor, p.stiffness *= stiffness_factor, p.slope_W *= stiffness_factor;
  for (PatchBlock& b : blocks)
    b.force *= force_factor, b.stiffness *= stiffness_factor, b.slope_W *= stiffness_factor;
  force *= force_factor, stiffness *= stiffness_factor;
  wrench.force *= force_factor, wrench.torque *= force_factor;
}

void Patch::Build(const ContactSurface& surface, const Mat3& R_WO, const PatchOptions& options) {
  Clear();
  if (surface.empty()) return;
  wrench = surface.wrench_on_A;
  const int faces = surface.num_faces();
  faces_.resize(faces);
  Vec3 direction, whole;
  for (int f = 0; f < faces; ++f) {
    Face& face = faces_[f];
    const double a = surface.gradients_A[f], b = surface.gradients_B[f];
    const Vec3 within = PressureGradientWithin(surface, f);
    face.gradient = SeriesGradient(a, b);
    face.slope = SlidingShare(a, b) * within;
    face.weight = EdgeOnWeight(face.gradient, norm(within));
    face.core_pressure = options.core_pressures ? (*options.core_pressures)[f] : options.core_pressure;
    const Vec3 push = (surface.areas[f] * surface.face_pressures[f]) * surface.normals[f];
    direction += face.weight * push;
    whole += push;
  }
  // A ball that is half in meets its own pressure edge-on everywhere; then all faces tell where to look from.
  if (!(norm(direction) > 1e-3 * norm(whole))) direction = whole;
  if (!(norm(direction) > 0)) return;
  SetAxes(direction, R_WO);
  // What looks the way the whole patch does is no wall, though the pressure may fall along it (at the rim of
  // a pad).
  for (int f = 0; f < faces; ++f)
    faces_[f].weight =
        std::max(faces_[f].weight, SmoothStep((dot(surface.normals[f], mean_normal) - kWall) / kWallFades));

  Grid grids[kBins];
  for (int f = 0; f < faces; ++f) {
    faces_[f].bin = BinOf(surface.normals[f], mean_normal, axis_u, axis_v);
    const Axes axes = AxesOf(faces_[f].bin, mean_normal, axis_u, axis_v);
    Grid& g = grids[faces_[f].bin];
    for (int i = surface.face_start[f]; i < surface.face_start[f + 1]; ++i)
      g.Include(dot(axes.u, surface.vertices[i]), dot(axes.v, surface.vertices[i]));
  }
  const int m = options.blocks_per_side;
  // A surface of many faces is fine enough by itself; a few large ones are cut further, for friction.
  const int finest = std::clamp(faces <= 8    ? options.pieces_per_block
                                : faces <= 16 ? 2
                                              : 1,
                                1, options.pieces_per_block);
  double loads[kBins] = {};
  if (!surface.columns.empty())
    for (int f = 0; f < faces; ++f) loads[faces_[f].bin] += surface.areas[f] * surface.face_pressures[f];
  for (int bin = 0; bin < kBins; ++bin) {
    Grid& g = grids[bin];
    if (!g.used) continue;
    if (bin > 0 && !surface.columns.empty() && loads[bin] < kSmallFlank * surface.normal_force) {
      g.cells_u = g.cells_v = std::max(1, loads[bin] < kThinFlank * surface.normal_force ? m / 4 : m / 2);
      continue;
    }
    const auto per_block = [&](double length) {
      if (options.piece_size <= 0) return 1;
      return std::clamp(static_cast<int>(std::ceil(length / (m * options.piece_size) - 1e-9)), 1, finest);
    };
    g.cells_u = m * per_block(g.u1 - g.u0);
    g.cells_v = m * per_block(g.v1 - g.v0);
  }
  for (int f = 0; f < faces; ++f) CutFace(surface, f, grids[faces_[f].bin], m);
  if (pieces.size() > kManyPieces) MergePieces(grids, m);
  if (!pieces.empty()) MakeBlocks(surface, m * m, std::min(std::sqrt(surface.area), 2 * options.depth));
}

void Patch::SetAxes(const Vec3& direction, const Mat3& R_WO) {
  mean_normal = normalized(direction);
  // They follow the body's x axis (its y axis where that is the normal), so that they do not jump.
  const Vec3 n_O = TransposeMul(R_WO, mean_normal);
  const Vec3 along = std::fabs(n_O.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  axis_u = R_WO * normalized(along - dot(along, n_O) * n_O);
  axis_v = cross(mean_normal, axis_u);
}

void Patch::Grid::Include(double u, double v) {
  if (!used) {
    used = true;
    u0 = u1 = u, v0 = v1 = v;
  }
  u0 = std::min(u0, u), u1 = std::max(u1, u);
  v0 = std::min(v0, v), v1 = std::max(v1, v);
}

void Patch::BuildPoints(const std::vector<PatchPiece>& points, const ContactSurface& surface,
                        const Mat3& R_WO, const PatchOptions& options) {
  Clear();
  wrench = surface.wrench_on_A;
  if (points.empty()) return;
  // Jaws that close on a pad from both sides add up to nothing; then the strongest tells where to look from.
  double sum = 0;
  const PatchPiece* strongest = &points[0];
  for (const PatchPiece& p : points) {
    sum += p.force;
    if (p.force > strongest->force) strongest = &p;
  }
  SetAxes(norm(wrench.force) > 1e-6 * sum ? wrench.force : strongest->n_W, R_WO);
  pieces.assign(points.begin(), points.end());
  Grid grids[kBins];
  bins_.clear();
  for (const PatchPiece& p : pieces) {
    const int bin = BinOf(p.n_W, mean_normal, axis_u, axis_v);
    const Axes axes = AxesOf(bin, mean_normal, axis_u, axis_v);
    grids[bin].Include(dot(axes.u, p.p_W), dot(axes.v, p.p_W));
    bins_.push_back(bin);
    force += p.force;
    stiffness += p.stiffness;
  }
  // The points of a regular pad lie on the borders of cells; rounding must not decide where they belong.
  for (Grid& g : grids) g.u0 -= 1e-6 * (g.u1 - g.u0), g.v0 -= 1e-6 * (g.v1 - g.v0);
  const int m = options.blocks_per_side, few = m * m;
  int next = 0, next_wall = few;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const PatchPiece& p = pieces[i];
    const int bin = bins_[i];
    const Axes axes = AxesOf(bin, mean_normal, axis_u, axis_v);
    const Grid& g = grids[bin];
    const int cu = CellOf(dot(axes.u, p.p_W), g.u0, g.u1, m), cv = CellOf(dot(axes.v, p.p_W), g.v0, g.v1, m);
    // No more points than blocks: each is its own.
    if (static_cast<int>(pieces.size()) <= few)
      grid_block_.push_back(bin == 0 ? next++ : next_wall++);
    else
      grid_block_.push_back((bin * m + cu) * m + cv);
  }
  MakeBlocks(surface, few, HUGE_VAL);
}

void Patch::CutFace(const ContactSurface& surface, int face, const Grid& grid, int m) {
  const double weight = faces_[face].weight < 1e-3 ? 0.0 : faces_[face].weight;
  if (weight < 1) {
    const Vec3 faded =
        ((1 - weight) * surface.areas[face] * surface.face_pressures[face]) * surface.normals[face];
    wrench.force -= faded;
    wrench.torque -= cross(FaceCenterOfPressure(surface, face), faded);
    if (weight <= 0) return;
  }
  const int bin = faces_[face].bin;
  const Axes axes = AxesOf(bin, mean_normal, axis_u, axis_v);
  SliceCorners<Corner> corners;
  Corner* polygon = corners.at;
  const int n = std::min(surface.face_start[face + 1] - surface.face_start[face], kMaxSliceCorners - 8);
  for (int i = 0; i < n; ++i) {
    Corner& c = polygon[i];
    c.p = surface.vertices[surface.face_start[face] + i];
    c.pressure = surface.pressures[surface.face_start[face] + i];
    c.u = dot(axes.u, c.p);
    c.v = dot(axes.v, c.p);
  }
  const int qu = std::max(1, grid.cells_u / m), qv = std::max(1, grid.cells_v / m);
  const double du = (grid.u1 - grid.u0) / grid.cells_u, dv = (grid.v1 - grid.v0) / grid.cells_v;
  Slice(polygon, n, &Corner::u, grid.u0, grid.u1, grid.cells_u, 0.75 * qu * du,
        [&](int cu, const Corner* strip, int strip_n) {
          Slice(strip, strip_n, &Corner::v, grid.v0, grid.v1, grid.cells_v, 0.75 * qv * dv,
                [&](int cv, const Corner* part, int part_n) {
                  const int block = (bin * m + std::min(cu / qu, m - 1)) * m + std::min(cv / qv, m - 1);
                  AddPiece(part, part_n, face, surface, weight, block);
                });
        });
}

void Patch::AddPiece(const Corner* corners, int count, int face, const ContactSurface& surface, double weight,
                     int grid_block) {
  const double gradient = faces_[face].gradient;
  PatchPiece piece{};
  piece.n_W = surface.normals[face];
  if (!surface.columns.empty()) piece.column = surface.columns[face];
  Vec3 weighted;
  double pressure = 0;
  const Vec3 origin = corners[0].p;
  for (int i = 1; i + 1 < count; ++i) {
    const Vec3 a = corners[i].p - origin, b = corners[i + 1].p - origin;
    const double area = 0.5 * dot(cross(a, b), piece.n_W);
    piece.area += area;
    weighted += (area / 3) * (a + b);
    pressure += area / 3 * (corners[0].pressure + corners[i].pressure + corners[i + 1].pressure);
  }
  if (!(piece.area > 1e-10 * surface.area) || !(pressure > 0)) return;
  const Vec3 centroid = weighted / piece.area;
  piece.p_W = origin + centroid;
  if (const double most = faces_[face].core_pressure * piece.area; pressure > most) {
    AddForce(&wrench, (weight * (most - pressure)) * piece.n_W, piece.p_W);
    pressure = most;
  }
  piece.force = weight * pressure;
  piece.slope_W = (weight * piece.area) * faces_[face].slope;
  piece.stiffness = weight * piece.area * (std::isfinite(gradient) ? gradient : 0.0);
  for (int i = 0; i < count; ++i) {
    const Vec3 a = corners[i].p - piece.p_W, b = corners[i + 1 == count ? 0 : i + 1].p - piece.p_W;
    const double twelfth = dot(cross(a, b), piece.n_W) / 24;
    const double au = dot(a, axis_u), av = dot(a, axis_v), bu = dot(b, axis_u), bv = dot(b, axis_v);
    piece.moment_uu += twelfth * (au * au + bu * bu + (au + bu) * (au + bu));
    piece.moment_uv += twelfth * (au * av + bu * bv + (au + bu) * (av + bv));
    piece.moment_vv += twelfth * (av * av + bv * bv + (av + bv) * (av + bv));
  }
  force += piece.force;
  stiffness += piece.stiffness;
  pieces.push_back(piece);
  grid_block_.push_back(grid_block);
}

void Patch::MergePieces(const Grid* grids, int blocks_per_side) {
  const int cells = 3 * blocks_per_side, per_bin = cells * cells;
  merged_of_.assign(kBins * per_bin, -1);
  merged_.clear();
  merged_grid_block_.clear();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const PatchPiece& p = pieces[i];
    const int bin = grid_block_[i] / (blocks_per_side * blocks_per_side);
    const Grid& g = grids[bin];
    const Axes axes = AxesOf(bin, mean_normal, axis_u, axis_v);
    const int cu = CellOf(dot(axes.u, p.p_W), g.u0, g.u1, cells),
              cv = CellOf(dot(axes.v, p.p_W), g.v0, g.v1, cells);
    int& into = merged_of_[bin * per_bin + cu * cells + cv];
    if (into < 0) {
      into = static_cast<int>(merged_.size());
      merged_.push_back(PatchPiece{});
      merged_.back().column = p.column;
      // A flank has fewer blocks than cells to merge in.
      const int along_u = std::min(blocks_per_side, g.cells_u),
                along_v = std::min(blocks_per_side, g.cells_v);
      merged_grid_block_.push_back((bin * blocks_per_side + cu * along_u / cells) * blocks_per_side +
                                   cv * along_v / cells);
    }
    PatchPiece& sum = merged_[into];
    sum.p_W += p.force * p.p_W;
    sum.n_W += p.force * p.n_W;
    sum.slope_W += p.slope_W;
    sum.area += p.area;
    sum.force += p.force;
    sum.stiffness += p.stiffness;
    sum.moment_uu += p.moment_uu, sum.moment_uv += p.moment_uv, sum.moment_vv += p.moment_vv;
  }
  force = stiffness = 0;
  for (PatchPiece& sum : merged_) {
    sum.p_W = sum.p_W / sum.force;
    sum.force = norm(sum.n_W);
    sum.n_W = normalized(sum.n_W);
    force += sum.force;
    stiffness += sum.stiffness;
  }
  pieces.assign(merged_.begin(), merged_.end());
  grid_block_.assign(merged_grid_block_.begin(), merged_grid_block_.end());
}

double ExitStiffness(const Patch& patch, const PatchBlock& block) {
  const double c = dot(block.n_W, patch.mean_normal);
  if (c < kFarAside) return 0;
  return std::max(0.0, -dot(block.slope_W, patch.mean_normal - c * block.n_W) / c);
}

}  // namespace taxel
