#include "taxel/contact/revolve.h"

#include <algorithm>
#include <numbers>
#include <string>

#include "taxel/contact/prepare.h"
#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kCoarsest = 0.15;  // rad; deep contacts are cut at least this finely
constexpr double kFarStep = 0.7;    // rad; and this where nothing is expected

// Moves the vertices of a chord of angle `step` out so that the mean squared radius along it is 1.
double MeanPreserving(double step) {
  const double c = std::cos(0.5 * step), s = std::sin(0.5 * step);
  return 1 / std::sqrt(c * c + s * s / 3);
}

// Facets from the middle of the fine zone to its rim, at most. A zone that is much wider than the touch is
// deep (a ball in a groove of a mesh) is cut more coarsely rather than into millions.
constexpr int kMostAcross = 24;
constexpr int kMostByHand = 200;

// The angle of a facet, for a fine zone that reaches `reach` from its middle and a cap of half angle `half`.
double FacetAngle(const RevolveOptions& options, double radius, double half, double reach, double coarsest) {
  if (options.resolution > 0) {
    const double step = std::min(options.resolution / radius, coarsest);
    if (step * kMostByHand < reach)
      throw Error("contact: resolution " + ToText(options.resolution) + " m would cut a patch of " +
                  ToText(2 * reach * radius) + " m into more than " + std::to_string(2 * kMostByHand) +
                  " facets across; give at least " + ToText(reach * radius / kMostByHand) +
                  " m, or 0 (automatic)");
    return step;
  }
  const double step = std::clamp(2 * half / options.facets_across, 1e-4, coarsest);
  return std::max(step, 1.1 * reach / std::max(kMostAcross, options.facets_across));
}

double CapAngle(double fraction) { return std::acos(std::clamp(1 - fraction, -1.0, 1.0)); }

// Even steps of about `step` from a to b are appended to *out, without a itself.
void AppendEven(double a, double b, double step, std::vector<double>* out) {
  const int n = std::max(1, static_cast<int>(std::ceil((b - a) / step - 1e-9)));
  for (int j = 1; j <= n; ++j) out->push_back(j == n ? b : a + (b - a) * j / n);
}

// Growing steps from a to b (a < b), the first about `step`.
void AppendGrowing(double a, double b, double step, std::vector<double>* out) {
  double x = a;
  while (x < b) {
    step = std::min(1.6 * step, kFarStep);
    x = b - x < 1.5 * step ? b : x + step;
    out->push_back(x);
  }
}

}  // namespace

void RevolvedShape::CutCircle(double center, double half, double step, bool uniform) {
  angles_.clear();
  kappa_theta_ = MeanPreserving(step);
  if (uniform || half > 0.8 * kPi) {
    const int n = std::max(3, static_cast<int>(std::ceil(2 * kPi / step - 1e-9)));
    kappa_theta_ = MeanPreserving(2 * kPi / n);
    for (int j = 0; j <= n; ++j) angles_.push_back(center + 2 * kPi * j / n);
  } else {
    const int n = std::max(1, static_cast<int>(std::ceil(half / step - 1e-9)));
    std::vector<double>& side = angles_;  // positive offsets first
    side.push_back(0);
    for (int j = 1; j <= n; ++j) side.push_back(j * step);
    AppendGrowing(n * step, kPi, step, &side);
    const int m = static_cast<int>(side.size());
    // Mirror: -pi .. 0 .. pi in place.
    side.resize(2 * m - 1);
    for (int j = m - 1; j >= 0; --j) side[m - 1 + j] = side[j];
    for (int j = 1; j < m; ++j) side[m - 1 - j] = -side[m - 1 + j];
    for (double& a : side) a += center;
  }
  cos_.clear();
  sin_.clear();
  for (double a : angles_) cos_.push_back(std::cos(a)), sin_.push_back(std::sin(a));
  cos_.back() = cos_.front();
  sin_.back() = sin_.front();
}

void RevolvedShape::AddProfile(double phi, double z_center, double radius, double kappa) {
  double rho = kappa * kappa_theta_ * radius * std::sin(phi);
  if (rho < 1e-12 * radius) rho = 0;
  profile_.push_back({rho, z_center + kappa * radius * std::cos(phi), 0, z_center});
}

