#include "taxel/shape/tet_mesher.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "taxel/math/error.h"
#include "taxel/math/for_each_index.h"
#include "taxel/shape/dual_lattice.h"
#include "taxel/shape/fit_surface.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/refine_tets.h"
#include "taxel/shape/sharp_features.h"
#include "taxel/shape/thickness.h"
#include "taxel/shape/watertight.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kVolumeTolerance = 0.01;
constexpr int kAttempts = 3;
constexpr int kRefineRounds = 3;
constexpr double kSharpReach =
    4;  // 1 / sin(w / 2) for the sharpest opening angle w that is looked for: 29 degrees
constexpr double kPoor = 0.03;              // tetrahedra below this quality are relaxed between the rounds
constexpr double kTypicalTets = 30e3;       // up to here the lattice is finer than the walls need
constexpr std::size_t kManyQueries = 4000;  // distances that are worth a thread
constexpr double kSplitMargin = 0.15;       // a split point keeps this part of the edge from its ends

std::string Who(const char* name) { return std::string("mesh '") + name + "': "; }
constexpr const char* kWayOut =
    "; mesh it offline with 'taxel mesh IN.obj OUT.vtk' (fTetWild) and give the VTK file instead";

void CheckOptions(const MesherOptions& o, const char* name) {
  auto need = [&](bool ok, const char* what, double value, const char* rule) {
    if (!ok)
      throw Error(Who(name) + "mesher option " + what + " is " + ToText(value) + "; it must be " + rule);
  };
  need(std::isfinite(o.spacing) && o.spacing >= 0, "spacing", o.spacing,
       "finite and >= 0 (0: chosen from the body)");
  need(std::isfinite(o.surface_tolerance) && o.surface_tolerance >= 0, "surface_tolerance",
       o.surface_tolerance, "finite and >= 0 (0: chosen from the body)");
  need(o.sharp_angle > 0 && o.sharp_angle < M_PI, "sharp_angle", o.sharp_angle, "between 0 and pi radians");
  need(o.field_tolerance > 0, "field_tolerance", o.field_tolerance, "greater than 0");
  need(o.field_floor > 0, "field_floor", o.field_floor, "greater than 0");
  need(o.shortest_edge > 0, "shortest_edge", o.shortest_edge, "greater than 0");
  need(o.max_tets > 0, "max_tets", o.max_tets, "greater than 0");
  need(o.enough_tets >= 0, "enough_tets", o.enough_tets, "0 (no such limit) or more");
  need(o.max_lattice_points > 0, "max_lattice_points", o.max_lattice_points, "greater than 0");
}

/// Everything that stays the same over the attempts, in the frame L of the lattice.
struct Body {
  Mat3 R_BL;
  MeshDistance surface;
  SharpFeatures features;
  Box3 box;
  double volume;

  Body(const TriangleMesh& mesh, const Mat3& R, double sharp_angle)
      : R_BL(R), surface(InFrame(mesh, R)), features(surface.mesh(), sharp_angle) {
    box = BoundingBox(surface.mesh());
    volume = EnclosedVolume(surface.mesh());
  }
  static TriangleMesh InFrame(TriangleMesh mesh, const Mat3& R) {
    if (!(R == Mat3{}))
      for (Vec3& p : mesh.vertices) p = TransposeMul(R, p);
    return mesh;
  }
};

