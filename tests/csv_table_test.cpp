#include "csv/csv_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "byte_forms.h"
#include "csv_rows.h"
#include "message_of.h"
#include "random_table.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::CsvRows;
using testing::gzip;
using testing::message_of;
using testing::Random;
using testing::RandomTable;
using testing::Redirected;
using testing::ScratchFolder;
using testing::SlowPipe;
using testing::TableWriter;
using testing::zstd;
using Names = std::vector<std::string>;

const std::string kMark = "\xEF\xBB\xBF";

CsvRows read(CsvTable& table, const std::vector<CellPlan>& plan, int threads = 2) {
  CsvRows rows;
  rows.problem = message_of([&] {
    table.scan(
        plan, threads, [](TableChunk&, int) {},
        [&](TableChunk& chunk, int) { rows.append(chunk.cells, chunk.first_line); });
  });
  return rows;
}

std::vector<CellPlan> categories(std::size_t count) { return std::vector<CellPlan>(count, {CellKind::category}); }

// A table with a header, and where each of its records may be cut off.
std::string with_header(const std::string& text, std::size_t columns) {
  std::string header;
  for (std::size_t j = 0; j < columns; ++j) header += fmt::format("{}\"na\"\"me\n{}\"", j == 0 ? "" : ",", j);
  return header + "\r\n" + text;
}

TEST(CsvTable, ThreadsAndChunksLeaveNoTrace) {
  const ScratchFolder folder;
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    CsvDialect dialect;
    RandomTable table = TableWriter(random, dialect).table(random.integer(0, 60), random.integer(1, 6));
    if (round % 2 != 0 && !table.text.empty())
      table.text[static_cast<std::size_t>(random.integer(0, static_cast<Index>(table.text.size()) - 1))] =
          "\"\n,x"[random.integer(0, 3)];
    const std::string path = folder.put("a.csv", with_header(table.text, table.plan.size()));
    CsvTable whole({path}, dialect);
    const CsvRows expected = read(whole, table.plan, 1);
    if (round % 2 == 0) {
      ASSERT_EQ(expected.problem, "");
      ASSERT_EQ(expected.numbers, table.expected.numbers);
      ASSERT_EQ(expected.categories, table.expected.categories);
    }
    for (const std::size_t chunk_bytes : {1, 7, 64, 500})
      for (const int threads : {1, 2, 5}) {
        CsvTable cut({path}, dialect, {}, chunk_bytes);
        ASSERT_EQ(read(cut, table.plan, threads), expected) << chunk_bytes << " " << threads << "\n" << table.text;
      }
  }
}

TEST(CsvTable, EveryFormOfAnInputIsTheSameTable) {
  const ScratchFolder folder;
  Random random(2);
  const CsvDialect dialect;
  for (const Index rows : {0, 3, 4000}) {
    const RandomTable table = TableWriter(random, dialect).table(rows, 6);
    const std::string text = with_header(table.text, 6);
    const auto rows_of = [&](const std::string& path, bool twice) {
      CsvTable in({path}, dialect, {}, 5000);
      if (twice) {
        in.allow_rereading();
        EXPECT_EQ(read(in, table.plan).rows, rows);
      }
      const CsvRows out = read(in, table.plan);
      EXPECT_EQ(out.problem, "");
      return out;
    };
    const CsvRows plain = rows_of(folder.put("a.csv", text), false);
    EXPECT_EQ(plain.numbers, table.expected.numbers);
    for (const bool twice : {false, true}) {
      EXPECT_EQ(rows_of(folder / "a.csv", twice), plain);
      EXPECT_EQ(rows_of(folder.put("a.csv.gz", gzip(text)), twice), plain);
      EXPECT_EQ(rows_of(folder.put("a.csv.zst", zstd(text)), twice), plain);
      EXPECT_EQ(rows_of(SlowPipe(folder / "pipe", text, 3).path(), twice), plain);
      EXPECT_EQ(rows_of(SlowPipe(folder / "pipe", gzip(text), 4).path(), twice), plain);
      const Descriptor file(::open((folder / "a.csv").c_str(), O_RDONLY));
      const Redirected input(STDIN_FILENO, file.number());
      EXPECT_EQ(rows_of("-", twice), plain);
    }
  }
}

