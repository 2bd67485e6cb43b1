// What a batch of gels keeps on the GPU, taken and filled once from its spec.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/gel_state.cuh"

namespace taxel::cuda {

[[noreturn]] inline void Fail(const std::string& message) { throw std::runtime_error(message); }
inline std::string Text(double v) {
  char out[32];
  std::snprintf(out, sizeof out, "%g", v);
  return out;
}

class GelMemory {
 protected:
  /// Throws for sizes and positions out of range.
  explicit GelMemory(const CudaGelSpec& spec);

  GelScene scene_{};
  GelState state_[2]{};
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

 private:
  static void CheckSpec(const CudaGelSpec& spec);
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
};

inline GelMemory::GelMemory(const CudaGelSpec& spec) {
  CheckSpec(spec);
  scene_.worlds = spec.worlds, scene_.particles = spec.particles;
  scene_.total = spec.worlds * spec.particles;
  for (int k = 0; k < 3; ++k) scene_.blocks[k] = spec.cells[k] / kSide, scene_.gravity[k] = spec.gravity[k];
  scene_.blocks_a_world = scene_.blocks[0] * scene_.blocks[1] * scene_.blocks[2];
  scene_.numbers = spec.numbers, scene_.average_volume = spec.average_volume, scene_.keep = spec.keep;
  TakeStart(spec);
  if (spec.pads > 0) TakePads(spec);
  TakeState();
}

inline void GelMemory::CheckSpec(const CudaGelSpec& s) {
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

inline void GelMemory::TakeStart(const CudaGelSpec& spec) {
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

inline void GelMemory::TakePads(const CudaGelSpec& spec) {
  const std::size_t n = static_cast<std::size_t>(spec.particles), W = static_cast<std::size_t>(spec.worlds),
                    L = static_cast<std::size_t>(spec.pads) * spec.layer;
  scene_.pads = spec.pads, scene_.layer = spec.layer, scene_.objects = spec.objects;
  scene_.check_every = spec.check_every;
  scene_.unit = spec.unit, scene_.stop_inside = spec.stop_inside;
  scene_.stop_chamfer = spec.stop_chamfer, scene_.chamfer_sum = spec.chamfer == CudaChamfer::kSum;
  worth_check_ = spec.stop_chamfer > 0;
  scene_.pad = Keep(spec.pad, n);
  scene_.alpha = Keep(spec.alpha, n);
  if (spec.alpha_slope) scene_.alpha_slope = Keep(spec.alpha_slope, 3 * n);
  scene_.hand_offset = spec.hand_offset;
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

inline void GelMemory::TakeState() {
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

}  // namespace taxel::cuda
