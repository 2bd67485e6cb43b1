#include "taxel/gel/eip_press.h"

#include <algorithm>
#include <cmath>

#include "taxel/gel/gel_core.h"
#include "taxel/gel/layers.h"
#include "taxel/gel/spline.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/math/kernel_pose.h"
#include "taxel/shape/to_kernel_shape.h"

namespace taxel {
using namespace internal;
namespace {

constexpr int kSide = 61, kLayers = 10, kPadParticles = kSide * kSide * kLayers;

/// Frame of a pad: x along x of D, z out of it; y so that the frame is right-handed.
Mat3 PadFrame(int pad) {
  const double s = pad == 0 ? 1 : -1;
  Mat3 R;
  const double rows[9] = {1, 0, 0, 0, 0, s, 0, -s, 0};
  for (int k = 0; k < 9; ++k) R.m[k] = rows[k];
  return R;
}

/// Number of the particle at (i, j) of a layer in the order of images. Layers have rows along x and columns
/// along z of D; y of pad 0's frame is -z of D.
std::size_t ParticleAt(int pad, int layer, int i, int j) {
  const int column = pad == 0 ? kSide - 1 - j : j;
  return static_cast<std::size_t>(((pad * kLayers + layer) * kSide + i) * kSide + column);
}

}  // namespace

void CheckEipOptions(const EipOptions& o) {
  const std::string where = "EIP press: ";
  CheckGelMaterial(o.material, "EIP press");
  if (o.grid < 32 || o.grid > 1024)
    throw Error(where + "grid is " + std::to_string(o.grid) + "; it must lie in 32 to 1024 cells a side");
  if (!(std::isfinite(o.dt) && o.dt > 0)) throw Error(where + "dt is " + ToText(o.dt) + " s; it must be > 0");
  if (!(std::isfinite(o.speed) && o.speed > 0))
    throw Error(where + "speed is " + ToText(o.speed) +
                "; it must be > 0 (0.4 domains a second in the authors' code)");
  if (o.steps < 1) throw Error(where + "steps is " + std::to_string(o.steps) + "; it must be at least 1");
  if (o.check_every < 1)
    throw Error(where + "check_every is " + std::to_string(o.check_every) + "; it must be at least 1");
  if (!(o.gap > 0 && o.gap <= 0.8))
    throw Error(where + "gap is " + ToText(o.gap) +
                "; it must lie in 0 to 0.8 domains, so that both pads are inside");
  if (std::isnan(o.chamfer)) throw Error(where + "chamfer is not a number; give 0 for no stop");
  if (!(std::isfinite(o.object_density) && o.object_density > 0))
    throw Error(where + "object_density is " + ToText(o.object_density) + "; it must be > 0");
  if (o.threads < 0) throw Error(where + "threads is " + std::to_string(o.threads) + "; give 0 for all");
  const double cfl = o.material.wave_speed() * o.dt * o.grid;
  if (cfl > 1)
    throw Error(where + "the CFL number is " + ToText(cfl) + " (wave speed " +
                ToText(o.material.wave_speed()) + ", dt " + ToText(o.dt) + ", " + std::to_string(o.grid) +
                " cells); take dt below " + ToText(0.5 / (o.material.wave_speed() * o.grid)));
}

void CheckEipObject(const EipOptions& o, const MarkerDistance& object, const Pose& X_DO) {
  const Box3& box = object.inside_box();
  const double radius = 0.5 * norm(box.size());
  if (!std::isfinite(radius)) throw Error("EIP press: the object has no end; give a closed shape");
  const Vec3 at = X_DO * box.center();
  // Beside the pads, or beyond one of them, it would never be touched.
  const double beside = std::max(std::fabs(at.x - 0.5), std::fabs(at.z - 0.5)) - 0.5 * kEipPadSize.x;
  const double beyond = std::fabs(at.y - 0.5) - 0.5 * o.gap;
  if (!(std::max(beside, beyond) < radius && radius < 1))
    throw Error("EIP press: the object (a ball of " + ToText(radius) + " around (" + ToText(at.x) + ", " +
                ToText(at.y) + ", " + ToText(at.z) +
                ")) does not lie between the pads; scale it to about 0.16 and put it at (0.5, 0.5, 0.5)");
}

struct EipPress::State {
  EipOptions o;
  MarkerDistance object;
  KernelShape<float> shape;
  FloatLattices lattices;
  KernelPose<float> X_DO;
  Triple<float> ball;  // around the object, in its frame
  float ball_radius;
  std::vector<int> layers;
  std::vector<Vec3> start;  // cells
  std::unique_ptr<GelCore> core;
  std::string advice;                       // for a blow-up
  std::vector<float> alpha, hand, slope;    // by lane
  std::vector<std::vector<float>> stopped;  // by thread: lanes of the block at work
  std::vector<HandMotion> motion;           // by thread
  std::vector<float> mass;                  // kMixing: of the nodes of the domain, in particles
  std::vector<LayerChamfer> chamfers;
  double chamfer[2] = {0, 0};
  int steps = 0;
  bool over = false, by_chamfer = false;