TEST(CsvTable, APipeIsReadTwiceOnlyIfThatIsAllowed) {
  const ScratchFolder folder;
  const SlowPipe pipe(folder / "pipe", "a\nx\n", 1);
  CsvTable table({pipe.path()});
  EXPECT_EQ(read(table, categories(1)).rows, 1);
  EXPECT_EQ(read(table, categories(1)).problem, fmt::format("'{}' can be read only once; give a file", pipe.path()));
  EXPECT_NE(message_of([&] { table.allow_rereading(); }), "");
}

TEST(CsvTable, SeveralInputsAreOneTable) {
  const ScratchFolder folder;
  const std::string one = folder.put("1", "a,b\n1,x\n\n2,y"), two = folder.put("2", kMark + "\n a ,\"b\"\r\n"),
                    three = folder.put("3.gz", gzip("a,b\n3,z\n"));
  CsvTable table({one, two, three});
  const CsvRows rows = read(table, {{CellKind::number}, {CellKind::category}});
  EXPECT_EQ(rows.problem, "");
  EXPECT_EQ(rows.categories, (std::vector<std::optional<std::string>>{"x", "y", "z"}));
  EXPECT_EQ(rows.lines, (std::vector<std::int64_t>{2, 4, 2}));
  EXPECT_TRUE(read(table, {{CellKind::number}, {CellKind::number}})
                  .problem.starts_with(fmt::format("'{}', line 2, column 'b': 'x' is not", one)));
  EXPECT_EQ(CsvTable({two, three}).head(9), (std::vector<Names>{{"3", "z"}}));  // of the first that has records
}

TEST(CsvTable, MoreInputsThanOpenFilesAreNoTrouble) {
  const ScratchFolder folder;
  struct rlimit before {};
  ::getrlimit(RLIMIT_NOFILE, &before);
  struct rlimit few = before;
  few.rlim_cur = 40;
  ::setrlimit(RLIMIT_NOFILE, &few);
  Names paths;
  for (int i = 0; i < 100; ++i) paths.push_back(folder.put(fmt::format("part-{}", i), fmt::format("a\n{}\n", i)));
  CsvTable table(paths);
  const CsvRows rows = read(table, {{CellKind::number}}, 4);
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_EQ(rows.problem, "");
  ASSERT_EQ(rows.rows, 100);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(std::bit_cast<double>(rows.numbers[i]), static_cast<double>(i));
}

TEST(CsvTable, HeadersMustAgreeAndTheMessageListsTheDifference) {
  const ScratchFolder folder;
  const std::string one = folder.put("1", "a,b,c\n");
  const auto refused = [&](const std::string& header) {
    const std::string two = folder.put("2", header);
    const std::string start = fmt::format("the columns of '{}' are not those of '{}'; ", two, one);
    const std::string message = message_of([&] { CsvTable({one, two}); });
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(std::min(start.size(), message.size()));
  };
  EXPECT_EQ(refused("a,c\n"), "it lacks 'b'");
  EXPECT_EQ(refused("a,b,c,d,e\n"), "it has 'd', 'e' in addition");
  EXPECT_EQ(refused("a,B,c\n"), "it lacks 'b'; it has 'B' in addition");
  EXPECT_EQ(refused("a,c,b\n"), "their order differs from column 2 on, 'c' and not 'b'");
}

