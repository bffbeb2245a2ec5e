#include "csv/find_decimal.h"

#include <gtest/gtest.h>

#include "csv/cell_values.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::Random;
using Cells = std::vector<std::string>;

// Of columns.
char decimal_of(const std::vector<Cells>& columns, char delimiter = ';') {
  CsvDialect dialect;
  dialect.delimiter = delimiter;
  std::vector<Cells> records(columns.at(0).size());
  for (const Cells& column : columns)
    for (std::size_t i = 0; i < records.size(); ++i) records[i].push_back(column.at(i));
  return find_decimal(records, dialect);
}

TEST(FindDecimal, TheSignThatNumbersWereWrittenWithIsFound) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const char decimal = ".,"[round % 2];
    std::vector<Cells> records;
    for (int i = 0; i < 30; ++i) {
      Cells record = {"some, text.", "a;b", std::to_string(random.integer(0, 5000)), i % 3 == 0 ? "NA" : ""};
      for (int j = 0; j < 3; ++j) append_number(record.emplace_back(), random.normal(), decimal);
      records.push_back(record);
    }
    for (const char delimiter : {',', ';', '\t'}) {
      CsvDialect dialect;
      dialect.delimiter = delimiter;
      ASSERT_EQ(find_decimal(records, dialect), decimal);
    }
  }
}

TEST(FindDecimal, WithoutNumbersItIsAPoint) {
  EXPECT_EQ(find_decimal({}, {}), '.');
  EXPECT_EQ(decimal_of({{"1", "2"}, {"a,b", "c"}, {"", "NA"}}), '.');
}

TEST(FindDecimal, MostCellsMustBeNumbers) {
  EXPECT_EQ(decimal_of({{"1,5", "2", "x", ""}}), ',');
  EXPECT_EQ(decimal_of({{"1,5", "2", "x", "y"}}), '.');
  EXPECT_EQ(decimal_of({{"1,5", "1.5", "2,5"}}), '.');        // both
  EXPECT_EQ(decimal_of({{"1,5", "2,5", "1,234,567"}}), '.');  // groups
  EXPECT_EQ(decimal_of({{"1,2,3", "1,2", "3,4,5"}}), '.');
}

TEST(FindDecimal, TheSignOfMoreColumnsWins) {
  const Cells comma = {"1,5", "2,25"}, point = {"1.5", "2.25"};
  EXPECT_EQ(decimal_of({comma, point, comma}), ',');
  EXPECT_EQ(decimal_of({comma, point, point}), '.');
  EXPECT_EQ(decimal_of({comma, point}), '.');
}

TEST(FindDecimal, WhatMayBeGroupsOfDigitsIsNoVoteForTheSignThatGroups) {
  EXPECT_EQ(decimal_of({{"1,234", "5,678"}}, ','), '.');
  EXPECT_EQ(decimal_of({{"1,234", "5,678"}}, ';'), ',');
  EXPECT_EQ(decimal_of({{"1,234", "5,67"}}, ','), ',');
  EXPECT_EQ(decimal_of({{"0,123", "0,456"}}, ','), ',');
  EXPECT_EQ(decimal_of({{"1.234", "5.678"}, {"1,5", "2,5"}}), ',');
}

}  // namespace
}  // namespace plumbline
