// A skin: taxels on a body, and how they are read.
#pragma once

#include <memory>
#include <vector>

#include "taxel/contact/body.h"
#include "taxel/skin/cell_loads.h"
#include "taxel/skin/column_taxels.h"
#include "taxel/skin/layout.h"
#include "taxel/skin/ray_lattice.h"
#include "taxel/skin/readout_options.h"
#include "taxel/skin/samples.h"
#include "taxel/skin/skin_load.h"
#include "taxel/skin/voronoi_cells.h"

namespace taxel {

/// What a skin feels. Arrays hold one entry a taxel.
struct SkinReading {
  std::vector<double> values;  ///< by the aggregate: Pa, or N for kForce
  /// Force on the skin in the taxel's own axes, N: along axes[i], along cross(normals[i], axes[i]), and into
  /// the skin (positive when pressed). Turned back and added up they are the force on the skin from what lies
  /// over it.
  std::vector<Vec3> forces;
  /// Share of the friction bound in use: 0 no contact or no friction, 1 where it slides.
  std::vector<double> slip;
  /// 1 where something is pressed in deeper than the skin can tell (point loads only), else 0.
  std::vector<double> saturated;

  Vec3 force_G;            ///< sum over the taxels, skin's frame, N
  double area = 0;         ///< of contact over the whole body, m2
  Vec3 center_G;           ///< centre of pressure of all contacts, skin's frame, m
  double normal_load = 0;  ///< integral of the pressure over all contacts, N
  /// The part of normal_load that lies where no taxel is, N: beyond the rim of a layout, on a face that has
  /// none. A sum of sizes, so that two presses from opposite sides do not hide each other. With rays it is
  /// good to their sampling (a few per cent), and 0 where receptive fields overlap enough to count all.
  double missed = 0;
  /// Share of the load on taxels that slide, 0 to 1. Between the two the contact slips at its rim: incipient
  /// slip.
  double sliding_share = 0;
};

/// What a reading computes besides values.
struct SkinWants {
  bool forces = false;
  bool slip = false;
  bool saturated = false;
};

struct SkinWorkspace {
  PressedFaces faces;
  CellLoads cells;
  VoronoiCells::Workspace voronoi;
  RayLattice rays;
  TriangleMesh triangles;
  std::vector<int> face_of;
  std::vector<double> pressure_of;
  std::vector<double> sampled, capacity, gathered, weights;
  std::vector<Vec3> pushed;
};

/// Immutable; may be shared between threads, one workspace each.
class Skin {
 public:
  /// @param fine  rays on a grid: the grid with more rows and columns (MakeSkin does it); else null
  Skin(Layout layout, const ReadoutOptions& options, const Body& body, const Layout* fine = nullptr);

  const Layout& layout() const { return layout_; }
  const ReadoutOptions& options() const { return options_; }
  int count() const { return layout_.count(); }
  const Samples& samples() const { return samples_; }
  /// Of each column of the body the taxels that it lies on; empty where faces are cut by them.
  const ColumnTaxels& column_taxels() const { return column_taxels_; }

  /// Reads all contacts at once. X_WG is the pose of the skin's body. With a warm workspace and reading
  /// nothing is allocated, but by rays of a list (curved skins), which make a tree of the faces.
  /// @throws Error where X_WG is not finite or not a rotation; *reading is then as it was.
  void Read(const SkinLoad* loads, int num_loads, const Pose& X_WG, const SkinWants& wants,
            SkinWorkspace* workspace, SkinReading* reading) const;

 private:
  void CastLattice(double factor, bool keep_samples, SkinWorkspace* w) const;
  void CastList(double factor, bool keep_samples, SkinWorkspace* w) const;
  void Combine(SkinWorkspace* w, SkinReading* reading) const;
  void ReadPoints(const SkinLoad& load, const Pose& X_WG, const SkinWants& wants, SkinWorkspace* w,
                  SkinReading* out) const;
  void Integrate(const PressedFaces& faces, SkinWorkspace* w, CellLoads* cells) const;
  bool by_nearest() const { return !layout_.plane || options_.limit > 0; }

  Layout layout_;
  ReadoutOptions options_;
  VoronoiCells voronoi_;
  Samples samples_;
  ColumnTaxels column_taxels_;
};

/// The skin that a description asks for, on a body: layout, read-out and whatever else the keys say of them.
Skin MakeSkin(const Description& description, const Body& body, const LayoutSites* sites = nullptr);
/// The same with options and a layout that came from elsewhere (functions of the user's, another frame).
Skin MakeSkin(const Description& description, const Body& body, const ReadoutOptions& options, Layout layout);

}  // namespace taxel
