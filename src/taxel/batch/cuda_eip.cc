#include "taxel/batch/cuda_eip.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "taxel/gel/layers.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel::internal {
namespace {

constexpr int kWorlds = 512;        // presses at a time: some 16 GB of the GPU's memory
constexpr double kNodeMass = 4000;  // particles of mass that a node can hold: the GPU counts it in 32 bits
constexpr int kSide = kEipPadCounts[0], kLayers = kEipPadCounts[1];
constexpr std::size_t kPixels = static_cast<std::size_t>(kSide) * kSide;

void CheckPresses(const EipOptions& o, const std::vector<MarkerDistance>& objects,
                  const std::vector<int>& which, const std::vector<Pose>& X_DO) {
  CheckEipOptions(o);
  if (X_DO.size() != which.size())
    throw Error("EIP presses: " + std::to_string(which.size()) + " objects chosen and " +
                std::to_string(X_DO.size()) + " poses; give one of each a press");
  if (o.grid % 4 != 0)
    throw Error("EIP presses on the GPU: grid is " + std::to_string(o.grid) + "; give a multiple of 4");
  for (std::size_t k = 0; k < which.size(); ++k)
    if (which[k] < 0 || which[k] >= static_cast<int>(objects.size()))
      throw Error("EIP presses: press " + std::to_string(k) + " asks for object " + std::to_string(which[k]) +
                  "; there are " + std::to_string(objects.size()));
  for (std::size_t k = 0; k < which.size(); ++k) try {
      CheckEipObject(o, objects[static_cast<std::size_t>(which[k])], X_DO[k]);
    } catch (const Error& e) {
      throw Error("EIP presses: press " + std::to_string(k) + ": " + e.what());
    }
}

/// Points of a lattice inside an object, from the lower corner of its box: the authors' objects are
/// particles.
std::vector<Vec3> FillLattice(const MarkerDistance& object, double step) {
  const Box3& box = object.inside_box();
  const Vec3 size = box.size();
  const int count[3] = {static_cast<int>(size.x / step) + 1, static_cast<int>(size.y / step) + 1,
                        static_cast<int>(size.z / step) + 1};
  std::vector<Vec3> out;
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j)
      for (int k = 0; k < count[2]; ++k) {
        const Vec3 p = box.lo + step * Vec3{i + 0.5, j + 0.5, k + 0.5};
        if (object.Value(p) < 0) out.push_back(p);
      }
  return out;
}

/// Mass of such a point, in particles.
double PointMass(const EipOptions& o, double step, std::size_t pad_particles) {
  const double particle = kEipPadSize.x * kEipPadSize.y * kEipPadSize.z / static_cast<double>(pad_particles);
  const double mass = o.object_density / o.material.density * (step * step * step) / particle;
  if (8 * mass > kNodeMass) {  // eight points a cell
    char text[160];
    std::snprintf(text, sizeof text, "object_density is %g; at grid %d give at most %.3g, or a finer grid",
                  o.object_density, o.grid, kNodeMass / (8 * mass) * o.object_density);
    throw Error(std::string("EIP presses on the GPU: ") + text);
  }
  return mass;
}

}  // namespace

