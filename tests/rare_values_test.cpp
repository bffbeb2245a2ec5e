#include "tables/rare_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "debias/encoding_json.h"
#include "message_of.h"
#include "random_frame.h"
#include "roles.h"
#include "tables/learn_encoding.h"
#include "tables/row_batches.h"

namespace plumbline {
namespace {

using testing::Frame;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::random_frame;
using testing::schema_of;

class RareValues : public ::testing::TestWithParam<unsigned> {
 protected:
  LevelRows random_levels() {
    LevelRows out;
    for (Index i = random.integer(1, 40); i > 0; --i)
      out[fmt::format("{}", random.integer(0, 99))] = static_cast<std::int64_t>(std::exp(random.uniform(0, 8))) - 1;
    for (const char* name : {"other", "(other)"})
      if (random.integer(0, 1) == 0) out[name] = random.integer(0, 500);
    return out;
  }

  // Mostly one value, or a few, or nearly as many as rows; some values are −0.
  std::vector<double> random_values() {
    std::vector<double> out(static_cast<std::size_t>(random.integer(0, 1500)));
    const double share = std::exp(random.uniform(-8, 0));
    const Index many = random.integer(2, 400);
    for (double& value : out)
      value = random.uniform(0, 1) > share ? (random.integer(0, 1) == 0 ? 0.0 : -0.0)
                                           : static_cast<double>(random.integer(0, many)) - 3;
    return out;
  }

