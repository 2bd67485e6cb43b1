#include "taxel/marker/layer_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taxel/marker/check_pose.h"
#include "taxel/marker/taxel_field.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

constexpr const char* kField = "marker field";
constexpr double kMeshPad = 4e-3;  // thickness taken for a gel that is no box, m

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

void CheckPlaces(const GelPad& pad, const std::vector<Vec3>& markers) {
  if (markers.empty()) throw Error("marker field: no marker; give at least one point");
  constexpr double kReach = 5e-3;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const Vec3& p = markers[i];
    if (!is_finite(p))
      throw Error("marker field: marker " + std::to_string(i) + " is not finite; give numbers in m");
    if (pad.box().Distance2(p) > kReach * kReach)
      throw Error("marker field: marker " + std::to_string(i) + " at (" + ToText(p.x) + ", " + ToText(p.y) +
                  ", " + ToText(p.z) +
                  ") m is more than 5 mm away from the pad; give places on the gel, in metres, in the pad's "
                  "frame");
  }
}

// Of a point of the gel that an object carries from one pose to the next.
Vec3 Carried(const Pose& change, const Vec3& p) { return change * p - p; }

}  // namespace

void CheckLayerParameters(const LayerParameters& p, const std::string& where) {
  const struct {
    const char* name;
    double value;
    bool zero;
    const char* unit;
  } rows[] = {{"friction", p.friction, true, " (finite; 1000 lets nothing slip)"},
              {"young", p.young, false, " (Pa)"},
              {"thickness", p.thickness, true, " (m)"},
              {"pixel", p.pixel, false, " (m per px)"},
              {"marker_depth", p.marker_depth, true, " (m below the face)"}};
  for (const auto& row : rows)
    if (!std::isfinite(row.value) || row.value < 0 || (row.value == 0 && !row.zero))
      throw Error(where + ": " + row.name + " is " + ToText(row.value) + "; give a number " +
                  (row.zero ? "of 0 or more" : "above 0") + row.unit);
  if (!(p.poisson >= 0 && p.poisson <= 0.49999))
    throw Error(where + ": poisson is " + ToText(p.poisson) +
                "; give 0 to 0.49999 (take that for an incompressible gel)");
}

LayerField::Scene::Scene(const GelPad& pad_, const std::vector<Vec3>& markers, double pitch)
    : pad(pad_), cells(pad_, markers, pitch), markers_P(markers), force_lambda(ForceLambda(markers)) {
  for (std::size_t i = 0; i < markers.size(); ++i) markers_P[i] = cells.marker[i].p;
}

LayerField::LayerField(const GelPad& pad, const std::vector<Vec3>& markers_P,
                       const std::vector<MarkerDistance>& objects, const LayerParameters& parameters,
                       const LayerOptions& options)
    : parameters_(parameters), options_(options) {
  CheckPlaces(pad, markers_P);
  CheckLayerParameters(parameters, kField);
  if (objects.empty()) throw Error("marker field: no object; give at least one that can press");
  if (options.substeps < 1 || options.substeps > kLayerMostIncrements)
    throw Error("marker field: substeps is " + std::to_string(options.substeps) + "; give 1 to 64");
  if (!std::isfinite(options.step) || options.step <= 0)
    throw Error("marker field: step is " + ToText(options.step) + "; give a length in m above 0");
  if (!std::isfinite(options.pitch) || options.pitch < 0)
    throw Error("marker field: pitch is " + ToText(options.pitch) +
                "; give a length in m, 0 for the default");
  if (options_.pitch == 0) {
    double thick = parameters.thickness > 0 ? parameters.thickness : kMeshPad;
    if (parameters.thickness == 0 && pad.surface().flat && pad.surface().half_x < 1e3)
      thick = pad.surface().top - pad.surface().bottom;
    const Vec3 size = pad.box().size();
    const double longer = std::max(size.x, size.y);
    options_.pitch = std::max(0.15 * thick, longer < 1e3 ? longer / 64 : 0.0);
  }
  SetObjects(Scene(pad, markers_P, options_.pitch), objects);
  thickness_ = ThicknessOf(parameters_);
  MakeTables(nullptr);
  height_.resize(Index(cells().count()));
  owner_.resize(Index(cells().count()));
}

