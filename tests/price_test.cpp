#include "plumbline/price.h"

#include <gtest/gtest.h>

#include <cmath>

#include "message_of.h"
#include "plumbline/certificate.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

// Normal A = B Γ + E and y = A α + B β + noise: the best of all predictions, and of the fair ones, are known.
struct World {
  MatrixXd gamma, root_e;
  VectorXd alpha, beta;
  double noise;

  World(Random& random, Index p, Index q)
      : gamma(random.matrix(p, q)),
        root_e(random.matrix(q, q)),
        alpha(random.matrix(q, 1)),
        beta(random.matrix(p, 1)),
        noise(random.uniform(0.5, 3)) {}

  struct Rows {
    MatrixXd a, b;
    VectorXd y, fair, by_sensitive;  // fair: the best fair prediction; by_sensitive: E[y | B]
  };
  Rows draw(Random& random, Index n) const {
    Rows out;
    out.b = random.matrix(n, gamma.rows());
    const MatrixXd own = random.matrix(n, gamma.cols()) * root_e;
    out.a = out.b * gamma + own;
    out.fair = own * alpha;
    out.by_sensitive = out.b * (gamma * alpha + beta);
    out.y = out.fair + out.by_sensitive + noise * random.matrix(n, 1);
    return out;
  }
  double unexplained() const { return noise * noise; }
  double by_sensitive() const { return (gamma * alpha + beta).squaredNorm(); }
};

double mean_square(const VectorXd& x) { return x.squaredNorm() / static_cast<double>(x.size()); }

class PriceLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  Index p = random.integer(1, 3), q = random.integer(1, 6);
  World world{random, p, q};
};

TEST_P(PriceLaw, IsWhatTheBestFairPredictionCosts) {
  constexpr Index kRows = 100'000;
  const World::Rows rows = world.draw(random, kRows);
  const std::optional<Price> price = price_of(rows.a, rows.b, rows.y);
  ASSERT_TRUE(price);
  const double unit = price->variance, error = 8 / std::sqrt(static_cast<double>(kRows));
  EXPECT_NEAR(price->unexplained, world.unexplained(), error * unit);
  EXPECT_NEAR(price->by_sensitive, world.by_sensitive(), error * unit);
  EXPECT_NEAR(mean_square(rows.y - rows.fair), price->floor(), error * unit);
  EXPECT_NEAR(price->floor_share(), price->floor() / price->variance, 1e-15);
  EXPECT_FALSE(price->is_probability);
  for (const double kept : {0.0, 0.3, 0.8}) {
    const double of = mean_square(rows.y - rows.fair - kept * rows.by_sensitive);
    if (price->by_sensitive > 0.1 * unit) {
      EXPECT_NEAR(price->least_kept(of), kept, 0.1) << kept;
    }
  }
}

TEST_P(PriceLaw, TheLeastKeptIsTheInverseOfTheLeastError) {
  const Price price{.target = "y", .variance = 3, .unexplained = 1, .by_sensitive = 0.5};
  for (int i = 0; i < 10; ++i) {
    const double kept = random.uniform(0, 1);
    EXPECT_NEAR(price.least_kept(1 + (1 - kept) * (1 - kept) * 0.5), kept, 1e-12);
  }
  EXPECT_EQ(price.least_kept(1.5), 0);
  EXPECT_EQ(price.least_kept(40), 0);
  EXPECT_EQ(price.least_kept(1), 1);
  EXPECT_EQ(price.least_kept(0.2), 1);
  const Price none{.target = "y", .variance = 3, .unexplained = 1};
  EXPECT_EQ(none.least_kept(1), 0);
}

TEST_P(PriceLaw, DoesNotFallBecauseThereAreManyColumns) {
  constexpr int kTables = 400;
  double unexplained = 0, by_sensitive = 0;
  for (int i = 0; i < kTables; ++i) {
    const World::Rows rows = world.draw(random, 25);
    const std::optional<Price> price = price_of(rows.a, rows.b, rows.y);
    ASSERT_TRUE(price);
    unexplained += price->unexplained / kTables;
    by_sensitive += price->by_sensitive / kTables;
  }
  const double unit = world.unexplained() + world.by_sensitive() + (world.root_e * world.alpha).squaredNorm();
  EXPECT_NEAR(unexplained, world.unexplained(), 0.1 * unit);
  EXPECT_NEAR(by_sensitive, world.by_sensitive(), 0.15 * unit);
}