double ChooseSpacing(const Body& body, const MesherOptions& options, const char* name) {
  const Vec3 size = body.box.size();
  auto points_at = [&](double h) { return (size.x / h + 3) * (size.y / h + 3) * (size.z / h + 3); };
  if (options.spacing > 0) {
    if (points_at(options.spacing) > options.max_lattice_points)
      throw Error(Who(name) + "a resolution (mesher spacing) of " + ToText(options.spacing) + " m needs " +
                  std::to_string(static_cast<long long>(points_at(options.spacing))) +
                  " lattice points, more than " + std::to_string(options.max_lattice_points) +
                  "; take a greater resolution" + kWayOut);
    return options.spacing;
  }
  const Thickness thickness = MeasureThickness(body.surface);
  // Across a wall, 2 thin, lie from four cells where that is cheap down to one and a third. A cell makes
  // twelve tetrahedra.
  const double coarsest = std::min(thickness.greatest, thickness.thin);
  double h = std::clamp(std::cbrt(12 * body.volume / kTypicalTets), 0.5 * coarsest, 1.5 * coarsest);
  h = std::min(h, std::max({size.x, size.y, size.z}) / 4);
  if (!(h > 0)) throw Error(Who(name) + "no thickness could be measured; is the surface flat?" + kWayOut);
  const double wanted = h;
  while (points_at(h) > options.max_lattice_points) h *= 1.05;
  if (h > 1.8 * thickness.thin)
    throw Error(Who(name) + "parts of it are only " + ToText(2 * thickness.thin) +
                " m thick, which needs a lattice of " + ToText(wanted) + " m and more than " +
                std::to_string(options.max_lattice_points) +
                " points (max_lattice_points); raise that limit, thicken the part, or" + (kWayOut + 1));
  return h;
}

/// Splits edges of the fitted mesh and keeps the depth of its vertices.
class Refinement {
 public:
  Refinement(TetEditor* mesh, const Body& body, const MesherOptions& options, double step)
      : mesh_(*mesh), body_(body), options_(options), shortest_(options.shortest_edge * step) {
    limit_ = options.enough_tets > 0
                 ? std::min(options.max_tets, std::max(options.enough_tets, 2 * mesh_.num_tets()))
                 : options.max_tets;
    tolerance_ = options.surface_tolerance > 0 ? options.surface_tolerance : 0.001 * std::cbrt(body.volume);
    const std::vector<char> outer = mesh_.BoundaryVertices();
    depth_.resize(mesh_.num_vertices());
    off_.resize(mesh_.num_vertices());
    ForEachIndex(depth_.size(), kManyQueries, [&](std::size_t v) {
      (outer[v] ? off_ : depth_)[v] = Depth(mesh_.position(static_cast<int>(v)));
    });
    for (int v = 0; v < mesh_.num_vertices(); ++v)
      if (outer[v]) Take(v);
    greatest_ = *std::max_element(depth_.begin(), depth_.end());
  }

  /// Splits that were not made for the sake of the shape of their tetrahedra get further chances.
  bool Run() {
    for (int round = 0; round < kRefineRounds; ++round) {
      const int before = mesh_.num_tets();
      if (!SplitAll()) {
        stopped_ = limit_ < options_.max_tets;
        return stopped_;
      }
      if (mesh_.num_tets() == before || round + 1 == kRefineRounds) break;
      std::vector<char> inner(depth_.size());
      for (std::size_t v = 0; v < inner.size(); ++v) inner[v] = depth_[v] > 0;
      moved_.resize(depth_.size(), 0);
      for (int v : RelaxPoor(&mesh_, inner, kPoor)) {
        depth_[v] = Depth(mesh_.position(v));
        moved_[v] = 1;
      }
    }
    return true;
  }
  bool stopped() const { return stopped_; }
  std::vector<double> TakeDepth() { return std::move(depth_); }

 private:
  bool SplitAll() {
    RefineLimits limits;
    limits.max_tets = limit_;
    // Bisecting ever longer neighbours doubles the number of tetrahedra and gains nothing: longest first,
    // with a floor on quality, keeps them in shape.
    limits.longest_edge_ratio = std::numeric_limits<double>::infinity();
    return RefineTets(
        &mesh_, limits,
        [this](const TetEditor&, const EdgeToSplit& e) {
          if (const auto known = creases_.find(Key(e.a, e.b)); known != creases_.end())
            return std::optional<Vec3>(known->second);
          if (Settled(e)) {
            newly_settled_.push_back(Key(e.a, e.b));
            return std::optional<Vec3>();
          }
          return e.boundary ? OffSurface(e) : AtCrease(e);
        },
        [this](const TetEditor&, int v, const EdgeToSplit& e) {
          const double distance = Depth(mesh_.position(v));
          depth_.push_back(e.boundary ? 0 : distance);
          off_.push_back(e.boundary ? distance : 0);
          if (e.boundary) Take(v);
        },
        [this](const TetEditor&, const std::vector<std::array<int, 2>>& edges) { return Screen(edges); });
  }