TEST(CsvTable, NamesComeFromTheHeaderOrTheCallerOrAreNumbers) {
  const ScratchFolder folder;
  const std::string path = folder.put("a", "\n x y ,\"z\"\" \", \n1,2,3\n");
  EXPECT_EQ(CsvTable({path}).names(), (Names{"x y", "z\" ", "c3"}));
  CsvDialect dialect;
  dialect.header = false;
  CsvTable numbered({path}, dialect), named({path}, dialect, {"p", "q", "r"});
  EXPECT_EQ(numbered.names(), (Names{"c1", "c2", "c3"}));
  EXPECT_EQ(named.names(), (Names{"p", "q", "r"}));
  for (CsvTable* table : {&numbered, &named}) EXPECT_EQ(read(*table, categories(3)).rows, 2);
  CsvTable renamed({path}, {}, {"p", "q", "r"});
  EXPECT_EQ(renamed.names(), (Names{"p", "q", "r"}));
  EXPECT_EQ(read(renamed, categories(3)).rows, 1);
  EXPECT_NE(message_of([&] { CsvTable({path}, dialect, {"p", "q", "p"}); }), "");
}

TEST(CsvTable, GivenNamesAreAsManyAsTheCellsOfEachInput) {
  const ScratchFolder folder;
  const std::string path = folder.put("a", "1,2,3\n"), other = folder.put("b", "1,2\n"), empty = folder.put("c", "");
  CsvDialect dialect;
  dialect.header = false;
  const auto refused = [&](const Names& inputs, const Names& names) {
    return message_of([&] { CsvTable(inputs, dialect, names); });
  };
  EXPECT_EQ(refused({path}, {"p", "q"}),
            fmt::format("'{}' has 3 cells in its first record, and 2 names are given; name "
                        "each column",
                        path));
  EXPECT_EQ(refused({path, empty}, {"p", "q", "r"}), "");
  EXPECT_EQ(refused({path, other}, {"p", "q", "r"}), fmt::format("'{}' has 2 cells in its first record, and 3 names "
                                                                 "are given; name each column",
                                                                 other));
  dialect.ragged = Ragged::fill;
  EXPECT_EQ(refused({path}, {"p", "q"}), "");
}

TEST(CsvTable, TheDelimiterIsThatOfTheFirstInputWithRecords) {
  const ScratchFolder folder;
  CsvDialect dialect;
  dialect.find_delimiter = true;
  dialect.header = false;
  const std::string empty = folder.put("empty", "\n"), one = folder.put("1", "1;x,y\n2;z\n"),
                    two = folder.put("2", "3;u\n");
  const SlowPipe pipe(folder / "pipe", "1;x,y\n2;z\n", 3);
  for (const std::string& first : {one, pipe.path(), folder.put("z", gzip("1;x,y\n2;z\n"))}) {
    CsvTable table({empty, first, two}, dialect);
    EXPECT_EQ(table.dialect().delimiter, ';');
    const CsvRows rows = read(table, {{CellKind::number}, {CellKind::category}});
    EXPECT_EQ(rows.categories, (std::vector<std::optional<std::string>>{"x,y", "z", "u"})) << rows.problem;
  }
  CsvDialect given;
  given.header = false;
  EXPECT_EQ(CsvTable({one}, given).dialect().delimiter, ',');
}

TEST(CsvTable, TheDecimalSignIsFoundInTheHead) {
  const ScratchFolder folder;
  CsvDialect dialect;
  dialect.find_delimiter = dialect.find_decimal = true;
  const auto read_from = [&](const std::string& text) {
    CsvTable table({folder.put("t", text)}, dialect);
    EXPECT_FALSE(table.dialect().find_decimal);
    CsvRows rows = read(table, {{CellKind::number}, {CellKind::number}});
    EXPECT_EQ(rows.problem, "") << text;
    return std::pair(table.dialect().decimal, rows.numbers);
  };
  const auto [point, expected] = read_from("x,y\n1.5,2\n-0.25,1e3\n");
  EXPECT_EQ(point, '.');
  for (const char* text :
       {"x;y\n1,5;2\n-0,25;1e3\n", "x,y\n\"1,5\",2\n\"-0,25\",1e3\n", "x\ty\n1,5\t2\n\"-0,25\"\t1e3"})
    EXPECT_EQ(read_from(text), std::pair(',', expected));
}

