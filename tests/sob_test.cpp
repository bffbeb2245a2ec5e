// The laws of the sparse components, and of the soft threshold beneath them.
#include "plumbline/sob.h"

#include <gtest/gtest.h>

#include "debias/operators.h"
#include "debias/sob_solver.h"
#include "debias/soft_threshold.h"
#include "plumbline/fit.h"
#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::centred;
using testing::leading_eigenvector;
using testing::MatrixXd;
using testing::Random;
using testing::range_of;
using testing::VectorXd;

VectorXd threshold(const VectorXd& g, double h, SoftThresholdScratch scratch = {}) {
  VectorXd u;
  unit_soft_threshold(g, h, scratch, u);
  return u;
}

class SobLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(SobLaw, ThresholdIsTheSmallestThatMeetsTheBound) {
  const Index q = random.integer(2, 40);
  const VectorXd g = random.matrix(q, 1);
  const double h = random.uniform(1, std::sqrt(static_cast<double>(q)) * 1.1);
  const VectorXd u = threshold(g, h);
  EXPECT_NEAR(u.norm(), 1, 1e-14);
  EXPECT_LE(u.lpNorm<1>(), h * (1 + 1e-12));
  if (g.lpNorm<1>() > h * g.norm()) {
    EXPECT_NEAR(u.lpNorm<1>(), h, 1e-10);
  }

  // The root by bisection on the definition.
  const auto shrunk = [&](double theta) -> VectorXd {
    return (g.cwiseAbs().array() - theta).max(0.0) * g.array().sign();
  };
  double low = 0, high = g.cwiseAbs().maxCoeff();
  if (g.lpNorm<1>() <= h * g.norm()) high = 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    const VectorXd s = shrunk(middle);
    (s.norm() > 0 && s.lpNorm<1>() > h * s.norm() ? low : high) = middle;
  }
  const VectorXd reference = shrunk(low).normalized();
  EXPECT_LE((u - reference).norm(), 1e-6);

  // It maximises gᵀu within the unit ball and the bound.
  for (int round = 0; round < 50; ++round) {
    VectorXd other = (u + random.uniform(0, 0.5) * random.matrix(q, 1)).normalized();
    other = threshold(other, h);
    EXPECT_LE(g.dot(other), g.dot(u) + 1e-12);
  }
}

TEST_P(SobLaw, TheGuessOfTheThresholdLeavesNoTrace) {
  for (int round = 0; round < 200; ++round) {
    const Index q = random.integer(2, 60);
    VectorXd g = random.matrix(q, 1);
    if (random.integer(0, 1) == 0) g = g.array().round();  // ties
    if (g.isZero(0)) continue;
    const double h = random.uniform(1, std::sqrt(static_cast<double>(q)));
    EXPECT_LE((threshold(g, h, {.entries = {}, .root = random.uniform(-0.1, 1.1)}) - threshold(g, h)).norm(), 1e-12);
  }
}

TEST(SoftThreshold, TiesKeepTheFirst) {
  const VectorXd g = (VectorXd(5) << 1, -3, 3, 3, 0).finished();
  EXPECT_TRUE(threshold(g, 1) == (VectorXd(5) << 0, -1, 0, 0, 0).finished());
  EXPECT_LE((threshold(g, std::sqrt(2.0)) - (VectorXd(5) << 0, -1, 1, 0, 0).finished() / std::sqrt(2.0)).norm(), 1e-12);
  EXPECT_LE((threshold(VectorXd::Ones(4), 1.5).lpNorm<1>()), 1.5);
}

