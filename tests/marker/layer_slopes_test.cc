// Derivatives of influences: against differences over steps of another size, between cells and to markers, on
// the face and below it; signs by quadrant; ends of the ranges.
#include "taxel/marker/layer_slopes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "marker_scenes.h"
#include "taxel/marker/layer_interior.h"

namespace taxel::internal {
namespace {

using test::FlatPad, test::Grid;
constexpr double kThick = 4e-3;

LayerCells Cells() { return LayerCells(GelPad(FlatPad()), Grid(3, 2), 1e-3); }

double Worst(const LayerDense& a, const LayerDense& b) {
  double out = 0;
  for (const auto m :
       {&LayerDense::xx, &LayerDense::xy, &LayerDense::yy, &LayerDense::xz, &LayerDense::yz, &LayerDense::zz})
    out = std::max(out, (a.*m - b.*m).cwiseAbs().maxCoeff());
  return out;
}

TEST(LayerSlopes, BetweenCells) {
  const LayerCells cells = Cells();
  const std::vector<int> some{0, 3, 57, 58, 200}, others{58, 120, 3};
  for (const double nu : {0.3, 0.499}) {
    LayerSlopes slopes(cells, MakeLevels(cells, kThick, nu, 0), nu, 0);
    const auto between = [&](double H, double ratio) {
      const LayerInfluence influence(H, ratio);
      return LayerDense::Make(cells, some, others, [&](int di, int dj, LayerBlock<double>* b) {
        *b = influence.Square(di * cells.pitch, dj * cells.pitch, cells.pitch);
      });
    };
    const auto slope = [](const LayerDense& a, const LayerDense& b, double over) {
      LayerDense out;
      for (const auto m : {&LayerDense::xx, &LayerDense::xy, &LayerDense::yy, &LayerDense::xz,
                           &LayerDense::yz, &LayerDense::zz})
        out.*m = (a.*m - b.*m) / over;
      return out;
    };
    const double d = 3e-3 * (0.5 - nu), h = 3e-4 * kThick;
    const LayerDense by_nu = slope(between(kThick, nu + d), between(kThick, nu - d), 2 * d),
                     by_H = slope(between(kThick + h, nu), between(kThick - h, nu), 2 * h);
    // Differences of three times the step are nine times as far off.
    EXPECT_LT(Worst(slopes.Cells(LayerBy::kPoisson, 0, 0, some, others), by_nu),
              1e-4 * by_nu.zz.cwiseAbs().maxCoeff());
    EXPECT_LT(Worst(slopes.Cells(LayerBy::kThickness, 0, 0, some, others), by_H),
              1e-4 * by_H.zz.cwiseAbs().maxCoeff());
  }
}

TEST(LayerSlopes, ToMarkers) {
  const LayerCells cells = Cells();
  for (const double depth : {0.0, 0.5e-3}) {
    const double nu = 0.45;
    LayerSlopes slopes(cells, MakeLevels(cells, kThick, nu, depth), nu, depth);
    const int cell = 110;
    const Vec3 q = cells.place[cell].p;
    const auto at = [&](double H, double ratio, double z, std::size_t m) {
      const Vec3 p = cells.marker[m].p;
      const InteriorBlock b = LayerInterior(H, ratio, z).Square(p.x - q.x, p.y - q.y, cells.pitch);
      return std::array<double, 5>{b.xx, b.xy, b.yy, b.xz, b.yz};
    };
    for (const LayerBy by : {LayerBy::kPoisson, LayerBy::kThickness, LayerBy::kDepth}) {
      const Eigen::MatrixXd& found = slopes.Markers(by, 0, cell);
      const double step = by == LayerBy::kPoisson ? 1e-4 : 1e-6;
      for (std::size_t m = 0; m < cells.marker.size(); ++m) {
        const bool one_sided = by == LayerBy::kDepth && depth == 0;
        const auto moved = [&](double s) {
          return at(kThick + (by == LayerBy::kThickness ? s : 0), nu + (by == LayerBy::kPoisson ? s : 0),
                    depth + (by == LayerBy::kDepth ? s : 0), m);
        };
        const auto up = moved(one_sided ? 1e-7 : step), low = moved(one_sided ? 0 : -step);
        for (std::size_t c = 0; c < 5; ++c)
          EXPECT_NEAR(found(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(c)),
                      (up[c] - low[c]) / (one_sided ? 1e-7 : 2 * step),
                      (one_sided ? 2e-3 : 1e-4) * found.cwiseAbs().maxCoeff())
              << static_cast<int>(by) << " " << m << " " << c;
      }
    }
  }
}

TEST(LayerSlopes, EndsOfTheRanges) {
  const LayerCells cells = Cells();
  for (const double nu : {0.0, 0.49999}) {
    LayerSlopes slopes(cells, MakeLevels(cells, kThick, nu, 0), nu, 0);
    const LayerDense d = slopes.Cells(LayerBy::kPoisson, 0, 0, {57}, {57, 58});
    EXPECT_TRUE(d.zz.allFinite());
    EXPECT_LT(d.zz(0, 0), 0);  // nearer to no change of volume: stiffer
  }
}

}  // namespace
}  // namespace taxel::internal
