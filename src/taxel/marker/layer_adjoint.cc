#include "taxel/marker/layer_adjoint.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "taxel/marker/layer_active.h"

namespace taxel::internal {
namespace {

using Eigen::Index;
using Mat = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;

std::size_t At(Index i) { return static_cast<std::size_t>(i); }

Vec3 Row(const Mat& x, const Mat& y, Index i, Index k, const LayerPlace& at) {
  return x(i, k) * at.e1 + y(i, k) * at.e2;
}

void AddTwist(const Vec3& shift, const Vec3& turn, Index k, Mat* out) {
  for (int c = 0; c < 3; ++c) {
    (*out)(c, k) += shift[c];
    (*out)(3 + c, k) += turn[c];
  }
}

class Adjoint {
 public:
  Adjoint(const LayerStage& stage, const LayerRecord& r, LayerSlopes* slopes, Index cases)
      : stage_(stage),
        r_(r),
        slopes_(slopes),
        cases_(cases),
        A_(LayerDense::OfLevels(*stage.cells, *stage.levels, r.level, r.share, r.cell, r.cell)) {
    const Mat none = Mat::Zero(r.size(), cases), row = Mat::Zero(1, cases);
    height_ = before_ = closed_ = p1_ = none;
    u0_ = LayerThree::Zero(r.size(), cases);
    target_x_ = target_y_ = none;
    out_.friction = out_.poisson = out_.thickness = share_ = row;
    out_.from.assign(r.from.size(), Mat::Zero(6, cases));
    out_.to = out_.from;
    out_.T0 = LayerThree::Zero(static_cast<Index>(r.held.size()), cases);
    by_poisson_ = slopes->Cells(LayerBy::kPoisson, r.level, r.share, r.cell, r.cell);
    by_thickness_ = slopes->Cells(LayerBy::kThickness, r.level, r.share, r.cell, r.cell);
    if (blended()) by_share_ = LayerDense::OfShare(*stage.cells, *stage.levels, r.level, r.cell, r.cell);
  }

  LayerBackward Run(const LayerThree& by_T, const Mat& by_share, const Mat& by_height) {
    share_ += by_share;
    height_ += by_height;
    Mat anchor_x = Mat::Zero(r_.size(), cases_), anchor_y = anchor_x, p2 = -by_T.z;
    // Last friction, last pressure, first friction.
    Friction(r_.p2, r_.t2x, r_.t2y, by_T.x, by_T.y, true, &anchor_x, &anchor_y, &p2);
    Mat t1x, t1y;
    Pressure(r_.p2, r_.t1x, r_.t1y, p2, &t1x, &t1y);
    Friction(r_.p1, r_.t1x, r_.t1y, t1x, t1y, true, &anchor_x, &anchor_y, &p1_);
    Anchors(anchor_x, anchor_y);
    Vec startx = Vec::Zero(r_.size()), starty = startx;
    for (Index i = 0; i < r_.size(); ++i) {
      if (r_.open(At(i))) continue;
      startx[i] = r_.T0.x(r_.before[At(i)], 0), starty[i] = r_.T0.y(r_.before[At(i)], 0);
    }
    Mat start_x, start_y;
    Pressure(r_.p1, startx, starty, p1_, &start_x, &start_y);
    for (Index i = 0; i < r_.size(); ++i) {
      if (r_.open(At(i))) continue;
      out_.T0.x.row(r_.before[At(i)]) += start_x.row(i);
      out_.T0.y.row(r_.before[At(i)]) += start_y.row(i);
    }
    Closing();
    Targets();
    Before();
    Share();
    Heights();
    return std::move(out_);
  }

 private:
  bool blended() const { return stage_.levels->size() > 1; }

  // by . (dA t) for every number the tables depend on; what: u of t by one of the three tables.
  template <typename What>
  void Tables(const Mat& by, const What& what) {
    out_.poisson += what(by_poisson_).transpose() * by;
    out_.thickness += what(by_thickness_).transpose() * by;
    if (blended()) share_ += what(by_share_).transpose() * by;
  }
  void TangentialTables(const Mat& by_x, const Mat& by_y, const Vec& tx, const Vec& ty) {
    Tables(by_x, [&](const LayerDense& d) -> Vec { return d.xx * tx + d.xy * ty; });
    Tables(by_y, [&](const LayerDense& d) -> Vec { return d.xy * tx + d.yy * ty; });
  }
  void SpreadTables(const Mat& by_x, const Mat& by_y, const Vec& p) {
    Tables(by_x, [&](const LayerDense& d) -> Vec { return -(d.xz * p); });
    Tables(by_y, [&](const LayerDense& d) -> Vec { return -(d.yz * p); });
  }