  State(const EipOptions& options, const MarkerDistance& d, const Pose& X);
  void FillLanes();
  void WeighObject(const Pose& X);
  void MixObject();
  const HandMotion* Hand(int block, int thread);
  float Travel() const { return static_cast<float>(o.speed * o.dt * o.grid); }  // cells a step
  std::vector<Vec3> Layer(int pad, int layer) const;
};

EipPress::State::State(const EipOptions& options, const MarkerDistance& d, const Pose& X)
    : o(options), object(d) {
  CheckEipOptions(o);
  if (!is_finite(X)) throw Error("EIP press: the pose of the object is not finite");
  shape = ToKernelShape(object, "EIP press, object", &lattices);
  const KernelPose<double> pose = ToKernelPose(X);
  for (int k = 0; k < 9; ++k) X_DO.r[k] = static_cast<float>(pose.r[k]);
  for (int k = 0; k < 3; ++k) X_DO.t[k] = static_cast<float>(pose.t[k]);
  CheckEipObject(o, object, X);
  const Box3& box = object.inside_box();
  const Vec3 middle = box.center();
  const double radius = 0.5 * norm(box.size());
  ball = {static_cast<float>(middle.x), static_cast<float>(middle.y), static_cast<float>(middle.z)};
  ball_radius = static_cast<float>(radius);
  const EipPads pads = MakeEipPads(o.gap);
  for (const LayeredPad* pad : {&pads.lower, &pads.upper}) {
    for (const Vec3& p : pad->points) start.push_back(static_cast<double>(o.grid) * p);
    layers.insert(layers.end(), pad->layers.begin(), pad->layers.end());
  }
  const double kappa = 4 * o.dt * o.dt * o.grid * o.grid / o.material.density;
  TransferOptions transfer;
  transfer.numbers = {static_cast<float>(kappa * o.material.mu()),
                      static_cast<float>(kappa * o.material.lambda()), o.material.law};
  advice = "the CFL number is " + ToText(o.material.wave_speed() * o.dt * o.grid) + ", the hand's speed " +
           ToText(Travel()) + " cells a step; take a smaller dt";
  core = std::make_unique<GelCore>(start, transfer, o.threads);
  stopped.resize(static_cast<std::size_t>(core->threads()));
  motion.resize(stopped.size());
  for (int pad = 0; pad < 2; ++pad) chamfers.emplace_back(Layer(pad, 0));
  FillLanes();
  if (o.contact == EipContact::kMixing) WeighObject(X);
}

void EipPress::State::FillLanes() {
  const std::vector<std::int32_t>& ids = core->particles().ids();
  alpha.assign(ids.size(), 1);
  hand.assign(3 * ids.size(), 0);
  if (o.follow_blend) slope.assign(3 * ids.size(), 0);
  const float per_cell = static_cast<float>(1 / (kEipPadSize.y * o.grid));  // 1 over the ten layers
  for (std::size_t lane = 0; lane < ids.size(); ++lane) {
    if (ids[lane] < 0) continue;
    const bool upper = ids[lane] >= kPadParticles;
    const std::size_t y = 24 * (lane / 8) + 8 + lane % 8;
    alpha[lane] = 1 - static_cast<float>(layers[static_cast<std::size_t>(ids[lane])]) / kLayers;
    hand[y] = upper ? -Travel() : Travel();
    if (o.follow_blend) slope[y] = upper ? -per_cell : per_cell;
  }
}

/// The authors' objects are particles of their own, 8 a cell here, at rest: all they do is to add mass.
void EipPress::State::WeighObject(const Pose& X) {
  const int n = o.grid;
  mass.assign(static_cast<std::size_t>(n) * n * n, 0);
  const Box3& box = object.inside_box();
  const double step = 0.5 / n;
  const float unit = static_cast<float>(
      o.object_density / o.material.density *
      (step * step * step / (kEipPadSize.x * kEipPadSize.y * kEipPadSize.z / kPadParticles)));
  const Vec3 size = box.size();
  const int count[3] = {static_cast<int>(size.x / step) + 1, static_cast<int>(size.y / step) + 1,
                        static_cast<int>(size.z / step) + 1};
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j)
      for (int k = 0; k < count[2]; ++k) {
        const Vec3 p = box.lo + step * Vec3{i + 0.5, j + 0.5, k + 0.5};
        const Triple<float> q{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
        if (!(ShapeDistance(shape, q) < 0)) continue;
        const Vec3 x = static_cast<double>(n) * (X * p);
        int base[3];
        float w[3][3];
        bool inside = true;
        for (int a = 0; a < 3; ++a) {
          base[a] = static_cast<int>(std::floor(x[a] - 0.5));
          inside = inside && base[a] >= 0 && base[a] + 2 < n;
          SplineWeights(static_cast<float>(x[a] - base[a]), w[a]);
        }
        if (!inside) continue;
        for (int s = 0; s < 27; ++s)
          mass[static_cast<std::size_t>(((base[0] + s / 9) * n + base[1] + s / 3 % 3) * n + base[2] +
                                        s % 3)] += unit * w[0][s / 9] * w[1][s / 3 % 3] * w[2][s % 3];
      }
}

void EipPress::State::MixObject() {
  const int n = o.grid;
  const std::vector<GridBlock>& blocks = core->particles().blocks();
  core->crew().For(static_cast<int>(blocks.size()), 16, [&](int b, int) {
    const GridBlock& block = blocks[static_cast<std::size_t>(b)];
    for (int s = 0; s < kBlockNodes; ++s) {
      const int i = 4 * block.at[0] + s / 16, j = 4 * block.at[1] + s / 4 % 4, k = 4 * block.at[2] + s % 4;
      if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n) continue;
      const float m = mass[static_cast<std::size_t>((i * n + j) * n + k)];
      if (m == 0) continue;
      float* v = core->grid().node(b, s / 16, s / 4 % 4, s % 4);
      const float share = v[3] / (v[3] + m);
      v[0] *= share, v[1] *= share, v[2] *= share;
    }
  });
}

