// The laws of OB, blind mode and strength. Reference computations are QR and SVD of the data, never our own moments.
#include "plumbline/fit.h"

#include <gtest/gtest.h>

#include "plumbline/error.h"
#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::centred;
using testing::complement_of;
using testing::least_squares;
using testing::MatrixXd;
using testing::max_correlation;
using testing::Random;
using testing::range_of;
using testing::reference_svd;
using testing::ReferenceSvd;
using testing::span_of;
using testing::VectorXd;

MatrixXd standardised(const MatrixXd& x) {
  MatrixXd out = centred(x);
  for (Index j = 0; j < x.cols(); ++j) {
    const double deviation = out.col(j).norm() / std::sqrt(static_cast<double>(x.rows()));
    if (deviation > 0) out.col(j) /= deviation;
  }
  return out;
}

VectorXd deviations(const MatrixXd& x) {
  return centred(x).colwise().norm() / std::sqrt(static_cast<double>(x.rows()));
}

// (I − P_B) X by a rank-revealing QR of the centred B.
MatrixXd residuals(const MatrixXd& x, const MatrixXd& b) {
  const MatrixXd q = range_of(centred(b)), y = centred(x);
  return y - q * (q.transpose() * y);
}

FitOptions with_rank(Index k, Basis basis = Basis::optimal) { return {.basis = basis, .rank = Rank::count(k)}; }

struct Case {
  MatrixXd a, b;
};

Case random_case(Random& random, Index least_rows = 60) {
  const Index p = random.integer(1, 4), q = p + random.integer(1, 9), n = random.integer(least_rows, 900);
  const MatrixXd b = random.with_condition(n, p, std::pow(10, random.uniform(0, 2)));
  return {random.features(b, q), b};
}

class FitLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

// Every mode and rank, on one data set.
void expect_orthogonal(Random& random, const MatrixXd& a, const MatrixXd& b, double bound) {
  const Index k = random.integer(1, a.cols() - 1);
  for (const Mode mode : {Mode::aware, Mode::blind})
    for (FitOptions options :
         {FitOptions{}, with_rank(k), with_rank(k, Basis::paper), FitOptions{.rank = Rank::share(0.8)},
          FitOptions{.method = Method::sob, .rank = Rank::count(k)}}) {
      options.mode = mode;
      const Fit result = fit(a, b, options);
      EXPECT_LE(max_correlation(result.model.apply(a, b), b), bound)
          << "mode " << static_cast<int>(mode) << " method " << static_cast<int>(options.method) << " k "
          << options.rank.count() << " n " << a.rows() << " q " << a.cols() << " p " << b.cols();
      EXPECT_LE(result.certificate.after.correlation.value, bound);
      options.standardize = false;
      EXPECT_LE(max_correlation(fit(a, b, options).model.apply(a, b), b), bound);
    }
}

TEST_P(FitLaw, ResultIsOrthogonalToWellConditionedB) {
  const Index q = random.integer(4, 12), p = random.integer(1, 3), n = random.integer(100, 2000);
  for (const double condition : {1.0, 1e2, 1e4}) {
    const MatrixXd b = random.with_condition(n, p, condition);
    const MatrixXd a = random.matrix(n, q) * random.matrix(q, q) + standardised(b) * random.matrix(p, q);
    expect_orthogonal(random, a, b, 1e-12);
  }
}

// Features that load on every direction of B alike, the weakest included: Λ is then as large as the condition.
MatrixXd loaded_on_all_directions(Random& random, const MatrixXd& b, Index q, double noise) {
  const Index n = b.rows(), p = b.cols();
  const MatrixXd directions = reference_svd(standardised(b)).u;
  return noise * random.matrix(n, q) + std::sqrt(static_cast<double>(n)) * directions * random.matrix(p, q);
}

TEST_P(FitLaw, ResultIsOrthogonalWhereFeaturesLoadOnTheWeakestDirectionOfB) {
  const Index q = random.integer(6, 12), p = random.integer(2, 5), n = random.integer(100, 3000);
  for (const double condition : {1.0, 1e2, 1e4}) {
    const MatrixXd b = random.with_condition(n, p, condition);
    expect_orthogonal(random, loaded_on_all_directions(random, b, q, 1), b, 1e-12);
  }
  for (const double condition : {1e6, 1e8}) {
    const MatrixXd b = random.with_condition(n, p, condition);
    expect_orthogonal(random, loaded_on_all_directions(random, b, q, 1), b, 1e-8);
  }
}

