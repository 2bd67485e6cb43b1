#include "taxel/skin/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taxel/math/error.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/skin/description_keys.h"

namespace taxel {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLargest = 10;  // m
static_assert(FindDescriptionKey("taxels")->range.hi == kMaxTaxels);
static_assert(FindDescriptionKey("count")->range.hi == kMaxTaxels);

enum class Kind { kGrid, kPoints, kVertices, kPoisson, kSites, kFile };
const std::vector<std::string> kKinds = {"grid", "points", "vertices", "poisson", "sites", "file"};
const std::string& Name(Kind kind) { return kKinds[static_cast<int>(kind)]; }

[[noreturn]] void Fail(const Description& d, const std::string& message) {
  throw Error(d.where() + ": " + message);
}

// Runs a function of another concept; its errors get the sensor's name in front.
template <class Make>
auto Within(const Description& d, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    Fail(d, error.what());
  }
}

// Keys that one or two layouts read. In another they would have no effect, so they are refused.
struct OwnedKey {
  const char* name;
  std::vector<Kind> owners;
};
const std::vector<OwnedKey>& OwnedKeys() {
  static const std::vector<OwnedKey> keys = {{"shape", {Kind::kGrid}},
                                             {"face", {Kind::kGrid}},
                                             {"pitch", {Kind::kGrid}},
                                             {"center", {Kind::kGrid}},
                                             {"around", {Kind::kGrid}},
                                             {"along", {Kind::kGrid}},
                                             {"points", {Kind::kPoints}},
                                             {"normals", {Kind::kPoints}},
                                             {"file", {Kind::kFile}},
                                             {"count", {Kind::kPoisson}},
                                             {"spacing", {Kind::kPoisson}},
                                             {"direction", {Kind::kVertices, Kind::kPoisson}},
                                             {"within", {Kind::kVertices, Kind::kPoisson}}};
  return keys;
}

Kind KindOf(const Description& d) {
  Kind kind;
  if (d.Has("layout")) {
    kind = static_cast<Kind>(d.Choice("layout", kKinds));
  } else if (d.Has("shape")) {
    kind = Kind::kGrid;
  } else if (d.Has("points")) {
    kind = Kind::kPoints;
  } else if (d.Has("file")) {
    kind = Kind::kFile;
  } else {
    Fail(d,
         "there is no layout; give shape=\"rows columns\" for a grid, or layout=\"points\", \"vertices\", "
         "\"poisson\", \"sites\" or \"file\"");
  }
  for (const OwnedKey& key : OwnedKeys()) {
    if (!d.Has(key.name) || std::find(key.owners.begin(), key.owners.end(), kind) != key.owners.end())
      continue;
    std::string owners;
    for (Kind owner : key.owners) owners += (owners.empty() ? "\"" : " or \"") + Name(owner) + "\"";
    Fail(d, std::string(key.name) + "=\"" + *d.Find(key.name) + "\" belongs to layout=" + owners +
                ", not to \"" + Name(kind) + "\"; remove it or change the layout");
  }
  return kind;
}

std::vector<int> Shape(const Description& d) {
  if (!d.Has("shape")) Fail(d, "a grid needs shape=\"rows columns\", for example shape=\"4 6\"");
  const std::string allowed = "two whole numbers, rows and columns, from 1 to " + std::to_string(kMaxTaxels);
  const std::vector<int> shape = d.Integers("shape", 1, kMaxTaxels, allowed);
  if (shape.size() != 2) d.Fail("shape", allowed);
  Within(d, [&] { CheckGridShape(shape[0], shape[1]); });
  return shape;
}

std::vector<Vec3> Triples(const Description& d, const std::string& key, const std::string& what) {
  const std::vector<double> numbers = d.Numbers(key);
  if (numbers.empty() || numbers.size() % 3 != 0)
    Fail(d, key + " has " + std::to_string(numbers.size()) + " numbers; it must be " + what +
                ", so a multiple of 3 and at least 3");
  if (numbers.size() / 3 > kMaxTaxels)
    Fail(d, key + " lists " + std::to_string(numbers.size() / 3) + " taxels; one sensor has at most " +
                std::to_string(kMaxTaxels));
  std::vector<Vec3> out;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    out.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  return out;
}

double Radius(const Description& d) { return d.Has("radius") ? d.Number("radius") : 0; }

