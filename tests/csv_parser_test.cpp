#include "csv/csv_parser.h"

#include <gtest/gtest.h>

#include "csv/cell_values.h"
#include "csv_rows.h"
#include "random_table.h"

namespace plumbline {
namespace {

using testing::CsvRows;
using testing::parse_in_chunks;
using testing::Random;
using testing::RandomTable;
using testing::TableWriter;

constexpr CellPlan kNumber{CellKind::number}, kBoolean{CellKind::boolean}, kCategory{CellKind::category},
    kSkip{CellKind::skip}, kKept{CellKind::skip, true};

CsvRows parsed(std::string_view text, const std::vector<CellPlan>& plan, const CsvDialect& dialect = {}) {
  return parse_in_chunks(text, dialect, plan, 1 << 20, true);
}

std::vector<double> numbers_in(std::string_view text, const CsvDialect& dialect = {}) {
  std::vector<double> out;
  for (const std::uint64_t bits : parsed(text, {kNumber}, dialect).numbers) out.push_back(std::bit_cast<double>(bits));
  return out;
}

std::vector<std::optional<std::string>> levels_in(std::string_view text, const CsvDialect& dialect = {}) {
  const CsvRows rows = parsed(text, {kCategory}, dialect);
  EXPECT_EQ(rows.problem, "");
  return rows.categories;
}

TEST(CsvParser, ReadsWhatIsWrittenWhereverItIsCut) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    CsvDialect dialect;
    dialect.delimiter = ",;\t|"[random.integer(0, 3)];
    dialect.decimal = ".,"[random.integer(0, 1)];
    const RandomTable table = TableWriter(random, dialect).table(random.integer(0, 30), random.integer(1, 8));
    CsvRows whole = parse_in_chunks(table.text, dialect, table.plan, 1 << 20, true);
    ASSERT_EQ(whole.problem, "") << table.text;
    ASSERT_EQ(whole.rows, table.expected.rows);
    ASSERT_EQ(whole.numbers, table.expected.numbers) << table.text;
    ASSERT_EQ(whole.categories, table.expected.categories) << table.text;
    for (int cut = 0; cut < 6; ++cut) {
      const auto bytes = static_cast<std::size_t>(random.integer(1, cut < 3 ? 10 : 300));
      ASSERT_EQ(parse_in_chunks(table.text, dialect, table.plan, bytes, cut % 2 == 0), whole) << table.text;
    }
  }
}

TEST(CsvParser, FindsTheSameFirstProblemWhereverItIsCut) {
  Random random(2);
  constexpr std::string_view damage = "\"\n\r,x\xE9 1";
  int problems = 0;
  for (int round = 0; round < 2000; ++round) {
    CsvDialect dialect;
    dialect.ragged = static_cast<Ragged>(random.integer(0, 2));
    dialect.quotes = random.integer(0, 3) > 0;
    RandomTable table = TableWriter(random, dialect).table(random.integer(1, 20), random.integer(1, 5));
    for (CellPlan& plan : table.plan) plan.keep = random.integer(0, 2) == 0;
    for (Index hits = random.integer(1, 3); hits > 0 && !table.text.empty(); --hits)
      table.text[static_cast<std::size_t>(random.integer(0, static_cast<Index>(table.text.size()) - 1))] =
          damage[static_cast<std::size_t>(random.integer(0, static_cast<Index>(damage.size()) - 1))];
    const CsvRows whole = parse_in_chunks(table.text, dialect, table.plan, 1 << 20, true);
    problems += whole.problem.empty() ? 0 : 1;
    for (int cut = 0; cut < 4; ++cut) {
      const auto bytes = static_cast<std::size_t>(random.integer(1, cut < 2 ? 10 : 100));
      const CsvRows cut_up = parse_in_chunks(table.text, dialect, table.plan, bytes, cut % 2 == 0);
      ASSERT_EQ(cut_up.problem, whole.problem) << table.text;
      ASSERT_EQ(cut_up, whole) << table.text;
    }
  }
  EXPECT_GT(problems, 500);
}

