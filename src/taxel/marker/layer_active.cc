#include "taxel/marker/layer_active.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

using Eigen::Index;
using Mat = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;

constexpr double kRim = 1e-12;       // relative: so near its bound a traction is on it
constexpr double kResidual = 1e-12;  // of the largest b: solved
constexpr double kNear = 0.9;        // of the bound: from there on a cell may be taken to slip
constexpr double kEnough = 0.01;     // of the gain that a step promises
constexpr int kMostSteps = 200, kGradients = 12, kHalvings = 6;

// Neither has been seen to happen: both programs are convex, and what is left is rounding.
[[noreturn]] void Unsettled(const std::string& what, Index cells) {
  throw Error("marker gradient: " + what + " of " + std::to_string(cells) +
              " cells do not settle; move the pose by a micrometre, or give another pitch");
}

std::vector<Index> Positive(const Vec& p) {
  std::vector<Index> out;
  for (Index i = 0; i < p.size(); ++i)
    if (p[i] > 0) out.push_back(i);
  return out;
}

}  // namespace

void SolveActiveNormal(const Mat& A, const Vec& h, Vec* p) {
  const Index n = h.size();
  std::vector<unsigned char> active(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) active[static_cast<std::size_t>(i)] = (*p)[i] > 0;
  const double slack = 1e-14 * (n > 0 ? h.cwiseAbs().maxCoeff() : 0);
  Index least = n + 1;
  int tries = 10;
  for (int round = 0; round < 50 * kMostSteps; ++round) {
    std::vector<Index> on;
    for (Index i = 0; i < n; ++i)
      if (active[static_cast<std::size_t>(i)]) on.push_back(i);
    p->setZero();
    if (!on.empty()) {
      const Vec right = h(on), found = Mat(A(on, on)).llt().solve(right);
      (*p)(on) = found;
    }
    const Vec gap = A * *p - h;
    std::vector<Index> wrong;
    for (Index i = 0; i < n; ++i)
      if (active[static_cast<std::size_t>(i)] ? !((*p)[i] > 0) : gap[i] < -slack) wrong.push_back(i);
    if (wrong.empty()) return;
    const auto count = static_cast<Index>(wrong.size());
    if (count < least) {
      least = count;
      tries = 10;
    } else if (--tries < 0) {
      wrong = {wrong.back()};
    }
    for (const Index i : wrong) active[static_cast<std::size_t>(i)] ^= 1;
  }
  Unsettled("pressures", n);
}

Mat ActiveNormalAdjoint(const Mat& A, const Vec& p, const Mat& by_p) {
  const std::vector<Index> on = Positive(p);
  Mat out = Mat::Zero(by_p.rows(), by_p.cols());
  if (on.empty()) return out;
  const Mat right = by_p(on, Eigen::all), found = Mat(A(on, on)).llt().solve(right);
  out(on, Eigen::all) = found;
  return out;
}

ActiveFriction::ActiveFriction(const LayerDense& A, const Vec& bound)
    : all_(bound.size()), cell_(Positive(bound)) {
  A_.resize(2 * n(), 2 * n());
  A_.topLeftCorner(n(), n()) = A.xx(cell_, cell_);
  A_.topRightCorner(n(), n()) = A.xy(cell_, cell_);
  A_.bottomLeftCorner(n(), n()) = A_.topRightCorner(n(), n()).transpose();
  A_.bottomRightCorner(n(), n()) = A.yy(cell_, cell_);
  bound_ = bound(cell_);
}

Vec ActiveFriction::Pack(const Vec& x, const Vec& y) const {
  Vec out(2 * n());
  out << x(cell_), y(cell_);
  return out;
}

double ActiveFriction::Energy(const Vec& t, const Vec& b, Vec* image) const {
  *image = A_ * t;
  return t.dot(0.5 * *image - b);
}

void ActiveFriction::Cut(Vec* t) const {
  for (Index i = 0; i < n(); ++i) CutToDisc(bound_[i], &(*t)[i], &(*t)[n() + i]);
}

void ActiveFriction::Classify(const Vec& t, const Vec& r) {
  slips_.assign(cell_.size(), 0);
  first_.resize(cell_.size());
  across_x_ = across_y_ = lambda_ = Vec::Zero(n());
  directions_ = 0;
  inside_ = false;
  for (Index i = 0; i < n(); ++i) {
    const double x = t[i], y = t[n() + i], size = std::hypot(x, y), outward = r[i] * x + r[n() + i] * y;
    const auto k = static_cast<std::size_t>(i);
    first_[k] = directions_;
    // A little inside and pushed out: its next place is on the rim.
    const double px = x + r[i] / A_(i, i), py = y + r[n() + i] / A_(n() + i, n() + i);
    if (outward > 0 && size >= kNear * bound_[i] && std::hypot(px, py) > bound_[i]) {
      inside_ = inside_ || size < bound_[i] * (1 - kRim);
      slips_[k] = 1;
      across_x_[i] = -y / size;
      across_y_[i] = x / size;
      lambda_[i] = outward / (size * size);
      directions_ += 1;
    } else {
      directions_ += 2;
    }
  }
}

Mat ActiveFriction::Reduced() const {
  // Rows first, then columns: S^T A S with one or two directions a cell.
  Mat half(directions_, 2 * n()), out(directions_, directions_);
  for (Index i = 0; i < n(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (slips_[k]) {
      half.row(first_[k]) = across_x_[i] * A_.row(i) + across_y_[i] * A_.row(n() + i);
    } else {
      half.row(first_[k]) = A_.row(i);
      half.row(first_[k] + 1) = A_.row(n() + i);
    }
  }
  for (Index i = 0; i < n(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (slips_[k]) {
      out.col(first_[k]) = across_x_[i] * half.col(i) + across_y_[i] * half.col(n() + i);
      out(first_[k], first_[k]) += lambda_[i];
    } else {
      out.col(first_[k]) = half.col(i);
      out.col(first_[k] + 1) = half.col(n() + i);
    }
  }
  return out;
}

void ActiveFriction::Descend(const Vec& b, int rounds, Vec* t) const {
  Vec slope = A_ * *t - b;
  double step = 1 / A_.diagonal().maxCoeff();
  for (int round = 0; round < rounds; ++round) {
    Vec next = *t - step * slope;
    Cut(&next);
    const Vec way = next - *t, image = A_ * way;
    const double curvature = way.dot(image);
    if (!(curvature > 0)) break;
    const double length = std::min(1.0, -slope.dot(way) / curvature);
    if (!(length > 0)) break;  // no way down that rounding leaves
    *t += length * way;
    slope += length * image;
    step = way.squaredNorm() / curvature;
  }
  Cut(t);
}

int ActiveFriction::Solve(const Vec& bx, const Vec& by, Vec* tx, Vec* ty) {
  const Vec b = Pack(bx, by);
  Vec t = Pack(*tx, *ty), image;
  tx->setZero(all_);
  ty->setZero(all_);
  if (n() == 0) return 0;
  Cut(&t);
  Descend(b, kGradients, &t);  // finds the rim
  double energy = Energy(t, b, &image);
  const double solved = kResidual * b.cwiseAbs().maxCoeff();
  int count = 0;
  bool settled = false;
  for (int round = 0; round < kMostSteps; ++round) {
    const Vec r = b - image;
    Classify(t, r);
    Vec rest(directions_);
    for (Index i = 0; i < n(); ++i) {
      const Index at = first_[static_cast<std::size_t>(i)];
      if (slips_[static_cast<std::size_t>(i)])
        rest[at] = across_x_[i] * r[i] + across_y_[i] * r[n() + i];
      else
        rest[at] = r[i], rest[at + 1] = r[n() + i];
    }
    settled = !inside_ && !(rest.cwiseAbs().maxCoeff() > solved);
    if (settled) break;
    const Vec y = Reduced().llt().solve(rest);
    // What the step would gain if no cell met its rim; below rounding there is nothing to compare.
    const double gain = 0.5 * rest.dot(y), rounding = 1e-14 * std::fabs(energy);
    ++count;
    bool better = false;
    for (int halving = 0; halving < kHalvings && !better; ++halving) {
      const double part = std::ldexp(1.0, -halving);
      Vec next = t;
      for (Index i = 0; i < n(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (!slips_[k]) {
          next[i] += part * y[first_[k]];
          next[n() + i] += part * y[first_[k] + 1];
          continue;
        }
        // Along the rim, not off it.
        const double u = t[i] + part * y[first_[k]] * across_x_[i],
                     v = t[n() + i] + part * y[first_[k]] * across_y_[i],
                     scale = bound_[i] / std::hypot(u, v);
        next[i] = scale * u;
        next[n() + i] = scale * v;
      }
      Cut(&next);
      Vec moved;
      const double value = Energy(next, b, &moved);
      if (value <= energy - kEnough * part * gain + rounding) {
        better = true;
        t = next;
        image = moved;
        energy = value;
      }
    }
    if (!better) {
      Descend(b, kGradients, &t);
      energy = Energy(t, b, &image);
    }
  }
  if (!settled) Unsettled("tractions", n());
  (*tx)(cell_) = t.head(n());
  (*ty)(cell_) = t.tail(n());
  return count;
}

void ActiveFriction::Adjoint(const Vec& bx, const Vec& by, const Vec& tx, const Vec& ty, const Mat& by_tx,
                             const Mat& by_ty, Mat* by_bx, Mat* by_by, Mat* by_bound) const {
  *by_bx = *by_by = *by_bound = Mat::Zero(all_, by_tx.cols());
  if (n() == 0) return;
  ActiveFriction own = *this;
  const Vec t = Pack(tx, ty);
  own.Classify(t, Pack(bx, by) - A_ * t);
  Mat across(own.directions_, by_tx.cols());
  for (Index i = 0; i < n(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Index at = own.first_[k];
    if (own.slips_[k]) {
      across.row(at) = own.across_x_[i] * by_tx.row(cell_[k]) + own.across_y_[i] * by_ty.row(cell_[k]);
    } else {
      across.row(at) = by_tx.row(cell_[k]);
      across.row(at + 1) = by_ty.row(cell_[k]);
    }
  }
  const Mat y = own.Reduced().llt().solve(across);
  Mat w(2 * n(), by_tx.cols());
  for (Index i = 0; i < n(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Index at = own.first_[k];
    if (own.slips_[k]) {
      w.row(i) = own.across_x_[i] * y.row(at);
      w.row(n() + i) = own.across_y_[i] * y.row(at);
    } else {
      w.row(i) = y.row(at);
      w.row(n() + i) = y.row(at + 1);
    }
  }
  const Mat image = A_ * w;
  for (Index i = 0; i < n(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    by_bx->row(cell_[k]) = w.row(i);
    by_by->row(cell_[k]) = w.row(n() + i);
    // Along t, which is across turned back: the bound carries the traction with it.
    if (own.slips_[k])
      by_bound->row(cell_[k]) = own.across_y_[i] * (by_tx.row(cell_[k]) - image.row(i)) -
                                own.across_x_[i] * (by_ty.row(cell_[k]) - image.row(n() + i));
  }
}

}  // namespace taxel::internal
