// What a kernel of mode layer does with one gel of a batch, on the host, against MarkerBatch. Cases:
//   - steps of all worlds and fingers with two objects, a gravity pass and forces; poses in float
//   - a masked step reads and writes these worlds alone
//   - a press by lifted steps, resets and zeroed tractions of some worlds, numbers of each world
//   - poses in the world through attached rows with offsets
//   - some gels whose contact no window holds
#include "taxel/batch/layer_gel.cuh"

#include <gtest/gtest.h>

#include <cstring>

#include "../marker/marker_scenes.h"
#include "taxel/batch/attach_poses.h"
#include "taxel/batch/marker_batch.h"
#include "taxel/marker/layer_arrays.h"

namespace taxel {
using namespace internal;
namespace {

using test::FlatPad, test::Grid, test::RandomPath;

constexpr int kWorlds = 4, kFingers = 2, kObjects = 2, kSmall = 192;

LayerField Field() {
  return LayerField(
      GelPad(FlatPad()), Grid(),
      {MarkerDistance(Primitive{Sphere{8e-3}}), MarkerDistance(Primitive{Cylinder{3e-3, 12e-3}})}, {}, {});
}

Pose Rounded(Pose X) {
  for (double& m : X.R.m) m = static_cast<float>(m);
  for (int k = 0; k < 3; ++k) X.p[k] = static_cast<float>(X.p[k]);
  return X;
}

void Push16(const Pose& X, std::vector<float>* out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out->push_back(static_cast<float>(X.R.m[3 * i + j]));
    out->push_back(static_cast<float>(X.p[i]));
  }
  out->insert(out->end(), {0, 0, 0, 1});
}

// The poses of all worlds, fingers and objects at a moment: the rod leans beside the ball.
std::vector<Pose> Poses(int t) {
  std::vector<Pose> out;
  for (int i = 0; i < kWorlds * kFingers * kObjects; ++i) {
    Pose X = RandomPath(static_cast<std::uint64_t>(30 + i), 40)[static_cast<std::size_t>(t)];
    if (i % kObjects == 1) {
      X.R = X.R * RotationAbout(normalized({1, 0.3, 0}), 1.2);
      X.p += Vec3{6e-3, -5e-3, -3.2e-3};
    }
    out.push_back(Rounded(X));
  }
  return out;
}

// A batch as a kernel sees it, in the memory of the host.
struct Gels {
  struct alignas(16) Room {
    char bytes[16];
  };
  LayerArrays arrays{Field(), "a batch"};
  cuda::LayerBatchView view{};
  LayerScratch scratch;
  cuda::LayerGel shared;
  std::vector<Room> memory, fast, slow;
  std::vector<float> parameters, displacement, wrench, forces, poses, shift;
  SerialTeam team;
  int wide = 0;  // gels so far that no window held

  Gels() {
    view.scene = arrays.scene();
    view.worlds = kWorlds, view.fingers = kFingers;
    view.memory_bytes = LayerMemory::Bytes(kObjects, view.scene.most_chunks);
    const std::size_t gels = kWorlds * kFingers,
                      numbers = 3 * gels * static_cast<std::size_t>(view.scene.markers);
    memory.resize(gels * view.memory_bytes / 16);
    fast.resize(LayerScratch::FastBytes(view.scene, kSmall) / 16 + 1);
    slow.resize(LayerScratch::SlowBytes(view.scene, kSmall) / 16 + 1);
    std::memset(static_cast<void*>(memory.data()), 0, 16 * memory.size());
    view.memory = memory[0].bytes;
    scratch = LayerScratch::Carve(view.scene, kSmall, view.memory_bytes, fast.data(), slow.data());
    const LayerParameters p;
    for (int w = 0; w < kWorlds; ++w)
      for (const double v : {p.friction, p.young, p.pixel}) parameters.push_back(static_cast<float>(v));
    view.parameters = parameters.data();
    displacement.resize(numbers), forces.resize(numbers), wrench.resize(6 * gels);
  }

