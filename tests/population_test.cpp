#include "plumbline/population.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/chi_square.h"
#include "message_of.h"
#include "plumbline/fit.h"
#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::reference_svd;
using testing::VectorXd;

TEST(ChiSquare, AgreesWithSciPy) {
  const struct {
    double x, degrees, tail;
  } known[] = {{0.02, 1, 0.887537083981715},
               {3.84, 1, 0.0500435212487052},
               {60, 1, 9.48573757107386e-15},
               {1.3, 2, 0.522045776761016},
               {0.5, 7, 0.999446481390425},
               {14.07, 7, 0.0499502503174795},
               {40, 7, 1.25879038737131e-06},
               {95, 100, 0.622579291878174},
               {180, 100, 1.64949850171785e-06},
               {1000, 1000, 0.49405285382924},
               {1210, 1000, 5.00646751660189e-06},
               {99000, 100000, 0.987521684361917},
               {101500, 100000, 0.000420454971269657},
               {0, 3, 1},
               {-1, 3, 1}};
  for (const auto& k : known) EXPECT_NEAR(chi_square_tail(k.x, k.degrees), k.tail, 1e-9 * k.tail) << k.x;
}

TEST(ChiSquare, DrawsHaveItsTail) {
  for (const double degrees : {0.5, 1.0, 2.0, 7.0, 1000.0}) {
    RandomStream draws(7, 1, 0);
    constexpr int kDraws = 4000;
    for (const double share : {0.9, 0.5, 0.05}) {
      int above = 0;
      for (int i = 0; i < kDraws; ++i) above += chi_square_tail(draw_chi_square(draws, degrees), degrees) < share;
      EXPECT_NEAR(above, share * kDraws, 4 * std::sqrt(share * (1 - share) * kDraws)) << degrees;
    }
  }
}

// With one sensitive column, or one feature, x² is a quantile of F; these are SciPy's.
TEST(Population, OneColumnHasAKnownQuantile) {
  const struct {
    std::int64_t rows, features;
    double bound;
  } known[] = {{50, 1, 0.2759364632494313},
               {50, 8, 0.5083145508410128},
               {400, 3, 0.1391806569731126},
               {20000, 30, 0.046742241471158456}};
  for (const auto& k : known)
    EXPECT_NEAR(population_bound(k.rows, k.features, 1).correlation, k.bound, 0.05 * k.bound) << k.rows;
}

