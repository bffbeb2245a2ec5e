// What equal spreads promise of new rows, where the truth is known.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

FitOptions spread_fit(bool diagonal) {
  FitOptions out;
  out.remove = Remove::spread;
  out.spread.diagonal = diagonal;
  return out;
}

MatrixXd mapped_by(const Fit& f, const MatrixXd& a, const MatrixXd& b) {
  MatrixXd out(a.rows(), a.cols());
  f.apply(a, b, out);
  return out;
}

// A = m(B) + D(B) ε with D diagonal: the noise of a row is known, so is what the row would have been at another b.
struct ScaledNoise {
  static constexpr Index kFeatures = 4;

  static MatrixXd at(const MatrixXd& b, const MatrixXd& noise) {
    MatrixXd out(b.rows(), kFeatures);
    for (Index i = 0; i < b.rows(); ++i)
      for (Index j = 0; j < kFeatures; ++j) {
        const double x = b(i, 0), c = static_cast<double>(j + 1);
        out(i, j) = std::sin(x + c) + 0.3 * x * c + std::exp(0.25 * std::sin(c * x) + 0.2 * x) * noise(i, j);
      }
    return out;
  }

  static MatrixXd noise(Random& random, Index rows) {
    return MatrixXd::NullaryExpr(rows, kFeatures, [&] { return random.student(5); });
  }
};

// The mean distance of a row's result from that at another b, over the standard deviation.
double exact_gap(Random& random, const Fit& f) {
  const Index n = 4000;
  const MatrixXd b = random.matrix(n, 1), other = random.matrix(n, 1), noise = ScaledNoise::noise(random, n);
  const MatrixXd one = mapped_by(f, ScaledNoise::at(b, noise), b),
                 two = mapped_by(f, ScaledNoise::at(other, noise), other);
  const VectorXd sd = (testing::centred(one).colwise().squaredNorm() / static_cast<double>(n)).cwiseSqrt();
  return ((one - two).cwiseAbs().colwise().mean().transpose().cwiseQuotient(sd)).mean();
}

TEST(SpreadPopulation, ExactGapOfDiagonalSpreadsFallsWhereThatOfMeansStays) {
  Random random(11);
  std::vector<double> of_spread, of_mean;
  for (const Index n : {1000, 4000, 16'000, 64'000}) {
    const MatrixXd b = random.matrix(n, 1), a = ScaledNoise::at(b, ScaledNoise::noise(random, n));
    of_spread.push_back(exact_gap(random, fit(a, b, spread_fit(true))));
    of_mean.push_back(exact_gap(random, fit(a, b)));
    RecordProperty("rows_" + std::to_string(n),
                   std::to_string(of_spread.back()) + " " + std::to_string(of_mean.back()));
  }
  EXPECT_LT(of_spread.back(), 0.3 * of_spread.front());
  for (std::size_t i = 1; i < of_spread.size(); ++i) EXPECT_LT(of_spread[i], of_spread[i - 1]);
  EXPECT_LT(of_spread.back(), 0.05);
  for (const double gap : of_mean) EXPECT_GT(gap, 0.2);
}

// ‖A − Ã‖² = Σ_j Var m_j(B) + Var σ_j(B), the least of all maps whose result is independent of B.
TEST(SpreadPopulation, ChangeIsTheLeastInTheLimit) {
  Random random(12);
  const Index n = 100'000;
  const MatrixXd b = random.matrix(n, 1),
                 noise = MatrixXd::NullaryExpr(n, ScaledNoise::kFeatures, [&] { return random.normal(); });
  const MatrixXd a = ScaledNoise::at(b, noise), zero = MatrixXd::Zero(n, ScaledNoise::kFeatures);
  const MatrixXd m = ScaledNoise::at(b, zero), sd = ScaledNoise::at(b, zero.array() + 1) - m;
  const double least =
      (testing::centred(m).squaredNorm() + testing::centred(sd).squaredNorm()) / static_cast<double>(n);
  FitOptions options = spread_fit(true);
  options.standardize = false;
  const double change = (a - mapped_by(fit(a, b, options), a, b)).squaredNorm() / static_cast<double>(n);
  EXPECT_NEAR(change, least, 0.02 * least);
}

