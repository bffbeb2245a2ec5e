#include "debias/boosted_trees.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

TEST(BoostedTrees, FindProductsAndHaveTheSameBitsOnAnyNumberOfThreads) {
  const std::optional<Attacker> trees = boosted_trees(1);
  if (!trees) GTEST_SKIP() << "without XGBoost";
  Random random(1);
  const MatrixXd x = random.matrix(3000, 4);
  MatrixXd y(3000, 2);
  y.col(0) = 1e6 + 1e3 * x.col(0).cwiseProduct(x.col(1)).array();
  for (Index i = 0; i < 3000; ++i) y(i, 1) = x(i, 2) * x(i, 3) > 0 ? 1.0 : 0.0;
  const std::vector<ReadAs> as = {ReadAs::number, ReadAs::level};
  const auto predicted = [&](const Attacker& attacker, const VectorXd& weights) {
    return attacker.predict(x.topRows(2000), y.topRows(2000), weights, as, x.bottomRows(1000));
  };
  const MatrixXd one = predicted(*trees, {});
  const VectorXd truth = y.col(0).tail(1000);
  EXPECT_LT((one.col(0) - truth).squaredNorm() / (truth.array() - truth.mean()).matrix().squaredNorm(), 0.2);
  EXPECT_LT(((one.col(1).array() > 0.5).cast<double>() - y.col(1).tail(1000).array()).abs().mean(), 0.1);
  EXPECT_EQ(predicted(*boosted_trees(3), {}), one);
  EXPECT_LT((predicted(*trees, VectorXd::Constant(2000, 0.25)) - one).cwiseAbs().maxCoeff(), 1e-9)
      << "weights of one size";
}

}  // namespace
}  // namespace plumbline
