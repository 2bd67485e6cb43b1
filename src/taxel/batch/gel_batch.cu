// Host side of gels on the GPU: launches, graphs, and the table of functions the library loads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "taxel/batch/gel_gather.cuh"
#include "taxel/batch/gel_memory.cuh"
#include "taxel/batch/gel_press.cuh"
#include "taxel/batch/gel_scatter.cuh"
#include "taxel/batch/gel_sort.cuh"

namespace taxel::cuda {
namespace {

/// Steps between sorts for a speed: they may take `share` of the cell that a particle may leave its block by,
/// since it may gain speed before the next look.
int SortEvery(float cells_a_step, float share) {
  return std::clamp(static_cast<int>(share / std::max(cells_a_step, 1e-6f)), 1, 16);
}
constexpr float kShareAtStart = 0.5f, kShare = 0.75f;
constexpr int kLookEvery = 32;

auto* GatherOf(const GelScene& scene) { return scene.pads > 0 ? GatherKernel<true> : GatherKernel<false>; }

class GelBatch : GelMemory {
 public:
  explicit GelBatch(const CudaGelSpec& spec);
  ~GelBatch();
  GelBatch(const GelBatch&) = delete;
  void Place(const CudaGelPlaces& places);
  void Advance(int steps, int sort_every, bool wait, CudaGelStatus* status);
  void Read(int world, double* position, float* velocity, float* deformation);
  void ReadLayers(float* displacement, float* chamfer, int* steps, std::uint8_t* stopped);
  void Profile(int repeats, float* milliseconds);

 private:
  void LaunchSort();  // to the other state, which becomes the current one
  void LaunchScatter();
  void LaunchGrid();
  void LaunchGather();
  void LaunchCheck(bool ask);
  void LaunchStep();
  void LaunchUnit(int steps) {
    LaunchSort();
    for (int k = 0; k < steps; ++k) LaunchStep();
  }
  void ReplayUnit(int steps);
  /// Waits; throws for trouble on the device.
  GelWatch Look();

  int current_ = 0, processors_ = 1, scatter_blocks_ = 1, gather_blocks_ = 1, auto_every_ = 1;
  GelSort sort_;
  cudaStream_t stream_ = nullptr;
  GelWatch* watch_ = nullptr;                              // pinned
  std::map<std::pair<int, int>, cudaGraphExec_t> graphs_;  // by steps and current state
};

GelBatch::GelBatch(const CudaGelSpec& spec) : GelMemory(spec) {
  sort_ = GelSort(scene_);
  int device = 0, scatter = 0, gather = 0;
  Check(cudaGetDevice(&device), "device");
  Check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device), "device");
  AllowShared(ScatterKernel, sizeof(ScatterShared), "the scatter of a gel");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&scatter, ScatterKernel, kScatterThreads,
                                                      sizeof(ScatterShared)),
        "scatter");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&gather, GatherOf(scene_), kGatherThreads, 0),
        "gather");
  scatter_blocks_ = std::min(scene_.most_filled, processors_ * std::max(scatter, 1));
  gather_blocks_ = std::min(scene_.most_filled, processors_ * std::max(gather, 1));
  Check(cudaDeviceSynchronize(), "memory");  // our stream does not wait for the one that cleared it
  Check(cudaMallocHost(&watch_, sizeof(GelWatch)), "pinned memory");
  if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess) {
    cudaFreeHost(watch_);
    Fail("no stream");
  }
  try {
    Place({});
  } catch (...) {
    cudaFreeHost(watch_);
    cudaStreamDestroy(stream_);
    throw;
  }
}

GelBatch::~GelBatch() {
  cudaStreamSynchronize(stream_);
  for (const auto& [key, graph] : graphs_) cudaGraphExecDestroy(graph);
  cudaStreamDestroy(stream_);
  cudaFreeHost(watch_);
}

