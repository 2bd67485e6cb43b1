// Scenes of scripts/gpu_gel_bench.cu, and the batch behind the CUDA library's table of functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "taxel/batch/cuda_gel.h"

namespace taxel {

/// A scene in plain arrays; Spec() points into it.
struct Scene {
  std::vector<double> x;
  std::vector<float> v, F, alpha, slope;
  std::vector<std::uint8_t> pad;
  std::vector<int> contact;
  CudaGelObject object;
  CudaGelSpec spec;
  std::vector<float> hand;  // of one world
  double center[3] = {};    // of the object

  int size() const { return static_cast<int>(x.size() / 3); }
  const CudaGelSpec& Spec(int worlds) {
    spec.worlds = worlds, spec.particles = size();
    spec.position = x.data(), spec.velocity = v.data(), spec.deformation = F.data();
    if (spec.pads > 0) {
      spec.pad = pad.data(), spec.alpha = alpha.data(),
      spec.alpha_slope = slope.empty() ? nullptr : slope.data(), spec.contact = contact.data();
      spec.objects = 1, spec.object = &object;
    }
    return spec;
  }
};

inline double Random(unsigned* state) { return (*state = *state * 1664525u + 1013904223u) / 4294967296.0; }

/// An elastic cube, 8 particles a cell, that spins about a tilted axis; `corner`: its fastest point, cells a
/// step. The CFL number is 0.3.
inline Scene Cube(int cells_a_side, int domain, double corner, bool jitter) {
  Scene s;
  const int n = 2 * cells_a_side;
  const double low = 0.5 * (domain - cells_a_side) + 0.15, axis[3] = {0.36, 0.48, 0.8};
  const double omega = corner / (0.5 * cells_a_side * std::sqrt(3.0));
  unsigned seed = 7;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        double p[3] = {i + 0.5, j + 0.5, k + 0.5}, r[3];
        for (int c = 0; c < 3; ++c) {
          p[c] = low + 0.5 * p[c] + (jitter ? 0.1 * (Random(&seed) - 0.5) : 0);
          r[c] = p[c] - 0.5 * domain;
          s.x.push_back(p[c]);
        }
        for (int c = 0; c < 3; ++c)
          s.v.push_back(static_cast<float>(
              omega * (axis[(c + 1) % 3] * r[(c + 2) % 3] - axis[(c + 2) % 3] * r[(c + 1) % 3])));
        for (int c = 0; c < 9; ++c) s.F.push_back(c % 4 == 0 ? 1.0f : 0.0f);
      }
  for (int& c : s.spec.cells) c = domain;
  s.spec.numbers = {0.12f, 0.12f, GelLaw::kCorotated};
  return s;
}

/// Two pads of layers that close on a ball, as the paper's: 61 x 10 x 61 particles each in 128^3 cells at
/// share 1. E = 3, nu = 0.25, density 2, step 2e-3.
inline Scene Press(int across, int domain, double share) {
  Scene s;
  const int layers = 10;
  const double width = 30.72 * share, thick = 5.12, radius = 10.24 * share, middle = 0.5 * domain;
  s.spec.pads = 2, s.spec.layer = across * across;
  for (int pad = 0; pad < 2; ++pad) {
    const double sign = pad == 0 ? -1 : 1;
    for (int j = 0; j < layers; ++j)
      for (int i = 0; i < across; ++i)
        for (int k = 0; k < across; ++k) {
          if (j == 0) s.contact.push_back(s.size());
          s.x.push_back(middle + width * ((i + 0.5) / across - 0.5));
          s.x.push_back(middle + sign * (radius + 0.3 + thick * (j + 0.5) / layers));
          s.x.push_back(middle + width * ((k + 0.5) / across - 0.5));
          s.pad.push_back(static_cast<std::uint8_t>(pad));
          s.alpha.push_back(1 - 0.1f * static_cast<float>(j));
          for (int c = 0; c < 3; ++c) s.v.push_back(0);
          for (int c = 0; c < 9; ++c) s.F.push_back(c % 4 == 0 ? 1.0f : 0.0f);
        }
    const float hand[3] = {0, static_cast<float>(-sign * 0.4 * 2e-3 * 128), 0};
    s.hand.insert(s.hand.end(), hand, hand + 3);
  }
  for (int& c : s.spec.cells) c = domain;
  const float modulus = static_cast<float>(4 * 4e-6 * 1.2 / 2 * 128 * 128);
  s.spec.numbers = {modulus, modulus, GelLaw::kCorotated};
  s.object.shape.kind = KernelShapeKind::kSphere;
  s.object.shape.a = static_cast<float>(radius);
  s.object.radius = static_cast<float>(radius);
  s.spec.stop_inside = true;
  for (double& c : s.center) c = middle;
  return s;
}