// Entries that are equal but for rounding or some noise, above others or alone, with a bound about the root of their
// number: where the formula for θ divides by nothing.
TEST_P(SobLaw, NearTiesLeaveAUnitVectorWithinTheBound) {
  for (int round = 0; round < 500; ++round) {
    const Index ties = random.integer(1, 5) * random.integer(1, 5),
                others = random.integer(0, 1) * random.integer(1, 60);
    const double noise = std::pow(10, random.uniform(-17, -3));
    VectorXd g = random.matrix(ties + others, 1) * std::pow(10, random.uniform(-12, -0.5));
    g.head(ties) = VectorXd::Ones(ties) + noise * random.matrix(ties, 1);
    for (Index i = 0; i < g.size(); ++i)
      if (random.integer(0, 1) == 0) g[i] = -g[i];
    g *= std::pow(10, random.uniform(-3, 3));
    const double root = std::sqrt(static_cast<double>(ties));
    for (const double off : {0.0, 1e-16, 3e-16, 1e-15, 1e-13, 1e-9, 1e-5, 0.1})
      for (const double h : {root * (1 - off), root * (1 + off)}) {
        if (h < 1) continue;
        const VectorXd u = threshold(g, h, {.entries = {}, .root = random.uniform(0, 1)});
        ASSERT_NEAR(u.norm(), 1, 1e-14) << g.transpose() << " h " << h;
        ASSERT_LE(u.lpNorm<1>(), h * (1 + 1e-12)) << g.transpose() << " h " << h;
        ASSERT_TRUE((u.array() * g.array() >= 0).all());
        // Rounding is all that can be better: no sign vector of ⌊h²⌋ entries, nor the best dense one within the bound.
        VectorXd best = VectorXd::Zero(g.size());
        for (Index i = 0; i < std::min(ties, static_cast<Index>(h * h * (1 + 1e-15))); ++i) best[i] = g[i] < 0 ? -1 : 1;
        EXPECT_GE(g.dot(u), g.dot(best.normalized()) * (1 - 1e-11) - 4 * noise * g.norm()) << h;
      }
  }
}

struct Problem {
  MatrixXd a, b, gram, residual;
};

Problem problem(MatrixXd b, MatrixXd a) {
  const Index n = a.rows(), q = a.cols();
  Problem out;
  out.b = std::move(b);
  out.a = std::move(a);
  MatrixXd x = centred(out.a);
  for (Index j = 0; j < q; ++j) x.col(j) *= std::sqrt(static_cast<double>(n)) / x.col(j).norm();
  const MatrixXd basis = range_of(centred(out.b));
  out.residual = (x - basis * (basis.transpose() * x)) / std::sqrt(static_cast<double>(n));
  out.gram = out.residual.transpose() * out.residual;
  return out;
}

Problem problem(Random& random, Index n, Index q) {
  const MatrixXd b = random.matrix(n, 2);
  return problem(b, random.features(b, q));
}

TEST_P(SobLaw, ComponentsKeepTheirConstraints) {
  const Index q = random.integer(3, 40), k = random.integer(1, std::min<Index>(q, 6));
  const Problem p = problem(random, random.integer(60, 300), q);
  for (const double h : {1.0, 1.3, std::sqrt(static_cast<double>(q))}) {
    const GramOperator op(p.gram);
    const SobComponents c = SobSolver<GramOperator>(op, {.l1_bound = h}).solve(Rank::count(k));
    ASSERT_EQ(c.u.cols(), k);
    const MatrixXd s = p.residual * c.w;
    EXPECT_LE((s.transpose() * s - MatrixXd::Identity(k, k)).cwiseAbs().maxCoeff(), 1e-10);
    for (Index j = 0; j < k; ++j) {
      EXPECT_NEAR(c.u.col(j).norm(), 1, 1e-12);
      EXPECT_LE(c.u.col(j).lpNorm<1>(), h * (1 + 1e-12));
      if (h == 1) {
        EXPECT_EQ((c.u.col(j).array() != 0).count(), 1);
      }
    }
    // ‖R − Ã‖² = ‖R‖² − Σ d².
    const MatrixXd fair = s * c.d.asDiagonal() * c.u.transpose();
    EXPECT_NEAR((p.residual - fair).squaredNorm(), p.residual.squaredNorm() - c.d.squaredNorm(),
                1e-10 * p.residual.squaredNorm());
  }
}

// Algorithm 1 as printed but for the constraint, on n-vectors, from the same start: what coefficient space must equal.
TEST_P(SobLaw, EqualsTheAlgorithmInTheSpaceOfRows) {
  const Index q = random.integer(4, 20), k = 3;
  const Problem p = problem(random, 120, q);
  const double h = random.uniform(1.2, 2.2), tolerance = 1e-9;
  const GramOperator op(p.gram);
  const SobComponents c = SobSolver<GramOperator>(op, {.l1_bound = h, .tolerance = tolerance, .max_iterations = 20000})
                              .solve(Rank::count(k));
  MatrixXd s(120, 0);
  for (Index j = 0; j < k; ++j) {
    ASSERT_EQ(c.status[j], SobStatus::converged);
    const MatrixXd deflated = p.residual - s * (s.transpose() * p.residual);
    VectorXd u = leading_eigenvector(deflated.transpose() * deflated);
    if (u.dot(c.u.col(j)) < 0) u = -u;
    VectorXd score;
    for (int i = 0; i < 20000; ++i) {
      score = (deflated * u).normalized();
      const VectorXd next = threshold(p.residual.transpose() * score, h);
      const bool done = (next - u).norm() < 1e-12;
      u = next;
      if (done) break;
    }
    EXPECT_LE((u - c.u.col(j)).norm(), 1e-5);
    s.conservativeResize(Eigen::NoChange, j + 1);
    s.col(j) = p.residual * c.w.col(j);
  }
}

// Independent features make for flat maxima, where steps without momentum end at the iteration limit.
TEST_P(SobLaw, FlatMaximaAreReached) {
  const Index n = 1000, q = random.integer(60, 100), k = 5;
  const MatrixXd b = random.matrix(n, 2);
  const Problem p = problem(b, random.matrix(n, q));
  const double h = random.uniform(2, 5);
  const SobOptions options{.l1_bound = h};
  const SobComponents c = SobSolver<GramOperator>(GramOperator(p.gram), options).solve(Rank::count(k));
  MatrixXd deflated = p.gram;
  for (Index j = 0; j < k; ++j) {
    EXPECT_EQ(c.status[j], SobStatus::converged);
    const VectorXd u = c.u.col(j), next = threshold(deflated * u, h);
    EXPECT_LE((next - u).norm(), options.tolerance);
    const VectorXd g = p.gram * c.w.col(j);
    deflated -= g * g.transpose();
  }
}

TEST_P(SobLaw, GramAndMatrixFreeAgree) {
  for (const bool wide : {true, false}) {
    const Index few = random.integer(8, 60), many = few + random.integer(1, 120);
    const Index n = wide ? few : many, q = wide ? many : few;
    const Problem p = problem(random, n, q);
    for (const double h : {1.5, 3.0, 20.0}) {
      FitOptions options{.method = Method::sob,
                         .rank = Rank::count(random.integer(1, 5)),
                         .sob = {.l1_bound = h, .form = SobForm::gram}};
      const Fit gram = fit(p.a, p.b, options);
      options.sob.form = SobForm::matrix_free;
      const Fit free = fit(p.a, p.b, options);
      const VectorXd unit = centred(p.a).colwise().norm().cwiseInverse() * std::sqrt(static_cast<double>(n));
      EXPECT_LE(((gram.model.apply(p.a, p.b) - free.model.apply(p.a, p.b)) * unit.asDiagonal()).cwiseAbs().maxCoeff(),
                1e-10);
      EXPECT_LE(testing::max_correlation(free.model.apply(p.a, p.b), p.b), 1e-12);
      EXPECT_TRUE(free.certificate.holds(1e-12));
      EXPECT_NEAR(free.certificate.change, gram.certificate.change, 1e-10);
    }
  }
}

// What deflation leaves, from the side that has fewer dimensions.
TEST_P(SobLaw, OperatorsAgreeOnWhatDeflationLeaves) {
  for (const auto& [n, q] : {std::pair<Index, Index>{12, 40}, {40, 12}}) {
    const MatrixXd r = random.matrix(n, q);
    MatrixXd left = r.transpose() * r;
    ResidualOperator free(r);
    GramOperator gram(left);
    for (int found = 0; found <= 3; ++found) {
      const VectorXd expected = leading_eigenvector(left);
      EXPECT_NEAR(std::abs(expected.dot(free.leading_eigenvector())), 1, 1e-9);
      EXPECT_NEAR(std::abs(expected.dot(gram.leading_eigenvector())), 1, 1e-9);
      EXPECT_NEAR(free.trace(), left.trace(), 1e-10 * r.squaredNorm());
      EXPECT_NEAR(gram.trace(), left.trace(), 1e-10 * r.squaredNorm());
      const VectorXd x = random.matrix(q, 1);
      VectorXd one, two;
      gram.apply(x, one);
      free.apply(x, two);
      EXPECT_LE((one - left * x).norm(), 1e-10 * r.squaredNorm());
      EXPECT_LE((two - left * x).norm(), 1e-10 * r.squaredNorm());
      const VectorXd w = x / std::sqrt(x.dot(left * x)), g = left * w;
      left -= g * g.transpose();
      gram.deflate(w, g);
      free.deflate(w, g);
    }
  }
}

TEST_P(SobLaw, ABoundThatDoesNotBindGivesTheOptimalBasis) {
  const Index q = random.integer(3, 40), k = random.integer(1, q - 1);
  const Problem p = problem(random, 200, q);
  const Fit sparse =
      fit(p.a, p.b,
          {.method = Method::sob, .rank = Rank::count(k), .sob = {.l1_bound = std::sqrt(static_cast<double>(q))}});
  const Fit plain = fit(p.a, p.b, {.rank = Rank::count(k)});
  const VectorXd unit = centred(p.a).colwise().norm().cwiseInverse() * std::sqrt(200.0);
  EXPECT_LE(((sparse.model.apply(p.a, p.b) - plain.model.apply(p.a, p.b)) * unit.asDiagonal()).cwiseAbs().maxCoeff(),
            1e-6);
  EXPECT_NEAR(sparse.certificate.change, plain.certificate.change, 1e-9);
}

TEST_P(SobLaw, StartsAreDeterministicAndMoreStartsAreNoWorse) {
  const Problem p = problem(random, 100, 12);
  const GramOperator op(p.gram);
  const auto solve = [&](const SobOptions& options) {
    return SobSolver<GramOperator>(op, options).solve(Rank::count(1));
  };
  const SobComponents one = solve({.l1_bound = 1.5}), again = solve({.l1_bound = 1.5});
  EXPECT_TRUE(one.u == again.u && one.w == again.w && one.d == again.d);
  const SobComponents many = solve({.l1_bound = 1.5, .random_starts = 10, .seed = 5});
  EXPECT_GE(many.d[0], one.d[0]);
  EXPECT_TRUE(many.u == solve({.l1_bound = 1.5, .random_starts = 10, .seed = 5}).u);
}

TEST_P(SobLaw, StatusSaysHowItEnded) {
  const Problem p = problem(random, 100, 12);
  const GramOperator op(p.gram);
  EXPECT_EQ(SobSolver<GramOperator>(op, {.l1_bound = 2, .tolerance = 1e-15, .max_iterations = 2})
                .solve(Rank::count(1))
                .status[0],
            SobStatus::iteration_limit);
  EXPECT_EQ(SobSolver<GramOperator>(op, {.l1_bound = 9}).solve(Rank::count(1)).status[0], SobStatus::converged);
  const VectorXd v = random.matrix(12, 1);
  const GramOperator rank_one(v * v.transpose());
  const SobComponents c = SobSolver<GramOperator>(rank_one, {.l1_bound = 9}).solve(Rank::count(4));
  EXPECT_EQ(c.u.cols(), 1);
  EXPECT_EQ(c.status.back(), SobStatus::nothing_left);
}

