#include "csv/csv_cutter.h"

#include <gtest/gtest.h>

#include <set>

#include "memory_source.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MemorySource;
using testing::Random;

// Where records may end: after a line feed outside of quotes, and at the end.
std::set<std::size_t> record_ends(std::string_view text, bool quotes) {
  std::set<std::size_t> ends = {text.size()};
  bool open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    open ^= quotes && text[i] == '"';
    if (text[i] == '\n' && !open) ends.insert(i + 1);
  }
  return ends;
}

std::string random_csv(Random& random, Index size) {
  constexpr std::string_view letters = "abc,,\"\n\r";
  std::string text;
  while (static_cast<Index>(text.size()) < size)
    text += letters[static_cast<std::size_t>(random.integer(0, static_cast<Index>(letters.size()) - 1))];
  return text;
}

TEST(CsvCutter, ChunksAreWholeRecordsAndJoinToTheText) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_csv(random, random.integer(0, 200));
    const std::string bytes = (random.integer(0, 1) != 0 ? "\xEF\xBB\xBF" : "") + text;
    const bool quotes = random.integer(0, 2) > 0, is_mapped = random.integer(0, 1) != 0;
    const auto chunk_bytes = static_cast<std::size_t>(random.integer(1, 60));
    const std::set<std::size_t> ends = record_ends(text, quotes);
    MemorySource source(bytes, is_mapped);
    CsvCutter cutter(source, quotes, chunk_bytes);
    CsvChunk chunk;
    std::string joined;
    while (cutter.next(chunk)) {
      ASSERT_FALSE(chunk.text.empty());
      ASSERT_FALSE(chunk.is_cut);
      joined += chunk.text;
      ASSERT_TRUE(ends.contains(joined.size())) << text;
    }
    ASSERT_EQ(joined, text);
    ASSERT_FALSE(cutter.next(chunk));
  }
}

TEST(CsvCutter, ChunksAreAboutAsLargeAsAsked) {
  std::string text;
  while (text.size() < 1000000) text += "1,\"two\",3\r\n";
  for (const bool is_mapped : {true, false}) {
    MemorySource source(text, is_mapped);
    CsvCutter cutter(source, true, 10000);
    CsvChunk chunk;
    int count = 0;
    while (cutter.next(chunk)) {
      EXPECT_LT(chunk.text.size(), 10020);
      ++count;
    }
    EXPECT_LE(count, 101);
  }
}

TEST(CsvCutter, AMappedTextIsNotCopied) {
  const std::string text = "a,b\nc,d\n";
  MemorySource source(text, true);
  CsvCutter cutter(source, true);
  CsvChunk chunk;
  ASSERT_TRUE(cutter.next(chunk));
  EXPECT_EQ(chunk.text.data(), text.data());
}

}  // namespace
}  // namespace plumbline
