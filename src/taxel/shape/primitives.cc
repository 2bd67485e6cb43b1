#include "taxel/shape/primitives.h"

#include "taxel/math/error.h"

namespace taxel {
namespace {

constexpr double kSmallest = 1e-6;  // metres

void CheckSize(const std::string& shape, const std::string& what, double value, double largest) {
  const std::string who = shape + ": " + what + " is " + ToText(value);
  if (!std::isfinite(value) || value <= 0)
    throw Error(who + "; it must be finite and greater than 0 (metres)");
  if (value > largest)
    throw Error(who + " m, more than " + ToText(largest) +
                " m; taxel works in metres: if this was millimetres, divide by 1000");
  if (value < kSmallest)
    throw Error(who + " m, less than a micrometre; taxel works in metres: check the unit");
}

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

}  // namespace

std::string PrimitiveName(const Primitive& shape) {
  static constexpr const char* kNames[] = {"sphere", "box", "cylinder", "capsule", "ellipsoid", "half_space"};
  return kNames[shape.index()];
}

void CheckPrimitive(const Primitive& shape, double largest) {
  const std::string name = PrimitiveName(shape);
  std::visit(Overload{[&](const Sphere& s) { CheckSize(name, "radius", s.radius, largest); },
                      [&](const Box& s) {
                        for (int i = 0; i < 3; ++i)
                          CheckSize(name, std::string("size ") + "xyz"[i], s.size[i], largest);
                      },
                      [&](const Cylinder& s) {
                        CheckSize(name, "radius", s.radius, largest);
                        CheckSize(name, "length", s.length, largest);
                      },
                      [&](const Capsule& s) {
                        CheckSize(name, "radius", s.radius, largest);
                        CheckSize(name, "length", s.length, largest);
                      },
                      [&](const Ellipsoid& s) {
                        for (int i = 0; i < 3; ++i)
                          CheckSize(name, std::string("semi-axis ") + "xyz"[i], s.semi_axes[i], largest);
                      },
                      [](const HalfSpace&) {}},
             shape);
}

Box3 BoundingBox(const Primitive& shape) {
  auto around = [](const Vec3& h) { return Box3{-h, h}; };
  return std::visit(
      Overload{[&](const Sphere& s) {
                 return around({s.radius, s.radius, s.radius});
               },
               [&](const Box& s) { return around(0.5 * s.size); },
               [&](const Cylinder& s) {
                 return around({s.radius, s.radius, 0.5 * s.length});
               },
               [&](const Capsule& s) {
                 return around({s.radius, s.radius, 0.5 * s.length + s.radius});
               },
               [&](const Ellipsoid& s) { return around(s.semi_axes); },
               [](const HalfSpace&) {
                 return Box3{{-Box3::kInf, -Box3::kInf, -Box3::kInf}, {Box3::kInf, Box3::kInf, 0}};
               }},
      shape);
}

}  // namespace taxel