  // What friction was pulled to: u0 or the anchor, plus the way.
  void Pull(bool all, Vec* x, Vec* y) const {
    *x = r_.u0x + r_.target_x, *y = r_.u0y + r_.target_y;
    if (!all) return;
    for (Index i = 0; i < r_.size(); ++i) {
      if (!r_.anchored[At(i)]) continue;
      (*x)[i] = r_.anchor_x[i] + r_.closed[i] * r_.target_x[i];
      (*y)[i] = r_.anchor_y[i] + r_.closed[i] * r_.target_y[i];
    }
  }

  // t to the pull less the spread of p, with the bounds mu p. Adds to what pulls and to p.
  void Friction(const Vec& p, const Vec& tx, const Vec& ty, const Mat& by_tx, const Mat& by_ty, bool all,
                Mat* pull_x, Mat* pull_y, Mat* by_p) {
    Vec bx, by;
    Mat sx, sy;
    Pull(all, &bx, &by);
    A_.Spread(p, &sx, &sy);
    Mat wx, wy, bound;
    ActiveFriction(A_, BoundOf(r_, stage_.friction, p, all))
        .Adjoint(bx - sx, by - sy, tx, ty, by_tx, by_ty, &wx, &wy, &bound);
    TangentialTables(-wx, -wy, tx, ty);
    SpreadTables(-wx, -wy, p);
    out_.friction += p.transpose() * bound;
    *by_p += stage_.friction * bound + A_.Lift(wx, wy);
    *pull_x += wx;
    *pull_y += wy;
  }

  // zz p = lift of t - height.
  void Pressure(const Vec& p, const Vec& tx, const Vec& ty, const Mat& by_p, Mat* by_tx, Mat* by_ty) {
    const Mat z = ActiveNormalAdjoint(A_.zz, p, by_p);
    Tables(z, [&](const LayerDense& d) -> Vec { return -(d.xz * tx) - d.yz * ty - d.zz * p; });
    A_.Spread(-z, by_tx, by_ty);
    height_ -= z;
  }

  void Anchors(const Mat& anchor_x, const Mat& anchor_y) {
    Mat free_x = Mat::Zero(r_.size(), cases_), free_y = free_x;
    Mat ux, uy, sx, sy;
    bool any = false;
    A_.Tangential(r_.free_x, r_.free_y, &ux, &uy);
    A_.Spread(r_.p1, &sx, &sy);
    for (Index i = 0; i < r_.size(); ++i) {
      if (!r_.anchored[At(i)]) {
        u0_.x.row(i) += anchor_x.row(i), u0_.y.row(i) += anchor_y.row(i);
        target_x_.row(i) += anchor_x.row(i), target_y_.row(i) += anchor_y.row(i);
        continue;
      }
      any = true;
      const double c = r_.closed[i], x = r_.target_x[i] - (ux(i) + sx(i) - r_.u0x[i]),
                   y = r_.target_y[i] - (uy(i) + sy(i) - r_.u0y[i]);
      closed_.row(i) += x * anchor_x.row(i) + y * anchor_y.row(i);
      u0_.x.row(i) += c * anchor_x.row(i), u0_.y.row(i) += c * anchor_y.row(i);
      target_x_.row(i) += c * anchor_x.row(i), target_y_.row(i) += c * anchor_y.row(i);
      free_x.row(i) = (1 - c) * anchor_x.row(i), free_y.row(i) = (1 - c) * anchor_y.row(i);
    }
    if (!any) return;
    TangentialTables(free_x, free_y, r_.free_x, r_.free_y);
    SpreadTables(free_x, free_y, r_.p1);
    p1_ -= A_.Lift(free_x, free_y);
    Mat tx, ty, pull_x = Mat::Zero(r_.size(), cases_), pull_y = pull_x;
    A_.Tangential(free_x, free_y, &tx, &ty);
    Friction(r_.p1, r_.free_x, r_.free_y, tx, ty, false, &pull_x, &pull_y, &p1_);
    u0_.x += pull_x, u0_.y += pull_y;
    target_x_ += pull_x, target_y_ += pull_y;
  }

  // closed = -after / (before - after)
  void Closing() {
    for (Index i = 0; i < r_.size(); ++i) {
      if (!r_.anchored[At(i)] || !(r_.closed[i] < 1) || !r_.touch_before[At(i)].met) continue;
      const double after = r_.height[i] - r_.u0z[i], before = r_.touch_before[At(i)].height - r_.u0z[i],
                   over = 1 / ((before - after) * (before - after));
      height_.row(i) -= before * over * closed_.row(i);
      before_.row(i) += after * over * closed_.row(i);
      u0_.z.row(i) += (before - after) * over * closed_.row(i);
    }
  }