TEST(CsvParser, KeptCellsAreAsTheyStandAndSayWhatTheyMean) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const CsvDialect dialect;
    RandomTable table = TableWriter(random, dialect).table(random.integer(1, 10), random.integer(1, 4));
    for (CellPlan& plan : table.plan) plan = {CellKind::category, true};
    const CsvRows rows = parsed(table.text, table.plan);
    ASSERT_EQ(rows.kept.size(), rows.categories.size());
    for (std::size_t i = 0; i < rows.kept.size(); ++i) {
      const std::string text = text_of_cell(rows.kept[i], dialect);
      ASSERT_EQ(dialect.is_missing(text) ? std::nullopt : std::optional(text), rows.categories[i]);
    }
  }
  EXPECT_EQ(parsed("  \"a \"\"b\"\"\" , c d\t\r\n", {kKept, kKept}).kept,
            (std::vector<std::string>{"\"a \"\"b\"\"\"", "c d"}));
}

TEST(CsvParser, NumbersAreTheNearestDoubles) {
  const std::vector<double> found = numbers_in(
      "1\n-0.5\n+2\n 3 \n\"4\"\n\" 5 \"\n1e3\n1E-2\n.5\n7.\n0.1\n9007199254740993\n1.7976931348623157e308\n"
      "2.2250738585072011e-308\n4.9e-324\n1e-999\n0.30000000000000004\n8.5\t\n");
  EXPECT_EQ(found, (std::vector<double>{1, -0.5, 2, 3, 4, 5, 1000, 0.01, 0.5, 7, 0.1, 9007199254740992.0,
                                        1.7976931348623157e308, 2.2250738585072011e-308, 4.9e-324, 0,
                                        0.30000000000000004, 8.5}));
}

TEST(CsvParser, DecimalCommasAreThoseOfTheDialect) {
  CsvDialect dialect;
  dialect.decimal = ',';
  EXPECT_EQ(numbers_in("\"1,5\"\n\" -0,25 \"\n7\n\",5\"\n\"+3,\"\n\"1,5e2\"\n", dialect),
            (std::vector<double>{1.5, -0.25, 7, 0.5, 3, 150}));
  dialect.delimiter = ';';
  EXPECT_EQ(numbers_in("1,5\n\"2,5\"\n 3,5\t\n", dialect), (std::vector<double>{1.5, 2.5, 3.5}));
  EXPECT_EQ(parsed("1,5\n1.5\n", {kNumber}, dialect).problem,
            "'memory', line 2, column 'x': '1.5' has a decimal point, and numbers are read with decimal commas");
  EXPECT_EQ(parsed("1,5,5\n", {kNumber}, dialect).problem, "'memory', line 1, column 'x': '1,5,5' is not a number");
  dialect.decimal = '.';
  EXPECT_EQ(parsed("1.5\n1,5\n", {kNumber}, dialect).problem,
            "'memory', line 2, column 'x': '1,5' has a decimal comma, and numbers are read with decimal points");
}

TEST(CsvParser, ThousandsSeparatorsAreRefused) {
  const auto problem = [](const std::string& cell, char decimal = '.') {
    CsvDialect dialect;
    dialect.decimal = decimal;
    return parsed("1\n\"" + cell + "\"\n", {kNumber}, dialect).problem;
  };
  for (const std::string cell : {"1,000", "-1,234,567.5", "1 234", "1'234.5", "1.234.567", "1.234,5"})
    EXPECT_EQ(problem(cell), fmt::format("'memory', line 2, column 'x': '{}' has thousands separators; write the "
                                         "numbers of the column without them",
                                         cell));
  EXPECT_NE(problem("1.234", ',').find("thousands separators"), std::string::npos);
  EXPECT_EQ(problem("1.234"), "");
  EXPECT_EQ(problem("1,234", ','), "");
  CsvDialect dialect;
  dialect.missing = {"1,000"};
  EXPECT_EQ(parsed("\"1,000\"\n", {kNumber}, dialect).problem, "");
}

TEST(CsvParser, MarkersAreNumbersWithTheDecimalSignOfTheDialect) {
  CsvDialect dialect;
  dialect.delimiter = ';';
  dialect.decimal = ',';
  dialect.missing = {"-9,5"};
  const std::vector<double> found = numbers_in("-9,5\n9,5\n", dialect);
  EXPECT_TRUE(std::isnan(found.at(0)));
  EXPECT_EQ(found.at(1), 9.5);
}