LayoutSites FileSites(const Description& d) {
  if (!d.Has("file")) Fail(d, "layout=\"file\" needs file=\"...\", a .csv or .json list of taxels");
  return Within(d, [&] { return ReadLayoutFile(d.Text("file")); });
}

// 0 where neither taxels nor count is given.
int PoissonCount(const Description& d) {
  const int taxels = d.Has("taxels") ? d.Integer("taxels") : 0;
  const int count = d.Has("count") ? d.Integer("count") : 0;
  if (count > 0 && d.Has("spacing"))
    Fail(d, "count=\"" + d.Text("count") + "\" and spacing=\"" + d.Text("spacing") +
                "\" exclude each other; keep one");
  if (count > 0 && taxels > 0 && count != taxels)
    Fail(d, "count is " + std::to_string(count) + " but taxels is " + std::to_string(taxels) +
                "; keep one of them");
  return count > 0 ? count : taxels;
}

void RefuseKeys(const Description& d, std::initializer_list<const char*> keys, const std::string& shape,
                const std::string& instead) {
  for (const char* key : keys)
    if (d.Has(key))
      Fail(d, std::string(key) + "=\"" + *d.Find(key) + "\" has no meaning for a grid on a " + shape + "; " +
                  instead);
}

// The face of a box that has taxels when none is named: that of its layer.
std::string DefaultFace(const Body& body) {
  if (!body.soft() || !IsLayer(body.options().field.kind)) return "+z";
  const Vec3 e = body.options().field.exposed, a = cwise_abs(e);
  const int axis = a.x >= a.y && a.x >= a.z ? 0 : (a.y >= a.z ? 1 : 2);
  return std::string(e[axis] > 0 ? "+" : "-") + "xyz"[axis];
}

Layout FlatGrid(const Description& d, const Body& body, int rows, int cols) {
  const Primitive& shape = *body.primitive();
  const Box* box = std::get_if<Box>(&shape);
  RefuseKeys(d, {"around", "along"}, PrimitiveName(shape), "use pitch and center");
  std::vector<double> pitch = {0, 0}, center = {0, 0};
  if (d.Has("pitch")) {
    const std::string allowed = "one or two numbers greater than 0, at most 10 (metres: of columns, of rows)";
    pitch = d.Numbers("pitch");
    if (pitch.size() == 1) pitch.push_back(pitch[0]);
    if (pitch.size() != 2 || !(std::min(pitch[0], pitch[1]) > 0 && std::max(pitch[0], pitch[1]) <= kLargest))
      d.Fail("pitch", allowed);
  }
  if (d.Has("center"))
    center = d.Numbers("center", 2, -kLargest, kLargest, "two numbers within 10 m, along columns and rows");
  if (box) {
    const std::string face = d.Has("face") ? d.Text("face") : DefaultFace(body);
    return Within(d, [&] {
      return BoxFaceGrid(box->size, face, rows, cols, pitch[0], pitch[1], center[0], center[1]);
    });
  }
  RefuseKeys(d, {"face"}, "half space", "it has only one");
  if (!d.Has("pitch")) Fail(d, "a half space is endless, so its grid needs pitch=\"...\" in m");
  const Pose X_GF{{}, {center[0], center[1], 0}};
  return Within(d, [&] { return PlaneGridLayout(X_GF, rows, cols, pitch[0], pitch[1]); });
}

Layout CurvedGrid(const Description& d, const Primitive& shape, int rows, int cols, int most = kMaxTaxels) {
  RefuseKeys(d, {"face", "pitch", "center"}, PrimitiveName(shape), "use around and along");
  const bool latitude = std::holds_alternative<Sphere>(shape) || std::holds_alternative<Ellipsoid>(shape);
  WrapRange range;
  if (d.Has("around")) {
    const auto x =
        d.Numbers("around", 2, -720, 720, "two angles in degrees, from and to, within -720 to 720");
    range.around_from = x[0] * kPi / 180;
    range.around_to = x[1] * kPi / 180;
  }
  if (d.Has("along")) {
    const auto x =
        latitude ? d.Numbers("along", 2, -90, 90, "two latitudes in degrees, from and to, within -90 to 90")
                 : d.Numbers("along", 2, -kLargest, kLargest, "two lengths in m, from and to");
    range.along_from = latitude ? x[0] * kPi / 180 : x[0];
    range.along_to = latitude ? x[1] * kPi / 180 : x[1];
  }
  return Within(d, [&] { return WrappedGrid(shape, rows, cols, range, most); });
}

