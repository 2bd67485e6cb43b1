// Host side of many pads of a gel on the GPU: memory, launches, graphs, and the table of functions.
#include <algorithm>
#include <map>
#include <vector>

#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/pad_kernels.cuh"
#include "taxel/batch/pad_state.h"

namespace taxel::cuda {
namespace {

/// Steps of a graph, the longest first; what is left goes launch by launch.
constexpr int kGraphSteps[] = {64, 8};

class Pads {
 public:
  Pads(const PadPlan& plan, int pads);
  ~Pads();
  Pads(const Pads&) = delete;
  void SetObjects(const SkinObject* object, const double* friction, int objects);
  void Advance(const PadWay& way, const PadReport& report);
  void Read(const GelPadReading& reading);
  void Forget(int object, const std::uint8_t* pads);
  void Copy(void* to, const void* from);  // of the whole state
  std::size_t bytes() const { return bytes_; }
  void* memory() const { return memory_.as<void>(); }

 private:
  template <typename T>
  T* Room(std::size_t count) {
    keep_.emplace_back(count * sizeof(T));
    if (count > 0) Check(cudaMemset(keep_.back().as<void>(), 0, count * sizeof(T)), "clear");
    return keep_.back().template as<T>();
  }
  /// Blocks for so many things of a pad.
  dim3 Grid(int things) const {
    return dim3(static_cast<unsigned>((things + kPadThreads - 1) / kPadThreads),
                static_cast<unsigned>(scene_.pads));
  }
  void DropGraphs();
  void LaunchMove(int row, bool gather, bool scatter);
  void LaunchStep(int row, bool gather);
  void LaunchPath(const PadWay& way, int begin, int count);
  /// Steps of rows 1 to count, not the first ones of a call.
  void LaunchSteps(int count);
  void Replay(int count);

