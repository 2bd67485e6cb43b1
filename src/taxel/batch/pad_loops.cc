#include "taxel/batch/pad_loops.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "taxel/batch/pad_particle.h"
#include "taxel/batch/pad_read.h"
#include "taxel/batch/pad_skin.h"
#include "taxel/batch/pad_state.h"
#include "taxel/batch/parallel_for.h"

namespace taxel::internal {
namespace {

class PadLoops {
 public:
  PadLoops(const PadPlan& plan, int pads, int threads);
  void SetObjects(const SkinObject* object, const double* friction, int objects);
  void Advance(const PadWay& way, const PadReport& report);
  void Read(const GelPadReading& reading) const;
  void Forget(int object, const std::uint8_t* pads);
  std::vector<char>& memory() { return memory_; }

 private:
  void StepsOf(int pad, const PadWay& way, double* load);
  void MoveTile(int pad, int row, int tile, bool gather, bool scatter);
  void NoteMotion(int pad, int row, int particle, float motion);

  PadScene scene_;
  int threads_;
  unsigned long long clock_ = 0;  // steps done
  std::vector<std::vector<char>> plan_;
  std::vector<char> memory_;
  std::vector<PadNode> give_, nodes_, change_;
  std::vector<PadTouch> touch_;
  std::vector<KernelPose<double>> path_;
  std::vector<SkinObject> objects_;
  std::vector<double> friction_;
  std::vector<unsigned> fastest_;
};

PadLoops::PadLoops(const PadPlan& plan, int pads, int threads) : threads_(threads) {
  scene_.pads = pads;
  scene_.plan = CopyPlan(plan, [&](const auto* from, std::size_t count) {
    using T = std::remove_cvref_t<decltype(*from)>;
    std::vector<char>& copy = plan_.emplace_back(count * sizeof(T));
    if (count > 0) std::memcpy(copy.data(), from, count * sizeof(T));
    return reinterpret_cast<const T*>(copy.data());
  });
  const auto P = static_cast<std::size_t>(pads), S = static_cast<std::size_t>(plan.points);
  memory_.resize(LayOutState(plan, pads, nullptr).bytes);
  scene_.state = LayOutState(plan, pads, memory_.data()).state;
  std::fill_n(scene_.state.memory, P * static_cast<std::size_t>(plan.contact), SkinMemory{});
  std::fill_n(scene_.state.trouble, P, kNoTrouble);
  give_.resize(27 * P * static_cast<std::size_t>(plan.cells));
  nodes_.resize(P * static_cast<std::size_t>(plan.nodes));
  change_.resize(P * S), touch_.resize(P * S), fastest_.resize(P);
  scene_.give = give_.data(), scene_.nodes = nodes_.data(), scene_.change = change_.data();
  scene_.touch = touch_.data(), scene_.fastest = fastest_.data();
}

void PadLoops::SetObjects(const SkinObject* object, const double* friction, int objects) {
  objects_.assign(object, object + objects + 1);
  friction_.assign(friction,
                   friction + static_cast<std::size_t>(objects) * static_cast<std::size_t>(scene_.pads));
  scene_.objects = objects, scene_.object = objects_.data(), scene_.friction = friction_.data();
}

void PadLoops::NoteMotion(int pad, int row, int particle, float motion) {
  if (motion < 0.5f) return;
  // The motion is that of the row before, which was step clock + row - 2.
  unsigned long long& trouble = scene_.state.trouble[pad];
  trouble =
      std::min(trouble, (clock_ + static_cast<unsigned>(row) - 2) << 32 | static_cast<unsigned>(particle));
}

void PadLoops::MoveTile(int pad, int row, int tile, bool gather, bool scatter) {
  const PadPlan& plan = scene_.plan;
  const auto N = static_cast<std::size_t>(plan.particles), P = static_cast<std::size_t>(pad);
  const PadState& state = scene_.state;
  PadParticle particle[kPadTile];
  float staged[kPadStaged * kPadTile];
  const int begin = plan.cell_first[plan.tile_first[tile]];
  for (int c = plan.tile_first[tile]; c < plan.tile_first[tile + 1]; ++c) {
    const PadNode* first = scene_.nodes + P * static_cast<std::size_t>(plan.nodes) + plan.cell_node[c];
    float J = 0;
    for (int p = plan.cell_first[c]; p < plan.cell_first[c + 1]; ++p) {
      PadParticle& q = particle[p - begin];
      PlaceParticle(plan, p, &q);
      if (gather) {
        const float motion = GatherParticle(first, plan.row, plan.plane, &q);
        if (!(motion < 0.5f)) NoteMotion(pad, row, plan.number[p], motion);
        if (!scatter) fastest_[P] = std::max(fastest_[P], std::bit_cast<unsigned>(motion));
      } else {
        LoadMotion(state, P, N, p, &q);
      }
      Deform(state, P, N, p, gather, &q);
      if (!scatter) StoreMotion(state, P, N, p, q);
      J += q.J;
    }
    if (!scatter) continue;
    J /= static_cast<float>(plan.cell_first[c + 1] - plan.cell_first[c]);
    float rest[3];
    HandRest(scene_, pad, row, rest);
    for (int p = plan.cell_first[c] - begin; p < plan.cell_first[c + 1] - begin; ++p)
      StageParticle(plan, rest, particle[p], plan.average_volume ? J : particle[p].J, staged + p, kPadTile);
    PadNode* give =
        scene_.give + 27 * (P * static_cast<std::size_t>(plan.cells) + static_cast<std::size_t>(c));
    for (int n = 0; n < 27; ++n) {
      PadNode sum;
      for (int p = plan.cell_first[c] - begin; p < plan.cell_first[c + 1] - begin; ++p)
        AddShare(staged + p, kPadTile, n, &sum);
      give[n] = sum;
    }
  }
}

void PadLoops::StepsOf(int pad, const PadWay& way, double* load) {
  const PadPlan& plan = scene_.plan;
  const auto move = [&](int row, bool gather, bool scatter) {
    for (int t = 0; t < plan.tiles; ++t) MoveTile(pad, row, t, gather, scatter);
  };
  const unsigned long long& trouble = scene_.state.trouble[pad];
  for (int row = 1; row <= way.count && trouble == kNoTrouble; ++row) {
    CheckInterrupt();
    move(row, row > 1, true);
    if (trouble != kNoTrouble) return;  // what is not a number is asked nothing
    for (int k = 0; k < plan.points; ++k) LookAtPoint(scene_, pad, row, k);
    for (int n = 0; n < plan.nodes; ++n) SumNode(scene_, pad, n);
    for (int round = 0; round < plan.rounds; ++round) {
      for (int k = 0; k < plan.points; ++k)
        RoundOfPoint(scene_, pad, row, k, round == 0, round + 1 == plan.rounds);
      for (int n = 0; n < plan.skin_nodes; ++n) PushNode(scene_, pad, plan.skin_node[n]);
    }
    for (int k = 0; k < plan.points; ++k) {
      double one[6];
      const int body = LoadOfPoint(scene_, pad, k, one);
      for (int i = 0; body >= 0 && i < 6; ++i) load[6 * body + i] += one[i];
    }
  }
  fastest_[static_cast<std::size_t>(pad)] = 0;
  if (trouble == kNoTrouble) move(way.count + 1, true, false);
}

void PadLoops::Advance(const PadWay& way, const PadReport& report) {
  const auto P = static_cast<std::size_t>(scene_.pads), bodies = static_cast<std::size_t>(scene_.bodies());
  path_.resize(static_cast<std::size_t>(way.count + 1) * P * bodies);
  scene_.path = path_.data();
  for (int row = 0; row <= way.count; ++row)
    for (int pad = 0; pad < scene_.pads; ++pad)
      for (int body = 0; body < scene_.bodies(); ++body)
        path_[(static_cast<std::size_t>(row) * P + static_cast<std::size_t>(pad)) * bodies +
              static_cast<std::size_t>(body)] =
            PoseOnWay(scene_, way.from, way.to, pad, body, way.begin + row, way.steps, way.smooth);
  const std::size_t loads = 6 * (bodies - 1);
  std::fill_n(report.load, P * loads, 0.0);
  const std::vector<char> before = memory_;
  std::size_t failed = 0;
  struct Nothing {};
  const std::exception_ptr failure = ParallelFor<Nothing>(
      P, threads_, 1, &failed,
      [&](std::size_t pad, Nothing*) { StepsOf(static_cast<int>(pad), way, report.load + pad * loads); });
  if (failure) {  // all pads take these steps, or none
    std::copy(before.begin(), before.end(), memory_.begin());
    std::rethrow_exception(failure);
  }
  clock_ += static_cast<unsigned>(way.count);
  std::copy_n(scene_.state.trouble, P, report.trouble);
  for (std::size_t k = 0; k < P; ++k) report.fastest[k] = std::bit_cast<float>(fastest_[k]);
}

void PadLoops::Read(const GelPadReading& reading) const {
  const PadPlan& plan = scene_.plan;
  for (int pad = 0; pad < scene_.pads; ++pad) {
    for (int k = 0; k < plan.contact - plan.rim; ++k) ReadPoint(scene_, reading, pad, k);
    for (int p = 0; p < plan.particles; ++p) ReadParticle(scene_, reading, pad, p);
  }
}

void PadLoops::Forget(int object, const std::uint8_t* pads) {
  const auto contact = static_cast<std::size_t>(scene_.plan.contact);
  for (std::size_t k = 0; k < static_cast<std::size_t>(scene_.pads) * contact; ++k) {
    SkinMemory& m = scene_.state.memory[k];
    if (pads[k / contact] && m.object == object) m = {};
  }
}

template <typename Work>
int Guard(char* error, std::size_t size, const Work& work) {
  try {
    work();
    return 0;
  } catch (const Interrupted&) {
    throw;  // on the host it may pass
  } catch (const std::exception& e) {
    std::snprintf(error, size, "%s", e.what());
    return 1;
  }
}

PadLoops* Of(void* batch) { return static_cast<PadLoops*>(batch); }

const CudaPadsApi kApi = {
    kCudaPadsVersion,
    [](const PadPlan* plan, int pads, int threads, void** batch, char* error, std::size_t size) {
      return Guard(error, size, [&] { *batch = new PadLoops(*plan, pads, threads); });
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
    [](void* batch) { return Of(batch)->memory().size(); },
    [](void* batch, void* state, char* error, std::size_t size) {
      return Guard(error, size,
                   [&] { std::memcpy(state, Of(batch)->memory().data(), Of(batch)->memory().size()); });
    },
    [](void* batch, const void* state, char* error, std::size_t size) {
      return Guard(error, size,
                   [&] { std::memcpy(Of(batch)->memory().data(), state, Of(batch)->memory().size()); });
    },
};

}  // namespace

const CudaPadsApi& HostPads() { return kApi; }

}  // namespace taxel::internal