void RevolvedShape::CutBall(double radius_of_curvature, double depth_fraction, const Approach& approach,
                            const RevolveOptions& options) {
  const double half = std::max(CapAngle(depth_fraction), 1e-4);
  const double fine = std::min(1.1 * std::max(half, approach.spread), kPi);
  const double step = FacetAngle(options, radius_of_curvature, half, fine, kCoarsest);
  const double widest = fine > 0.5 * kPi ? 1 : std::sin(fine);
  CutCircle(0, kPi, std::min(1.3 * step / widest, 0.5), true);
  std::vector<double>& phi = angles_;  // no longer needed
  phi.assign(1, 0.0);
  AppendEven(0, fine, step, &phi);
  AppendGrowing(fine, kPi, step, &phi);
  const double kappa = MeanPreserving(phi[1] - phi[0]);
  for (double p : phi) AddProfile(p, 0, 1, kappa);
  profile_.back().rho = 0;
}

void RevolvedShape::CutCapsule(const Capsule& shape, const Approach& approach,
                               const RevolveOptions& options) {
  const double R = shape.radius, h = 0.5 * shape.length;
  const double half = std::max(CapAngle(approach.depth / R), 1e-4);
  const Vec3 n = approach.n_A;
  const double phi0 = std::acos(std::clamp(n.z, -1.0, 1.0));  // from the upper pole
  const double reach = std::min(1.1 * std::max(half, approach.spread), kPi);
  const double step = FacetAngle(options, R, half, reach, kCoarsest);
  // Widest circle of latitude the contact reaches; on it the facets are `step` wide.
  const double lo = phi0 - reach, hi = phi0 + reach;
  const double widest = lo <= 0.5 * kPi && hi >= 0.5 * kPi
                            ? 1
                            : std::max(std::sin(std::max(lo, 0.0)), std::sin(std::min(hi, kPi)));
  const double s0 = std::sin(phi0);
  const double half_theta = std::sin(std::min(reach, 0.5 * kPi)) < 0.95 * s0 && reach < 0.5 * kPi
                                ? std::asin(std::sin(reach) / s0)
                                : kPi;
  CutCircle(s0 > 1e-9 ? std::atan2(n.y, n.x) : 0, half_theta, std::min(step / std::max(widest, 1e-3), 0.5),
            false);
  const double kappa = MeanPreserving(step);
  // Each quarter of a circle, cut finely where [lo, hi] covers it.
  auto quarter = [&](double begin, double end) {
    std::vector<double>& phi = angles_;
    phi.assign(1, begin);
    const double a = std::clamp(lo, begin, end), b = std::clamp(hi, begin, end);
    if (b <= a) return AppendGrowing(begin, end, 0.4, &phi);
    if (a > begin) {  // steps that shrink towards a: grow them from a and turn them round
      AppendGrowing(0, a - begin, step, &phi);
      std::reverse(phi.begin() + 1, phi.end());
      for (std::size_t j = 2; j < phi.size(); ++j) phi[j - 1] = a - phi[j];
      phi.back() = a;
    }
    AppendEven(a, b, step, &phi);
    if (b < end) AppendGrowing(b, end, step, &phi);
  };
  quarter(0, 0.5 * kPi);
  for (double p : angles_) AddProfile(p, h, R, kappa);
  const std::size_t equator = profile_.size();
  quarter(0.5 * kPi, kPi);
  for (double p : angles_) AddProfile(p, -h, R, kappa);
  profile_.front().rho = profile_.back().rho = 0;
  // The straight part is curved one way only.
  profile_[equator - 1].rho = profile_[equator].rho = kappa_theta_ * R;
  profile_[equator - 1].z = h;
  profile_[equator].z = -h;
}