  void Targets() {
    for (Index i = 0; i < r_.size(); ++i) {
      const auto o = static_cast<std::size_t>(r_.owner[At(i)]);
      const LayerPlace& at = stage_.cells->place[At(r_.cell[At(i)])];
      const bool open = r_.open(At(i));
      const Vec3 q = at.p + r_.u0x[i] * at.e1 + r_.u0y[i] * at.e2 + (open ? r_.height[i] : r_.u0z[i]) * at.g;
      const Mat3 turn = r_.to[o].R * Transpose(r_.from[o].R);
      const Vec3 arm = r_.to[o] * (Inverse(r_.from[o]) * q) - r_.to[o].p, arm_before = q - r_.from[o].p;
      for (Index k = 0; k < cases_; ++k) {
        const Vec3 by = Row(target_x_, target_y_, i, k, at), back = TransposeMul(turn, by);
        AddTwist(by, cross(arm, by), k, &out_.to[o]);
        AddTwist(-back, -cross(arm_before, back), k, &out_.from[o]);
        const Vec3 by_q = back - by;
        u0_.x(i, k) += dot(by_q, at.e1);
        u0_.y(i, k) += dot(by_q, at.e2);
        (open ? height_ : u0_.z)(i, k) += dot(by_q, at.g);
      }
    }
  }

  void Before() {
    if (r_.held.empty()) return;
    const auto dense = [&](const LayerDense& d) { return d.Apply(r_.T0); };
    const auto add = [&](const LayerDense& d, Mat* to) {
      const LayerThree u = dense(d);
      *to += u.x.transpose() * u0_.x + u.y.transpose() * u0_.y + u.z.transpose() * u0_.z;
    };
    const LayerThree back =
        LayerDense::OfLevels(*stage_.cells, *stage_.levels, r_.level, r_.share, r_.cell, r_.held)
            .Transposed(u0_);
    out_.T0.x += back.x, out_.T0.y += back.y, out_.T0.z += back.z;
    add(slopes_->Cells(LayerBy::kPoisson, r_.level, r_.share, r_.cell, r_.held), &out_.poisson);
    add(slopes_->Cells(LayerBy::kThickness, r_.level, r_.share, r_.cell, r_.held), &out_.thickness);
    if (blended())
      add(LayerDense::OfShare(*stage_.cells, *stage_.levels, r_.level, r_.cell, r_.held), &share_);
  }

  // The thickness of the gel where it is touched; both ends of a level move with that of the gel.
  void Share() {
    if (!blended() || !(r_.share > 0 && r_.share < 1)) return;
    const double low = (*stage_.levels)[r_.level].thickness(),
                 high = (*stage_.levels)[r_.level + 1].thickness(), thick = low + r_.share * (high - low);
    double weight = 0;
    for (Index i = 0; i < r_.size(); ++i) weight += std::max(0.0, -r_.height[i]);
    for (Index i = 0; i < r_.size(); ++i) {
      if (!(r_.height[i] < 0)) continue;
      const double own = stage_.thickness + stage_.cells->place[At(r_.cell[At(i)])].height;
      height_.row(i) -= (own - thick) / (weight * (high - low)) * share_;
    }
  }

  void Heights() {
    const auto add = [&](const Mat& by, Index i, const LayerTouch& touch, const std::vector<Pose>& X,
                         std::vector<Mat>* to) {
      if (!touch.met) return;
      if (touch.deepest) {
        out_.thickness -= kLayerDeepest * by.row(i);
        return;
      }
      const auto o = static_cast<std::size_t>(r_.owner[At(i)]);
      const Vec3& g = stage_.cells->place[At(r_.cell[At(i)])].g;
      const Vec3 slope = (1 / dot(touch.normal, g)) * touch.normal, turn = cross(touch.place - X[o].p, slope);
      for (Index k = 0; k < cases_; ++k) AddTwist(by(i, k) * slope, by(i, k) * turn, k, &(*to)[o]);
    };
    for (Index i = 0; i < r_.size(); ++i) {
      add(height_, i, r_.touch[At(i)], r_.to, &out_.to);
      if (r_.anchored[At(i)]) add(before_, i, r_.touch_before[At(i)], r_.from, &out_.from);
    }
  }

  const LayerStage& stage_;
  const LayerRecord& r_;
  LayerSlopes* slopes_;
  Index cases_;
  LayerDense A_, by_poisson_, by_thickness_, by_share_;
  LayerBackward out_;
  // By what is between; a row a cell.
  Mat height_, before_, closed_, p1_, share_, target_x_, target_y_;
  LayerThree u0_;
};

}  // namespace

LayerBackward RecordAdjoint(const LayerStage& stage, const LayerRecord& record, LayerSlopes* slopes,
                            const LayerThree& by_T, const Mat& by_share, const Mat& by_height) {
  return Adjoint(stage, record, slopes, by_T.x.cols()).Run(by_T, by_share, by_height);
}

}  // namespace taxel::internal
