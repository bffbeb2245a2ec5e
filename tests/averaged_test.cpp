// Averages over groups: the sum that they are, and what is refused.
#include "predict/averaged.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using Eigen::VectorXi;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

struct Linear final : Predictor {
  explicit Linear(VectorXd slope) : beta(std::move(slope)) {}
  VectorXd predict(const MatrixXd& x) const override { return x * beta; }
  VectorXd beta;
};

class AveragedLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  int levels = static_cast<int>(random.integer(1, 5));
  Index q = random.integer(0, 4);
  MatrixXd a = random.matrix(30, q);
  VectorXd beta = random.matrix(levels + q, 1);
};

TEST_P(AveragedLaw, IndicatorsComeBeforeTheFeatures) {
  VectorXi s = VectorXi::NullaryExpr(30, [&] { return static_cast<int>(random.integer(0, levels - 1)); });
  const VectorXd found = Linear(beta).predict(with_groups(a, s, levels));
  const VectorXd features = a * beta.tail(q);
  for (Index i = 0; i < 30; ++i) EXPECT_NEAR(found[i], beta[s[i]] + features[i], 1e-12);
  EXPECT_TRUE(with_groups(a, 0, levels) == with_groups(a, VectorXi::Zero(30), levels));
}

TEST_P(AveragedLaw, TheAverageIsTheSumOverGroupsWithTheirShares) {
  VectorXd shares = random.matrix(levels, 1).cwiseAbs();
  if (levels > 1) shares[random.integer(0, levels - 1)] = 0;
  shares /= shares.sum();
  const auto f = std::make_shared<const Linear>(beta);
  const VectorXd expected = (a * beta.tail(q)).array() + shares.dot(beta.head(levels));
  EXPECT_LE((AveragedPredictor(f, shares).predict(a) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AveragedLaw, ::testing::Range(1U, 9U));

TEST(Averaged, RefusesWhatItCannotUse) {
  const MatrixXd a = MatrixXd::Zero(2, 1);
  EXPECT_NE(message_of([&] { with_groups(a, 3, 3); }).find("a group is 3"), std::string::npos);
  EXPECT_NE(message_of([&] { with_groups(a, VectorXi::Zero(3), 3); }).find("same rows"), std::string::npos);
  const auto f = std::make_shared<const Linear>(VectorXd::Zero(3));
  EXPECT_NE(message_of([&] { AveragedPredictor(f, VectorXd::Ones(2)); }).find("add up to 2"), std::string::npos);
  EXPECT_NE(message_of([&] { AveragedPredictor(f, VectorXd{{2, -1}}); }), "");
}

}  // namespace
}  // namespace plumbline