TEST(CsvTable, GivenDecimalCommasDoNotSeparateCells) {
  const ScratchFolder folder;
  CsvDialect dialect;
  dialect.find_delimiter = true;
  dialect.decimal = ',';
  const auto delimiter_of = [&](const std::string& text) {
    return CsvTable({folder.put("t", text)}, dialect).dialect().delimiter;
  };
  EXPECT_EQ(delimiter_of("x\n1,5\n2,5\n"), ';');
  EXPECT_EQ(delimiter_of("1,5\n2,5\n"), ';');
  EXPECT_EQ(delimiter_of("x\ty\n1,5\t2,5\n"), '\t');
  EXPECT_EQ(delimiter_of("x,y\n\"1,5\",2\n"), ',');
  dialect.quotes = false;
  EXPECT_EQ(delimiter_of("x,y\n\"1,5\",2\n"), ';');
}

TEST(CsvTable, BadHeadersAreRefused) {
  const ScratchFolder folder;
  const auto refused = [&](std::string_view text) {
    const std::string path = folder.put("h.csv", text);
    const std::string message = message_of([&] { CsvTable({path}); });
    EXPECT_TRUE(message.starts_with("'" + path + "'")) << message;
    return message.substr(std::min(message.size(), path.size() + 2));
  };
  EXPECT_EQ(refused("a,b,a,c,b,a\n"), ": more than one column is named 'a', 'b'; rename all but one");
  EXPECT_EQ(refused(",c1\n"), ": more than one column is named 'c1'; rename all but one");
  EXPECT_EQ(refused("\n\na,\"b"), ", line 3, column 2: '\"b' starts with a quote that is not closed");
  EXPECT_TRUE(refused("a,b\"c\"\n").starts_with(", line 1, column 2: 'b\"c\"' has a quote out of place;"));
  EXPECT_EQ(refused("a,caf\xE9\n"), ": the name of column 2, 'caf\\xE9', is not UTF-8 text");
  EXPECT_EQ(refused("a,b\r1,2\r3,4\r"),
            ": the name of column 2, 'b\\x0D1', holds a carriage return; lines must end with LF or CRLF");
  EXPECT_EQ(refused(std::string_view("\377\376a\0\n\0", 6)), " is UTF-16 text, not CSV in UTF-8");
  for (const std::string& empty : {std::string(), std::string("\n \r\n"), kMark})
    EXPECT_EQ(refused(empty), " is empty; its first line must name the columns");
}

TEST(CsvTable, AFileOfAHeaderAloneHasNoRows) {
  const ScratchFolder folder;
  for (const std::string& text : {std::string("a,b"), std::string("a,b\n"), kMark + "a,b\r\n\r\n"})
    for (const std::size_t chunk_bytes : {1, 1000}) {
      CsvTable table({folder.put("a", text)}, {}, {}, chunk_bytes);
      EXPECT_EQ(table.names(), (Names{"a", "b"}));
      EXPECT_EQ(read(table, categories(2)), CsvRows());
      EXPECT_TRUE(table.head(10).empty());
    }
}

TEST(CsvTable, InputsWithoutHeaderMayBeEmptyIfTheirColumnsAreKnown) {
  const ScratchFolder folder;
  CsvDialect dialect;
  dialect.header = false;
  const std::string empty = folder.put("empty", ""), full = folder.put("full", "1,2\n");
  CsvTable both({empty, full}, dialect), named({empty}, dialect, {"x"});
  EXPECT_EQ(read(both, categories(2)).rows, 1);
  EXPECT_EQ(read(named, categories(1)).rows, 0);
  EXPECT_NE(message_of([&] { CsvTable({empty}, dialect); }), "");
}

TEST(CsvTable, Latin1BecomesUtf8Everywhere) {
  const ScratchFolder folder;
  CsvDialect dialect;
  dialect.encoding = TextEncoding::latin1;
  const std::string text = "caf\xE9,b\n\374ber,\"\xDF\"\"\"\n";
  for (const std::string& path : {folder.put("a", text), folder.put("a.gz", gzip(text))}) {
    CsvTable table({path}, dialect);
    EXPECT_EQ(table.names(), (Names{"café", "b"}));
    EXPECT_EQ(table.head(1), (std::vector<Names>{{"über", "ß\""}}));
    EXPECT_EQ(read(table, categories(2)).categories, (std::vector<std::optional<std::string>>{"über", "ß\""}));
  }
}

TEST(CsvTable, TheHeadIsTheStartAsText) {
  const ScratchFolder folder;
  const std::string path = folder.put("a", "a,b\n 1 ,\" x\"\nragged\n2,y\n3,\"stray\"z\n4,u\n");
  const CsvTable table({path});
  EXPECT_EQ(table.head(1), (std::vector<Names>{{"1", " x"}}));
  EXPECT_EQ(table.head(10), (std::vector<Names>{{"1", " x"}, {"2", "y"}}));
}

TEST(CsvTable, WhatTheReceiverRefusesInEarlierRowsComesFirst) {
  const ScratchFolder folder;
  const std::string path = folder.put("a", "a\n1\n\n2\nx\n");
  for (const std::size_t chunk_bytes : {1, 1000}) {
    CsvTable table({path}, {}, {}, chunk_bytes);
    const std::string message = message_of([&] {
      table.scan(
          {{CellKind::number}}, 2, [](TableChunk&, int) {},
          [&](TableChunk& chunk, int) {
            for (Index i = 0; i < chunk.cells.rows; ++i)
              if (chunk.cells.numbers[static_cast<std::size_t>(i)] == 2) throw Error(table.place(chunk, i, 0));
          });
    });
    EXPECT_EQ(message, fmt::format("'{}', line 4, column 'a'", path));
  }
}

TEST(CsvTable, AFileThatIsReplacedBetweenScansIsNoticed) {
  const ScratchFolder folder;
  const std::string path = folder.put("a", "a,b\n1,2\n");
  CsvTable table({path});
  folder.put("a", "b,a\n1,2\n");
  EXPECT_NE(read(table, categories(2)).problem, "");
  folder.put("a", "");
  EXPECT_NE(read(table, categories(2)).problem, "");
}

TEST(CsvTable, ProgressEndsAtTheTotal) {
  const ScratchFolder folder;
  std::string text = "a\n";
  while (text.size() < 100000) text += "1\n";
  const std::string packed = gzip(text);
  CsvTable table({folder.put("a", text), folder.put("b", packed)}, {}, {}, 1000);
  std::uint64_t last = 0;
  table.scan(
      {{CellKind::number}}, 3, [](TableChunk&, int) {}, [](TableChunk&, int) {},
      [&](std::uint64_t done, std::optional<std::uint64_t> total) {
        EXPECT_GE(done, last);
        last = done;
        EXPECT_EQ(total, text.size() + packed.size());
      });
  EXPECT_EQ(last, text.size() + packed.size());
}

TEST(CsvTable, MisuseIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.put("a", "a,b\n");
  CsvTable table({path});
  EXPECT_NE(read(table, categories(1)).problem, "");
  EXPECT_NE(message_of([&] { CsvTable(Names{}); }), "");
  EXPECT_NE(message_of([&] { CsvTable({"-", "-"}); }), "");
  EXPECT_NE(message_of([&] { CsvTable({folder / "no such file"}); }), "");
  EXPECT_NE(message_of([&] { CsvTable({path}, {}, {}, 0); }), "");
  for (const char delimiter : std::string_view("\"\n\r0e.+-n\0\xE9", 11)) {
    CsvDialect dialect;
    dialect.delimiter = delimiter;
    EXPECT_NE(message_of([&] { CsvTable({path}, dialect); }), "") << static_cast<int>(delimiter);
  }
  for (const char decimal : {';', ' ', '0', '\0'}) {
    CsvDialect dialect;
    dialect.decimal = decimal;
    EXPECT_NE(message_of([&] { CsvTable({path}, dialect); }), "") << static_cast<int>(decimal);
  }
  CsvDialect both;
  both.decimal = ',';
  EXPECT_EQ(message_of([&] { CsvTable({path}, both); }), "");
  both.quotes = false;
  EXPECT_NE(message_of([&] { CsvTable({path}, both); }), "");
}

}  // namespace
}  // namespace plumbline