void GelBatch::Place(const CudaGelPlaces& places) {
  const std::size_t W = static_cast<std::size_t>(scene_.worlds);
  Check(cudaStreamSynchronize(stream_), "wait");
  float speed = start_speed_;
  if (scene_.pads > 0) {
    std::vector<int> object(W, -1);
    std::vector<KernelPose<float>> poses(W);
    std::vector<float> hand(W * scene_.pads * 3, 0.0f);
    if (places.object) {
      object.assign(places.object, places.object + W);
      for (std::size_t w = 0; w < W; ++w) {
        if (object[w] < -1 || object[w] >= scene_.objects)
          Fail("world " + std::to_string(w) + ": object " + std::to_string(object[w]) + " of " +
               std::to_string(scene_.objects));
        for (int i = 0; places.X_GO && i < 3; ++i) {
          for (int j = 0; j < 3; ++j) poses[w].r[3 * i + j] = places.X_GO[12 * w + 4 * i + j];
          poses[w].t[i] = places.X_GO[12 * w + 4 * i + 3];
        }
      }
    }
    if (places.hand) hand.assign(places.hand, places.hand + hand.size());
    for (const float v : hand) speed = std::max(speed, std::fabs(v));
    Check(cudaMemcpy(object_of_, object.data(), W * sizeof(int), cudaMemcpyHostToDevice), "objects");
    Check(cudaMemcpy(X_GO_, poses.data(), W * sizeof poses[0], cudaMemcpyHostToDevice), "poses");
    Check(cudaMemcpy(hand_, hand.data(), hand.size() * sizeof(float), cudaMemcpyHostToDevice), "hands");
    Check(cudaStreamSynchronize(nullptr), "places");
    Check(cudaMemsetAsync(scene_.stop_step, 0xff, W * sizeof(int), stream_), "clear");
    Check(cudaMemsetAsync(scene_.chamfer, 0, W * scene_.pads * sizeof(float), stream_), "clear");
    if (mass_words_) {
      Check(cudaMemsetAsync(mass_words_, 0, mass_count_ * sizeof(unsigned), stream_), "clear");
      StillMassKernel<<<dim3(64, scene_.worlds), 256, 0, stream_>>>(scene_, points_, point_mass_,
                                                                    mass_words_);
      ToMassKernel<<<8 * processors_, 256, 0, stream_>>>(mass_words_, mass_count_);
    }
  }
  Check(cudaMemsetAsync(scene_.watch, 0, sizeof(GelWatch), stream_), "clear");
  Check(cudaMemsetAsync(scene_.table, 0xff, W * scene_.blocks_a_world * sizeof(int), stream_), "clear");
  current_ = 0;
  auto_every_ = SortEvery(speed, kShareAtStart);
  const int blocks = (scene_.total + 255) / 256;
  StartKernel<<<blocks, 256, 0, stream_>>>(scene_, state_[0], start_velocity_, start_deformation_);
  AffineKernel<<<blocks, 256, 0, stream_>>>(scene_, state_[0]);
  SlowStressKernel<<<processors_, 128, 0, stream_>>>(scene_, state_[0], 0);
  LaunchSort();
  Check(cudaGetLastError(), "start");
  Look();
}

void GelBatch::LaunchSort() {
  sort_.Run(scene_, state_[current_], state_[1 - current_], processors_, stream_);
  current_ = 1 - current_;
}
void GelBatch::LaunchScatter() {
  AllowShared(ScatterKernel, sizeof(ScatterShared), "the scatter of a gel");
  ScatterKernel<<<scatter_blocks_, kScatterThreads, sizeof(ScatterShared), stream_>>>(scene_,
                                                                                      state_[current_]);
}
void GelBatch::LaunchGrid() { GridKernel<<<8 * processors_, kGridThreads, 0, stream_>>>(scene_); }
void GelBatch::LaunchGather() {
  const auto kernel = GatherOf(scene_);
  kernel<<<gather_blocks_, kGatherThreads, 0, stream_>>>(scene_, state_[current_]);
  SlowStressKernel<<<processors_, 128, 0, stream_>>>(scene_, state_[current_], 1);
}
void GelBatch::LaunchCheck(bool ask) {
  const int pads = ask ? scene_.pads : 1, queries = kNearestThreads * kQueries;
  LayerKernel<<<dim3(scene_.worlds, pads), kLayerThreads, 0, stream_>>>(scene_, state_[current_], ask);
  NearestKernel<<<dim3((scene_.layer + queries - 1) / queries, scene_.worlds * pads, 2), kNearestThreads, 0,
                  stream_>>>(scene_, pads, ask);
  StopKernel<<<dim3(scene_.worlds, pads), kLayerThreads, 0, stream_>>>(scene_, ask);
}
void GelBatch::LaunchStep() {
  LaunchScatter();
  LaunchGrid();
  LaunchGather();
  if (worth_check_) LaunchCheck(false);
  Check(cudaGetLastError(), "step");
}

