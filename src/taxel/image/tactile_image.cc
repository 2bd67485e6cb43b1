#include "taxel/image/tactile_image.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "taxel/math/error.h"

namespace taxel {
namespace {

// Height at a point of the rest plane [m from the centre of the grid], bilinear, 0 outside.
float HeightAt(const PixelGrid& grid, const float* height, double x, double y) {
  const double u = x / grid.pixel + 0.5 * (grid.cols - 1), v = y / grid.pixel + 0.5 * (grid.rows - 1);
  if (!(u >= 0 && v >= 0 && u <= grid.cols - 1 && v <= grid.rows - 1)) return 0;
  const int c = std::min(static_cast<int>(u), grid.cols - 2),
            r = std::min(static_cast<int>(v), grid.rows - 2);
  const float fu = static_cast<float>(u - c), fv = static_cast<float>(v - r);
  const float* h = height + static_cast<std::size_t>(r) * grid.cols + c;
  return (1 - fv) * ((1 - fu) * h[0] + fu * h[1]) + fv * ((1 - fu) * h[grid.cols] + fu * h[grid.cols + 1]);
}

void CheckHeight(const PixelGrid& grid, const float* height, const char* what) {
  for (std::size_t i = 0; i < grid.size(); ++i)
    if (!(std::fabs(height[i]) <= 1e30f))
      throw Error(std::string(what) + ": the height is " + ToText(height[i]) + " at pixel row " +
                  std::to_string(i / grid.cols) + ", column " + std::to_string(i % grid.cols) +
                  "; give a finite number of metres, 0 where the gel is untouched");
}

}  // namespace

void CheckCamera(const TactileCamera& camera) {
  CheckGrid(camera.grid, "camera");
  CheckTable(camera.table);
  if (camera.background.size() != 3 * camera.grid.size())
    throw Error("camera: the background has " + std::to_string(camera.background.size()) + " values where " +
                std::to_string(3 * camera.grid.size()) + " are needed (rows, cols, 3)");
  for (const float v : camera.background)
    if (!std::isfinite(v)) throw Error("camera: a value of the background is not a finite number");
  for (const ShadowLight& light : camera.lights) CheckLight(light);
}

void RenderImage(const TactileCamera& camera, const float* height, bool shadows, ImageWorkspace* workspace,
                 float* image) {
  const PixelGrid& grid = camera.grid;
  CheckHeight(grid, height, "render");
  const float* values = camera.table.values.data();
  for (int r = 0; r < grid.rows; ++r) {
    const float y = PlaceOf(r, grid.rows);
    for (int c = 0; c < grid.cols; ++c) {
      float sx, sy, nx, ny, colour[kColours];
      SlopeAt(height, grid.rows, grid.cols, grid.pixel, r, c, &sx, &sy);
      const std::size_t i = (static_cast<std::size_t>(r) * grid.cols + c) * 3;
      if (sx == 0 && sy == 0) {
        for (int k = 0; k < 3; ++k) image[i + k] = camera.background[i + k];
        continue;
      }
      NormalOfSlope(sx, sy, &nx, &ny);
      LookUpColour(values, camera.table.nodes, nx, ny, PlaceOf(c, grid.cols), y, colour);
      for (int k = 0; k < 3; ++k) image[i + k] = camera.background[i + k] + colour[k];
    }
  }
  if (shadows && !camera.lights.empty()) {
    workspace->shadow.resize(grid.size());
    for (const ShadowLight& light : camera.lights) {
      ShadowDepth(grid, height, light, workspace->shadow.data());
      const float softness = static_cast<float>(light.softness);
      for (std::size_t i = 0; i < grid.size(); ++i) {
        if (!(workspace->shadow[i] > 0)) continue;
        const float share = ShadowShare(workspace->shadow[i], softness);
        for (int k = 0; k < 3; ++k) image[3 * i + k] -= share * light.strength[k];
      }
    }
  }
  for (std::size_t i = 0; i < 3 * grid.size(); ++i) image[i] = std::clamp(image[i], 0.0f, 255.0f);
}

void ToBytes(const float* values, std::size_t count, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < count; ++i)  // what is no number is black
    bytes[i] = static_cast<std::uint8_t>((values[i] > 0 ? std::min(values[i], 255.0f) : 0.0f) + 0.5f);
}

