#include "taxel/skin/wrapped_grid.h"

#include <cmath>
#include <limits>
#include <string>

#include "taxel/math/error.h"
#include "taxel/skin/face_grid.h"

namespace taxel {
namespace {

constexpr double kPi = 3.14159265358979323846;

double Or(double value, double otherwise) { return std::isnan(value) ? otherwise : value; }

struct SurfacePoint {
  Vec3 point, normal, axis;
};

// Each patch below maps (a, s), the parameters around and along, to the surface, and knows the area of a
// cell. `limit` is the greatest |s|, and the default.

struct CylinderPatch {
  Cylinder shape;
  static constexpr bool kAngleAlong = false, kPoles = false;
  double limit() const { return 0.5 * shape.length; }
  SurfacePoint At(double a, double s) const {
    const double c = std::cos(a), d = std::sin(a);
    return {{shape.radius * c, shape.radius * d, s}, {c, d, 0}, {-d, c, 0}};
  }
  double Area(double a0, double a1, double s0, double s1) const {
    return shape.radius * (a1 - a0) * (s1 - s0);
  }
};

struct CapsulePatch {
  Capsule shape;
  static constexpr bool kAngleAlong = false, kPoles = true;
  double limit() const { return 0.5 * shape.length + 0.5 * kPi * shape.radius; }
  // Angle above the rim of the nearer cap; 0 on the straight part.
  double Rise(double s) const {
    const double beyond = std::fabs(s) - 0.5 * shape.length;
    return beyond > 0 ? std::copysign(beyond / shape.radius, s) : 0;
  }
  SurfacePoint At(double a, double s) const {
    const double c = std::cos(a), d = std::sin(a), rise = Rise(s), cr = std::cos(rise), sr = std::sin(rise);
    const double straight = std::min(std::max(s, -0.5 * shape.length), 0.5 * shape.length);
    return {{shape.radius * cr * c, shape.radius * cr * d, straight + shape.radius * sr},
            {cr * c, cr * d, sr},
            {-d, c, 0}};
  }
  // The band between two heights of a sphere or cylinder is 2 pi R dz.
  double Area(double a0, double a1, double s0, double s1) const {
    const auto height = [&](double s) {
      const double straight = std::min(std::max(s, -0.5 * shape.length), 0.5 * shape.length);
      return straight + shape.radius * std::sin(Rise(s));
    };
    return shape.radius * (a1 - a0) * (height(s1) - height(s0));
  }
};

struct SpherePatch {
  Sphere shape;
  static constexpr bool kAngleAlong = true, kPoles = true;
  double limit() const { return 0.5 * kPi; }
  SurfacePoint At(double a, double s) const {
    const double c = std::cos(a), d = std::sin(a), cs = std::cos(s), ss = std::sin(s);
    const Vec3 n{cs * c, cs * d, ss};
    return {shape.radius * n, n, {-d, c, 0}};
  }
  double Area(double a0, double a1, double s0, double s1) const {
    // sin s1 - sin s0 without cancellation
    return shape.radius * shape.radius * (a1 - a0) * 2 * std::cos(0.5 * (s0 + s1)) *
           std::sin(0.5 * (s1 - s0));
  }
};

struct EllipsoidPatch {
  Ellipsoid shape;
  static constexpr bool kAngleAlong = true, kPoles = true;
  double limit() const { return 0.5 * kPi; }
  SurfacePoint At(double a, double s) const {
    const Vec3& e = shape.semi_axes;
    const double c = std::cos(a), d = std::sin(a), cs = std::cos(s), ss = std::sin(s);
    return {{e.x * cs * c, e.y * cs * d, e.z * ss},
            normalized({cs * c / e.x, cs * d / e.y, ss / e.z}),
            normalized({-e.x * d, e.y * c, 0})};
  }
  // |dp/da x dp/ds|
  double Density(double a, double s) const {
    const Vec3& e = shape.semi_axes;
    const double c = std::cos(a), d = std::sin(a), cs = std::cos(s), ss = std::sin(s);
    return cs * norm({e.y * e.z * cs * c, e.x * e.z * cs * d, e.x * e.y * ss});
  }
  double Gauss(double a0, double a1, double s0, double s1) const {
    // Gauss-Legendre, 8 points
    constexpr double kNode[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                 0.9602898564975363};
    constexpr double kWeight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                   0.1012285362903763};
    const double am = 0.5 * (a0 + a1), ah = 0.5 * (a1 - a0), sm = 0.5 * (s0 + s1), sh = 0.5 * (s1 - s0);
    double sum = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        sum += kWeight[i] * kWeight[j] *
               (Density(am - kNode[i] * ah, sm - kNode[j] * sh) +
                Density(am + kNode[i] * ah, sm - kNode[j] * sh) +
                Density(am - kNode[i] * ah, sm + kNode[j] * sh) +
                Density(am + kNode[i] * ah, sm + kNode[j] * sh));
    return sum * ah * sh;
  }
  // Quarters the cell until a quarter tells nothing new. The density is smooth but has steep places on flat
  // and long ellipsoids.
  double Refined(double a0, double a1, double s0, double s1, double coarse, double tolerance,
                 int depth) const {
    const double am = 0.5 * (a0 + a1), sm = 0.5 * (s0 + s1);
    const double q[4] = {Gauss(a0, am, s0, sm), Gauss(am, a1, s0, sm), Gauss(a0, am, sm, s1),
                         Gauss(am, a1, sm, s1)};
    const double fine = q[0] + q[1] + q[2] + q[3];
    if (depth == 0 || std::fabs(fine - coarse) <= tolerance) return fine;
    return Refined(a0, am, s0, sm, q[0], 0.25 * tolerance, depth - 1) +
           Refined(am, a1, s0, sm, q[1], 0.25 * tolerance, depth - 1) +
           Refined(a0, am, sm, s1, q[2], 0.25 * tolerance, depth - 1) +
           Refined(am, a1, sm, s1, q[3], 0.25 * tolerance, depth - 1);
  }
  double Area(double a0, double a1, double s0, double s1) const {
    const double coarse = Gauss(a0, a1, s0, s1);
    return Refined(a0, a1, s0, s1, coarse, 1e-10 * coarse, 12);
  }
};

// Angles reach the user in degrees, without the digits that the conversion adds.
std::string Degrees(double radians) { return ToText(std::round(radians * 180 / kPi * 1e6) / 1e6); }

template <class Patch>
Layout Wrap(const Patch& patch, const std::string& name, int rows, int cols, const WrapRange& range) {
  const double turn = 2 * kPi, slack = 1e-9;
  const double a0 = Or(range.around_from, std::isnan(range.around_to) ? 0 : range.around_to - turn);
  const double a1 = Or(range.around_to, a0 + turn);
  const double s0 = Or(range.along_from, -patch.limit()), s1 = Or(range.along_to, patch.limit());
  if (!(a0 < a1 && a1 - a0 <= turn * (1 + slack)))
    throw Error("around from " + Degrees(a0) + " to " + Degrees(a1) +
                " degrees: the second angle must be greater than the first, by at most 360 (to pass over 0 "
                "write for example -10 10, not 350 10)");
  const auto shown = [](double s) { return Patch::kAngleAlong ? Degrees(s) : ToText(s); };
  const std::string unit = Patch::kAngleAlong ? " degrees" : " m";
  const double limit = patch.limit();
  if (!(s0 < s1 && s0 >= -limit * (1 + slack) && s1 <= limit * (1 + slack)))
    throw Error("along from " + shown(s0) + " to " + shown(s1) + unit + ": on this " + name +
                " it must rise and stay within -" + shown(limit) + " to " + shown(limit) + unit);
  Layout layout;
  layout.rows = rows;
  layout.cols = cols;
  layout.wraps = a1 - a0 >= turn * (1 - slack);
  // Ends from one formula, so that neighbours share theirs to the last bit and areas add up.
  const auto a = [&](double c) { return a0 + (a1 - a0) * (c / cols); };
  const auto s = [&](double r) { return std::min(std::max(s0 + (s1 - s0) * (r / rows), -limit), limit); };
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      const SurfacePoint p = patch.At(a(c + 0.5), s(r + 0.5));
      layout.points.push_back(p.point);
      layout.normals.push_back(p.normal);
      layout.axes.push_back(p.axis);
      layout.areas.push_back(patch.Area(a(c), a(c + 1), s(r), s(r + 1)));
    }
  // A pole is no rim, and a column of half a turn has none that is halfway to the next.
  const double step = (s1 - s0) / rows;
  const auto is_pole = [&](double end) { return Patch::kPoles && std::fabs(end) >= limit * (1 - slack); };
  for (int c = 0; c < cols; ++c) {
    if (!is_pole(s0)) layout.ghosts.push_back({c, patch.At(a(c + 0.5), s0 - 0.5 * step).point});
    if (!is_pole(s1))
      layout.ghosts.push_back({(rows - 1) * cols + c, patch.At(a(c + 0.5), s1 + 0.5 * step).point});
  }
  for (int r = 0; r < rows && !layout.wraps && (a1 - a0) / cols < kPi; ++r) {
    layout.ghosts.push_back({r * cols, patch.At(a(-0.5), s(r + 0.5)).point});
    layout.ghosts.push_back({(r + 1) * cols - 1, patch.At(a(cols + 0.5), s(r + 0.5)).point});
  }
  return layout;
}

}  // namespace

WrapRange::WrapRange() {
  around_from = around_to = along_from = along_to = std::numeric_limits<double>::quiet_NaN();
}

Layout WrappedGrid(const Primitive& shape, int rows, int cols, const WrapRange& range, int most) {
  CheckGridShape(rows, cols, most);
  CheckPrimitive(shape);
  const std::string name = PrimitiveName(shape);
  if (const auto* s = std::get_if<Cylinder>(&shape)) return Wrap(CylinderPatch{*s}, name, rows, cols, range);
  if (const auto* s = std::get_if<Capsule>(&shape)) return Wrap(CapsulePatch{*s}, name, rows, cols, range);
  if (const auto* s = std::get_if<Sphere>(&shape)) return Wrap(SpherePatch{*s}, name, rows, cols, range);
  if (const auto* s = std::get_if<Ellipsoid>(&shape))
    return Wrap(EllipsoidPatch{*s}, name, rows, cols, range);
  throw Error("a grid cannot be wrapped round a " + name +
              "; cylinder, capsule, sphere and ellipsoid have wrapped grids, box and half space flat ones");
}

}  // namespace taxel
