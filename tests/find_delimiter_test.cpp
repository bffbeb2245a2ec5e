#include "csv/find_delimiter.h"

#include <gtest/gtest.h>

#include "random_table.h"

namespace plumbline {
namespace {

using testing::Random;
using testing::TableWriter;

TEST(FindDelimiter, TheOneThatATableWasWrittenWithIsFound) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    CsvDialect dialect;
    dialect.delimiter = ",;\t|"[round % 4];
    const std::string text = TableWriter(random, dialect).table(random.integer(20, 150), random.integer(2, 9)).text;
    ASSERT_EQ(find_delimiter(text, {}), dialect.delimiter) << text;
  }
}

TEST(FindDelimiter, AColumnByItselfIsBetweenCommas) {
  for (const char* text :
       {"a\n1\n2\n", "a", "note\nx;y\nz\n", "note\nsome text\nmore; text\n", "x\n1,5\n2,5\n", "a:b\n1:2\n"})
    EXPECT_EQ(find_delimiter(text, {}), ',') << text;
}

TEST(FindDelimiter, WithoutARecordThereIsNone) {
  for (const char* text : {"", "\n", " \t\r\n\n"}) EXPECT_EQ(find_delimiter(text, {}), std::nullopt);
}

TEST(FindDelimiter, QuotedDelimitersDoNotCount) {
  EXPECT_EQ(find_delimiter("\"a;b\",\"c;d\"\n\"1;2\",\"3;4\"\n", {}), ',');
  EXPECT_EQ(find_delimiter("\"a,b\";\"c,d\"\n\"1,2\";\"3,4\"\n", {}), ';');
  EXPECT_EQ(find_delimiter("a;\"b\nc,d\"\n1;\"x\ny,z\"\n", {}), ';');
  CsvDialect dialect;
  dialect.quotes = false;
  EXPECT_EQ(find_delimiter("\"a;b;c\",d\n\"1;2;3\",4\n", {}), ',');
  EXPECT_EQ(find_delimiter("\"1;2;3,x\n\"4;5;6,y\n", dialect), ';');
}

TEST(FindDelimiter, DecimalCommasDoNotSeparate) {
  EXPECT_EQ(find_delimiter("x;y\n1,5;2,5\n3,5;4,5\n", {}), ';');
  EXPECT_EQ(find_delimiter("1,5;2,5\n3,5;4,5\n", {}), ';');
  EXPECT_EQ(find_delimiter("1,5\t2\n3,5\t4\n", {}), '\t');
}

TEST(FindDelimiter, AmongEqualsTheCommaWins) {
  EXPECT_EQ(find_delimiter("a,b;c\nx,y;z\n", {}), ',');
  EXPECT_EQ(find_delimiter("a|b;c\nx|y;z\n", {}), ';');
}

TEST(FindDelimiter, AFewRaggedRecordsDoNotHideIt) {
  std::string commas = "a,b,c\n", semicolons = "a;b;c\n";
  for (int i = 0; i < 40; ++i) {
    commas += i == 20 ? "1,2;3\n" : "1,2,3\n";
    semicolons += i == 20 ? "1;2\n" : "1;2;3\n";
  }
  EXPECT_EQ(find_delimiter(commas, {}), ',');
  EXPECT_EQ(find_delimiter(semicolons, {}), ';');
}

TEST(FindDelimiter, AStrayQuoteDoesNotHideIt) {
  std::string text = "a;b\n";
  for (int i = 0; i < 40; ++i) text += "1;2\n";
  EXPECT_EQ(find_delimiter(text + "1;2\"\n", {}), ';');
}

}  // namespace
}  // namespace plumbline