TEST_P(FitLaw, ResultIsOrthogonalToIllConditionedB) {
  const Index q = random.integer(6, 12), p = random.integer(2, 5), n = random.integer(100, 5000);
  for (const double condition : {1e6, 1e7, 3e7, 1e8}) {
    const MatrixXd b = random.with_condition(n, p, condition);
    const MatrixXd a = random.matrix(n, q) + standardised(b) * random.matrix(p, q);
    expect_orthogonal(random, a, b, 1e-8);
  }
}

TEST_P(FitLaw, ResultIsOrthogonalToOneHotBWithAllLevels) {
  const Index q = random.integer(8, 14), levels = random.integer(2, 6), n = random.integer(60, 2000);
  const MatrixXd b = random.one_hot(n, levels);
  const MatrixXd a = random.features(b, q);
  expect_orthogonal(random, a, b, 1e-8);
  EXPECT_EQ(fit(a, b).certificate.sensitive_rank, levels - 1);
}

TEST_P(FitLaw, FullRankIsTheLeastSquaresResidual) {
  const auto [a, b] = random_case(random);
  const MatrixXd expected = residuals(a, b).rowwise() + a.colwise().mean();
  const MatrixXd scale = deviations(a).transpose().replicate(a.rows(), 1);
  EXPECT_LE(((fit(a, b).model.apply(a, b) - expected).array() / scale.array()).abs().maxCoeff(), 1e-12);
}

TEST_P(FitLaw, NoOtherBasisChangesLess) {
  const Case drawn = random_case(random);
  const MatrixXd &a = drawn.a, &b = drawn.b;
  const Index q = a.cols(), k = random.integer(1, q - 1);
  const MatrixXd x = standardised(a), r = residuals(x, b);
  const VectorXd scale = deviations(a);
  const auto distance = [&](const FitOptions& options) {
    const MatrixXd fair = centred(fit(a, b, options).model.apply(a, b)) * scale.cwiseInverse().asDiagonal();
    return (x - fair).squaredNorm();
  };
  const double best = distance(with_rank(k));

  const VectorXd singular = reference_svd(r).values;
  const double formula = x.squaredNorm() - singular.head(k).squaredNorm();
  EXPECT_NEAR(best, formula, 1e-10 * x.squaredNorm());

  for (int round = 0; round < 30; ++round) {
    const MatrixXd u = random.orthonormal(q, k);
    EXPECT_LE(best, (x - r * u * u.transpose()).squaredNorm() + 1e-9 * x.squaredNorm());
  }
  const double paper = distance(with_rank(k, Basis::paper));
  EXPECT_LE(best, paper * (1 + 1e-12));

  const ReferenceSvd svd = reference_svd(x);
  const MatrixXd vd = svd.u.leftCols(k) * svd.values.head(k).asDiagonal();
  const double lemma = svd.values.tail(q - k).squaredNorm() + (vd - residuals(vd, b)).squaredNorm();
  EXPECT_NEAR(paper, lemma, 1e-10 * lemma);
}