  static std::uint64_t Key(int a, int b) {
    return static_cast<std::uint64_t>(a) << 32 | static_cast<unsigned>(b);
  }

  // Edges that need no split, now and, as their ends stay where they are, to the end of the round. What was
  // settled in an earlier round still is, unless an end was moved since.
  std::vector<char> Screen(const std::vector<std::array<int, 2>>& edges) {
    settled_.insert(settled_.end(), newly_settled_.begin(), newly_settled_.end());
    newly_settled_.clear();
    std::sort(settled_.begin(), settled_.end());
    moved_.resize(depth_.size(), 0);
    std::vector<char> worth(edges.size(), 1);
    std::vector<std::optional<Vec3>> crease(edges.size());
    ForEachIndex(edges.size(), kManyQueries, [&](std::size_t i) {
      const auto [a, b] = edges[i];
      if (!moved_[a] && !moved_[b] && std::binary_search(settled_.begin(), settled_.end(), Key(a, b))) {
        worth[i] = 0;
        return;
      }
      std::vector<int> around;
      mesh_.TetsAround(a, b, &around);
      const EdgeToSplit edge{a, b, mesh_.IsBoundaryEdge(a, b, around), false,
                             norm(mesh_.position(a) - mesh_.position(b))};
      worth[i] = !Settled(edge);
      if (worth[i] && !edge.boundary) crease[i] = AtCrease(edge);
    });
    settled_.clear();
    creases_.clear();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!worth[i]) settled_.push_back(Key(edges[i][0], edges[i][1]));
      if (crease[i]) creases_.emplace(Key(edges[i][0], edges[i][1]), *crease[i]);
    }
    std::fill(moved_.begin(), moved_.end(), 0);
    return worth;
  }

  // The edge is short, or its middle is where it should be; `forced` does not care.
  bool Settled(const EdgeToSplit& e) const {
    if (e.forced && e.boundary) return false;
    if (e.length < shortest_) return true;
    const double middle = Depth(0.5 * (mesh_.position(e.a) + mesh_.position(e.b)));
    // An end that could not be brought to the surface is no reason to split: its halves would be no nearer.
    if (e.boundary) return middle <= tolerance_ + 0.5 * (off_[e.a] + off_[e.b]);
    const double allowed = options_.field_tolerance * std::max(middle, options_.field_floor * greatest_);
    return std::fabs(middle - 0.5 * (depth_[e.a] + depth_[e.b])) <= allowed;
  }

  void Take(int v) { taken_.insert({mesh_.position(v).x, mesh_.position(v).y, mesh_.position(v).z}); }
  double Depth(const Vec3& p) const { return body_.surface.ClosestPoint(p).distance; }

  std::optional<Vec3> OffSurface(const EdgeToSplit& e) const {
    const Vec3 middle = 0.5 * (mesh_.position(e.a) + mesh_.position(e.b));
    const auto closest = body_.surface.ClosestPoint(middle);
    std::vector<Vec3> places;
    if (const auto sharp = SharpEdgeAcross(e)) places.push_back(*sharp);
    places.push_back(closest.point);
    places.push_back(0.5 * (closest.point + middle));
    std::vector<int> around;
    mesh_.TetsAround(e.a, e.b, &around);
    for (const Vec3& p : places)
      if (!taken_.count({p.x, p.y, p.z}) &&
          mesh_.WorstSplitQuality(e.a, e.b, p, around) >= RefineLimits{}.min_quality)
        return p;
    return std::nullopt;
  }

  // Where the chord e passes a sharp edge: there it is d off the surface and d / sin(w / 2) off an edge of
  // opening angle w.
  std::optional<Vec3> SharpEdgeAcross(const EdgeToSplit& e) const {
    const Vec3 a = mesh_.position(e.a), ab = mesh_.position(e.b) - a;
    Vec3 on_chord = a + 0.5 * ab;
    std::optional<Vec3> sharp;
    for (int i = 0; i < 3; ++i) {
      sharp = body_.features.ClosestOnEdges(on_chord, 0.7 * e.length);
      if (!sharp) return sharp;
      on_chord = a + std::clamp(dot(*sharp - a, ab) / norm2(ab), kSplitMargin, 1 - kSplitMargin) * ab;
    }
    const double off = norm(*sharp - on_chord);
    if (off > kSharpReach * Depth(on_chord)) return std::nullopt;
    return sharp;
  }

  std::optional<Vec3> AtCrease(const EdgeToSplit& e) const {
    const Vec3 a = mesh_.position(e.a), ab = mesh_.position(e.b) - a;
    const double da = depth_[e.a], db = depth_[e.b];
    auto error = [&](double s) { return std::fabs(Depth(a + s * ab) - ((1 - s) * da + s * db)); };
    double lo = kSplitMargin, hi = 1 - kSplitMargin;  // the error has one peak where d has one crease
    for (int i = 0; i < 14; ++i) {
      const double s = lo + (hi - lo) / 3, t = hi - (hi - lo) / 3;
      if (error(s) < error(t)) {
        lo = s;
      } else {
        hi = t;
      }
    }
    return a + 0.5 * (lo + hi) * ab;
  }

  TetEditor& mesh_;
  const Body& body_;
  const MesherOptions& options_;
  int limit_ = 0;
  bool stopped_ = false;
  double shortest_, tolerance_ = 0, greatest_ = 0;
  std::vector<double> depth_;  // 0 on the outer surface
  std::vector<char> moved_;    // since the last screening
  std::vector<std::uint64_t> settled_, newly_settled_;
  std::unordered_map<std::uint64_t, Vec3> creases_;  // of the inner edges that this round started with
  std::vector<double> off_;                          // distance of outer vertices from the input surface
  std::set<std::array<double, 3>>
      taken_;  // places of outer vertices: two at one would let the surface touch itself
};