TEST(Population, TheClosedFormIsNeverBelowTheSimulation) {
  for (const std::int64_t rows : {60, 300, 5000, 1'000'000})
    for (const std::int64_t q : {1, 3, 12, 100})
      for (const std::int64_t p : {1, 2, 7, 20}) {
        const PopulationBound bound = population_bound(rows, q, p);
        EXPECT_TRUE(bound.is_simulated);
        EXPECT_LE(bound.correlation, bound.closed_form);
        EXPECT_EQ(bound, population_bound(rows, q, p));
      }
  EXPECT_FALSE(population_bound(10'000, 60, 50).is_simulated);
}

TEST(Population, FallsWithTheRootOfTheRows) {
  for (const std::int64_t q : {1, 5, 40})
    for (const std::int64_t p : {1, 4}) {
      const double few = population_bound(10'000, q, p).correlation;
      const double many = population_bound(1'000'000, q, p).correlation;
      EXPECT_NEAR(few / many, 10, 0.5);
    }
}

TEST(Population, SaysNothingWithoutRows) {
  EXPECT_EQ(population_bound(3, 4, 3).correlation, 1);
  EXPECT_EQ(population_bound(3, 4, 3).closed_form, 1);
  EXPECT_LT(population_bound(6, 4, 3).correlation, 1);
  EXPECT_EQ(message_of([] { population_bound(10, 0, 1); }),
            "rows, features and sensitive are 10, 0 and 1; each must be at least 1");
}

// Normal A = B Γ + E, with everything known of it.
struct Normal {
  MatrixXd root_b, gamma, root_e;

  Normal(Random& random, Index p, Index q)
      : root_b(random.matrix(p, p)), gamma(random.matrix(p, q)), root_e(random.matrix(q, q)) {}

  struct Rows {
    MatrixXd a, b;
  };
  Rows draw(Random& random, Index n) const {
    const MatrixXd b = random.matrix(n, root_b.rows()) * root_b;
    return {b * gamma + random.matrix(n, root_e.rows()) * root_e, b};
  }

  // The largest canonical correlation of ã and b among all rows that can come.
  double left_by(const AffineModel& model) const {
    const MatrixXd bb = root_b.transpose() * root_b, ta = model.dense_a();
    const MatrixXd of_b = gamma * ta.transpose() + model.dense_b().transpose();  // ã = of_bᵀ b + T_A e
    const MatrixXd aa = of_b.transpose() * bb * of_b + ta * root_e.transpose() * root_e * ta.transpose();
    const testing::ReferenceSvd a = reference_svd(aa), white = reference_svd(bb);
    MatrixXd k = white.values.cwiseSqrt().asDiagonal() * white.v.transpose() * of_b * a.u;
    for (Index j = 0; j < k.cols(); ++j)
      if (a.values[j] > 1e-9 * a.values[0])
        k.col(j) /= std::sqrt(a.values[j]);
      else
        k.col(j).setZero();
    return reference_svd(k).values[0];
  }
};

TEST(Population, TheBoundCoversTheWholePopulation) {
  constexpr int kFits = 400;
  const FitOptions every[] = {{}, {.rank = Rank::count(2)}, {.mode = Mode::blind}};
  for (const auto& [n, p, q] : {std::tuple{200, 2, 6}, {60, 3, 5}, {1000, 4, 4}}) {
    Random random(static_cast<unsigned>(n));
    int covered[3] = {0, 0, 0};
    for (int i = 0; i < kFits; ++i) {
      const Normal world(random, p, q);
      const Normal::Rows rows = world.draw(random, n);
      for (int kind = 0; kind < 3; ++kind) {
        if (kind == 2 && p == q) continue;
        const Fit f = fit(rows.a, rows.b, every[kind]);
        ASSERT_TRUE(f.certificate.population);
        covered[kind] += world.left_by(f.model) <= f.certificate.population->correlation;
      }
    }
    // .95 of the fits, within three standard deviations
    for (const int kind : {0, 1}) {
      EXPECT_GE(covered[kind], 0.917 * kFits) << n << " " << kind;
      EXPECT_LE(covered[kind], 0.983 * kFits) << n << " " << kind;
    }
    if (p < q) {
      EXPECT_GE(covered[2], 0.917 * kFits) << n;
    }
  }
}

TEST(Population, OnlyAFitThatRemovesAllHasABound) {
  Random random(1);
  const Normal world(random, 2, 4);
  const Normal::Rows rows = world.draw(random, 100);
  EXPECT_FALSE(fit(rows.a, rows.b, {.alpha = 0.5}).certificate.population);
  const Fit whole = fit(rows.a, rows.b);
  EXPECT_FALSE(certify(whole.model, rows.a, rows.b).population);
  ASSERT_TRUE(whole.certificate.population);
  EXPECT_EQ(whole.certificate.population->features, 4);
  EXPECT_EQ(whole.certificate.population->sensitive, 2);
  EXPECT_EQ(fit(rows.a, rows.b, {.mode = Mode::blind}).certificate.population->features, 2);
  Moments cross(4, 2, Moments::Kind::cross);
  cross.update(rows.a, rows.b);
  EXPECT_EQ(fit(cross).certificate.population, whole.certificate.population);
}

// The share of 400 p-values below .05 on rows of a given number, and what was left before the test.
int rejections(Random& random, const FitOptions& options, Index of_fit, Index n, double influence = 0,
               bool weighted = false) {
  int out = 0;
  for (int i = 0; i < 400; ++i) {
    Normal world(random, 2, 5);
    const Normal::Rows rows = world.draw(random, of_fit);
    const Fit f = fit(rows.a, rows.b, options);
    world.gamma.array() += influence;
    const Normal::Rows later = world.draw(random, n);
    VectorXd weights;
    if (weighted) weights = random.matrix(n, 1).cwiseAbs2();
    Measurement measurement(f.model);
    measurement.update(later.a, later.b, {.weights = testing::span_of(weights)});
    const Certificate c = measurement.certificate(of_fit);
    EXPECT_TRUE(c.independence);
    if (c.independence) out += c.independence->p_value < 0.05;
  }
  return out;
}

TEST(Independence, RejectsAtItsLevelOnNewRows) {
  // 20 of 400 are expected, and 6 to 37 seen with probability .9998.
  for (const auto& [of_fit, n] : {std::pair{500, 300}, {400, 2000}, {60, 1000}}) {
    Random random(static_cast<unsigned>(n));
    for (const FitOptions& options : {FitOptions{}, FitOptions{.rank = Rank::count(3)}}) {
      const int rejected = rejections(random, options, of_fit, n);
      EXPECT_GE(rejected, 6) << of_fit << " " << n;
      EXPECT_LE(rejected, 37) << of_fit << " " << n;
    }
    EXPECT_LE(rejections(random, {.mode = Mode::blind}, of_fit, n), 37) << of_fit << " " << n;
  }
  Random random(5);
  EXPECT_LE(rejections(random, {}, 500, 500, 0, true), 37);
}

TEST(Independence, FindsWhatIsLeft) {
  Random random(6);
  EXPECT_GE(rejections(random, {}, 2000, 2000, 0.5), 380);
}

TEST(Independence, ColumnsThatAreConstantOrTwiceThereInNewRowsAreNoEvidence) {
  Random random(8);
  const Normal world(random, 2, 5);
  const Normal::Rows rows = world.draw(random, 400);
  const Fit f = fit(rows.a, rows.b);
  Normal::Rows later = world.draw(random, 300);
  later.a.col(1).setConstant(3);
  later.a.col(2) = later.a.col(0);
  Measurement measurement(f.model);
  measurement.update(later.a, later.b);
  const Certificate c = measurement.certificate(400);
  ASSERT_TRUE(c.independence);
  EXPECT_EQ(c.independence->degrees, 3 * 2);
  EXPECT_GT(c.independence->p_value, 1e-3);
}

TEST(Independence, NeedsRowsAndProducts) {
  Random random(9);
  const Normal world(random, 2, 5);
  const Normal::Rows rows = world.draw(random, 100), few = world.draw(random, 8);
  const Fit f = fit(rows.a, rows.b);
  Measurement of_few(f.model), cross(f.model, Moments::Kind::cross), own(f.model);
  of_few.update(few.a, few.b);
  EXPECT_FALSE(of_few.certificate(100).independence);
  cross.update(rows.a, rows.b);
  EXPECT_FALSE(cross.certificate(100).independence);
  own.update(rows.a, rows.b);
  EXPECT_FALSE(own.certificate().independence);
}

TEST(Independence, BothFormsOfACertificateSayIt) {
  Random random(10);
  const Normal world(random, 2, 5);
  const Normal::Rows rows = world.draw(random, 500), later = world.draw(random, 300);
  const Fit f = fit(rows.a, rows.b);
  Measurement measurement(f.model);
  measurement.update(later.a, later.b);
  for (const Certificate& c : {f.certificate, measurement.certificate(500)}) {
    const Certificate read = Certificate::from_json(c.to_json());
    EXPECT_EQ(read.population, c.population);
    EXPECT_EQ(read.independence, c.independence);
    EXPECT_EQ(read.left_rank, c.left_rank);
    EXPECT_EQ(read.to_text(), c.to_text());
  }
  EXPECT_NE(f.certificate.to_text().find("with 95 % confidence"), std::string::npos);
  EXPECT_NE(measurement.certificate(500).to_text().find("Bartlett's test"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
