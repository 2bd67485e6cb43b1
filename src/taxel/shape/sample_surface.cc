#include "taxel/shape/sample_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/math/random.h"

namespace taxel {
using namespace internal;
namespace {

// Draws points uniformly by area; draw i uses the random numbers 3 i .. 3 i + 2.
class AreaSampler {
 public:
  explicit AreaSampler(const TriangleMesh& mesh) : mesh_(mesh), up_to_(mesh.triangles.size()) {
    CheckIndices(mesh, "surface to sample");
    for (std::size_t t = 0; t < up_to_.size(); ++t) {
      const double area = 0.5 * norm(AreaNormal2(mesh, static_cast<int>(t)));
      if (total_ + area > total_) last_ = static_cast<int>(t);
      total_ += area;
      up_to_[t] = total_;
    }
    if (!(total_ > 0)) throw Error("surface to sample: its area is 0; every triangle is degenerate");
  }
  double total() const { return total_; }

  SurfaceSample Draw(std::uint64_t seed, std::uint64_t i) const {
    const double where = RandomUniform(seed, 3 * i) * total_;
    const auto it = std::upper_bound(up_to_.begin(), up_to_.end(), where);
    const int t = std::min(static_cast<int>(it - up_to_.begin()), last_);
    const double s = std::sqrt(RandomUniform(seed, 3 * i + 1)), r = RandomUniform(seed, 3 * i + 2);
    const Vec3 point =
        (1 - s) * mesh_.corner(t, 0) + (s * (1 - r)) * mesh_.corner(t, 1) + (s * r) * mesh_.corner(t, 2);
    return {point, normalized(AreaNormal2(mesh_, t)), t};
  }

 private:
  const TriangleMesh& mesh_;
  std::vector<double> up_to_;  // area of the triangles 0 .. t
  double total_ = 0;
  int last_ = 0;  // last triangle with area: a draw must not round past it
};

// The samples so far, in hashed cells 1.5 radius wide: the cells around a point hold all samples within that
// distance.
class SampleSet {
 public:
  SampleSet(const Vec3& origin, double radius, double expected) : origin_(origin), width_(1.5 * radius) {
    std::size_t buckets = 64;
    while (static_cast<double>(buckets) < 2 * expected) buckets *= 2;
    head_.assign(buckets, -1);
  }

  void Insert(const SurfaceSample& sample) {
    const std::size_t b = Bucket(CellOf(sample.point));
    next_.push_back(head_[b]);
    head_[b] = static_cast<int>(samples_.size());
    samples_.push_back(sample);
  }

  // Calls visit(i) for every sample within 1.5 radius of p, and for some beyond; stops when visit returns
  // true.
  template <class Visit>
  bool AnyNear(const Vec3& p, Visit visit) const {
    const auto c = CellOf(p);
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          for (int i = head_[Bucket({c[0] + dx, c[1] + dy, c[2] + dz})]; i >= 0; i = next_[i])
            if (visit(i)) return true;
    return false;
  }

  std::vector<SurfaceSample>& samples() { return samples_; }

 private:
  using Cell = std::array<std::int64_t, 3>;
  Cell CellOf(const Vec3& p) const {
    const Vec3 s = (p - origin_) / width_;
    return {static_cast<std::int64_t>(std::floor(s.x)), static_cast<std::int64_t>(std::floor(s.y)),
            static_cast<std::int64_t>(std::floor(s.z))};
  }
  std::size_t Bucket(const Cell& c) const {
    const std::uint64_t key = static_cast<std::uint64_t>(c[0]) * 0x9e3779b97f4a7c15ull ^
                              static_cast<std::uint64_t>(c[1]) * 0xc2b2ae3d27d4eb4full ^
                              static_cast<std::uint64_t>(c[2]) * 0x165667b19e3779f9ull;
    return (key ^ (key >> 29)) & (head_.size() - 1);
  }

  Vec3 origin_;
  double width_;
  std::vector<int> head_, next_;  // chains of samples, newest first
  std::vector<SurfaceSample> samples_;
};

struct Piece {
  Vec3 a, b, c;
  Vec3 center() const { return (1.0 / 3) * (a + b + c); }
  double Diameter2() const { return std::max({norm2(b - a), norm2(c - b), norm2(a - c)}); }
  // Halves it across its longest edge.
  std::array<Piece, 2> Split() const {
    const double ab = norm2(b - a), bc = norm2(c - b), ca = norm2(a - c);
    if (ab >= bc && ab >= ca) return {Piece{a, 0.5 * (a + b), c}, Piece{0.5 * (a + b), b, c}};
    if (bc >= ca) return {Piece{b, 0.5 * (b + c), a}, Piece{0.5 * (b + c), c, a}};
    return {Piece{c, 0.5 * (c + a), b}, Piece{0.5 * (c + a), a, b}};
  }
};

// Adds samples to one triangle until it is covered.
class GapFiller {
 public:
  GapFiller(SampleSet* set, double radius) : set_(*set), radius2_(radius * radius) {}

