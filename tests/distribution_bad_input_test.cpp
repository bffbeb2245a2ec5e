#include <gtest/gtest.h>

#include <limits>

#include "message_of.h"
#include "mixed_table.h"
#include "plumbline/distribution.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::mixed_table;
using testing::MixedTable;
using testing::Random;
using testing::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(DistributionBadInput, IsRefusedWithASentence) {
  Random random(1);
  const MixedTable table = mixed_table(random, 300);
  const auto fit = [&](const MatrixXd& a, const MatrixXd& b, const DistributionOptions& options = {},
                       std::span<const double> weights = {}) {
    return [&a, &b, options, weights, &table] { Distribution::fit(a, b, table.groups, options, weights); };
  };
  const auto says = [](const auto& call, const char* what) {
    EXPECT_NE(testing::message_of(call).find(what), std::string::npos) << testing::message_of(call);
  };
  const MatrixXd constant = MatrixXd::Ones(300, 2), none(300, 0);
  says(fit(table.a, constant), "constant");
  says(fit(table.a, none), "no sensitive columns");
  says(fit(none, table.b), "no features");
  says(fit(table.a.topRows(200), table.b), "rows");
  says(fit(table.a.leftCols(8), table.b), "groups have");
  const MatrixXd few_a = table.a.topRows(10), few_b = table.b.topRows(10);
  says(fit(few_a, few_b), "20 or more rows");
  says(fit(table.a, table.b, {.order = {"income", "salary"}}), "'salary'");
  says(fit(table.a, table.b, {.order = {"income", "income"}}), "twice");
  says(fit(table.a, table.b, {.leaves = -1}), "leaves is -1");
  says(fit(table.a, table.b, {.least_rows = 0}), "least_rows is 0");
  says(fit(table.a, table.b, {.prior = -1}), "prior is -1");
  says(fit(table.a, table.b, {.partition = {.regions = 1}}), "regions is 1");
  VectorXd weights = VectorXd::Zero(300);
  says(fit(table.a, table.b, {}, testing::span_of(weights)), "weight");
  weights.head(5).setOnes();
  says(fit(table.a, table.b, {}, testing::span_of(weights)), "20 or more rows");
  for (const double cell : {kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    MatrixXd a = table.a, b = table.b;
    a(7, 7) = cell;
    says(fit(a, table.b), "income");
    b(7, 0) = cell;
    says(fit(table.a, b), "b0");
  }
  MatrixXd huge = table.a;
  huge.col(7) *= 1e300;
  says(fit(huge, table.b), "rescale");
  huge.col(7) = table.a.col(7) * 1e-300;
  says(fit(huge, table.b), "rescale");

  const Distribution d = Distribution::fit(table.a, table.b, table.groups);
  MatrixXd out(300, 10);
  MatrixXd a = table.a;
  a(3, 5) = kInfinity;
  says([&] { d.apply(a, table.b, out); }, "children");
  says([&] { d.apply(table.a.leftCols(3), table.b, out); }, "10 features");
  says([&] { d.apply(table.a, table.b.leftCols(1), out); }, "3 sensitive columns");
  says([&] { Distribution().apply(table.a, table.b, out); }, "empty");
  const VectorXd row = table.a.row(0);
  VectorXd result(10);
  says([&] { d.apply_row(testing::span_of(row), testing::span_of(row), {result.data(), 10}); }, "3 sensitive columns");
}

TEST(DistributionBadInput, LegalExtremesWork) {
  Random random(2);
  for (const Index n : {20, 60, 500}) {
    MixedTable table = mixed_table(random, n);
    table.b.col(0) = table.b.col(1);  // two values alone, twice
    table.a.row(n - 1).head(4) << 0, 0, 0, 1;
    table.b.row(n - 1) << 1, 1, 0;
    table.b.row(0) << 0, 0, 1;
    const Distribution d = Distribution::fit(table.a, table.b, table.groups, {.partition = {.least_rows = 2}});
    MatrixXd later = 1e6 * random.matrix(50, 10), b = 1e6 * random.matrix(50, 3), out(50, 10);
    d.apply(later, b, out);
    EXPECT_TRUE(out.allFinite()) << n;
  }
}

TEST(DistributionBadInput, NoCutOrEditedFileIsRead) {
  Random random(3);
  const MixedTable table = mixed_table(random, 200);
  const Distribution d = Distribution::fit(table.a, table.b, table.groups);
  const std::string text = d.to_json();
  for (std::size_t length = 0; length < text.size(); length += 97)
    EXPECT_THROW(Distribution::from_json(text.substr(0, length)), Error);
  for (std::size_t at = 0; at < text.size(); at += 101) {
    std::string edited = text;
    edited[at] = edited[at] == '7' ? '8' : '7';
    if (edited == text) continue;
    const auto is_read = [&] {  // an edit of a last digit may leave a number what it was
      try {
        return Distribution::from_json(edited) == d ? "as it was" : "with the edit";
      } catch (const Error&) {
        return "not at all";
      }
    }();
    EXPECT_STRNE(is_read, "with the edit") << at;
  }
}

}  // namespace
}  // namespace plumbline