void GelBatch::ReplayUnit(int steps) {
  cudaGraphExec_t& graph = graphs_[{steps, current_}];
  if (!graph) {
    const int before = current_;
    cudaGraph_t made = nullptr;
    Check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "capture");
    try {
      LaunchUnit(steps);
    } catch (...) {
      cudaStreamEndCapture(stream_, &made);
      if (made) cudaGraphDestroy(made);
      throw;
    }
    Check(cudaStreamEndCapture(stream_, &made), "capture");
    const cudaError_t status = cudaGraphInstantiate(&graph, made, 0);
    cudaGraphDestroy(made);
    Check(status, "graph");
    current_ = before;
  }
  Check(cudaGraphLaunch(graph, stream_), "graph");
  current_ = 1 - current_;
}

GelWatch GelBatch::Look() {
  Check(cudaMemcpyAsync(watch_, scene_.watch, sizeof(GelWatch), cudaMemcpyDeviceToHost, stream_), "look");
  Check(cudaMemsetAsync(&scene_.watch->fastest, 0, sizeof(int), stream_), "look");
  Check(cudaStreamSynchronize(stream_), "steps");
  const GelWatch w = *watch_;
  const auto trouble = static_cast<GelTrouble>(w.trouble);
  if (trouble == GelTrouble::kNone) return w;
  const std::string who = "world " + std::to_string(w.world) + ", particle " + std::to_string(w.particle) +
                          ", step " + std::to_string(w.at_step) + ": ";
  if (trouble == GelTrouble::kLeftDomain)
    Fail(who + "it came nearer than 3 cells to the border of the domain of " +
         std::to_string(kSide * scene_.blocks[0]) + " x " + std::to_string(kSide * scene_.blocks[1]) + " x " +
         std::to_string(kSide * scene_.blocks[2]) + " cells; give a larger domain");
  if (trouble == GelTrouble::kTooFast)
    Fail(who + "blow-up: it moved " + Text(w.moved) +
         " cells in a step (at most 0.5); take a smaller time step, or move the hands more slowly");
  if (trouble == GelTrouble::kLeftReach)
    Fail(who + "it moved more than a cell since the last sort (" + Text(w.moved) +
         " cells in this step); give a smaller sort_every, 0 for automatic");
  Fail("the gel spread over " + Text(w.moved) + " blocks of 4^3 cells, more than twice those of its start (" +
       std::to_string(scene_.most_filled) + " with particles, " + std::to_string(scene_.most_active) +
       " with those around them are reserved); it flies apart, take a smaller time step");
}

void GelBatch::Advance(int steps, int sort_every, bool wait, CudaGelStatus* status) {
  if (steps < 0 || sort_every < 0) Fail("steps and sort_every must be 0 or more");
  int since_look = 0;
  for (int left = steps; left > 0;) {
    if (sort_every == 0 && since_look >= kLookEvery) {
      const GelWatch w = Look();
      auto_every_ = SortEvery(__builtin_bit_cast(float, w.fastest), kShare);
      if (worth_check_ && w.stopped == scene_.worlds) break;
      since_look = 0;
    }
    const int every = sort_every > 0 ? sort_every : auto_every_, n = std::min(every, left);
    if (n == every)
      ReplayUnit(n);
    else
      LaunchUnit(n);
    left -= n, since_look += n;
  }
  if (!wait) return;
  const GelWatch w = Look();
  const float fastest = __builtin_bit_cast(float, w.fastest);
  if (steps > 0 && sort_every == 0) auto_every_ = SortEvery(fastest, kShare);
  if (status) *status = {w.step, w.filled, w.active, w.stopped, fastest};
}

void GelBatch::Read(int world, double* position, float* velocity, float* deformation) {
  if (world < 0 || world >= scene_.worlds)
    Fail("world " + std::to_string(world) + " of " + std::to_string(scene_.worlds));
  Look();
  const std::size_t n = static_cast<std::size_t>(scene_.particles);
  const Memory x(3 * n * sizeof(double)), v(3 * n * sizeof(float)), F(9 * n * sizeof(float));
  ReadKernel<<<(scene_.total + 255) / 256, 256, 0, stream_>>>(scene_, state_[current_], world, x.as<double>(),
                                                              v.as<float>(), F.as<float>());
  Check(cudaGetLastError(), "read");
  Check(cudaStreamSynchronize(stream_), "read");
  const auto get = [](auto* to, const Memory& from, std::size_t count) {
    if (to) Check(cudaMemcpy(to, from.as<void>(), count * sizeof *to, cudaMemcpyDeviceToHost), "read");
  };
  get(position, x, 3 * n), get(velocity, v, 3 * n), get(deformation, F, 9 * n);
}