double LargestBall(const MeshedInterior& m, const MeshDistance& surface) {
  std::vector<int> order(m.depth.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return m.depth[a] > m.depth[b]; });
  double best = 0;
  std::vector<Vec3> started;
  for (int v : order) {
    const Vec3& p = m.mesh.vertices[v];
    if (started.size() >= 4 || m.depth[v] < 0.5 * m.depth[order[0]]) break;
    if (std::any_of(started.begin(), started.end(),
                    [&](const Vec3& q) { return norm(p - q) < 0.5 * m.depth[v]; }))
      continue;
    started.push_back(p);
    best = std::max(best, GrowInscribedBall(surface, p, 0.5 * m.spacing).radius);
  }
  return best;
}

/// One attempt; nullopt with `trouble` filled in when a finer lattice may help.
std::optional<MeshedInterior> Attempt(const TriangleMesh& input, const Body& body,
                                      const MesherOptions& options, double spacing, const std::string& who,
                                      std::string* trouble) {
  const Lattice lattice = MakeLattice(body.box, spacing, body.features.corners());
  if (lattice.size() > 4 * std::int64_t{options.max_lattice_points}) {
    *trouble +=
        "; a finer lattice would need " + std::to_string(lattice.size()) + " points (max_lattice_points)";
    return std::nullopt;
  }
  LatticeMesh first = MeshLattice(body.surface, lattice);
  if (first.mesh.tets.empty()) {
    *trouble = "no lattice point lies inside";
    return std::nullopt;
  }
  const WatertightReport closed = CheckWatertight(BoundarySurface(first.mesh));
  if (!closed.ok()) {
    *trouble = "parts closer than the spacing grow together";
    return std::nullopt;
  }
  TetEditor edit(first.mesh);
  const SurfaceFit fit = FitToSurface(&edit, first, body.surface, body.features);
  const double step = std::min({lattice.step.x, lattice.step.y, lattice.step.z});
  Refinement refinement(&edit, body, options, step);
  if (!refinement.Run())
    throw Error(who + "more than " + std::to_string(options.max_tets) +
                " tetrahedra (max_tets) would be needed; raise max_tets, spacing, surface_tolerance or "
                "field_tolerance, or" +
                (kWayOut + 1));
  MeshedInterior out;
  out.spacing = step;
  out.stopped = refinement.stopped();
  out.depth = refinement.TakeDepth();
  out.mesh = std::move(edit).Release();
  const double volume = TotalVolume(out.mesh);
  if (std::fabs(volume - body.volume) > kVolumeTolerance * body.volume) {
    *trouble = "the tetrahedra fill " + ToText(volume) + " m3, but the surface encloses " +
               ToText(body.volume) + " m3";
    return std::nullopt;
  }
  if (!CheckWatertight(BoundarySurface(out.mesh)).ok()) {
    *trouble = "its outer surface would touch itself";
    return std::nullopt;
  }
  out.max_depth =
      std::max(LargestBall(out, body.surface), *std::max_element(out.depth.begin(), out.depth.end()));
  if (!(body.R_BL == Mat3{}))
    for (Vec3& p : out.mesh.vertices) p = body.R_BL * p;
  out.corners = static_cast<int>(fit.vertex_of_corner.size());
  for (int c = 0; c < out.corners; ++c) {
    const int v = fit.vertex_of_corner[c];
    if (v < 0) continue;
    out.mesh.vertices[v] =
        input.vertices[body.features.corner_vertices()[c]];  // exact, whatever the rotation rounded
    ++out.corners_kept;
  }
  return out;
}

}  // namespace

