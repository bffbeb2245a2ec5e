// Tables in parts, and with values that few rows have, fit as what they stand for.
#include "tables/table_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "debias/encoding_json.h"
#include "message_of.h"
#include "moments_distance.h"
#include "random_frame.h"
#include "roles.h"
#include "tables/learn_encoding.h"

namespace plumbline {
namespace {

using testing::distance;
using testing::Frame;
using testing::FrameColumn;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::random_frame;
using testing::Roles;
using testing::schema_of;

constexpr Index kLeaf = 4096;

class TableFitTest : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  Roles roles = random.integer(0, 1) == 0 ? Roles{.sensitive = {"s", "group"}, .weights = "w"}
                                          : Roles{.sensitive = {"s", "group"}, .left_out = {"w"}};
  Missing missing = random.integer(0, 1) == 0 ? Missing::drop : Missing::error;

  Frame frame(Index rows) { return random_frame(random, rows, missing == Missing::drop ? 0.03 : 0); }

  TableMoments part(const Frame& of, Moments::Kind kind = Moments::Kind::full) const {
    const auto source = of.source();
    return collect_part(*source, schema_of(*source, of.kinds(), roles), missing, {.kind = kind});
  }

  TableFit whole(const Frame& of, TableFitOptions options = {}) const {
    const auto source = of.source();
    options.missing = missing;
    return fit_table(*source, schema_of(*source, of.kinds(), roles), options);
  }
};

std::int64_t count_of(const LevelRows& rows) {
  std::int64_t sum = 0;
  for (const auto& [level, count] : rows) sum += count;
  return sum;
}

TEST_P(TableFitTest, PartsMergedInAnyOrderAreTheWhole) {
  const Frame all = frame(random.integer(400, 6000));
  std::vector<TableMoments> parts;
  for (Index first = 0; first < all.rows;) {
    const Index count = std::min(random.integer(1, all.rows), all.rows - first);
    parts.push_back(TableMoments::from_bytes(part(all.middle_rows(first, count)).to_bytes()));
    first += count;
  }
  TableMoments sum, back;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum.merge(parts[i]);
    back.merge(parts[parts.size() - 1 - i]);
  }
  const TableMoments expected = part(all);
  for (const TableMoments* found : {&sum, &back}) {
    EXPECT_EQ(found->encoding, expected.encoding);
    EXPECT_EQ(found->counts, expected.counts);
    EXPECT_EQ(found->dropped, expected.dropped);
    EXPECT_LE(distance(found->moments, expected.moments), 1e-12);
    EXPECT_EQ(found->without_rare_values({}).encoding, expected.without_rare_values({}).encoding);
  }
}

TEST_P(TableFitTest, PartsOfWholeLeavesFitToTheBitsOfTheWhole) {
  missing = Missing::error;
  const Frame all = frame(2 * kLeaf + random.integer(1, kLeaf));
  TableMoments sum;
  for (Index first = 0; first < all.rows; first += kLeaf)
    sum.merge(part(all.middle_rows(first, std::min(kLeaf, all.rows - first))));
  const auto least = static_cast<std::int64_t>(random.integer(0, 400));
  EXPECT_EQ(fit_table_moments(sum, {.least_rows = least}).fit.to_json(),
            whole(all, {.least_rows = least}).fit.to_json());
}

TEST_P(TableFitTest, AFitCanBeAddedTo) {
  const Frame first = frame(random.integer(300, 3000)), second = frame(random.integer(300, 3000));
  TableFit fitted = whole(first);
  ASSERT_TRUE(fitted.moments.has_value());
  TableMoments both = part(first);
  both.merge(part(second));
  fitted.moments->merge(part(second));
  EXPECT_EQ(fitted.moments->to_bytes(), both.to_bytes());
}