void RevolvedShape::CutCylinder(const Cylinder& shape, const Approach& approach,
                                const RevolveOptions& options) {
  const double R = shape.radius, h = 0.5 * shape.length;
  const Vec3 n = approach.n_A;
  const double radial = std::hypot(n.x, n.y);
  const double half =
      approach.depth < 2 * R * radial ? std::max(CapAngle(approach.depth / (R * radial)), 1e-4) : kPi;
  // Against a mesh only the radial depth is known, which says little about a rim: even sectors all round, and
  // more of them, which costs little as there is one row of them only.
  const bool all_round = !options.cap_bounds;
  double step = FacetAngle(options, R, half, all_round && options.resolution > 0 ? kPi : 1.05 * half,
                           all_round ? 0.5 * kCoarsest : kCoarsest);
  if (all_round) step = std::max(step, kPi / 360);
  CutCircle(radial > 1e-9 ? std::atan2(n.y, n.x) : 0, 1.05 * half, step, all_round);
  const double rim = kappa_theta_ * R;
  squat_ = h < R;
  const double medial_z = std::max(0.0, h - R), medial_rho = squat_ ? rim * (1 - h / R) : 0;
  profile_.push_back({0, h, 0, medial_z});
  profile_.push_back({rim, h, medial_rho, medial_z});
  profile_.push_back({rim, -h, medial_rho, -medial_z});
  profile_.push_back({0, -h, 0, -medial_z});
}

void RevolvedShape::Cut(const Primitive& shape, const Approach& approach, const Vec3& tangent,
                        const RevolveOptions& options) {
  profile_.clear();
  squat_ = false;
  frame_ = Mat3{};
  const double inner = InscribedRadius(shape);
  double fraction = approach.depth / inner;  // of the depth u that can be reached
  auto ball = [&](const Vec3& semi_axes) {
    // Where the normal is n, the stretched ball has the direction S n / |S n|, and the cap the relative depth
    // depth / |S n|.
    const Vec3 Sn = cwise_mul(semi_axes, approach.n_A);
    const double h = norm(Sn);
    const Vec3 axis = Sn / h;
    Vec3 e1 = cwise_div(tangent, semi_axes), e2;
    e1 = e1 - dot(e1, axis) * axis;
    if (norm2(e1) > 1e-12 * norm2(tangent)) {
      e1 = normalized(e1);
      e2 = cross(axis, e1);
    } else {
      MakeFrame(axis, &e1, &e2);
    }
    frame_ = FromColumns(cwise_mul(semi_axes, e1), cwise_mul(semi_axes, e2), cwise_mul(semi_axes, axis));
    const double mean = std::cbrt(semi_axes.x * semi_axes.y * semi_axes.z);
    if (options.cap_bounds) fraction = approach.depth / h;
    CutBall(mean, fraction, approach, options);
  };
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    ball({s->radius, s->radius, s->radius});
  } else if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
    ball(s->semi_axes);
  } else if (const auto* s = std::get_if<Capsule>(&shape)) {
    CutCapsule(*s, approach, options);
  } else if (const auto* s = std::get_if<Cylinder>(&shape)) {
    CutCylinder(*s, approach, options);
    if (!options.cap_bounds) fraction = 1;  // the mesh estimate looks at the radial depth alone
  }
  umax_ = std::min(1.0, 1.05 * fraction + 1e-3);
  if (options.cap_bounds) {
    cap_n_ = approach.n_A;
    cap_offset_ = dot(cap_n_, SupportPoint(shape, cap_n_)) - 1.05 * approach.depth;
  } else {
    cap_n_ = {};
    cap_offset_ = -1;
  }
}

void RevolvedShape::Place(bool medial) {
  const std::size_t points = cos_.size();
  corners_.resize(profile_.size() * points);
  Corner* c = corners_.data();
  for (const ProfilePoint& p : profile_)
    for (std::size_t i = 0; i < points; ++i, ++c) {
      c->outer = frame_ * Vec3{p.rho * cos_[i], p.rho * sin_[i], p.z};
      c->in_cap = InCap(c->outer);
      if (!medial) continue;
      c->medial = frame_ * Vec3{p.medial_rho * cos_[i], p.medial_rho * sin_[i], p.medial_z};
      c->in_cap |= InCap(c->medial);
    }
}