TEST_P(PriceLaw, KnowsNoUnits) {
  const World::Rows rows = world.draw(random, 300);
  const MatrixXd a = (rows.a * 1e5).array() + 3e7, b = rows.b * 1e-4;
  const Price price = *price_of(rows.a, rows.b, rows.y);
  const Price scaled = *price_of(a, b, VectorXd(rows.y.array() * -1e3 + 1e6));
  EXPECT_NEAR(scaled.floor(), 1e6 * price.floor(), 1e-6 * scaled.variance);
  EXPECT_NEAR(scaled.by_sensitive, 1e6 * price.by_sensitive, 1e-6 * scaled.variance);
}

TEST_P(PriceLaw, CopiesAndConstantsAddNothing) {
  const World::Rows rows = world.draw(random, 300);
  MatrixXd a(300, 2 * q + 1), b(300, 2 * p);
  a << rows.a, 2 * rows.a, VectorXd::Constant(300, 5);
  b << rows.b, -rows.b;
  const Price price = *price_of(rows.a, rows.b, rows.y), more = *price_of(a, b, rows.y);
  EXPECT_NEAR(more.unexplained, price.unexplained, 1e-9 * price.variance);
  EXPECT_NEAR(more.by_sensitive, price.by_sensitive, 1e-9 * price.variance);
}

TEST_P(PriceLaw, PartsMergedAreTheWhole) {
  const World::Rows rows = world.draw(random, 9000);
  Moments whole(q, p);
  TargetMoments of_whole(whole.feature_names(), whole.sensitive_names()), of_parts, empty;
  const TargetMoments fresh = of_whole;
  whole.update(rows.a, rows.b);
  of_whole.update(rows.a, rows.b, rows.y);
  const Index cut = random.integer(1, 8999);
  for (const auto& [first, count] : {std::pair{Index{0}, cut}, {cut, 9000 - cut}}) {
    TargetMoments part = fresh;
    part.update(rows.a.middleRows(first, count), rows.b.middleRows(first, count), rows.y.segment(first, count));
    of_parts.merge(part);
    of_parts.merge(empty);
  }
  const Price expected = *price_of(whole, of_whole), found = *price_of(whole, of_parts);
  EXPECT_NEAR(found.unexplained, expected.unexplained, 1e-10 * expected.variance);
  EXPECT_NEAR(found.by_sensitive, expected.by_sensitive, 1e-10 * expected.variance);
  TargetMoments threads = fresh;
  threads.update(rows.a, rows.b, rows.y, {.threads = 3});
  EXPECT_EQ(threads, of_whole);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PriceLaw, ::testing::Range(1u, 6u));

TEST(Price, IsAbsentWhereItCannotBeKnown) {
  Random random(3);
  const World world(random, 2, 4);
  const World::Rows rows = world.draw(random, 50), few = world.draw(random, 7);
  EXPECT_FALSE(price_of(rows.a, rows.b, VectorXd(VectorXd::Constant(50, 7.1))));
  EXPECT_FALSE(price_of(few.a, few.b, few.y));
  Moments cross(4, 2, Moments::Kind::cross), full(4, 2);
  cross.update(rows.a, rows.b);
  full.update(few.a, few.b);
  TargetMoments target(cross.feature_names(), cross.sensitive_names());
  target.update(rows.a, rows.b, rows.y);
  EXPECT_NE(message_of([&] { price_of(cross, target); }), "");
  EXPECT_EQ(message_of([&] { price_of(full, target); }),
            "the moments of the target are of other rows or columns than those of the features");
}

TEST(Price, BothFormsOfACertificateSayIt) {
  Random random(4);
  const World world(random, 2, 4);
  const World::Rows rows = world.draw(random, 500);
  Certificate c = fit(rows.a, rows.b).certificate;
  c.price = price_of(rows.a, rows.b, rows.y);
  c.price->target = "income";
  EXPECT_NE(c.to_text().find("no counterfactually fair prediction of 'income'"), std::string::npos) << c.to_text();
  EXPECT_NE(c.to_text().find("linear form"), std::string::npos);
  EXPECT_EQ(Certificate::from_json(c.to_json()).price, c.price);
  for (const double error : {c.price->floor() * 2, c.price->unexplained + c.price->by_sensitive / 4, 0.0}) {
    c.price->levels = {"no", "yes"};
    c.price->is_probability = true;
    c.price->predictions = {"score", error, c.price->least_kept(error)};
    const Certificate read = Certificate::from_json(c.to_json());
    EXPECT_EQ(read.price, c.price);
    EXPECT_EQ(read.to_text(), c.to_text());
    EXPECT_NE(c.to_text().find("predictions 'score'"), std::string::npos);
    EXPECT_NE(c.to_text().find("of the probability that 'income' is 'yes'"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumbline
