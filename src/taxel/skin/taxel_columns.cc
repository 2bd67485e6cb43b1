#include "taxel/skin/taxel_columns.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "taxel/contact/columns.h"

namespace taxel {
namespace {

// Coordinates along one axis that lie at equal steps: those of taxels in rows.
struct EvenSteps {
  double first = 0, step = 0;
  int count = 0;
  int At(double x) const { return static_cast<int>(std::lround((x - first) / step)); }
};

// How far a taxel may lie off its place in the rows, in steps.
constexpr double kInRow = 0.05;

// @param about the step, roughly. Empty: the coordinates lie at no equal steps.
std::optional<EvenSteps> FindSteps(std::vector<double> x, double about) {
  std::sort(x.begin(), x.end());
  // Means of those that stand together, and which step each is.
  std::vector<std::pair<double, double>> rows;
  double sum = 0, n = 0, number = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i], ++n;
    if (i + 1 < x.size() && x[i + 1] - x[i] < 0.5 * about) continue;
    const double mean = sum / n;
    if (!rows.empty()) number += std::round((mean - rows.back().first) / about);
    rows.emplace_back(mean, number);
    sum = n = 0;
  }
  if (rows.size() < 2) return EvenSteps{rows[0].first, about, 1};
  double mean_x = 0, mean_k = 0, xk = 0, kk = 0;
  for (const auto& [at, k] : rows) mean_x += at / rows.size(), mean_k += k / rows.size();
  for (const auto& [at, k] : rows) xk += (at - mean_x) * (k - mean_k), kk += (k - mean_k) * (k - mean_k);
  EvenSteps out;
  out.step = xk / kk, out.first = mean_x - out.step * mean_k;
  out.count = static_cast<int>(number) + 1;
  for (const double at : x)
    if (std::fabs(at - out.first - out.step * out.At(at)) > kInRow * out.step) return {};
  return out;
}

// The cell of one taxel where all that look along d lie in rows, seen along d.
std::optional<ColumnCell> TaxelInRows(const Layout& layout, const Vec3& d) {
  std::vector<Vec3> points;
  Vec3 middle;
  for (int i = 0; i < layout.count(); ++i)
    if (dot(layout.normals[i], d) > 0.1) points.push_back(layout.points[i]), middle += layout.points[i];
  if (points.size() < 4 || 2 * points.size() < layout.points.size()) return {};
  middle = middle / static_cast<double>(points.size());
  const auto flat = [&](const Vec3& a) { return a - dot(a, d) * d; };
  const auto nearest = [&](const Vec3& to, auto&& allowed) {
    double least = HUGE_VAL;
    Vec3 found;
    for (const Vec3& p : points)
      if (const Vec3 way = flat(p - to); norm2(way) < least && allowed(way)) least = norm2(way), found = p;
    return found;
  };
  const Vec3 centre = nearest(middle, [](const Vec3&) { return true; });
  const double none = 1e-18;  // m2: itself, or another on the same place
  const Vec3 next = flat(nearest(centre, [&](const Vec3& way) { return norm2(way) > none; }) - centre);
  if (!(norm2(next) > none)) return {};
  const double step = norm(next);
  // Along its row, as far as it goes.
  Vec3 u = next / step;
  double farthest = step;
  for (const Vec3& p : points) {
    const Vec3 way = flat(p - centre);
    const double along = std::fabs(dot(way, u));
    if (along > farthest && norm(way - dot(way, u) * u) < 0.25 * step) farthest = along, u = normalized(way);
  }
  const Vec3 v = cross(d, u);
  const auto across = [&](const Vec3& way) { return std::fabs(dot(way, u)) < 0.1 * norm(way); };
  const Vec3 beside =
      flat(nearest(centre, [&](const Vec3& way) { return norm2(way) > none && across(way); }) - centre);
  if (!across(beside) || !(norm2(beside) > none)) return {};
  std::vector<double> x, y;
  for (const Vec3& p : points) x.push_back(dot(p, u)), y.push_back(dot(p, v));
  const auto cols = FindSteps(x, step), rows = FindSteps(y, norm(beside));
  if (!cols || !rows || 2 * points.size() < static_cast<std::size_t>(cols->count) * rows->count) return {};
  std::set<std::pair<int, int>> taken;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!taken.emplace(cols->At(x[i]), rows->At(y[i])).second) return {};
  return ColumnCell{(cols->first - 0.5 * cols->step) * u + (rows->first - 0.5 * rows->step) * v,
                    cols->step * u, rows->step * v};
}

std::optional<ColumnCell> TaxelCell(const Layout& layout, const Vec3& d) {
  if (!layout.plane) return TaxelInRows(layout, d);
  const PlaneGrid& g = layout.grid;
  const Vec3 u = g.X_GF.R.col(0), v = g.X_GF.R.col(1);
  if (dot(g.X_GF.R.col(2), d) < 1 - 1e-6) return {};
  return ColumnCell{g.X_GF.p + g.u0 * u + g.v0 * v, g.du * u, g.dv * v};
}

double Parts(double side, double usual) { return std::max(1.0, std::round(side / usual)); }

}  // namespace

void ColumnsByTaxels(const Layout& layout, const Body& shape, BodyOptions* options) {
  FieldOptions& field = options->field;
  if (!(options->modulus > 0) || field.kind != FieldKind::kColumns || options->resolution > 0 ||
      field.column_cell.given() || layout.count() == 0)
    return;
  const Primitive* primitive = shape.primitive();
  if (primitive && std::holds_alternative<HalfSpace>(*primitive)) return;
  const bool box = primitive && std::holds_alternative<Box>(*primitive);
  const bool flat = box || (!primitive && !UnderTriangles(field));
  const double usual_count = flat ? kUsualColumns : kUsualAround;
  double usual = 0;
  const auto too_many = [&](double area) { return usual_count * usual * usual / area > kMostByTaxels; };
  if (flat) {
    const auto cell = TaxelCell(layout, normalized(field.exposed));
    if (!cell) return;
    FieldOptions along = field;  // a pad is measured along its taxels
    along.column_cell = *cell;
    usual = primitive ? UsualSpacing(*primitive, along) : UsualSpacing(shape.Surface(), along);
    const double parts_u = Parts(norm(cell->across_u), usual), parts_v = Parts(norm(cell->across_v), usual);
    const ColumnCell part{cell->corner, cell->across_u / parts_u, cell->across_v / parts_v};
    if (!too_many(norm(part.across_u) * norm(part.across_v))) field.column_cell = part;
    return;
  }
  usual = primitive ? UsualSpacing(*primitive, field) : UsualSpacing(shape.Surface(), field);
  std::vector<double> areas = layout.areas;
  const auto middle = areas.begin() + static_cast<std::ptrdiff_t>(areas.size() / 2);
  std::nth_element(areas.begin(), middle, areas.end());
  const double side = std::sqrt(*middle), spacing = side / Parts(side, usual);
  if (side > 0 && !too_many(spacing * spacing)) options->resolution = spacing;
}

Body WithColumnsByTaxels(const Layout& layout, const Body& body) {
  BodyOptions options = body.options();
  ColumnsByTaxels(layout, body, &options);
  if (options.resolution == body.options().resolution && !options.field.column_cell.given()) return body;
  return body.primitive() ? Body(*body.primitive(), options) : Body(body.Surface(), options);
}

}  // namespace taxel