const HandMotion* EipPress::State::Hand(int b, int thread) {
  const GridBlock& block = core->particles().blocks()[static_cast<std::size_t>(b)];
  const std::size_t first = static_cast<std::size_t>(block.group);
  const int groups = (block.count + 7) / 8;
  std::vector<float>& stop = stopped[static_cast<std::size_t>(thread)];
  stop.assign(static_cast<std::size_t>(8 * groups), 0);
  if (o.contact == EipContact::kStop) {
    const float unit = 1.0f / static_cast<float>(o.grid);
    // Block, with the cell its particles may have drifted: is it near the ball at all?
    const Triple<float> middle{unit * (4 * block.at[0] + 2.5f), unit * (4 * block.at[1] + 2.5f),
                               unit * (4 * block.at[2] + 2.5f)};
    const Triple<float> away = ApplyInverse(X_DO, middle) - ball;
    const float reach = ball_radius + unit * 5.2f;  // half the diagonal of 6 cells
    if (Dot(away, away) < reach * reach)
      for (int g = 0; g < groups; ++g) {
        const ParticleGroup& group = core->particles().groups()[first + static_cast<std::size_t>(g)];
        for (int lane = 0; lane < std::min(8, block.count - 8 * g); ++lane) {
          const Triple<float> p{unit * (4 * block.at[0] + group.x[0][lane]),
                                unit * (4 * block.at[1] + group.x[1][lane]),
                                unit * (4 * block.at[2] + group.x[2][lane])};
          const Triple<float> q = ApplyInverse(X_DO, p), d = q - ball;
          if (Dot(d, d) < ball_radius * ball_radius && ShapeDistance(shape, q) < 0)
            stop[static_cast<std::size_t>(8 * g + lane)] = 1;
        }
      }
  }
  HandMotion& m = motion[static_cast<std::size_t>(thread)];
  m = {&alpha[8 * first], &hand[24 * first], stop.data(), o.follow_blend ? &slope[24 * first] : nullptr,
       o.hand_offset ? 0.01f : 0.0f};
  return &m;
}

