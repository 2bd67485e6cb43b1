// Mode taxel (taxel_law.h): a layer that is squeezed and sheared along the path of the points, with forces.
#include "taxel/batch/marker_step.cuh"

namespace taxel::cuda {
namespace {

template <bool kFlatGel, bool kSharesForces>
struct TaxelModel {
  static constexpr bool kPush = true, kFlat = kFlatGel, kForces = kSharesForces;
  float lambda_d, lambda_s, E, K, dilate, shear;
  PointMaterial<float> material;

  __device__ TaxelModel(const Scene&, const float* par)
      : lambda_d(par[kLambdaD]),
        lambda_s(par[kLambdaS]),
        E(par[kNormalStiffness]),
        K(par[kShearStiffness]),
        dilate(par[kDilateScale] * lambda_d * kInversePi),
        shear(par[kShearScale] * lambda_s * kInversePi),
        material{par[kFriction] * E / K, par[kSqueeze]} {}

  __device__ void Dilate(const Scene&, int, const Pose32&, const float*, float*, float*) const {}

  __device__ bool Move(const Scene& s, const Motion& m, const F3& p, const F3& n_I, float area,
                       float* stretch, bool add_wrench, Wrench* wrench, PointSource<float>* out) const {
    F3 held{stretch[0], stretch[1], stretch[2]};
    PointTouch<float> touch;
    bool inside = false;
    const int steps = m.started ? s.substeps : 1;
    for (int j = 1; j <= steps; ++j) {
      const Pose32 &X0 = m.path[j - 1], &X1 = m.path[m.started ? j : s.substeps];
      const F3 n0 = Rotate(X0, n_I), n1 = Rotate(X1, n_I);
      inside = MovePoint(s.gel, material, m.started, Apply(X0, p), F3{-n0.x, -n0.y, -n0.z}, held,
                         Apply(X1, p), F3{-n1.x, -n1.y, -n1.z}, &touch);
      held = inside ? touch.stretch : F3{};
    }
    if (!inside) return false;
    stretch[0] = held.x, stretch[1] = held.y, stretch[2] = held.z;
    const F3 nw = Rotate(m.now, n_I), n{-nw.x, -nw.y, -nw.z}, o = Apply(m.now, p);
    if (m.shifted) {
      PointTouch<float> moved;
      const F3 nl = Rotate(m.later, n_I);
      const bool there =
          MovePoint(s.gel, material, true, o, n, held, Apply(m.later, p), F3{-nl.x, -nl.y, -nl.z}, &moved);
      touch.stretch = there ? moved.stretch : F3{};
    }
    *out = ToSource(touch, o, n, area, E, K);
    if (add_wrench) {
      const F3 f = out->force;
      wrench->force = wrench->force + f;
      wrench->torque =
          wrench->torque + F3{o.y * f.z - o.z * f.y, o.z * f.x - o.x * f.z, o.x * f.y - o.y * f.x};
    }
    out->push *= dilate;
    out->pull = shear * out->pull;
    return true;
  }

  __device__ F3 Along(const Scene& s, int i, const F3& u) const {
    if constexpr (kFlat) return u;
    const F3 n{s.marker_normal[3 * i], s.marker_normal[3 * i + 1], s.marker_normal[3 * i + 2]};
    return u - Dot(u, n) * n;
  }

  static __device__ F3 KeepNormal(const F3&, const F3&) { return {}; }  // the depth is no memory
};

template <bool kFlat, bool kForces>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    TaxelStep(const __grid_constant__ Scene s, const __grid_constant__ CudaStepArguments a) {
  StepField<TaxelModel<kFlat, kForces>>(s, a);
}

__global__ void TaxelReset(const __grid_constant__ Scene s, const std::uint8_t* mask, bool keep_normal) {
  ResetField<TaxelModel<true, false>>(s, mask, keep_normal);
}

void Allow(const Scene& s) { AllowStep(TaxelStep<true, true>, s, true); }
void Step(const Scene& s, const CudaStepArguments& a) {
  const bool forces = a.out.marker_forces != nullptr;
  StepKernel kernel = forces ? TaxelStep<true, true> : TaxelStep<true, false>;
  if (!s.gel.flat) kernel = forces ? TaxelStep<false, true> : TaxelStep<false, false>;
  LaunchStep(kernel, s, forces, a);
}
void Reset(const Scene& s, const std::uint8_t* mask, bool keep_normal, cudaStream_t stream) {
  LaunchReset(TaxelReset, s, mask, keep_normal, stream);
}

}  // namespace

MarkerKernels TaxelKernels() { return {Allow, Step, Reset, true}; }

}  // namespace taxel::cuda
