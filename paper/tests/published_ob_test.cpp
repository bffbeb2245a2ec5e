#include "paper/reproduction/published_ob.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "predict/least_squares.h"
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

VectorXd code_of(const Sample& sample) { return sample.s.cast<double>(); }

ContinuousSample numbers(unsigned seed, Index rows = 300, Index features = 5) {
  Random random(seed);
  const MatrixXd b = random.matrix(rows, 1).array() + 2;
  const MatrixXd a = (b * random.matrix(1, features) + random.matrix(rows, features)).array() + 1;
  return {a, b, a.rowwise().sum() + random.matrix(rows, 1)};
}

// Residuals of x on 1 and b.
MatrixXd residual(const MatrixXd& x, const VectorXd& b) {
  MatrixXd design(x.rows(), 2);
  design << VectorXd::Ones(x.rows()), b;
  return x - design * least_squares(design, x);
}

TEST(PublishedOb, IsTheResidualInTheFirstSingularDirections) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Sample in_groups = people(seed);
    const ContinuousSample of_numbers = numbers(seed);
    for (const auto& [a, b] : {std::pair{in_groups.a, code_of(in_groups)}, {of_numbers.a, of_numbers.b.col(0)}})
      for (Index k = 1; k <= 5; ++k) {
        const MatrixXd u = reference_svd(a).v.leftCols(k);
        const MatrixXd expected = residual(a * u, b) * u.transpose();
        EXPECT_LT(largest(ob_of_batch(a, b, k) - expected), 1e-10);
      }
  }
}

TEST(PublishedOb, InABatchOfOneGroupNothingGoesButTheMean) {
  const Sample sample = people(7);
  for (int g = 0; g < 4; ++g) {
    const VectorXd same = VectorXd::Constant(sample.s.size(), g);
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
  const VectorXd b = code_of(sample);
  const MatrixXd r = residual(sample.a, b);
  const MatrixXd axes = reference_svd(r).v;
  for (Index k = 1; k <= 3; ++k) {
    const MatrixXd u = axes.leftCols(k);
    const MatrixXd found =
        sob_of_batch(sample.a, b, {.rank = k, .tolerance = 1e-12, .max_iterations = 100000, .seed = 1});
    EXPECT_LT(largest(found - r * u * u.transpose()), 1e-6);
  }
}

TEST(PublishedSob, IsOrthogonalToTheCodeHoweverEarlyItStops) {
  const Sample sample = people(10);
  const VectorXd b = code_of(sample);
  for (const double tolerance : {1.0, 1e-1, 1e-2}) {
    const MatrixXd fair = sob_of_batch(sample.a, b, {.rank = 2, .tolerance = tolerance});
    EXPECT_LT(largest(fair - residual(fair, b)), 1e-10);
    const VectorXd values = reference_svd(fair).values;
    EXPECT_LE(values[2], 1e-9 * values[0]);
  }
}

TEST(PublishedSob, StartsFollowTheSeedAndTheBatch) {
  const Sample sample = people(11);
  const VectorXd b = code_of(sample), zero = VectorXd::Zero(b.size());
  const MatrixXd once = sob_of_batch(sample.a, b, {.seed = 3});
  EXPECT_EQ(once, sob_of_batch(sample.a, b, {.seed = 3}));
  EXPECT_NE(once, sob_of_batch(sample.a, b, {.seed = 4}));
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

// What the training batch was taken by, and not what other rows are like, is what the kept map takes from them.
TEST(PublishedOb, ItsMapIsThePrintedFormulaWithWhatTheTrainingBatchGave) {
  for (unsigned seed = 14; seed < 18; ++seed) {
    const ContinuousSample training = numbers(seed), other = numbers(seed + 100, 40);
    for (const Index k : {1, 3, 5}) {
      const MatrixXd u = reference_svd(training.a).v.leftCols(k);
      MatrixXd design(training.rows(), 2), others(other.rows(), 2);
      design << VectorXd::Ones(training.rows()), training.b;
      others << VectorXd::Ones(other.rows()), other.b;
      const MatrixXd expected = (other.a * u - others * least_squares(design, training.a * u)) * u.transpose();
      const auto map = published::ob_map(training.a, training.b.col(0), k);
      EXPECT_LT(largest(map(other.a, other.b.col(0)) - expected), 1e-10);
    }
  }
}

TEST(PublishedOb, ABatchOfNumbersLeavesNoCorrelationIfRefittedAndSomeIfNot) {
  const ContinuousSample training = numbers(20), other = numbers(21, 80);
  const VectorXd b = other.b.col(0).array() - other.b.mean();
  const auto left = [&](const MatrixXd& a) { return largest(b.transpose() * a); };
  EXPECT_LT(left(ob_of_batch(other.a, other.b.col(0), 3)), 1e-9);
  EXPECT_LT(left(sob_of_batch(other.a, other.b.col(0), {.rank = 3})), 1e-9);
  EXPECT_GT(left(published::ob_map(training.a, training.b.col(0), 3)(other.a, other.b.col(0))), 1.0);
}

TEST(PublishedOb, PredictionsFollowTheBatchOnlyIfItIsRefitted) {
  using published::Batches;
  const ContinuousSample training = numbers(22), test = numbers(23, 60);
  const published::BatchSobOptions options{.rank = 3};
  for (const Batches batches : {Batches::keep_the_first, Batches::refit_each}) {
    const FittedContinuous methods[] = {published::fit_ob(training, least_squares_learner(), 3, batches),
                                        published::fit_sob(training, least_squares_learner(), options, batches)};
    for (const FittedContinuous& method : methods) {
      const VectorXd whole = method->predict(test.a, test.b);
      const double moved = largest(whole.head(30) - method->predict(test.a.topRows(30), test.b.topRows(30)));
      EXPECT_EQ(moved > 1e-3, batches == Batches::refit_each) << moved;
      EXPECT_EQ(moved < 1e-12, batches == Batches::keep_the_first) << moved;
    }
  }
  const auto ob = [&](Batches batches) { return published::fit_ob(training, least_squares_learner(), 3, batches); };
  EXPECT_EQ(ob(Batches::keep_the_first)->predict(training.a, training.b),
            ob(Batches::refit_each)->predict(training.a, training.b));
}

TEST(PublishedOb, RefusesWhatIsNoBatch) {
  const Sample sample = people(13);
  const VectorXd b = code_of(sample);
  EXPECT_NE(message_of([&] { ob_of_batch(sample.a, b, 6); }).find("the rank is 6"), std::string::npos);
  EXPECT_NE(message_of([&] { ob_of_batch(sample.a, b.head(2), 1); }).find("2 numbers b"), std::string::npos);
  EXPECT_NE(message_of([&] { ob_of_batch(MatrixXd(0, 2), {}, 1); }).find("no rows"), std::string::npos);
  EXPECT_NE(message_of([&] { sob_of_batch(sample.a, b, {.tolerance = 0}); }).find("tolerance is 0"), std::string::npos);
  ContinuousSample two = numbers(24);
  two.b = two.a.leftCols(2);
  EXPECT_NE(message_of([&] {
              published::fit_ob(two, least_squares_learner(), 1, published::Batches::refit_each);
            }).find("b has 2 columns"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
