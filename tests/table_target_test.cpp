// What is known of a table's target, in parts and as a whole; and which of its features have a value of many rows.
#include "tables/table_target.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "message_of.h"
#include "plumbline/price.h"
#include "random_frame.h"
#include "roles.h"
#include "tables/table_fit.h"
#include "tables/table_moments.h"

namespace plumbline {
namespace {

using testing::Frame;
using testing::FrameColumn;
using testing::MatrixXd;
using testing::Random;
using testing::random_frame;
using testing::Roles;
using testing::schema_of;
using testing::VectorXd;

class TableTargetTest : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  bool is_text = random.integer(0, 1) == 1;

  // A random frame with a target y, of numbers or of two levels, and predictions of it.
  Frame frame(Index rows) {
    Frame out = random_frame(random, rows, 0);
    FrameColumn y{"y", is_text ? ColumnKind::category : ColumnKind::number}, score{"score"};
    if (is_text) y.levels = {"yes", "no"};
    for (Index i = 0; i < rows; ++i) {
      const double x = out.columns[2].numbers[static_cast<std::size_t>(i)] - 10 + random.normal();
      if (is_text)
        y.codes.push_back(x > 0 ? 0 : 1);
      else
        y.numbers.push_back(x);
      score.numbers.push_back(random.uniform(0, 1));
    }
    out.columns.push_back(y);
    out.columns.push_back(score);
    return out;
  }

  Schema schema(const Frame& of, const MemorySource& source, bool predictions) const {
    Schema out = schema_of(source, of.kinds(),
                           {.sensitive = {"s", "group"}, .left_out = {"score"}, .target = "y", .weights = "w"});
    out.is_priced = true;
    const auto columns = static_cast<Index>(of.columns.size());
    if (predictions) out.predictions = columns - 1;
    return out;
  }

  TableFit whole(const Frame& of, Index batch, int threads = 1, bool predictions = true) const {
    const auto source = of.source(batch);
    return fit_table(*source, schema(of, *source, predictions), {.read = {.threads = threads}});
  }

  TableMoments part(const Frame& of) const {
    const auto source = of.source();
    return collect_part(*source, schema(of, *source, false), Missing::error, {});
  }
};

TEST_P(TableTargetTest, ThePriceIsThatOfTheEncodedColumns) {
  const Frame all = frame(random.integer(500, 3000));
  const TableFit done = whole(all, all.rows);
  ASSERT_TRUE(done.fit.certificate.price);
  const Price& price = *done.fit.certificate.price;
  EXPECT_EQ(price.target, "y");
  EXPECT_EQ(price.is_probability, is_text);
  EXPECT_EQ(price.levels, is_text ? (std::vector<std::string>{"no", "yes"}) : std::vector<std::string>());
  // Against the columns as numbers: levels without their rarest, which the fit merges.
  const FrameColumn &y = all.columns[all.columns.size() - 2], &score = all.columns.back(), &w = all.columns[8];
  double sum = 0, weight = 0, mean = 0, squares = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(all.rows); ++i) {
    const double value = is_text ? 1.0 - y.codes[i] : y.numbers[i], error = value - score.numbers[i];
    sum += w.numbers[i] * error * error;
    weight += w.numbers[i];
    mean += w.numbers[i] * value;
    squares += w.numbers[i] * value * value;
  }
  mean /= weight;
  EXPECT_NEAR(price.variance, squares / weight - mean * mean, 1e-9 * price.variance);
  ASSERT_TRUE(price.predictions);
  EXPECT_EQ(price.predictions->column, "score");
  EXPECT_NEAR(price.predictions->error, sum / weight, 1e-9);
  EXPECT_NEAR(price.predictions->kept, price.least_kept(sum / weight), 1e-9);
  EXPECT_LE(price.floor_share(), 1);
}

