#include "csv/file_format.h"

#include <gtest/gtest.h>

#include "base/remedy.h"
#include "random_data.h"

namespace plumbline {
namespace {

using namespace std::string_literals;
using testing::Random;

struct Refused {
  std::string sentence, command;
};

Refused refused(std::string_view head, const std::string& input = "data/x.csv") {
  try {
    refuse_other_formats(head, input);
  } catch (const RemediableError& error) {
    EXPECT_EQ(error.remedy(), Remedy::convert);
    return {error.what(), error.cell()};
  }
  return {};
}

// As iconv writes it.
std::string utf16(std::string_view text, bool big_endian) {
  std::string out;
  for (const char c : text) out += big_endian ? "\0"s + c : c + "\0"s;
  return out;
}

const std::string kTable = "name,age\nAda,36\nGrace,85\n";

TEST(FileFormat, BinaryFormatsAreCalledByTheirNames) {
  const auto is = [](const std::string& head, const std::string& name, const std::string& program) {
    const Refused found = refused(head);
    EXPECT_EQ(found.sentence, "'data/x.csv' is " + name + ", not CSV in UTF-8");
    EXPECT_TRUE(found.command.starts_with(program)) << found.command;
    EXPECT_NE(found.command.find("'data/x.csv'"), std::string::npos) << found.command;
  };
  is("PAR1\x15\x04\x15\x30\x15.L\x15\x06\x15\0"s, "a Parquet file", "duckdb");
  is("ARROW1\0\0\xFF\xFF\xFF\xFF\xA8\0"s, "an Arrow file", "python");
  is("\xFF\xFF\xFF\xFF\xA8\0\0\0\x10\0"s, "an Arrow stream", "python");
  is("FEA1\0\0\0\0\1\0\0\0"s, "a Feather file", "python");
  is("ORC\n\x06\x12\x04\x08\x03P\0\n"s, "an ORC file", "python");
  is("SQLite format 3\0\x10\0"s, "a SQLite database", "sqlite3");
  is("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0"s, "an old Excel workbook", "python");
  is("PK\3\4\x14\0\0\0\x08\0people.csvxl"s, "a zip archive", "unzip");
  is("PK\3\4\x14\0\x06\0\x08\0!\0[Content_Types].xml"s, "an Excel workbook", "python");
}

TEST(FileFormat, Utf16IsFoundWithItsMarkAndWithout) {
  const auto is = [](const std::string& head, const std::string& name, const std::string& encoding) {
    const Refused found = refused(head);
    EXPECT_EQ(found.sentence, "'data/x.csv' is " + name + " text, not CSV in UTF-8");
    EXPECT_EQ(found.command, "iconv -f " + encoding + " -t UTF-8 'data/x.csv'");
  };
  is("\xFF\xFE" + utf16(kTable, false), "UTF-16", "UTF-16");
  is("\xFE\xFF" + utf16(kTable, true), "UTF-16", "UTF-16");
  is("\xFF\xFE\0\0a\0\0\0"s, "UTF-32", "UTF-32");
  is("\0\0\xFE\xFF\0\0\0a"s, "UTF-32", "UTF-32");
  is(utf16(kTable, false), "UTF-16", "UTF-16LE");
  is(utf16(kTable, true), "UTF-16", "UTF-16BE");
  is(utf16(kTable, false) + "\x2C\x4E"s, "UTF-16", "UTF-16LE");  // a Chinese character among others
  is(utf16("a\n", false), "UTF-16", "UTF-16LE");
}

TEST(FileFormat, TextIsNoneWhateverItsFirstName) {
  for (const std::string start : {"PAR1", "ARROW1", "FEA1", "ORC", "SQLite format 3", "PK", "name"})
    for (const std::string end : {",x\n1,2\n", "\n1\n", "\r\n1\r\n", "\tx\n1\t2\n", ""})
      EXPECT_EQ(refused(start + end).sentence, "") << start << end;
  EXPECT_EQ(refused("").sentence, "");
  EXPECT_EQ(refused("\xEF\xBB\xBFname,age\n").sentence, "");
  EXPECT_EQ(refused("caf\xE9,na\xEFve\n").sentence, "");  // Latin-1
  EXPECT_EQ(refused("a\0b\0\n"s + kTable).sentence, "");  // the parser knows where
}

TEST(FileFormat, NoBytesMakeItFail) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string head = round % 2 == 0 ? "PK\3\4"s : ""s;
    for (Index i = random.integer(0, 40); i > 0; --i) head += static_cast<char>(random.integer(0, 255));
    const Refused found = refused(head);
    EXPECT_EQ(found.sentence.empty(), found.command.empty());
    if (round % 2 == 0) {
      EXPECT_NE(found.sentence, "");
    }
  }
}

TEST(FileFormat, ANameThatAShellWouldReadStaysOutOfTheCommand) {
  for (const std::string input :
       {"it's.parquet", "$(rm x).parquet", "a b.parquet", "`x`", "standard input", "ä", "x\n"})
    EXPECT_EQ(refused("PAR1\x15\x04"s, input).command,
              "duckdb -c \"COPY (FROM 'FILE') TO '/dev/stdout' (FORMAT csv, HEADER)\"")
        << input;
}

}  // namespace
}  // namespace plumbline
