// Shared by the programs that compare CUDA with the CPU: device arrays, paths of objects, times.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "taxel/batch/cuda_api.h"
#include "taxel/marker/kernel_pose.h"
#include "taxel/math/random.h"

namespace taxel::gpu_check {

inline void Cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

/// Calls a function of an API table: (..., error, size).
template <typename Function, typename... Arguments>
void Call(Function function, Arguments... arguments) {
  char error[512] = "";
  if (function(arguments..., error, sizeof error)) {
    std::printf("error: %s\n", error);
    std::exit(2);
  }
}

template <typename T>
class Device {
 public:
  explicit Device(std::size_t count) : count_(count) {
    Cuda(cudaMalloc(&data_, count * sizeof(T)), "malloc");
  }
  explicit Device(const std::vector<T>& from) : Device(from.size()) {
    Cuda(cudaMemcpy(data_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "upload");
  }
  Device(const Device&) = delete;
  ~Device() { cudaFree(data_); }
  T* get() const { return data_; }
  /// All bits set: NaN in float.
  void Poison() { Cuda(cudaMemset(data_, 0xff, count_ * sizeof(T)), "poison"); }
  std::vector<T> Download() const {
    std::vector<T> out(count_);
    Cuda(cudaMemcpy(out.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
    return out;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

template <typename To, typename From>
KernelPose<To> CastPose(const KernelPose<From>& X) {
  KernelPose<To> out;
  for (int i = 0; i < 9; ++i) out.r[i] = static_cast<To>(X.r[i]);
  for (int i = 0; i < 3; ++i) out.t[i] = static_cast<To>(X.t[i]);
  return out;
}
/// Of a shape without a lattice.
inline KernelShape<double> ToDouble(const KernelShape<float>& s) {
  KernelShape<double> out;
  out.kind = s.kind;
  out.a = s.a, out.b = s.b, out.c = s.c;
  return out;
}

inline KernelPose<double> Turn(double x, double y, double z, double angle) {
  const double length = std::sqrt(x * x + y * y + z * z), c = std::cos(angle), s = std::sin(angle), t = 1 - c;
  x /= length, y /= length, z /= length;
  KernelPose<double> out;
  const double r[9] = {c + t * x * x,     t * x * y - s * z, t * x * z + s * y,
                       t * x * y + s * z, c + t * y * y,     t * y * z - s * x,
                       t * x * z - s * y, t * y * z + s * x, c + t * z * z};
  for (int i = 0; i < 9; ++i) out.r[i] = r[i];
  return out;
}

/// Two contacts of random place, drag, twist and tilt; above the gel between them. `reach`: from the
/// object's origin to its surface, up to which it is turned; upright: only about z.
inline std::vector<KernelPose<float>> Path(std::uint64_t seed, int steps, double reach, bool upright) {
  std::vector<KernelPose<float>> out;
  std::uint64_t n = 0;
  const auto draw = [&] { return 2 * RandomUniform(seed, n++) - 1; };
  const int half = steps / 2;
  for (int contact = 0; contact < 2; ++contact) {
    const double start[2] = {3e-3 * draw(), 4e-3 * draw()}, drag[2] = {1e-3 * draw(), 1e-3 * draw()};
    const double tilt = upright ? 0.02 : 0.2, ax = tilt * draw(), ay = tilt * draw(), twist = 1.2 * draw();
    const double depth = 0.5e-3 + 0.3e-3 * draw();
    const KernelPose<double> first = upright ? Turn(0.02 * draw(), 0.02 * draw(), 1, 3 * draw())
                                             : Turn(draw(), draw(), draw(), 3 * draw());
    for (int i = 0; i < half; ++i) {
      const double s = i / (half - 1.0), in = std::sin(3.141592653589793 * s);
      KernelPose<double> X = Compose(Turn(ax, ay, 1, twist * s), first);
      for (int k = 0; k < 2; ++k) X.t[k] = start[k] + s * drag[k] + 1e-5 * draw();
      X.t[2] = 2e-3 + reach + 0.2e-3 - (depth + 0.2e-3) * in;
      out.push_back(CastPose<float>(X));
    }
  }
  return out;
}

using Paths = std::vector<std::vector<KernelPose<float>>>;

/// (paths, 4, 4) at one step.
inline std::vector<float> Matrices(const Paths& paths, int step) {
  std::vector<float> out;
  for (const auto& path : paths) {
    const KernelPose<float>& X = path[step];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) out.push_back(X.r[3 * i + j]);
      out.push_back(X.t[i]);
    }
    for (int j = 0; j < 4; ++j) out.push_back(j == 3);
  }
  return out;
}

/// 9 x 7 markers of a GelSight Mini, on z = 2 mm.
inline std::vector<float> Markers() {
  std::vector<float> out;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 7; ++c) {
      out.push_back(static_cast<float>(1.84375e-3 * (c - 3)));
      out.push_back(static_cast<float>(1.84375e-3 * (r - 4)));
      out.push_back(2e-3f);
    }
  return out;
}

inline Triple<double> At3(const std::vector<float>& v, std::size_t i) {
  return {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
}

inline double Uniform(std::uint64_t seed, std::uint64_t i, double low, double high) {
  return low + (high - low) * RandomUniform(seed, i);
}

/// Pads and objects somewhere in the world, so that their relative poses are those of the paths.
struct WorldPoses {
  std::vector<float> position, rotation;
};
inline KernelPose<double> Offset(int k) {
  KernelPose<double> X = Turn(1, 0.3 * k, -0.5, 0.4 + 0.1 * k);
  X.t[0] = 0.01 * k, X.t[1] = -0.02, X.t[2] = 0.005 * k;
  return X;
}
inline WorldPoses InWorld(const Paths& paths, int fingers,
                          int step) {  // bodies: pad 0, pad 1, object; one finger's object each
  WorldPoses out;
  const auto put = [&](const KernelPose<double>& X) {
    for (const double v : X.t) out.position.push_back(static_cast<float>(v));
    for (const double v : X.r) out.rotation.push_back(static_cast<float>(v));
  };
  for (std::size_t w = 0; w < paths.size() / fingers; ++w) {
    // Finger 0 has its own path; finger 1 holds the object far away.
    KernelPose<double> X_WP = Turn(0.3, 1, 0.01 * w, 0.02 * w), away = X_WP;
    X_WP.t[0] = 0.2, X_WP.t[1] = -0.1, X_WP.t[2] = 0.3, away.t[0] = 5;
    const KernelPose<double> identity;
    put(Compose(X_WP, Between(Offset(0), identity)));
    put(Compose(away, Between(Offset(1), identity)));
    put(Compose(Compose(X_WP, CastPose<double>(paths[fingers * w][step])), Between(Offset(2), identity)));
  }
  return out;
}
inline void SetOffsets(CudaPoses* poses) {
  poses->count = 3, poses->pad_index[1] = 1, poses->object_index[0] = 2;
  const auto put = [](const KernelPose<double>& X, float* m) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[4 * i + j] = static_cast<float>(X.r[3 * i + j]);
      m[4 * i + 3] = static_cast<float>(X.t[i]);
    }
  };
  for (int f = 0; f < 2; ++f) put(Offset(f), poses->pad_offset[f]);
  put(Offset(2), poses->object_offset[0]);
}

/// Milliseconds a call of `work(stream)` takes on the GPU: 20 of them in a graph, the best of 7 replays.
template <typename Work>
double GraphTime(const Work& work) {
  cudaStream_t stream;
  Cuda(cudaStreamCreate(&stream), "stream");
  work(stream);  // warm
  Cuda(cudaStreamSynchronize(stream), "warm up");
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  constexpr int kCalls = 20;
  Cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  for (int k = 0; k < kCalls; ++k) work(stream);
  Cuda(cudaStreamEndCapture(stream, &graph), "capture");
  Cuda(cudaGraphInstantiate(&exec, graph, 0), "graph");
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  float best = 1e30f;
  for (int k = 0; k < 8; ++k) {
    Cuda(cudaEventRecord(begin, stream), "event");
    Cuda(cudaGraphLaunch(exec, stream), "replay");
    Cuda(cudaEventRecord(end, stream), "event");
    Cuda(cudaEventSynchronize(end), "replay");
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (k > 0 && ms < best) best = ms;
  }
  cudaEventDestroy(begin), cudaEventDestroy(end);
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  return best / kCalls;
}

}  // namespace taxel::gpu_check
