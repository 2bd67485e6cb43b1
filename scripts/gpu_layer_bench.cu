// Times mode layer on the GPU by itself, and where the time goes; checks it against LayerField.
//     cmake --build build/release --target taxel
//     nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -Isrc -cudart static
//       -Xcompiler -march=x86-64-v3,-ffp-contract=off,-pthread scripts/gpu_layer_bench.cu
//       build/release/libtaxel.a -o gpu_layer_bench
//     ./gpu_layer_bench [WORLDS [DEPTH]]    # 1,024 with two fingers, 0.68 mm deep: the case of
//     gpu_layer_speed.py
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

#include "taxel/batch/layer_kernel.cuh"
#include "taxel/marker/layer_arrays.h"

namespace taxel::cuda {
namespace {

constexpr int kFrames = 16, kFingers = 2, kPhases = static_cast<int>(internal::LayerPhase::kCount);
constexpr double kBall = 17.5e-3, kTop = 2e-3;

__device__ unsigned long long phase_clocks[kPhases];

/// A block that adds up the clocks of its phases; blocks that run beside it slow all of them.
class ClockedTeam : public BlockTeam {
 public:
  __host__ __device__ ClockedTeam() {
#if defined(__CUDA_ARCH__)
    since_ = clock64();
#endif
  }
  __host__ __device__ internal::LayerPhase Mark(internal::LayerPhase phase) {
    const internal::LayerPhase before = phase_;
#if defined(__CUDA_ARCH__)
    if (threadIdx.x == 0) {
      const long long now = clock64();
      atomicAdd(&phase_clocks[static_cast<int>(before)], static_cast<unsigned long long>(now - since_));
      since_ = now;
    }
#endif
    phase_ = phase;
    return before;
  }

 private:
  internal::LayerPhase phase_ = internal::LayerPhase::kOther;
  long long since_ = 0;
};

LayerField MiniField() {
  std::vector<Vec3> markers;
  const double pitch = 1.84375e-3;
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 7; ++i) markers.push_back({(i - 3) * pitch, (j - 4) * pitch, kTop});
  return LayerField(GelPad(MarkerDistance(Primitive{Box{{20.75e-3, 25.25e-3, 4e-3}}})), markers,
                    {MarkerDistance(Primitive{Sphere{kBall}})}, {}, {});
}

/// Balls of 35 mm dragged 0.05 mm a step, back and forth: (kFrames, worlds, kFingers, 4, 4).
std::vector<float> Ways(int worlds, double depth) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> turn(0, 2 * std::numbers::pi), place(-1e-3, 1e-3);
  const std::size_t gels = static_cast<std::size_t>(worlds) * kFingers;
  std::vector<float> X(kFrames * gels * 16);
  for (std::size_t g = 0; g < gels; ++g) {
    const double angle = turn(random), x = place(random), y = place(random);
    for (std::size_t t = 0; t < kFrames; ++t) {
      const double go = 5e-5 * static_cast<double>(std::min(t, kFrames - t));
      float* to = &X[(t * gels + g) * 16];
      to[0] = to[5] = to[10] = to[15] = 1;
      to[3] = static_cast<float>(x + go * std::cos(angle));
      to[7] = static_cast<float>(y + go * std::sin(angle));
      to[11] = static_cast<float>(kTop + kBall - depth);
    }
  }
  return X;
}

struct Scene {
  LayerField field = MiniField();
  internal::LayerArrays arrays{field, "bench"};
  int worlds;
  std::vector<float> ways, rows;
  Memory poses, displacement;
  CudaStepArguments arguments;

  Scene(int count, double depth) : worlds(count), ways(Ways(count, depth)) {
    const LayerParameters& p = field.parameters();
    for (int w = 0; w < worlds; ++w)
      rows.insert(rows.end(),
                  {static_cast<float>(p.friction), static_cast<float>(p.young), static_cast<float>(p.pixel)});
    poses = Upload(ways.data(), ways.size());
    displacement = Memory(sizeof(float) * gels() * numbers());
    arguments.out.displacement = displacement.as<float>();
  }
  std::size_t gels() const { return static_cast<std::size_t>(worlds) * kFingers; }
  std::size_t numbers() const { return 3 * field.markers_P().size(); }
  CudaLayerSpec spec() const { return {worlds, kFingers, &arrays.scene(), rows.data()}; }
  const CudaStepArguments& Frame(int t) {
    arguments.poses.X_PI = poses.as<float>() + static_cast<std::size_t>(t % kFrames) * gels() * 16;
    return arguments;
  }
};

