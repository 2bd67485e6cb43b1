// Cases: a grid on a box that fills its face and one that does not, with sides of different length and off
// the middle; on another face; a list of points in rows, turned and rounded, on a mesh; points that lie in no
// rows; a wrapped grid; what is given stays; too many taxels; a cell that fits the shape not.
#include "taxel/skin/taxel_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "taxel/contact/body_data.h"
#include "taxel/contact/contact.h"
#include "taxel/math/error.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/skin/column_cells.h"
#include "taxel/skin/plane_cells.h"
#include "taxel/skin/skin.h"

namespace taxel {
using namespace internal;
namespace {

BodyOptions Columns(double thickness = 0) {
  BodyOptions o;
  o.modulus = 1e5;
  o.field.kind = FieldKind::kColumns;
  o.field.thickness = thickness;
  return o;
}

Body Laid(const Body& body, const Description::Entries& entries) {
  return WithColumnsByTaxels(MakeLayout(Description("skin", entries), body), body);
}

// Columns of each taxel of a flat grid; -1: those beyond it.
std::map<int, int> Count(const Body& body, const Description::Entries& entries) {
  const Layout layout = MakeLayout(Description("skin", entries), body);
  std::map<int, int> count;
  const ColumnTaxels taxels = TaxelsOfColumns(
      body.data().columns, layout.count(),
      [&](const PressedFaces& faces, CellLoads* cells) { IntegratePlaneCells(layout.grid, faces, cells); });
  for (int c = 0; c < taxels.columns(); ++c) ++count[taxels.whole(c)];
  return count;
}

double Area(const Body& body) {
  double sum = 0;
  for (const Column& c : body.data().columns.columns) sum += c.area;
  return sum;
}

TEST(TaxelColumns, ATaxelOfAGridThatFillsTheFaceHoldsWholeColumns) {
  const Body pad(Box{{0.04, 0.03, 0.005}}, Columns());
  const Body laid = Laid(pad, {{"shape", "7 5"}});
  const std::map<int, int> count = Count(laid, {{"shape", "7 5"}});
  ASSERT_EQ(count.size(), 35u);
  // About 1.08 mm are usual: 8 mm are 7 columns, 4.29 mm are 4.
  for (const auto& [taxel, n] : count) EXPECT_EQ(n, 28) << taxel;
  EXPECT_NEAR(Area(laid), 0.04 * 0.03, 1e-15);
  EXPECT_TRUE(Count(pad, {{"shape", "7 5"}}).empty());  // the usual lattice is cut by it
}

TEST(TaxelColumns, AGridOffTheMiddleLeavesPartsOfColumnsAtTheRim) {
  const Description::Entries grid{
      {"shape", "4 6"}, {"pitch", "0.0041 0.0053"}, {"center", "0.0013 -0.0021"}, {"face", "-y"}};
  BodyOptions o = Columns();
  o.field.exposed = {0, -1, 0};
  const Body pad(Box{{0.04, 0.006, 0.03}}, o);
  const Body laid = Laid(pad, grid);
  std::map<int, int> count = Count(laid, grid);
  EXPECT_GT(count[-1], 100);
  count.erase(-1);
  ASSERT_EQ(count.size(), 24u);
  for (const auto& [taxel, n] : count) EXPECT_EQ(n, 20) << taxel;  // 4 x 5
  EXPECT_NEAR(Area(laid), 0.04 * 0.03, 1e-15);
  for (const Column& c : laid.data().columns.columns) {
    EXPECT_LE(std::fabs(c.p.x) +
                  std::max(std::fabs(dot(c.s[0] * c.u, {1, 0, 0})), std::fabs(dot(c.t[0] * c.v, {1, 0, 0}))),
              0.02 + 1e-12);
    EXPECT_EQ(c.d.y, -1);
  }
}

TEST(TaxelColumns, TheForceIsThatOfTheUsualLattice) {
  const Description::Entries grid{{"shape", "4 6"}, {"pitch", "0.0041 0.0053"}, {"center", "0.0013 -0.0021"}};
  const Body pad(Box{{0.04, 0.03, 0.005}}, Columns()), laid = Laid(pad, grid);
  BodyOptions rigid;
  const Body box(Box{{0.017, 0.013, 0.01}}, rigid), ball(Sphere{0.01}, rigid);
  const Pose flat{RotationFromQuaternion(std::cos(0.2), 0, 0, std::sin(0.2)), {0.008, -0.004, 0.0068}};
  // A flat punch that hangs over no edge: F = E A d / h, whatever the lattice.
  EXPECT_NEAR(ComputeContact(laid, Pose{}, box, flat).normal_force, 1e5 * 0.017 * 0.013 * 0.0007 / 0.005,
              1e-9);
  const Pose over{Mat3{}, {0.014, 0.009, 0.0115}};
  const ContactSurface a = ComputeContact(pad, Pose{}, ball, over),
                       b = ComputeContact(laid, Pose{}, ball, over);
  EXPECT_NEAR(b.normal_force / a.normal_force, 1, 2e-3);
  EXPECT_LT(norm(a.center_of_pressure - b.center_of_pressure), 2e-5);
}

TEST(TaxelColumns, TaxelsOnAnotherFaceDoNotMatter) {
  const Body pad(Box{{0.04, 0.03, 0.005}}, Columns());
  const Body laid = Laid(pad, {{"shape", "2 5"}, {"face", "+x"}});
  EXPECT_EQ(&laid.data(), &pad.data());
}

// A slab as a mesh, turned about z.
TriangleMesh Slab(double angle) {
  TriangleMesh mesh = PrimitiveSurface(Box{{0.03, 0.02, 0.004}}, 0.03);
  const Pose X{RotationFromQuaternion(std::cos(angle / 2), 0, 0, std::sin(angle / 2)), {0.1, -0.05, 0.02}};
  for (Vec3& v : mesh.vertices) v = X * v;
  return mesh;
}

Layout Rows(double angle, int rows, int cols, double du, double dv, double noise) {
  const Pose X{RotationFromQuaternion(std::cos(angle / 2), 0, 0, std::sin(angle / 2)), {0.1, -0.05, 0.02}};
  Layout out;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      if (r == 0 && c == 0) continue;  // a corner is missing
      const double off = noise * ((r * 7 + c * 3) % 5 - 2);
      out.points.push_back(X *
                           Vec3{(c - 0.5 * (cols - 1)) * du + off, (r - 0.5 * (rows - 1)) * dv - off, 0.002});
      out.normals.push_back({0, 0, 1});
      out.areas.push_back(du * dv);
    }
  return out;
}

TEST(TaxelColumns, PointsInRowsAreFoundOnATurnedMesh) {
  for (const double noise : {0.0, 1e-6}) {  // as a file rounds them
    const double angle = 0.37;
    const Body pad(Slab(angle), Columns());
    const Layout layout = Rows(angle, 10, 14, 0.0021, 0.0019, noise);
    const Body laid = WithColumnsByTaxels(layout, pad);
    const ColumnCell& cell = laid.options().field.column_cell;
    ASSERT_TRUE(cell.given());
    // Usual are 0.77 mm: three columns along, two across, or the other way round.
    const double u = norm(cell.across_u), v = norm(cell.across_v);
    EXPECT_NEAR(std::max(u, v), 0.0019 / 2, 1e-6);
    EXPECT_NEAR(std::min(u, v), 0.0021 / 3, 1e-6);
    const Vec3 along{std::cos(angle), std::sin(angle), 0};
    EXPECT_NEAR(std::fabs(dot(u < v ? cell.across_u : cell.across_v, along)), std::min(u, v), 1e-8);
    // Each column's centre is at a third or a half of its taxel.
    const ColumnSkin::Lattice& l = laid.data().columns.lattice;
    const double at = (dot(layout.points[60], l.u) - l.u0) / l.step_u, whole = at - std::floor(at);
    EXPECT_NEAR(std::min({std::fabs(whole), std::fabs(whole - 0.5), std::fabs(whole - 1)}), 0, 0.01);
  }
}

TEST(TaxelColumns, PointsThatLieInNoRowsChangeNothing) {
  const Body pad(Slab(0), Columns());
  Layout hex;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 8; ++c) {
      hex.points.push_back({0.1 + 0.003 * (c + 0.5 * (r % 2) - 4), -0.05 + 0.0026 * (r - 3), 0.022});
      hex.normals.push_back({0, 0, 1});
      hex.areas.push_back(7.8e-6);
    }
  EXPECT_EQ(&WithColumnsByTaxels(hex, pad).data(), &pad.data());
  Layout three = Rows(0, 2, 2, 0.01, 0.01, 0);
  EXPECT_EQ(&WithColumnsByTaxels(three, pad).data(), &pad.data());
}

