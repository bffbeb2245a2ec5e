#include "debias/barycentre.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

MatrixXd root_of(const MatrixXd& s) { return Eigen::SelfAdjointEigenSolver<MatrixXd>(s).operatorSqrt(); }

MatrixXd random_covariance(Random& random, Index d) {
  const MatrixXd x = random.matrix(2 * d, d);
  return x.transpose() * x / static_cast<double>(d);
}

// Σ_k π_k d²(S, Σ_k), by the definition.
double mean_distance(const MatrixXd& s, const std::vector<MatrixXd>& covariances, const VectorXd& weights) {
  const MatrixXd root = root_of(s);
  double out = 0;
  for (std::size_t k = 0; k < covariances.size(); ++k)
    out += weights[static_cast<Index>(k)] *
           (s.trace() + covariances[k].trace() - 2 * root_of(root * covariances[k] * root).trace());
  return out;
}

struct Barycentric {
  std::vector<MatrixXd> covariances;
  VectorXd weights;

  explicit Barycentric(unsigned seed) {
    Random random(seed);
    const Index d = random.integer(1, 8), count = random.integer(1, 7);
    weights = random.matrix(count, 1).cwiseAbs().array() + 0.05;
    weights /= weights.sum();
    for (Index k = 0; k < count; ++k) covariances.push_back(random_covariance(random, d));
  }
};

TEST(Barycentre, IsReachedFromEachCovarianceByItsMap) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Barycentric p(seed);
    const Barycentre found = bures_barycentre(p.covariances, p.weights, 1e-10, 500);
    ASSERT_TRUE(found.converged) << seed;
    MatrixXd mean = MatrixXd::Zero(found.centre.rows(), found.centre.rows());
    for (std::size_t k = 0; k < p.covariances.size(); ++k) {
      const MatrixXd& t = found.maps[k];
      EXPECT_LT((t * p.covariances[k] * t - found.centre).norm(), 1e-9 * found.centre.norm()) << seed;
      EXPECT_LT((t - t.transpose()).norm(), 1e-12 * t.norm());
      mean += p.weights[static_cast<Index>(k)] * t;
    }
    EXPECT_LT((mean - MatrixXd::Identity(mean.rows(), mean.rows())).cwiseAbs().maxCoeff(), 1e-9) << seed;
  }
}

TEST(Barycentre, IsNearerToAllThanWhatLiesBeside) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Barycentric p(seed);
    const Barycentre found = bures_barycentre(p.covariances, p.weights, 1e-10, 500);
    const double least = mean_distance(found.centre, p.covariances, p.weights);
    Random random(seed + 100);
    const Index d = found.centre.rows();
    for (int i = 0; i < 10; ++i) {
      const MatrixXd x = MatrixXd::Identity(d, d) + 0.05 * random.matrix(d, d);
      EXPECT_GT(mean_distance(x * found.centre * x.transpose(), p.covariances, p.weights), least) << seed;
    }
  }
}

TEST(Barycentre, OfDiagonalCovariancesIsTheSquareOfTheMeanRoot) {
  Random random(1);
  std::vector<MatrixXd> covariances;
  VectorXd mean = VectorXd::Zero(5), weights = VectorXd::Constant(4, 0.25);
  for (int k = 0; k < 4; ++k) {
    const VectorXd sd = random.matrix(5, 1).cwiseAbs().array() + 0.1;
    covariances.emplace_back(sd.cwiseAbs2().asDiagonal());
    mean += sd / 4;
  }
  const MatrixXd expected = mean.cwiseAbs2().asDiagonal();
  EXPECT_LT((bures_barycentre(covariances, weights, 1e-12, 500).centre - expected).norm(), 1e-9);
}

TEST(Barycentre, SaysThatItHasNotConverged) {
  const Barycentric p(3);
  const Barycentre found = bures_barycentre(p.covariances, p.weights, 1e-30, 3);
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.iterations, 3);
}

}  // namespace
}  // namespace plumbline