EipGel::EipGel(const EipOptions& o, const std::vector<MarkerDistance>& objects, int worlds) {
  const EipPads pads = MakeEipPads(o.gap);
  const std::size_t each = pads.lower.points.size();
  for (const LayeredPad* one : {&pads.lower, &pads.upper}) {
    for (const Vec3& p : one->points)
      for (int k = 0; k < 3; ++k) position.push_back(p[k] * o.grid);
    for (const int layer : one->layers)
      alpha.push_back(static_cast<float>(1 - static_cast<double>(layer) / kLayers));
  }
  pad.assign(2 * each, 0);
  std::fill(pad.begin() + static_cast<std::ptrdiff_t>(each), pad.end(), std::uint8_t{1});
  // y of pad 0's frame is -z of D, along which the columns run.
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) contact.push_back(i * kSide + kSide - 1 - j);
  for (int k = 0; k < kSide * kSide; ++k) contact.push_back(k + static_cast<int>(each));
  if (o.follow_blend) {
    slope.assign(6 * each, 0);
    for (std::size_t p = 0; p < 2 * each; ++p)
      slope[3 * p + 1] = static_cast<float>((p < each ? 1.0 : -1.0) / (kEipPadSize.y * o.grid));
  }
  const bool mixing = o.contact == EipContact::kMixing;
  const double step = 0.5 / o.grid;
  if (mixing) spec.point_mass = static_cast<float>(PointMass(o, step, each));
  for (const MarkerDistance& object : objects)
    bodies.push_back({object, mixing ? FillLattice(object, step) : std::vector<Vec3>{}});

  const double kappa = 4 * (o.dt * o.dt) * (static_cast<double>(o.grid) * o.grid) / o.material.density;
  spec.worlds = worlds, spec.particles = static_cast<int>(2 * each);
  for (int& cells : spec.cells) cells = o.grid;
  spec.position = position.data();
  spec.numbers = {static_cast<float>(kappa * o.material.mu()),
                  static_cast<float>(kappa * o.material.lambda()), o.material.law};
  spec.pads = 2, spec.layer = kSide * kSide;
  spec.pad = pad.data(), spec.alpha = alpha.data(), spec.contact = contact.data();
  if (o.follow_blend) spec.alpha_slope = slope.data();
  spec.hand_offset = o.hand_offset ? 0.01f : 0.0f;
  spec.unit = static_cast<float>(o.grid);
  spec.stop_inside = !mixing, spec.mix_momentum = mixing;
  spec.stop_chamfer = static_cast<float>(std::max(o.chamfer, 0.0) * (static_cast<double>(o.grid) * o.grid));
  spec.chamfer = o.form == ChamferForm::kSum ? CudaChamfer::kSum : CudaChamfer::kMean;
  spec.check_every = o.check_every;
}

EipResult ToEipResult(const EipOptions& o, const float* layers, const float* chamfer, int steps,
                      bool stopped) {
  EipResult out;
  out.steps = steps, out.stopped = stopped;
  const double way = 0.5 * o.gap - o.speed * o.dt * steps;
  const auto grid = static_cast<float>(o.grid);
  for (int k = 0; k < 2; ++k) {
    const float side = k == 0 ? 1 : -1;
    EipPad& pad = out.pads[k];
    const double rows[9] = {1, 0, 0, 0, 0, side, 0, -side, 0};  // x along x of D, z out of the pad
    std::copy(rows, rows + 9, pad.X_DP.R.m);
    pad.X_DP.p = {0.5, 0.5 - side * way, 0.5};
    pad.chamfer = chamfer[k] / (grid * grid);
    pad.image.resize(kPixels);
    for (std::size_t i = 0; i < kPixels; ++i) {
      const float* u = layers + 3 * (static_cast<std::size_t>(k) * kPixels + i);
      pad.image[i] = {u[0] / grid, -side * (u[2] / grid), side * (u[1] / grid)};
    }
  }
  return out;
}

std::vector<EipResult> RunEipPressesCuda(const EipOptions& o, const std::vector<MarkerDistance>& objects,
                                         const std::vector<int>& which, const std::vector<Pose>& X_DO) {
  CheckPresses(o, objects, which, X_DO);
  std::vector<EipResult> out;
  if (which.empty()) return out;
  const std::size_t worlds = std::min<std::size_t>(which.size(), kWorlds);
  const EipGel start(o, objects, static_cast<int>(worlds));
  CudaGel gel(start.spec, start.bodies);
  const auto travel = static_cast<float>(o.speed * o.dt * o.grid);
  std::vector<float> hands;
  for (std::size_t w = 0; w < worlds; ++w) hands.insert(hands.end(), {0, travel, 0, 0, -travel, 0});
  for (std::size_t first = 0; first < which.size(); first += worlds) {
    CheckInterrupt();
    const std::size_t count = std::min(worlds, which.size() - first);
    std::vector<int> object(worlds, -1);
    std::vector<Pose> X_GO(worlds);
    for (std::size_t k = 0; k < count; ++k) {
      object[k] = which[first + k];
      X_GO[k] = {X_DO[first + k].R, static_cast<double>(o.grid) * X_DO[first + k].p};
    }
    try {
      gel.Place(object, X_GO, hands);
      gel.Advance(o.steps);
    } catch (const Error& e) {
      if (std::string(e.what()).find("since the last sort") == std::string::npos) throw;
      // Pads that meet spring apart faster than they came: once more, sorted often.
      gel.Place(object, X_GO, hands);
      gel.Advance(o.steps, 2);
    }
    const CudaGelLayers layers = gel.Layers(true, true);
    for (std::size_t k = 0; k < count; ++k)
      out.push_back(ToEipResult(o, &layers.displacement[k * 6 * kPixels], &layers.chamfer[2 * k],
                                layers.steps[k], layers.stopped[k] != 0));
  }
  return out;
}

}  // namespace taxel::internal