/// Largest difference of the first gels from the CPU, of the largest motion.
template <typename Team>
double Apart(Scene* scene, LayerBatch<Team>* batch) {
  constexpr std::size_t kFew = 8;
  std::vector<LayerField> fields;
  for (std::size_t g = 0; g < kFew; ++g)
    fields.push_back(scene->field.With({scene->field.object(0).distance()}));
  double worst = 0, motion = 0;
  LayerReading reading;
  std::vector<float> got(kFew * scene->numbers());
  for (int t = 0; t < kFrames; ++t) {
    batch->Step(scene->Frame(t));
    Check(cudaMemcpy(got.data(), scene->displacement.as<void>(), sizeof(float) * got.size(),
                     cudaMemcpyDeviceToHost),
          "displacements");
    for (std::size_t g = 0; g < kFew; ++g) {
      const float* x = &scene->ways[(static_cast<std::size_t>(t) * scene->gels() + g) * 16];
      fields[g].Step({{{}, {x[3], x[7], x[11]}}}, nullptr, &reading);
      for (std::size_t i = 0; i < scene->numbers(); ++i) {
        const double want = reading.displacement[i / 3][static_cast<int>(i % 3)];
        motion = std::max(motion, std::fabs(want));
        worst = std::max(worst, std::fabs(want - static_cast<double>(got[g * scene->numbers() + i])));
      }
    }
  }
  return worst / motion;
}

template <typename Team>
double StepMs(Scene* scene, LayerBatch<Team>* batch) {
  cudaEvent_t begin, end;
  Check(cudaEventCreate(&begin), "event");
  Check(cudaEventCreate(&end), "event");
  std::vector<float> times;
  for (int repeat = 0; repeat < 9; ++repeat) {
    Check(cudaEventRecord(begin), "event");
    for (int t = 0; t < kFrames; ++t) batch->Step(scene->Frame(t));
    Check(cudaEventRecord(end), "event");
    Check(cudaEventSynchronize(end), "steps");
    float ms = 0;
    Check(cudaEventElapsedTime(&ms, begin, end), "event");
    times.push_back(ms / kFrames);
  }
  std::sort(times.begin(), times.end());
  return static_cast<double>(times[times.size() / 2]);
}

void PrintPhases(Scene* scene, LayerBatch<ClockedTeam>* batch) {
  const char* names[kPhases] = {"other", "meet", "begin", "pressure", "friction", "sums", "output"};
  unsigned long long clocks[kPhases] = {};
  Check(cudaMemcpyToSymbol(phase_clocks, clocks, sizeof clocks), "clocks");
  for (int t = 0; t < kFrames; ++t) batch->Step(scene->Frame(t));
  Check(cudaMemcpyFromSymbol(clocks, phase_clocks, sizeof clocks), "clocks");
  double all = 0;
  for (const unsigned long long c : clocks) all += static_cast<double>(c);
  const double steps = static_cast<double>(kFrames * scene->gels());
  std::printf("a gel takes %.0f clocks of its block:", all / steps);
  for (int k = 0; k < kPhases; ++k)
    std::printf(" %s %.0f (%.1f %%)", names[k], static_cast<double>(clocks[k]) / steps,
                100 * static_cast<double>(clocks[k]) / all);
  std::printf("\n");
}

int Main(int worlds, double depth) {
  Scene scene(worlds, depth);
  LayerBatch<BlockTeam> batch(scene.spec());
  std::printf("%d worlds, %d blocks of %d lanes, %zu bytes of shared memory each\n", worlds, batch.blocks,
              internal::kLayerLanes, batch.fast_bytes);
  const double apart = Apart(&scene, &batch);
  std::printf("%.2g of the motion off the CPU\n", apart);
  std::printf("%.4f ms a step\n", StepMs(&scene, &batch));
  LayerBatch<ClockedTeam> clocked(scene.spec());
  std::printf("%.4f ms with clocks\n", StepMs(&scene, &clocked));
  PrintPhases(&scene, &clocked);
  return apart < 1e-3 ? 0 : 1;
}

}  // namespace
}  // namespace taxel::cuda

int main(int argc, char** argv) {
  try {
    return taxel::cuda::Main(argc > 1 ? std::atoi(argv[1]) : 1024,
                             argc > 2 ? 1e-3 * std::atof(argv[2]) : 0.68e-3);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
