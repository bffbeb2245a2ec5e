// What a person's features would be in another group, by two maps learned from a training part of n rows, n_g of them
// of group g.
//
//   none         a
//   orthogonal   a + (mean(A | g) − mean(A | s))
//   marginal     feature by feature, with k = how many training values of group s are ≤ a:
//                the value at position ⌊(n_g − 1) k / n_s⌋, from 0, of the sorted training values of group g
//
// and their average over the groups, Σ_g P(g) to(g), with P(g) = n_g / n. Positions are computed in integers. In its
// own group any row keeps its bits under the orthogonal map, and a training row under the marginal one: the marginal
// map feels whether values tie, so that it matters. Of a tie all rows go where its upper end does, so a feature with
// few values does not get the distribution of the other group.
//
// O(n log n) a feature to learn, O(m (log n + levels)) to map m rows to every group. Error when shapes disagree or a
// group is not from 0 to levels − 1, and for the two maps when rows are of a group, or to be mapped to one, of which
// there was no training row.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace plumbline {

enum class Mapping { none, orthogonal, marginal };

class GroupMapping {
 public:
  GroupMapping(const Eigen::MatrixXd& a, const Eigen::VectorXi& s, int levels);

  int levels() const { return static_cast<int>(shares_.size()); }
  const Eigen::VectorXd& shares() const { return shares_; }      // P(g)
  const Eigen::MatrixXd& means() const { return means_; }        // levels × q; a group without rows has 0
  const Eigen::RowVectorXd& mean() const { return mean_; }       // of all rows
  bool is_known(int group) const { return counts_[group] > 0; }  // whether the training part has rows of it

  Eigen::MatrixXd to(Mapping mapping, const Eigen::MatrixXd& a, const Eigen::VectorXi& s, int group) const;
  Eigen::MatrixXd averaged(Mapping mapping, const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const;

  // a − mean(A | s)
  Eigen::MatrixXd residual(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const;

  // to(g) for every known group, ascending, at the cost of one search a cell.
  using Visit = std::function<void(int group, const Eigen::MatrixXd& mapped)>;
  void for_each_group(Mapping mapping, const Eigen::MatrixXd& a, const Eigen::VectorXi& s, const Visit& visit) const;

 private:
  void check(Mapping mapping, const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const;
  Eigen::MatrixXi ranks(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const;  // k
  void fill(Mapping mapping, const Eigen::MatrixXd& a, const Eigen::VectorXi& s, const Eigen::MatrixXi& k, int group,
            Eigen::MatrixXd& out) const;
  const double* sorted(int group, Eigen::Index feature) const;

  Eigen::VectorXi counts_;   // n_g
  Eigen::VectorXd shares_;   // P(g)
  Eigen::MatrixXd means_;    // levels × q
  Eigen::RowVectorXd mean_;  // q
  Eigen::MatrixXd sorted_;   // n × q: feature by feature the values of group 0, sorted, then of group 1 …
  Eigen::VectorXi starts_;   // row of sorted_ where a group starts
};

}  // namespace plumbline