  void Fill(const Piece& whole, const Vec3& normal, int triangle) {
    normal_ = normal;
    triangle_ = triangle;
    // A piece of diameter radius / 2 lies within radius / 3 of its centre: what could cover a part of it is
    // within 4/3.
    if (whole.Diameter2() > 0.25 * radius2_) {
      for (const Piece& half : whole.Split()) Fill(half, normal, triangle);
      return;
    }
    near_[0].clear();
    const Vec3 center = whole.center();
    set_.AnyNear(center, [&](int i) {
      const SurfaceSample& s = set_.samples()[i];
      if (dot(s.normal, normal_) >= 0 && norm2(s.point - center) <= (16.0 / 9 + 1e-6) * radius2_)
        near_[0].push_back(s.point);
      return false;
    });
    Cover(whole, 0);
  }

 private:
  // Levels of halving from radius / 2 to radius / 16 are at most 2 log2(8) and a few; the rest is margin.
  static constexpr int kLevels = 32;

  void Cover(const Piece& piece, int level) {
    const Vec3 center = piece.center();
    bool room = true;
    for (const Vec3& s : near_[level]) {
      const bool at_center = norm2(s - center) < radius2_;
      if (at_center && norm2(s - piece.a) < radius2_ && norm2(s - piece.b) < radius2_ &&
          norm2(s - piece.c) < radius2_)
        return;
      room = room && !at_center;
    }
    if (room) {
      set_.Insert({center, normal_, triangle_});
      for (int k = 0; k <= level; ++k) near_[k].push_back(center);
      return;  // the whole piece is within radius / 3 of its centre
    }
    const double diameter2 = piece.Diameter2();
    if (diameter2 <= radius2_ / 256 || level + 1 == kLevels) return;
    // A half has at most this diameter and lies within 2/3 of it of its centre.
    const double reach = std::sqrt(radius2_) + 0.67 * std::sqrt(diameter2);
    for (const Piece& half : piece.Split()) {
      const Vec3 half_center = half.center();
      near_[level + 1].clear();
      for (const Vec3& s : near_[level])
        if (norm2(s - half_center) <= reach * reach) near_[level + 1].push_back(s);
      Cover(half, level + 1);
    }
  }

  SampleSet& set_;
  double radius2_;
  Vec3 normal_;
  int triangle_ = -1;
  std::array<std::vector<Vec3>, kLevels> near_;  // samples that may cover a part of the piece at each level
};

}  // namespace

std::vector<SurfaceSample> UniformSurfaceSamples(const TriangleMesh& mesh, int count, std::uint64_t seed) {
  if (count < 0)
    throw Error("surface to sample: count is " + std::to_string(count) + "; it must be 0 or more");
  const AreaSampler sampler(mesh);
  std::vector<SurfaceSample> out(count);
  for (int i = 0; i < count; ++i) out[i] = sampler.Draw(seed, i);
  return out;
}

std::vector<SurfaceSample> SampleSurface(const TriangleMesh& mesh, double radius, std::uint64_t seed) {
  if (!std::isfinite(radius) || radius <= 0)
    throw Error("surface to sample: radius is " + ToText(radius) +
                "; it must be finite and greater than 0 (metres)");
  const AreaSampler sampler(mesh);
  const double expected = 0.7 * sampler.total() / (radius * radius);
  if (expected > kMaxSurfaceSamples)
    throw Error("surface to sample: radius " + ToText(radius) + " m on " + ToText(sampler.total()) +
                " m2 would need about " + ToText(std::round(expected)) + " samples, more than " +
                ToText(kMaxSurfaceSamples) + "; use a radius of at least " +
                ToText(std::sqrt(0.7 * sampler.total() / kMaxSurfaceSamples)) +
                " m (and check the mesh's unit: metres)");
  SampleSet set(BoundingBox(mesh).lo, radius, expected);
  const auto darts = static_cast<std::uint64_t>(4 * expected) + 1;
  for (std::uint64_t i = 0; i < darts; ++i) {
    if (i % 64 == 0) CheckInterrupt();
    const SurfaceSample dart = sampler.Draw(seed, i);
    const bool taken = set.AnyNear(dart.point, [&](int j) {
      const SurfaceSample& s = set.samples()[j];
      return norm2(s.point - dart.point) < radius * radius && dot(s.normal, dart.normal) >= 0;
    });
    if (!taken) set.Insert(dart);
  }
  GapFiller filler(&set, radius);
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    CheckInterrupt();
    const Vec3 n = AreaNormal2(mesh, t);
    if (norm2(n) > 0)
      filler.Fill({mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)}, normalized(n), t);
  }
  return std::move(set.samples());
}

}  // namespace taxel