// Normal given b, with means and a covariance that turns with b.
struct Turning {
  Index numbers, levels;
  int most;  // rejections of 60: 9 at level .05 with probability .999

  MatrixXd sensitive(Random& random, Index n) const {
    MatrixXd b(n, numbers + levels);
    b.leftCols(numbers) = random.matrix(n, numbers);
    if (levels > 0) b.rightCols(levels) = random.one_hot(n, levels);
    return b;
  }

  MatrixXd features(Random& random, const MatrixXd& b) const {
    MatrixXd out(b.rows(), 3);
    for (Index i = 0; i < b.rows(); ++i) {
      const double first = b(i, 0), last = b(i, b.cols() - 1), angle = 0.7 * std::tanh(first) + 0.4 * last;
      const double x = 2 * random.normal(), y = std::exp(0.3 * last) * random.normal(), z = 0.6 * random.normal();
      out(i, 0) = std::cos(angle) * x - std::sin(angle) * y + std::sin(first);
      out(i, 1) = std::sin(angle) * x + std::cos(angle) * y + 0.5 * last;
      out(i, 2) = z + 0.3 * x + 0.2 * first * first;
    }
    return out;
  }
};

// A test of independence by permutation: squared correlations of features, and of their products, with terms of b.
double p_value(Random& random, const MatrixXd& a, const MatrixXd& b) {
  const Index n = a.rows(), q = a.cols();
  MatrixXd products(n, q + q * (q + 1) / 2), terms(n, 3 * b.cols());
  products.leftCols(q) = testing::centred(a);
  Index at = q;
  for (Index i = 0; i < q; ++i)
    for (Index j = 0; j <= i; ++j) products.col(at++) = products.col(i).cwiseProduct(products.col(j));
  terms << b, b.cwiseAbs2(), b.array().sin().matrix();
  const auto standardised = [](MatrixXd x) {
    x = testing::centred(x);
    for (Index j = 0; j < x.cols(); ++j) x.col(j) /= std::max(x.col(j).norm(), 1e-12);
    return x;
  };
  products = standardised(products);
  terms = standardised(terms);
  const double found = (products.transpose() * terms).squaredNorm();
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  int above = 0;
  constexpr int kPermutations = 99;
  for (int r = 0; r < kPermutations; ++r) {
    for (Index i = n - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.integer(0, i))]);
    above += (products.transpose() * terms(order, Eigen::all)).squaredNorm() >= found ? 1 : 0;
  }
  return (above + 1.0) / (kPermutations + 1.0);
}

class SpreadIndependence : public ::testing::TestWithParam<Turning> {};

TEST_P(SpreadIndependence, TestsOnNewRowsRejectAtTheirLevel) {
  constexpr int kRuns = 60;
  int of_spread = 0, of_mean = 0;
  for (unsigned run = 0; run < kRuns; ++run) {
    Random random(run + 1000);
    const MatrixXd b = GetParam().sensitive(random, 12'000), a = GetParam().features(random, b);
    const MatrixXd new_b = GetParam().sensitive(random, 300), new_a = GetParam().features(random, new_b);
    of_spread += p_value(random, mapped_by(fit(a, b, spread_fit(false)), new_a, new_b), new_b) <= 0.05 ? 1 : 0;
    of_mean += p_value(random, mapped_by(fit(a, b), new_a, new_b), new_b) <= 0.05 ? 1 : 0;
  }
  RecordProperty("rejections", std::to_string(of_spread) + " " + std::to_string(of_mean));
  EXPECT_LE(of_spread, GetParam().most);
  EXPECT_GE(of_mean, kRuns / 2);
}

// Among three numbers 64 regions of 12,000 rows are wide: within one, covariances still differ.
INSTANTIATE_TEST_SUITE_P(Sensitive, SpreadIndependence,
                         ::testing::Values(Turning{1, 0, 9}, Turning{3, 0, 25}, Turning{2, 3, 9}));

}  // namespace
}  // namespace plumbline