  // A shift without turns goes in as (gels, 3), else as (gels, 4, 4).
  void Step(CudaStepArguments a, const Pose* moved, const std::uint8_t* mask, double lift = 0) {
    shift.clear();
    const bool turns = moved && moved[1].R != Mat3{};
    for (int i = 0; moved && i < kWorlds * kFingers; ++i) {
      if (turns) Push16(moved[i], &shift);
      for (int k = 0; k < 3 && !turns; ++k) shift.push_back(static_cast<float>(moved[i].p[k]));
    }
    a.shift = moved ? shift.data() : nullptr;
    a.shift_numbers = turns ? 16 : 3;
    a.mask = mask;
    a.lift = static_cast<float>(lift);
    a.out = {displacement.data(), wrench.data(), forces.data()};
    // As the two kernels share the gels.
    int counters[3] = {}, left[kWorlds * kFingers];
    const cuda::LayerQueue queue{counters, counters + 2, left};
    int gel = a.shift ? -1 : cuda::TakeGel<false>(queue, view, a);
    for (; gel >= 0; gel = cuda::TakeGel<false>(queue, view, a)) {
      const LayerOutcome outcome = cuda::StepGel<false>(team, view, a, gel, scratch, &shared);
      if (outcome == LayerOutcome::kWide)
        cuda::LeaveGel(queue, gel);
      else
        ASSERT_EQ(outcome, LayerOutcome::kGood);
    }
    wide += counters[2];
    while ((gel = cuda::TakeGel<true>(queue, view, a)) >= 0)
      ASSERT_EQ(cuda::StepGel<true>(team, view, a, gel, scratch, &shared), LayerOutcome::kGood);
  }
  void Step(const std::vector<Pose>& X, const Pose* moved, const std::uint8_t* mask, double lift = 0) {
    poses.clear();
    for (const Pose& x : X) Push16(x, &poses);
    CudaStepArguments a;
    a.poses.X_PI = poses.data();
    Step(a, moved, mask, lift);
  }
  void Reset(const std::uint8_t* mask, bool keep_normal) {
    for (int gel = 0; gel < view.gels(); ++gel)
      if (!mask || mask[gel / kFingers]) ResetLayer(team, view.scene, keep_normal, view.MemoryOf(gel));
  }
};

struct Both {
  MarkerBatch batch{Field(), kWorlds, kFingers, 1};
  Gels gels;
  std::vector<Vec3> u, w, f;
  Both() : u(kWorlds * kFingers * Grid().size()), w(2 * kWorlds * kFingers), f(u.size()) {}

  void Step(const std::vector<Pose>& X, const Pose* shift, const std::uint8_t* mask) {
    batch.Step(X, 0, shift, u.data(), w.data(), f.data(), mask);
    gels.Step(X, shift, mask);
  }
  void Compare(const char* when) const {
    SCOPED_TRACE(when);
    double motion = 1, force = 0.1;
    for (const Vec3& v : u) motion = std::max(motion, norm(v));
    for (std::size_t i = 0; i < w.size(); i += 2) force = std::max(force, norm(w[i]));
    for (std::size_t i = 0; i < u.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        const std::size_t at = 3 * i + static_cast<std::size_t>(k);
        ASSERT_NEAR(u[i][k], gels.displacement[at], 1e-3 * motion) << i;
        ASSERT_NEAR(f[i][k], gels.forces[at], 1e-3 * force) << i;
      }
    for (std::size_t i = 0; i < w.size(); ++i)
      for (int k = 0; k < 3; ++k)
        ASSERT_NEAR(w[i][k], gels.wrench[3 * i + static_cast<std::size_t>(k)], (i % 2 ? 1e-5 : 1e-3) * force)
            << i;
  }
};

const std::uint8_t kMask[kWorlds] = {1, 0, 0, 1};

TEST(LayerGel, IsABatchOnThreads) {
  Both b;
  std::vector<Pose> shift, turned;
  for (int i = 0; i < kWorlds * kFingers; ++i) {
    shift.push_back({{}, {static_cast<float>(1e-4), static_cast<float>(-2e-5 * i), 0}});
    turned.push_back({RotationAbout({0.6, 0, 0.8}, 0.01 * i), shift.back().p});
  }
  for (int t = 0; t < 12; ++t) {
    b.Step(Poses(t), t % 3 == 1 ? shift.data() : t % 3 ? turned.data() : nullptr, nullptr);
    b.Compare("step");
  }
  const std::vector<float> before = b.gels.displacement;
  std::vector<Pose> seen = Poses(12);
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!kMask[i / (kFingers * kObjects)]) seen[i].p.x = std::numeric_limits<double>::quiet_NaN();
  b.Step(seen, nullptr, kMask);
  b.Compare("masked");
  const std::size_t world = before.size() / kWorlds;
  EXPECT_TRUE(std::equal(&before[world], &before[3 * world], &b.gels.displacement[world]));

