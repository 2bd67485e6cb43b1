// Sums over a window by transforms against the sum over its cells, one by one, of all four kinds:
//   - a gel larger than the window, and one that is smaller, whose influences end before it does
//   - between two levels of a domed gel
#include "taxel/marker/layer_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "marker_scenes.h"
#include "taxel/marker/layer_arrays.h"

namespace taxel::internal {
namespace {

struct Window {
  LayerArrays arrays;
  LayerInfluences t;
  struct alignas(16) Memory {
    char bytes[LayerWindow::kBytes];
  };
  std::unique_ptr<Memory> memory = std::make_unique<Memory>();
  LayerWindow window;
  float *a, *b;

  explicit Window(const LayerField& field, float share) : arrays(field, "window") {
    const LayerScene& s = arrays.scene();
    t.low_spectrum = s.spectra;
    if (share > 0)
      t.high_spectrum = s.spectra + LayerScene::kSpectrumSize, t.high = s.tables, t.share = share;
    window = {memory->bytes, std::min(s.nx, kLayerWindow), 0, 0};
    a = window.field(kSlotTx), b = window.field(kSlotTy);
    std::fill_n(a, kLayerWindowSlots, 0.0f);
    std::fill_n(b, kLayerWindowSlots, 0.0f);
    for (int k = 0; k < LayerWindow::kSize; ++k) window.turn(k) = {s.turns[2 * k], s.turns[2 * k + 1]};
    std::uint64_t draw = 0;
    for (int i = 0; i < std::min(s.nx, kLayerWindow); ++i)
      for (int j = 0; j < std::min(s.ny, kLayerWindow); ++j)
        for (float* v : {a, b})
          v[kLayerWindow * i + j] = static_cast<float>(2 * RandomUniform(3, draw++) - 1);
  }

  double Entry(int component, int di, int dj) const {
    const LayerScene& s = arrays.scene();
    const auto one = [&](int level) {
      return static_cast<double>(
          s.tables[(level * 6 + component) * s.table_size + (di + s.nx - 1) * s.stride + dj + s.across()]);
    };
    return t.high ? (1 - static_cast<double>(t.share)) * one(0) + static_cast<double>(t.share) * one(1)
                  : one(0);
  }

  // Largest difference from the sums one by one, of their largest.
  template <LayerSum kSum>
  double Apart() {
    const LayerScene& s = arrays.scene();
    SerialTeam team;
    double worst = 0, most = 0;
    SumOf<kSum, LayerNothing>(
        team, t, window, kSlotTx, kSlotTy, [&](int slot, float u, float v, LayerNothing*) {
          const int i = slot / kLayerWindow, j = slot % kLayerWindow;
          if (i >= s.nx || j >= s.ny) return;
          double x = 0, y = 0;
          for (int m = 0; m < std::min(s.nx, kLayerWindow); ++m)
            for (int n = 0; n < std::min(s.ny, kLayerWindow); ++n) {
              const int at = kLayerWindow * m + n;
              const double p = static_cast<double>(a[at]), q = static_cast<double>(b[at]);
              const auto entry = [&](int component) { return Entry(component, i - m, j - n); };
              if (kSum == LayerSum::kNormal) x += entry(5) * p;
              if (kSum == LayerSum::kTangential)
                x += entry(0) * p + entry(1) * q, y += entry(1) * p + entry(2) * q;
              if (kSum == LayerSum::kLift) x -= entry(3) * p + entry(4) * q;
              if (kSum == LayerSum::kSpread) x -= entry(3) * p, y -= entry(4) * p;
            }
          const bool two = kSum == LayerSum::kTangential || kSum == LayerSum::kSpread;
          worst = std::max({worst, std::fabs(x - static_cast<double>(u)),
                            two ? std::fabs(y - static_cast<double>(v)) : 0});
          most = std::max({most, std::fabs(x), std::fabs(y)});
        });
    return worst / most;
  }
  void Expect() {
    EXPECT_LT(Apart<LayerSum::kNormal>(), 1e-6);
    EXPECT_LT(Apart<LayerSum::kTangential>(), 1e-6);
    EXPECT_LT(Apart<LayerSum::kLift>(), 1e-6);
    EXPECT_LT(Apart<LayerSum::kSpread>(), 1e-6);
  }
};

TEST(LayerWindow, IsTheSumOfItsCells) {
  const MarkerDistance ball(Primitive{Sphere{8e-3}});
  Window(LayerField(GelPad(test::FlatPad()), test::Grid(), {ball}, {}, {}), 0).Expect();
  const GelPad small(MarkerDistance(Primitive{Box{{8e-3, 5e-3, 4e-3}}}));
  Window(LayerField(small, {{0, 0, 2e-3}}, {ball}, {}, {}), 0).Expect();
  const GelPad dome(MarkerDistance(Primitive{Ellipsoid{{12e-3, 14e-3, 6e-3}}}).Trilinear(0.5e-3, 1e-3));
  LayerParameters p;
  p.thickness = 5.5e-3;
  Window(LayerField(dome, {{0, 0, 6e-3}}, {ball}, p, {}), 0.3f).Expect();
}

}  // namespace
}  // namespace taxel::internal
