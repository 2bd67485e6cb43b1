// Grey images of many worlds: on threads, and on a GPU by addresses of device memory (taxel/image/batch.py
// gives them a face).
#include <nanobind/stl/vector.h>

#include <utility>

#include "batch_arguments.h"
#include "marker_arguments.h"
#include "module.h"
#include "taxel/batch/cuda_image_batch.h"
#include "taxel/shape/to_kernel_shape.h"

namespace taxel::python {
using namespace internal;
namespace {

constexpr const char* kObject = "grey images: the object";

// right, down: (x, y) each.
template <typename T>
ImagePlane<T> ToPlane(const PixelGrid& grid, const Vec3& centre, const std::vector<double>& right,
                      const std::vector<double>& down, double max_depth) {
  const auto f = [](double v) { return static_cast<T>(v); };
  return {grid.rows,      grid.cols,      f(grid.pixel), {f(centre.x), f(centre.y), f(centre.z)},
          f(right.at(0)), f(right.at(1)), f(down.at(0)), f(down.at(1)),
          f(max_depth)};
}

ImageSkin ToSkin(bool membrane, double decay_length, double pixel, int sweeps) {
  return membrane ? MakeImageSkin(decay_length, pixel, sweeps) : ImageSkin{};
}

// On the CPU: what a scene points to, and the scene.
struct GreyBatch {
  TactileCamera camera;
  MarkerDistance object;
  std::size_t worlds, fingers;
  int threads;
  GreyScene<double> scene;
};

GreyBatch* MakeGreyBatch(const TactileCamera& camera, nb::handle object, int worlds, int fingers, int threads,
                         nb::handle centre, const std::vector<double>& right, const std::vector<double>& down,
                         double max_depth, bool membrane, double decay_length, int sweeps) {
  auto out = std::make_unique<GreyBatch>(GreyBatch{camera,
                                                   ToDistance(object, "object"),
                                                   static_cast<std::size_t>(worlds),
                                                   static_cast<std::size_t>(fingers),
                                                   threads,
                                                   {}});
  out->scene = {ToPlane<double>(camera.grid, ToVec3(centre, "center"), right, down, max_depth),
                ToKernelShape(out->object, kObject),
                ToSkin(membrane, decay_length, camera.grid.pixel, sweeps), &out->camera};
  CheckScene(out->scene);
  return out.release();
}

nb::tuple Render(const GreyBatch& b, const Numbers& X_PI, bool bytes, bool depth) {
  const std::vector<Pose> poses = PosesOf(X_PI);
  const auto rows = static_cast<std::size_t>(b.camera.grid.rows),
             cols = static_cast<std::size_t>(b.camera.grid.cols);
  const std::size_t n = poses.size() * rows * cols;
  std::vector<float> grey(bytes ? 0 : n), deep(depth ? n : 0);
  std::vector<std::uint8_t> levels(bytes ? n : 0);
  {
    nb::gil_scoped_release release;
    RenderGreyBatch(
        b.scene, poses, b.threads,
        {bytes ? nullptr : grey.data(), bytes ? levels.data() : nullptr, depth ? deep.data() : nullptr});
  }
  const auto give = [&](auto&& values) -> nb::object {
    using T = typename std::decay_t<decltype(values)>::value_type;
    return nb::cast(Own<T>(std::move(values), {b.worlds, b.fingers, rows, cols}));
  };
  return nb::make_tuple(bytes ? give(std::move(levels)) : give(std::move(grey)),
                        depth ? give(std::move(deep)) : nb::object(nb::none()));
}

CudaImages* MakeCudaImages(const TactileCamera& camera, nb::handle object, int worlds, int fingers,
                           nb::handle centre, const std::vector<double>& right,
                           const std::vector<double>& down, double max_depth, bool membrane,
                           double decay_length, int sweeps) {
  FloatLattices keep;
  const GreyScene<float> scene{ToPlane<float>(camera.grid, ToVec3(centre, "center"), right, down, max_depth),
                               ToKernelShape(ToDistance(object, "object"), kObject, &keep),
                               ToSkin(membrane, decay_length, camera.grid.pixel, sweeps), &camera};
  return new CudaImages(scene, worlds, fingers);
}

void CudaRender(CudaImages& b, const Attached* attached, Address X_PI, Address position, Address rotation,
                Address grey, Address bytes, Address depth, Address stream) {
  CudaImageArguments a;
  a.poses = PosesAt(attached, X_PI, position, rotation);
  a.out = {At<float>(grey), At<std::uint8_t>(bytes), At<float>(depth)};
  a.stream = At<void>(stream);
  b.Render(a);
}

}  // namespace

void BindImageBatch(nb::module_& m) {
  nb::class_<GreyBatch>(m, "GreyBatch")
      .def("render", &Render, nb::arg("X_PI"), nb::arg("bytes"), nb::arg("depth"));
  m.def("make_grey_batch", &MakeGreyBatch, nb::arg("camera"), nb::arg("object"), nb::arg("worlds"),
        nb::arg("fingers"), nb::arg("threads"), nb::arg("center"), nb::arg("right"), nb::arg("down"),
        nb::arg("max_depth"), nb::arg("membrane"), nb::arg("decay_length"), nb::arg("sweeps"),
        nb::rv_policy::take_ownership);
  nb::class_<CudaImages>(m, "CudaImages")
      .def("render", &CudaRender, nb::arg("attached").none(), nb::arg("X_PI"), nb::arg("position"),
           nb::arg("rotation"), nb::arg("grey"), nb::arg("bytes"), nb::arg("depth"), nb::arg("stream"));
  m.def("make_cuda_images", &MakeCudaImages, nb::arg("camera"), nb::arg("object"), nb::arg("worlds"),
        nb::arg("fingers"), nb::arg("center"), nb::arg("right"), nb::arg("down"), nb::arg("max_depth"),
        nb::arg("membrane"), nb::arg("decay_length"), nb::arg("sweeps"), nb::rv_policy::take_ownership);
}

}  // namespace taxel::python