TEST(CsvParser, NumbersAreReadBackAsTheyAreWritten) {
  Random random(4);
  for (const char delimiter : {',', ';', '\t'})
    for (const char decimal : {'.', ','}) {
      CsvDialect dialect;
      dialect.delimiter = delimiter;
      dialect.decimal = decimal;
      std::string text;
      std::vector<std::uint64_t> expected;
      for (int i = 0; i < 500; ++i) {
        const double value = testing::random_number(random);
        expected.push_back(std::bit_cast<std::uint64_t>(value));
        append_number_cell(text, value, dialect);
        text += i % 2 == 0 ? delimiter : '\n';
      }
      const CsvRows rows = parsed(text, {kNumber, kNumber}, dialect);
      EXPECT_EQ(rows.problem, "");
      EXPECT_EQ(rows.numbers, expected);
    }
}

TEST(CsvParser, MissingCellsAreMissingInEveryKindOfColumn) {
  const CsvDialect dialect;
  std::string text;
  for (const std::string& marker : dialect.missing)
    for (const char* form : {"{0},{0},{0}\n", "\"{0}\", \"{0}\" ,\" {0} \"\r\n"})
      text += fmt::format(fmt::runtime(form), marker);
  const CsvRows rows = parsed(text, {kNumber, kBoolean, kCategory});
  ASSERT_EQ(rows.problem, "");
  EXPECT_EQ(rows.rows, 2 * static_cast<Index>(dialect.missing.size()));
  for (const std::uint64_t number : rows.numbers) EXPECT_TRUE(std::isnan(std::bit_cast<double>(number)));
  for (const auto& category : rows.categories) EXPECT_EQ(category, std::nullopt);
  for (const double number : numbers_in("inf\n-inf\n+Infinity\nNAN\n-nan\n1e999\n-1e400\n"))
    EXPECT_TRUE(std::isnan(number));
}

TEST(CsvParser, MarkersCanBeChosen) {
  CsvDialect dialect;
  dialect.missing = {"-", "n/a"};
  EXPECT_EQ(levels_in("NA\n-\nn/a\n?\n\"\"\n", dialect),
            (std::vector<std::optional<std::string>>{"NA", std::nullopt, std::nullopt, "?", ""}));
  EXPECT_TRUE(std::isnan(numbers_in("-\n", dialect).at(0)));
  EXPECT_NE(parsed("NA\n", {kNumber}, dialect).problem, "");
}

TEST(CsvParser, BlanksBelongToACellOnlyWithinQuotes) {
  EXPECT_EQ(levels_in(" a b \n\" a b \"\n\t\"\ta\" \n"),
            (std::vector<std::optional<std::string>>{"a b", " a b ", "\ta"}));
}

TEST(CsvParser, LineEndsAreLfOrCrlf) {
  EXPECT_EQ(levels_in("a\rb\r\nc\r\r\n\"d\r\ne\rf\"\ng\r"),
            (std::vector<std::optional<std::string>>{"a\rb", "c\r", "d\r\ne\rf", "g"}));
  EXPECT_EQ(levels_in("\r\n\n  \n\t\r\na\n\n \n"), (std::vector<std::optional<std::string>>{"a"}));
}

TEST(CsvParser, EdgesOfTheText) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(parsed("", {kNumber}), CsvRows());
  EXPECT_EQ(parsed(mark, {kNumber}), CsvRows());
  EXPECT_EQ(parsed(mark + "\n", {kNumber}).rows, 0);
  EXPECT_EQ(levels_in(mark + "a"), (std::vector<std::optional<std::string>>{"a"}));
  EXPECT_EQ(levels_in("a\n" + mark + "a"), (std::vector<std::optional<std::string>>{"a", mark + "a"}));
  EXPECT_EQ(levels_in("\"a\""), (std::vector<std::optional<std::string>>{"a"}));
  EXPECT_EQ(levels_in("\"\"\"\""), (std::vector<std::optional<std::string>>{"\""}));
  EXPECT_EQ(parsed("1,", {kNumber, kCategory}).categories, (std::vector<std::optional<std::string>>{std::nullopt}));
  EXPECT_EQ(levels_in(std::string("a\0b\n", 4)), (std::vector<std::optional<std::string>>{std::string("a\0b", 3)}));
}