MeshedInterior MeshInterior(const TriangleMesh& surface, const MesherOptions& options, const char* name) {
  CheckOptions(options, name);
  CheckIndices(surface, name);
  const WatertightReport report = CheckWatertight(surface);
  if (!report.ok()) throw Error(report.Describe(name));
  const Body body(surface, FavouredFrame(surface), options.sharp_angle);
  if (!(body.volume > 0))
    throw Error(Who(name) + "its triangles face inwards (enclosed volume " + ToText(body.volume) +
                " m3); reverse the order of the vertices of each triangle");
  double spacing = ChooseSpacing(body, options, name);
  std::string trouble;
  for (int attempt = 0; attempt < kAttempts; ++attempt, spacing /= 2)
    if (auto out = Attempt(surface, body, options, spacing, Who(name), &trouble)) return *std::move(out);
  throw Error(Who(name) + trouble + " (after halving the lattice spacing down to " + ToText(2 * spacing) +
              " m)" + kWayOut);
}

MeshedInterior RefineForDepth(const TetMesh& mesh, const MesherOptions& options, const char* name) {
  CheckOptions(options, name);
  TetMesh positive = mesh;
  CheckAndOrient(&positive, name);
  const Body body(BoundarySurface(positive), Mat3{}, options.sharp_angle);
  // The typical edge, of a regular tetrahedron with the mean volume, takes the place of the lattice step.
  MeshedInterior out;
  out.spacing = std::cbrt(6 * std::sqrt(2.0) * body.volume / static_cast<double>(positive.tets.size()));
  TetEditor edit(std::move(positive));
  MesherOptions all = options;
  all.enough_tets = 0;  // whoever meshes elsewhere has chosen how many
  Refinement refinement(&edit, body, all, out.spacing);
  if (!refinement.Run())
    throw Error(Who(name) + "more than " + std::to_string(options.max_tets) +
                " tetrahedra would be needed; start from a coarser mesh or raise field_tolerance");
  out.depth = refinement.TakeDepth();
  out.mesh = std::move(edit).Release();
  out.max_depth =
      std::max(LargestBall(out, body.surface), *std::max_element(out.depth.begin(), out.depth.end()));
  return out;
}

}  // namespace taxel
