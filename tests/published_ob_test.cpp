#include "paper/published_ob.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "random_people.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using published::ob_of_batch;
using published::recentred;
using published::sob_of_batch;
using testing::largest;
using testing::least_squares;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::random_people;
using testing::reference_svd;
using testing::VectorXd;

Sample people(unsigned seed, Index rows = 300, Index features = 5) {
  Random random(seed);
  return random_people(random, rows, features, 4);
}

// Residuals of x on 1 and the number of the group.
MatrixXd residual(const MatrixXd& x, const Eigen::VectorXi& s) {
  MatrixXd design(x.rows(), 2);
  design << VectorXd::Ones(x.rows()), s.cast<double>();
  return x - design * least_squares(design, x);
}

TEST(PublishedOb, IsTheResidualInTheFirstSingularDirections) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Sample sample = people(seed);
    for (Index k = 1; k <= 5; ++k) {
      const MatrixXd u = reference_svd(sample.a).v.leftCols(k);
      const MatrixXd expected = residual(sample.a * u, sample.s) * u.transpose();
      EXPECT_LT(largest(ob_of_batch(sample.a, sample.s, k) - expected), 1e-10);
    }
  }
}

TEST(PublishedOb, InABatchOfOneGroupNothingGoesButTheMean) {
  const Sample sample = people(7);
  for (int g = 0; g < 4; ++g) {
    const Eigen::VectorXi same = Eigen::VectorXi::Constant(sample.s.size(), g);
    EXPECT_LT(largest(ob_of_batch(sample.a, same, 5) - recentred(sample.a)), 1e-11);
  }
}

// What makes the published CF, EO and AA small: a shift of the whole batch cannot be seen.
TEST(PublishedOb, ABatchThatIsShiftedAsAWholeGivesTheSame) {
  const Sample training = people(8);
  const auto method = published::fit_ob_on_every_batch(training, {}, Use::alone, 5);
  const Eigen::VectorXi first = Eigen::VectorXi::Zero(training.s.size());
  const MatrixXd shifted = training.a.rowwise() + Eigen::RowVectorXd::Constant(5, 3.0);
  EXPECT_LT(largest(method->predict(training.a, first) - method->predict(shifted, first.array() + 3)), 1e-9);
  // A row's prediction depends on the rows beside it.
  EXPECT_GT(largest(method->predict(training.a, training.s).head(50) -
                    method->predict(training.a.topRows(50), training.s.head(50))),
            1e-3);
}

TEST(PublishedSob, ConvergedItIsTheResidualInItsOwnFirstDirections) {
  const Sample sample = people(9);
  const MatrixXd r = residual(sample.a, sample.s);
  const MatrixXd axes = reference_svd(r).v;
  for (Index k = 1; k <= 3; ++k) {
    const MatrixXd u = axes.leftCols(k);
    const MatrixXd found =
        sob_of_batch(sample.a, sample.s, {.rank = k, .tolerance = 1e-12, .max_iterations = 100000, .seed = 1});
    EXPECT_LT(largest(found - r * u * u.transpose()), 1e-6);
  }
}

TEST(PublishedSob, IsOrthogonalToTheCodeHoweverEarlyItStops) {
  const Sample sample = people(10);
  for (const double tolerance : {1.0, 1e-1, 1e-2}) {
    const MatrixXd fair = sob_of_batch(sample.a, sample.s, {.rank = 2, .tolerance = tolerance});
    EXPECT_LT(largest(fair - residual(fair, sample.s)), 1e-10);
    const VectorXd values = reference_svd(fair).values;
    EXPECT_LE(values[2], 1e-9 * values[0]);
  }
}

TEST(PublishedSob, StartsFollowTheSeedAndTheBatch) {
  const Sample sample = people(11);
  const MatrixXd once = sob_of_batch(sample.a, sample.s, {.seed = 3});
  EXPECT_EQ(once, sob_of_batch(sample.a, sample.s, {.seed = 3}));
  EXPECT_NE(once, sob_of_batch(sample.a, sample.s, {.seed = 4}));
  const Eigen::VectorXi zero = Eigen::VectorXi::Zero(sample.s.size());
  EXPECT_NE(sob_of_batch(sample.a, zero, {}), sob_of_batch(sample.a, zero.array() + 1, {}));
}

TEST(LeastNorm, FitsAsWellAsAnyAndIgnoresWhatTrainingHasNotSeen) {
  const Sample sample = people(12, 400, 3);
  Random random(12);
  const MatrixXd directions = random.orthonormal(5, 3);
  const MatrixXd x = sample.a * directions.transpose();  // rank 3 of 5
  const auto plain = logistic_learner()(sample.a, sample.y);
  const auto least = published::least_norm()(x, sample.y);
  EXPECT_LT(largest(plain->predict(sample.a) - least->predict(x)), 1e-8);
  // What lies across the row space changes nothing, which is what the least norm means.
  const MatrixXd across = random.matrix(400, 5) * (MatrixXd::Identity(5, 5) - directions * directions.transpose());
  EXPECT_LT(largest(least->predict(x + across) - least->predict(x)), 1e-8);
}

TEST(PublishedOb, RefusesWhatIsNoBatch) {
  const Sample sample = people(13);
  EXPECT_NE(message_of([&] { ob_of_batch(sample.a, sample.s, 6); }).find("the rank is 6"), std::string::npos);
  EXPECT_NE(message_of([&] { ob_of_batch(sample.a, sample.s.head(2), 1); }).find("2 groups"), std::string::npos);
  EXPECT_NE(message_of([&] { ob_of_batch(MatrixXd(0, 2), {}, 1); }).find("no rows"), std::string::npos);
  EXPECT_NE(message_of([&] { sob_of_batch(sample.a, sample.s, {.tolerance = 0}); }).find("tolerance is 0"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
