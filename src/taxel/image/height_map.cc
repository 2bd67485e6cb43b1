#include "taxel/image/height_map.h"

#include <algorithm>
#include <string>

#include "taxel/math/error.h"

namespace taxel {
namespace {

// Mirror at the rim without doubling the last pixel, for kernels shorter than the image.
int Mirror(int i, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i = ((i % period) + period) % period;
  return i < n ? i : period - i;
}

void Blur(int rows, int cols, int window, PressWorkspace* w, float* image) {
  const double sigma = 0.3 * (window / 2 - 1) + 0.8;
  const int half = window / 2;
  w->kernel.resize(static_cast<std::size_t>(window));
  double sum = 0;
  for (int k = 0; k < window; ++k) sum += std::exp(-0.5 * (k - half) * (k - half) / (sigma * sigma));
  for (int k = 0; k < window; ++k)
    w->kernel[k] = static_cast<float>(std::exp(-0.5 * (k - half) * (k - half) / (sigma * sigma)) / sum);
  w->rows_blurred.resize(static_cast<std::size_t>(rows) * cols);
  for (int r = 0; r < rows; ++r) {
    const float* in = image + static_cast<std::size_t>(r) * cols;
    float* out = w->rows_blurred.data() + static_cast<std::size_t>(r) * cols;
    for (int c = 0; c < cols; ++c) {
      float value = 0;
      if (c >= half && c + half < cols)
        for (int k = 0; k < window; ++k) value += w->kernel[k] * in[c + k - half];
      else
        for (int k = 0; k < window; ++k) value += w->kernel[k] * in[Mirror(c + k - half, cols)];
      out[c] = value;
    }
  }
  for (int r = 0; r < rows; ++r) {
    float* out = image + static_cast<std::size_t>(r) * cols;
    std::fill(out, out + cols, 0.0f);
    for (int k = 0; k < window; ++k) {
      const float* in = w->rows_blurred.data() + static_cast<std::size_t>(Mirror(r + k - half, rows)) * cols;
      for (int c = 0; c < cols; ++c) out[c] += w->kernel[k] * in[c];
    }
  }
}

// Half the resolution: the mean of 2 x 2 obstacles, so that a slope keeps its place.
void Coarsen(const PressWorkspace::Level& fine, PressWorkspace::Level* coarse) {
  coarse->rows = (fine.rows + 1) / 2;
  coarse->cols = (fine.cols + 1) / 2;
  const std::size_t n = static_cast<std::size_t>(coarse->rows) * coarse->cols;
  coarse->obstacle.resize(n);
  coarse->height.resize(n);
  for (int r = 0; r < coarse->rows; ++r)
    for (int c = 0; c < coarse->cols; ++c) {
      const int r1 = std::min(2 * r + 1, fine.rows - 1), c1 = std::min(2 * c + 1, fine.cols - 1);
      const std::size_t a = static_cast<std::size_t>(2 * r) * fine.cols,
                        b = static_cast<std::size_t>(r1) * fine.cols;
      coarse->obstacle[static_cast<std::size_t>(r) * coarse->cols + c] =
          0.25f * (fine.obstacle[a + 2 * c] + fine.obstacle[a + c1] + fine.obstacle[b + 2 * c] +
                   fine.obstacle[b + c1]);
    }
}

// Bilinear between the centres of the coarse pixels.
void Prolong(const PressWorkspace::Level& coarse, PressWorkspace::Level* fine) {
  for (int r = 0; r < fine->rows; ++r) {
    const int i = r / 2, i2 = std::clamp(r % 2 ? i + 1 : i - 1, 0, coarse.rows - 1);
    for (int c = 0; c < fine->cols; ++c) {
      const int j = c / 2, j2 = std::clamp(c % 2 ? j + 1 : j - 1, 0, coarse.cols - 1);
      const float* h = coarse.height.data();
      const std::size_t a = static_cast<std::size_t>(i) * coarse.cols,
                        b = static_cast<std::size_t>(i2) * coarse.cols;
      const float value = 0.5625f * h[a + j] + 0.1875f * (h[a + j2] + h[b + j]) + 0.0625f * h[b + j2];
      const std::size_t k = static_cast<std::size_t>(r) * fine->cols + c;
      fine->height[k] = std::max(value, fine->obstacle[k]);
    }
  }
}

void PressMembrane(const PixelGrid& grid, const float* overlap, const SkinOptions& options, PressWorkspace* w,
                   float* height) {
  double s = std::pow(options.decay_length / grid.pixel, 2);  // l^2 in pixels^2, on the finest grid
  // Coarser until the decay length is about a pixel: there plain relaxation converges in a few sweeps.
  std::size_t count = 1;
  for (double t = s; t > 1.5 && count < 12; t /= 4) ++count;
  if (w->levels.size() < count) w->levels.resize(count);
  PressWorkspace::Level& finest = w->levels[0];
  finest.rows = grid.rows, finest.cols = grid.cols;
  finest.obstacle.assign(overlap, overlap + grid.size());
  finest.height.resize(grid.size());
  std::size_t last = 0;
  for (; last + 1 < count && std::min(w->levels[last].rows, w->levels[last].cols) >= 8; ++last)
    Coarsen(w->levels[last], &w->levels[last + 1]);
  w->levels[last].height = w->levels[last].obstacle;
  int sweeps = options.sweeps;
  for (std::size_t l = 0; l < last; ++l) s /= 4, sweeps *= 2;
  for (std::size_t l = last + 1; l-- > 0;) {
    if (l < last) Prolong(w->levels[l + 1], &w->levels[l]);
    // Over-relaxation for the wave lengths that a coarser grid did not see (about 8 pixels).
    const SkinRelaxation skin = MakeRelaxation(static_cast<float>(s), l < last ? 1.5f : 1.3f);
    for (int k = 0; k < sweeps; ++k)
      RelaxSweep(skin, w->levels[l].rows, w->levels[l].cols, w->levels[l].obstacle.data(),
                 w->levels[l].height.data());
    s *= 4, sweeps /= 2;
  }
  std::copy(finest.height.begin(), finest.height.end(), height);
}

}  // namespace

void CheckGrid(const PixelGrid& grid, const char* what) {
  if (grid.rows < 3 || grid.cols < 3)
    throw Error(std::string(what) + ": " + std::to_string(grid.rows) + " x " + std::to_string(grid.cols) +
                " pixels are too few; give at least 3 x 3");
  if (!(grid.pixel > 0) || !std::isfinite(grid.pixel))
    throw Error(std::string(what) + ": a pixel of " + ToText(grid.pixel) +
                " m; its edge on the gel must be positive");
}

void PressSkin(const PixelGrid& grid, const float* penetration, const SkinOptions& options,
               PressWorkspace* workspace, float* height) {
  CheckGrid(grid, "press");
  const std::size_t n = grid.size();
  float deepest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(penetration[i]) || penetration[i] > 1e30f)
      throw Error("press: the penetration is not a finite number at pixel row " +
                  std::to_string(i / grid.cols) + ", column " + std::to_string(i % grid.cols) +
                  "; where there is no indenter give a negative one");
    height[i] = penetration[i] > 0 ? penetration[i] : 0.0f;
    deepest = std::max(deepest, height[i]);
  }
  if (options.model == SkinModel::kMembrane) {
    if (!(options.decay_length > 0) || !std::isfinite(options.decay_length))
      throw Error("press: decay_length " + ToText(options.decay_length) + " m must be positive");
    if (options.sweeps < 1) throw Error("press: sweeps must be at least 1");
  }
  if (options.model == SkinModel::kPyramid) {
    for (const int window : options.windows)
      if (window < 3 || window % 2 == 0)
        throw Error("press: a blur window of " + std::to_string(window) + " pixels; give odd ones from 3");
    if (!(options.contact_share >= 0 && options.contact_share < 1))
      throw Error("press: contact_share " + ToText(options.contact_share) + " must lie in [0, 1)");
  }
  if (deepest == 0 || options.model == SkinModel::kRigid) return;
  if (options.model == SkinModel::kMembrane) {
    PressMembrane(grid, height, options, workspace, height);
    return;
  }
  const float keep = static_cast<float>(options.contact_share) * deepest;
  for (std::size_t k = 0; k < options.windows.size(); ++k) {
    Blur(grid.rows, grid.cols, options.windows[k], workspace, height);
    for (std::size_t i = 0; i < n; ++i)
      if (penetration[i] > keep) height[i] = penetration[i];
  }
  if (!options.windows.empty()) Blur(grid.rows, grid.cols, options.windows.back(), workspace, height);
}

}  // namespace taxel
