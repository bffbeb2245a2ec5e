// Rows in memory and the same rows as CSV: one encoding, one fit, to the last bit.
#include "tables/memory_source.h"

#include <gtest/gtest.h>

#include <bit>
#include <memory>

#include "message_of.h"
#include "random_frame.h"
#include "roles.h"
#include "scratch_folder.h"
#include "tables/learn_encoding.h"
#include "tables/row_batches.h"
#include "tables/table_fit.h"

namespace plumbline {
namespace {

using testing::Frame;
using testing::FrameColumn;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::random_frame;
using testing::Roles;
using testing::RowMajor;
using testing::schema_of;

const Roles kFrameRoles = {.sensitive = {"s", "group"}, .weights = "w"};
const Roles kUnweightedRoles = {.sensitive = {"s", "group"}, .left_out = {"w"}};

class MemorySourceTest : public ::testing::TestWithParam<unsigned> {
 protected:
  std::unique_ptr<CsvSource> csv(const Frame& frame, std::size_t chunk) const {
    return std::make_unique<CsvSource>(CsvTable({folder.put("frame.csv", frame.csv())}, {}, {}, chunk));
  }
  std::unique_ptr<CsvSource> csv(const Frame& frame) {
    return csv(frame, static_cast<std::size_t>(random.integer(500, 60'000)));
  }

  ReadOptions read() { return {static_cast<int>(random.integer(1, 4)), {}}; }

  Random random{GetParam()};
  testing::ScratchFolder folder;
};

// All rows as they are encoded, bit by bit.
struct Rows {
  std::vector<std::uint64_t> cells;
  std::int64_t dropped = 0, filled = 0, unknown = 0;

  bool operator==(const Rows&) const = default;
};

Rows encoded(ChunkSource& source, const Encoding& encoding, const Placement& placement, const ReadOptions& options) {
  const RowEncoder encoder(encoding, placement, source);
  Rows out;
  scan_encoded(
      source, encoder, options, [](EncodedRows&) {},
      [&](const EncodedRows& rows) {
        const auto append = [&](double cell) { out.cells.push_back(std::bit_cast<std::uint64_t>(cell)); };
        for (Index i = 0; i < rows.rows; ++i) {
          for (const Columns& part : {rows.features(), rows.sensitive()})
            for (Index j = 0; j < part.cols(); ++j) append(part(i, j));
          if (!rows.weights.empty()) append(rows.weights[static_cast<std::size_t>(i)]);
        }
        out.dropped += rows.dropped;
        out.filled += rows.filled;
        out.unknown += rows.unknown;
      });
  return out;
}

TEST_P(MemorySourceTest, RowsAreEncodedAsThoseOfTheCsvAre) {
  const Frame frame = random_frame(random, random.integer(2, 3000), 0.05);
  const auto expected_source = csv(frame);
  for (const Missing missing : {Missing::drop, Missing::mean}) {
    const Schema schema = schema_of(*expected_source, frame.kinds(), kFrameRoles);
    const LearnedEncoding learned = learn_encoding(*expected_source, schema, missing, read());
    if (learned.rows == 0) continue;
    const Encoding encoding = merge_rare_levels(learned.encoding, learned.level_rows, random.integer(0, 30)).encoding;
    const Rows expected = encoded(*expected_source, encoding, schema.placement(), read());
    EXPECT_EQ(encoded(*frame.source(random.integer(1, frame.rows)), encoding, schema.placement(), read()), expected);
  }
}

TEST_P(MemorySourceTest, TheEncodingIsLearnedAsFromTheCsv) {
  const Frame frame = random_frame(random, random.integer(50, 3000), 0.05);
  const auto expected_source = csv(frame);
  for (const Missing missing : {Missing::drop, Missing::mean})
    for (const Roles& roles : {kFrameRoles, kUnweightedRoles}) {
      const auto learn = [&](ChunkSource& source, std::vector<ColumnKind> kinds) {
        return learn_encoding(source, schema_of(source, std::move(kinds), roles), missing, read());
      };
      const LearnedEncoding expected = learn(*expected_source, frame.kinds());
      const auto source = frame.source(random.integer(1, frame.rows));
      const LearnedEncoding found = learn(*source, known_kinds(*source));
      EXPECT_EQ(found.encoding, expected.encoding);
      EXPECT_EQ(found.level_rows, expected.level_rows);
      EXPECT_EQ(found.rows, expected.rows);
      EXPECT_EQ(found.dropped, expected.dropped);
    }
}

// Fits that take every way through the engine.
std::vector<TableFitOptions> ways() {
  std::vector<TableFitOptions> out(7);
  out[1].fit = {.rank = Rank::count(2)};
  out[2].fit = {.mode = Mode::blind, .rank = Rank::share(0.9)};
  out[3].fit = {.method = Method::sob, .rank = Rank::count(2)};
  out[4].expand = ExpansionOptions{.powers = 2, .interactions = true};
  out[5].expand = ExpansionOptions{.knots = 4, .bins = 3};
  out[6].least_rows = 0;
  return out;
}

TEST_P(MemorySourceTest, FitsHaveTheBitsOfThoseOfTheCsv) {
  for (const Missing missing : {Missing::error, Missing::drop, Missing::mean}) {
    const double share = missing == Missing::error ? 0 : 0.02;
    const Frame frame = random_frame(random, random.integer(200, 20'000), share);
    const auto expected_source = csv(frame);
    for (TableFitOptions options : ways()) {
      const Roles& roles = random.integer(0, 1) == 0 ? kFrameRoles : kUnweightedRoles;
      const auto fitted = [&](ChunkSource& source, std::vector<ColumnKind> kinds) {
        options.missing = missing;
        options.read = read();
        return fit_table(source, schema_of(source, std::move(kinds), roles), options);
      };
      const TableFit expected = fitted(*expected_source, frame.kinds());
      const auto source = frame.source(random.integer(1, frame.rows));
      const TableFit found = fitted(*source, known_kinds(*source));
      EXPECT_EQ(found.fit.to_json(), expected.fit.to_json());
      EXPECT_EQ(found.rows, expected.rows);
      EXPECT_EQ(found.dropped, expected.dropped);
      EXPECT_EQ(found.filled, expected.filled);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemorySourceTest, ::testing::Range(0U, 4U));

// A frame of numbers alone: b0, b1, then a0 …
Frame numbers_frame(const MatrixXd& cells) {
  Frame out{cells.rows(), {}};
  for (Index j = 0; j < cells.cols(); ++j) {
    FrameColumn& column =
        out.columns.emplace_back(FrameColumn{j < 2 ? "b" + std::to_string(j) : "a" + std::to_string(j - 2)});
    column.numbers.assign(cells.col(j).data(), cells.col(j).data() + cells.rows());
  }
  return out;
}

template <class Matrix>
std::unique_ptr<MemorySource> array_source(const Matrix& cells, const std::vector<std::string>& names) {
  auto out = std::make_unique<MemorySource>("X", names);
  std::vector<MemorySource::Column> columns;
  for (Index j = 0; j < cells.cols(); ++j)
    columns.push_back({Cells(cells.data() + j * cells.colStride(), cells.rowStride())});
  out->add(cells.rows(), columns, nullptr);
  return out;
}

const Roles kNumberRoles = {.sensitive = {"b0", "b1"}};

std::string fit_json(ChunkSource& source, std::size_t columns, const TableFitOptions& options) {
  const std::vector<ColumnKind> kinds(columns, ColumnKind::number);
  return fit_table(source, schema_of(source, kinds, kNumberRoles), options).fit.to_json();
}

TEST_P(MemorySourceTest, MatricesOfAnyLayoutHaveTheBitsOfTheCsv) {
  const MatrixXd b = random.matrix(random.integer(100, 20'000), 2);
  MatrixXd cells(b.rows(), 2 + random.integer(1, 6));
  cells << b, random.features(b, cells.cols() - 2);
  const Eigen::MatrixXf floats = cells.cast<float>();
  cells = floats.cast<double>();
  const RowMajor rows = cells;
  const Frame frame = numbers_frame(cells);
  const auto file = csv(frame);
  for (const TableFitOptions& options : ways()) {
    const std::string expected = fit_json(*file, frame.columns.size(), options);
    EXPECT_EQ(fit_json(*array_source(cells, frame.names()), frame.columns.size(), options), expected);
    EXPECT_EQ(fit_json(*array_source(rows, frame.names()), frame.columns.size(), options), expected);
    EXPECT_EQ(fit_json(*array_source(floats, frame.names()), frame.columns.size(), options), expected);
  }
}

// Rows times the square of the features are beyond what full moments are collected for.
TEST_P(MemorySourceTest, LargeTablesHaveTheBitsOfTheCsv) {
  if (GetParam() > 0) return;
  const MatrixXd cells = (random.matrix(9000, 402) * 100).array().round() / 1000;
  const Frame frame = numbers_frame(cells);
  const std::string expected = fit_json(*csv(frame, 1 << 20), frame.columns.size(), {});
  ASSERT_EQ(Fit::from_json(expected).certificate.before.canonical, std::nullopt);
  EXPECT_EQ(fit_json(*frame.source(), frame.columns.size(), {}), expected);
  EXPECT_EQ(fit_json(*frame.source(5000), frame.columns.size(), {}), expected);
}

// Sparse components of more features than rows are found from the rows themselves.
TEST_P(MemorySourceTest, WideTablesHaveTheBitsOfTheCsv) {
  if (GetParam() > 0) return;
  const MatrixXd b = random.matrix(430, 2);
  MatrixXd cells(b.rows(), 422);
  cells << b, random.features(b, 420);
  Frame frame = numbers_frame(cells);
  for (const Index rows_missing : {0, 20}) {  // with 20 rows left out there are fewer rows than features
    for (Index i = 0; i < rows_missing; ++i) frame.columns[5].make_missing(i);
    TableFitOptions options{.fit = {.method = Method::sob, .rank = Rank::count(2)}, .missing = Missing::drop};
    options.fit.sob.max_iterations = 20;
    const std::string expected = fit_json(*csv(frame, 1 << 16), frame.columns.size(), options);
    EXPECT_EQ(fit_json(*frame.source(), frame.columns.size(), options), expected);
    EXPECT_EQ(fit_json(*frame.source(100), frame.columns.size(), options), expected);
  }
}

TEST(MemorySource, KindsOfBatchesMustAgree) {
  const std::vector<double> numbers(2, 1.0);
  const std::vector<std::int32_t> codes(2, 0);
  const std::vector<std::string> levels = {"a"};
  const MemorySource::Column number{Cells(numbers.data(), 1)},
      category{Cells(codes.data(), 1, &levels), ColumnKind::category};
  const MemorySource::Column boolean{Cells(numbers.data(), 1), ColumnKind::boolean},
      nothing{Cells(numbers.data(), 1), std::nullopt};
  MemorySource source("X", {"x"});
  EXPECT_EQ(source.kind(0), std::nullopt);
  source.add(2, {nothing}, nullptr);
  EXPECT_EQ(source.kind(0), std::nullopt);
  source.add(2, {boolean}, nullptr);
  EXPECT_EQ(source.kind(0), ColumnKind::boolean);
  EXPECT_NE(message_of([&] { source.add(2, {category}, nullptr); }).find("'x'"), std::string::npos);
  EXPECT_NE(message_of([&] { source.add(2, {number, number}, nullptr); }), "");
  EXPECT_EQ(source.rows(), 4);
  source.add(2, {number}, nullptr);
  EXPECT_EQ(source.kind(0), ColumnKind::number);
}

}  // namespace
}  // namespace plumbline
