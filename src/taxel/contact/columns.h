// A skin as a lattice of columns that stand on a bone.
#pragma once

#include <cmath>
#include <vector>

#include "taxel/field/field_options.h"
#include "taxel/math/box3.h"
#include "taxel/shape/primitives.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// Columns under a bend as tight as they are long would end in a point, and hold nothing there.
inline constexpr double kTightest = 0.3;

/// One column, in the body's frame. Its cell on the skin is a convex polygon in the coordinates (s, t) along
/// the axes u, v from its centre; coordinates tau along d are positive outside.
struct Column {
  static constexpr int kMaxCorners = 4;
  Vec3 p, d, u, v;    ///< centre of its cell on the skin; outward; u x v = d
  double length = 0;  ///< from the skin to the bone, m
  /// Its own, in the body's: the pressure rises by it over the length.
  double modulus = 1;
  double area = 0;  ///< of the skin, seen along d, m2
  /// The skin over the cell: tau = slope_s s + slope_t t, less `sag` on the mean over the cell.
  double slope_s = 0, slope_t = 0, sag = 0;
  /// Beside a ridge a column ends where it meets those of the other face: it is there down to the depth
  /// ridge + ridge_s s + ridge_t t.
  double ridge = HUGE_VAL, ridge_s = 0, ridge_t = 0;
  /// Corners, counter-clockwise about d, and how they draw together by depth: at depth z they are at
  /// (s - z spread_s, t - z spread_t), so that the columns of a curved skin fill it down to the bone.
  int corners = 0;
  double s[kMaxCorners], t[kMaxCorners], spread_s[kMaxCorners], spread_t[kMaxCorners];
  double tight = HUGE_VAL;  ///< depth from which on they keep their distance, at kTightest of what it was
  double mean_ss = 0, mean_tt = 0;  ///< of s^2 and t^2 over the cell, m2
  double radius = 0;                ///< of the cell about its centre, m
  int place = -1;                   ///< in the lattice of a flat skin, row by row

  /// From the corners: area, means and radius. The cell is scaled to `exact` where that is given, m2.
  void Finish(double exact = 0);
  /// Corners of a rectangle about the centre, all finished.
  void SetRectangle(double half_s, double half_t);
  /// One of the four parts of its cell, of the same direction and length.
  Column Quarter(int k) const;
};

/// Immutable. Clusters are columns that are near each other: columns[first .. first + count), inside `box`
/// down to their bone.
struct ColumnSkin {
  struct Cluster {
    Box3 box;
    Vec3 center;  ///< and radius: a ball round the box
    double radius;
    int first, count;
  };
  std::vector<Column> columns;
  std::vector<Cluster> clusters;
  Box3 box;
  /// Parallel columns: cells of step_u x step_v from (u0, v0) on along the axes; columns by place, -1: none.
  struct Lattice {
    Vec3 d, u, v;
    double u0, v0, step_u, step_v;
    int cols = 0, rows = 0;
    std::vector<int> column;
    std::vector<Vec3> at;  ///< by column: its centre along u, v, d
  };
  Lattice lattice;                   ///< cols 0: the columns are not parallel
  double spacing = 0;                ///< as made, m
  double shortest = 0, longest = 0;  ///< lengths, m
  double softest = 1;                ///< the least modulus, in the body's

  bool empty() const { return columns.empty(); }
  /// Orders the columns into clusters and finds the boxes; fills lattice.column.
  void Finish();
};

/// Columns where no spacing is given, about: on a pad, and all round a body, which is touched on a small
/// part.
inline constexpr int kUsualColumns = 1024, kUsualAround = 4096;
/// And the most there may be.
inline constexpr int kMostColumns = 100000;

/// On the face `exposed` of a box, or all round a sphere, capsule, cylinder or ellipsoid. `thickness` was
/// checked against the shape. @param spacing m; 0: about kUsualColumns. @throws Error for too many.
ColumnSkin MakeColumns(const Primitive& shape, const FieldOptions& field, double thickness, double spacing,
                       const char* name);
/// On a rectangle of the plane z = 0 with its lattice at multiples of `spacing`.
void MakePlaneColumns(double x0, double x1, double y0, double y1, double thickness, double spacing,
                      ColumnSkin* out);
/// On a closed mesh. Without a thickness: a height map over the back, columns along `exposed` from the skin
/// down to the far side. With it, or down to the middle: columns under each triangle but those that face away
/// from `exposed` (within 45 degrees), or under skin_triangles where they are given.
ColumnSkin MakeMeshColumns(const TriangleMesh& surface, const FieldOptions& field, double spacing,
                           const char* name);

/// The spacing where none is given, m. Not of a half space; of a mesh with a thickness about, by all of its
/// area.
double UsualSpacing(const Primitive& shape, const FieldOptions& field);
double UsualSpacing(const TriangleMesh& surface, const FieldOptions& field);

/// The greatest length that all but a few columns may have before they draw together to kTightest, m;
/// infinite on a flat skin.
double LongestColumns(const ColumnSkin& skin);

/// The column that a point is in, by the nearest axis.
struct ColumnPlace {
  int column = -1;   ///< -1: in none
  double depth = 0;  ///< below the skin along the column, m
};
ColumnPlace FindColumn(const ColumnSkin& skin, const Vec3& p);

}  // namespace taxel