TEST(CsvParser, LongCellsAndManyColumns) {
  const std::string cell(3 << 20, 'x');
  for (const bool is_mapped : {true, false}) {
    const CsvRows rows =
        parse_in_chunks("1,\"" + cell + "\"\n2," + cell + "\n", {}, {kNumber, kCategory}, 1000, is_mapped);
    EXPECT_EQ(rows.problem, "");
    EXPECT_EQ(rows.categories, (std::vector<std::optional<std::string>>{cell, cell}));
  }
  std::string record = "0";
  for (int j = 1; j < 10000; ++j) record += fmt::format(",{}", j);
  const CsvRows rows = parse_in_chunks(record + "\n" + record, {}, std::vector<CellPlan>(10000, kNumber), 777, true);
  ASSERT_EQ(rows.numbers.size(), 20000);
  for (std::size_t i = 0; i < 20000; ++i)
    ASSERT_EQ(std::bit_cast<double>(rows.numbers[i]), static_cast<double>(i % 10000));
}

TEST(CsvParser, RaggedRecordsAreRefusedDroppedOrFilled) {
  const std::string text = "1,a\n2\n3,c,x,y\n4,d\n";
  const std::vector<CellPlan> plan = {kNumber, kCategory};
  EXPECT_EQ(parsed(text, plan).problem,
            "'memory', line 2, column 'x': the cell is lacking, for the record has 1 of 2 cells");
  EXPECT_EQ(
      parsed("1,a\n3,c,d e ,y\n", plan).problem,
      "'memory', line 2, column 3: the cell 'd e' has no column, for the record has 4 cells and the table 2 columns");
  CsvDialect dialect;
  dialect.ragged = Ragged::drop;
  const CsvRows dropped = parsed(text, plan, dialect);
  EXPECT_EQ(dropped.dropped, 2);
  EXPECT_EQ(dropped.categories, (std::vector<std::optional<std::string>>{"a", "d"}));
  EXPECT_EQ(dropped.lines, (std::vector<std::int64_t>{1, 4}));
  dialect.ragged = Ragged::fill;
  const CsvRows filled = parsed(text, plan, dialect);
  EXPECT_EQ(filled.dropped, 0);
  EXPECT_EQ(filled.categories, (std::vector<std::optional<std::string>>{"a", std::nullopt, "c", "d"}));
}

TEST(CsvParser, WhatIsDroppedLeavesNoTrace) {
  CsvDialect dialect;
  dialect.ragged = Ragged::drop;
  const CsvParser parser(dialect, {kCategory, kNumber});
  ParsedChunk out;
  parser.parse({.text = "a,1\nghost\n\xE9,x,y\nb,2\n\xE9\n"}, out);
  EXPECT_FALSE(out.problem);
  EXPECT_EQ(out.levels.at(0), (std::vector<std::string>{"a", "b"}));
  parser.parse({.text = "\xE9\n\xE9,1\n"}, out);
  ASSERT_TRUE(out.problem);
  EXPECT_EQ(out.problem->kind, CsvProblem::Kind::bad_utf8);
  EXPECT_EQ(out.problem->line, 1);
}

// One kind of problem each; lines count line ends within quotes and blank lines.
TEST(CsvParser, ProblemsNameTheirPlace) {
  const auto problem = [](std::string_view bad, CellPlan plan) {
    return parsed("1,\"two\nlines\"\n\n" + std::string(bad) + "\n3,c\n",
                  {plan, {plan.kind == CellKind::number ? CellKind::category : CellKind::skip}})
        .problem;
  };
  EXPECT_EQ(problem(" twelve ,b", kNumber), "'memory', line 4, column 'x': 'twelve' is not a number");
  EXPECT_EQ(problem("1 2,b", kNumber), "'memory', line 4, column 'x': '1 2' is not a number");
  EXPECT_NE(problem("1x,b", kNumber), "");
  EXPECT_NE(problem("+-1,b", kNumber), "");
  EXPECT_NE(problem("++1,b", kNumber), "");
  EXPECT_NE(problem("0x10,b", kNumber), "");
  EXPECT_NE(problem("1e,b", kNumber), "");
  EXPECT_NE(problem(std::string("1\0,b", 4), kNumber), "");
  EXPECT_EQ(problem("1,\"b\"c", kNumber),
            "'memory', line 4, column 'x': '\"b\"c' has a quote out of place; double the quotes within a quoted cell");
  EXPECT_TRUE(problem("1,b\"c\"", kNumber).starts_with("'memory', line 4, column 'x': 'b\"c\"' has a quote"));
  EXPECT_EQ(problem("1,\"b", kNumber), "'memory', line 4, column 'x': '\"b' starts with a quote that is not closed");
  EXPECT_EQ(problem("1,caf\xE9", kNumber), "'memory', line 4, column 'x': 'caf\\xE9' is not UTF-8 text");
  EXPECT_EQ(parsed("t,a\nmaybe,b\n", {kBoolean, kSkip}).problem,
            "'memory', line 2, column 'x': 'maybe' is neither true nor false");
}