TEST_P(TableTargetTest, NeitherThreadsNorChunksLeaveATrace) {
  const Frame all = frame(random.integer(500, 20'000));
  const std::string expected = whole(all, all.rows).fit.to_json();
  for (const int threads : {1, 2, 3}) {
    EXPECT_EQ(whole(all, random.integer(1, all.rows), threads).fit.to_json(), expected);
  }
}

TEST_P(TableTargetTest, PartsMergedAreTheWhole) {
  const Frame all = frame(random.integer(600, 6000));
  const Price expected = *whole(all, all.rows, 1, false).fit.certificate.price;
  TableMoments sum, back;
  std::vector<TableMoments> parts;
  for (Index first = 0; first < all.rows;) {
    const Index count = std::min(random.integer(1, all.rows), all.rows - first);
    parts.push_back(TableMoments::from_bytes(part(all.middle_rows(first, count)).to_bytes()));
    first += count;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum.merge(parts[i]);
    back.merge(parts[parts.size() - 1 - i]);
  }
  for (const TableMoments* found : {&sum, &back}) {
    const Certificate c = fit_table_moments(*found, {}).fit.certificate;
    ASSERT_TRUE(c.price);
    EXPECT_EQ(c.price->levels, expected.levels);
    EXPECT_NEAR(c.price->variance, expected.variance, 1e-9 * expected.variance);
    EXPECT_NEAR(c.price->unexplained, expected.unexplained, 1e-9 * expected.variance);
    EXPECT_NEAR(c.price->by_sensitive, expected.by_sensitive, 1e-9 * expected.variance);
  }
}

TEST_P(TableTargetTest, WhereThereIsNoPriceTheCertificateSaysWhy) {
  const Frame good = frame(300);
  const auto note = [&](const Frame& of) {
    const Certificate c = whole(of, of.rows, 1, false).fit.certificate;
    EXPECT_FALSE(c.price);
    return c.notes.empty() ? "" : c.notes.back();
  };
  const std::size_t at = good.columns.size() - 2;
  Frame lacking = good, three = good;
  lacking.columns[at].make_missing(7);
  EXPECT_EQ(note(lacking), "no price of fairness for 'y': it lacks cells");
  if (!is_text) return;
  three.columns[at].levels.emplace_back("perhaps");
  three.columns[at].codes[3] = 2;
  EXPECT_EQ(note(three), "no price of fairness for 'y': it has more than two levels");
  TableMoments sum = part(good), older = part(good);
  older.target.reset();
  sum.merge(older);
  EXPECT_EQ(fit_table_moments(sum, {}).fit.certificate.notes.back(),
            "no price of fairness for 'y': one of the parts does not know it");
}

TEST_P(TableTargetTest, ValuesOfManyRowsAreNamedInAwareMode) {
  Frame all = frame(random.integer(600, 9000));
  FrameColumn often{"often"}, seldom{"seldom"};
  for (Index i = 0; i < all.rows; ++i) {
    often.numbers.push_back(random.uniform(0, 1) < 0.4 ? -0.0 : random.normal());
    seldom.numbers.push_back(random.uniform(0, 1) < 0.1 ? 3.0 : random.normal());
  }
  all.columns.push_back(often);
  all.columns.push_back(seldom);
  const auto source = all.source();
  Schema roles = schema(all, *source, false);
  const auto names_in = [](const Certificate& c) {
    std::vector<std::string> out;
    for (const Atom& atom : c.atoms) out.push_back(atom.feature);
    return out;
  };
  const Certificate aware = fit_table(*source, roles, {}).fit.certificate;
  EXPECT_EQ(names_in(aware), (std::vector<std::string>{"job", "town", "often"}));
  for (const Atom& atom : aware.atoms) {
    EXPECT_GT(atom.share, Atom::kShare);
    EXPECT_LT(atom.share, 1);
  }
  EXPECT_EQ(aware.atoms[2].value, "0");
  EXPECT_NEAR(aware.atoms[2].share, 0.4, 0.06);
  EXPECT_NE(aware.to_text().find("of 3 features one value has more than 20 % of the rows"), std::string::npos);
  EXPECT_EQ(Certificate::from_json(aware.to_json()).atoms, aware.atoms);
  EXPECT_EQ(names_in(fit_table(*source, roles, {.fit = {.mode = Mode::blind}}).fit.certificate).size(), 0u);

  TableMoments sum;
  for (Index first = 0; first < all.rows; first += 500) {
    const Frame some = all.middle_rows(first, std::min<Index>(500, all.rows - first));
    const auto rows = some.source();
    sum.merge(TableMoments::from_bytes(collect_part(*rows, schema(some, *rows, false), Missing::error, {}).to_bytes()));
  }
  const Certificate merged = fit_table_moments(sum, {}).fit.certificate;
  EXPECT_EQ(names_in(merged), names_in(aware));
  EXPECT_NEAR(merged.atoms[2].share, aware.atoms[2].share, 0.06);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TableTargetTest, ::testing::Range(1u, 6u));

}  // namespace
}  // namespace plumbline