std::vector<Vec3> EipPress::State::Layer(int pad, int layer) const {
  std::vector<Vec3> out(kSide * kSide);
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const GelParticle p = core->particles().Get(ParticleAt(pad, layer, i, j));
      out[static_cast<std::size_t>(i * kSide + j)] = (1.0 / o.grid) * Vec3{p.x[0], p.x[1], p.x[2]};
    }
  return out;
}

EipPress::EipPress(const EipOptions& options, const MarkerDistance& object, const Pose& X_DO)
    : state_(std::make_unique<State>(options, object, X_DO)) {}
EipPress::~EipPress() = default;
EipPress::EipPress(EipPress&&) noexcept = default;
EipPress& EipPress::operator=(EipPress&&) noexcept = default;

bool EipPress::Step() {
  CheckInterrupt();
  State& s = *state_;
  if (s.over) return false;
  const float gravity[3] = {0, 0, 0};
  s.core->Scatter(gravity);
  if (s.o.contact == EipContact::kMixing) s.MixObject();
  s.core->Gather([&s](int block, int thread) { return s.Hand(block, thread); }, s.advice);
  if (s.core->sorted()) s.FillLanes();
  ++s.steps;
  s.over = s.steps >= s.o.steps;
  if (s.steps % s.o.check_every == 0 || s.over) {
    for (int pad = 0; pad < 2; ++pad)
      s.chamfer[pad] = s.chamfers[static_cast<std::size_t>(pad)].Distance(s.Layer(pad, 0), s.o.form);
    if (s.o.chamfer > 0 && s.chamfer[0] > s.o.chamfer) s.over = s.by_chamfer = true;
  }
  return !s.over;
}

int EipPress::steps() const { return state_->steps; }
double EipPress::chamfer(int pad) const {
  if (pad < 0 || pad > 1)
    throw Error("EIP press: no pad " + std::to_string(pad) + "; there are 0 (below) and 1 (above)");
  return state_->chamfer[pad];
}
const std::vector<int>& EipPress::layers() const { return state_->layers; }

std::vector<Vec3> EipPress::Positions() const {
  std::vector<Vec3> out(state_->start.size());
  for (std::size_t p = 0; p < out.size(); ++p) {
    const GelParticle q = state_->core->particles().Get(p);
    out[p] = (1.0 / state_->o.grid) * Vec3{q.x[0], q.x[1], q.x[2]};
  }
  return out;
}

std::vector<Vec3> EipPress::LayerImage(int pad, int layer) const {
  const State& s = *state_;
  if (pad < 0 || pad > 1 || layer < 0 || layer >= kLayers)
    throw Error("EIP press: no layer " + std::to_string(layer) + " of pad " + std::to_string(pad) +
                "; there are pads 0 and 1 with layers 0 (contact) to 9 (hand)");
  const Mat3 R = PadFrame(pad);
  const Vec3 carried{0, (pad == 0 ? 1.0 : -1.0) * s.o.speed * s.o.dt * s.steps, 0};
  std::vector<Vec3> out = s.Layer(pad, layer);
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      Vec3& p = out[static_cast<std::size_t>(i * kSide + j)];
      p = TransposeMul(R, p - (1.0 / s.o.grid) * s.start[ParticleAt(pad, layer, i, j)] - carried);
    }
  return out;
}

EipResult EipPress::Result() const {
  const State& s = *state_;
  EipResult r;
  r.steps = s.steps;
  r.stopped = s.by_chamfer;
  for (int pad = 0; pad < 2; ++pad) {
    const double side = pad == 0 ? 1 : -1;
    r.pads[pad].image = LayerImage(pad, 0);
    r.pads[pad].chamfer = s.chamfer[pad];
    r.pads[pad].X_DP = {PadFrame(pad),
                        {0.5, 0.5 - side * (0.5 * s.o.gap - s.o.speed * s.o.dt * s.steps), 0.5}};
  }
  return r;
}

EipResult RunEipPress(const EipOptions& options, const MarkerDistance& object, const Pose& X_DO) {
  EipPress press(options, object, X_DO);
  while (press.Step()) {
  }
  return press.Result();
}

}  // namespace taxel
