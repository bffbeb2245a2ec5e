// What a comparison says beside its numbers: intervals around them, and what the methods warn of.
#include "paper/groups/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "random_people.h"

namespace plumbline {
namespace {

using testing::Random;
using testing::random_people;

Parts random_parts(unsigned seed) {
  Random random(seed);
  return split_sample(random_people(random, 400, 3, 3), seed);
}

bool any_starts_with(const std::vector<std::string>& warnings, std::string_view start) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& warning) { return warning.starts_with(start); });
}

TEST(Comparison, AccuracyAndAucLieInTheirIntervals) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Parts parts = random_parts(seed);
    Candidates list;
    add_baselines(list, Protocol::sound, parts.training);
    add_published_ob(list, parts.training, 2);
    int seen = 0;
    for (const Measured& cell : compare(list, {.parts = parts}, {.intervals = true}).measured) {
      ASSERT_TRUE(cell.interval);
      EXPECT_LE(cell.interval->low, cell.interval->high);
      if (cell.metric != "ACC" && cell.metric != "AUC") continue;
      EXPECT_LT(cell.interval->low, cell.value) << cell.method << ' ' << cell.metric;
      EXPECT_GT(cell.interval->high, cell.value) << cell.method << ' ' << cell.metric;
      ++seen;
    }
    EXPECT_EQ(seen, 2 * steps_of(list));
  }
}

// Predicts the same for all, and complains.
class Complaining final : public FittedMethod {
 public:
  explicit Complaining(std::vector<std::string> warnings) : warnings_(std::move(warnings)) {}
  Eigen::VectorXd predict(const Eigen::MatrixXd& a, const Eigen::VectorXi&) const override {
    return Eigen::VectorXd::Constant(a.rows(), 0.5);
  }
  std::vector<std::string> warnings() const override { return warnings_; }

 private:
  std::vector<std::string> warnings_;
};

TEST(Comparison, EveryWarningOfAMethodIsPassedOnOnce) {
  const Parts parts = random_parts(7);
  const auto complain = [](const LogisticOptions&, int start) -> Fitted {
    return std::make_unique<Complaining>(
        std::vector<std::string>{"it has not converged", start == 1 ? "start 1 is odd" : "it has not converged"});
  };
  const Candidates list = {{Protocol::published, "X", 2, complain, 3}, {Protocol::sound, "X", {}, complain}};
  const std::vector<std::string> expected = {"X (published, k = 2): it has not converged",
                                             "X (published, k = 2): start 1 is odd", "X (sound): it has not converged"};
  for (const int threads : {1, 3}) EXPECT_EQ(compare(list, {.parts = parts}, {.threads = threads}).warnings, expected);
}

TEST(Comparison, SeparatedDataAreWarnedOf) {
  Parts parts = random_parts(8);
  parts.training.y = (parts.training.a.col(0).array() > 0).cast<double>();
  Candidates list;
  add_baselines(list, Protocol::sound, parts.training);
  const std::vector<std::string> warnings = compare(list, {.parts = parts}, {}).warnings;
  for (const char* method : {"ML", "FTU", "EO"})
    EXPECT_TRUE(any_starts_with(warnings, std::string(method) + " (sound): ")) << method;
}

TEST(Comparison, ChainsThatHaveNotConvergedAreWarnedOf) {
  const Parts parts = random_parts(9);
  const ScmOptions hasty{.chains = 2, .warmup = 0, .draws = 4, .thin = 1, .threads = 1};
  const Candidates list = {{Protocol::sound, "FL[mcmc]", {}, [&](const LogisticOptions& logistic, int) {
                              return fit_method("FL[mcmc]", parts.training,
                                                {.learner = logistic_learner(logistic), .scm = hasty});
                            }}};
  EXPECT_TRUE(any_starts_with(compare(list, {.parts = parts}, {}).warnings, "FL[mcmc] (sound): "));
}

TEST(Comparison, SparseComponentsThatHaveNotConvergedAreWarnedOf) {
  const Parts parts = random_parts(10);
  const auto fit = [&](int iterations) {
    return [&parts, iterations](const LogisticOptions& logistic, int) {
      return fit_method("SOB_2", parts.training,
                        {.learner = logistic_learner(logistic),
                         .rank = Rank::count(2),
                         .sob = {.l1_bound = 1.2, .max_iterations = iterations}});
    };
  };
  const Candidates list = {{Protocol::sound, "hasty", 2, fit(1)}, {Protocol::sound, "patient", 2, fit(100'000)}};
  const std::vector<std::string> warnings = compare(list, {.parts = parts}, {}).warnings;
  EXPECT_TRUE(any_starts_with(warnings, "hasty (sound, k = 2): "));
  EXPECT_FALSE(any_starts_with(warnings, "patient"));
}

}  // namespace
}  // namespace plumbline
