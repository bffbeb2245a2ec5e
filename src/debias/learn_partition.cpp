#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/finite.h"
#include "base/weights.h"
#include "plumbline/error.h"
#include "plumbline/partition.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int kMostSettling = 50;
constexpr double kWidth = 0.6;
constexpr double kNoComponent = 1e-4;  // of an axis of length one

struct Region {
  std::vector<Index> rows;
  VectorXd mean;
  double squares = 0;
};

Region region_of(const MatrixXd& t, const VectorXd& weights, std::vector<Index> rows) {
  Region out{std::move(rows), VectorXd::Zero(t.rows())};
  double total = 0;
  for (const Index i : out.rows) {
    out.mean += weights[i] * t.col(i);
    total += weights[i];
  }
  out.mean /= total;
  for (const Index i : out.rows) out.squares += weights[i] * (t.col(i) - out.mean).squaredNorm();
  return out;
}

// The two sides of a plane through the mean, across the principal axis.
std::pair<std::vector<Index>, std::vector<Index>> halves_of(const MatrixXd& t, const VectorXd& weights,
                                                            const Region& region) {
  MatrixXd scatter = MatrixXd::Zero(t.rows(), t.rows());
  for (const Index i : region.rows) {
    const VectorXd d = t.col(i) - region.mean;
    scatter += weights[i] * d * d.transpose();
  }
  VectorXd axis = Eigen::SelfAdjointEigenSolver<MatrixXd>(scatter).eigenvectors().rightCols(1);
  const auto first = std::find_if(axis.begin(), axis.end(), [](double x) { return std::abs(x) > kNoComponent; });
  if (*first < 0) axis = -axis;  // else rounding would say which half comes first
  std::pair<std::vector<Index>, std::vector<Index>> out;
  for (const Index i : region.rows) ((t.col(i) - region.mean).dot(axis) < 0 ? out.first : out.second).push_back(i);
  return out;
}

Index nearest_of(const MatrixXd& centres, const VectorXd& x) {
  Index at = 0;
  (centres.colwise() - x).colwise().squaredNorm().minCoeff(&at);
  return at;
}

// Prototypes as columns, of rows that are the columns of t; fewer than `most` where rows coincide.
MatrixXd prototypes_of(const MatrixXd& t, const VectorXd& weights, const std::vector<Index>& rows, Index most) {
  std::vector<Region> regions = {region_of(t, weights, rows)};
  while (static_cast<Index>(regions.size()) < most) {
    const auto widest = std::max_element(regions.begin(), regions.end(),
                                         [](const Region& x, const Region& y) { return x.squares < y.squares; });
    if (!(widest->squares > 0)) break;
    auto [one, other] = halves_of(t, weights, *widest);
    if (one.empty() || other.empty()) break;
    *widest = region_of(t, weights, std::move(one));
    regions.push_back(region_of(t, weights, std::move(other)));
  }
  MatrixXd centres(t.rows(), static_cast<Index>(regions.size()));
  for (Index k = 0; k < centres.cols(); ++k) centres.col(k) = regions[static_cast<std::size_t>(k)].mean;
  std::vector<Index> nearest(rows.size(), -1);
  for (int round = 0; round < kMostSettling; ++round) {
    bool moved = false;
    MatrixXd sums = MatrixXd::Zero(centres.rows(), centres.cols());
    VectorXd totals = VectorXd::Zero(centres.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Index k = nearest_of(centres, t.col(rows[i]));
      moved = moved || k != nearest[i];
      nearest[i] = k;
      sums.col(k) += weights[rows[i]] * t.col(rows[i]);
      totals[k] += weights[rows[i]];
    }
    if (!moved) break;
    for (Index k = 0; k < centres.cols(); ++k)
      if (totals[k] > 0) centres.col(k) = sums.col(k) / totals[k];
  }
  return centres;
}

// Quantiles at equal shares of the weight: the least value up to which that share of all rows lies.
std::vector<double> knots_of(std::vector<std::pair<double, double>> values, Index count) {
  std::sort(values.begin(), values.end());
  double total = 0, below = 0;
  for (const auto& [x, w] : values) total += w;
  std::vector<double> out = {values.front().first};
  auto at = values.begin();
  for (Index k = 1; k < count; ++k) {
    const double wanted = total * static_cast<double>(k) / static_cast<double>(count - 1) * (1 - 1e-12);
    while (at + 1 != values.end() && below + at->second < wanted) below += (at++)->second;
    const double x = k + 1 == count ? values.back().first : at->first;
    if (x > out.back()) out.push_back(x);
  }
  return out;
}

}  // namespace

class PartitionLearner {
 public:
  PartitionLearner(const Columns& b, const PartitionOptions& options, std::span<const double> weights)
      : b_(b), options_(options), weights_(VectorXd::Ones(b.rows())) {
    options.check();
    if (b.cols() == 0) throw Error("there are no sensitive columns; at least one is needed");
    check_some_weight(weights, b.rows());
    if (!weights.empty()) weights_ = Eigen::Map<const VectorXd>(weights.data(), b.rows());
    for (Index i = 0; i < b.rows(); ++i)
      if (weights_[i] > 0) rows_.push_back(i);
    if (rows_.empty()) refuse_no_weight();
  }

  Partition learn() {
    out_.inputs_ = b_.cols();
    for (Index l = 0; l < b_.cols(); ++l) look_at(l);
    find_patterns();
    for (Partition::Stratum& stratum : out_.strata_) cut(stratum);
    count_rows();
    return std::move(out_);
  }