void RevolvedShape::AppendCells(double depth_scale, std::vector<Cell>* cells) {
  Place(true);
  const int K = static_cast<int>(profile_.size()) - 1, N = static_cast<int>(cos_.size()) - 1;
  const Vec3 axis = frame_.col(2);
  sides_.clear();
  for (int i = 0; i <= N; ++i) sides_.push_back(normalized(cross(axis, frame_ * Vec3{cos_[i], sin_[i], 0})));
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < N; ++i) {
      const Corner* upper = &corners_[k * (N + 1) + i];
      const Corner* lower = upper + N + 1;
      if (!(upper[0].in_cap || upper[1].in_cap || lower[0].in_cap || lower[1].in_cap)) continue;
      // Outer 0-3 (down the profile, then round), medial 4-7.
      Vec3 v[8] = {upper[0].outer,  lower[0].outer,  lower[1].outer,  upper[1].outer,
                   upper[0].medial, lower[0].medial, lower[1].medial, upper[1].medial};
      const bool upper_pole = profile_[k].rho == 0, lower_pole = profile_[k + 1].rho == 0;
      const Vec3 n = normalized(cross(v[2] - v[0], v[3] - v[1]));
      const double h = dot(n, v[upper_pole ? 1 : 0]);
      const double span = h - dot(n, v[4 + (upper_pole ? 1 : 0)]);
      if (!(span > 0)) continue;
      Cell& cell = cells->emplace_back();
      cell.AddPlane({-n, h});
      cell.depth = {(-depth_scale / span) * n, depth_scale * h / span};
      cell.AddPlane({sides_[i], 0});
      cell.AddPlane({-sides_[i + 1], 0});
      const Vec3 middle = 0.25 * (v[0] + v[1] + v[2] + v[3]);
      auto across = [&](const Vec3& a, const Vec3& b, const Vec3& m) {
        Vec3 normal = normalized(cross(b - a, m - a));
        double offset = -dot(normal, a);
        if (dot(normal, middle) + offset < 0) normal = -normal, offset = -offset;
        cell.AddPlane({normal, offset});
      };
      if (!upper_pole) across(v[0], v[3], v[4]);
      if (!lower_pole) across(v[1], v[2], v[5]);
      if (squat_) cell.AddPlane({n, span - h});
      cell.max_depth = depth_scale * umax_;
      for (int j = 0; j < 4; ++j) v[4 + j] = v[j] + umax_ * (v[4 + j] - v[j]);
      for (const Vec3& p : v) cell.center += 0.125 * p;
      cell.axis = n;
      double radius2 = 0, width2 = 0;
      for (const Vec3& p : v) {
        const Vec3 d = p - cell.center;
        const double along = dot(d, n);
        radius2 = std::max(radius2, norm2(d));
        width2 = std::max(width2, norm2(d - along * n));
      }
      cell.radius = std::sqrt(radius2);
      cell.width = std::sqrt(width2);
      for (int j = 0; j < 4; ++j) {
        if ((upper_pole && j == 3) || (lower_pole && j == 2)) continue;  // the same edge as the one before
        cell.outer[cell.num_edges] = v[j];
        cell.inner[cell.num_edges++] = v[4 + j];
      }
    }
}

void RevolvedShape::AppendFacets(std::vector<Facet>* facets) {
  Place(false);
  const int K = static_cast<int>(profile_.size()) - 1, N = static_cast<int>(cos_.size()) - 1;
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < N; ++i) {
      const Corner* upper = &corners_[k * (N + 1) + i];
      const Corner* lower = upper + N + 1;
      if (!(upper[0].in_cap || upper[1].in_cap || lower[0].in_cap || lower[1].in_cap)) continue;
      const Vec3 v[4] = {upper[0].outer, lower[0].outer, lower[1].outer, upper[1].outer};
      Facet f;
      f.vertices[f.num_vertices++] = v[0];
      f.vertices[f.num_vertices++] = v[1];
      if (profile_[k + 1].rho > 0) f.vertices[f.num_vertices++] = v[2];
      if (profile_[k].rho > 0) f.vertices[f.num_vertices++] = v[3];
      if (f.num_vertices < 3) continue;
      f.normal = normalized(cross(v[2] - v[0], v[3] - v[1]));
      f.Bound();
      facets->push_back(f);
    }
}

}  // namespace taxel::internal