void LayerField::SetObjects(Scene scene, const std::vector<MarkerDistance>& objects) {
  scene.objects.clear();
  for (std::size_t k = 0; k < objects.size(); ++k)
    scene.objects.emplace_back(objects[k], "marker field: object " + std::to_string(k));
  scene_ = std::make_shared<const Scene>(std::move(scene));
  state_ = {};
  state_.X_PI.resize(objects.size());
  shown_ = state_;
}

LayerField LayerField::With(const std::vector<MarkerDistance>& objects) const {
  if (objects.empty()) throw Error("marker field: no object; give at least one that can press");
  LayerField out = *this;
  out.SetObjects(*scene_, objects);
  return out;
}

double LayerField::ThicknessOf(const LayerParameters& p) const {
  if (p.thickness > 0) return p.thickness;
  const GelSurface<double>& s = scene_->pad.surface();
  if (!s.flat) return std::min(kMeshPad, scene_->pad.box().size().z);
  if (s.half_x > 1e3)
    throw Error("marker field: the pad is a half space, which has no thickness; give thickness (m)");
  return s.top - s.bottom;
}

void LayerField::MakeTables(const LayerField* like) {
  if (like && like->scene_->markers_P == scene_->markers_P && like->thickness_ == thickness_ &&
      like->parameters_.poisson == parameters_.poisson &&
      like->parameters_.marker_depth == parameters_.marker_depth && like->options_.pitch == options_.pitch)
    levels_ = like->levels_;
  else
    levels_ = std::make_shared<const std::vector<LayerLevel>>(
        MakeLevels(cells(), thickness_, parameters_.poisson, parameters_.marker_depth));
  share_ = 0;
  level_ = levels_->size() - 1;
}

void LayerField::set_parameters(const LayerParameters& parameters, const LayerField* like) {
  CheckLayerParameters(parameters, kField);
  const double thickness = ThicknessOf(parameters);
  const bool same = thickness == thickness_ && parameters.poisson == parameters_.poisson &&
                    parameters.marker_depth == parameters_.marker_depth;
  const LayerParameters before = parameters_;
  const double thick = thickness_;
  parameters_ = parameters;
  thickness_ = thickness;
  if (same) return;
  try {
    MakeTables(like);
  } catch (...) {
    parameters_ = before;
    thickness_ = thick;
    throw;
  }
}

void LayerField::Reset() {
  state_.started = false;
  for (Pose& X : state_.X_PI) X = {};
  state_.ClearCells();
  shown_ = state_;
}

void LayerField::ZeroTangential() {
  for (Vec3& t : state_.traction) t.x = t.y = 0;
  shown_ = state_;
}

void LayerField::set_state(const LayerState& s) {
  const std::size_t n = s.index.size();
  bool good =
      s.X_PI.size() == objects() && s.object.size() == n && s.traction.size() == n && (s.started || n == 0);
  for (std::size_t i = 0; good && i < n; ++i)
    good = s.index[i] > (i == 0 ? -1 : s.index[i - 1]) && s.index[i] < cells().count() &&
           cells().valid[Index(s.index[i])] && s.object[i] >= 0 && Index(s.object[i]) < objects() &&
           is_finite(s.traction[i]) && s.traction[i].z <= 0;
  if (!good)
    throw Error(
        "marker field: the state is not one of this field (one pose an object; cells in contact, ascending, "
        "with an object and a finite traction each); take it from a field with the same pad, pitch and "
        "objects");
  for (const Pose& X : s.X_PI) CheckMarkerPose(X, kField, "the pose of the state");
  state_ = shown_ = s;
}