  PadScene scene_;
  std::size_t bytes_ = 0;
  int load_blocks_ = 0;
  std::vector<Memory> keep_, lattices_;
  Memory memory_, objects_, friction_, path_, from_, to_, load_, load_sum_;
  unsigned long long* clock_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::map<int, cudaGraphExec_t> graphs_;  // by steps
};

Pads::Pads(const PadPlan& plan, int pads) {
  const auto P = static_cast<std::size_t>(pads), S = static_cast<std::size_t>(plan.points);
  scene_.pads = pads;
  scene_.plan = CopyPlan(plan, [&](const auto* from, std::size_t count) {
    keep_.push_back(Upload(from, count));
    return keep_.back().template as<std::remove_cvref_t<decltype(*from)>>();
  });
  bytes_ = LayOutState(plan, pads, nullptr).bytes;
  memory_ = Memory(bytes_);
  Check(cudaMemset(memory_.as<void>(), 0, bytes_), "clear");
  scene_.state = LayOutState(plan, pads, memory_.as<char>()).state;
  const std::vector<SkinMemory> none(P * static_cast<std::size_t>(plan.contact));
  Check(
      cudaMemcpy(scene_.state.memory, none.data(), none.size() * sizeof(SkinMemory), cudaMemcpyHostToDevice),
      "memory of friction");
  Check(cudaMemset(scene_.state.trouble, 0xff, P * sizeof(unsigned long long)), "clear");
  scene_.give = Room<PadNode>(27 * P * static_cast<std::size_t>(plan.cells));
  scene_.nodes = Room<PadNode>(P * static_cast<std::size_t>(plan.nodes));
  scene_.change = Room<PadNode>(P * S);
  scene_.touch = Room<PadTouch>(P * S);
  scene_.fastest = Room<unsigned>(P);
  clock_ = Room<unsigned long long>(1);
  Check(cudaDeviceSynchronize(), "memory");  // our stream does not wait for the one that cleared it
  Check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
}

Pads::~Pads() {
  if (!stream_) return;
  cudaStreamSynchronize(stream_);
  DropGraphs();
  cudaStreamDestroy(stream_);
}

void Pads::DropGraphs() {
  for (const auto& [steps, graph] : graphs_) cudaGraphExecDestroy(graph);
  graphs_.clear();
}

void Pads::SetObjects(const SkinObject* object, const double* friction, int objects) {
  const auto P = static_cast<std::size_t>(scene_.pads), O = static_cast<std::size_t>(objects);
  std::vector<SkinObject> mine(object, object + objects + 1);
  std::vector<Memory> lattices;
  for (SkinObject& o : mine) {
    DistanceLattice<double>& lattice = o.shape.lattice;
    if (!lattice.values) continue;
    lattices.push_back(
        Upload(lattice.values, static_cast<std::size_t>(lattice.nx) * lattice.ny * lattice.nz));
    lattice.values = lattices.back().as<double>();
  }
  Memory uploaded = Upload(mine.data(), mine.size()), coefficients = Upload(friction, P * O);
  Memory path((kPadSteps + 1) * P * (O + 2) * sizeof(KernelPose<double>)),
      from(P * (O + 1) * sizeof(KernelPose<double>)), to(P * (O + 1) * sizeof(KernelPose<double>));
  load_blocks_ = static_cast<int>(Grid(scene_.plan.points).x);
  Memory load(P * static_cast<std::size_t>(load_blocks_) * (O + 1) * 6 * sizeof(double)),
      sums(P * (O + 1) * 6 * sizeof(double));
  Check(cudaDeviceSynchronize(), "objects");  // our stream does not wait for the uploads
  DropGraphs();                               // they have the old addresses
  objects_ = std::move(uploaded), friction_ = std::move(coefficients), lattices_ = std::move(lattices);
  path_ = std::move(path), from_ = std::move(from), to_ = std::move(to);
  load_ = std::move(load), load_sum_ = std::move(sums);
  scene_.objects = objects, scene_.object = objects_.as<SkinObject>();
  scene_.friction = friction_.as<double>(), scene_.path = path_.as<KernelPose<double>>();
}

void Pads::LaunchMove(int row, bool gather, bool scatter) {
  const dim3 grid(static_cast<unsigned>(scene_.plan.tiles), static_cast<unsigned>(scene_.pads));
  if (gather && scatter)
    MoveKernel<true, true><<<grid, kPadTile, 0, stream_>>>(scene_, row, clock_);
  else if (gather)
    MoveKernel<true, false><<<grid, kPadTile, 0, stream_>>>(scene_, row, clock_);
  else
    MoveKernel<false, true><<<grid, kPadTile, 0, stream_>>>(scene_, row, clock_);
}

void Pads::LaunchStep(int row, bool gather) {
  const PadPlan& plan = scene_.plan;
  LaunchMove(row, gather, true);
  if (plan.points > 0) LookKernel<<<Grid(plan.points), kPadThreads, 0, stream_>>>(scene_, row);
  SumKernel<<<Grid(plan.nodes), kPadThreads, 0, stream_>>>(scene_);
  for (int k = 0; plan.points > 0 && k < plan.rounds; ++k) {
    RoundKernel<<<Grid(plan.points), kPadThreads, 0, stream_>>>(scene_, row, k == 0, k + 1 == plan.rounds,
                                                                load_.as<double>());
    PushKernel<<<Grid(plan.skin_nodes), kPadThreads, 0, stream_>>>(scene_);
  }
}

void Pads::LaunchPath(const PadWay& way, int begin, int count) {
  const int poses = (count + 1) * scene_.pads * scene_.bodies();
  PathKernel<<<static_cast<unsigned>((poses + 127) / 128), 128, 0, stream_>>>(
      scene_, from_.as<KernelPose<double>>(), to_.as<KernelPose<double>>(), begin, count, way.steps,
      way.smooth);
}

void Pads::Replay(int count) {
  cudaGraphExec_t& graph = graphs_[count];
  if (!graph) {
    cudaGraph_t made = nullptr;
    Check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "capture");
    for (int row = 1; row <= count; ++row) LaunchStep(row, true);
    Check(cudaStreamEndCapture(stream_, &made), "capture");
    const cudaError_t status = cudaGraphInstantiate(&graph, made, 0);
    cudaGraphDestroy(made);
    Check(status, "graph");
  }
  Check(cudaGraphLaunch(graph, stream_), "graph");
}

void Pads::LaunchSteps(int count) {
  if (std::find(std::begin(kGraphSteps), std::end(kGraphSteps), count) != std::end(kGraphSteps))
    Replay(count);
  else
    for (int row = 1; row <= count; ++row) LaunchStep(row, true);
}

void Pads::Advance(const PadWay& way, const PadReport& report) {
  const auto P = static_cast<std::size_t>(scene_.pads), bodies = static_cast<std::size_t>(scene_.objects) + 1;
  const std::size_t poses = P * bodies * sizeof(KernelPose<double>), sums = P * bodies * 6 * sizeof(double);
  Check(cudaMemcpyAsync(from_.as<void>(), way.from, poses, cudaMemcpyHostToDevice, stream_), "poses");
  Check(cudaMemcpyAsync(to_.as<void>(), way.to, poses, cudaMemcpyHostToDevice, stream_), "poses");
  Check(cudaMemsetAsync(load_.as<void>(), 0, sums * static_cast<std::size_t>(load_blocks_), stream_),
        "clear");
  Check(cudaMemsetAsync(scene_.fastest, 0, P * sizeof(unsigned), stream_), "clear");
  int done = 0, last = 0;
  while (done < way.count) {
    int count = 1;  // the first step takes up what the last call left
    for (const int steps : kGraphSteps)
      if (done > 0 && count == 1 && way.count - done >= steps) count = steps;
    if (done > 0 && count == 1) count = way.count - done;
    LaunchPath(way, way.begin + done, count);
    if (done == 0)
      LaunchStep(1, false);
    else
      LaunchSteps(count);
    done += count;
    last = count;
    if (done < way.count) ClockKernel<<<1, 1, 0, stream_>>>(clock_, count);
    Check(cudaGetLastError(), "step");
  }
  LaunchMove(last + 1, true, false);
  ClockKernel<<<1, 1, 0, stream_>>>(clock_, last);
  const int loads = static_cast<int>(6 * P * bodies);
  LoadKernel<<<static_cast<unsigned>((loads + 127) / 128), 128, 0, stream_>>>(
      scene_, load_blocks_, load_.as<double>(), load_sum_.as<double>());
  Check(cudaGetLastError(), "step");
  Check(cudaMemcpyAsync(report.load, load_sum_.as<void>(), sums, cudaMemcpyDeviceToHost, stream_), "loads");
  Check(cudaMemcpyAsync(report.trouble, scene_.state.trouble, P * sizeof(unsigned long long),
                        cudaMemcpyDeviceToHost, stream_),
        "look");
  Check(cudaMemcpyAsync(report.fastest, scene_.fastest, P * sizeof(float), cudaMemcpyDeviceToHost, stream_),
        "look");
  Check(cudaStreamSynchronize(stream_), "steps");
}

void Pads::Read(const GelPadReading& wanted) {
  const PadPlan& plan = scene_.plan;
  const int touched = plan.contact - plan.rim;
  GelPadReading r = wanted;
  const Memory hand = Upload(r.hand, static_cast<std::size_t>(scene_.pads)),
               area = Upload(r.area, r.area ? static_cast<std::size_t>(touched) : 0);
  r.hand = hand.as<KernelPose<double>>(), r.area = area.as<double>();
  // What the caller queued elsewhere for this memory is over before we write, and the upload too.
  Check(cudaDeviceSynchronize(), "read");
  if ((r.skin_position || r.skin_force || r.displacement || r.traction) && touched > 0)
    ReadPointKernel<<<Grid(touched), kPadThreads, 0, stream_>>>(scene_, r);
  if (r.position || r.deformation)
    ReadParticleKernel<<<Grid(plan.particles), kPadThreads, 0, stream_>>>(scene_, r);
  Check(cudaGetLastError(), "read");
  Check(cudaStreamSynchronize(stream_), "read");
}

void Pads::Forget(int object, const std::uint8_t* pads) {
  if (scene_.plan.contact == 0) return;
  const Memory which = Upload(pads, static_cast<std::size_t>(scene_.pads));
  Check(cudaDeviceSynchronize(), "forget");
  ForgetKernel<<<Grid(scene_.plan.contact), kPadThreads, 0, stream_>>>(scene_, object,
                                                                       which.as<std::uint8_t>());
  Check(cudaGetLastError(), "forget");
  Check(cudaStreamSynchronize(stream_), "forget");
}

void Pads::Copy(void* to, const void* from) {
  Check(cudaMemcpyAsync(to, from, bytes_, cudaMemcpyDefault, stream_), "state");
  Check(cudaStreamSynchronize(stream_), "state");
}

Pads* Of(void* batch) { return static_cast<Pads*>(batch); }

const CudaPadsApi kApi = {
    kCudaPadsVersion,
    [](const PadPlan* plan, int pads, int, void** batch, char* error, std::size_t size) {
      return Guard(error, size, [&] { *batch = new Pads(*plan, pads); });
    },
    [](void* batch) { delete Of(batch); },
    [](void* batch, const SkinObject* object, const double* friction, int objects, char* error,
       std::size_t size) {
      return Guard(error, size, [&] { Of(batch)->SetObjects(object, friction, objects); });
    },
    [](void* batch, const PadWay* way, const PadReport* report, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch)->Advance(*way, *report); });
    },
    [](void* batch, const GelPadReading* reading, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch)->Read(*reading); });
    },
    [](void* batch, int object, const std::uint8_t* pads, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch)->Forget(object, pads); });
    },
    [](void* batch) { return Of(batch)->bytes(); },
    [](void* batch, void* state, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch)->Copy(state, Of(batch)->memory()); });
    },
    [](void* batch, const void* state, char* error, std::size_t size) {
      return Guard(error, size, [&] { Of(batch)->Copy(Of(batch)->memory(), state); });
    },
};

}  // namespace
}  // namespace taxel::cuda

extern "C" __attribute__((visibility("default"))) const taxel::CudaPadsApi* taxel::TaxelCudaPads() {
  return &taxel::cuda::kApi;
}
