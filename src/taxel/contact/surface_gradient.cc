#include "taxel/contact/surface_gradient.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "taxel/contact/body_data.h"
#include "taxel/field/stiffening.h"

namespace taxel::internal {
namespace {

// The four side walls of a backed box, whose planes end the field where its pressure is not 0.
struct Walls {
  Pose X_WG;
  Vec3 half;
  int axis = -1;  // of the layer; -1: there are none

  Walls(const Body& body, const Pose& X) : X_WG(X) {
    const BodyData& d = body.data();
    const Box* box = d.is_mesh ? nullptr : std::get_if<Box>(&d.primitive);
    if (!d.soft || !box || d.options.field.kind != FieldKind::kBacked) return;
    const Vec3 a = cwise_abs(d.options.field.exposed);
    axis = a.x >= a.y && a.x >= a.z ? 0 : (a.y >= a.z ? 1 : 2);
    half = 0.5 * box->size;
  }

  // The outward normal of the wall that an edge lies in; 0: in none.
  Vec3 At(const Vec3& a_W, const Vec3& b_W) const {
    if (axis < 0) return {};
    const Vec3 a = TransposeMul(X_WG.R, a_W - X_WG.p), b = TransposeMul(X_WG.R, b_W - X_WG.p);
    for (int k = 0; k < 3; ++k) {
      if (k == axis) continue;
      const double near = 1e-9 * half[k];
      for (const double side : {1.0, -1.0})
        if (std::fabs(side * a[k] - half[k]) < near && std::fabs(side * b[k] - half[k]) < near)
          return side * X_WG.R.col(k);
    }
    return {};
  }
};

// What the pressure of a soft body gains at a place when its modulus or its thickness grows by one.
struct Varied {
  const std::vector<Layer>* law;
  double modulus, thickness;

  explicit Varied(const Body& body)
      : law(&body.data().law), modulus(body.options().modulus), thickness(VariedThickness(body)) {}
  double ByModulus(double p) const { return modulus > 0 ? p / modulus : 0; }
  // p(u) with u = depth / thickness.
  double ByThickness(double p) const {
    if (!(thickness > 0) || !(p > 0)) return 0;
    const Layer& layer = LayerOfPressure(*law, p);
    return -(p - layer.offset) / thickness;
  }
};

class Integrals {
 public:
  Integrals(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB, const ContactSurface& surface,
            ContactGradient* out)
      : s_(surface),
        out_(*out),
        a_(A),
        b_(B),
        X_WA_(X_WA),
        X_WB_(X_WB),
        p_WB_(X_WB.p),
        soft_A_(A.soft()),
        soft_B_(B.soft()),
        A_(A),
        B_(B),
        walls_A_(A, X_WA),
        walls_B_(B, X_WB) {}

  void AddFace(int f) {
    const Vec3* v = s_.vertices.data() + s_.face_start[f];
    const double* p = s_.pressures.data() + s_.face_start[f];
    const int n = s_.face_start[f + 1] - s_.face_start[f];
    normal_ = s_.normals[f];
    const Vec3 along = TangentialGradient(v, p, n);
    const double into_A = soft_A_ ? Rise(a_, X_WA_, f, s_.gradients_A[f], 1) : 0,
                 into_B = soft_B_ ? Rise(b_, X_WB_, f, s_.gradients_B[f], -1) : 0;
    grad_A_ = along + into_A * normal_;
    grad_B_ = along - into_B * normal_;
    steep_ = into_A + into_B;
    if (soft_A_ && soft_B_ && !(steep_ > 0)) {
      out_.complete = false;  // two fields that rise alike: there is no telling how their balance moves
      return;
    }
    // Everything is at most quadratic over a triangle: the middles of its sides are exact.
    for (int i = 1; i + 1 < n; ++i) {
      const double area = 0.5 * dot(cross(v[i] - v[0], v[i + 1] - v[0]), normal_);
      const int corner[3] = {0, i, i + 1};
      for (int k = 0; k < 3; ++k) {
        const int a = corner[k], b = corner[(k + 1) % 3];
        AddPoint(0.5 * (v[a] + v[b]), 0.5 * (p[a] + p[b]), area / 3);
      }
    }
    for (int i = 0; i < n; ++i) {
      const int j = i + 1 == n ? 0 : i + 1;
      AddWall(v[i], p[i], v[j], p[j]);
    }
  }

 private:
  // How a body's pressure rises along the normal into it. A surface has 0 where it falls: the field knows.
  double Rise(const Body& body, const Pose& X_WG, int f, double known, double side) {
    if (known > 0) return known;
    // Beside it, in another tetrahedron, the same side of a body may have been dropped.
    if (body.tets()) out_.complete = false;
    constexpr double kStep = 1e-8;  // m
    const Vec3 at = TransposeMul(X_WG.R, s_.centroids[f] - X_WG.p),
               in = side * TransposeMul(X_WG.R, s_.normals[f]);
    return (body.PressureAt(at + kStep * in) - body.PressureAt(at - kStep * in)) / (2 * kStep);
  }

