#include "taxel/batch/image_batch.h"

#include <algorithm>
#include <string>

#include "taxel/batch/parallel_for.h"
#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

struct Scratch {
  std::vector<float> overlap, height;
};

template <typename T>
KernelPose<T> ToPoseOf(const Pose& X) {
  KernelPose<T> out;
  for (int i = 0; i < 9; ++i) out.r[i] = static_cast<T>(X.R.m[i]);
  for (int i = 0; i < 3; ++i) out.t[i] = static_cast<T>(X.p[i]);
  return out;
}

}  // namespace

template <typename T>
void CheckScene(const GreyScene<T>& scene) {
  if (!scene.camera) throw Error("grey images: no camera; give a calibrated one");
  const PixelGrid& grid = scene.camera->grid;
  if (scene.plane.rows != grid.rows || scene.plane.cols != grid.cols)
    throw Error("grey images: the plane has " + std::to_string(scene.plane.rows) + " x " +
                std::to_string(scene.plane.cols) + " pixels, the camera " + std::to_string(grid.rows) +
                " x " + std::to_string(grid.cols) + "; give both the same");
  if (!(std::fabs(static_cast<double>(scene.plane.pixel) / grid.pixel - 1) < 1e-6))
    throw Error("grey images: a pixel of the plane is " + ToText(scene.plane.pixel) + " m, of the camera " +
                ToText(grid.pixel) + " m; give both the same");
  if (scene.skin.membrane && scene.skin.sweeps < 1)
    throw Error("grey images: sweeps is " + std::to_string(scene.skin.sweeps) + "; give at least 1");
}

template void CheckScene(const GreyScene<float>&);
template void CheckScene(const GreyScene<double>&);

template <typename T>
void RenderGreyBatch(const GreyScene<T>& scene, const std::vector<Pose>& X_PI, int threads,
                     const GreyOutput& out) {
  CheckScene(scene);
  if (threads < 0)
    throw Error("grey images: threads is " + std::to_string(threads) + "; give 0 (all) or more");
  for (std::size_t k = 0; k < X_PI.size(); ++k)
    if (!IsMarkerPose(X_PI[k]))
      CheckMarkerPose(X_PI[k], "grey images", ("X_PI number " + std::to_string(k)).c_str());
  const TactileCamera& camera = *scene.camera;
  const int rows = scene.plane.rows, cols = scene.plane.cols;
  const std::size_t pixels = camera.grid.size();
  std::vector<float> ground(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const float* c = &camera.background[3 * i];
    ground[i] = Luma(ClampLevel(c[0]), ClampLevel(c[1]), ClampLevel(c[2]));
  }
  const GreyCamera plain{camera.background.data(), ground.data(), camera.table.values.data(),
                         camera.table.nodes};
  const float pixel = static_cast<float>(scene.plane.pixel);

  std::size_t failed = 0;
  const std::exception_ptr failure =
      ParallelFor<Scratch>(X_PI.size(), threads, 1, &failed, [&](std::size_t k, Scratch* s) {
        const KernelPose<T> X = ToPoseOf<T>(X_PI[k]);
        s->overlap.resize(pixels);
        bool pressed = false;
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < cols; ++c) {
            const float depth = static_cast<float>(PenetrationAt(scene.object, X, scene.plane, r, c));
            s->overlap[static_cast<std::size_t>(r) * cols + c] = depth;
            pressed = pressed || depth > 0;
          }
        if (out.depth) std::copy(s->overlap.begin(), s->overlap.end(), out.depth + k * pixels);
        if (!out.grey && !out.bytes) return;
        s->height = s->overlap;
        float* h = s->height.data();
        if (pressed && scene.skin.membrane) RelaxSkin(scene.skin, rows, cols, s->overlap.data(), h);
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < cols; ++c) {
            const std::size_t i = static_cast<std::size_t>(r) * cols + c;
            const float grey = pressed ? GreyAt(plain, h, rows, cols, pixel, r, c) : ground[i];
            if (out.grey) out.grey[k * pixels + i] = grey;
            if (out.bytes) out.bytes[k * pixels + i] = ToByte(grey);
          }
      });
  if (failure) std::rethrow_exception(failure);
}

template void RenderGreyBatch(const GreyScene<float>&, const std::vector<Pose>&, int, const GreyOutput&);
template void RenderGreyBatch(const GreyScene<double>&, const std::vector<Pose>&, int, const GreyOutput&);

}  // namespace taxel