double LayerField::HeightOf(int object, const Pose& X_IP, int cell) const {
  const LayerPlace& at = cells().place[Index(cell)];
  return scene_->objects[Index(object)].Along(X_IP * at.p, X_IP.R * at.g,
                                              -kLayerDeepest * (thickness_ + at.height));
}

double LayerField::Meet(const std::vector<Pose>& X) {
  const LayerCells& c = cells();
  for (const int k : touched_) height_[Index(k)] = std::numeric_limits<float>::infinity();
  if (touched_.empty()) std::fill(height_.begin(), height_.end(), std::numeric_limits<float>::infinity());
  touched_.clear();
  double deepest = 0;
  for (std::size_t o = 0; o < X.size(); ++o) {
    const Pose X_IP = Inverse(X[o]);
    const Box3& box = scene_->objects[o].box();
    int i0 = 0, i1 = c.nx - 1, j0 = 0, j1 = c.ny - 1;
    if (is_finite(box.lo) && is_finite(box.hi)) {
      const Vec3 middle = X[o] * (0.5 * (box.lo + box.hi)), half = 0.5 * box.size();
      Vec3 reach;
      for (int k = 0; k < 3; ++k)
        reach[k] = std::fabs(X[o].R.m[3 * k]) * half.x + std::fabs(X[o].R.m[3 * k + 1]) * half.y +
                   std::fabs(X[o].R.m[3 * k + 2]) * half.z;
      // Lines along a sloping normal may meet what lies beside the cell.
      const double slack = c.flat ? 0 : 2 * thickness_;
      const auto cut = [&](double from, double to, double start, int* first, int* last) {
        *first = std::max(
            *first, static_cast<int>(std::ceil(std::clamp((from - slack - start) / c.pitch, -1.0, 1e6))));
        *last = std::min(*last,
                         static_cast<int>(std::floor(std::clamp((to + slack - start) / c.pitch, -1.0, 1e6))));
      };
      cut(middle.x - reach.x, middle.x + reach.x, c.x0, &i0, &i1);
      cut(middle.y - reach.y, middle.y + reach.y, c.y0, &j0, &j1);
      const double top = c.place.empty() ? 0 : scene_->pad.box().hi.z;
      if (middle.z - reach.z > top + thickness_) continue;
    }
    for (int i = i0; i <= i1; ++i)
      for (int j = j0; j <= j1; ++j) {
        const int k = i * c.ny + j;
        if (!c.valid[Index(k)]) continue;
        const double h = HeightOf(static_cast<int>(o), X_IP, k);
        if (!(h < thickness_)) continue;
        if (height_[Index(k)] == std::numeric_limits<float>::infinity()) touched_.push_back(k);
        if (h < height_[Index(k)])
          height_[Index(k)] = static_cast<float>(h), owner_[Index(k)] = static_cast<int>(o);
        deepest = std::max(deepest, -h);
      }
  }
  if (X.size() > 1) std::sort(touched_.begin(), touched_.end());
  return deepest;
}

double LayerField::Way(const std::vector<Pose>& from, const std::vector<Pose>& to) {
  if (from == to) return 0;
  const LayerCells& c = cells();
  std::vector<Box3>& box = near_;
  box.assign(to.size(), Box3{});
  for (const int k : touched_)
    if (height_[Index(k)] < 0) box[Index(owner_[Index(k)])].Include(c.place[Index(k)].p);
  double longest = 0;
  for (std::size_t o = 0; o < to.size(); ++o) {
    if (box[o].empty()) continue;
    const Pose change = to[o] * Inverse(from[o]);
    for (int corner = 0; corner < 4; ++corner)
      longest = std::max(longest, norm(Carried(change, {corner & 1 ? box[o].hi.x : box[o].lo.x,
                                                        corner & 2 ? box[o].hi.y : box[o].lo.y,
                                                        0.5 * (box[o].lo.z + box[o].hi.z)})));
  }
  return longest;
}