Layout Grid(const Description& d, const Body& body) {
  const std::vector<int> shape = Shape(d);
  const Primitive* primitive = body.primitive();
  if (!primitive)
    Fail(
        d,
        "body '" + body.name() +
            "' is a mesh, which has no rows and columns; use layout=\"vertices\", \"poisson\", \"points\", "
            "\"sites\" "
            "or \"file\", or put the grid on a box, cylinder, capsule, sphere or ellipsoid of the same body");
  const bool flat = std::holds_alternative<Box>(*primitive) || std::holds_alternative<HalfSpace>(*primitive);
  return flat ? FlatGrid(d, body, shape[0], shape[1]) : CurvedGrid(d, *primitive, shape[0], shape[1]);
}

// The side of a body that carries taxels: normals within an angle of a direction.
struct Side {
  Vec3 direction;
  double least_cosine = -2;  // -2: everything
  bool Has(const Vec3& normal) const { return least_cosine == -2 || dot(direction, normal) >= least_cosine; }
};

Side SideOf(const Description& d) {
  Side side;
  if (!d.Has("direction")) {
    if (d.Has("within")) Fail(d, "within=\"" + d.Text("within") + "\" needs direction=\"x y z\"");
    return side;
  }
  const std::string allowed = "three numbers, not all 0";
  const auto x = d.Numbers("direction", 3, -1e6, 1e6, allowed);
  side.direction = normalized({x[0], x[1], x[2]});
  if (!(norm({x[0], x[1], x[2]}) > 1e-9)) d.Fail("direction", allowed);
  const double within = d.Has("within") ? d.Number("within") : 90;
  // Rounding must not drop a face that looks exactly that way.
  side.least_cosine = std::cos(within * kPi / 180) - 1e-12;
  return side;
}

[[noreturn]] void FailEmptySide(const Description& d, const std::string& what) {
  Fail(d, "no " + what + " faces direction=\"" + d.Text("direction") + "\" within " +
              (d.Has("within") ? d.Text("within") : "90") + " degrees; turn the direction or raise within");
}

Layout Vertices(const Description& d, const Body& body) {
  const Side side = SideOf(d);
  if (body.primitive())
    Fail(d, "body '" + body.name() + "' is a " + PrimitiveName(*body.primitive()) +
                ", which has no vertices of its own; use layout=\"grid\" or \"poisson\", or a mesh");
  const Layout all = Within(d, [&] { return VertexLayout(body.Surface()); });
  Layout layout;
  for (int i = 0; i < all.count(); ++i) {
    if (!side.Has(all.normals[i])) continue;
    layout.points.push_back(all.points[i]);
    layout.normals.push_back(all.normals[i]);
    layout.axes.push_back(all.axes[i]);
    layout.areas.push_back(all.areas[i]);
  }
  if (layout.points.empty()) FailEmptySide(d, "vertex of the mesh");
  return layout;
}

Layout Poisson(const Description& d, const Body& body) {
  const Side side = SideOf(d);
  const int count = PoissonCount(d);
  const bool spaced = d.Has("spacing");
  const double spacing = spaced ? d.Number("spacing") : 0;
  const int seed =
      d.Has("seed") ? d.Integer("seed", 0, std::numeric_limits<int>::max(), "a whole number from 0") : 0;
  if (!spaced && count == 0)
    Fail(d,
         "layout=\"poisson\" needs taxels=\"...\" or count=\"...\" (how many) or spacing=\"...\" (how near, "
         "m)");
  const Primitive* primitive = body.primitive();
  if (primitive && std::holds_alternative<HalfSpace>(*primitive))
    Fail(d, "body '" + body.name() +
                "' is a half space, which is endless; layout=\"poisson\" needs a finite surface: "
                "use a box, or layout=\"grid\"");
  TriangleMesh surface = body.Surface();
  if (side.least_cosine != -2) {
    std::erase_if(surface.triangles, [&](const std::array<int, 3>& t) {
      const Vec3 a = surface.vertices[t[0]];
      return !side.Has(normalized(cross(surface.vertices[t[1]] - a, surface.vertices[t[2]] - a)));
    });
    if (surface.triangles.empty()) FailEmptySide(d, "triangle of the surface");
  }
  Layout layout = Within(d, [&] {
    return spaced ? PoissonLayout(surface, spacing, seed) : PoissonLayoutOf(surface, count, seed);
  });
  if (primitive && !std::holds_alternative<Box>(*primitive))
    for (int i = 0; i < layout.count(); ++i) {
      layout.normals[i] = SignedDistanceGradient(*primitive, layout.points[i]);
      layout.points[i] -= SignedDistance(*primitive, layout.points[i]) * layout.normals[i];
      layout.axes[i] = FreeAxis(layout.normals[i]);
    }
  return layout;
}

