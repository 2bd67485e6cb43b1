// Host side of gels on the GPU: memory, launches, graphs, and the table of functions the library loads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "taxel/batch/gel_gather.cuh"
#include "taxel/batch/gel_press.cuh"
#include "taxel/batch/gel_scatter.cuh"
#include "taxel/batch/gel_sort.cuh"

namespace taxel::cuda {
namespace {

[[noreturn]] void Fail(const std::string& message) { throw std::runtime_error(message); }
std::string Text(double v) {
  char out[32];
  std::snprintf(out, sizeof out, "%g", v);
  return out;
}

/// Steps between sorts for a speed: they may take `share` of the cell that a particle may leave its block by,
/// since it may gain speed before the next look.
int SortEvery(float cells_a_step, float share) {
  return std::clamp(static_cast<int>(share / std::max(cells_a_step, 1e-6f)), 1, 16);
}
constexpr float kShareAtStart = 0.5f, kShare = 0.75f;
constexpr int kLookEvery = 32;

class GelBatch {
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
  void CheckSpec(const CudaGelSpec& spec) const;
  void TakeStart(const CudaGelSpec& spec);
  void TakePads(const CudaGelSpec& spec);
  void TakeState();
  template <typename T>
  T* Room(std::size_t count) {
    keep_.emplace_back(count * sizeof(T));
    Check(cudaMemset(keep_.back().as<void>(), 0, count * sizeof(T)), "clear");
    return keep_.back().template as<T>();
  }
  template <typename T>
  T* Keep(const T* from, std::size_t count) {
    keep_.push_back(Upload(from, count));
    return keep_.back().template as<T>();
  }
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