// Each component takes a dimension of the rows, so there are at most n.
TEST(SobEdge, MoreFeaturesThanRowsEndWithNothingLeft) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const Index n = random.integer(4, 30), q = 3000;
    const MatrixXd b = random.matrix(n, 2), a = random.features(b, q);
    for (const double h : {0.0, 1.0, 3.0, 100.0})
      for (const Rank& rank : {Rank::count(2 * n + 30), Rank::share(1)}) {
        const Fit result =
            fit(a, b, {.method = Method::sob, .rank = rank, .sob = {.l1_bound = h, .max_iterations = 30}});
        EXPECT_LE(result.model.rank(), n - 3);
        if (rank.count() > 0) {
          EXPECT_EQ(result.sob_status.back(), SobStatus::nothing_left);
        }
        EXPECT_LE(testing::max_correlation(result.model.apply(a, b).leftCols(50), b), 1e-11);
      }
  }
}

TEST(SobEdge, NothingOfTheSizeOfFeaturesByFeaturesIsFormed) {
  Random random(1);
  const Index n = 10, q = 100000;
  const ResidualOperator op(random.matrix(n, q) / std::sqrt(static_cast<double>(n)));
  for (const Rank& rank : {Rank::share(0.99), Rank::count(1000)}) {
    const SobComponents c = SobSolver<ResidualOperator>(op, {.l1_bound = 40, .max_iterations = 5}).solve(rank);
    EXPECT_LE(c.u.cols(), n);
    EXPECT_EQ(c.w.cols(), c.u.cols());
    EXPECT_EQ(c.d.size(), c.u.cols());
    EXPECT_EQ(c.status.back(), SobStatus::nothing_left);
    EXPECT_EQ(c.status.size(), c.iterations.size());
  }
}

// Components of one operator in its two forms, down to the last, in spaces of few rows and of few features.
TEST(SobEdge, BothFormsUseUpTheSameDimensions) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Index n = random.integer(3, 60), q = random.integer(3, 60), rank = random.integer(1, std::min(n, q));
    const MatrixXd r = random.matrix(n, rank) * random.matrix(rank, q);
    const GramOperator gram(r.transpose() * r);
    const ResidualOperator free(r);
    EXPECT_EQ(free.rank_limit(), std::min(n, q));
    EXPECT_EQ(gram.rank_limit(), q);
    const SobOptions options{.l1_bound = std::sqrt(static_cast<double>(q)), .tolerance = 1e-9};
    for (const Index k : {rank, q}) {
      const SobComponents one = SobSolver<GramOperator>(gram, options).solve(Rank::count(k));
      const SobComponents two = SobSolver<ResidualOperator>(free, options).solve(Rank::count(k));
      EXPECT_EQ(one.u.cols(), rank);
      EXPECT_EQ(two.u.cols(), rank);
      EXPECT_EQ(one.status.back() == SobStatus::nothing_left, k > rank);
      EXPECT_EQ(two.status.back() == SobStatus::nothing_left, k > rank);
      const MatrixXd whole = r * two.w * two.d.asDiagonal() * two.u.transpose();
      EXPECT_LE((whole - r).norm(), 1e-6 * r.norm());
    }
  }
}

TEST(SobEdge, CopiesInOtherUnitsShareOneComponent) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    for (const Index copies : {4, 9}) {
      const MatrixXd b = random.matrix(80, 1);
      const VectorXd x = random.matrix(80, 1);
      MatrixXd a(80, copies);
      for (Index j = 0; j < copies; ++j) a.col(j) = x * std::exp(random.uniform(-5, 5));
      const double root = std::sqrt(static_cast<double>(copies));
      const Fit result = fit(a, b, {.method = Method::sob, .rank = Rank::count(1), .sob = {.l1_bound = root}});
      const Fit plain = fit(a, b, {.rank = Rank::count(1)});
      const VectorXd unit = centred(a).colwise().norm().cwiseInverse();
      EXPECT_LE(((result.model.apply(a, b) - plain.model.apply(a, b)) * unit.asDiagonal()).cwiseAbs().maxCoeff(), 1e-7);
      EXPECT_EQ(result.sob_status[0], SobStatus::converged);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SobLaw, ::testing::Range(0U, 15U));

}  // namespace
}  // namespace plumbline