TEST(CsvParser, ProblemsCarryWhatWouldAcceptThem) {
  using Kind = CsvProblem::Kind;
  const auto refused = [](Kind kind, const std::string& cell = "many") {
    try {
      refuse({.kind = kind, .column = 1, .cell = cell}, "memory", 1, {"x", "the \"y\""});
    } catch (const RemediableError& error) {
      EXPECT_EQ(error.column(), "the \"y\"");
      EXPECT_EQ(error.cell(), kind == Kind::grouped_number ? "" : cell);
      return std::optional(error.remedy());
    } catch (const Error&) {
      return std::optional<Remedy>();
    }
  };
  EXPECT_EQ(refused(Kind::not_a_number), Remedy::as_category);
  EXPECT_EQ(refused(Kind::not_a_boolean), Remedy::as_category);
  EXPECT_EQ(refused(Kind::other_decimal, "1,5"), Remedy::use_decimal_comma);
  EXPECT_EQ(refused(Kind::other_decimal, "1.5"), Remedy::use_decimal_point);
  EXPECT_EQ(refused(Kind::grouped_number, "1,234"), Remedy::use_decimal_comma);
  EXPECT_EQ(refused(Kind::grouped_number, "1.234"), Remedy::use_decimal_point);
  EXPECT_EQ(refused(Kind::grouped_number, "1,234,567"), Remedy::as_category);
  EXPECT_EQ(refused(Kind::bad_utf8), Remedy::read_as_latin1);
  EXPECT_EQ(refused(Kind::too_few_cells), Remedy::accept_ragged);
  EXPECT_EQ(refused(Kind::too_many_cells), Remedy::accept_ragged);
  EXPECT_EQ(refused(Kind::stray_quote), Remedy::quotes_as_text);
  EXPECT_EQ(refused(Kind::unclosed_quote), Remedy::quotes_as_text);
  EXPECT_EQ(refused(Kind::too_long), std::nullopt);
}

TEST(CsvParser, OnlyTextThatIsUsedMustBeUtf8) {
  EXPECT_EQ(parsed("1,\xE9\n", {kNumber, kSkip}).problem, "");
  EXPECT_NE(parsed("1,\xE9\n", {kNumber, kKept}).problem, "");
  EXPECT_NE(parsed("1,\xE9\n", {kNumber, kCategory}).problem, "");
}

TEST(CsvParser, WithoutQuotesAQuoteIsText) {
  CsvDialect dialect;
  dialect.quotes = false;
  EXPECT_EQ(levels_in("5\" pipe\n\"a\nb\"\n", dialect),
            (std::vector<std::optional<std::string>>{"5\" pipe", "\"a", "b\""}));
}

TEST(CsvParser, ARecordBeyondAllBoundsIsRefusedWhereItStarts) {
  for (const bool is_mapped : {true, false})
    for (const bool is_quoted : {true, false}) {
      const std::string text = "1\n2\n" + std::string(is_quoted ? "\"" : "") + std::string(5000, '3');
      testing::MemorySource source(text, is_mapped);
      CsvCutter cutter(source, true, 100, 1000);
      const CsvParser parser({}, {kNumber});
      CsvChunk chunk;
      ParsedChunk out;
      ASSERT_TRUE(cutter.next(chunk));
      parser.parse(chunk, out);
      EXPECT_EQ(out.rows, 2);
      ASSERT_TRUE(cutter.next(chunk));
      EXPECT_TRUE(chunk.is_cut);
      EXPECT_LT(chunk.text.size(), 1300);
      parser.parse(chunk, out);
      ASSERT_TRUE(out.problem);
      EXPECT_EQ(out.problem->kind, CsvProblem::Kind::too_long);
      EXPECT_EQ(out.rows, 0);
      EXPECT_FALSE(cutter.next(chunk));
    }
}

}  // namespace
}  // namespace plumbline