void GelBatch::ReadLayers(float* displacement, float* chamfer, int* steps, std::uint8_t* stopped) {
  if (scene_.pads == 0) Fail("this gel has no pads, so no contact layers");
  const GelWatch w = Look();
  const std::size_t W = static_cast<std::size_t>(scene_.worlds);
  if (displacement) {
    const std::size_t n = W * scene_.pads * scene_.layer;
    const Memory out(3 * n * sizeof(float));
    DisplacementKernel<<<static_cast<int>((n + 255) / 256), 256, 0, stream_>>>(scene_, state_[current_],
                                                                               contact_, out.as<float>());
    Check(cudaGetLastError(), "images");
    Check(cudaStreamSynchronize(stream_), "images");
    Check(cudaMemcpy(displacement, out.as<void>(), 3 * n * sizeof(float), cudaMemcpyDeviceToHost), "images");
  }
  if (chamfer) {
    LaunchCheck(true);
    Check(cudaGetLastError(), "chamfer");
    Check(cudaStreamSynchronize(stream_), "chamfer");
    Check(cudaMemcpy(chamfer, scene_.chamfer, W * scene_.pads * sizeof(float), cudaMemcpyDeviceToHost),
          "chamfer");
  }
  std::vector<int> stop(W);
  Check(cudaMemcpy(stop.data(), scene_.stop_step, W * sizeof(int), cudaMemcpyDeviceToHost), "steps");
  for (std::size_t k = 0; k < W; ++k) {
    if (steps) steps[k] = stop[k] >= 0 ? stop[k] : w.step;
    if (stopped) stopped[k] = stop[k] >= 0;
  }
}

void GelBatch::Profile(int repeats, float* milliseconds) {
  if (repeats < 1) Fail("repeats must be at least 1");
  constexpr int kParts = 5;
  std::array<cudaEvent_t, kParts + 1> events;
  for (cudaEvent_t& e : events) Check(cudaEventCreate(&e), "event");
  std::vector<std::array<float, kParts>> times(static_cast<std::size_t>(repeats));
  for (auto& row : times) {
    const auto mark = [&](int k) {
      Check(cudaEventRecord(events[static_cast<std::size_t>(k)], stream_), "event");
    };
    mark(0);
    LaunchSort();
    mark(1);
    LaunchScatter();
    mark(2);
    LaunchGrid();
    mark(3);
    LaunchGather();
    mark(4);
    if (scene_.pads > 0) LaunchCheck(true);
    mark(5);
    Check(cudaStreamSynchronize(stream_), "profile");
    for (int k = 0; k < kParts; ++k)
      Check(cudaEventElapsedTime(&row[static_cast<std::size_t>(k)], events[static_cast<std::size_t>(k)],
                                 events[static_cast<std::size_t>(k) + 1]),
            "event");
  }
  for (cudaEvent_t& e : events) cudaEventDestroy(e);
  for (int k = 0; k < kParts; ++k) {
    std::sort(times.begin(), times.end(), [&](const auto& a, const auto& b) { return a[k] < b[k]; });
    milliseconds[k] = times[times.size() / 2][static_cast<std::size_t>(k)];
  }
  Look();
}

GelBatch& Of(void* batch) { return *static_cast<GelBatch*>(batch); }

const CudaGelApi kGelApi = {
    kCudaGelVersion,
    [](const CudaGelSpec* spec, void** batch, char* error, std::size_t size) {
      return Guard(error, size, [&] { *batch = new GelBatch(*spec); });
    },
    [](void* batch) { delete static_cast<GelBatch*>(batch); },
    [](void* batch, const CudaGelPlaces* places, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Place(*places); });
    },
    [](void* batch, int steps, int sort_every, int wait, CudaGelStatus* status, char* error,
       std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Advance(steps, sort_every, wait != 0, status); });
    },
    [](void* batch, int world, double* position, float* velocity, float* deformation, char* error,
       std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Read(world, position, velocity, deformation); });
    },
    [](void* batch, float* displacement, float* chamfer, int* steps, std::uint8_t* stopped, char* error,
       std::size_t size) {
      return Guard(error, size, [&] { Of(batch).ReadLayers(displacement, chamfer, steps, stopped); });
    },
    [](void* batch, int repeats, float* milliseconds, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch).Profile(repeats, milliseconds); });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaGelApi* taxel::TaxelCudaGel() {
  return &taxel::cuda::kGelApi;
}