  Random random{GetParam()};
};

Encoding encoding_of(const LevelRows& rows) {
  TableColumn column{"x", ColumnKind::category};
  for (const auto& [level, count] : rows) column.levels.push_back(level);
  return {.features = {{"a"}, column, {"z"}}, .sensitive = {{"s"}}};
}

TEST_P(RareValues, LevelsThatStayHaveEnoughRowsAndSoHaveTheMergedOnesTogether) {
  const LevelRows rows = random_levels();
  const std::int64_t least = random.integer(0, 600);
  const TableColumn column = merge_rare_levels(encoding_of(rows), {{}, rows, {}}, least).encoding.features[1];
  const auto count = [&](const std::string& level) { return rows.at(level); };
  std::int64_t together = 0, most_merged = 0;
  for (const std::string& level : column.merged) {
    together += count(level);
    most_merged = std::max(most_merged, count(level));
  }
  for (const std::string& level : column.levels) {
    EXPECT_GE(count(level), least);
    EXPECT_GE(count(level), most_merged);
  }
  if (!column.levels.empty() && !column.merged.empty()) EXPECT_GE(together, least);
  // No more than need be: all but the most frequent of them are rare by themselves or together.
  if (most_merged >= least) EXPECT_LT(together - most_merged, least);
  std::vector<std::string> all;
  std::merge(column.levels.begin(), column.levels.end(), column.merged.begin(), column.merged.end(),
             std::back_inserter(all));
  EXPECT_EQ(all, encoding_of(rows).features[1].levels);
}

TEST_P(RareValues, TheNameOfTheMergedLevelsIsNoLevels) {
  const LevelRows rows = random_levels();
  const Encoding merged = merge_rare_levels(encoding_of(rows), {{}, rows, {}}, random.integer(0, 600)).encoding;
  const TableColumn& column = merged.features[1];
  EXPECT_EQ(column.other.empty(), column.merged.empty());
  EXPECT_FALSE(rows.contains(column.other));
  EXPECT_EQ(encoding_from(json_of(merged)), merged);  // which checks it
  const std::vector<std::string> notes = rare_notes(merged);
  ASSERT_EQ(notes.size(), column.merged.empty() ? 0U : 1U);
  if (!notes.empty()) EXPECT_NE(notes[0].find("'x'"), std::string::npos);
}

TEST_P(RareValues, NothingIsRareBelowZeroRows) {
  const LevelRows rows = random_levels();
  const Merging merging = merge_rare_levels(encoding_of(rows), {{}, rows, {}}, 0);
  EXPECT_EQ(merging.encoding, encoding_of(rows));
  std::vector<Index> each(merging.into.size());
  std::iota(each.begin(), each.end(), Index{0});
  EXPECT_EQ(merging.into, each);
}

// All rows of A, as they are encoded.
MatrixXd encoded_features(const Frame& frame, const Encoding& encoding, const Schema& schema) {
  const auto source = frame.source(1000);
  const RowEncoder encoder(encoding, schema.placement(), *source);
  MatrixXd out(frame.rows, encoder.features());
  Index rows = 0;
  scan_encoded(
      *source, encoder, {}, [](EncodedRows&) {},
      [&](const EncodedRows& of) {
        for (Index i = 0; i < of.rows; ++i, ++rows)
          for (Index j = 0; j < out.cols(); ++j) out(rows, j) = of.features()(i, j);
      });
  return out.topRows(rows);
}

TEST_P(RareValues, MergedLevelsAreEncodedAsTheSumOfTheirIndicators) {
  const Frame frame = random_frame(random, random.integer(100, 4000), 0.02);
  const auto source = frame.source();
  const Schema schema = schema_of(*source, known_kinds(*source), {.sensitive = {"s", "group"}, .left_out = {"w"}});
  for (const Missing missing : {Missing::drop, Missing::mean}) {
    const LearnedEncoding learned = learn_encoding(*source, schema, missing, {});
    const Merging merging = merge_rare_levels(learned.encoding, learned.level_rows, random.integer(0, frame.rows));
    const MatrixXd all = encoded_features(frame, learned.encoding, schema);
    const MatrixXd merged = encoded_features(frame, merging.encoding, schema);
    MatrixXd sums = MatrixXd::Zero(all.rows(), merged.cols());
    ASSERT_EQ(static_cast<Index>(merging.into.size()), all.cols());
    for (std::size_t j = 0; j < merging.into.size(); ++j) sums.col(merging.into[j]) += all.col(static_cast<Index>(j));
    EXPECT_LE((sums - merged).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST(UnseenLevels, JoinThoseThatAreMergedOrAreRefusedOrAreNone) {
  Frame frame{3, {{"s", ColumnKind::number, {1, 2, 3}}, {"x", ColumnKind::category, {}, {0, 1, 2}, {"a", "b", "new"}}}};
  const auto source = frame.source();
  const Schema schema = schema_of(*source, known_kinds(*source), {.sensitive = {"s"}});
  Encoding encoding{.features = {{"x", ColumnKind::category, {"a"}, {"b"}, "other"}}, .sensitive = {{"s"}}};
  const auto encoded = [&](Unknown unknown) {
    encoding.unknown = unknown;
    return encoded_features(frame, encoding, schema);
  };
  MatrixXd joined(3, 2), none(3, 2);
  joined << 1, 0, 0, 1, 0, 1;
  none << 1, 0, 0, 1, 0, 0;
  EXPECT_EQ(encoded(Unknown::merge), joined);
  EXPECT_EQ(encoded(Unknown::ignore), none);
  EXPECT_NE(message_of([&] { encoded(Unknown::error); }).find("'new'"), std::string::npos);
  encoding.features[0] = {"x", ColumnKind::category, {"a", "b"}};
  EXPECT_NE(message_of([&] { encoded(Unknown::merge); }).find("'new'"), std::string::npos);
  none << 1, 0, 0, 1, 0, 0;
  EXPECT_EQ(encoded(Unknown::ignore), none);
}

ValueRows counted_values(const std::vector<double>& values) {
  ValueRows out;
  for (const double value : values) out.add(value);
  return out;
}

TEST_P(RareValues, TheHeldValueIsTheModeOfWhichFewRowsDiffer) {
  const std::vector<double> values = random_values();
  std::map<double, std::int64_t> counts;
  for (const double value : values) ++counts[value];
  const ValueRows found = counted_values(values);
  const auto mode = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  const std::int64_t differ = counts.empty() ? 0 : static_cast<std::int64_t>(values.size()) - mode->second;
  EXPECT_EQ(found.varies(), differ >= ValueRows::kMostRare);
  for (const std::int64_t least : {Index{0}, Index{1}, random.integer(2, ValueRows::kMostRare)}) {
    const bool is_held = differ > 0 && differ < least;
    EXPECT_EQ(found.held(least), is_held ? std::optional(mode->first) : std::nullopt);
  }
}

TEST_P(RareValues, CountsOfPartsMergeInAnyOrderToThoseOfTheWhole) {
  const std::vector<double> values = random_values();
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(random.integer(1, 6)));
  for (const double value : values)
    parts[static_cast<std::size_t>(random.integer(0, static_cast<Index>(parts.size()) - 1))].push_back(value);
  const ValueRows whole = counted_values(values);
  ValueRows one_way, other_way;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    one_way.merge(counted_values(parts[i]));
    other_way.merge(counted_values(parts[parts.size() - 1 - i]));
  }
  EXPECT_EQ(one_way, whole);
  EXPECT_EQ(other_way, whole);
  if (const auto held = whole.held(ValueRows::kMostRare); held && *held == 0) EXPECT_FALSE(std::signbit(*held));
  EXPECT_EQ(ValueRows::of(whole.counts(), whole.varies()), whole);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RareValues, ::testing::Range(0U, 25U));

TEST(LeastRows, RiseWithRowsAndSensitiveColumnsToTheirBounds) {
  std::int64_t before = 0;
  for (std::int64_t rows = 0; rows < 100'000; rows += 777) {
    std::int64_t fewer = 0;
    for (const Index sensitive : {1, 5, 10, 11, 50}) {
      const std::int64_t least = least_rows(rows, sensitive);
      EXPECT_GE(least, fewer);
      EXPECT_LE(20 * least, rows);
      if (20 * (least + 1) <= rows) EXPECT_EQ(least, std::max<std::int64_t>(100, 10 * sensitive));
      fewer = least;
    }
    EXPECT_GE(fewer, before);
    before = fewer;
  }
}

}  // namespace
}  // namespace plumbline