/// The batch behind the table of functions.
class Gel {
 public:
  Gel(Scene& scene, int worlds) : scene_(&scene), worlds_(worlds) {
    Do([&](char* e, std::size_t n) { return Api().create(&scene.Spec(worlds), &batch_, e, n); });
    Place();
  }
  Gel(const Gel&) = delete;
  ~Gel() { Api().destroy(batch_); }
  /// Every world's object a little elsewhere.
  void Place() {
    if (scene_->spec.pads == 0) {
      const CudaGelPlaces none;
      Do([&](char* e, std::size_t n) { return Api().place(batch_, &none, e, n); });
      return;
    }
    const std::vector<int> object(static_cast<std::size_t>(worlds_), 0);
    std::vector<float> poses, hands;
    for (int w = 0; w < worlds_; ++w) {
      const double shift = 0.37 * (w % 7),
                   t[3] = {scene_->center[0] + shift, scene_->center[1], scene_->center[2] - shift};
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) poses.push_back(i == j ? 1.0f : 0.0f);
        poses.push_back(static_cast<float>(t[i]));
      }
      hands.insert(hands.end(), scene_->hand.begin(), scene_->hand.end());
    }
    const CudaGelPlaces places{object.data(), poses.data(), hands.data()};
    Do([&](char* e, std::size_t n) { return Api().place(batch_, &places, e, n); });
  }
  /// The message of a run that must fail; empty where it does not.
  std::string Trouble(int steps, int sort_every) {
    char error[512] = "";
    Api().advance(batch_, steps, sort_every, 1, nullptr, error, sizeof error);
    return error;
  }
  CudaGelStatus Advance(int steps, int sort_every = 0) {
    CudaGelStatus status;
    Do([&](char* e, std::size_t n) { return Api().advance(batch_, steps, sort_every, 1, &status, e, n); });
    return status;
  }
  struct State {
    std::vector<double> x;
    std::vector<float> v, F;
    bool operator==(const State& o) const {
      const auto same = [](const auto& a, const auto& b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
      };
      return same(x, o.x) && same(v, o.v) && same(F, o.F);
    }
  };
  State Read(int world) {
    const std::size_t n = static_cast<std::size_t>(scene_->size());
    State s{std::vector<double>(3 * n), std::vector<float>(3 * n), std::vector<float>(9 * n)};
    Do([&](char* e, std::size_t size) {
      return Api().read(batch_, world, s.x.data(), s.v.data(), s.F.data(), e, size);
    });
    return s;
  }
  struct Layers {
    std::vector<float> displacement, chamfer;
    std::vector<int> steps;
    std::vector<std::uint8_t> stopped;
  };
  Layers ReadLayers() {
    const std::size_t W = static_cast<std::size_t>(worlds_), P = static_cast<std::size_t>(scene_->spec.pads);
    Layers out{std::vector<float>(W * P * scene_->spec.layer * 3), std::vector<float>(W * P),
               std::vector<int>(W), std::vector<std::uint8_t>(W)};
    Do([&](char* e, std::size_t n) {
      return Api().read_layers(batch_, out.displacement.data(), out.chamfer.data(), out.steps.data(),
                               out.stopped.data(), e, n);
    });
    return out;
  }
  std::vector<float> Profile(int repeats) {
    std::vector<float> out(5);
    Do([&](char* e, std::size_t n) { return Api().profile(batch_, repeats, out.data(), e, n); });
    return out;
  }

 private:
  static const CudaGelApi& Api() { return *TaxelCudaGel(); }
  static void Do(const std::function<int(char*, std::size_t)>& call) {
    char error[512] = "";
    if (call(error, sizeof error)) {
      std::printf("FAIL  %s\n", error);
      std::exit(1);
    }
  }
  Scene* scene_;
  int worlds_;
  void* batch_ = nullptr;
};

}  // namespace taxel