TEST_P(TableFitTest, CountsAreOfRowsOfPositiveWeight) {
  const Frame all = frame(random.integer(10, 200));
  const TableMoments found = part(all);
  std::int64_t rows = 0;
  for (Index i = 0; i < all.rows; ++i) {
    const bool lacks = std::any_of(all.columns.begin(), all.columns.end(),
                                   [&](const FrameColumn& column) { return column.is_missing(i); });
    const double weight = all.columns.back().numbers[static_cast<std::size_t>(i)];
    rows += !lacks && (roles.weights.empty() || weight > 0) ? 1 : 0;
  }
  for (std::size_t j = 0; j < found.encoding.features.size(); ++j) {
    std::int64_t values = 0;
    for (const auto& [value, count] : found.counts.values[j].counts()) values += count;
    const bool is_category = found.encoding.features[j].kind == ColumnKind::category;
    EXPECT_EQ(is_category ? count_of(found.counts.levels[j]) : values, rows);
  }
}

// What the same table gives that never had the rare values.
TEST_P(TableFitTest, RareValuesAreFittedAsIfTheTableHadNone) {
  Frame all = frame(random.integer(500, 5000));
  const std::int64_t least = random.integer(1, 60);
  const TableFit found = whole(all, {.least_rows = least});
  for (const TableColumn& column : found.fit.encoding->features) {
    FrameColumn& of = *std::find_if(all.columns.begin(), all.columns.end(),
                                    [&](const FrameColumn& one) { return one.name == column.name; });
    for (Index i = 0; i < all.rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (of.is_missing(i)) continue;
      if (column.held) of.numbers[at] = *column.held;
      if (std::binary_search(column.merged.begin(), column.merged.end(),
                             of.kind == ColumnKind::category ? of.level(i) : ""))
        of.codes[at] = static_cast<std::int32_t>(of.levels.size());
    }
    if (!column.merged.empty()) of.levels.push_back(column.other);
  }
  const TableFit expected = whole(all, {.least_rows = 0});
  const std::vector<std::string>&names = expected.fit.model.parts().feature_names,
        &found_names = found.fit.model.parts().feature_names;
  ASSERT_TRUE(std::is_permutation(names.begin(), names.end(), found_names.begin(), found_names.end()));
  std::vector<Index> place;
  for (const std::string& name : names)
    place.push_back(std::find(found_names.begin(), found_names.end(), name) - found_names.begin());
  const auto far = [&](const MatrixXd& one, const MatrixXd& other) {
    return (one(place, Eigen::all) - other).cwiseAbs().maxCoeff();
  };
  EXPECT_LE(far(found.fit.model.dense_b(), expected.fit.model.dense_b()), 1e-9);
  EXPECT_LE(far(found.fit.model.constant(), expected.fit.model.constant()), 1e-9);
  EXPECT_NEAR(found.fit.certificate.before.correlation.value, expected.fit.certificate.before.correlation.value, 1e-9);
  EXPECT_NEAR(found.fit.certificate.change, expected.fit.certificate.change, 1e-9);
}

TEST_P(TableFitTest, TheFileFormIsExact) {
  for (const auto kind : {Moments::Kind::cross, Moments::Kind::full}) {
    const TableMoments found = part(frame(random.integer(2, 2000)), kind);
    const TableMoments copy = TableMoments::from_bytes(found.to_bytes());
    EXPECT_EQ(copy.encoding, found.encoding);
    EXPECT_EQ(copy.moments, found.moments);
    EXPECT_EQ(copy.counts, found.counts);
    EXPECT_EQ(copy.dropped, found.dropped);
    EXPECT_EQ(copy.to_bytes(), found.to_bytes());
  }
}

// As version 1 wrote them.
std::string bytes_of_version_1(const TableMoments& moments) {
  Json content = json_of(moments.encoding);
  content["dropped"] = moments.dropped;
  content["filled"] = moments.filled;
  const std::string text = seal("plumbline-encoding", 1, content);
  const std::uint32_t version = 1;
  const std::uint64_t length = text.size();
  std::string out = "PLUMBTAB";
  out.append(reinterpret_cast<const char*>(&version), sizeof version);
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  return out + text + moments.moments.to_bytes();
}

