#include "taxel/marker/taxel_vjp.h"

#include <cmath>
#include <string>

#include "taxel/marker/taxel_gradient.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

using V = Triple<double>;
V ToTriple(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 ToVec3(const V& t) { return {t.x, t.y, t.z}; }

// Of X p and of the normal -R n.
void AddPose(const Vec3& o, const Vec3& n, const Vec3& p_I, const Vec3& n_I, PoseGradient* to) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) (*to)[static_cast<std::size_t>(4 * r + c)] += o[r] * p_I[c] - n[r] * n_I[c];
    (*to)[static_cast<std::size_t>(4 * r + 3)] += o[r];
  }
}

void CheckSupported(const TaxelField& field) {
  if (field.parameters().creep > 0)
    throw Error("marker gradient: creep is " + ToText(field.parameters().creep) +
                "; late motion has no gradient, so set creep to 0");
  if (field.substeps() != 1)
    throw Error("marker gradient: " + std::to_string(field.substeps()) +
                " substeps have no gradient; use 1 and give the poses between yourself");
}

}  // namespace

void TaxelVjp(const TaxelField& field, const TaxelState& before, const TaxelState& after,
              const TaxelCotangent& cotangent, TaxelGradient* gradient) {
  CheckSupported(field);
  const TaxelParameters& par = field.parameters();
  const std::vector<Vec3>& markers = field.markers_P();
  const std::vector<Vec3>& normals = field.spread().normals();
  if (cotangent.displacement.size() != markers.size())
    throw Error("marker gradient: " + std::to_string(cotangent.displacement.size()) + " cotangents for " +
                std::to_string(markers.size()) + " markers; give one each");
  std::vector<V> seeds;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const Vec3& u = cotangent.displacement[i];
    seeds.push_back(ToTriple(u - dot(u, normals[i]) * normals[i]));
  }
  const double mu = par.friction, E = par.normal_stiffness, K = par.shear_stiffness;
  const PointMaterial<double> material{mu * E / K, par.squeeze};
  const GelSurface<double>& gel = field.pad().surface();
  const auto exp = [](double x) { return std::exp(x); };
  SpreadGradient<double> spread;
  double* sum = gradient->parameters.data();
  const std::size_t count = field.objects().size();
  gradient->X_PI.assign(count, PoseGradient{});
  gradient->X_PI_before.assign(count, PoseGradient{});
  gradient->stretch_before.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const MarkerIndenter& object = field.objects()[k];
    const MarkerState &from = before.objects[k], &to = after.objects[k];
    std::vector<Vec3>& back = gradient->stretch_before[k];
    back.assign(from.index.size(), Vec3{});
    const Pose& X = to.X_PI;
    const Pose& X0 = from.started ? from.X_PI : X;
    std::size_t held = 0;
    for (std::size_t i = 0; i < to.index.size(); ++i) {
      const auto point = static_cast<std::size_t>(to.index[i]);
      while (held < from.index.size() && from.index[held] < to.index[i]) ++held;
      const bool remembered = held < from.index.size() && from.index[held] == to.index[i];
      const Vec3 p_I = object.points_I[point], n_I = object.normals_I[point];
      const V o = ToTriple(X * p_I), n = ToTriple(-(X.R * n_I)), o0 = ToTriple(X0 * p_I),
              n0 = ToTriple(-(X0.R * n_I)), stretch = remembered ? ToTriple(from.f_P[held]) : V{};
      PointTouch<double> touch;
      if (!MovePoint(gel, material, from.started, o0, n0, stretch, o, n, &touch)) continue;
      const PointSource<double> source = ToSource(touch, o, n, object.areas[point], E, K);
      SourceCotangent<double> c;
      for (std::size_t m = 0; m < markers.size(); ++m)
        AddMarkerCotangent(source, ToTriple(markers[m]), seeds[m], par.lambda_d, par.lambda_s,
                           par.dilate_scale, par.shear_scale, exp, &c, &spread);
      const Vec3 at = ToVec3(o), force = ToVec3(source.force);
      c.force = ToTriple(cotangent.force_P + cross(cotangent.torque_P, at));  // torque = at x force
      if (!cotangent.stretch.empty()) c.stretch = ToTriple(cotangent.stretch[k][i]);
      const PointGradient<double> d =
          PointVjp(gel, material, object.areas[point], E, K, from.started, o0, n0, stretch, o, n, c);
      AddPose(ToVec3(d.o) + cross(force, cotangent.torque_P), ToVec3(d.n), p_I, n_I, &gradient->X_PI[k]);
      if (from.started) AddPose(ToVec3(d.o_before), ToVec3(d.n_before), p_I, n_I, &gradient->X_PI_before[k]);
      if (remembered) back[held] = ToVec3(d.stretch_before);
      AddMaterialGradient(d, mu, E, K, &sum[2], &sum[3], &sum[4]);
      sum[5] += d.squeeze;
    }
  }
  sum[0] += spread.lambda_d, sum[1] += spread.lambda_s, sum[6] += spread.dilate, sum[7] += spread.shear;
}

TaxelTape::TaxelTape(const TaxelField& field) : field_(field), states_{field.state()} {
  CheckSupported(field);
}

const TaxelReading& TaxelTape::Step(const std::vector<Pose>& X_PI) {
  field_.Step(X_PI, 0, nullptr, &reading_);
  states_.push_back(field_.state());
  return reading_;
}

void TaxelTape::Backward(const std::vector<std::vector<Vec3>>& cotangents,
                         std::vector<std::vector<PoseGradient>>* poses,
                         TaxelParameterGradient* parameters) const {
  if (cotangents.size() != size())
    throw Error("marker gradient: cotangents of " + std::to_string(cotangents.size()) +
                " steps for a path of " + std::to_string(size()) + "; give one list a step");
  const std::size_t count = field_.objects().size();
  poses->assign(size(), std::vector<PoseGradient>(count, PoseGradient{}));
  TaxelGradient g;
  TaxelCotangent c;
  for (std::size_t t = size(); t-- > 0;) {
    c.displacement = cotangents[t];
    TaxelVjp(field_, states_[t], states_[t + 1], c, &g);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t j = 0; j < 12; ++j) {
        (*poses)[t][k][j] += g.X_PI[k][j];
        if (t > 0) (*poses)[t - 1][k][j] += g.X_PI_before[k][j];
      }
    c.stretch = g.stretch_before;
  }
  *parameters = g.parameters;
}

}  // namespace taxel