int LayerField::Increments(const std::vector<Pose>& from, const std::vector<Pose>& to) {
  const double parts = std::ceil(Way(from, to) / options_.step - 1e-6);
  return std::clamp(parts < kLayerMostIncrements ? static_cast<int>(parts) : kLayerMostIncrements,
                    options_.substeps, kLayerMostIncrements);
}

void LayerField::PartWay(const std::vector<Pose>& X_PI, double at) {
  between_.resize(X_PI.size());
  for (std::size_t o = 0; o < X_PI.size(); ++o) between_[o] = InterpolatePose(start_[o], X_PI[o], at);
}

LayerField::Cut LayerField::CutStep(const std::vector<Pose>& X_PI, LayerState* state) {
  Cut cut;
  cut.deepest = Meet(X_PI);
  if (!state->started) {
    state->X_PI = X_PI;
    for (Pose& X : state->X_PI) X.p.z += cut.deepest;
    state->started = cut.lifted = true;
  }
  start_ = state->X_PI;
  cut.count = cut.deepest > 0 ? Increments(start_, X_PI) : 1;
  if (cut.count > options_.substeps && state->index.empty()) {
    // Whatever happened above the gel does not matter: from where it is touched first.
    double inside = 1;
    for (int round = 0; round < 12; ++round) {
      const double middle = 0.5 * (cut.touch + inside);
      PartWay(X_PI, middle);
      (Meet(between_) > 0 ? inside : cut.touch) = middle;
    }
    PartWay(X_PI, cut.touch);
    start_ = state->X_PI = between_;
    Meet(X_PI);
    cut.count = Increments(start_, X_PI);
  }
  return cut;
}

bool LayerField::Remembers(const LayerState& state, const std::vector<Pose>& X_PI, double deepest) {
  // A way shorter than the solver can tell is not remembered by itself, or a slow motion would be lost bit by
  // bit: the next step then solves for all of it, from the same tractions.
  return !(deepest > 0) || Way(state.X_PI, X_PI) >= kLayerLeast * deepest;
}

void LayerField::Advance(const std::vector<Pose>& X_PI, LayerState* state, LayerState* shown) {
  const Cut cut = CutStep(X_PI, state);
  for (int i = 1; i < cut.count; ++i) {
    PartWay(X_PI, 1.0 * i / cut.count);
    Increment(between_, state);
  }
  *shown = *state;
  Increment(X_PI, shown);
  if (Remembers(*state, X_PI, cut.deepest)) *state = *shown;
}

void LayerField::Blend() {
  const std::vector<LayerLevel>& levels = *levels_;
  if (levels.size() == 1) return;
  double sum = 0, weight = 0;
  for (const int k : reachable_) {
    const double w = std::max(0.0, -static_cast<double>(height_[Index(k)]));
    sum += w * (thickness_ + cells().place[Index(k)].height);
    weight += w;
  }
  const double thick = weight > 0 ? sum / weight : thickness_;
  level_ = 0;
  while (level_ + 2 < levels.size() && levels[level_ + 1].thickness() < thick) ++level_;
  const double low = levels[level_].thickness(), high = levels[level_ + 1].thickness();
  share_ = high > low ? static_cast<float>(std::clamp((thick - low) / (high - low), 0.0, 1.0)) : 0.0f;
  const std::size_t size = levels[level_].tables().size();
  blended_.assign(size, 0.0f);
  AddScaled(levels[level_].tables().data(), 1 - share_, static_cast<int>(size), blended_.data());
  AddScaled(levels[level_ + 1].tables().data(), share_, static_cast<int>(size), blended_.data());
}

