#include "base/utf8.h"

#include <gtest/gtest.h>

#include "random_data.h"

namespace plumbline {
namespace {

using testing::Random;

// By the definition: what a code point is written as.
std::string encoded(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), byte(0x80 | (point & 0x3F))};
  if (point < 0x10000) return {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 0x3F)), byte(0x80 | (point & 0x3F))};
  return {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 0x3F)), byte(0x80 | (point >> 6 & 0x3F)),
          byte(0x80 | (point & 0x3F))};
}

bool is_character(std::uint32_t point) { return point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF); }

TEST(Utf8, EveryCodePointIsValidAndEverySurrogateIsNot) {
  for (std::uint32_t point = 0; point < 0x110400; ++point) {
    const std::string text = encoded(point);
    ASSERT_EQ(valid_utf8_prefix(text) == text.size(), is_character(point)) << point;
  }
}

TEST(Utf8, OverlongFormsAreNotValid) {
  for (const std::string_view text : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80",
                                      "\xF0\x8F\xBF\xBF", "\xF5\x80\x80\x80", "\xFF", "\x80"})
    EXPECT_EQ(valid_utf8_prefix(text), 0U);
}

TEST(Utf8, ThePrefixEndsWhereTheFirstBadByteStands) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (Index i = random.integer(0, 30); i > 0; --i) {
      const auto point = static_cast<std::uint32_t>(random.integer(0, 1 << random.integer(1, 20)));
      if (is_character(point)) text += encoded(point);
    }
    const std::size_t valid = text.size();
    EXPECT_EQ(valid_utf8_prefix(text), valid);
    for (std::string_view rest = text; !rest.empty();) {
      const CodePoint first = first_code_point(rest);
      EXPECT_EQ(encoded(static_cast<std::uint32_t>(first.value)), rest.substr(0, first.length));
      rest.remove_prefix(first.length);
    }
    text += static_cast<char>(random.integer(0x80, 0xBF));
    for (Index i = random.integer(0, 20); i > 0; --i) text += 'x';
    EXPECT_EQ(valid_utf8_prefix(text), valid);
    EXPECT_EQ(first_code_point(std::string_view(text).substr(valid)).length, 0U);
  }
}

TEST(Utf8, EveryLatin1TextBecomesUtf8) {
  for (std::uint32_t byte = 0; byte < 256; ++byte)
    EXPECT_EQ(utf8_of_latin1(std::string(3, static_cast<char>(byte))), encoded(byte) + encoded(byte) + encoded(byte));
}

}  // namespace
}  // namespace plumbline
