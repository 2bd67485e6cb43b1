// The two programs of LayerSolver solved to the last digit by their active sets, and the derivatives of what
// they give.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "taxel/marker/layer_dense.h"

namespace taxel::internal {

/// p >= 0, A p >= h, A p = h where p > 0, by block principal pivoting (Judice and Pires 1994), which ends for
/// every symmetric positive definite A: where exchanging all that is wrong does not help, Murty's rule
/// exchanges one. p: a start, only its signs count. Throws Error where rounding lets no set settle.
void SolveActiveNormal(const Eigen::MatrixXd& A, const Eigen::VectorXd& h, Eigen::VectorXd* p);

/// Where p > 0 stays: A p' = h' there. From derivatives by p to those by h, which are also minus those by
/// A p. Columns are cases.
Eigen::MatrixXd ActiveNormalAdjoint(const Eigen::MatrixXd& A, const Eigen::VectorXd& p,
                                    const Eigen::MatrixXd& by_p);

/// |t| <= bound; slip b - A t: none inside, along t on the rim; t = 0 where bound = 0.
///
/// Newton's method on the stuck cells (both directions) and the slipping ones (the direction d' across t,
/// along which the rim can be followed): with S these directions and lambda = slip / bound
///     (S^T A S + lambda) y = S^T (b - A t)
/// is symmetric positive definite. A step is kept if the convex energy falls, halved if not; where no part of
/// it helps, projected gradients go on.
class ActiveFriction {
 public:
  ActiveFriction(const LayerDense& A, const Eigen::VectorXd& bound);

  /// t: a start, then the solution. Returns the number of factorisations. Throws Error where rounding lets
  /// none settle.
  int Solve(const Eigen::VectorXd& bx, const Eigen::VectorXd& by, Eigen::VectorXd* tx, Eigen::VectorXd* ty);

  /// Of a solution t to b, from derivatives by t to those by b (which are also minus those by A t) and by the
  /// bound. Cells stay stuck or slipping as they are. A cell that slips without end of its bound
  /// (bound = 0) has no part in it.
  void Adjoint(const Eigen::VectorXd& bx, const Eigen::VectorXd& by, const Eigen::VectorXd& tx,
               const Eigen::VectorXd& ty, const Eigen::MatrixXd& by_tx, const Eigen::MatrixXd& by_ty,
               Eigen::MatrixXd* by_bx, Eigen::MatrixXd* by_by, Eigen::MatrixXd* by_bound) const;

 private:
  using Vec = Eigen::VectorXd;
  Eigen::Index n() const { return static_cast<Eigen::Index>(cell_.size()); }
  Vec Pack(const Vec& x, const Vec& y) const;
  double Energy(const Vec& t, const Vec& b, Vec* image) const;
  void Cut(Vec* t) const;
  // Which cells slip, and lambda of those; r = b - A t.
  void Classify(const Vec& t, const Vec& r);
  Eigen::MatrixXd Reduced() const;
  void Descend(const Vec& b, int rounds, Vec* t) const;

  Eigen::Index all_;
  std::vector<Eigen::Index> cell_;  // with a bound above 0
  Eigen::MatrixXd A_;               // of these: x, then y
  Vec bound_;
  // Of the last Classify: across the slip; columns of S are both axes of a stuck cell or this one.
  std::vector<unsigned char> slips_;
  Vec across_x_, across_y_, lambda_;
  std::vector<Eigen::Index> first_;  // column of each cell's first direction
  Eigen::Index directions_ = 0;
  bool inside_ = false;  // one that slips is not on its rim yet
};

}  // namespace taxel::internal