TEST(TaxelColumns, ARoundSkinTakesItsSpacing) {
  const Body finger(Capsule{0.008, 0.02}, Columns(0.002));
  const Body laid = Laid(finger, {{"shape", "12 16"}});
  std::vector<double> areas = MakeLayout(Description("skin", {{"shape", "12 16"}}), finger).areas;
  std::sort(areas.begin(), areas.end());
  const double side = std::sqrt(areas[areas.size() / 2]);
  EXPECT_NEAR(std::remainder(side / laid.options().resolution, 1.0), 0, 1e-9);
  EXPECT_LT(laid.options().resolution, side);
}

TEST(TaxelColumns, WhatIsGivenStays) {
  BodyOptions o = Columns();
  o.resolution = 0.003;
  const Body pad(Box{{0.04, 0.03, 0.005}}, o);
  EXPECT_EQ(&Laid(pad, {{"shape", "7 5"}}).data(), &pad.data());
  o = Columns();
  o.field.kind = FieldKind::kBacked;
  const Body backed(Box{{0.04, 0.03, 0.005}}, o);
  EXPECT_EQ(&Laid(backed, {{"shape", "7 5"}}).data(), &backed.data());
  const Body plane(HalfSpace{}, Columns(0.01));
  EXPECT_EQ(&Laid(plane, {{"shape", "7 5"}, {"pitch", "0.01"}}).data(), &plane.data());
}

