#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace plumbline {
namespace {

struct Range {
  char32_t first, last;
};

// Of code points above ASCII.
constexpr std::array kUnprintable{
    Range{0x80, 0x9F},        // C1 controls
    Range{0xAD, 0xAD},        // soft hyphen
    Range{0x61C, 0x61C},      // direction
    Range{0x180E, 0x180E},    // vowel separator
    Range{0x200B, 0x200B},    // zero-width space
    Range{0x200E, 0x200F},    // direction
    Range{0x2028, 0x202E},    // line, paragraph, direction
    Range{0x2060, 0x206F},    // joiners and direction
    Range{0xFEFF, 0xFEFF},    // byte order mark
    Range{0xFFF9, 0xFFFB},    // annotation
    Range{0xE0000, 0xE007F},  // tags
};

bool is_unprintable(char32_t point) {
  if (point < 0x80) return point < 0x20 || point == 0x7F;
  return std::any_of(kUnprintable.begin(), kUnprintable.end(),
                     [point](const Range& range) { return range.first <= point && point <= range.last; });
}

// Calls keep(text) for what is printable and escape(point, is_utf8) for what is not, until one of them returns false.
template <class Keep, class Escape>
void walk(std::string_view text, const Keep& keep, const Escape& escape) {
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    const std::size_t length = std::max<std::size_t>(next.length, 1);
    const bool goes_on = next.length == 0             ? escape(static_cast<unsigned char>(text[0]), false)
                         : is_unprintable(next.value) ? escape(next.value, true)
                                                      : keep(text.substr(0, length));
    if (!goes_on) return;
    text.remove_prefix(length);
  }
}

std::string shown(char32_t point, bool is_utf8) {
  const auto number = static_cast<unsigned>(point);
  return number < 0x80 || !is_utf8 ? fmt::format("\\x{:02X}", number) : fmt::format("\\u{{{:X}}}", number);
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string out;
  bool is_whole = true;
  const auto add = [&](std::string_view part) {
    is_whole = out.size() < most;
    if (is_whole) out += part;
    return is_whole;
  };
  walk(text, add, [&](char32_t point, bool is_utf8) { return add(shown(point, is_utf8)); });
  return is_whole ? out : out + "…";
}

}  // namespace

std::string printable_line(std::string_view text) { return shortened(text, std::string::npos); }

std::string printable(std::string_view text) { return shortened(text, 60); }

std::string printable_json(std::string_view document) {
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
  if (std::all_of(document.begin(), document.end(), is_plain)) return std::string(document);
  std::string out;
  out.reserve(document.size());
  const auto keep = [&](std::string_view part) {
    out += part;
    return true;
  };
  walk(document, keep, [&](char32_t point, bool) {
    const auto number = static_cast<unsigned>(point);
    if (number < 0x80 && number != 0x7F)
      out += static_cast<char>(number);  // between values, for within texts they are escaped already
    else if (number < 0x10000)
      out += fmt::format("\\u{:04x}", number);
    else
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + (number >> 10U), 0xDC00 + (number & 0x3FFU));
    return true;
  });
  return out;
}

}  // namespace plumbline
