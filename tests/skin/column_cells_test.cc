// Cases: taxels that hold one or four columns each; columns beyond a smaller array; arrays that cut through
// columns have no list; a reading by columns is that by cutting; columns that lie on several taxels are
// shared, and their reading has the same sum and nearly the same taxels.
#include "taxel/skin/column_cells.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "taxel/contact/body_data.h"
#include "taxel/contact/contact.h"
#include "taxel/skin/description.h"
#include "taxel/skin/layout.h"
#include "taxel/skin/plane_cells.h"
#include "taxel/skin/skin.h"

namespace taxel {
using namespace internal;
namespace {

Body Pad(double resolution) {
  BodyOptions o;
  o.modulus = 1e5;
  o.field.kind = FieldKind::kColumns;
  o.resolution = resolution;
  return Body(Box{{0.04, 0.03, 0.005}}, o);
}

Layout Grid(const Body& body, const char* shape, const char* pitch = nullptr) {
  Description::Entries entries{{"shape", shape}};
  if (pitch) entries.emplace_back("pitch", pitch);
  return MakeLayout(Description("skin", entries), body);
}

ColumnTaxels Shares(const Body& body, const Layout& layout, double split = 0) {
  return TaxelsOfColumns(
      body.data().columns, layout.count(),
      [&](const PressedFaces& faces, CellLoads* cells) { IntegratePlaneCells(layout.grid, faces, cells); },
      split);
}

std::vector<int> Taxels(const Body& body, const Layout& layout) {
  const ColumnTaxels shares = Shares(body, layout);
  std::vector<int> out;
  for (int c = 0; c < shares.columns(); ++c) out.push_back(shares.whole(c));
  return out;
}

TEST(ColumnCells, ATaxelHoldsWholeColumns) {
  for (const auto& [resolution, each] : {std::pair(0.005, 1), std::pair(0.0025, 4)}) {
    const Body pad = Pad(resolution);
    const Layout layout = Grid(pad, "6 8");
    const std::vector<int> taxels = Taxels(pad, layout);
    ASSERT_EQ(taxels.size(), pad.data().columns.columns.size());
    std::map<int, int> count;
    for (std::size_t i = 0; i < taxels.size(); ++i) {
      ++count[taxels[i]];
      EXPECT_LT(norm(layout.points[taxels[i]] - pad.data().columns.columns[i].p), 0.0036);
    }
    EXPECT_EQ(count.size(), 48u);
    for (const auto& [taxel, n] : count) EXPECT_EQ(n, each) << taxel;
  }
}

TEST(ColumnCells, BeyondASmallerArrayThereIsNone) {
  const Body pad = Pad(0.005);
  const std::vector<int> taxels = Taxels(pad, Grid(pad, "4 4", "0.005"));
  ASSERT_EQ(taxels.size(), 48u);
  EXPECT_EQ(std::count(taxels.begin(), taxels.end(), -1), 32);
}

TEST(ColumnCells, AnArrayAcrossTheColumnsHasNoList) {
  const Body pad = Pad(0.005);
  EXPECT_TRUE(Taxels(pad, Grid(pad, "5 7")).empty());
}

TEST(ColumnCells, AReadingByColumnsIsThatByCutting) {
  const Body pad = Pad(0.0025), ball(Sphere{0.012}, {});
  const Pose X_WG{RotationAbout({0.3, 1, -0.4}, 0.8), {0.1, 0.2, -0.3}};
  const ContactSurface surface =
      ComputeContact(pad, X_WG, ball, X_WG * Pose{Mat3{}, {0.003, -0.004, 0.0133}});
  ContactSurface cut = surface;
  cut.columns.clear();
  const Skin skin(Grid(pad, "6 8"), {}, pad);
  SkinWorkspace w;
  SkinReading by_column, by_cutting;
  SkinLoad load;
  load.surface = &surface;
  skin.Read(&load, 1, X_WG, {}, &w, &by_column);
  load.surface = &cut;
  skin.Read(&load, 1, X_WG, {}, &w, &by_cutting);
  double most = 0;
  for (double v : by_cutting.values) most = std::max(most, v);
  ASSERT_GT(most, 0);
  for (int i = 0; i < skin.count(); ++i)
    EXPECT_NEAR(by_column.values[i], by_cutting.values[i], 1e-9 * most) << i;
  EXPECT_NEAR(norm(by_column.force_G - by_cutting.force_G), 0, 1e-12);
}

TEST(ColumnCells, ColumnsOnSeveralTaxelsAreShared) {
  const Body pad = Pad(0.001);
  const Layout layout = Grid(pad, "3 7");
  EXPECT_TRUE(Shares(pad, layout).empty());
  EXPECT_TRUE(Shares(pad, layout, 0.05).empty());
  const ColumnTaxels shares = Shares(pad, layout, 0.5);
  ASSERT_EQ(shares.columns(), static_cast<int>(pad.data().columns.columns.size()));
  int several = 0;
  std::vector<double> area(layout.count());
  for (int c = 0; c < shares.columns(); ++c) {
    double sum = 0;
    for (int i = shares.start[c]; i < shares.start[c + 1]; ++i) {
      sum += shares.of[i].part;
      area[shares.of[i].taxel] += shares.of[i].part * pad.data().columns.columns[c].area;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    several += shares.whole(c) < 0;
  }
  EXPECT_GT(several, 100);
  for (double a : area) EXPECT_NEAR(a, layout.areas[0], 0.06 * layout.areas[0]);  // kWhole

  const Body ball(Sphere{0.012}, {});
  const ContactSurface surface = ComputeContact(pad, {}, ball, {Mat3{}, {0.003, -0.004, 0.0133}});
  PressedFaces faces;
  faces.Set(surface, true, Pose{}, true);
  CellLoads shared, cut;
  shared.Resize(layout.count()), cut.Resize(layout.count());
  IntegrateColumns(faces, surface.columns, shares, &shared);
  IntegratePlaneCells(layout.grid, faces, &cut);
  double most = 0, sum = 0;
  for (int t : cut.active()) most = std::max(most, cut[t].load), sum += cut[t].load;
  for (int t : shared.active()) sum -= shared[t].load;
  EXPECT_NEAR(sum, 0, 1e-9 * most);
  for (int t = 0; t < layout.count(); ++t) EXPECT_NEAR(shared[t].load, cut[t].load, 0.05 * most) << t;
}

}  // namespace
}  // namespace taxel