  GelScene scene_{};
  GelState state_[2]{};
  int current_ = 0, processors_ = 1, scatter_blocks_ = 1, gather_blocks_ = 1, auto_every_ = 1;
  bool worth_check_ = false;
  float start_speed_ = 0, point_mass_ = 0;
  const float *start_velocity_ = nullptr, *start_deformation_ = nullptr, *points_ = nullptr;
  const int* contact_ = nullptr;
  float* hand_ = nullptr;
  int* object_of_ = nullptr;
  KernelPose<float>* X_GO_ = nullptr;
  unsigned* mass_words_ = nullptr;
  std::size_t mass_count_ = 0;
  std::vector<Memory> keep_;
  GelSort sort_;
  cudaStream_t stream_ = nullptr;
  GelWatch* watch_ = nullptr;                              // pinned
  std::map<std::pair<int, int>, cudaGraphExec_t> graphs_;  // by steps and current state
};

void GelBatch::CheckSpec(const CudaGelSpec& s) const {
  if (s.worlds < 1 || s.particles < 1) Fail("worlds and particles must be at least 1");
  if (static_cast<double>(s.worlds) * s.particles > 2e9) Fail("more than 2e9 particles in all worlds");
  for (const int n : s.cells)
    if (n < 16 || n > 1024 || n % kSide != 0)
      Fail("a domain of " + std::to_string(n) + " cells; give a multiple of 4 from 16 to 1024");
  if (static_cast<double>(s.worlds) * s.cells[0] * s.cells[1] * s.cells[2] >= 4294967296.0)
    Fail("more than 2^32 cells in all worlds; give fewer worlds or a smaller domain");
  for (int p = 0; p < s.particles; ++p)
    for (int k = 0; k < 3; ++k) {
      const double x = s.position[3 * static_cast<std::size_t>(p) + k];
      if (!(x >= kBorder && x <= s.cells[k] - kBorder))
        Fail("particle " + std::to_string(p) + " is at " + Text(x) + " along axis " + std::to_string(k) +
             "; it must lie 3 cells or more inside the domain of " + std::to_string(s.cells[k]));
    }
  if (s.pads < 0 || s.pads > 255) Fail("0 to 255 pads");
  if (s.pads == 0) return;
  if (s.layer < 1) Fail("pads without particles in their contact layers");
  if (static_cast<double>(s.worlds) * s.pads > 65535)  // the second extent of a launch
    Fail("more than 65535 pads in all worlds; give fewer worlds");
  if (s.check_every < 1) Fail("check_every must be at least 1");
  if (!(s.unit > 0)) Fail("unit, cells for one unit of the objects' lengths, must be above 0");
  for (int p = 0; p < s.particles; ++p)
    if (s.pad[p] >= s.pads)
      Fail("particle " + std::to_string(p) + " belongs to pad " + std::to_string(s.pad[p]) + " of " +
           std::to_string(s.pads));
  for (int k = 0; k < s.pads * s.layer; ++k)
    if (s.contact[k] < 0 || s.contact[k] >= s.particles)
      Fail("contact layer: particle " + std::to_string(s.contact[k]) + " of " + std::to_string(s.particles));
}

void GelBatch::TakeStart(const CudaGelSpec& spec) {
  const std::size_t n = static_cast<std::size_t>(spec.particles);
  std::vector<float4> start(n);
  std::vector<char> filled(static_cast<std::size_t>(scene_.blocks_a_world)), active(filled.size());
  for (std::size_t p = 0; p < n; ++p) {
    int cell[3];
    float f[3];
    for (int k = 0; k < 3; ++k) {
      const double x = spec.position[3 * p + k];
      cell[k] = static_cast<int>(std::floor(x - 0.5));
      f[k] = static_cast<float>(x - cell[k]);
    }
    const int packed = PackCell(cell[0], cell[1], cell[2]);
    start[p] = {f[0], f[1], f[2], 0};
    std::memcpy(&start[p].w, &packed, sizeof packed);
    filled[static_cast<std::size_t>(
        ((cell[0] / kSide) * scene_.blocks[1] + cell[1] / kSide) * scene_.blocks[2] + cell[2] / kSide)] = 1;
  }
  std::size_t filled_count = 0, active_count = 0;
  for (int x = 0; x < scene_.blocks[0]; ++x)
    for (int y = 0; y < scene_.blocks[1]; ++y)
      for (int z = 0; z < scene_.blocks[2]; ++z) {
        if (!filled[static_cast<std::size_t>((x * scene_.blocks[1] + y) * scene_.blocks[2] + z)]) continue;
        ++filled_count;
        for (int d = 0; d < 27; ++d) {
          const int i = x + d / 9 - 1, j = y + d / 3 % 3 - 1, k = z + d % 3 - 1;
          if (i < 0 || j < 0 || k < 0 || i >= scene_.blocks[0] || j >= scene_.blocks[1] ||
              k >= scene_.blocks[2])
            continue;
          active[static_cast<std::size_t>((i * scene_.blocks[1] + j) * scene_.blocks[2] + k)] = 1;
        }
      }
  for (const char a : active) active_count += a != 0;
  // Room for a gel that spreads.
  const auto room = [&](std::size_t count) {
    const double wanted = static_cast<double>(spec.worlds) * (2.0 * static_cast<double>(count) + 128);
    return static_cast<int>(std::min(wanted, static_cast<double>(spec.worlds) * scene_.blocks_a_world));
  };
  scene_.most_filled = std::min(room(filled_count), scene_.total);
  scene_.most_active = room(active_count);
  scene_.start_position = Keep(start.data(), n);
  if (spec.velocity) start_velocity_ = Keep(spec.velocity, 3 * n);
  if (spec.deformation) start_deformation_ = Keep(spec.deformation, 9 * n);
  for (std::size_t k = 0; spec.velocity && k < 3 * n; ++k)
    start_speed_ = std::max(start_speed_, std::fabs(spec.velocity[k]));
}

void GelBatch::TakePads(const CudaGelSpec& spec) {
  const std::size_t n = static_cast<std::size_t>(spec.particles), W = static_cast<std::size_t>(spec.worlds),
                    L = static_cast<std::size_t>(spec.pads) * spec.layer;
  scene_.pads = spec.pads, scene_.layer = spec.layer, scene_.objects = spec.objects;
  scene_.check_every = spec.check_every;
  scene_.unit = spec.unit, scene_.stop_inside = spec.stop_inside;
  scene_.stop_chamfer = spec.stop_chamfer, scene_.chamfer_sum = spec.chamfer == CudaChamfer::kSum;
  worth_check_ = spec.stop_chamfer > 0;
  scene_.pad = Keep(spec.pad, n);
  scene_.alpha = Keep(spec.alpha, n);
  hand_ = Room<float>(W * spec.pads * 3);
  object_of_ = Room<int>(W);
  X_GO_ = Room<KernelPose<float>>(W);
  scene_.hand = hand_, scene_.object_of = object_of_, scene_.X_GO = X_GO_;
  std::vector<CudaGelObject> objects(spec.object, spec.object + spec.objects);
  for (CudaGelObject& o : objects) o.shape.lattice = UploadLattice(o.shape.lattice, &keep_);
  scene_.object = Keep(objects.data(), objects.size());
  contact_ = Keep(spec.contact, L);
  std::vector<int> layer_of(n, -1);
  std::vector<float4> layer_start(L);
  for (std::size_t k = 0; k < L; ++k) {
    if (layer_of[static_cast<std::size_t>(spec.contact[k])] >= 0)
      Fail("contact layer: particle " + std::to_string(spec.contact[k]) + " twice");
    layer_of[static_cast<std::size_t>(spec.contact[k])] = static_cast<int>(k);
  }
  for (int pad = 0; pad < spec.pads; ++pad)
    for (int c = 0; c < 3; ++c) {
      double mean = 0;
      const auto at = [&](int k) {
        return spec.position[3 * static_cast<std::size_t>(spec.contact[pad * spec.layer + k]) + c];
      };
      for (int k = 0; k < spec.layer; ++k) mean += at(k) / spec.layer;
      for (int k = 0; k < spec.layer; ++k)
        (&layer_start[static_cast<std::size_t>(pad * spec.layer + k)].x)[c] =
            static_cast<float>(at(k) - mean);
    }
  scene_.layer_of = Keep(layer_of.data(), n);
  scene_.layer_start = Keep(layer_start.data(), L);
  scene_.layer_slot = Room<int>(W * L);
  scene_.layer_now = Room<float4>(W * L);
  scene_.nearest = Room<float>(2 * W * L);
  scene_.chamfer = Room<float>(W * spec.pads);
  scene_.stop_step = Room<int>(W);
  if (spec.mix_momentum) {
    int count = 0;
    for (const CudaGelObject& o : objects) count = std::max(count, o.first_point + o.points);
    points_ = Keep(spec.object_points, 3 * static_cast<std::size_t>(count));
    point_mass_ = spec.point_mass;
    mass_count_ = W * scene_.blocks_a_world * kBlockNodes3;
    mass_words_ = Room<unsigned>(mass_count_);
    scene_.still_mass = reinterpret_cast<const float*>(mass_words_);
  }
}

void GelBatch::TakeState() {
  const std::size_t total = static_cast<std::size_t>(scene_.total);
  for (GelState& s : state_)
    s = {Room<float4>(total), Room<float4>(total), Room<float4>(total), Room<float4>(total),
         Room<float4>(total), Room<float4>(total), Room<float2>(total)};
  scene_.slow = Room<int>(total);
  scene_.start = Room<int>(total + 1);
  scene_.key = Room<int>(static_cast<std::size_t>(scene_.most_active));
  scene_.near = Room<int>(27 * static_cast<std::size_t>(scene_.most_active));
  scene_.table = Room<int>(static_cast<std::size_t>(scene_.worlds) * scene_.blocks_a_world);
  scene_.reach = Room<float4>(static_cast<std::size_t>(scene_.most_filled) * kReach3);
  scene_.nodes = Room<float4>(static_cast<std::size_t>(scene_.most_active) * kBlockNodes3);
  scene_.watch = Room<GelWatch>(1);
}

GelBatch::GelBatch(const CudaGelSpec& spec) {
  CheckSpec(spec);
  scene_.worlds = spec.worlds, scene_.particles = spec.particles;
  scene_.total = spec.worlds * spec.particles;
  for (int k = 0; k < 3; ++k) scene_.blocks[k] = spec.cells[k] / kSide, scene_.gravity[k] = spec.gravity[k];
  scene_.blocks_a_world = scene_.blocks[0] * scene_.blocks[1] * scene_.blocks[2];
  scene_.numbers = spec.numbers, scene_.average_volume = spec.average_volume, scene_.keep = spec.keep;
  TakeStart(spec);
  if (spec.pads > 0) TakePads(spec);
  TakeState();
  sort_ = GelSort(scene_);
  int device = 0, scatter = 0, gather = 0;
  Check(cudaGetDevice(&device), "device");
  Check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device), "device");
  AllowShared(ScatterKernel, sizeof(ScatterShared), "the scatter of a gel");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&scatter, ScatterKernel, kScatterThreads,
                                                      sizeof(ScatterShared)),
        "scatter");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&gather, GatherKernel, kGatherThreads, 0), "gather");
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
  GatherKernel<<<gather_blocks_, kGatherThreads, 0, stream_>>>(scene_, state_[current_]);
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