void LayerField::Images(const LayerSources& t, const std::vector<float>& p) {
  solver_.Tangential(t, &ux_, &uy_);
  solver_.AddOne(&LayerTables::xz, t, p, -1, &ux_);
  solver_.AddOne(&LayerTables::yz, t, p, -1, &uy_);
  solver_.One(&LayerTables::zz, t, p, &sink_);
  lift_.assign(sink_.size(), 0.0f);
  solver_.AddOne(&LayerTables::xz, t, t.a, -1, &lift_);
  solver_.AddOne(&LayerTables::yz, t, t.b, -1, &lift_);
}

void LayerField::Start(const std::vector<Pose>& X, const LayerState& state) {
  const std::vector<int>& cell = solver_.cell();
  const std::size_t n = cell.size();
  old_.Clear();
  old_p_.clear();
  for (std::size_t i = 0; i < state.index.size(); ++i) {
    old_.offset.push_back(solver_.SourceOffset(state.index[i]));
    old_.a.push_back(static_cast<float>(state.traction[i].x));
    old_.b.push_back(static_cast<float>(state.traction[i].y));
    old_p_.push_back(static_cast<float>(-state.traction[i].z));
  }
  Images(old_, old_p_);
  for (LayerSolver::Field* f : {&p_, &tx_, &ty_, &slope_x_, &slope_y_, &overlap_, &residual_, &bound_})
    f->assign(n, 0.0f);
  closed_.assign(n, 1.0f);
  was_open_.assign(n, 1);
  change_.clear();
  inverse_.clear();
  for (std::size_t o = 0; o < X.size(); ++o) {
    inverse_.push_back(Inverse(state.X_PI[o]));
    change_.push_back(X[o] * inverse_[o]);
  }
  std::size_t held = 0, go_on = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int k = cell[i];
    if (k < 0) continue;
    while (held < state.index.size() && state.index[held] < k) ++held;
    const int object = owner_[Index(k)];
    if (held < state.index.size() && state.index[held] == k && state.object[held] == object) {
      was_open_[i] = 0;
      p_[i] = old_p_[held];
      tx_[i] = old_.a[held];
      ty_[i] = old_.b[held];
      ++go_on;
    }
    const LayerPlace& at = cells().place[Index(k)];
    const double height = height_[Index(k)], uz = lift_[i] - sink_[i], level = was_open_[i] ? height : uz;
    const Vec3 moved =
        Carried(change_[Index(object)], at.p + static_cast<double>(ux_[i]) * at.e1 +
                                            static_cast<double>(uy_[i]) * at.e2 + level * at.g);
    slope_x_[i] = -static_cast<float>(dot(moved, at.e1)) - ux_[i];
    slope_y_[i] = -static_cast<float>(dot(moved, at.e2)) - uy_[i];
    const double after = height - uz;
    if (was_open_[i] && after < 0) {
      const double before = HeightOf(object, inverse_[Index(object)], k) - uz;
      closed_[i] = static_cast<float>(ClosedPart(before, after));
    }
  }
  if (go_on < state.index.size()) {  // friction needs pressure: what is not pressed any more is let go
    old_.Clear();
    old_p_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (was_open_[i]) continue;
      old_.offset.push_back(solver_.SourceOffset(cell[i]));
      old_.a.push_back(tx_[i]);
      old_.b.push_back(ty_[i]);
      old_p_.push_back(p_[i]);
    }
    Images(old_, old_p_);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (cell[i] < 0) continue;
    slope_x_[i] += ux_[i];
    slope_y_[i] += uy_[i];
    overlap_[i] = lift_[i] - height_[Index(cell[i])];
    residual_[i] = sink_[i] - overlap_[i];
  }
  spread_p_ = p_;
}

void LayerField::Lift() {
  solver_.Gather(tx_, &ty_, &old_);
  lift_.assign(p_.size(), 0.0f);
  solver_.AddOne(&LayerTables::xz, old_, old_.a, -1, &lift_);
  solver_.AddOne(&LayerTables::yz, old_, old_.b, -1, &lift_);
  const std::vector<int>& cell = solver_.cell();
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] < 0) continue;
    const float now = lift_[i] - height_[Index(cell[i])];
    residual_[i] += overlap_[i] - now;
    overlap_[i] = now;
  }
}

