#include "taxel/contact/layer_size.h"

#include <cmath>

#include "taxel/field/layer_modulus.h"

namespace taxel::internal {
namespace {

// Sums over the contact, seen along the force: area, first and second moments in two axes.
struct Shadow {
  double area = 0, u = 0, v = 0, uu = 0, uv = 0, vv = 0;

  void AddTriangle(double share, const double (&x)[3], const double (&y)[3]) {
    const double sx = x[0] + x[1] + x[2], sy = y[0] + y[1] + y[2];
    const auto moment = [&](const double(&a)[3], double sum_a, const double(&b)[3], double sum_b) {
      return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + sum_a * sum_b) / 12;
    };
    area += share;
    u += share * sx / 3, v += share * sy / 3;
    uu += share * moment(x, sx, x, sx), uv += share * moment(x, sx, y, sy),
        vv += share * moment(y, sy, y, sy);
  }
};

double Stiffness(const BodyData& body) { return body.options.modulus / body.length; }

double FactorOf(const BodyData& body, double radius) {
  if (!(body.softest > 0)) return 1;
  return std::fmax(1.0, EffectiveModulus(radius / body.length, body.options.field.poisson) / body.softest);
}

}  // namespace

double ContactRadius(const ContactSurface& surface) {
  const double load = norm(surface.wrench_on_A.force);
  if (surface.empty() || !(load > 0)) return 0;
  const Vec3 way = surface.wrench_on_A.force / load;
  // The same axes and the same order of vertices for both orders of the bodies, whose forces and normals are
  // opposite: the same bits.
  const bool turned = way.x != 0 ? way.x < 0 : way.y != 0 ? way.y < 0 : way.z < 0;
  Vec3 e1, e2;
  MakeFrame(turned ? -way : way, &e1, &e2);
  Shadow sum;
  for (int f = 0; f < surface.num_faces(); ++f) {
    const double seen = dot(surface.normals[f], way);
    if (!(seen > 0)) continue;  // walls are no part of what is pressed
    const int first = surface.face_start[f], count = surface.face_start[f + 1] - first;
    const auto vertex = [&](int i) { return surface.vertices[first + (turned ? count - 1 - i : i)]; };
    // About the centre of the contact: moments of a small patch far from the origin would be lost.
    const auto place = [&](int i, double* x, double* y) {
      const Vec3 d = vertex(i) - surface.centroid;
      *x = dot(d, e1), *y = dot(d, e2);
    };
    const auto area = [&](int i) {
      return 0.5 * norm(cross(vertex(i) - vertex(0), vertex(i + 1) - vertex(0)));
    };
    double polygon = 0;
    for (int i = 1; i + 1 < count; ++i) polygon += area(i);
    if (!(polygon > 0)) continue;
    // The face of a column that is covered in part has the area of that part.
    const double scale = surface.areas[f] / polygon * seen;
    for (int i = 1; i + 1 < count; ++i) {
      double x[3], y[3];
      place(0, &x[0], &y[0]), place(i, &x[1], &y[1]), place(i + 1, &x[2], &y[2]);
      sum.AddTriangle(scale * area(i), x, y);
    }
  }
  if (!(sum.area > 0)) return 0;
  const double mu = sum.u / sum.area, mv = sum.v / sum.area;
  const double uu = sum.uu / sum.area - mu * mu, vv = sum.vv / sum.area - mv * mv;
  const double uv = sum.uv / sum.area - mu * mv;
  const double mean = 0.5 * (uu + vv), apart = std::sqrt(0.25 * (uu - vv) * (uu - vv) + uv * uv);
  const double a2 = 4 * (mean + apart), b2 = std::fmax(4 * (mean - apart), 0.0);
  return a2 + b2 > 0 ? std::sqrt(2 * a2 * b2 / (a2 + b2)) : 0;
}

void FollowSize(const BodyData& A, const BodyData& B, ContactSurface* surface) {
  if (surface->empty() || (!(A.softest > 0) && !(B.softest > 0))) return;
  const double radius = ContactRadius(*surface);
  if (!(radius > 0)) return;
  const double f_A = FactorOf(A, radius), f_B = FactorOf(B, radius);
  const double f = !A.soft   ? f_B
                   : !B.soft ? f_A
                             : (1 / Stiffness(A) + 1 / Stiffness(B)) /
                                   (1 / (f_A * Stiffness(A)) + 1 / (f_B * Stiffness(B)));
  if (f == 1) return;
  surface->size_factor = f;
  for (std::vector<double>* values :
       {&surface->pressures, &surface->face_pressures, &surface->gradients_A, &surface->gradients_B})
    for (double& v : *values) v *= f;
  surface->max_pressure *= f;
  surface->normal_force *= f;
  surface->wrench_on_A.force *= f;
  surface->wrench_on_A.torque *= f;
}

}  // namespace taxel::internal
