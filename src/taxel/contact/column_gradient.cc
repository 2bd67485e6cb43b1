#include "taxel/contact/column_gradient.h"

#include <algorithm>
#include <cmath>

#include "taxel/contact/column_walk.h"

namespace taxel::internal {
namespace {

using D = ContactDual;
using DVec = DualVec3<D>;

// Keeps faces with their derivatives.
class ToFaces {
 public:
  explicit ToFaces(ColumnFaceGradients* out) : out_(*out) {}

  void SetColumn(int column) { column_ = column; }
  void SetBeyond() {}
  void Add(const ColumnFace<D>& face) {
    for (int i = 0; i < face.n; ++i) {
      out_.vertices.push_back(face.v[i]);
      out_.pressures.push_back(std::max(D(0), dot(face.pressure_slope, face.v[i]) + face.pressure_at_0));
    }
    out_.face_start.push_back(static_cast<std::int32_t>(out_.vertices.size()));
    out_.normals.push_back(face.normal);
    out_.columns.push_back(column_);
  }

 private:
  ColumnFaceGradients& out_;
  int column_ = -1;
};

D Factor(double value, int input) {
  D out(1);
  if (value > 0) out.d[input] = 1 / value;
  return out;
}

}  // namespace

void ColumnGradient(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB, ContactGradient* out) {
  const bool first_A = out->columns_of_A;
  const Body &F = first_A ? A : B, &S = first_A ? B : A;
  const DualPose<D> X_B = Moving<D>(X_WB, kShiftB), X_A(X_WA);
  const DualPose<D>&X_WF = first_A ? X_A : X_B, &X_WS = first_A ? X_B : X_A;
  const Pose at = Inverse(first_A ? X_WA : X_WB) * (first_A ? X_WB : X_WA);
  const auto modulus = [&](const Body& b, int input) { return Factor(b.options().modulus, input); };
  const auto thickness = [&](const Body& b, int input) { return Factor(VariedThickness(b), input); };
  const int modulus_F = first_A ? kModulusA : kModulusB, modulus_S = first_A ? kModulusB : kModulusA;
  const int thickness_F = first_A ? kThicknessA : kThicknessB,
            thickness_S = first_A ? kThicknessB : kThicknessA;
  const ColumnQuery<D> query{F.data(),
                             S.data(),
                             Inverse(X_WF) * X_WS,
                             at,
                             modulus(F, modulus_F),
                             thickness(F, thickness_F),
                             modulus(S, modulus_S),
                             thickness(S, thickness_S)};
  ToFaces sink(&out->faces);
  ColumnScratchOf<D> scratch;
  WalkColumns<D>(query, &scratch, &sink);
  // As FaceSink adds them up.
  const ColumnFaceGradients& faces = out->faces;
  DVec force, torque;
  for (int f = 0; f < faces.num_faces(); ++f) {
    const DVec* v = faces.vertices.data() + faces.face_start[f];
    const D* p = faces.pressures.data() + faces.face_start[f];
    const int n = faces.face_start[f + 1] - faces.face_start[f];
    D load;
    DVec moment;
    for (int i = 1; i + 1 < n; ++i) {
      const D a = 0.5 * dot(cross(v[i] - v[0], v[i + 1] - v[0]), faces.normals[f]);
      const D sum = p[0] + p[i] + p[i + 1];
      load += a / 3 * sum;
      moment += (a / 12) * (p[0] * v[0] + p[i] * v[i] + p[i + 1] * v[i + 1] + sum * (v[0] + v[i] + v[i + 1]));
    }
    force += load * faces.normals[f];
    torque += cross(moment, faces.normals[f]);
  }
  const DVec force_W = X_WF.R * force, torque_W = X_WF.R * torque + cross(X_WF.p, force_W);
  const double sign = first_A ? 1 : -1;
  for (int k = 0; k < kContactInputs; ++k)
    out->by[k] = {sign * Vec3{force_W.x.d[k], force_W.y.d[k], force_W.z.d[k]},
                  sign * Vec3{torque_W.x.d[k], torque_W.y.d[k], torque_W.z.d[k]}};
}

}  // namespace taxel::internal
