// The table: exact on what it can represent, bilinear in between, clamped; the fit recovers a planted table,
// fills normals that no pixel shows, keeps the flat gel without colour, weights count; errors.
#include "taxel/image/photometric_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/math/error.h"
#include "taxel/math/random.h"

namespace taxel {
using namespace internal;
namespace {

// Bilinear in the normal, quadratic in the place: what a table holds without loss.
void Planted(float nx, float ny, float x, float y, float colour[3]) {
  colour[0] = 30 * nx - 11 * ny + 5 * nx * x * y;
  colour[1] = -20 * ny + 8 * nx * ny + 3 * ny * x * x;
  colour[2] = 14 * nx + 9 * ny - 6 * nx * y + 2 * ny * y * y;
}

PhotometricTable PlantedTable(int nodes) {
  PhotometricTable table = PhotometricTable::Flat(nodes);
  for (int j = 0; j < nodes; ++j)
    for (int i = 0; i < nodes; ++i) {
      const float nx = -1 + 2.0f * i / (nodes - 1), ny = -1 + 2.0f * j / (nodes - 1);
      float* v = table.values.data() + (static_cast<std::size_t>(j) * nodes + i) * 18;
      v[0 * 3 + 0] = 30 * nx - 11 * ny, v[4 * 3 + 0] = 5 * nx;
      v[0 * 3 + 1] = -20 * ny + 8 * nx * ny, v[3 * 3 + 1] = 3 * ny;
      v[0 * 3 + 2] = 14 * nx + 9 * ny, v[2 * 3 + 2] = -6 * nx, v[5 * 3 + 2] = 2 * ny;
    }
  return table;
}

struct Dice {
  std::uint64_t count = 0;
  float operator()() { return static_cast<float>(2 * RandomUniform(7, count++) - 1); }
};

TEST(PhotometricTable, LookUpIsExactBetweenNodes) {
  const PhotometricTable table = PlantedTable(11);
  CheckTable(table);
  Dice dice;
  for (int k = 0; k < 1000; ++k) {
    const float nx = dice(), ny = dice(), x = dice(), y = dice();
    float found[3], expected[3];
    LookUpColour(table.values.data(), table.nodes, nx, ny, x, y, found);
    Planted(nx, ny, x, y, expected);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(found[c], expected[c], 2e-5);
  }
  // Corners are nodes; beyond them the table is clamped.
  float corner[3], beyond[3];
  LookUpColour(table.values.data(), table.nodes, 1, -1, 0.3f, 0.2f, corner);
  LookUpColour(table.values.data(), table.nodes, 1.5f, -7, 0.3f, 0.2f, beyond);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(corner[c], beyond[c]);
}

TEST(PhotometricTable, NormalOfASlope) {
  float nx, ny;
  NormalOfSlope(3, -4, &nx, &ny);
  EXPECT_NEAR(nx, 3 / std::sqrt(26.0), 1e-6);
  EXPECT_NEAR(ny, -4 / std::sqrt(26.0), 1e-6);
}

TEST(PhotometricTable, FitRecoversAPlantedTable) {
  PhotometricFit fit(11);
  Dice dice;
  for (int k = 0; k < 20000; ++k) {
    const float nx = dice(), ny = dice(), x = dice(), y = dice();
    float colour[3];
    Planted(nx, ny, x, y, colour);
    fit.Add(nx, ny, x, y, colour, 1);
  }
  const PhotometricTable table = fit.Solve(1e-6, 1e-6);
  const PhotometricTable planted = PlantedTable(11);
  for (std::size_t i = 0; i < table.values.size(); ++i) EXPECT_NEAR(table.values[i], planted.values[i], 2e-3);
  double seen = 0;
  for (const double c : fit.coverage()) seen += c;
  EXPECT_NEAR(seen, 20000, 0.1);
}

TEST(PhotometricTable, UnseenNormalsGoOnStraightAndTheFlatGelHasNoColour) {
  // Slopes up to 0.5 only, an offset of 4 levels everywhere: the flat node must stay at zero all the same.
  PhotometricFit fit(9);
  Dice dice;
  for (int k = 0; k < 20000; ++k) {
    const float nx = 0.5f * dice(), ny = 0.5f * dice();
    const float colour[3] = {30 * nx, -20 * ny, 4};
    fit.Add(nx, ny, dice(), dice(), colour, 1);
  }
  const PhotometricTable table = fit.Solve(0.01, 1);
  float steep[3], flat[3];
  LookUpColour(table.values.data(), 9, 1, -0.75f, 0, 0, steep);
  EXPECT_NEAR(steep[0], 30, 0.3);
  EXPECT_NEAR(steep[1], 15, 0.3);
  LookUpColour(table.values.data(), 9, 0, 0, 0.4f, -0.3f, flat);
  for (const float f : flat) EXPECT_EQ(f, 0);
  EXPECT_EQ(fit.coverage()[0], 0);
  EXPECT_GT(fit.coverage()[4 * 9 + 4], 100);
}

TEST(PhotometricTable, WeightsCount) {
  PhotometricFit fit(5);
  const float right[3] = {10, 20, 30}, wrong[3] = {90, 90, 90};
  for (int k = 0; k < 100; ++k) {
    fit.Add(0.5f, 0, 0, 0, right, 1);
    fit.Add(0.5f, 0, 0, 0, wrong, 0);
  }
  float found[3];
  const PhotometricTable table = fit.Solve(1e-4, 1e-4);
  LookUpColour(table.values.data(), 5, 0.5f, 0, 0, 0, found);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(found[c], right[c], 0.01);
}

TEST(PhotometricTable, SaysWhatIsWrong) {
  EXPECT_THROW(PhotometricFit(8), Error);
  EXPECT_THROW(PhotometricFit(3), Error);
  EXPECT_THROW(PhotometricFit(7).Solve(0, 1), Error);
  EXPECT_THROW(PhotometricFit(7).Solve(1, -1), Error);
  PhotometricTable table = PhotometricTable::Flat(5);
  table.values[3] = NAN;
  EXPECT_THROW(CheckTable(table), Error);
  table = PhotometricTable::Flat(5);
  table.values.pop_back();
  EXPECT_THROW(CheckTable(table), Error);
  EXPECT_THROW(CheckTable(PhotometricTable::Flat(4)), Error);
  table = PhotometricTable::Flat(5);
  table.values[12 * 18 + 7] = 1;  // the middle node
  EXPECT_THROW(CheckTable(table), Error);
  table = PhotometricTable::Flat(5);
  table.values[11 * 18 + 7] = table.values[13 * 18] = 1;
  EXPECT_NO_THROW(CheckTable(table));
}

}  // namespace
}  // namespace taxel