TEST_P(TableFitTest, FilesWithoutCountsAreReadAndHaveNothingRare) {
  const TableMoments found = part(frame(random.integer(200, 2000)));
  const TableMoments copy = TableMoments::from_bytes(bytes_of_version_1(found));
  EXPECT_EQ(copy.encoding, found.encoding);
  EXPECT_EQ(copy.moments, found.moments);
  EXPECT_EQ(copy.without_rare_values(1000).to_bytes(), copy.to_bytes());
  TableMoments sum = copy;
  sum.merge(found);
  EXPECT_EQ(sum.counts, ValueCounts{});
  EXPECT_EQ(sum.moments.rows(), 2 * found.moments.rows());
  const TableMoments plain = TableMoments::from_bytes(found.moments.to_bytes());
  EXPECT_EQ(plain.moments, found.moments);
  EXPECT_EQ(fit_table_moments(plain, {.least_rows = 1000}).fit.encoding, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TableFitTest, ::testing::Range(0U, 10U));

TEST(TableFitEdge, CountsAtOddsWithTheTableAreRefused) {
  Random random(3);
  const Frame frame = random_frame(random, 300, 0);
  const auto source = frame.source();
  const TableMoments good =
      collect_part(*source, schema_of(*source, frame.kinds(), {.sensitive = {"s"}}), Missing::error, {});
  const auto message = [&](const auto& change) {
    TableMoments bad = good;
    change(bad.counts);
    return message_of([&] { TableMoments::from_bytes(bad.to_bytes()); });
  };
  const std::size_t category = 0, number = 1;
  ASSERT_FALSE(good.counts.levels[category].empty());
  EXPECT_EQ(message([](ValueCounts&) {}), "");
  EXPECT_NE(message([&](ValueCounts& counts) { counts.levels[category].begin()->second = 301; }), "");
  EXPECT_NE(message([&](ValueCounts& counts) { counts.levels[category]["more"] = 0; }), "");
  EXPECT_NE(message([&](ValueCounts& counts) { counts.levels[number]["more"] = 0; }), "");
  EXPECT_NE(message([&](ValueCounts& counts) { counts.levels.pop_back(); }), "");
  EXPECT_NE(message([&](ValueCounts& counts) { counts.values[number] = ValueRows::of({{1, 301}}, false); }), "");
}

// Cells that are filled have a share of each level, so that levels are not in rows of their own, and cross-only moments
// cannot be merged.
TEST(TableFitEdge, FilledCellsOfRareLevelsAreMergedBeforeTheyAreSummed) {
  Random random(4);
  const Index rows = 6000;
  Frame frame{rows, {}};
  for (Index j = 0; j < 370; ++j) {
    FrameColumn& column = frame.columns.emplace_back(FrameColumn{j == 0 ? "s" : "x" + std::to_string(j)});
    for (Index i = 0; i < rows; ++i) column.numbers.push_back(random.normal());
  }
  FrameColumn town{"town", ColumnKind::category, {}, {}, {"a", "b", "c", "d"}};
  Eigen::VectorXd merged(rows);  // c and d, which have some 200 rows each
  double seen = 0, there = 0;
  for (Index i = 0; i < rows; ++i) {
    const Index draw = random.integer(0, 29);
    town.codes.push_back(draw < 10 ? -1 : draw < 18 ? 0 : draw < 28 ? 1 : static_cast<std::int32_t>(draw - 26));
    merged[i] = town.codes.back() >= 2 ? 1 : 0;
    there += merged[i];
    seen += town.is_missing(i) ? 0 : 1;
  }
  for (Index i = 0; i < rows; ++i)
    if (town.is_missing(i)) merged[i] = there / seen;
  frame.columns.push_back(std::move(town));
  const auto source = frame.source();
  const Schema schema = schema_of(*source, frame.kinds(), {.sensitive = {"s"}});
  const Fit found = fit_table(*source, schema, {.missing = Missing::mean, .least_rows = 300}).fit;
  ASSERT_EQ(found.certificate.before.canonical, std::nullopt);
  const AffineParts& parts = found.model.parts();
  ASSERT_EQ(parts.feature_names.back(), "town=other");
  const auto spread = [](const Eigen::VectorXd& x) { return (x.array() - x.mean()).matrix().norm(); };
  const Eigen::VectorXd x1 = Eigen::Map<const Eigen::VectorXd>(frame.columns[1].numbers.data(), rows);
  EXPECT_NEAR(parts.scale_a[parts.scale_a.size() - 1] / parts.scale_a[0], spread(merged) / spread(x1), 1e-12);
}

}  // namespace
}  // namespace plumbline
