// The laws of the gap between groups; those of the predictions behind it are in method_test.cpp.
#include "metrics/counterfactual.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "random_people.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::permuted;
using testing::Random;
using testing::VectorXd;

class GapLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(GapLaw, TheGapIsTheLargestOverPairs) {
  const MatrixXd predictions = random.matrix(random.integer(1, 50), random.integer(1, 5));
  double largest = 0;
  for (Index g = 0; g < predictions.cols(); ++g)
    for (Index h = 0; h < predictions.cols(); ++h)
      largest = std::max(largest, predictions.col(g).mean() - predictions.col(h).mean());
  EXPECT_NEAR(counterfactual_gap(predictions), largest, 1e-15);
}

TEST_P(GapLaw, WholeWeightsAreRepeatedRows) {
  const MatrixXd predictions = random.matrix(30, 4);
  VectorXd weights(30);
  std::vector<Index> rows;
  for (Index i = 0; i < 30; ++i) {
    weights[i] = static_cast<double>(random.integer(i == 0 ? 1 : 0, 3));
    rows.insert(rows.end(), static_cast<std::size_t>(weights[i]), i);
  }
  EXPECT_NEAR(counterfactual_gap(predictions, weights), counterfactual_gap(permuted(predictions, rows)), 1e-13);
}

TEST_P(GapLaw, ColumnsWithoutPredictionsArePassedOver) {
  MatrixXd predictions = random.matrix(20, 4);
  const MatrixXd known = predictions.leftCols(3);
  predictions.col(3).setConstant(std::nan(""));
  EXPECT_EQ(counterfactual_gap(predictions), counterfactual_gap(known));
  predictions.setConstant(std::nan(""));
  EXPECT_TRUE(std::isnan(counterfactual_gap(predictions)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, GapLaw, ::testing::Range(1U, 13U));

TEST(Gap, RefusesWhatItCannotUse) {
  EXPECT_NE(message_of([] { counterfactual_gap(MatrixXd(0, 3)); }).find("no rows"), std::string::npos);
  EXPECT_NE(message_of([] { counterfactual_gap(MatrixXd::Zero(4, 3), VectorXd::Ones(3)); }), "");
  EXPECT_NE(
      message_of([] { counterfactual_gap(MatrixXd::Zero(4, 3), VectorXd::Zero(4)); }).find("every weight is zero"),
      std::string::npos);
  MatrixXd holed = MatrixXd::Zero(4, 3);
  holed(2, 1) = std::nan("");
  EXPECT_NE(message_of([&] { counterfactual_gap(holed); }).find("1 of 4 predictions for group 1 are NaN"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
