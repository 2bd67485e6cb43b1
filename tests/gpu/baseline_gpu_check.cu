// FOTS, TacSL and grey images on a GPU against the same templates in double on the CPU, and their times.
//
//     nvcc -std=c++20 -O3 -arch=sm_90 -Isrc tests/gpu/baseline_gpu_check.cu
//          src/taxel/batch/baseline_batch.cu src/taxel/batch/image_batch.cu -o check     (no .cc file needed)
//
// Exit code 1 when a tolerance fails, 2 when CUDA does. Left out of a comparison, counted and limited:
// fingers where rounding decides which marker starts a contact, values that whole_pixels cuts within 1e-3 of
// a step, images with a pixel within rounding of an object's wall.
#include <algorithm>
#include <cstring>

#include "gpu_check.h"
#include "taxel/batch/cuda_baselines.h"
#include "taxel/batch/cuda_images.h"
#include "taxel/batch/tacsl_point.h"

namespace taxel::gpu_check {
namespace {

constexpr int kWorlds = 256, kFingers = 2, kCopies = kWorlds * kFingers, kSteps = 42, kMarkers = 63;
constexpr double kPixel = 0.065e-3;
int failures = 0;

void Judge(const char* what, double worst, double tolerance, double largest, int left_out, int of) {
  const bool ok = worst <= tolerance && largest > 100 * tolerance && left_out <= of / 20;
  std::printf("%-58s worst %.3g (allowed %.3g), largest %.4g, left out %d of %d  %s\n", what, worst,
              tolerance, largest, left_out, of, ok ? "ok" : "FAILED");
  failures += !ok;
}

struct NamedShape {
  const char* name;
  KernelShape<float> shape;
  double reach;
  bool upright;
};
const NamedShape kBall{"ball", {KernelShapeKind::kSphere, 8e-3f, 0, 0, {}}, 8e-3, false};
const NamedShape kCapsule{"capsule", {KernelShapeKind::kCapsule, 6e-3f, 2e-3f, 0, {}}, 7e-3, false};
const NamedShape kBox{"box", {KernelShapeKind::kBox, 5e-3f, 6e-3f, 4e-3f, {}}, 4e-3, true};

Paths MakePaths(const NamedShape& s, int copies, std::uint64_t seed) {
  Paths out;
  for (int i = 0; i < copies; ++i) out.push_back(Path(seed + i, kSteps, s.reach, s.upright));
  return out;
}
std::vector<float> FotsNumbers(FotsVariant variant, int worlds) {
  std::vector<float> out;
  for (int w = 0; w < worlds; ++w) {
    const bool release = FromHydroShear(variant), reimpl = variant == FotsVariant::kHydroShearReimpl;
    const double mean[4] = {release ? (reimpl ? 300 * kPixel : 5e-6) : 0.00125,
                            release ? (reimpl ? 203.34 : 3.08307) * kPixel : 0.00021,
                            release ? (reimpl ? 326 : 0.71568) * kPixel : 0.00038,
                            release ? (reimpl ? 2.5 : 1) : 1000};
    for (int k = 0; k < 4; ++k) out.push_back(static_cast<float>(mean[k] * Uniform(77, 4 * w + k, 0.8, 1.2)));
  }
  return out;
}
FotsRule<float> Rule(FotsVariant variant, bool whole) {
  FotsRule<float> rule;
  rule.variant = variant;
  rule.pixel = static_cast<float>(kPixel);
  rule.max_twist = FromHydroShear(variant) ? 3.14159265f : 0.87266463f;
  rule.whole_pixels = whole;
  if (whole) rule.image_origin_P = {-0.01037f, -0.01262f, 0};
  return rule;
}
FotsRule<double> DoubleRule(const FotsRule<float>& r) {
  FotsRule<double> out;
  out.variant = r.variant, out.pixel = r.pixel, out.max_twist = r.max_twist,
  out.whole_pixels = r.whole_pixels;
  out.image_origin_P = {r.image_origin_P.x, r.image_origin_P.y, r.image_origin_P.z};
  return out;
}

// The CPU in double over all steps of one finger; `skip`: steps that are not compared.
struct FotsReference {
  std::vector<Triple<double>> out;  // (steps, markers)
  std::vector<bool> skip;
  bool doubtful = false, doubtful_in_world = false;  // places there are rounded to 3e-8 m
};
FotsReference RunFots(const FotsRule<double>& rule, const float* numbers, const KernelShape<double>& shape,
                      const std::vector<float>& markers, const std::vector<KernelPose<float>>& path,
                      const Triple<double>& shift, int reset_at) {
  FotsReference ref;
  FotsState<double> state;
  const FotsRates<double> rates{numbers[0], numbers[1], numbers[2], numbers[3]};
  std::vector<Triple<double>> places, moved(kMarkers);
  std::vector<FotsSource<double>> sources(kMarkers);
  std::vector<double> depth(kMarkers);
  for (int i = 0; i < kMarkers; ++i) places.push_back(At3(markers, i));
  for (int step = 0; step < kSteps; ++step) {
    if (step == reset_at) state = {};
    const KernelPose<double> X = CastPose<double>(path[step]);
    const Triple<double> pulled = step % 2 ? shift : Triple<double>{};
    double nearest = 1, deepest = -1;
    for (int i = 0; i < kMarkers; ++i) {
      depth[i] = -ShapeDistance(shape, ApplyInverse(X, places[i]));
      nearest = std::min(nearest, std::fabs(depth[i])), deepest = std::max(deepest, depth[i]);
    }
    ref.doubtful |= nearest < 2e-8 && (!state.touching || deepest < 2e-8);
    ref.doubtful_in_world |= nearest < 3e-7 && (!state.touching || deepest < 3e-7);
    StepFots(rule, rates, places.data(), depth.data(), kMarkers, X, pulled, &state, sources.data(),
             moved.data());
    ref.out.insert(ref.out.end(), moved.begin(), moved.end());
    bool near_step = false;
    if (rule.whole_pixels && state.touching) {
      FotsRule<double> smooth = rule;
      smooth.whole_pixels = false;
      const FotsMotion<double> m = MotionSinceContact(smooth, state, X, pulled);
      for (const double v : {m.G.x, m.G.y, m.G_now.x, m.G_now.y, m.shear.x, m.shear.y})
        near_step |= std::round(v) != 0 && std::fabs(v - std::round(v)) < 1e-3;
    }
    ref.skip.push_back(near_step);
  }
  return ref;
}

void CheckFots(const CudaBaselineApi& api, FotsVariant variant, bool whole, const NamedShape& shape) {
  const std::vector<float> markers = Markers(), numbers = FotsNumbers(variant, kWorlds);
  CudaBaselineSpec spec;
  spec.worlds = kWorlds, spec.fingers = kFingers, spec.markers = kMarkers;
  spec.marker_points = markers.data();
  spec.object = shape.shape, spec.fots = Rule(variant, whole);
  void *batch = nullptr, *twin = nullptr, *world_batch = nullptr;
  const std::vector<float> wrong(numbers.size(), 1.f);
  spec.parameters = wrong.data();
  const Device<float> numbers_device(numbers);
  for (void** b : {&batch, &twin, &world_batch}) {
    Call(api.create, &spec, b);
    Call(api.set_parameters, *b, numbers_device.get(), nullptr);
  }
  const Device<float> state(kCopies * api.state_size(batch));
  const Paths paths = MakePaths(shape, kCopies, 1000);
  std::vector<float> shift;
  std::vector<std::uint8_t> mask;
  for (int i = 0; i < 3 * kCopies; ++i) shift.push_back(static_cast<float>(Uniform(5, i, -2.5e-4, 2.5e-4)));
  for (int w = 0; w < kWorlds; ++w) mask.push_back(w % 3 == 0);
  Device<float> shift_device(shift), out(3 * kMarkers * kCopies);
  Device<std::uint8_t> mask_device(mask);

  std::vector<FotsReference> refs;
  int left_out = 0;
  constexpr int kReset = 8;  // inside the first contact
  for (int i = 0; i < kCopies; ++i) {
    refs.push_back(RunFots(DoubleRule(spec.fots), &numbers[4 * (i / kFingers)], ToDouble(shape.shape),
                           markers, paths[i], At3(shift, i), mask[i / kFingers] ? kReset : -1));
    left_out += refs.back().doubtful;
  }
  double worst = 0, largest = 0, worst_world = 0;
  int skipped = 0, compared = 0;
  bool same_bits = true;
  for (int step = 0; step < kSteps; ++step) {
    if (step == kReset)
      for (void* b : {batch, twin, world_batch}) Call(api.reset, b, mask_device.get(), nullptr);
    if (step == 12) {  // the twin goes on from what the other remembers
      Call(api.get_state, batch, state.get(), nullptr);
      Call(api.reset, twin, static_cast<const std::uint8_t*>(nullptr), nullptr);
      Call(api.set_state, twin, state.get(), nullptr);
    }
    const Device<float> X(Matrices(paths, step));
    CudaBaselineArguments a;
    a.poses.X_PI = X.get();
    a.shift = step % 2 ? shift_device.get() : nullptr;
    a.out.displacement = out.get();
    out.Poison();
    Call(api.step, batch, &a);
    const std::vector<float> got = out.Download();
    out.Poison();
    Call(api.step, twin, &a);
    const std::vector<float> again = out.Download();
    same_bits &= std::memcmp(got.data(), again.data(), got.size() * sizeof(float)) == 0;
    const WorldPoses in_world = InWorld(paths, kFingers, step);
    const Device<float> position(in_world.position), rotation(in_world.rotation);
    a.poses.X_PI = nullptr, a.poses.position = position.get(), a.poses.rotation = rotation.get();
    SetOffsets(&a.poses);
    out.Poison();
    Call(api.step, world_batch, &a);
    const std::vector<float> from_world = out.Download();
    for (int i = 0; i < kCopies; ++i) {
      if (refs[i].doubtful) continue;
      ++compared;
      if (refs[i].skip[step]) {
        ++skipped;
        continue;
      }
      for (int m = 0; m < kMarkers; ++m) {
        const Triple<double> want = refs[i].out[step * kMarkers + m];
        const Triple<double> d = At3(got, i * kMarkers + m) - want,
                             e = At3(from_world, i * kMarkers + m) - want;
        const double off = std::sqrt(Dot(d, d));
        worst = off <= worst ? worst : off;  // NaN counts
        largest = std::max(largest, std::sqrt(Dot(want, want)));
        const double off_world = i % 2 || refs[i].doubtful_in_world ? 0 : std::sqrt(Dot(e, e));
        worst_world = off_world <= worst_world ? worst_world : off_world;
      }
    }
  }
  char name[128];
  std::snprintf(name, sizeof name, "FOTS variant %d%s, %s [px]", int(variant), whole ? " whole pixels" : "",
                shape.name);
  Judge(name, worst, 1e-3, largest, left_out + skipped / kSteps, kCopies);
  std::printf(
      "    from poses in the world: worst %.3g px; same bits twice: %s; %d of %d steps near a whole pixel\n",
      worst_world, same_bits ? "yes" : "NO", skipped, compared);
  failures += !same_bits || !(worst_world < (whole ? 3.0 : 0.01));
  for (void* b : {batch, twin, world_batch}) api.destroy(b);
}

void CheckTacSl(const CudaBaselineApi& api, bool given, const NamedShape& shape) {
  const std::vector<float> points = Markers();
  std::vector<float> numbers, velocity;
  for (int w = 0; w < kWorlds; ++w)
    for (const double v : {Uniform(3, w, 80, 120), Uniform(4, w, 0.3, 0.7), Uniform(6, w, 0.5, 0.9)})
      numbers.push_back(static_cast<float>(v));
  for (int i = 0; i < 6 * kCopies; ++i) velocity.push_back(static_cast<float>(Uniform(8, i, -0.05, 0.05)));
  CudaBaselineSpec spec;
  spec.kind = CudaBaselineKind::kTacSl;
  spec.worlds = kWorlds, spec.fingers = kFingers, spec.markers = kMarkers;
  spec.marker_points = points.data(), spec.parameters = numbers.data(), spec.object = shape.shape;
  void* batch = nullptr;
  Call(api.create, &spec, &batch);
  const Paths paths = MakePaths(shape, kCopies, 5000);
  Device<float> velocity_device(velocity), depth(kCopies * kMarkers), normal(kCopies * kMarkers),
      shear(2 * kCopies * kMarkers);
  const KernelShape<double> exact = ToDouble(shape.shape);
  double worst = 0, largest = 0, worst_depth = 0, largest_shear = 0;
  constexpr int kReset = 15;
  const float dt = 1.0f / 60;
  for (int step = 0; step < kSteps; ++step) {
    if (step == kReset) Call(api.reset, batch, static_cast<const std::uint8_t*>(nullptr), nullptr);
    const Device<float> X(Matrices(paths, step));
    CudaBaselineArguments a;
    a.poses.X_PI = X.get();
    a.velocity = given ? velocity_device.get() : nullptr;
    a.dt = dt;
    a.out.depth = depth.get(), a.out.normal = normal.get(), a.out.shear = shear.get();
    for (Device<float>* d : {&depth, &normal, &shear}) d->Poison();
    Call(api.step, batch, &a);
    const std::vector<float> h = depth.Download(), n = normal.Download(), s = shear.Download();
    for (int i = 0; i < kCopies; ++i) {
      const KernelPose<double> now = CastPose<double>(paths[i][step]);
      KernelMotion<double> motion;
      if (given)
        motion = {At3(velocity, 2 * i), At3(velocity, 2 * i + 1)};
      else if (step > 0 && step != kReset)
        motion = MotionBetween(CastPose<double>(paths[i][step - 1]), now, static_cast<double>(dt));
      const float* p = &numbers[3 * (i / kFingers)];
      for (int m = 0; m < kMarkers; ++m) {
        TacSlForces<double> f;
        const double deep =
            TacSlAt(exact, TacSlRates<double>{p[0], p[1], p[2]}, false, now, motion, At3(points, m), &f);
        const std::size_t k = static_cast<std::size_t>(i) * kMarkers + m;
        const double off[3] = {n[k] - f.normal, s[2 * k] - f.shear_x, s[2 * k + 1] - f.shear_y};
        for (const double v : off) worst = std::fabs(v) <= worst ? worst : std::fabs(v);
        worst_depth = std::fabs(h[k] - deep) <= worst_depth ? worst_depth : std::fabs(h[k] - deep);
        largest = std::max(largest, f.normal), largest_shear = std::max(largest_shear, std::fabs(f.shear_x));
      }
    }
  }
  char name[128];
  std::snprintf(name, sizeof name, "TacSL, %s, velocities %s [N]", shape.name,
                given ? "given" : "from poses");
  Judge(name, worst, 5e-6, std::min(largest, largest_shear), 0, kCopies);
  Judge("    depth [m]", worst_depth, 1e-8, 5e-4, 0, kCopies);
  api.destroy(batch);
}

// A camera with a table that bends, and the numbers to make one from it.
struct Camera {
  static constexpr int kNodes = 41;
  ImagePlane<float> plane;
  std::vector<float> table, background, grey;
  Camera() {
    plane.centre_P = {0, 0, 2e-3f};
    for (int j = 0; j < kNodes; ++j)
      for (int i = 0; i < kNodes; ++i)
        for (int t = 0; t < kPlaceTerms * kColours; ++t) {
          const double x = -1 + 0.05 * i, y = -1 + 0.05 * j, size = t < kColours ? 90 : 12;
          const double v = size * (std::sin(2 * x + t) - std::sin(t) + std::cos(3 * y * (1 + 0.1 * t)) - 1);
          table.push_back(i == 20 && j == 20 ? 0.f : static_cast<float>(v));
        }
    for (int k = 0; k < plane.rows * plane.cols; ++k) {
      for (int c = 0; c < 3; ++c) background.push_back(static_cast<float>(Uniform(9, 3 * k + c, 90, 150)));
      grey.push_back(Luma(background[3 * k], background[3 * k + 1], background[3 * k + 2]));
    }
  }
  CudaImageSpec Spec(int worlds, const KernelShape<float>& object, const ImageSkin& skin) const {
    return {worlds, kFingers, plane, object, skin, background.data(), table.data(), kNodes};
  }
};

template <typename To>
ImagePlane<To> CastPlane(const ImagePlane<float>& p) {
  return {p.rows,         p.cols,        To(p.pixel),  {To(p.centre_P.x), To(p.centre_P.y), To(p.centre_P.z)},
          To(p.right_x),  To(p.right_y), To(p.down_x), To(p.down_y),
          To(p.max_depth)};
}

void CheckImages(const CudaImageApi& api, bool membrane, const NamedShape& shape) {
  const Camera camera;
  ImageSkin skin = MakeImageSkin(1e-3, camera.plane.pixel);
  skin.membrane = membrane;
  const CudaImageSpec spec = camera.Spec(kWorlds, shape.shape, skin);
  void* batch = nullptr;
  Call(api.create, &spec, &batch);
  const int rows = spec.plane.rows, cols = spec.plane.cols, n = rows * cols;
  const std::size_t all = static_cast<std::size_t>(kCopies) * n;
  const Paths paths = MakePaths(shape, kCopies, 9000);
  Device<float> grey(all), depth(all);
  Device<std::uint8_t> bytes(all);
  const KernelShape<double> exact = ToDouble(shape.shape);
  const ImagePlane<double> plane = CastPlane<double>(spec.plane);
  const GreyCamera plain{camera.background.data(), camera.grey.data(), camera.table.data(), Camera::kNodes};
  double worst = 0, contrast = 0, worst_depth = 0;
  int left_out = 0, images = 0, wrong_bytes = 0;
  for (const int step : {0, 6, 10, 30}) {  // the first one touches nothing
    const Device<float> X(Matrices(paths, step));
    CudaImageArguments a;
    a.poses.X_PI = X.get();
    a.out = {grey.get(), bytes.get(), depth.get()};
    grey.Poison(), bytes.Poison(), depth.Poison();
    Call(api.render, batch, &a);
    const std::vector<float> got = grey.Download(), h = depth.Download();
    const std::vector<std::uint8_t> rounded = bytes.Download();
    for (int i = 0; i < kCopies; ++i) {
      const KernelPose<double> now = CastPose<double>(paths[i][step]);
      std::vector<float> overlap(n), surface;
      bool wall = false, pressed = false;
      double off_depth = 0;
      for (int k = 0; k < n; ++k) {
        overlap[k] = static_cast<float>(PenetrationAt(exact, now, plane, k / cols, k % cols));
        pressed |= overlap[k] > 0;
        const double off = std::fabs(h[static_cast<std::size_t>(i) * n + k] - overlap[k]);
        wall |= off > 1e-6;
        off_depth = off <= off_depth ? off_depth : off;
      }
      ++images;
      if (wall) {
        ++left_out;
        continue;
      }
      worst_depth = off_depth <= worst_depth ? worst_depth : off_depth;
      surface = overlap;
      if (membrane && pressed) RelaxSkin(skin, rows, cols, overlap.data(), surface.data());
      for (int k = 0; k < n; ++k) {
        const std::size_t at = static_cast<std::size_t>(i) * n + k;
        const double want = GreyAt(plain, surface.data(), rows, cols, spec.plane.pixel, k / cols, k % cols);
        const double off = std::fabs(got[at] - want);
        worst = off <= worst ? worst : off;
        contrast = std::max(contrast, std::fabs(want - camera.grey[k]));
        wrong_bytes += rounded[at] != static_cast<std::uint8_t>(got[at] + 0.5f);
      }
    }
  }
  char name[128];
  std::snprintf(name, sizeof name, "image, %s, %s skin [grey levels]", shape.name,
                membrane ? "membrane" : "rigid");
  // A wall that is nearly parallel to the line of sight magnifies rounding.
  Judge(name, worst, shape.upright ? 0.25 : 0.05, contrast, left_out, images);
  std::printf("    penetration off by up to %.3g m, %d bytes not the rounded grey\n", worst_depth,
              wrong_bytes);
  failures += wrong_bytes > 0;
  api.destroy(batch);
}

void Times() {
  std::printf("\nms a step, 2 fingers (graph replay)\n%-44s", "worlds");
  const int sizes[] = {256, 512, 1024, 16384};
  for (const int w : sizes) std::printf("%10d", w);
  const CudaBaselineApi& api = *TaxelCudaBaselines();
  const CudaImageApi& images = *TaxelCudaImages();
  const std::vector<float> markers = Markers();
  const NamedShape block{
      "block over all markers", {KernelShapeKind::kBox, 0.02f, 0.02f, 4e-3f, {}}, 4e-3, true};
  const auto pressed = [](const NamedShape& s, int worlds) {  // (worlds, fingers, 4, 4) in deep contact
    const Paths few = MakePaths(s, 64, 300);
    Paths all;
    for (int i = 0; i < worlds * kFingers; ++i) all.push_back({few[i % 64][10]});
    return Matrices(all, 0);
  };
  const auto row = [&](const char* name, const auto& time) {
    std::printf("\n%-44s", name);
    for (const int w : sizes) std::printf("%10.4f", time(w));
    std::fflush(stdout);
  };
  const auto baseline = [&](CudaBaselineKind kind, FotsVariant variant, const NamedShape& s) {
    return [&, kind, variant](int worlds) {
      std::vector<float> numbers = FotsNumbers(variant, worlds);
      CudaBaselineSpec spec;
      spec.kind = kind, spec.worlds = worlds, spec.fingers = kFingers, spec.markers = kMarkers;
      spec.marker_points = markers.data(), spec.parameters = numbers.data();
      spec.object = s.shape, spec.fots = Rule(variant, false);
      void* batch = nullptr;
      Call(api.create, &spec, &batch);
      const Device<float> X(pressed(s, worlds)), shift(std::vector<float>(3 * kFingers * worlds, 1e-4f));
      const std::size_t n = static_cast<std::size_t>(worlds) * kFingers * kMarkers;
      Device<float> out(4 * n);
      CudaBaselineArguments a;
      a.poses.X_PI = X.get(), a.shift = shift.get(), a.dt = 0.01f;
      if (kind == CudaBaselineKind::kFots)
        a.out.displacement = out.get();
      else
        a.out = {nullptr, out.get(), out.get() + n, out.get() + 2 * n};
      const double ms = GraphTime([&](cudaStream_t stream) {
        a.stream = stream;
        Call(api.step, batch, &a);
      });
      api.destroy(batch);
      return ms;
    };
  };
  row("FOTS, ball, shift", baseline(CudaBaselineKind::kFots, FotsVariant::kFots, kBall));
  row("FOTS, all 63 markers pressed, shift", baseline(CudaBaselineKind::kFots, FotsVariant::kFots, block));
  row("FOTS reimpl., all 63 pressed, shift",
      baseline(CudaBaselineKind::kFots, FotsVariant::kHydroShearReimpl, block));
  row("TacSL, ball, velocities from poses", baseline(CudaBaselineKind::kTacSl, FotsVariant::kFots, kBall));
  const Camera camera;
  for (const bool membrane : {false, true})
    row(membrane ? "80 x 60 bytes, membrane (16 sweeps), ball" : "80 x 60 bytes, rigid, ball",
        [&](int worlds) {
          ImageSkin skin = MakeImageSkin(1e-3, camera.plane.pixel);
          skin.membrane = membrane;
          const CudaImageSpec spec = camera.Spec(worlds, kBall.shape, skin);
          void* batch = nullptr;
          Call(images.create, &spec, &batch);
          const Device<float> X(pressed(kBall, worlds));
          Device<std::uint8_t> out(static_cast<std::size_t>(worlds) * kFingers * 4800);
          CudaImageArguments a;
          a.poses.X_PI = X.get(), a.out.bytes = out.get();
          const double ms = GraphTime([&](cudaStream_t stream) {
            a.stream = stream;
            Call(images.render, batch, &a);
          });
          images.destroy(batch);
          return ms;
        });
  std::printf("\n");
}

int Main() {
  const CudaBaselineApi& api = *TaxelCudaBaselines();
  for (const FotsVariant v : {FotsVariant::kFots, FotsVariant::kContactCentre,
                              FotsVariant::kHydroShearOriginal, FotsVariant::kHydroShearReimpl})
    for (const NamedShape* s : {&kBall, &kBox}) CheckFots(api, v, false, *s);
  CheckFots(api, FotsVariant::kFots, true, kBall);
  for (const NamedShape* s : {&kBall, &kCapsule})
    for (const bool given : {true, false}) CheckTacSl(api, given, *s);
  for (const NamedShape* s : {&kBall, &kCapsule, &kBox})
    for (const bool membrane : {false, true}) CheckImages(*TaxelCudaImages(), membrane, *s);
  Times();
  std::printf("%s\n", failures ? "FAILED" : "all within tolerance");
  return failures ? 1 : 0;
}

}  // namespace
}  // namespace taxel::gpu_check

int main() { return taxel::gpu_check::Main(); }