Layout Make(const Description& d, Kind kind, const Body& body, const LayoutSites* sites) {
  switch (kind) {
    case Kind::kGrid:
      return Grid(d, body);
    case Kind::kVertices:
      return Vertices(d, body);
    case Kind::kPoisson:
      return Poisson(d, body);
    case Kind::kPoints: {
      if (!d.Has("points")) Fail(d, "layout=\"points\" needs points=\"x y z x y z ...\" in m");
      const std::vector<Vec3> points = Triples(d, "points", "x y z of each taxel");
      std::vector<Vec3> normals;
      if (d.Has("normals")) normals = Triples(d, "normals", "x y z of each normal");
      return Within(d, [&] { return PointLayout(points, normals, &body, Radius(d)); });
    }
    case Kind::kFile: {
      const LayoutSites listed = FileSites(d);
      return Within(d, [&] { return PointLayout(listed.points, listed.normals, &body, Radius(d)); });
    }
    case Kind::kSites:
      break;
  }
  if (!sites || sites->points.empty())
    Fail(d, "layout=\"sites\" found no site; the engine must hand over the sites that mark the taxels");
  return Within(d, [&] { return PointLayout(sites->points, sites->normals, &body, Radius(d)); });
}

}  // namespace

Layout MakeLayout(const Description& description, const Body& body, const LayoutSites* sites) {
  const Kind kind = KindOf(description);
  Layout layout = Make(description, kind, body, sites);
  if (!description.Has("taxels")) return layout;
  const int taxels = description.Integer("taxels");
  if (taxels != layout.count())
    Fail(description, "taxels=\"" + description.Text("taxels") + "\" but layout=\"" + Name(kind) +
                          "\" on body '" + body.name() + "' has " + std::to_string(layout.count()) +
                          "; write taxels=\"" + std::to_string(layout.count()) + "\"");
  return layout;
}

Layout MakeFineGrid(const Description& description, const Body& body, int samples) {
  const std::vector<int> shape = Shape(description);
  const double count = static_cast<double>(shape[0]) * shape[1] * samples * samples;
  if (count > kMaxGridSamples)
    Fail(description, "samples=\"" + std::to_string(samples) + "\" makes " + ToText(count) +
                          " samples; give at most " + std::to_string(kMaxGridSamples));
  return CurvedGrid(description, *body.primitive(), shape[0] * samples, shape[1] * samples, kMaxGridSamples);
}

int CountTaxels(const Description& description) {
  const Kind kind = KindOf(description);
  int count = 0;
  if (kind == Kind::kGrid) {
    const std::vector<int> shape = Shape(description);
    count = shape[0] * shape[1];
  } else if (kind == Kind::kPoints) {
    if (!description.Has("points"))
      Fail(description, "layout=\"points\" needs points=\"x y z x y z ...\" in m");
    count = static_cast<int>(Triples(description, "points", "x y z of each taxel").size());
  } else if (kind == Kind::kFile) {
    count = static_cast<int>(FileSites(description).points.size());
  } else if (kind == Kind::kPoisson && description.Has("count")) {
    count = PoissonCount(description);
  }
  if (!description.Has("taxels")) {
    if (count > 0) return count;
    Fail(description,
         "layout=\"" + Name(kind) +
             "\" needs taxels=\"...\", the number of taxels: MuJoCo fixes the size of sensordata before "
             "meshes and sites are known. Write any number; the error that follows names the right one");
  }
  const int taxels = description.Integer("taxels");
  if (count > 0 && count != taxels)
    Fail(description, "taxels=\"" + description.Text("taxels") + "\" but layout=\"" + Name(kind) + "\" has " +
                          std::to_string(count) + "; write taxels=\"" + std::to_string(count) +
                          "\" or leave it out");
  return taxels;
}

}  // namespace taxel