  static Vec3 TangentialGradient(const Vec3* v, const double* p, int n) {
    // From the largest triangle of the fan.
    Vec3 best;
    double largest = 0;
    for (int i = 1; i + 1 < n; ++i) {
      const Vec3 a = v[i] - v[0], b = v[i + 1] - v[0], m = cross(a, b);
      const double twice2 = norm2(m);
      if (!(twice2 > largest)) continue;
      largest = twice2;
      best = ((p[i] - p[0]) * cross(b, m) + (p[i + 1] - p[0]) * cross(m, a)) / twice2;
    }
    return best;
  }

  // How fast a place of B moves by an input of its pose.
  Vec3 Motion(const Vec3& x, int input) const {
    Vec3 axis;
    axis[input % 3] = 1;
    return input < kTurnB ? axis : cross(axis, x - p_WB_);
  }

  // What happens at a place of the surface by an input: its own speed along the normal (two soft bodies,
  // whose surface is no body's), and what the pressure gains on it beside that.
  struct Change {
    double speed = 0, gain = 0;
  };
  Change Of(const Vec3& x, double p, int input) const {
    const bool both = soft_A_ && soft_B_;
    if (input < kModulusA) {
      const Vec3 w = Motion(x, input);
      // Places of a rigid B move along in A's field; those of a rigid A stand, and B's field moves over them.
      if (!soft_B_) return {0, dot(grad_A_, w)};
      const double loss = dot(grad_B_, w);
      return both ? Change{-loss / steep_, 0} : Change{0, -loss};
    }
    const bool of_A = input == kModulusA || input == kThicknessA;
    const Varied& own = of_A ? A_ : B_;
    const double gain = input == kModulusA || input == kModulusB ? own.ByModulus(p) : own.ByThickness(p);
    if (!both) return {0, gain};
    return of_A ? Change{-gain / steep_, gain} : Change{gain / steep_, 0};
  }

  void AddPoint(const Vec3& x, double p, double weight) {
    for (int k = 0; k < kContactInputs; ++k) {
      if (!out_.has[k]) continue;
      const Change c = Of(x, p, k);
      Vec3 push = c.gain * normal_;
      if (c.speed != 0) push += c.speed * grad_A_;
      AddForce(&out_.by[k], weight * push, x);
      if (soft_B_ || k >= kModulusA) continue;
      // The faces of a rigid B turn and move with it.
      if (k >= kTurnB) {
        Vec3 axis;
        axis[k - kTurnB] = 1;
        AddForce(&out_.by[k], (weight * p) * cross(axis, normal_), x);
      }
      out_.by[k].torque += cross(Motion(x, k), (weight * p) * normal_);
    }
  }

  // Side walls end a field where its pressure is not 0: more or less of a face is between them when it moves
  // against them.
  void AddWall(const Vec3& a, double p_a, const Vec3& b, double p_b) {
    if (!(p_a > 0 || p_b > 0)) return;
    const Vec3 m_A = walls_A_.At(a, b), m_B = walls_B_.At(a, b);
    if (!(norm2(m_A) + norm2(m_B) > 0)) return;
    if (soft_A_ && soft_B_) {
      out_.complete = false;
      return;
    }
    const Vec3 m = soft_A_ ? -m_A : m_B;
    const double lean = std::sqrt(std::max(0.0, 1 - dot(normal_, m) * dot(normal_, m)));
    if (!(lean > 1e-6)) return;
    EveryPoint(a, p_a, b, p_b, [&](const Vec3& x, double p, double weight) {
      for (int k = 0; k < kModulusA; ++k)
        AddForce(&out_.by[k], (weight * p * dot(Motion(x, k), m) / lean) * normal_, x);
    });
  }

  // Three points of Gauss: p, the speed and x make a cubic.
  template <class Use>
  static void EveryPoint(const Vec3& a, double p_a, const Vec3& b, double p_b, Use&& use) {
    const double length = norm(b - a), off = std::sqrt(0.15);
    for (const auto& [at, weight] : {std::pair(0.5 - off, 5.0 / 18), {0.5, 8.0 / 18}, {0.5 + off, 5.0 / 18}})
      use(a + at * (b - a), p_a + at * (p_b - p_a), weight * length);
  }

  const ContactSurface& s_;
  ContactGradient& out_;
  const Body &a_, &b_;
  const Pose X_WA_, X_WB_;
  const Vec3 p_WB_;
  const bool soft_A_, soft_B_;
  const Varied A_, B_;
  const Walls walls_A_, walls_B_;
  Vec3 normal_, grad_A_, grad_B_;
  double steep_ = 0;
};

bool Backed(const Body& body) { return body.soft() && body.options().field.kind == FieldKind::kBacked; }
bool BackedMesh(const Body& body) { return Backed(body) && body.data().is_mesh; }

}  // namespace

void SurfaceGradient(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB,
                     const ContactSurface& surface, ContactGradient* out) {
  // Of two soft bodies a layer drops faces that would pull, and the others do not tell where.
  const bool both = A.soft() && B.soft();
  out->complete = !BackedMesh(A) && !BackedMesh(B) && !(both && (Backed(A) || Backed(B)));
  Integrals integrals(A, X_WA, B, X_WB, surface, out);
  for (int f = 0; f < surface.num_faces(); ++f) integrals.AddFace(f);
}

}  // namespace taxel::internal
