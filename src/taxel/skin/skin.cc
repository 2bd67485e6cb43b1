#include "taxel/skin/skin.h"

#include <algorithm>
#include <cmath>

#include "taxel/contact/body_data.h"
#include "taxel/math/check_rigid.h"
#include "taxel/math/error.h"
#include "taxel/shape/ray.h"
#include "taxel/skin/balance.h"
#include "taxel/skin/column_cells.h"
#include "taxel/skin/plane_cells.h"

namespace taxel {
using namespace internal;
namespace {

// The share of a contact that no cell covers. Its cells hold what the surface gives, not yet what acts.
double UncoveredShare(const ContactTotals& t, const CellLoads& cells) {
  if (!(t.load > 0)) return 0;
  double covered = 0;
  for (int i : cells.active()) covered += t.acts ? cells[i].grip : cells[i].load;
  const double share = 1 - covered / t.load;
  return share > 1e-9 ? std::min(share, 1.0) : 0;  // less is rounding
}

// The same by rays, which do not see the steep sides of an object: by the force along the mean normal.
double UnseenShare(const ContactTotals& t, double factor, const CellLoads& cells) {
  const double whole = factor * norm(t.elastic);
  if (!(whole > 0)) return 0;
  double seen = 0;
  for (int i : cells.active()) seen += dot(cells[i].force, normalized(t.elastic));
  return std::clamp(1 - seen / whole, 0.0, 1.0);
}

// From this share of the friction bound on a taxel counts as sliding.
constexpr double kSliding = 0.95;

double Area(const Layout& layout, int i) { return layout.areas[i]; }

}  // namespace

Skin::Skin(Layout layout, const ReadoutOptions& options, const Body& body, const Layout* fine)
    : layout_(std::move(layout)), options_(options) {
  CheckReadout(options_, "skin");
  if (layout_.count() == 0) throw Error("skin: the layout has no taxel");
  if (options_.method == Readout::kRays)
    samples_ = MakeSamples(layout_, fine, body, options_);
  else if (by_nearest())
    voronoi_ = VoronoiCells(layout_, options_.limit);
  if (options_.method != Readout::kRays && !body.data().columns.empty()) {
    SkinWorkspace w;
    // Taxels in a row cut a face by two planes, others by those of all around: columns may lie on several.
    constexpr double kSplit = 0.5;
    column_taxels_ = TaxelsOfColumns(
        body.data().columns, count(),
        [&](const PressedFaces& faces, CellLoads* cells) { Integrate(faces, &w, cells); },
        by_nearest() ? kSplit : 0);
  }
}

void Skin::Integrate(const PressedFaces& faces, SkinWorkspace* w, CellLoads* cells) const {
  if (by_nearest())
    voronoi_.Integrate(faces, &w->voronoi, cells);
  else
    IntegratePlaneCells(layout_.grid, faces, cells);
}

void Skin::CastLattice(double factor, bool keep_samples, SkinWorkspace* w) const {
  const PlaneGrid& g = samples_.lattice;
  RayLattice& rays = w->rays;
  rays.Cast(g, w->faces, options_.reach);
  if (rays.r0 == rays.r1) return;
  const Vec3 eu = g.X_GF.R.col(0), ev = g.X_GF.R.col(1), en = g.X_GF.R.col(2);
  // How a face leans, per unit of pressure on the cell: its push along the surface, and along its own normal.
  w->pushed.resize(w->faces.count());
  for (int f = 0; f < w->faces.count(); ++f) {
    const Vec3& n = w->faces.inward[f];
    const double down = -dot(n, en);
    w->pushed[f] = down > 1e-9 ? Vec3{dot(n, eu) / down, dot(n, ev) / down, 1 / down} : Vec3{};
  }
  if (keep_samples)
    for (int r = rays.r0; r < rays.r1; ++r)
      for (int c = rays.c0; c < rays.c1; ++c) w->sampled[r * g.cols + c] += factor * rays.pressure(r, c);
  const int sr = samples_.stencil_rows, sc = samples_.stencil_cols;
  const auto first_of = [](int at, int size, int step) { return std::max(0, (at - size) / step); };
  const int t0 = first_of(rays.r0, sr, samples_.step_v),
            t1 = std::min(layout_.grid.rows, (rays.r1 - 1) / samples_.step_v + 1);
  const int k0 = first_of(rays.c0, sc, samples_.step_u),
            k1 = std::min(layout_.grid.cols, (rays.c1 - 1) / samples_.step_u + 1);
  for (int t = t0; t < t1; ++t)
    for (int k = k0; k < k1; ++k) {
      const int row = t * samples_.step_v, col = k * samples_.step_u;
      const int j0 = std::max(row, rays.r0), j1 = std::min(row + sr, rays.r1);
      const int i0 = std::max(col, rays.c0), i1 = std::min(col + sc, rays.c1);
      if (i0 >= i1) continue;
      double mean = 0, peak = 0;
      Vec3 lean;
      for (int j = j0; j < j1; ++j) {
        const double* p = rays.row(j) + (i0 - rays.c0);
        const int* face = rays.face_row(j) + (i0 - rays.c0);
        const double* weight = samples_.stencil.data() + (j - row) * sc + (i0 - col);
        double row_sum = 0;
        for (int i = 0; i < i1 - i0; ++i) {
          const double value = weight[i] * p[i];
          row_sum += value;
          peak = std::max(peak, weight[i] > 0 ? p[i] : 0.0);
          if (face[i] >= 0) lean += value * w->pushed[face[i]];
        }
        mean += row_sum;
      }
      if (!(mean > 0)) continue;
      const int taxel = t * layout_.grid.cols + k;
      CellLoad& cell = w->cells.Use(taxel);
      const double area = Area(layout_, taxel);
      cell.load = cell.grip = factor * area * lean.z;
      cell.force = (factor * area) * (lean.x * eu + lean.y * ev - mean * en);
      cell.held = cell.force;
      cell.moment = cell.load * layout_.points[taxel];
      cell.peak = factor * peak;
    }
}

void Skin::CastList(double factor, bool keep_samples, SkinWorkspace* w) const {
  TriangleMesh& mesh = w->triangles;
  mesh.vertices.assign(w->faces.vertices.begin(), w->faces.vertices.end());
  mesh.triangles.clear();
  w->face_of.clear();
  for (int f = 0; f < w->faces.count(); ++f)
    for (int i = w->faces.start[f] + 2; i < w->faces.start[f + 1]; ++i) {
      mesh.triangles.push_back({w->faces.start[f], i - 1, i});
      w->face_of.push_back(f);
    }
  if (mesh.triangles.empty()) return;
  std::vector<Box3> boxes(mesh.triangles.size());
  for (std::size_t t = 0; t < boxes.size(); ++t)
    for (int k = 0; k < 3; ++k) boxes[t].Include(mesh.corner(static_cast<int>(t), k));
  const Bvh bvh = BuildBvh(boxes);
  const double above = 0.05 * norm(w->faces.box.size()) + 1e-6;
  const int n = samples_.count();
  w->pressure_of.assign(n, 0.0);
  w->pushed.assign(n, Vec3{});
  for (int s = 0; s < n; ++s) {
    const Vec3 &p = samples_.points[s], &normal = samples_.normals[s];
    Ray ray{p + above * normal, -normal};
    if (options_.reach > 0) ray.t_max = above + options_.reach;
    const ShearedRay sheared = MakeShearedRay(ray);
    const SlabRay slab = MakeSlabRay(ray, w->faces.box);
    // The first face met from its outer side; those seen from behind hide nothing.
    RayHit hit;
    hit.t = ray.t_max;
    Walk(
        bvh,
        [&](const BvhNode& node, int) {
          double near, far;
          return IntersectBox(slab, node, &near, &far) && far >= 0 && near <= hit.t;
        },
        [&](int at) {
          RayHit next;
          next.triangle = bvh.items[at];
          if (!(dot(w->faces.inward[w->face_of[next.triangle]], normal) < -1e-9)) return;
          const auto& [a, b, c] = mesh.triangles[next.triangle];
          if (!IntersectTriangle(sheared, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c],
                                 EdgeRule::kBoth, &next.t, &next.u, &next.v))
            return;
          if (next.t < 0 || next.t > hit.t ||
              (next.t == hit.t && next.triangle > hit.triangle && hit.triangle >= 0))
            return;
          hit = next;
        });
    if (hit.triangle < 0) continue;
    const int f = w->face_of[hit.triangle];
    const double down = -dot(w->faces.inward[f], normal);
    const auto& t = mesh.triangles[hit.triangle];
    const double pressure = (1 - hit.u - hit.v) * w->faces.pressures[t[0]] +
                            hit.u * w->faces.pressures[t[1]] + hit.v * w->faces.pressures[t[2]];
    w->pressure_of[s] = factor * pressure;
    w->pushed[s] = (factor * pressure / down) * w->faces.inward[f];
    if (keep_samples) w->sampled[s] += factor * pressure;
  }
  for (int t = 0; t < count(); ++t) {
    double mean = 0, peak = 0, load = 0;
    Vec3 push;
    for (int k = samples_.start[t]; k < samples_.start[t + 1]; ++k) {
      const int s = samples_.sample[k];
      mean += samples_.weight[k] * w->pressure_of[s];
      peak = std::max(peak, w->pressure_of[s]);
      push += samples_.weight[k] * w->pushed[s];
      load += samples_.weight[k] * norm(w->pushed[s]);
    }
    if (!(mean > 0)) continue;
    CellLoad& cell = w->cells.Use(t);
    const double area = Area(layout_, t);
    cell.load = cell.grip = area * load;
    cell.force = area * push;
    cell.held = cell.force;
    cell.moment = cell.load * layout_.points[t];
    cell.peak = peak;
  }
}

