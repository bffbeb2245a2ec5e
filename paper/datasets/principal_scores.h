// Features as the paper gives them to every method: standardised, then turned to their principal axes, all of them.
//
//   z = (a − mean) / sd          of the n rows that it is made from; sd with divisor n, 1 where a column is constant
//   scores = z V                 V: q × q, eigenvectors of the covariance of z, largest eigenvalue first
//
// An axis may point either way, and the marginal mapping, and with it the CF metric, depends on which: it is the way in
// which the row with the largest |score| has a positive one (the rule of scikit-learn before 1.5, by which the printed
// cells arise). Equal rows have equal scores, to the last bit, so that ties stay ties.
//
// Error when there are no rows or columns, a cell is not finite, or later rows have another number of columns.
#pragma once

#include <Eigen/Core>

namespace plumbline {

class PrincipalScores {
 public:
  explicit PrincipalScores(const Eigen::MatrixXd& rows);

  Eigen::MatrixXd of(const Eigen::MatrixXd& rows) const;
  const Eigen::MatrixXd& axes() const { return axes_; }  // V

 private:
  Eigen::RowVectorXd mean_, scale_;
  Eigen::MatrixXd axes_;
};

}  // namespace plumbline
