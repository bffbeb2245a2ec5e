#include "plumbline/price.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "debias/linear_algebra.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNothing = 1e-11;  // of a column, once those before it are taken out

// What y is called in its moments: no column of a table has such a name.
std::vector<std::string> name_of_target() { return {"\x7ftarget"}; }

struct Regression {
  double share = 0;  // R²
  Index rank = 0;
};

// Of y on columns with these products, both over the roots of their squares.
Regression regress(const MatrixXd& products, const VectorXd& with_y) {
  const PivotedCholesky basis = pivoted_cholesky(products, kNothing);
  if (basis.pivots.empty()) return {};
  MatrixXd scores = with_y(basis.pivots);
  solve_lower(basis.l, scores);
  return {std::min(1.0, scores.squaredNorm()), static_cast<Index>(basis.pivots.size())};
}

// What is left of the variance per degree of freedom, as a share of that of y.
double left(const Regression& of, double rows) {
  return (1 - of.share) * (rows - 1) / (rows - static_cast<double>(of.rank) - 1);
}

// Over the roots of squares; 0 for a column of none.
VectorXd inverse_roots(const VectorXd& squares) {
  return (squares.array() > 0).select(squares.cwiseMax(1e-300).cwiseSqrt().cwiseInverse(), 0.0);
}

}  // namespace

TargetMoments::TargetMoments(const std::vector<std::string>& features, const std::vector<std::string>& sensitive)
    : of_a_(features, name_of_target(), Moments::Kind::cross),
      of_b_(sensitive, name_of_target(), Moments::Kind::cross) {}

void TargetMoments::update(const Columns& a, const Columns& b, const Columns& y, const UpdateOptions& options) {
  TargetMoments next = *this;
  next.of_a_.update(a, y, options);
  next.of_b_.update(b, y, options);
  *this = std::move(next);
}

void TargetMoments::merge(const TargetMoments& other) {
  TargetMoments next = *this;
  next.of_a_.merge(other.of_a_);
  next.of_b_.merge(other.of_b_);
  *this = std::move(next);
}

TargetMoments TargetMoments::widened(const std::vector<std::string>& features,
                                     const std::vector<std::string>& sensitive) const {
  return of(of_a_.widened(features, of_a_.sensitive_names()), of_b_.widened(sensitive, of_b_.sensitive_names()));
}

TargetMoments TargetMoments::merged(const std::vector<std::string>& features, const std::vector<Index>& into) const {
  return of(of_a_.merged(features, into), of_b_);
}

TargetMoments TargetMoments::of(Moments of_a, Moments of_b) {
  TargetMoments out;
  out.of_a_ = std::move(of_a);
  out.of_b_ = std::move(of_b);
  return out;
}

double Price::least_kept(double error) const {
  if (error >= floor()) return 0;
  if (error <= unexplained) return 1;
  return 1 - std::sqrt((error - unexplained) / by_sensitive);
}

std::optional<Price> price_of(const Moments& moments, const TargetMoments& target) {
  const Index p = moments.sensitive(), q = moments.features();
  std::vector<Index> places;  // in the moments of the target
  const std::vector<std::string>& known = target.of_b().feature_names();
  for (const std::string& name : moments.sensitive_names()) {
    const auto at = std::find(known.begin(), known.end(), name);
    if (at != known.end()) places.push_back(at - known.begin());
  }
  if (target.of_a().feature_names() != moments.feature_names() || static_cast<Index>(places.size()) != p ||
      target.rows() != moments.rows())
    throw Error("the moments of the target are of other rows or columns than those of the features");
  MatrixXd products(p + q, p + q);
  products.topLeftCorner(p, p) = moments.scatter_bb();
  products.bottomRightCorner(q, q) = moments.scatter_aa();
  products.topRightCorner(p, q) = moments.scatter_ba();
  products.bottomLeftCorner(q, p) = products.topRightCorner(p, q).transpose();
  VectorXd with_y(p + q);
  with_y << target.of_b().scatter_ba().row(0).transpose()(places), target.of_a().scatter_ba().row(0).transpose();
  const double square = target.of_a().scatter_bb()(0, 0), weight = moments.weight();
  const double mean = target.of_a().mean_b()[0];
  constexpr double kRounding = 1e-26;  // of the square of the mean
  if (!(square > kRounding * weight * mean * mean)) return std::nullopt;

  const VectorXd scale = inverse_roots(products.diagonal());
  const MatrixXd scaled = scale.asDiagonal() * products * scale.asDiagonal();
  const VectorXd scaled_y = scale.cwiseProduct(with_y) / std::sqrt(square);
  const Regression of_b = regress(scaled.topLeftCorner(p, p), scaled_y.head(p));
  const Regression of_both = regress(scaled, scaled_y);
  const auto rows = static_cast<double>(moments.rows());
  if (!(rows > static_cast<double>(of_both.rank) + 1)) return std::nullopt;

  Price out;
  out.variance = square / weight;
  const double by_sensitive = std::clamp(1 - left(of_b, rows), 0.0, 1.0);
  out.by_sensitive = by_sensitive * out.variance;
  out.unexplained = std::min(left(of_both, rows), 1 - by_sensitive) * out.variance;
  return out;
}

std::optional<Price> price_of(const Columns& a, const Columns& b, const Columns& y, const UpdateOptions& options) {
  Moments moments(a.cols(), b.cols());
  moments.update(a, b, options);
  TargetMoments target(moments.feature_names(), moments.sensitive_names());
  target.update(a, b, y, options);
  return price_of(moments, target);
}

}  // namespace plumbline