void Skin::Combine(SkinWorkspace* w, SkinReading* reading) const {
  for (int t = 0; t < count(); ++t) {
    w->gathered.clear();
    w->weights.clear();
    if (samples_.is_lattice) {
      const int row = t / layout_.grid.cols * samples_.step_v, col = t % layout_.grid.cols * samples_.step_u;
      for (int j = 0; j < samples_.stencil_rows; ++j)
        for (int i = 0; i < samples_.stencil_cols; ++i) {
          const double weight = samples_.stencil[j * samples_.stencil_cols + i];
          if (!(weight > 0)) continue;
          w->weights.push_back(weight);
          w->gathered.push_back(w->sampled[(row + j) * samples_.lattice.cols + col + i]);
        }
    } else {
      for (int k = samples_.start[t]; k < samples_.start[t + 1]; ++k) {
        w->weights.push_back(samples_.weight[k]);
        w->gathered.push_back(w->sampled[samples_.sample[k]]);
      }
    }
    reading->values[t] =
        options_.combine(w->gathered.data(), w->weights.data(), static_cast<int>(w->gathered.size()));
  }
}

void Skin::ReadPoints(const SkinLoad& load, const Pose& X_WG, const SkinWants& wants, SkinWorkspace* w,
                      SkinReading* out) const {
  const double sign = load.skin_is_A ? 1 : -1;
  const bool acts = options_.source == Source::kContact;
  for (int k = 0; k < load.num_points; ++k) {
    const PointLoad& p = load.points[k];
    if (p.saturated && p.taxel >= 0 && wants.saturated) out->saturated[p.taxel] = 1;
    if (!(p.load > 0)) continue;
    out->area += p.area;
    out->normal_load += p.load;
    out->center_G += p.load * TransposeMul(X_WG.R, p.p_W - X_WG.p);
    if (p.taxel < 0) {
      out->missed += p.load;
      continue;
    }
    const int i = p.taxel;
    const auto on_skin = [&](const Vec3& f_W) { return sign * TransposeMul(X_WG.R, f_W); };
    const Vec3 force = on_skin(p.normal_W + p.friction_W);
    const double pressing = -dot(acts ? force : on_skin(p.elastic_W), layout_.normals[i]);
    if (options_.aggregate == Aggregate::kForce)
      out->values[i] += pressing;
    else if (options_.aggregate == Aggregate::kMax)
      out->values[i] = std::max(out->values[i], pressing / p.area);
    else
      out->values[i] += pressing / Area(layout_, i);
    out->force_G += force;
    if (wants.forces)
      out->forces[i] +=
          {dot(force, layout_.axes[i]), dot(force, layout_.second_axis(i)), -dot(force, layout_.normals[i])};
    if (wants.slip) w->capacity[i] += p.capacity, w->gathered[i] += norm(p.friction_W);
  }
}

