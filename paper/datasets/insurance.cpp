#include "paper/datasets/insurance.h"

#include <fmt/format.h>

#include <cmath>

#include "base/random_stream.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr double kLargest = 1e100;
constexpr int kDrawsPerRow = 11;
constexpr std::array<double, 5> kLatentMean = {0, 0.5, 1, 1.5, 2};
constexpr std::array<double, 5> kLatentVariance = {1, 4, 2, 3, 2};

void check_spread(const std::string& field, double value) {
  if (!(value >= 0 && value <= kLargest))
    throw Error(fmt::format("{} is {}; it must be from 0 to {}", field, value, kLargest));
}

}  // namespace

void InsuranceOptions::check() const {
  if (!(std::abs(b_mean) <= kLargest))
    throw Error(fmt::format("b_mean is {}; it must be from {} to {}", b_mean, -kLargest, kLargest));
  check_spread("b_sd", b_sd);
  for (std::size_t j = 0; j < a_sd.size(); ++j) check_spread(fmt::format("a_sd[{}]", j), a_sd[j]);
  check_spread("y_sd", y_sd);
}

InsuranceGenerator::InsuranceGenerator(const InsuranceOptions& options) : options_(options) { options_.check(); }

const std::vector<std::string>& InsuranceGenerator::column_names() {
  static const std::vector<std::string> names = {"b", "A1", "A2", "A3", "A4", "y"};
  return names;
}

InsuranceRows InsuranceGenerator::rows(std::int64_t first, Index count) const {
  check_rows(first, count);
  InsuranceRows rows{Eigen::VectorXd(count), Eigen::MatrixXd(count, 4), Eigen::VectorXd(count),
                     Eigen::MatrixXd(count, 5), Eigen::MatrixXd(count, 5)};
  RandomStream stream(options_.seed, kDrawsPerRow, first);
  for (Index i = 0; i < count; ++i) {
    rows.b[i] = options_.b_mean + options_.b_sd * stream.normal();
    for (Index j = 0; j < 5; ++j) rows.u(i, j) = kLatentMean[j] + std::sqrt(kLatentVariance[j]) * stream.normal();
    for (Index j = 0; j < 5; ++j) rows.e(i, j) = stream.normal();
  }
  evaluate(rows);
  return rows;
}

InsuranceRows InsuranceGenerator::counterfactual(const InsuranceRows& rows, const Eigen::VectorXd& b) const {
  if (b.size() != rows.b.size())
    throw Error(
        fmt::format("{} counterfactual values of b are given for {} rows; give one a row", b.size(), rows.b.size()));
  InsuranceRows moved = rows;
  moved.b = b;
  evaluate(moved);
  return moved;
}

void InsuranceGenerator::evaluate(InsuranceRows& rows) const {
  const auto& sd = options_.a_sd;
  for (Index i = 0; i < rows.b.size(); ++i) {
    const double b = rows.b[i];
    const auto u = rows.u.row(i), e = rows.e.row(i);
    const double a1 = 7 + 0.1 * b + u[0] + u[1] + u[2] + sd[0] * e[0];
    const double a2 = 80 + b + u[1] + sd[1] * e[1];
    const double a3 = 200 + 5 * b + 5 * u[2] + sd[2] * e[2];
    const double a4 = 1e4 + 5 * b + u[3] + u[4] + sd[3] * e[3];
    rows.a.row(i) << a1, a2, a3, a4;
    rows.y[i] = 2 * (7 * b + 20 * (a1 + a2 + a3 + a4)) + options_.y_sd * e[4];
  }
}

}  // namespace plumbline