TEST_P(FitLaw, ExplicitFullRankEqualsAllFeatures) {
  const auto [a, b] = random_case(random);
  const MatrixXd expected = fit(a, b).model.apply(a, b);
  for (const Basis basis : {Basis::optimal, Basis::paper}) {
    const MatrixXd fair = fit(a, b, with_rank(a.cols() + 3, basis)).model.apply(a, b);
    EXPECT_LE(((fair - expected) * deviations(a).cwiseInverse().asDiagonal()).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST_P(FitLaw, BlindChangesLeastAmongMapsOfAAloneAndMoreThanAware) {
  const Case drawn = random_case(random, 200);
  const MatrixXd &a = drawn.a, &b = drawn.b;
  const MatrixXd x = standardised(a), y = standardised(b);
  const auto change = [&](const MatrixXd& fair) {
    return (x - centred(fair) * deviations(a).cwiseInverse().asDiagonal()).squaredNorm();
  };
  const MatrixXd fair = fit(a, b, {.mode = Mode::blind}).model.apply(a, b);
  const double blind = change(fair), aware = change(fit(a, b).model.apply(a, b));
  EXPECT_GE(blind, aware * (1 - 1e-10));

  // Any x ↦ x M with M (q × q) is free of covariance if its columns are orthogonal to xᵀy.
  const MatrixXd basis = x * complement_of(x.transpose() * y), best = least_squares(basis, x);
  const double floor = (x - basis * best).squaredNorm();
  EXPECT_NEAR(blind, floor, 1e-9 * x.squaredNorm());
  for (int round = 0; round < 20; ++round) {
    const MatrixXd other = best + random.uniform(0, 0.3) * random.matrix(best.rows(), best.cols());
    EXPECT_LE(blind, (x - basis * other).squaredNorm() + 1e-9 * x.squaredNorm());
  }
}

TEST_P(FitLaw, BlindNeedsNoSensitiveColumns) {
  const auto [a, b] = random_case(random);
  for (const FitOptions& options :
       {FitOptions{.mode = Mode::blind}, FitOptions{.mode = Mode::blind, .rank = Rank::count(2)}}) {
    const AffineModel model = fit(a, b, options).model;
    EXPECT_FALSE(model.needs_sensitive());
    EXPECT_TRUE(model.apply(a, Columns()) == model.apply(a, b));
  }
  EXPECT_THROW(fit(a, b).model.apply(a, Columns()), Error);
}

TEST_P(FitLaw, ResultDoesNotDependOnHowLevelsAreCoded) {
  for (int round = 0; round < 30; ++round) {
    const Index levels = random.integer(2, 4), q = levels + 2, n = random.integer(100, 600);
    MatrixXd b = MatrixXd::Zero(n, levels);
    for (Index i = 0; i < n; ++i) b(i, i < levels ? i : random.integer(0, random.integer(0, levels - 1))) = 1;
    const MatrixXd a = random.features(b, q), coded = b.leftCols(levels - 1);
    const VectorXd unit = deviations(a).cwiseInverse();
    for (const Mode mode : {Mode::aware, Mode::blind}) {
      const Fit all = fit(a, b, {.mode = mode});
      const MatrixXd expected = fit(a, coded, {.mode = mode}).model.apply(a, coded);
      EXPECT_EQ(all.certificate.sensitive_rank, levels - 1);
      EXPECT_LE(((all.model.apply(a, b) - expected) * unit.asDiagonal()).cwiseAbs().maxCoeff(), 1e-8);
    }
  }
}

TEST_P(FitLaw, BlindLeavesFairDataAsTheyAre) {
  for (int round = 0; round < 20; ++round) {
    const auto [a, b] = random_case(random, 100);
    const MatrixXd fair = fit(a, b).model.apply(a, b);
    EXPECT_LE(fit(fair, b, {.mode = Mode::blind}).certificate.change, 1e-7);
  }
}

TEST_P(FitLaw, FullRankDoesNotDependOnUnits) {
  const auto [a, b] = random_case(random, 200);
  VectorXd unit = deviations(a).cwiseInverse();
  const MatrixXd plain = a * unit.asDiagonal();
  for (Index j = 0; j < a.cols(); ++j) unit[j] = std::pow(10, random.uniform(-5, 5));
  const MatrixXd scaled = plain * unit.asDiagonal();
  for (const Mode mode : {Mode::aware, Mode::blind})
    for (const bool standardize : {true, false}) {
      const FitOptions options{.mode = mode, .standardize = standardize};
      const MatrixXd expected = fit(plain, b, options).model.apply(plain, b);
      const MatrixXd fair = fit(scaled, b, options).model.apply(scaled, b) * unit.cwiseInverse().asDiagonal();
      EXPECT_LE((fair - expected).cwiseAbs().maxCoeff(), 1e-8) << standardize << static_cast<int>(mode);
    }
}

TEST_P(FitLaw, StrengthMixesLinearly) {
  const auto [a, b] = random_case(random);
  const Index k = random.integer(1, a.cols());
  for (FitOptions options : {FitOptions{}, with_rank(k), FitOptions{.mode = Mode::blind}}) {
    const MatrixXd full = fit(a, b, options).model.apply(a, b);
    for (const double alpha : {0.0, 0.3, 1.0}) {
      options.alpha = alpha;
      const Fit part = fit(a, b, options);
      const MatrixXd expected = alpha * full + (1 - alpha) * a;
      EXPECT_LE(((part.model.apply(a, b) - expected) * deviations(a).cwiseInverse().asDiagonal()).cwiseAbs().maxCoeff(),
                1e-11);
      if (alpha < 1 && part.certificate.before.correlation.value > 0.1 && options.rank.is_all() &&
          options.mode == Mode::aware) {
        EXPECT_FALSE(part.certificate.holds());
      }
    }
  }
}

TEST_P(FitLaw, ShareOfVarianceIsTheSmallestRankThatReachesIt) {
  const auto [a, b] = random_case(random);
  const double share = random.uniform(0.05, 1);
  const VectorXd singular = reference_svd(residuals(standardised(a), b)).values;
  const Index k = fit(a, b, {.rank = Rank::share(share)}).model.rank();
  const double total = singular.squaredNorm();
  EXPECT_GE(singular.head(k).squaredNorm(), (share - 1e-9) * total);
  if (k > 1) {
    EXPECT_LT(singular.head(k - 1).squaredNorm(), (share + 1e-9) * total);
  }
}

TEST_P(FitLaw, RowsUnitsAndOriginsChangeOnlyWhatTheyMust) {
  const auto [a, b] = random_case(random);
  const Index n = a.rows(), q = a.cols(), p = b.cols();
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(GetParam()));
  const VectorXd scale_a = random.matrix(q, 1).array().exp(), shift_a = 5 * random.matrix(q, 1);
  const VectorXd scale_b = random.matrix(p, 1).array().exp(), shift_b = 5 * random.matrix(p, 1);
  const MatrixXd moved_a = (a * scale_a.asDiagonal()).rowwise() + shift_a.transpose();
  const MatrixXd moved_b = (b * scale_b.asDiagonal()).rowwise() + shift_b.transpose();
  const MatrixXd mixed_a = a(order, Eigen::all), mixed_b = b(order, Eigen::all);
  const VectorXd unit = deviations(a).cwiseInverse();
  for (const FitOptions& options : {FitOptions{}, with_rank(1), FitOptions{.mode = Mode::blind}}) {
    const MatrixXd fair = fit(a, b, options).model.apply(a, b);
    const MatrixXd mixed = fit(mixed_a, mixed_b, options).model.apply(mixed_a, mixed_b);
    EXPECT_LE(((mixed - fair(order, Eigen::all)) * unit.asDiagonal()).cwiseAbs().maxCoeff(), 1e-9);
    const MatrixXd moved = fit(moved_a, moved_b, options).model.apply(moved_a, moved_b);
    const MatrixXd expected = (fair * scale_a.asDiagonal()).rowwise() + shift_a.transpose();
    EXPECT_LE(((moved - expected) * scale_a.cwiseInverse().asDiagonal() * unit.asDiagonal()).cwiseAbs().maxCoeff(),
              1e-9);
  }
}

TEST_P(FitLaw, IntegerWeightsAreRepeatedRows) {
  const auto [a, b] = random_case(random);
  VectorXd w(a.rows());
  std::vector<Index> repeated;
  for (Index i = 0; i < a.rows(); ++i) {
    w[i] = static_cast<double>(random.integer(0, 3));
    for (Index r = 0; r < static_cast<Index>(w[i]); ++r) repeated.push_back(i);
  }
  const MatrixXd long_a = a(repeated, Eigen::all), long_b = b(repeated, Eigen::all);
  const FitOptions options = with_rank(1);
  const MatrixXd weighted = fit(a, b, options, {.weights = span_of(w)}).model.apply(a, b);
  const MatrixXd expanded = fit(long_a, long_b, options).model.apply(a, b);
  EXPECT_LE(((weighted - expanded) * deviations(a).cwiseInverse().asDiagonal()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(FitLaw, WholeWeightsAreRepeatedRowsOfExpandedColumns) {
  const Index n = random.integer(60, 400);
  MatrixXd b = random.matrix(n, 2);
  for (Index i = 0; i < n; ++i) b(i, 1) = static_cast<double>(random.integer(0, 2));
  const MatrixXd a = random.features(b, 5) + b.col(0).cwiseAbs2().replicate(1, 5);
  VectorXd w(n);
  std::vector<Index> repeated;
  for (Index i = 0; i < n; ++i) {
    w[i] = static_cast<double>(random.integer(0, 3));
    for (Index r = 0; r < static_cast<Index>(w[i]); ++r) repeated.push_back(i);
    if (w[i] == 0) b(i, 1) = 7;  // a code that no row of weight has
  }
  const MatrixXd long_a = a(repeated, Eigen::all), long_b = b(repeated, Eigen::all);
  for (const ExpansionOptions& expand :
       {ExpansionOptions{.knots = 5, .one_hot = {1}}, ExpansionOptions{.bins = 4, .one_hot = {1}},
        ExpansionOptions{.powers = 3, .interactions = true, .one_hot = {1}}}) {
    const AffineModel weighted = fit(a, b, with_rank(2), {.expand = expand, .weights = span_of(w)}).model;
    const AffineModel expanded = fit(long_a, long_b, with_rank(2), {.expand = expand}).model;
    EXPECT_TRUE(weighted.parts().expansion == expanded.parts().expansion);
    const MatrixXd difference = weighted.apply(long_a, long_b) - expanded.apply(long_a, long_b);
    EXPECT_LE((difference * deviations(a).cwiseInverse().asDiagonal()).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST_P(FitLaw, ThreadsGiveIdenticalBits) {
  const Index n = 20000;
  const MatrixXd b = random.matrix(n, 2), a = random.features(b, 6);
  for (const FitOptions& options : {FitOptions{}, with_rank(3), FitOptions{.mode = Mode::blind}}) {
    const Fit one = fit(a, b, options, {.threads = 1});
    for (const int threads : {2, 5}) {
      const Fit many = fit(a, b, options, {.threads = threads});
      EXPECT_TRUE(many.model == one.model);
      EXPECT_EQ(many.to_json(), one.to_json());
      EXPECT_TRUE(many.model.apply(a, b, {.threads = threads}) == one.model.apply(a, b, {.threads = 1}));
    }
  }
}

TEST_P(FitLaw, ExpandedBRemovesMoreThanTheLinearPart) {
  const Index n = 3000;
  MatrixXd b = random.matrix(n, 2);
  const VectorXd square = b.col(0).cwiseAbs2(), product = b.col(0).cwiseProduct(b.col(1));
  MatrixXd a = random.matrix(n, 3);
  a.col(0) += square;
  a.col(1) += product;
  const Fit plain = fit(a, b);
  const Fit rich = fit(a, b, {}, {.expand = ExpansionOptions{.powers = 2, .interactions = true}});
  MatrixXd phi(n, 4);
  phi << b, square, product;
  EXPECT_GT(max_correlation(plain.model.apply(a, b), phi), 0.3);
  EXPECT_LE(max_correlation(rich.model.apply(a, b), phi), 1e-12);
  EXPECT_EQ(rich.model.sensitive_inputs(), 2);
}

TEST_P(FitLaw, TheModelFileIsExact) {
  const auto [a, b] = random_case(random);
  for (const FitOptions& options : {FitOptions{}, with_rank(2), FitOptions{.mode = Mode::blind, .alpha = 0.4},
                                    FitOptions{.method = Method::sob, .rank = Rank::share(0.7)}}) {
    const Fit result = fit(a, b, options, {.expand = ExpansionOptions{.powers = 2, .knots = 4}});
    const std::string text = result.to_json();
    const Fit back = Fit::from_json(text);
    EXPECT_EQ(back.to_json(), text);
    EXPECT_TRUE(back.model == result.model);
    EXPECT_TRUE(back.model.apply(a, b) == result.model.apply(a, b));
    EXPECT_TRUE(AffineModel::from_json(result.model.to_json()) == result.model);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FitLaw, ::testing::Range(0U, 12U));

TEST(FitEdge, ConstantDuplicateAndFullyExplainedColumns) {
  Random random(1);
  const Index n = 500;
  MatrixXd b = random.matrix(n, 3);
  b.col(2).setConstant(4);
  MatrixXd a = random.matrix(n, 5);
  a.col(1).setConstant(-7);
  a.col(3) = a.col(0);
  a.col(4) = 2 * b.col(0) - b.col(1);
  for (const FitOptions& options : {FitOptions{}, with_rank(2), FitOptions{.mode = Mode::blind},
                                    FitOptions{.method = Method::sob, .rank = Rank::count(3)}}) {
    const Fit result = fit(a, b, options);
    const MatrixXd fair = result.model.apply(a, b);
    EXPECT_TRUE(fair.allFinite());
    EXPECT_TRUE((fair.col(1).array() == -7).all());
    if (options.method == Method::ob) {
      EXPECT_LE((fair.col(3) - fair.col(0)).cwiseAbs().maxCoeff(), 1e-12);
    }
    EXPECT_EQ(result.certificate.constant_features, std::vector<std::string>{"a1"});
    EXPECT_EQ(result.certificate.constant_sensitive, std::vector<std::string>{"b2"});
    EXPECT_EQ(result.certificate.sensitive_rank, 2);
    EXPECT_TRUE(result.certificate.holds(1e-12));
    if (options.mode == Mode::aware) {
      EXPECT_EQ(result.certificate.fully_explained, std::vector<std::string>{"a4"});
      EXPECT_LE((fair.col(4).array() - a.col(4).mean()).abs().maxCoeff(), 1e-12);
    }
  }
}

TEST(FitEdge, MoreSensitiveColumnsThanRowsLeaveNothing) {
  Random random(2);
  const MatrixXd b = random.matrix(10, 30), a = random.matrix(10, 4);
  const Fit result = fit(a, b);
  EXPECT_LE((result.model.apply(a, b).rowwise() - a.colwise().mean()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(result.certificate.fully_explained.size(), 4U);
  EXPECT_NE(result.certificate.to_text().find("nothing is left of any feature"), std::string::npos);
}

TEST(FitEdge, MoreFeaturesThanRows) {
  Random random(3);
  const MatrixXd b = random.matrix(20, 2), a = random.matrix(20, 50);
  expect_orthogonal(random, a, b, 1e-11);
}

TEST(FitEdge, BlindWithNothingCorrelatedChangesNothing) {
  MatrixXd a(4, 1), b(4, 1);
  a << 1, -1, 1, -1;
  b << 1, 1, -1, -1;
  const Fit result = fit(a, b, {.mode = Mode::blind});
  EXPECT_TRUE(result.model.apply(a, b) == a);
  EXPECT_TRUE(Fit::from_json(result.to_json()).model == result.model);
}

TEST(FitEdge, BlindWithAsManySensitiveColumnsAsFeaturesLeavesNothingAndSaysSo) {
  Random random(4);
  const MatrixXd b = random.matrix(300, 3), a = random.features(b, 3);
  const Fit result = fit(a, b, {.mode = Mode::blind});
  EXPECT_LE((result.model.apply(a, b).rowwise() - a.colwise().mean()).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NE(result.certificate.to_text().find("blind mode"), std::string::npos);
}

TEST(FitEdge, LargeMeansAreRightTo1e8) {
  Random random(5);
  const Index n = 4000;
  const MatrixXd b = random.matrix(n, 2), a = b * random.matrix(2, 3) + random.matrix(n, 3);
  const MatrixXd far_a = a.array() + 1e9, far_b = b.array() + 1e9;
  const MatrixXd near = fit(a, b).model.apply(a, b), far = fit(far_a, far_b).model.apply(far_a, far_b);
  EXPECT_LE(((far.array() - 1e9).matrix() - near).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LE(max_correlation(far, far_b), 1e-8);
}

TEST(FitEdge, NothingLeftForSobIsACertificateOfRankNone) {
  Random random(11);
  const MatrixXd b = random.matrix(60, 2), a = b * random.matrix(2, 3);
  for (const Mode mode : {Mode::aware, Mode::blind}) {
    const Fit none = fit(a, b, {.method = Method::sob, .mode = mode, .rank = Rank::count(2)});
    EXPECT_EQ(none.certificate.rank, 0);
    EXPECT_EQ(none.sob_status, std::vector{SobStatus::nothing_left});
    EXPECT_NE(none.certificate.to_text().find("0 of 3"), std::string::npos);
    EXPECT_EQ(Fit::from_json(none.to_json()).to_json(), none.to_json());
    EXPECT_LE((none.model.apply(a, b).rowwise() - a.colwise().mean()).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(FitEdge, ThePapersBasisIsAsPrintedBesideAFullyExplainedFeature) {
  Random random(12);
  const MatrixXd b = random.matrix(300, 2);
  MatrixXd a = random.features(b, 5);
  a.col(2) = b * random.matrix(2, 1);
  const MatrixXd x = standardised(a);
  for (Index k = 1; k < 5; ++k) {
    const MatrixXd u = reference_svd(x).v.leftCols(k);
    const MatrixXd expected = residuals(x, b) * u * u.transpose();
    const MatrixXd found = fit(a, b, with_rank(k, Basis::paper)).model.apply(a, b);
    const MatrixXd scaled = (found.rowwise() - a.colwise().mean()) * deviations(a).cwiseInverse().asDiagonal();
    EXPECT_LE((scaled - expected).cwiseAbs().maxCoeff(), 1e-10);
  }
}

}  // namespace
}  // namespace plumbline
