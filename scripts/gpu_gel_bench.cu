// Checks gels on the GPU against the CPU's solver and times them. No other library is needed:
//     nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -Isrc -Xcompiler -march=x86-64-v3,-pthread
//       scripts/gpu_gel_bench.cu src/taxel/batch/gel_batch.cu
//       src/taxel/gel/{gel_transfer,gel_grid,particle_blocks,block_bins,block_table,thread_crew}.cc -o gpu_gel_bench
//     ./gpu_gel_bench            # all; --tiny: small scenes for compute-sanitizer; --quick: checks alone; --times: no checks
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu_gel_scenes.h"
#include "taxel/gel/gel_grid.h"
#include "taxel/shape/kernel_shape.h"

namespace taxel {
namespace {

int failures = 0;
void Verdict(bool ok, const char* what) {
  std::printf("%s  %s\n", ok ? "ok  " : "FAIL", what);
  failures += !ok;
}

/// The same steps with the CPU's blocks (world 0). sort_every 0: when a particle may have moved 0.8 cells.
Gel::State OnCpu(const Scene& s, int steps, int sort_every) {
  ThreadCrew crew(1);
  ParticleBlocks particles;
  const std::size_t n = static_cast<std::size_t>(s.size());
  std::vector<Vec3> cells(n);
  for (std::size_t p = 0; p < n; ++p) cells[p] = {s.x[3 * p], s.x[3 * p + 1], s.x[3 * p + 2]};
  particles.Assign(cells);
  for (std::size_t p = 0; p < n; ++p) {
    GelParticle q = particles.Get(p);
    for (int k = 0; k < 3; ++k) q.v[k] = s.v[3 * p + k];
    for (int k = 0; k < 9; ++k) q.F[k] = s.F[9 * p + k];
    particles.Set(p, q);
  }
  particles.Sort(&crew);
  GelGrid grid;
  grid.Fit(particles.blocks());
  TransferOptions options;
  options.numbers = s.spec.numbers, options.average_volume = s.spec.average_volume,
  options.keep = s.spec.keep;
  ReachNodes nodes;
  float drifted = 0;
  for (int step = 0; step < steps; ++step) {
    const std::vector<GridBlock>& blocks = particles.blocks();
    for (std::size_t b = 0; b < blocks.size() && blocks[b].count > 0; ++b)
      ScatterBlock(options, &particles.groups()[static_cast<std::size_t>(blocks[b].group)], blocks[b].count,
                   grid.reach(static_cast<int>(b)));
    for (std::size_t b = 0; b < blocks.size(); ++b) grid.Sum(blocks, static_cast<int>(b), s.spec.gravity);
    float fastest = 0;
    for (std::size_t b = 0; b < blocks.size() && blocks[b].count > 0; ++b) {
      ParticleGroup* groups = &particles.groups()[static_cast<std::size_t>(blocks[b].group)];
      grid.Load(blocks, static_cast<int>(b), &nodes);
      std::vector<float> alpha, hand, stopped, slope;
      if (s.spec.pads > 0) {
        const int lanes = (blocks[b].count + 7) / 8 * 8;
        alpha.resize(static_cast<std::size_t>(lanes)), stopped.resize(alpha.size()),
            hand.resize(3 * alpha.size()), slope.resize(3 * alpha.size());
        for (int k = 0; k < blocks[b].count; ++k) {
          const auto id =
              static_cast<std::size_t>(particles.ids()[static_cast<std::size_t>(8 * blocks[b].group + k)]);
          alpha[k] = s.alpha[id];
          Triple<float> at;
          float* x[3] = {&at.x, &at.y, &at.z};
          for (int c = 0; c < 3; ++c) {
            *x[c] = static_cast<float>(groups[k / 8].x[c][k % 8] + 4.0 * blocks[b].at[c] - s.center[c]);
            hand[24 * (k / 8) + 8 * c + k % 8] = s.hand[3 * s.pad[id] + c];
            if (!s.slope.empty()) slope[24 * (k / 8) + 8 * c + k % 8] = s.slope[3 * id + c];
          }
          stopped[k] = ShapeDistance(s.object.shape, at) < 0 ? 1.0f : 0.0f;
        }
      }
      HandMotion motion{alpha.data(), hand.data(), stopped.data()};
      if (!s.slope.empty()) motion.slope = slope.data();
      motion.offset = s.spec.hand_offset;
      fastest =
          std::max(fastest, GatherBlock(nodes, s.spec.pads > 0 ? &motion : nullptr, groups, blocks[b].count));
    }
    drifted += fastest;
    if (sort_every > 0 ? (step + 1) % sort_every == 0 : drifted > 0.8f)
      particles.Sort(&crew), grid.Fit(particles.blocks()), drifted = 0;
  }
  Gel::State out{std::vector<double>(3 * n), std::vector<float>(3 * n), std::vector<float>(9 * n)};
  for (std::size_t p = 0; p < n; ++p) {
    const GelParticle q = particles.Get(p);
    for (int k = 0; k < 3; ++k) out.x[3 * p + k] = q.x[k], out.v[3 * p + k] = q.v[k];
    for (int k = 0; k < 9; ++k) out.F[9 * p + k] = q.F[k];
  }
  return out;
}

/// The means of J are taken over the particles of a block in a cell, so they depend on when the particles are
/// sorted: those scenes need the same `sort_every` on both sides.
void Compare(const char* name, Scene& s, int steps, int sort_every, double most_allowed, double share = 1) {
  Gel gel(s, 1);
  const CudaGelStatus status = gel.Advance(steps, sort_every);
  const Gel::State gpu = gel.Read(0), cpu = OnCpu(s, steps, sort_every);
  std::vector<double> x, F;
  double travel = 0;
  for (std::size_t k = 0; k < gpu.x.size(); ++k) {
    const double d = std::fabs(gpu.x[k] - cpu.x[k]);
    x.push_back(std::isfinite(d) ? d : 1e30);
    travel = std::max(travel, std::fabs(gpu.x[k] - s.x[k]));
  }
  for (std::size_t k = 0; k < gpu.F.size(); ++k) {
    const double d = std::fabs(gpu.F[k] - cpu.F[k]);
    F.push_back(std::isfinite(d) ? d : 1e30);
  }
  const auto at = [](std::vector<double>& d, double q) {
    const auto k = static_cast<std::size_t>(q * static_cast<double>(d.size() - 1));
    std::nth_element(d.begin(), d.begin() + static_cast<long>(k), d.end());
    return d[k];
  };
  const double judged = at(x, share), most = at(x, 1), most_F = at(F, share);
  std::printf(
      "%-34s %7d particles %4d steps: travel %.2f cells, largest difference %.2e cells (at %g: %.2e), "
      "of F %.2e; %d + %d blocks\n",
      name, s.size(), steps, travel, most, share, judged, most_F, status.filled,
      status.active - status.filled);
  Verdict(judged < most_allowed && travel > 0.05, name);
}

void Checks(bool tiny) {
  const int side = tiny ? 6 : 23, domain = tiny ? 32 : 64, steps = tiny ? 12 : 200;
  const double corner = tiny ? 0.12 : 0.03;
  {
    Scene s = Cube(side, domain, corner, false);
    Compare("cube, corotated", s, steps, 0, 1e-4);
  }
  {
    Scene s = Cube(side, domain, corner, true);
    s.spec.average_volume = true, s.spec.numbers.lambda = 0.6f, s.spec.numbers.mu = 0.06f;
    s.spec.keep = 0.999f;
    s.spec.gravity[0] = 1e-5f, s.spec.gravity[2] = -3e-5f;
    Compare("cube, mean volumes, damped, falls", s, steps, 4, 1e-4);
  }
  {
    Scene s = Cube(side, domain, corner, true);
    s.spec.numbers = {0.1f, 0.15f, GelLaw::kNeoHookean};
    Compare("cube, neo-Hookean", s, steps, 4, 1e-4);
  }
  {
    // Some particles inside out or flat: the stress that Newton's iteration cannot do.
    Scene s = Cube(tiny ? 6 : 12, domain, corner, true);
    s.spec.numbers = {0.03f, 0.03f, GelLaw::kCorotated};
    for (std::size_t p = 0; p < static_cast<std::size_t>(s.size()); p += 37) {
      s.F[9 * p] = p % 2 ? -0.6f : 0.01f;
      s.F[9 * p + 1] = 0.2f;
    }
    Compare("cube, some particles inside out", s, tiny ? 4 : 20, 4, 1e-4);
  }
  {
    // 64 particles a cell: a block does not fit into shared memory at once.
    Scene s = Cube(tiny ? 8 : 24, domain, corner, true);
    for (double& x : s.x)
      x = 0.5 * domain + 1.3 + 0.5 * (x - 0.5 * domain);  // off the corner of eight blocks
    s.spec.average_volume = true;
    Compare("cube, crowded", s, tiny ? 8 : 40, 4, 1e-4);
  }
  {
    // A particle at the border of the object may stop one step earlier or later: judged at 99 %.
    Scene s = Press(tiny ? 9 : 61, tiny ? 64 : 128, tiny ? 0.2 : 1);
    Compare("press of two pads on a ball", s, tiny ? 12 : 64, 4, 1e-4, 0.99);
  }
  {
    Scene s = Press(tiny ? 9 : 61, tiny ? 64 : 128, tiny ? 0.2 : 1);
    for (int p = 0; p < s.size(); ++p)
      for (const float slope : {0.01f, s.pad[static_cast<std::size_t>(p)] == 0 ? 0.19f : -0.19f, 0.0f})
        s.slope.push_back(slope);
    s.spec.hand_offset = 0.01f;
    Compare("press, F follows the blend, offset", s, tiny ? 12 : 64, 4, 1e-4, 0.99);
  }
}

void Determinism(bool tiny) {
  {
    Scene s = Cube(tiny ? 6 : 23, tiny ? 32 : 64, tiny ? 0.12 : 0.03, true);
    s.spec.average_volume = true;
    Gel a(s, 1), b(s, 1);
    const int steps = tiny ? 10 : 200;
    a.Advance(steps), b.Advance(steps);
    const Gel::State first = a.Read(0);
    Verdict(first == b.Read(0), "two runs of a cube: the same bits");
    a.Place();
    a.Advance(steps);
    Verdict(first == a.Read(0), "placed again: the same bits");
  }
  {
    const int worlds = tiny ? 2 : 8;
    Scene s = Press(tiny ? 9 : 61, tiny ? 64 : 128, tiny ? 0.2 : 1);
    s.spec.stop_chamfer = tiny ? 0.01f : 1.6f, s.spec.check_every = 4;
    Gel a(s, worlds), b(s, worlds);
    a.Advance(tiny ? 24 : 80), b.Advance(tiny ? 24 : 80);
    const Gel::Layers x = a.ReadLayers(), y = b.ReadLayers();
    bool same = x.steps == y.steps && x.stopped == y.stopped;
    same = same && std::memcmp(x.displacement.data(), y.displacement.data(), 4 * x.displacement.size()) == 0;
    same = same && std::memcmp(x.chamfer.data(), y.chamfer.data(), 4 * x.chamfer.size()) == 0;
    Verdict(same, "two runs of a batch of presses: the same bits");
    // The chamfer distance again, on the host, from the positions.
    const Gel::State now = a.Read(0);
    std::vector<double> p[2];
    for (int side = 0; side < 2; ++side) {
      const std::vector<double>& from = side == 0 ? s.x : now.x;
      double mean[3] = {};
      for (int k = 0; k < s.spec.layer; ++k)
        for (int c = 0; c < 3; ++c) {
          p[side].push_back(from[3 * static_cast<std::size_t>(s.contact[static_cast<std::size_t>(k)]) + c]);
          mean[c] += p[side].back() / s.spec.layer;
        }
      for (std::size_t k = 0; k < p[side].size(); ++k) p[side][k] -= mean[k % 3];
    }
    double sum = 0;
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < s.spec.layer; ++i) {
        double least = 1e30;
        for (int j = 0; j < s.spec.layer; ++j) {
          double d = 0;
          for (int c = 0; c < 3; ++c) {
            const double e = p[side][static_cast<std::size_t>(3 * i + c)] -
                             p[1 - side][static_cast<std::size_t>(3 * j + c)];
            d += e * e;
          }
          least = std::min(least, d);
        }
        sum += least / s.spec.layer;
      }
    std::printf("chamfer of world 0: %.6g, on the host %.6g cells^2; stopped %d after %d steps\n",
                x.chamfer[0], sum, x.stopped[0], x.steps[0]);
    Verdict(std::fabs(x.chamfer[0] - sum) < 1e-3 * sum + 1e-6, "chamfer distance");
    if (!tiny) Verdict(x.stopped[0] == 1 && x.steps[0] % 4 == 0, "the press stops");
    if (!tiny) {
      // A stopped world stays where it is.
      a.Advance(32);
      Verdict(now == a.Read(0) || !x.stopped[0], "a stopped world stays");
    }
  }
}

void Troubles() {
  const auto fails = [](Scene& s, int steps, int sort_every, const char* words, const char* what) {
    Gel gel(s, 2);
    const std::string message = gel.Trouble(steps, sort_every);
    std::printf("%s\n", message.c_str());
    Verdict(message.find(words) != std::string::npos, what);
    gel.Place();  // and it can go on
    gel.Advance(1, 1);
  };
  {
    Scene s = Cube(4, 32, 0.15, false);
    fails(s, 40, 40, "since the last sort", "sorted too seldom: an error");
  }
  {
    Scene s = Cube(4, 16, 0.01, false);
    for (std::size_t k = 0; k < s.v.size(); k += 3) s.v[k] = 0.3f;
    fails(s, 60, 0, "border of the domain", "left the domain: an error");
  }
  {
    Scene s = Cube(4, 32, 0.2, false);
    s.spec.numbers.lambda = 8;  // beyond the stable step
    for (std::size_t k = 0; k < s.F.size(); k += 9) s.F[k] = 1.01f;
    fails(s, 200, 0, "blow-up", "too large a step: an error");
  }
}

void MixMomentum(bool tiny) {
  // The authors' object: points on the grid that rest. The pads must be slowed by them.
  Scene s = Press(tiny ? 9 : 31, tiny ? 64 : 128, tiny ? 0.2 : 0.5);
  std::vector<float> points;
  const float r = s.object.radius;
  for (float x = -r; x <= r; x += 0.5f)
    for (float y = -r; y <= r; y += 0.5f)
      for (float z = -r; z <= r; z += 0.5f)
        if (x * x + y * y + z * z <= r * r) points.insert(points.end(), {x, y, z});
  s.object.points = static_cast<int>(points.size() / 3);
  s.spec.object_points = points.data(), s.spec.point_mass = 5;
  s.spec.stop_inside = false;
  const int steps = tiny ? 16 : 40;
  double sum[2];
  for (int mixed = 0; mixed < 2; ++mixed) {
    s.spec.mix_momentum = mixed == 1;
    Gel gel(s, 1);
    gel.Advance(steps);
    sum[mixed] = 0;
    for (const float d : gel.ReadLayers().displacement) sum[mixed] += std::fabs(d);
  }
  std::printf("mixing of momentum: contact layers moved %.3g cells in all without, %.3g with\n", sum[0],
              sum[1]);
  Verdict(sum[1] > 1.5 * sum[0] && std::isfinite(sum[1]), "an object on the grid holds the pads back");
}

/// Bytes of device memory that an update must move: scatter 72, gather 72 + 104, the nodes, and its share of
/// a sort (read and write the state, keys and four passes over pairs).
double BytesOfUpdate(const CudaGelStatus& status, double particles, double sort_every) {
  return 72 + 176 + (2.0 * 8192 + 8192) * status.filled / particles + (2 * 104 + 40 + 64) / sort_every;
}

void Time(const char* name, Scene& s, int worlds, int steps) {
  using Clock = std::chrono::steady_clock;
  Gel gel(s, worlds);
  CudaGelStatus status = gel.Advance(48);
  const double particles = static_cast<double>(worlds) * s.size();
  std::vector<double> rates;
  for (int k = 0; k < 5; ++k) {
    const auto begin = Clock::now();
    status = gel.Advance(steps);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    rates.push_back(particles * steps / seconds);
  }
  std::sort(rates.begin(), rates.end());
  const double every = std::clamp(static_cast<int>(0.75 / status.fastest), 1, 16);  // as gel_batch.cu does
  const double bytes = BytesOfUpdate(status, particles, every), bound = 4.8e12 / bytes;
  std::printf(
      "%-28s %9.0f particles: %.3f G updates/s (%.3f to %.3f), %.4f ms a step; sorted every %.0f; %.0f B an "
      "update: bound %.1f G/s, reached %.0f %%\n",
      name, particles, 1e-9 * rates[2], 1e-9 * rates[0], 1e-9 * rates[4], 1e3 * particles / rates[2], every,
      bytes, 1e-9 * bound, 100 * rates[2] / bound);
  const std::vector<float> t = gel.Profile(11);
  std::printf("    ms alone: sort %.4f, scatter %.4f, grid %.4f, gather %.4f, chamfer %.4f\n", t[0], t[1],
              t[2], t[3], t[4]);
}

void Times() {
  {
    Scene s = Cube(50, 128, 0.02, false);
    Time("cube, 128^3", s, 1, 512);
  }
  {
    Scene s = Cube(100, 256, 0.02, false);
    Time("cube, 256^3", s, 1, 256);
  }
  {
    Scene s = Cube(100, 256, 0.02, true);
    s.spec.average_volume = true;
    Time("cube, 256^3, mean volumes", s, 1, 256);
  }
  for (const int worlds : {1, 16, 256}) {
    Scene s = Press(61, 128, 1);
    s.spec.stop_chamfer = 1e30f, s.spec.check_every = 4;
    Gel gel(s, worlds);
    gel.Advance(80);
    std::vector<double> seconds;
    for (int k = 0; k < 3; ++k) {
      gel.Place();
      const auto begin = std::chrono::steady_clock::now();
      gel.Advance(80);
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    std::printf(
        "%4d presses of %d particles, 80 steps, chamfer every 4: %.4f s, %.3f G updates/s, %.0f presses/s\n",
        worlds, s.size(), seconds[1], 1e-9 * worlds * s.size() * 80.0 / seconds[1], worlds / seconds[1]);
    const std::vector<float> t = gel.Profile(5);
    std::printf("    ms alone: sort %.4f, scatter %.4f, grid %.4f, gather %.4f, chamfer of both pads %.4f\n",
                t[0], t[1], t[2], t[3], t[4]);
  }
}

}  // namespace
}  // namespace taxel

int main(int argc, char** argv) {
  const auto has = [&](const char* flag) {
    for (int k = 1; k < argc; ++k)
      if (std::strcmp(argv[k], flag) == 0) return true;
    return false;
  };
  const bool tiny = has("--tiny");
  if (!has("--times")) {
    taxel::Checks(tiny);
    taxel::Determinism(tiny);
    taxel::Troubles();
    taxel::MixMomentum(tiny);
  }
  if (!tiny && !has("--quick")) taxel::Times();
  std::printf(taxel::failures ? "%d checks failed\n" : "all checks passed (%d failed)\n", taxel::failures);
  return taxel::failures ? 1 : 0;
}