  b.batch.ZeroTangential(kMask);
  b.gels.Reset(kMask, true);
  for (int world_of = 0; world_of < kWorlds; ++world_of) {
    LayerParameters p;
    p.friction = 0.3 + 0.2 * world_of, p.young = 1e5 * (1 + world_of), p.pixel = 5e-5 * (1 + world_of);
    b.batch.SetParameters(world_of, p);
    const double row[] = {p.friction, p.young, p.pixel};
    for (std::size_t k = 0; k < 3; ++k)
      b.gels.parameters[3 * static_cast<std::size_t>(world_of) + k] = static_cast<float>(row[k]);
  }
  for (int t = 13; t < 16; ++t) b.Step(Poses(t), nullptr, nullptr);
  b.Compare("zeroed, other numbers");

  // As MarkerBatch of Python presses on a GPU.
  constexpr double kFrom = 3e-3;
  const std::vector<Pose> X = Poses(16);
  b.batch.Press(X, kFrom, 4, 0, nullptr, b.u.data(), b.w.data(), b.f.data(), kMask);
  b.gels.Reset(kMask, false);
  for (int k = 0; k <= 4; ++k) b.gels.Step(X, nullptr, kMask, kFrom * (4 - k) / 4);
  b.Compare("pressed");
  for (int t = 17; t < 20; ++t) b.Step(Poses(t), nullptr, nullptr);
  b.Compare("afterwards");
  EXPECT_EQ(b.gels.wide, 0);
}

TEST(LayerGel, ContactsThatNoWindowHoldsAreLeftToTheSecondKernel) {
  Both b;
  const Pose along{{}, {5e-5, 0, 0}};
  for (int t = 0; t < 10; ++t) {
    std::vector<Pose> X = Poses(t);
    // In the second finger of each world ball and rod are far from each other.
    for (std::size_t i = 0; i < X.size(); i += kObjects * kFingers)
      X[i + kObjects].p.y += 6e-3, X[i + kObjects + 1].p.y -= 3e-3;
    const std::vector<Pose> shift(kWorlds * kFingers, along);
    b.Step(X, t == 8 ? shift.data() : nullptr, t == 5 ? kMask : nullptr);
    b.Compare("step");
  }
  EXPECT_GT(b.gels.wide, 5);
  EXPECT_LE(b.gels.wide, kWorlds * 10);
}

TEST(LayerGel, PosesInTheWorld) {
  constexpr int kCount = 5;
  Both b;
  const Pose pad_offset = Rounded({RotationAbout({0, 1, 0}, 0.4), {1e-3, -2e-3, 5e-3}}),
             rod_offset = Rounded({RotationAbout({1, 0, 0}, 0.2), {0, 1e-3, 0}});
  CudaStepArguments a;
  a.poses = AttachPoses(kCount, {4, 1}, {pad_offset, {}}, {0, 2}, {{}, rod_offset});
  for (int t = 0; t < 8; ++t) {
    const std::vector<Pose> ask = Poses(t);
    std::vector<float> position(3 * kWorlds * kCount), rotation(9 * kWorlds * kCount);
    std::vector<Pose> X;
    for (int w = 0; w < kWorlds; ++w) {
      // The first finger asks for its objects; the second is where it happens to be, beside the first.
      const Pose pad{RotationAbout(normalized({1, 2.0 * w, 3}), 1.0), {0.02 * w, -0.03, 0.05}};
      const std::size_t first = static_cast<std::size_t>(w * kFingers * kObjects);
      Pose rows[kCount];
      rows[4] = Rounded(pad * Inverse(pad_offset));
      rows[1] = Rounded(pad * Pose{RotationAbout({0, 0, 1}, 0.1), {1e-4, 0, 1e-4}});
      rows[0] = Rounded(pad * ask[first]);
      rows[2] = Rounded(pad * ask[first + 1] * Inverse(rod_offset));
      for (int k = 0; k < kCount; ++k) {
        const std::size_t at = static_cast<std::size_t>(w * kCount + k);
        for (std::size_t d = 0; d < 3; ++d)
          position[3 * at + d] = static_cast<float>(rows[k].p[static_cast<int>(d)]);
        for (std::size_t d = 0; d < 9; ++d) rotation[9 * at + d] = static_cast<float>(rows[k].R.m[d]);
      }
      for (const Pose& P : {rows[4] * pad_offset, rows[1]}) {
        X.push_back(Inverse(P) * rows[0]);
        X.push_back(Inverse(P) * (rows[2] * rod_offset));
      }
    }
    b.batch.Step(X, 0, nullptr, b.u.data(), b.w.data(), b.f.data());
    a.poses.position = position.data(), a.poses.rotation = rotation.data();
    b.gels.Step(a, nullptr, nullptr);
    b.Compare("in the world");
  }
}

}  // namespace
}  // namespace taxel
