#include "paper/datasets/loan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/random_stream.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr double kLargest = 1e100;
constexpr double kLargestNoise = 10;  // with |ε| < 8.3, exp stays far from the end of the doubles
constexpr int kGroups = 3;
constexpr int kDrawsPerRow = 4;
constexpr double kShareError = 1e-9;

void check_range(const std::string& field, double value, double low, double high) {
  if (!(value >= low && value <= high))
    throw Error(fmt::format("{} is {}; it must be from {} to {}", field, value, low, high));
}

void check_each(const char* field, std::span<const double> values, double low, double high) {
  for (std::size_t g = 0; g < values.size(); ++g) check_range(fmt::format("{}[{}]", field, g), values[g], low, high);
}

void check_group(int group) {
  if (group < 0 || group >= kGroups) throw Error(fmt::format("the group is {}; it must be 0, 1 or 2", group));
}

// What stands first holds for all; group 0 adds nothing.
double of_group(const std::array<double, kGroups>& values, int group) {
  return group == 0 ? values[0] : values[0] + values[group];
}

}  // namespace

void LoanOptions::check() const {
  check_each("share", share, 0, 1);
  const double sum = share[0] + share[1] + share[2];
  if (!(std::abs(sum - 1) <= kShareError)) throw Error(fmt::format("share adds up to {}; it must add up to 1", sum));
  check_each("lambda_e", lambda_e, -kLargest, kLargest);
  check_each("lambda_i", lambda_i, -kLargest, kLargest);
  for (int g = 0; g < kGroups; ++g)
    if (!(of_group(lambda_i, g) > 0))
      throw Error(fmt::format("lambda_i gives group {} the income {}; it must be above 0", g, of_group(lambda_i, g)));
  check_range("education_noise", education_noise, 0, kLargestNoise);
  check_range("income_education", income_education, -kLargestNoise, kLargestNoise);
  check_range("income_noise", income_noise, 0, kLargestNoise);
  check_each("beta", beta, -kLargest, kLargest);
  check_range("beta_e", beta_e, -kLargest, kLargest);
  check_range("beta_i", beta_i, -kLargest, kLargest);
}

LoanGenerator::LoanGenerator(const LoanOptions& options) : options_(options) { options_.check(); }

const std::vector<std::string>& LoanGenerator::column_names() {
  static const std::vector<std::string> names = {"race", "education", "income", "approved"};
  return names;
}

const std::string& LoanGenerator::group_name(int group) {
  static const std::array<std::string, kGroups> names = {"r0", "r1", "r2"};
  check_group(group);
  return names[group];
}

LoanRows LoanGenerator::rows(std::int64_t first, Index count) const {
  check_rows(first, count);
  LoanRows rows{Eigen::VectorXi(count), Eigen::VectorXd(count), Eigen::VectorXd(count),
                Eigen::VectorXd(count), Eigen::VectorXi(count), Eigen::MatrixXd(count, kDrawsPerRow)};
  RandomStream stream(options_.seed, kDrawsPerRow, first);
  for (Index i = 0; i < count; ++i) {
    rows.noise(i, 0) = stream.uniform();
    rows.noise(i, 1) = stream.normal();
    rows.noise(i, 2) = stream.normal();
    rows.noise(i, 3) = stream.uniform();
    rows.group[i] =
        (rows.noise(i, 0) >= options_.share[0]) + (rows.noise(i, 0) >= options_.share[0] + options_.share[1]);
  }
  evaluate(rows);
  return rows;
}

LoanRows LoanGenerator::counterfactual(const LoanRows& rows, int group) const {
  return counterfactual(rows, Eigen::VectorXi::Constant(rows.group.size(), group));
}

LoanRows LoanGenerator::counterfactual(const LoanRows& rows, const Eigen::VectorXi& group) const {
  if (group.size() != rows.group.size())
    throw Error(
        fmt::format("{} counterfactual groups are given for {} rows; give one a row", group.size(), rows.group.size()));
  for (const int g : group) check_group(g);
  LoanRows moved = rows;
  moved.group = group;
  evaluate(moved);
  return moved;
}

void LoanGenerator::evaluate(LoanRows& rows) const {
  const LoanOptions& o = options_;
  for (Index i = 0; i < rows.group.size(); ++i) {
    const int g = rows.group[i];
    const double e = rows.noise(i, 1);
    const double education = std::max(0.0, of_group(o.lambda_e, g) + o.education_noise * e);
    const double income =
        of_group(o.lambda_i, g) * portable_exp(o.income_education * e + o.income_noise * rows.noise(i, 2));
    const double logit = of_group(o.beta, g) + o.beta_e * education + o.beta_i * income;
    rows.education[i] = education;
    rows.income[i] = income;
    rows.probability[i] = 1 / (1 + portable_exp(-logit));
    rows.approved[i] = rows.noise(i, 3) < rows.probability[i];
  }
}

}  // namespace plumbline