void LayerField::Spread() {
  change_p_.resize(p_.size());
  for (std::size_t i = 0; i < p_.size(); ++i) change_p_[i] = p_[i] - spread_p_[i];
  spread_p_ = p_;
  solver_.Gather(change_p_, nullptr, &old_);
  solver_.AddOne(&LayerTables::xz, old_, old_.a, -1, &slope_x_);
  solver_.AddOne(&LayerTables::yz, old_, old_.a, -1, &slope_y_);
}

void LayerField::SolveFriction(bool fresh_too, double tolerance, int limit, float* way) {
  const auto mu = static_cast<float>(parameters_.friction);
  for (std::size_t i = 0; i < p_.size(); ++i) bound_[i] = fresh_too || !was_open_[i] ? mu * p_[i] : 0.0f;
  solver_.SolveTangential(bound_, tolerance, limit, way, &tx_, &ty_, &slope_x_, &slope_y_);
}

void LayerField::Increment(const std::vector<Pose>& X, LayerState* state) {
  const double deepest = Meet(X);
  if (!(deepest > 0)) {
    state->ClearCells();
    state->X_PI = X;
    return;
  }
  reachable_.clear();
  for (const int k : touched_)
    if (height_[Index(k)] < static_cast<float>(kLayerBulge * deepest)) reachable_.push_back(k);
  Blend();
  solver_.Begin(cells(), reachable_, levels_->size() == 1 ? (*levels_)[0].tables() : blended_);
  Start(X, *state);
  const std::size_t n = solver_.cell().size();
  const bool friction = parameters_.friction > 0;
  float way = 0;  // of the solver of friction
  for (int sweep = 0; sweep < kLayerSweeps; ++sweep) {
    const double slack = SlackOf(sweep, friction, deepest);
    if (sweep > 0) Lift();
    if (solver_.SolveNormal(overlap_, slack, sweep == 0 ? kLayerPressureRounds : kLayerPressureRounds / 2,
                            &p_, &residual_))
      Spread();
    if (!friction) break;
    if (sweep == 0) {
      SolveFriction(false, slack, kLayerFreeRounds, &way);
      // Cells that close only now stick from where the gel was then: with u where it would go without them
      // and c the part of the increment during which they are closed,
      //     u - (u_before + (1 - c) (u - u_before) + c target) = c (u - u_before - target)
      for (std::size_t i = 0; i < n; ++i)
        if (was_open_[i] && p_[i] > 0) slope_x_[i] *= closed_[i], slope_y_[i] *= closed_[i];
    }
    SolveFriction(true, slack, kLayerFrictionRounds, &way);
  }
  state->ClearCells();
  for (std::size_t i = 0; i < n; ++i) {
    const int k = solver_.cell()[i];
    if (k < 0 || !(p_[i] > 0)) continue;
    state->index.push_back(k);
    state->object.push_back(owner_[Index(k)]);
    state->traction.push_back({tx_[i], ty_[i], -p_[i]});
  }
  state->X_PI = X;
}

void LayerField::Step(const std::vector<Pose>& X_PI, const Pose* shift, LayerReading* reading) {
  if (X_PI.size() != objects())
    throw Error("marker field: " + std::to_string(X_PI.size()) + " poses for " + std::to_string(objects()) +
                " objects; give one each");
  for (const Pose& X : X_PI) CheckMarkerPose(X, kField, "X_PI");
  if (shift) CheckMarkerPose(*shift, kField, "shift");
  Advance(X_PI, &state_, &shown_);
  if (shift) {
    passing_ = shown_;
    shifted_ = X_PI;
    for (Pose& X : shifted_) X = *shift * X;
    Advance(shifted_, &passing_, &shown_);
  }
  Read(shown_, reading);
}

}  // namespace taxel
