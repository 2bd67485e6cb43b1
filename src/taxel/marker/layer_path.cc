#include "taxel/marker/layer_path.h"

#include <algorithm>
#include <string>
#include <utility>

#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/math/pose_twist.h"

namespace taxel::internal {
namespace {

using Eigen::Index;
using Mat = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;

// Dense factors of twice as many rows: half a gigabyte and a minute an increment beyond.
constexpr std::size_t kMostCells = 2000;
enum { kFriction, kYoung, kPoisson, kThickness, kPixel, kDepth };

std::size_t At(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

LayerSeeds LayerSeeds::Zero(Index markers, Index numbers) {
  return {Mat::Zero(markers, numbers), Mat::Zero(markers, numbers), Mat::Zero(3, numbers),
          Mat::Zero(3, numbers)};
}

LayerPath::LayerPath(const LayerField& field, const LayerPath* like) : field_(field) {
  const LayerParameters& p = field.parameters();
  if (!(p.friction > 0))
    throw Error(
        "marker gradient: friction is 0, where what slips has no direction to differentiate; give a small "
        "one (1e-3)");
  stage_ = {&field_.cells(), &field_.levels(), {}, field_.thickness(), p.friction};
  for (std::size_t o = 0; o < field_.objects(); ++o) stage_.objects.push_back(&field_.object(o));
  if (like && like->stage_.levels == stage_.levels)
    slopes_ = like->slopes_;
  else
    slopes_ = std::make_shared<LayerSlopes>(field_.cells(), field_.levels(), p.poisson, p.marker_depth);
  memory_.state = field_.state();
  Add({Moment::Kind::kFixed, memory_.state.X_PI});
}

int LayerPath::Add(Moment moment) {
  moments_.push_back(std::move(moment));
  return static_cast<int>(moments_.size()) - 1;
}

const Pose& LayerPath::pose(std::size_t step, std::size_t object) const {
  return moments_[At(steps_[step].input)].X[object];
}

// Deepest of all cells at the poses of the last Meet.
int LayerPath::Lift(int input, double deepest) {
  Moment out{Moment::Kind::kLifted, field_.start_};
  out.to = input;
  float least = 0;
  for (const int k : field_.touched_)
    if (deepest > 0 && field_.height_[At(k)] < least)
      least = field_.height_[At(k)], out.cell = k, out.object = field_.owner_[At(k)];
  return Add(std::move(out));
}

const LayerReading& LayerPath::Step(const std::vector<Pose>& X_PI) {
  if (X_PI.size() != field_.objects())
    throw Error("marker gradient: " + std::to_string(X_PI.size()) + " poses for " +
                std::to_string(field_.objects()) + " objects; give one each");
  for (const Pose& X : X_PI) CheckMarkerPose(X, "marker gradient", "X_PI");
  const int input = Add({Moment::Kind::kInput, X_PI});
  const bool started = memory_.state.started;
  const LayerField::Cut cut = field_.CutStep(X_PI, &memory_.state);
  int start = memory_.moment;
  if (!started) {
    field_.start_ = X_PI;  // as CutStep had it before it looked for the first touch
    for (Pose& X : field_.start_) X.p.z += cut.deepest;
    field_.Meet(X_PI);
    start = Lift(input, cut.deepest);
  }
  if (cut.touch > 0) {
    Moment first{Moment::Kind::kBetween, memory_.state.X_PI};
    first.from = start, first.to = input, first.at = cut.touch;
    start = Add(std::move(first));
  }
  field_.start_ = moments_[At(start)].X;
  memory_.moment = start;
  for (int i = 1; i < cut.count; ++i) {
    field_.PartWay(X_PI, 1.0 * i / cut.count);
    Moment part{Moment::Kind::kBetween, field_.between_};
    part.from = start, part.to = input, part.at = 1.0 * i / cut.count;
    Increment(Add(std::move(part)), &memory_);
  }
  Memory shown = memory_;
  Increment(input, &shown);
  if (field_.Remembers(memory_.state, X_PI, cut.deepest)) memory_ = shown;
  Read(nodes_[At(shown.node)]);
  steps_.push_back({shown.node, input, reading_.displacement, reading_.force_P, reading_.torque_P});
  return reading_;
}

void LayerPath::Increment(int moment, Memory* memory) {
  CheckInterrupt();
  const std::vector<Pose>& X = moments_[At(moment)].X;
  LayerState& state = memory->state;
  Node node;
  node.parent = memory->node, node.from = memory->moment, node.to = moment;
  node.touches = field_.Meet(X) > 0;
  if (node.touches) {
    LayerState found = state;
    field_.Increment(X, &found);
    const std::vector<int>& reach = field_.reachable_;
    if (reach.size() > kMostCells)
      throw Error("marker gradient: an object is within reach of " + std::to_string(reach.size()) +
                  " cells of the gel; derivatives are solved for up to " + std::to_string(kMostCells) +
                  ", so give a wider pitch");
    std::vector<int> owner;
    LayerThree T0 = LayerThree::Zero(static_cast<Index>(state.index.size()), 1),
               guess = LayerThree::Zero(static_cast<Index>(reach.size()), 1);
    for (std::size_t i = 0; i < state.index.size(); ++i) {
      const auto row = static_cast<Index>(i);
      T0.x(row, 0) = state.traction[i].x, T0.y(row, 0) = state.traction[i].y;
      T0.z(row, 0) = state.traction[i].z;
    }
    std::size_t k = 0;
    for (std::size_t i = 0; i < reach.size(); ++i) {
      owner.push_back(field_.owner_[At(reach[i])]);
      while (k < found.index.size() && found.index[k] < reach[i]) ++k;
      if (k == found.index.size() || found.index[k] != reach[i]) continue;
      const auto row = static_cast<Index>(i);
      guess.x(row, 0) = found.traction[k].x, guess.y(row, 0) = found.traction[k].y;
      guess.z(row, 0) = -found.traction[k].z;
    }
    node.record = SolveRecord(stage_, state.X_PI, X, state.index, state.object, T0, reach, owner, guess);
  }
  const LayerRecord& r = node.record;
  state.ClearCells();
  for (Index i = 0; i < r.size(); ++i) {
    if (!(r.p2[i] > 0)) continue;
    node.kept.push_back(i);
    state.index.push_back(r.cell[At(i)]);
    state.object.push_back(r.owner[At(i)]);
    state.traction.push_back({r.t2x[i], r.t2y[i], -r.p2[i]});
  }
  state.X_PI = X;
  memory->moment = moment;
  nodes_.push_back(std::move(node));
  memory->node = static_cast<int>(nodes_.size()) - 1;
}

void LayerPath::ToMarkers(const Node& node, double low, double high, Mat out[5]) const {
  const std::vector<LayerLevel>& levels = *stage_.levels;
  const auto markers = static_cast<Index>(field_.markers_P().size());
  const Index room = levels[0].marker_room();
  for (int c = 0; c < 5; ++c) out[c].setZero(markers, static_cast<Index>(node.kept.size()));
  for (std::size_t l = 0; l < 2; ++l) {
    const double w = l == 0 ? low : high;
    if (w == 0) continue;
    for (std::size_t i = 0; i < node.kept.size(); ++i) {
      const float* row = levels[node.record.level + l].to_markers(node.record.cell[At(node.kept[i])]);
      for (int c = 0; c < 5; ++c)
        out[c].col(static_cast<Index>(i)) +=
            w * Eigen::Map<const Eigen::VectorXf>(row + c * room, markers).cast<double>();
    }
  }
}

void LayerPath::Read(const Node& node) {
  const LayerRecord& r = node.record;
  const LayerCells& cells = *stage_.cells;
  Mat M[5];
  ToMarkers(node, 1 - r.share, r.share, M);
  const Vec tx = r.t2x(node.kept), ty = r.t2y(node.kept), p = r.p2(node.kept);
  const double per = 1 / field_.parameters().pixel, modulus = field_.Modulus();
  const std::size_t count = cells.marker.size();
  reading_.displacement.assign(count, Vec3{});
  reading_.dilation.assign(count, Vec3{});
  reading_.force_P = reading_.torque_P = {};
  if (node.kept.empty()) return;
  const Vec px = -(M[3] * p), py = -(M[4] * p), ux = M[0] * tx + M[1] * ty, uy = M[1] * tx + M[2] * ty;
  for (std::size_t m = 0; m < count; ++m) {
    const LayerPlace& at = cells.marker[m];
    const auto i = static_cast<Index>(m);
    reading_.dilation[m] = per * (px[i] * at.e1 + py[i] * at.e2);
    reading_.displacement[m] = per * ((px[i] + ux[i]) * at.e1 + (py[i] + uy[i]) * at.e2);
  }
  for (const Index i : node.kept) {
    const int cell = r.cell[At(i)];
    const LayerPlace& at = cells.place[At(cell)];
    const Vec3 force = modulus * cells.area(cell) * (r.t2x[i] * at.e1 + r.t2y[i] * at.e2 - r.p2[i] * at.g);
    reading_.force_P += force;
    reading_.torque_P += cross(at.p + r.height[i] * at.g, force);
  }
}

void LayerPath::ReadBack(const Node& node, const LayerSeeds& seeds, Share* to, Mat* parameters) const {
  const LayerRecord& r = node.record;
  const LayerCells& cells = *stage_.cells;
  const LayerParameters& par = field_.parameters();
  const double per = 1 / par.pixel, modulus = field_.Modulus();
  const Mat x = per * seeds.x, y = per * seeds.y;
  Mat M[5];
  ToMarkers(node, 1 - r.share, r.share, M);
  const Mat by_tx = M[0].transpose() * x + M[1].transpose() * y,
            by_ty = M[1].transpose() * x + M[2].transpose() * y,
            by_tz = M[3].transpose() * x + M[4].transpose() * y;
  for (std::size_t i = 0; i < node.kept.size(); ++i) {
    const auto row = static_cast<Index>(i);
    to->T.x.row(node.kept[i]) += by_tx.row(row);
    to->T.y.row(node.kept[i]) += by_ty.row(row);
    to->T.z.row(node.kept[i]) += by_tz.row(row);
  }
  const Vec tx = r.t2x(node.kept), ty = r.t2y(node.kept), p = r.p2(node.kept);
  if (stage_.levels->size() > 1) {
    ToMarkers(node, -1, 1, M);
    to->share += (M[0] * tx + M[1] * ty - M[3] * p).transpose() * x +
                 (M[1] * tx + M[2] * ty - M[4] * p).transpose() * y;
  }
  for (const LayerBy by : {LayerBy::kPoisson, LayerBy::kThickness, LayerBy::kDepth}) {
    Vec ux = Vec::Zero(x.rows()), uy = ux;
    for (std::size_t l = 0; l < 2; ++l) {
      const double w = l == 0 ? 1 - r.share : r.share;
      if (w == 0) continue;
      for (std::size_t i = 0; i < node.kept.size(); ++i) {
        const auto k = static_cast<Index>(i);
        const Mat& d = slopes_->Markers(by, r.level + l, r.cell[At(node.kept[i])]);
        ux += w * (tx[k] * d.col(0) + ty[k] * d.col(1) - p[k] * d.col(3));
        uy += w * (tx[k] * d.col(1) + ty[k] * d.col(2) - p[k] * d.col(4));
      }
    }
    const int row = by == LayerBy::kPoisson ? kPoisson : (by == LayerBy::kThickness ? kThickness : kDepth);
    parameters->row(row) += ux.transpose() * x + uy.transpose() * y;
  }
  for (Index k = 0; k < x.cols(); ++k) {
    const Vec3 f{seeds.force(0, k), seeds.force(1, k), seeds.force(2, k)},
        t{seeds.torque(0, k), seeds.torque(1, k), seeds.torque(2, k)};
    double work = 0;
    for (const Index i : node.kept) {
      const int cell = r.cell[At(i)];
      const LayerPlace& at = cells.place[At(cell)];
      const double scale = modulus * cells.area(cell);
      const Vec3 touch = at.p + r.height[i] * at.g, by = scale * (f + cross(t, touch)),
                 traction = r.t2x[i] * at.e1 + r.t2y[i] * at.e2 - r.p2[i] * at.g;
      to->T.x(i, k) += dot(by, at.e1);
      to->T.y(i, k) += dot(by, at.e2);
      to->T.z(i, k) += dot(by, at.g);
      to->height(i, k) += scale * dot(cross(traction, t), at.g);
      work += dot(by, traction);
    }
    (*parameters)(kYoung, k) += work / par.young;
    (*parameters)(kPoisson, k) -= work / (1 + par.poisson);
  }
}

void LayerPath::MomentBack(const Moment& moment, const std::vector<Mat>& by,
                           std::vector<std::vector<Mat>>* all, Mat* parameters) const {
  const auto turned = [](const Mat3& R, const Mat& from, Mat* to) {  // R^T
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) to->row(3 + i) += R(j, i) * from.row(3 + j);
  };
  if (moment.kind == Moment::Kind::kBetween) {
    std::vector<Mat>&from = (*all)[At(moment.from)], &to = (*all)[At(moment.to)];
    for (std::size_t o = 0; o < by.size(); ++o) {
      const BetweenTurns d =
          TurnsBetween(moments_[At(moment.from)].X[o], moments_[At(moment.to)].X[o], moment.at);
      from[o].topRows(3) += (1 - moment.at) * by[o].topRows(3);
      to[o].topRows(3) += moment.at * by[o].topRows(3);
      turned(d.from, by[o], &from[o]);
      turned(d.to, by[o], &to[o]);
    }
  } else if (moment.kind == Moment::Kind::kLifted) {
    std::vector<Mat>& to = (*all)[At(moment.to)];
    Mat up = Mat::Zero(1, by[0].cols());
    for (std::size_t o = 0; o < by.size(); ++o) {
      to[o] += by[o];
      up += by[o].row(2);
    }
    if (moment.cell < 0) return;
    const Pose& X = moments_[At(moment.to)].X[At(moment.object)];
    const LayerTouch touch = TouchCell(stage_, moment.object, X, moment.cell);
    if (!touch.met) return;
    if (touch.deepest) {
      parameters->row(kThickness) += kLayerDeepest * up;
      return;
    }
    const Vec3 slope = (1 / dot(touch.normal, stage_.cells->place[At(moment.cell)].g)) * touch.normal,
               turn = cross(touch.place - X.p, slope);
    for (int c = 0; c < 3; ++c) {
      to[At(moment.object)].row(c) -= slope[c] * up;
      to[At(moment.object)].row(3 + c) -= turn[c] * up;
    }
  }
}

LayerSweep LayerPath::Back(const std::vector<const LayerSeeds*>& seeds, Index numbers) const {
  LayerSweep out;
  out.parameters = Mat::Zero(6, numbers);
  const std::vector<Mat> none(field_.objects(), Mat::Zero(6, numbers));
  std::vector<std::vector<Mat>> moments(moments_.size(), none);
  std::vector<Share> shares(nodes_.size());
  const auto share_of = [&](int node) -> Share& {
    Share& s = shares[At(node)];
    const Index n = nodes_[At(node)].record.size();
    if (s.T.x.rows() != n || s.share.rows() == 0)
      s = {LayerThree::Zero(n, numbers), Mat::Zero(1, numbers), Mat::Zero(n, numbers)};
    return s;
  };
  std::vector<const LayerSeeds*> of_node(nodes_.size(), nullptr);
  std::vector<std::size_t> step_of(nodes_.size(), 0);
  for (std::size_t t = 0; t < steps_.size(); ++t)
    of_node[At(steps_[t].node)] = seeds[t], step_of[At(steps_[t].node)] = t;
  for (auto n = static_cast<int>(nodes_.size()) - 1; n >= 0; --n) {
    const Node& node = nodes_[At(n)];
    const LayerSeeds* own = of_node[At(n)];
    if (!node.touches || node.kept.empty()) continue;
    CheckInterrupt();
    if (own) {
      ReadBack(node, *own, &share_of(n), &out.parameters);
      const StepRecord& step = steps_[step_of[At(n)]];
      const LayerCells& cells = *stage_.cells;
      Vec ux(own->x.rows()), uy(own->x.rows());
      for (Index m = 0; m < ux.size(); ++m) {
        ux[m] = dot(step.displacement[At(m)], cells.marker[At(m)].e1);
        uy[m] = dot(step.displacement[At(m)], cells.marker[At(m)].e2);
      }
      out.parameters.row(kPixel) -=
          (ux.transpose() * own->x + uy.transpose() * own->y) / field_.parameters().pixel;
    }
    if (shares[At(n)].share.rows() == 0) continue;  // nobody asks
    Share& by = shares[At(n)];
    const LayerBackward back = RecordAdjoint(stage_, node.record, slopes_.get(), by.T, by.share, by.height);
    by = {};
    out.parameters.row(kFriction) += back.friction;
    out.parameters.row(kPoisson) += back.poisson;
    out.parameters.row(kThickness) += back.thickness;
    for (std::size_t o = 0; o < field_.objects(); ++o) {
      moments[At(node.from)][o] += back.from[o];
      moments[At(node.to)][o] += back.to[o];
    }
    if (node.parent < 0 || nodes_[At(node.parent)].kept.empty()) continue;
    Share& before = share_of(node.parent);
    const std::vector<Index>& kept = nodes_[At(node.parent)].kept;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto row = static_cast<Index>(i);
      before.T.x.row(kept[i]) += back.T0.x.row(row);
      before.T.y.row(kept[i]) += back.T0.y.row(row);
      before.T.z.row(kept[i]) += back.T0.z.row(row);
    }
  }
  for (std::size_t m = moments_.size(); m-- > 0;)
    MomentBack(moments_[m], moments[m], &moments, &out.parameters);
  for (const StepRecord& step : steps_) out.poses.push_back(moments[At(step.input)]);
  return out;
}

}  // namespace taxel::internal
