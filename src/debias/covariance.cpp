#include "debias/covariance.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/weights.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr double kConstant = 8 * std::numeric_limits<double>::epsilon();

Eigen::VectorXd deviations(const Eigen::VectorXd& scatter_diagonal, double weight) {
  return (scatter_diagonal / weight).cwiseSqrt();
}

Units units_of(const Eigen::VectorXd& mean, const Eigen::VectorXd& deviation, const Eigen::VectorXd& scale) {
  Units units{mean, scale, {}};
  for (Index j = 0; j < mean.size(); ++j)
    if (deviation[j] <= kConstant * std::abs(mean[j])) units.constant.push_back(j);
  return units;
}

Units own_units(const Eigen::VectorXd& mean, const Eigen::VectorXd& deviation, bool standardize) {
  Units units = units_of(mean, deviation, standardize ? deviation : Eigen::VectorXd::Ones(deviation.size()));
  for (const Index j : units.constant) units.scale[j] = 1;
  return units;
}

void check_range(const Eigen::VectorXd& variances, const std::vector<std::string>& names) {
  for (Index j = 0; j < variances.size(); ++j)
    if (!std::isfinite(variances[j]))
      throw Error(
          fmt::format("column '{}' is spread so much wider than in the fit that a double cannot hold the square of it; "
                      "give it in the units of the fit",
                      names[static_cast<std::size_t>(j)]));
}

Covariance in_units(const Moments& moments, Units a, Units b) {
  const double w = moments.weight();
  const Eigen::VectorXd ia = a.scale.cwiseInverse(), ib = b.scale.cwiseInverse();
  Covariance c;
  const Eigen::Matrix<long double, Eigen::Dynamic, 1> wide_ib = b.scale.cast<long double>().cwiseInverse();
  c.bb = wide_ib.asDiagonal() * (moments.extended_scatter_bb() / w) * wide_ib.asDiagonal();
  c.ba = ib.asDiagonal() * (moments.scatter_ba() / w) * ia.asDiagonal();
  c.aa_diagonal = (moments.scatter_diagonal_a() / w).cwiseProduct(ia.cwiseAbs2());
  check_range(c.aa_diagonal, moments.feature_names());
  check_range(c.bb.diagonal().cast<double>(), moments.sensitive_names());
  if (moments.kind() == Moments::Kind::full) c.aa = ia.asDiagonal() * (moments.scatter_aa() / w) * ia.asDiagonal();
  for (const Index j : b.constant) {
    c.bb.row(j).setZero();
    c.bb.col(j).setZero();
    c.ba.row(j).setZero();
  }
  for (const Index j : a.constant) {
    c.ba.col(j).setZero();
    c.aa_diagonal[j] = 0;
    if (!c.aa) continue;
    c.aa->row(j).setZero();
    c.aa->col(j).setZero();
  }
  c.a = std::move(a);
  c.b = std::move(b);
  return c;
}

void check_weight(const Moments& moments) {
  if (moments.rows() == 0) throw Error("the moments hold no rows; update them with data first");
  if (!(moments.weight() > 0)) refuse_no_weight();
}

}  // namespace

Covariance working_covariance(const Moments& moments, bool standardize) {
  check_weight(moments);
  const Eigen::VectorXd sa = deviations(moments.scatter_diagonal_a(), moments.weight());
  const Eigen::VectorXd sb = deviations(moments.scatter_bb().diagonal(), moments.weight());
  return in_units(moments, own_units(moments.mean_a(), sa, standardize), own_units(moments.mean_b(), sb, true));
}

Covariance without_noise(Covariance c, const Eigen::VectorXd& noise_b) {
  for (Index l = 0; l < noise_b.size(); ++l) {
    const long double variance = static_cast<long double>(noise_b[l]) / c.b.scale[l] / c.b.scale[l];
    c.bb(l, l) -= std::min(variance, c.bb(l, l));
  }
  return c;
}

Covariance covariance_in_units(const Moments& moments, const Eigen::VectorXd& scale_a, const Eigen::VectorXd& scale_b) {
  check_weight(moments);
  const Eigen::VectorXd sa = deviations(moments.scatter_diagonal_a(), moments.weight());
  const Eigen::VectorXd sb = deviations(moments.scatter_bb().diagonal(), moments.weight());
  return in_units(moments, units_of(moments.mean_a(), sa, scale_a), units_of(moments.mean_b(), sb, scale_b));
}

}  // namespace plumbline
