// The laws of what judges a method: resampled rows are rows, and a metric has one definition.
#include "paper/groups/judgement.h"

#include <gtest/gtest.h>

#include "random_people.h"

namespace plumbline {
namespace {

using testing::largest;
using testing::MatrixXd;
using testing::Random;
using testing::random_people;
using testing::VectorXd;

class JudgementLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  JudgementLaw() {
    Sample people = random_people(random, 300, 3, static_cast<int>(random.integer(2, 5)));
    people.levels += is_level_empty() ? 1 : 0;
    parts = split_sample(people, GetParam());
    outcome = VectorXd::NullaryExpr(parts.test.rows(), [&] { return static_cast<double>(random.integer(0, 1)); });
    for (int g = 0; g < people.levels; ++g) exact.push_back(parts.test.a + random.matrix(parts.test.rows(), 3));
  }

  bool is_level_empty() const { return GetParam() % 3 == 0; }

  // Exact counterfactuals ask for a prediction in every group, which needs training rows of each.
  Trial trial() const { return {.parts = parts, .exact = is_level_empty() ? nullptr : &exact}; }

  Random random{GetParam()};
  Parts parts;
  VectorXd outcome;
  std::vector<MatrixXd> exact;
};

TEST_P(JudgementLaw, EveryRowOnceIsNoResampling) {
  const GroupMapping groups(parts.training.a, parts.training.s, parts.training.levels);
  for (const char* name : {"ML", "FTU", "AA", "FLAP_1(M)", "FLAP_2(O)"}) {
    const auto method = fit_method(name, parts.training);
    const Judgement judged(*method, groups, trial(), outcome);
    const VectorXd metrics = judged.metrics();
    EXPECT_EQ(metrics.size(), is_level_empty() ? 5 : 6);
    EXPECT_LT(largest(judged.of_resamples()(VectorXd::Ones(judged.rows())) - metrics), 1e-12) << name;
  }
}

TEST_P(JudgementLaw, CountsAreRepeatedRows) {
  const GroupMapping groups(parts.training.a, parts.training.s, parts.training.levels);
  const auto method = fit_method("ML", parts.training);
  VectorXd counts(parts.test.rows());
  std::vector<Index> rows;
  for (Index i = 0; i < counts.size(); ++i) {
    counts[i] = static_cast<double>(random.integer(0, 3));
    rows.insert(rows.end(), static_cast<std::size_t>(counts[i]), i);
  }
  const Parts repeated{parts.training, rows_of(parts.test, rows)};
  std::vector<MatrixXd> repeated_exact;
  for (const MatrixXd& moved : exact) repeated_exact.emplace_back(moved(rows, Eigen::all));
  const VectorXd repeated_outcome = outcome(rows);
  const Trial longer{.parts = repeated, .exact = is_level_empty() ? nullptr : &repeated_exact};
  const Judgement once(*method, groups, trial(), outcome), again(*method, groups, longer, repeated_outcome);
  EXPECT_LT(largest(once.of_resamples()(counts) - again.metrics()), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, JudgementLaw, ::testing::Range(1U, 13U));

}  // namespace
}  // namespace plumbline