 private:
  void look_at(Index column) {
    std::set<double> values;
    double total = 0, mean = 0;
    for (const Index i : rows_) {
      const double x = b_(i, column);
      if (!std::isfinite(x)) report_not_finite(i, "b" + std::to_string(column), x);
      if (values.size() < 3) values.insert(x + 0.0);
      total += weights_[i];
      mean += weights_[i] / total * (x - mean);
    }
    if (values.size() < 2) return;
    if (values.size() == 2) {
      out_.binaries_.push_back({column, *values.begin(), *values.rbegin()});
      return;
    }
    double squares = 0;
    for (const Index i : rows_) squares += weights_[i] * (b_(i, column) - mean) * (b_(i, column) - mean);
    const double sd = std::sqrt(squares / total);
    if (!(sd > 0) || !std::isfinite(sd))
      throw Error("a sensitive column has values whose squares a double cannot hold; rescale it");
    out_.numbers_.push_back({column, mean, sd});
  }

  double weight_of(const std::vector<Index>& rows) const {
    return std::accumulate(rows.begin(), rows.end(), 0.0, [&](double sum, Index i) { return sum + weights_[i]; });
  }

  // Rows of each pattern; those of few rows are one stratum, the last.
  void find_patterns() {
    std::map<std::string, std::vector<Index>> found;
    std::string pattern(out_.binaries_.size(), '0');
    for (const Index i : rows_) {
      for (std::size_t l = 0; l < out_.binaries_.size(); ++l)
        pattern[l] = b_(i, out_.binaries_[l].column) == out_.binaries_[l].high ? '1' : '0';
      found[pattern].push_back(i);
    }
    std::vector<Index> few;
    std::vector<std::size_t> places_of_few;
    for (auto& [key, rows] : found) {
      out_.patterns_.push_back(key);
      if (found.size() > 1 && weight_of(rows) < options_.least_rows) {
        places_of_few.push_back(out_.stratum_of_.size());
        out_.stratum_of_.push_back(0);
        few.insert(few.end(), rows.begin(), rows.end());
        continue;
      }
      out_.stratum_of_.push_back(static_cast<Index>(members_.size()));
      members_.push_back(std::move(rows));
    }
    if (!few.empty()) {
      for (const std::size_t at : places_of_few) out_.stratum_of_[at] = static_cast<Index>(members_.size());
      std::sort(few.begin(), few.end());
      members_.push_back(std::move(few));
    }
    out_.strata_.resize(members_.size());
  }

  Index regions_for(double rows) const {
    const bool is_one = out_.numbers_.size() == 1;
    Index most = options_.regions;
    if (most == 0)
      most = std::clamp<Index>(
          static_cast<Index>(std::lround(is_one ? std::cbrt(rows) / 2 : options_.among * std::sqrt(rows))),
          options_.least, options_.most);
    return std::clamp<Index>(static_cast<Index>(rows / options_.least_rows), is_one ? 2 : 1, most);
  }

  void cut(Partition::Stratum& stratum) {
    const auto at = static_cast<std::size_t>(&stratum - out_.strata_.data());
    const std::vector<Index>& rows = members_[at];
    stratum.first = at == 0 ? 0 : out_.strata_[at - 1].first + out_.strata_[at - 1].count;
    if (out_.numbers_.empty()) return;
    const Index most = regions_for(weight_of(rows));
    if (out_.numbers_.size() == 1) {
      std::vector<std::pair<double, double>> values;
      for (const Index i : rows) values.emplace_back(b_(i, out_.numbers_[0].column), weights_[i]);
      stratum.knots = knots_of(std::move(values), most);
      stratum.count = static_cast<Index>(stratum.knots.size());
      if (stratum.count == 1) stratum.knots.clear();
      return;
    }
    if (standardised_.size() == 0) standardise();
    const MatrixXd centres = prototypes_of(standardised_, weights_, rows, most);
    stratum.count = centres.cols();
    if (stratum.count == 1) return;
    stratum.prototypes = centres.transpose();
    double squares = 0;
    for (const Index i : rows)
      squares += weights_[i] * (centres.colwise() - standardised_.col(i)).colwise().squaredNorm().minCoeff();
    // Where every row is a prototype, regions are as sharp as a row is narrow.
    stratum.width = std::max(kWidth * std::sqrt(squares / weight_of(rows)), 1e-3);
  }

  void standardise() {
    standardised_.resize(static_cast<Index>(out_.numbers_.size()), b_.rows());
    for (std::size_t l = 0; l < out_.numbers_.size(); ++l)
      for (Index i = 0; i < b_.rows(); ++i)
        standardised_(static_cast<Index>(l), i) =
            (b_(i, out_.numbers_[l].column) - out_.numbers_[l].mean) / out_.numbers_[l].sd;
  }

  void count_rows() {
    const Partition::Stratum& last = out_.strata_.back();
    out_.rows_ = VectorXd::Zero(last.first + last.count);
    std::vector<double> row(static_cast<std::size_t>(b_.cols())), some(static_cast<std::size_t>(out_.rows_.size()));
    for (const Index i : rows_) {
      for (Index l = 0; l < b_.cols(); ++l) row[static_cast<std::size_t>(l)] = b_(i, l);
      const Partition::Range range = out_.weights(row, some);
      for (Index k = 0; k < range.count; ++k)
        out_.rows_[range.first + k] += weights_[i] * some[static_cast<std::size_t>(k)];
    }
  }

  const Columns& b_;
  PartitionOptions options_;
  VectorXd weights_;
  std::vector<Index> rows_;  // of positive weight
  std::vector<std::vector<Index>> members_;
  MatrixXd standardised_;
  Partition out_;
};

Partition Partition::fit(const Columns& b, const PartitionOptions& options, std::span<const double> weights) {
  return PartitionLearner(b, options, weights).learn();
}

}  // namespace plumbline
