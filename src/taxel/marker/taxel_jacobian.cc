#include <numbers>

#include "taxel/marker/check_pose.h"
#include "taxel/marker/taxel_vjp.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

// Along lambda_d, lambda_s, slip = mu E / K, squeeze, dilate, shear.
constexpr int kWide = 6;
using D = Dual<double, kWide>;
using V = Triple<D>;

V Fixed(const Vec3& v) { return {D(v.x), D(v.y), D(v.z)}; }

struct Tracked {
  bool inside = false;
  V stretch;
};

// Adds what an object does to the markers at the end of its path.
void AddObject(const TaxelField& field, std::size_t k, const std::vector<std::vector<Pose>>& path,
               const PointMaterial<D>& material, const D& lambda_d, const D& lambda_s, const D& dilate,
               const D& shear, std::vector<V>* sums) {
  const MarkerIndenter& object = field.objects()[k];
  const MarkerState& start = field.state().objects[k];
  const GelSurface<double>& gel = field.pad().surface();
  const TaxelParameters& par = field.parameters();
  std::vector<Tracked> points(object.points_I.size());
  for (std::size_t i = 0; i < start.index.size(); ++i)
    points[static_cast<std::size_t>(start.index[i])] = {true, Fixed(start.f_P[i])};
  const PointCloud cloud(object.points_I);
  std::vector<int> now, held = start.index;
  bool started = start.started;
  Pose before = start.X_PI;
  for (const std::vector<Pose>& row : path) {
    const Pose& X = row[k];
    const Pose& X0 = started ? before : X;
    cloud.FindInBox(X, field.pad().box(), &now);
    std::vector<int> inside;
    std::vector<Tracked> next;
    for (const int index : now) {
      const auto i = static_cast<std::size_t>(index);
      const Vec3 p_I = object.points_I[i], n_I = object.normals_I[i];
      PointTouch<D> touch;
      const V stretch = points[i].inside ? points[i].stretch : V{};
      if (!MovePoint(gel, material, started, Fixed(X0 * p_I), Fixed(-(X0.R * n_I)), stretch, Fixed(X * p_I),
                     Fixed(-(X.R * n_I)), &touch))
        continue;
      inside.push_back(index);
      next.push_back({true, touch.stretch});
    }
    for (const int index : held) points[static_cast<std::size_t>(index)] = {};
    for (std::size_t j = 0; j < inside.size(); ++j) points[static_cast<std::size_t>(inside[j])] = next[j];
    held = std::move(inside);
    before = X;
    started = true;
  }
  const std::vector<Vec3>& markers = field.markers_P();
  for (const int index : held) {
    const auto i = static_cast<std::size_t>(index);
    const V o = Fixed(before * object.points_I[i]), n = Fixed(-(before.R * object.normals_I[i]));
    PointTouch<D> touch;
    touch.depth = -HeightAbove(gel, o, &touch.g);
    touch.stretch = points[i].stretch;
    const PointSource<D> s =
        ToSource(touch, o, n, D(object.areas[i]), D(par.normal_stiffness), D(par.shear_stiffness));
    for (std::size_t m = 0; m < markers.size(); ++m) {
      const V p = Fixed(markers[m]), d = p - s.centre, a = p - s.anchor;
      const D push = dilate * lambda_d * D(1 / std::numbers::pi) * s.push * Exp(-lambda_d * Dot(d, d));
      const D pull = shear * lambda_s * D(1 / std::numbers::pi) * Exp(-lambda_s * Dot(a, a));
      (*sums)[m] = (*sums)[m] + push * d + pull * s.pull;
    }
  }
}

}  // namespace

void TaxelJacobian(const TaxelField& field, const std::vector<std::vector<Pose>>& path,
                   std::vector<Vec3>* displacement, std::array<std::vector<Vec3>, 8>* columns) {
  TaxelTape check(field);  // creep and substeps have no derivative
  for (const std::vector<Pose>& row : path) {
    if (row.size() != field.objects().size())
      throw Error("marker gradient: " + std::to_string(row.size()) + " poses for " +
                  std::to_string(field.objects().size()) + " objects; give one each");
    for (const Pose& X : row) CheckMarkerPose(X, "marker gradient", "X_PI");
  }
  const TaxelParameters& p = field.parameters();
  const double ratio = p.normal_stiffness / p.shear_stiffness;
  const D lambda_d = D::Input(p.lambda_d, 0), lambda_s = D::Input(p.lambda_s, 1),
          dilate = D::Input(p.dilate_scale, 4), shear = D::Input(p.shear_scale, 5);
  const PointMaterial<D> material{D::Input(p.friction * ratio, 2), D::Input(p.squeeze, 3)};
  const std::size_t count = field.markers_P().size();
  std::vector<V> sums(count);
  for (std::size_t k = 0; k < field.objects().size(); ++k)
    AddObject(field, k, path, material, lambda_d, lambda_s, dilate, shear, &sums);
  displacement->assign(count, Vec3{});
  for (std::vector<Vec3>& column : *columns) column.assign(count, Vec3{});
  for (std::size_t m = 0; m < count; ++m) {
    const V& u = sums[m];
    const Vec3 n = field.spread().normals()[m];
    const auto along = [&n](const Vec3& v) { return v - dot(v, n) * n; };
    const auto part = [&](int k) { return along({u.x.d[k], u.y.d[k], u.z.d[k]}); };
    (*displacement)[m] = along({u.x.v, u.y.v, u.z.v});
    const Vec3 slip = part(2);
    (*columns)[0][m] = part(0);
    (*columns)[1][m] = part(1);
    (*columns)[2][m] = ratio * slip;
    (*columns)[3][m] = (p.friction / p.shear_stiffness) * slip;
    (*columns)[4][m] = (-p.friction * ratio / p.shear_stiffness) * slip;
    (*columns)[5][m] = part(3);
    (*columns)[6][m] = part(4);
    (*columns)[7][m] = part(5);
  }
}

}  // namespace taxel
