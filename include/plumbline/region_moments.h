// The statistic that a fit with equal spreads is a function of: second moments within the regions of b.
//
//   x = (w, φ, a)        w = w_1(b) … w_K(b), a partition of unity (plumbline/partition.h);  φ = φ(b), or b itself
//   M_k = Σ_i ω_i w_k(b_i) (x_i − o)(x_i − o)ᵀ,   k = 1 … K;   o is 0 for w
//
// beside the moments of (φ, a) over all rows, which the M_k add up to. ω are the weights of rows. Since Σ_k w_k = 1,
// sums of x are sums of its products with w. Kind::full keeps all of M_k; Kind::cross the products with w and φ, and
// the squares of a.
//
// Rows are read once; one counts in the regions where its w_k is positive, so that K regions of a single number cost
// two passes and not K. The origin o is the mean of the first rows of positive weight; leaves of 4,096 rows are summed
// in order, so the result has the same bits for any number of threads. merge gives the statistic of both parts up to
// rounding: parts share a partition and an expansion. The empty statistic is the identity of merge.
//
// update and merge throw Error, and leave the statistic as it was, for what Moments' do, and when partitions differ;
// without throws for the same.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/expansion.h"
#include "plumbline/moments.h"
#include "plumbline/partition.h"

namespace plumbline {

class RegionMoments {
 public:
  RegionMoments() = default;
  // `sensitive` names the columns of b, before expansion. Throws Error if names, partition and expansion disagree.
  RegionMoments(Partition partition, std::optional<Expansion> expansion, std::vector<std::string> features,
                std::vector<std::string> sensitive, Moments::Kind kind = Moments::Kind::full);

  void update(const Columns& a, const Columns& b, const UpdateOptions& options = {});
  void merge(const RegionMoments& other);

  // The statistic of all rows but those of a part, whose regions and expansion are the same. A column that varies by no
  // more than what is left of it by rounding does not vary, and a region with no more weight than that has no rows.
  RegionMoments without(const RegionMoments& part) const;

  RegionMoments empty() const;  // of no rows, with the same regions and columns

  void hold(Index feature, double value);  // as if it had this value in every row

  const Partition& partition() const { return partition_; }
  const std::optional<Expansion>& expansion() const { return expansion_; }
  const Moments& whole() const { return whole_; }  // of (φ, a)
  Index regions() const { return static_cast<Index>(products_.size()); }
  Index features() const { return whole_.features(); }
  const std::vector<std::string>& input_names() const { return input_names_; }

  // Of region k, about the origins of φ and a. Products of x with its first columns: those of w and φ, or all of them;
  // filled from the diagonal down.
  const Eigen::MatrixXd& products(Index k) const { return products_[static_cast<std::size_t>(k)].cells; }
  Eigen::VectorXd squares_a(Index k) const;  // Σ ω w_k (a_j − o_j)²
  const Eigen::VectorXd& origin_b() const { return origin_b_; }
  const Eigen::VectorXd& origin_a() const { return origin_a_; }

  bool operator==(const RegionMoments&) const;

 private:
  struct Products {
    Eigen::MatrixXd cells;
    Eigen::VectorXd squares;  // of what has no column in `cells`

    void operator+=(const Products& other) {
      cells += other.cells;
      squares += other.squares;
    }
  };
  struct Leaf;

  Index columns() const { return regions() + whole_.sensitive() + features(); }
  Index lead() const { return whole_.kind() == Moments::Kind::full ? columns() : regions() + whole_.sensitive(); }
  std::vector<Products> zeros() const;
  void sum_leaf(const Columns& a, const Columns& b, const Columns& phi, std::span<const double> weights, Index first,
                Index count, const Eigen::VectorXd& origin_a, const Eigen::VectorXd& origin_b, Leaf& leaf) const;
  void move_origin(const Eigen::VectorXd& origin_b, const Eigen::VectorXd& origin_a);
  void check_same_regions(const RegionMoments& other) const;
  void clear(Index column);  // of (φ, a): all products are 0

  Partition partition_;
  std::optional<Expansion> expansion_;
  std::vector<std::string> input_names_;
  Moments whole_;
  Eigen::VectorXd origin_b_, origin_a_;  // empty before the first row of positive weight
  std::vector<Products> products_;
};

}  // namespace plumbline
