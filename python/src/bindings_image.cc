// The tactile image (taxel/image/ wraps it): surface of the pressed gel, table of colours, image, markers,
// depth.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "alone.h"
#include "module.h"
#include "taxel/image/ball_press.h"
#include "taxel/image/tactile_image.h"
#include "taxel/math/error.h"

namespace taxel::python {
namespace {

using Image2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Image3 = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const float, nb::shape<-1, -1, 6, 3>, nb::c_contig, nb::device::cpu>;
using Samples = nb::ndarray<const float, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;

PixelGrid GridOf(const Image2& height, double pixel) {
  return {static_cast<int>(height.shape(0)), static_cast<int>(height.shape(1)), pixel};
}

PhotometricTable ToTable(const Table& values) {
  PhotometricTable table;
  table.nodes = static_cast<int>(values.shape(0));
  if (values.shape(0) != values.shape(1))
    throw Error("photometric table: it must be square, (nodes, nodes, 6, 3)");
  table.values.assign(values.data(), values.data() + values.size());
  CheckTable(table);
  return table;
}

SkinOptions ToSkin(const std::string& model, double decay_length, const std::vector<int>& windows,
                   double contact_share) {
  SkinOptions options;
  if (model == "rigid")
    options.model = SkinModel::kRigid;
  else if (model == "membrane")
    options.model = SkinModel::kMembrane;
  else if (model == "pyramid")
    options.model = SkinModel::kPyramid;
  else
    throw Error("skin '" + model + "' is not known; use membrane, pyramid or rigid");
  options.decay_length = decay_length;
  options.windows = windows;
  options.contact_share = contact_share;
  return options;
}

nb::object Press(const Image2& penetration, double pixel, const std::string& model, double decay_length,
                 const std::vector<int>& windows, double contact_share) {
  const SkinOptions options = ToSkin(model, decay_length, windows, contact_share);
  const PixelGrid grid = GridOf(penetration, pixel);
  std::vector<float> height(grid.size());
  {
    nb::gil_scoped_release release;
    thread_local PressWorkspace workspace;
    PressSkin(grid, penetration.data(), options, &workspace, height.data());
  }
  return nb::cast(Own<float>(std::move(height), {penetration.shape(0), penetration.shape(1)}));
}

nb::object Render(const TactileCamera& camera, const Image2& height, bool shadows) {
  if (static_cast<int>(height.shape(0)) != camera.grid.rows ||
      static_cast<int>(height.shape(1)) != camera.grid.cols)
    throw Error("render: a height map of " + std::to_string(height.shape(0)) + " x " +
                std::to_string(height.shape(1)) + " pixels for a camera of " +
                std::to_string(camera.grid.rows) + " x " + std::to_string(camera.grid.cols));
  std::vector<float> image(3 * camera.grid.size());
  {
    nb::gil_scoped_release release;
    thread_local ImageWorkspace workspace;
    RenderImage(camera, height.data(), shadows, &workspace, image.data());
  }
  return nb::cast(Own<float>(std::move(image), {height.shape(0), height.shape(1), 3}));
}

// Colours at samples (N, 4): nx, ny, x, y.
nb::object LookUp(const Table& values, const Samples& samples) {
  if (samples.shape(1) != 4) throw Error("look_up: samples must have 4 columns: nx, ny, x, y");
  if (values.shape(0) != values.shape(1) || values.shape(0) < 3)
    throw Error("look_up: the table must be square, (nodes, nodes, 6, 3)");
  const std::size_t n = samples.shape(0);
  std::vector<float> colours(3 * n);
  const int nodes = static_cast<int>(values.shape(0));
  for (std::size_t i = 0; i < n; ++i) {
    const float* s = samples.data() + 4 * i;
    LookUpColour(values.data(), nodes, s[0], s[1], s[2], s[3], colours.data() + 3 * i);
  }
  return nb::cast(Own<float>(std::move(colours), {n, 3}));
}

// Samples (N, 8): nx, ny, x, y, three colours, weight.
void AddSamples(PhotometricFit& fit, const Samples& samples) {
  if (samples.shape(1) != 8) throw Error("add: samples must have 8 columns: nx, ny, x, y, r, g, b, weight");
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (!std::isfinite(samples.data()[i]))
      throw Error("add: column " + std::to_string(i % 8) + " of sample " + std::to_string(i / 8) + " is " +
                  ToText(samples.data()[i]) + "; give finite numbers, and leave out pixels without a normal");
  nb::gil_scoped_release release;
  for (std::size_t i = 0; i < samples.shape(0); ++i) {
    const float* s = samples.data() + 8 * i;
    fit.Add(s[0], s[1], s[2], s[3], s + 4, s[7]);
  }
}

ShadowLight ToLight(const nb::handle& value) {
  const auto numbers = nb::cast<std::vector<double>>(value);
  if (numbers.size() != 6)
    throw Error("light: give azimuth, slope, softness and the strengths in red, green and blue");
  ShadowLight light;
  light.azimuth = numbers[0], light.slope = numbers[1], light.softness = numbers[2];
  for (int k = 0; k < 3; ++k) light.strength[k] = static_cast<float>(numbers[3 + k]);
  return light;
}

}  // namespace

template <>
const char* NameOf<PhotometricFit>() {
  return "PhotometricFit";
}

void BindImage(nb::module_& m) {
  m.def("press_skin", &Press, nb::arg("penetration"), nb::arg("pixel"), nb::arg("skin"),
        nb::arg("decay_length"), nb::arg("windows"), nb::arg("contact_share"));
  m.def("ball_press",
        [](double ball_radius, double contact_radius, double decay_length, const Vector& radii) {
          const BallPress press(ball_radius, contact_radius, decay_length);
          const std::size_t n = radii.shape(0);
          std::vector<double> height(n), slope(n);
          for (std::size_t i = 0; i < n; ++i) {
            height[i] = press.Height(radii.data()[i]);
            slope[i] = press.Slope(radii.data()[i]);
          }
          return nb::make_tuple(Own<double>(std::move(height), {n}), Own<double>(std::move(slope), {n}),
                                press.depth());
        });
  m.def("look_up_colours", &LookUp);
  nb::class_<Alone<PhotometricFit>>(m, "PhotometricFit")
      .def(nb::init<int>(), nb::arg("nodes"))
      .def("add", Held(&AddSamples))
      .def("coverage", Held(+[](const PhotometricFit& fit) {
             std::vector<double> copy = fit.coverage();
             const std::size_t n = fit.nodes();
             return Own<double>(std::move(copy), {n, n});
           }))
      .def("solve", Held(+[](const PhotometricFit& fit, double smoothing, double ridge) {
             PhotometricTable table;
             {
               nb::gil_scoped_release release;
               table = fit.Solve(smoothing, ridge);
             }
             const std::size_t n = table.nodes;
             return Own<float>(std::move(table.values), {n, n, 6, 3});
           }),
           nb::arg("smoothing"), nb::arg("ridge"));
  m.def("shadow_share",
        [](const Image2& height, double pixel, double azimuth, double slope, double softness) {
          ShadowLight light;
          light.azimuth = azimuth, light.slope = slope, light.softness = softness;
          CheckLight(light);
          const PixelGrid grid = GridOf(height, pixel);
          CheckGrid(grid, "shadow");
          for (std::size_t i = 0; i < grid.size(); ++i)
            if (!std::isfinite(height.data()[i]))
              throw Error("shadow: the height at pixel row " + std::to_string(i / grid.cols) + ", column " +
                          std::to_string(i % grid.cols) + " is not a finite number; give metres");
          std::vector<float> share(grid.size());
          ShadowDepth(grid, height.data(), light, share.data());
          for (float& s : share) s = s > 0 ? ShadowShare(s, static_cast<float>(softness)) : 0.0f;
          return Own<float>(std::move(share), {height.shape(0), height.shape(1)});
        });
  nb::class_<TactileCamera>(m, "TactileCamera")
      .def("__init__",
           [](TactileCamera* self, const Image3& background, double pixel, const Table& table,
              nb::sequence lights) {
             TactileCamera camera;
             camera.grid = {static_cast<int>(background.shape(0)), static_cast<int>(background.shape(1)),
                            pixel};
             if (background.shape(2) != 3) throw Error("camera: the background must be (rows, cols, 3)");
             camera.background.assign(background.data(), background.data() + background.size());
             camera.table = ToTable(table);
             for (nb::handle light : lights) camera.lights.push_back(ToLight(light));
             CheckCamera(camera);
             new (self) TactileCamera(std::move(camera));
           })
      .def("render", &Render, nb::arg("height"), nb::arg("shadows"));
  m.def("draw_markers",
        [](const Image3& image,
           const nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>& places,
           double radius, double brightness) {
          std::vector<float> out(image.data(), image.data() + image.size());
          DrawMarkers(static_cast<int>(image.shape(0)), static_cast<int>(image.shape(1)),
                      static_cast<int>(image.shape(2)), places.data(), places.shape(0), radius, brightness,
                      out.data());
          return Own<float>(std::move(out), {image.shape(0), image.shape(1), image.shape(2)});
        });
  m.def("to_bytes", [](const nb::ndarray<const float, nb::c_contig, nb::device::cpu>& values) {
    std::vector<std::uint8_t> bytes(values.size());
    ToBytes(values.data(), values.size(), bytes.data());
    const std::size_t n = values.size();
    return Own<std::uint8_t>(std::move(bytes), {n});
  });
  m.def("to_grey", [](const Image3& image) {
    if (image.shape(2) != 3) throw Error("grey: the image must be (rows, cols, 3)");
    std::vector<float> grey(image.shape(0) * image.shape(1));
    ToGrey(image.data(), grey.size(), grey.data());
    return Own<float>(std::move(grey), {image.shape(0), image.shape(1)});
  });
  m.def("depth_image", [](const Image2& height, double pixel, int rows, int cols, double distance,
                          double half_height, double half_width, double near) {
    const DepthCamera camera{rows, cols, distance, half_height, half_width, near};
    if (rows < 1 || cols < 1) throw Error("depth image: it needs at least one row and one column");
    std::vector<float> depth(static_cast<std::size_t>(rows) * cols);
    RenderDepth(GridOf(height, pixel), height.data(), camera, depth.data());
    return Own<float>(std::move(depth), {static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)});
  });
}

}  // namespace taxel::python