TEST(TaxelColumns, ManyTaxelsDoNotMakeManyColumns) {
  const Body pad(Box{{0.04, 0.03, 0.005}}, Columns());
  EXPECT_EQ(Laid(pad, {{"shape", "96 128"}}).data().columns.columns.size(), 96u * 128u);
  EXPECT_EQ(&Laid(pad, {{"shape", "192 256"}}).data(), &pad.data());
}

TEST(TaxelColumns, ACellThatFitsNotIsRefused) {
  const auto refuses = [](auto&& make, const char* words) {
    try {
      make();
      ADD_FAILURE() << words;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  BodyOptions o = Columns();
  o.field.column_cell = {{}, {0.001, 0.0005, 0}, {-0.0005, 0.001, 0}};
  refuses([&] { Body(Box{{0.04, 0.03, 0.005}}, o); }, "along the edges of the exposed face");
  o.field.column_cell = {{}, {0.001, 0, 0}, {0.0005, 0.001, 0}};
  refuses([&] { Body(Box{{0.04, 0.03, 0.005}}, o); }, "at a right angle");
  o.field.column_cell = {{}, {0.001, 0, 0}, {0, 0.001, 0}};
  refuses([&] { Body(Sphere{0.01}, o); }, "is for flat skins");
  o.resolution = 0.001;
  refuses([&] { Body(Box{{0.04, 0.03, 0.005}}, o); }, "both given");
  o.resolution = 0;
  o.field.kind = FieldKind::kBacked;
  refuses([&] { Body(Box{{0.04, 0.03, 0.005}}, o); }, "is for a skin of columns");
}

}  // namespace
}  // namespace taxel