void ToGrey(const float* image, std::size_t pixels, float* grey) {
  for (std::size_t i = 0; i < pixels; ++i) grey[i] = Luma(image[3 * i], image[3 * i + 1], image[3 * i + 2]);
}

void DrawMarkers(int rows, int cols, int channels, const double* places, std::size_t count, double radius,
                 double brightness, float* image) {
  if (!(radius > 0) || !std::isfinite(radius))
    throw Error("markers: a radius of " + ToText(radius) + " pixels; it must be positive");
  if (!(brightness >= 0 && brightness <= 1))
    throw Error("markers: brightness " + ToText(brightness) + " must lie in [0, 1] (0 is black)");
  for (std::size_t m = 0; m < 2 * count; ++m)
    if (!std::isfinite(places[m]))
      throw Error("markers: the place of marker " + std::to_string(m / 2) + " is not a finite number");
  // Pixel by pixel over the box of a dot; a pixel that an earlier dot covers more is left to that one.
  const auto cover_of = [&](std::size_t m, int r, int c) {
    const double d = std::hypot(c - places[2 * m], r - places[2 * m + 1]);
    return DotCover(static_cast<float>(d), static_cast<float>(radius));
  };
  const double reach = radius + 0.5;
  for (std::size_t m = 0; m < count; ++m) {
    const double x = places[2 * m], y = places[2 * m + 1];
    if (x + reach < 0 || y + reach < 0 || x - reach > cols || y - reach > rows) continue;
    const int c0 = std::max(0, static_cast<int>(std::ceil(x - reach)));
    const int c1 = std::min(cols - 1, static_cast<int>(std::floor(x + reach)));
    const int r0 = std::max(0, static_cast<int>(std::ceil(y - reach)));
    const int r1 = std::min(rows - 1, static_cast<int>(std::floor(y + reach)));
    for (int r = r0; r <= r1; ++r)
      for (int c = c0; c <= c1; ++c) {
        const float cover = cover_of(m, r, c);
        float others = 0;
        for (std::size_t o = 0; o < m; ++o)
          if (std::fabs(places[2 * o] - x) < 2 * reach && std::fabs(places[2 * o + 1] - y) < 2 * reach)
            others = std::max(others, cover_of(o, r, c));
        if (cover <= others) continue;
        const float dark = static_cast<float>(1 - brightness);
        const float keep = (1 - dark * cover) / (1 - dark * others);
        float* pixel = image + (static_cast<std::size_t>(r) * cols + c) * channels;
        for (int k = 0; k < channels; ++k) pixel[k] *= keep;
      }
  }
}

void RenderDepth(const PixelGrid& grid, const float* height, const DepthCamera& camera, float* depth) {
  CheckGrid(grid, "depth image");
  CheckHeight(grid, height, "depth image");
  if (camera.rows < 1 || camera.cols < 1)
    throw Error("depth image: it needs at least one row and one column");
  if (!(camera.distance > 0 && camera.half_height > 0 && camera.half_width > 0))
    throw Error("depth image: distance, half_height and half_width must be positive");
  if (!(camera.near > 0 && camera.near < camera.distance))
    throw Error("depth image: near " + ToText(camera.near) + " m must lie between 0 and the distance, " +
                ToText(camera.distance) + " m");
  for (int r = 0; r < camera.rows; ++r)
    for (int c = 0; c < camera.cols; ++c) {
      const double x = camera.half_width * ((2.0 * c + 1) / camera.cols - 1);
      const double y = camera.half_height * ((2.0 * r + 1) / camera.rows - 1);
      // The ray meets the surface where z = distance - h(x z / distance, y z / distance). The fixed point is
      // reached in a few steps: a step shrinks the error by |slope| times the tangent of the ray, at most 0.6
      // at the corner.
      double z = camera.distance;
      for (int k = 0; k < 8; ++k)
        z = camera.distance - HeightAt(grid, height, x * z / camera.distance, y * z / camera.distance);
      depth[static_cast<std::size_t>(r) * camera.cols + c] = static_cast<float>(std::max(z, camera.near));
    }
}

}  // namespace taxel
