#include "tables/column_look.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "csv/cell_values.h"
#include "random_data.h"

namespace plumbline {

bool operator==(const ColumnLook& x, const ColumnLook& y) {
  return x.kind == y.kind && x.form == y.form && x.cell == y.cell;
}

void PrintTo(const ColumnLook& look, std::ostream* out) {
  *out << name_of(look.kind) << ", form " << static_cast<int>(look.form) << ", cell " << look.cell;
}

namespace {

using testing::Random;
using Texts = std::vector<std::string>;

constexpr auto kNumber = ColumnKind::number, kCategory = ColumnKind::category;

ColumnLook look(const Texts& cells, const CsvDialect& dialect = {}) {
  return look_of({cells.begin(), cells.end()}, dialect);
}

template <class Make>
Texts made(std::size_t count, const Make& make) {
  Texts out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(make(i));
  return out;
}

// The rule in the words of docs/command-line.md.
ColumnKind documented_kind(const Texts& cells) {
  const CsvDialect dialect;
  std::ptrdiff_t there = 0, numbers = 0, booleans = 0;
  for (const std::string& cell : cells) {
    if (dialect.is_missing(cell)) continue;
    ++there;
    numbers += number_in(cell).has_value();
    booleans += boolean_in(cell).has_value();
  }
  if (there == 0) return ColumnKind::number;
  if (booleans == there) return ColumnKind::boolean;
  return 2 * numbers <= there ? ColumnKind::category : ColumnKind::number;
}

TEST(ColumnLook, KindsAreThoseThatAreDocumentedWhateverTheForm) {
  const Texts some = {"1",     " 2.5", "-1e3",  "yes",       "F",          "no",   "many", "",   "NA",
                      "1,234", "inf",  "1.234", "1.234.567", "2024-05-31", "true", "12",   "n ", "99999999999999999"};
  Random random(1);
  for (int round = 0; round < 5000; ++round) {
    const Index first = random.integer(0, static_cast<Index>(some.size()) - 1),
                last = random.integer(first, static_cast<Index>(some.size()) - 1);
    const Texts cells = made(static_cast<std::size_t>(random.integer(0, 30)),
                             [&](std::size_t) { return some[static_cast<std::size_t>(random.integer(first, last))]; });
    ASSERT_EQ(look(cells).kind, documented_kind(cells));
  }
}

TEST(ColumnLook, NothingButMissingCellsIsEmpty) {
  const ColumnLook empty{kNumber, ColumnForm::empty};
  EXPECT_EQ(look({}), empty);
  EXPECT_EQ(look({"", "NA", " ? "}), empty);
  EXPECT_EQ(look({"", "0", ""}), (ColumnLook{kNumber}));
  CsvDialect dialect;
  dialect.missing = {"-"};
  EXPECT_EQ(look({"-", " - "}, dialect), empty);
}

TEST(ColumnLook, GroupedNumbersNeedOneThatIsReadAsNone) {
  const auto is = [](ColumnKind kind, std::size_t cell) { return ColumnLook{kind, ColumnForm::grouped, cell}; };
  EXPECT_EQ(look({"", "1,234", "12,000", "1,234,567"}), is(kCategory, 1));
  EXPECT_EQ(look({"1 234", "12 000"}), is(kCategory, 0));
  EXPECT_EQ(look({"1'234.5", "-12'000.0"}), is(kCategory, 0));
  EXPECT_EQ(look({"999", "12", "1,234"}), is(kNumber, 2));
  EXPECT_EQ(look({"1.234", "5.678", "1.234.567"}), is(kNumber, 2));
  EXPECT_EQ(look({"1.234", "5.678", "9.012"}), (ColumnLook{kNumber}));          // decimals as well
  EXPECT_EQ(look({"1.5", "2.25", "3.1", "1.234.567"}), (ColumnLook{kNumber}));  // decimals
  EXPECT_EQ(look({"1,234", "1 234", "1'234", "12'000"}), (ColumnLook{kCategory}));
  EXPECT_EQ(look({"1,234", "a"}), (ColumnLook{kCategory}));  // half of them
  EXPECT_NE(look({"0,123", "1,5"}).form, ColumnForm::grouped);
}

TEST(ColumnLook, NumbersWithTheOtherDecimalSignAreSeen) {
  CsvDialect comma;
  comma.delimiter = ';';
  comma.decimal = ',';
  const auto is = [](ColumnKind kind, std::size_t cell) { return ColumnLook{kind, ColumnForm::other_decimal, cell}; };
  EXPECT_EQ(look({"", "1,5", "2,25"}), is(kCategory, 1));
  EXPECT_EQ(look({"1.5", "2,25"}), is(kCategory, 1));
  EXPECT_EQ(look({"1", "2.5", "2,25"}), is(kNumber, 2));
  EXPECT_EQ(look({"1,5", "2,25"}, comma), (ColumnLook{kNumber}));
  EXPECT_EQ(look({"1,5", "2.25"}, comma), is(kCategory, 1));
  EXPECT_EQ(look({"1,5", "a", "b"}), (ColumnLook{kCategory}));
  EXPECT_EQ(look({"1,234", "2,500"}, comma), (ColumnLook{kNumber}));  // decimals
  EXPECT_EQ(look({"1.234", "1,5"}, comma).form, ColumnForm::grouped);
}

TEST(ColumnLook, MostDatesMakeAColumnOfDates) {
  EXPECT_EQ(look({"", "2024-05-31", "2024-06-01T12:30Z", "today"}), (ColumnLook{kCategory, ColumnForm::date, 1}));
  EXPECT_EQ(look({"today", "2024-05-31"}), (ColumnLook{kCategory}));
  EXPECT_EQ(look(made(40, [](std::size_t i) { return "2024-05-" + std::to_string(i % 9 + 10); })).form,
            ColumnForm::date);
}

TEST(ColumnLook, WholeNumbersBeyondThoseThatADoubleHolds) {
  const auto form = [](const char* number) { return look({"1", number, "2"}).form; };
  for (const char* number : {"9007199254740993", "-9007199254740993", "10000000000000000", "0012345678901234567890"})
    EXPECT_EQ(form(number), ColumnForm::beyond_double) << number;
  for (const char* number : {"9007199254740992", "-9007199254740992", "00000000000000000001", "9007199254740993.5",
                             "1e300", "900719925474099"})
    EXPECT_EQ(form(number), ColumnForm::plain) << number;
  EXPECT_EQ(look({"1", "9007199254740993", "9007199254740994"}), (ColumnLook{kNumber, ColumnForm::beyond_double, 1}));
  EXPECT_EQ(look({"a", "b", "9007199254740993"}), (ColumnLook{kCategory}));
}

TEST(ColumnLook, DistinctCellsAreSeenOnceThereAreEnough) {
  const auto text = [](std::size_t i) { return "person " + std::to_string(i); };
  const auto whole = [](std::size_t i) { return std::to_string(1000 + 7 * i); };
  const auto real = [](std::size_t i) { return std::to_string(static_cast<double>(i) / 8); };
  EXPECT_EQ(look(made(kFewestDistinct, text)), (ColumnLook{kCategory, ColumnForm::distinct_text}));
  EXPECT_EQ(look(made(kFewestDistinctWhole, whole)), (ColumnLook{kNumber, ColumnForm::distinct_whole}));
  EXPECT_EQ(look(made(kFewestDistinct - 1, text)), (ColumnLook{kCategory}));
  EXPECT_EQ(look(made(kFewestDistinctWhole - 1, whole)), (ColumnLook{kNumber}));
  EXPECT_EQ(look(made(kFewestDistinctWhole, real)), (ColumnLook{kNumber}));

  Texts twice = made(kFewestDistinct, text), gaps = twice;
  twice.push_back(" " + twice.front());
  EXPECT_EQ(look(twice), (ColumnLook{kCategory}));
  gaps.insert(gaps.end(), {"", ""});  // missing cells are no level
  EXPECT_EQ(look(gaps).form, ColumnForm::distinct_text);
}

TEST(ColumnLook, TheOrderOfCellsIsNoMatter) {
  Random random(2);
  Texts cells = {"1,234", "999", "12,000", "", "2,000"};
  for (std::size_t i = 0; i < 20; ++i) {
    std::swap(cells[i % cells.size()], cells[static_cast<std::size_t>(random.integer(0, 4))]);
    const ColumnLook found = look(cells);
    EXPECT_EQ(found.form, ColumnForm::grouped);
    const auto first = std::find_if(cells.begin(), cells.end(), [](const auto& c) { return c.find(',') != c.npos; });
    EXPECT_EQ(found.cell, static_cast<std::size_t>(first - cells.begin()));
  }
}

}  // namespace
}  // namespace plumbline