void Skin::Read(const SkinLoad* loads, int num_loads, const Pose& X_WG, const SkinWants& wants,
                SkinWorkspace* w, SkinReading* out) const {
  CheckRigid(X_WG, "skin: the pose X_WG of its body");
  const int n = count();
  out->values.assign(n, 0.0);
  out->forces.assign(wants.forces ? n : 0, Vec3{});
  out->slip.assign(wants.slip ? n : 0, 0.0);
  out->saturated.assign(wants.saturated ? n : 0, 0.0);
  out->force_G = {};
  out->center_G = {};
  out->area = out->normal_load = out->missed = out->sliding_share = 0;
  const bool rays = options_.method == Readout::kRays, acts = options_.source == Source::kContact;
  const bool user = static_cast<bool>(options_.combine);
  if (user) w->sampled.assign(samples_.count(), 0.0);
  if (wants.slip) w->capacity.assign(n, 0.0), w->gathered.assign(n, 0.0);
  w->cells.Resize(n);

  for (int l = 0; l < num_loads; ++l) {
    const SkinLoad& load = loads[l];
    if (load.points) {
      ReadPoints(load, X_WG, wants, w, out);
      continue;
    }
    if (load.surface->empty()) {
      // Something pushes and no taxel can tell where.
      if (!acts || !load.normal || !load.at) continue;
      const double size = norm(load.normal->force);
      out->normal_load += size;
      out->missed += size;
      out->center_G += size * TransposeMul(X_WG.R, *load.at - X_WG.p);
      continue;
    }
    w->faces.Set(*load.surface, load.skin_is_A, X_WG, load.walls_act);
    const ContactTotals totals = TotalsOf(load, w->faces, X_WG, acts);
    const bool rubs = (load.friction || load.traction) && (acts || wants.forces || wants.slip);
    w->cells.Clear();
    const double factor = LoadFactor(totals);
    double missed = 0;
    if (!rays) {
      const ContactSurface& s = *load.surface;
      if (!s.columns.empty() && s.columns_of_A == load.skin_is_A && !column_taxels_.empty())
        IntegrateColumns(w->faces, s.columns, column_taxels_, &w->cells);
      else
        Integrate(w->faces, w, &w->cells);
      missed = UncoveredShare(totals, w->cells);
      BalanceCells(totals, &w->cells);
    } else {
      if (samples_.is_lattice)
        CastLattice(factor, user, w);
      else
        CastList(factor, user, w);
      missed = UnseenShare(totals, factor, w->cells);
      ShareRest(totals, &w->cells);
    }
    out->area += totals.area;
    out->normal_load += factor * totals.load;
    out->missed += missed * factor * totals.load;
    out->center_G += factor * totals.load * totals.center;

    if (rubs) {
      w->pushed.assign(n, Vec3{});
      w->weights.assign(n, 0.0);
      AddFriction(load, totals, X_WG, w->cells, w->pushed.data(), w->weights.data());
    }
    for (int i : w->cells.active()) {
      const CellLoad& cell = w->cells[i];
      // Friction on a slanting face presses too.
      const Vec3 force = rubs ? cell.force + w->pushed[i] : cell.force;
      const double pressing = -dot(acts ? force : cell.force, layout_.normals[i]), area = Area(layout_, i);
      switch (options_.aggregate) {
        case Aggregate::kMean:
          out->values[i] += pressing / area;
          break;
        case Aggregate::kForce:
          out->values[i] += pressing;
          break;
        case Aggregate::kSum:
          out->values[i] += pressing / area * samples_.scale[i];
          break;
        case Aggregate::kMax:
          out->values[i] = std::max(out->values[i], cell.peak);
          break;
        case Aggregate::kUser:
          break;
      }
      if (rubs && wants.slip) w->capacity[i] += w->weights[i], w->gathered[i] += norm(w->pushed[i]);
      out->force_G += force;
      if (wants.forces)
        out->forces[i] += {dot(force, layout_.axes[i]), dot(force, layout_.second_axis(i)),
                           -dot(force, layout_.normals[i])};
    }
  }
  if (out->normal_load > 0) out->center_G = out->center_G / out->normal_load;
  if (wants.slip) {
    double held = 0, sliding = 0;
    for (int i = 0; i < n; ++i) {
      if (!(w->capacity[i] > 0)) continue;
      out->slip[i] = std::min(1.0, w->gathered[i] / w->capacity[i]);
      (out->slip[i] >= kSliding ? sliding : held) += w->capacity[i];
    }
    out->sliding_share = sliding + held > 0 ? sliding / (sliding + held) : 0;
  }
  if (user) Combine(w, out);
}

Skin MakeSkin(const Description& d, const Body& body, const LayoutSites* sites) {
  return MakeSkin(d, body, ReadReadout(d), MakeLayout(d, body, sites));
}

Skin MakeSkin(const Description& d, const Body& body, const ReadoutOptions& options, Layout layout) {
  const bool by_cell = layout.rows > 0 && !layout.plane && options.density == 0 && options.spacing == 0;
  if (options.method != Readout::kRays || !by_cell) return Skin(std::move(layout), options, body);
  const Layout fine = MakeFineGrid(d, body, options.samples);
  return Skin(std::move(layout), options, body, &fine);
}

}  // namespace taxel
