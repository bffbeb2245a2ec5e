// Walks over the cells of the records in a text:
//
//   while (cursor.find_record())
//     do use(cursor.cell()); while (cursor.next_cell());
//
// Throws CsvCursor::Fault where quotes leave open what a cell is, and stays at its start: nothing after it can be read.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "csv/csv_dialect.h"
#include "csv/number_chars.h"

namespace plumbline {

struct CsvCell {
  std::string_view raw;    // as it stands in the text, quotes included, without the blanks around it
  std::string_view value;  // without its quotes; valid until the next call of cell()
};

class CsvCursor {
 public:
  enum class Fault {
    stray_quote,     // in a cell that does not start with one, or followed by more than blanks
    unclosed_quote,  // up to the end of the text
  };

  CsvCursor(std::string_view text, const CsvDialect& dialect)
      : at_(text.data()), end_(at_ + text.size()), delimiter_(dialect.delimiter), quotes_(dialect.quotes) {
    for (const char c : {dialect.delimiter, '\n', '\r'}) stops_[static_cast<unsigned char>(c)] = true;
    stops_['"'] = quotes_;
  }

  const char* at() const { return at_; }
  std::int64_t line() const { return line_; }  // line ends passed so far

  // Goes to the first cell of the next record, past empty lines; false at the end of the text.
  bool find_record() {
    while (true) {
      const char* start = after_blanks(at_);
      if (start == end_) {
        at_ = end_;
        return false;
      }
      if (!is_line_end(start)) return true;
      at_ = start;
      next_cell();
    }
  }

  CsvCell cell() {
    const char* const start = after_blanks(at_);
    if (quotes_ && start != end_ && *start == '"') return quoted_cell(start);
    const char* p = start;
    for (; p != end_; ++p) {
      if (!stops_[static_cast<unsigned char>(*p)]) continue;
      if (*p == '"') throw Fault::stray_quote;
      if (*p != '\r' || is_line_end(p)) break;
    }
    at_ = p;
    const std::string_view text = trimmed(between(start, p));
    return {text, text};
  }

  // Reads the cell if it is a finite number without quotes; otherwise false, and the cursor stays where it is.
  bool plain_number(double& value) {
    const auto found = number_chars(after_blanks(at_), end_, value);
    if (found.ec != std::errc()) return false;
    const char* stop = found.ptr;
    if (!is_cell_end(stop) && !is_cell_end(stop = after_blanks(stop))) return false;
    if (!std::isfinite(value)) return false;
    at_ = stop;
    return true;
  }

  // From the end of a cell to the start of the next one; false, and past the end of the line, if it was the last.
  bool next_cell() {
    if (at_ != end_ && *at_ == delimiter_) {
      ++at_;
      return true;
    }
    if (at_ != end_ && *at_ == '\r') ++at_;
    if (at_ != end_) ++at_;
    ++line_;
    return false;
  }

 private:
  static std::string_view between(const char* from, const char* to) {
    return {from, static_cast<std::size_t>(to - from)};
  }

  const char* after_blanks(const char* p) const {
    while (p != end_ && (*p == ' ' || *p == '\t') && *p != delimiter_) ++p;
    return p;
  }

  // A carriage return is a line end only with the line feed, or at the very end.
  bool is_line_end(const char* p) const {
    return p == end_ || *p == '\n' || (*p == '\r' && (p + 1 == end_ || p[1] == '\n'));
  }
  bool is_cell_end(const char* p) const { return p == end_ || *p == delimiter_ || is_line_end(p); }

  CsvCell quoted_cell(const char* start) {
    const char* const inside = start + 1;
    const char* p = inside;
    bool doubled = false;
    while (true) {
      p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end_ - p)));
      if (p == nullptr) throw Fault::unclosed_quote;
      if (p + 1 == end_ || p[1] != '"') break;
      doubled = true;
      p += 2;
    }
    const std::string_view value = between(inside, p), raw = between(start, p + 1);
    const char* const stop = after_blanks(p + 1);
    if (!is_cell_end(stop)) throw Fault::stray_quote;
    line_ += std::count(value.begin(), value.end(), '\n');
    at_ = stop;
    return {raw, doubled ? undoubled(value) : value};
  }

  std::string_view undoubled(std::string_view text) {
    undoubled_.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      undoubled_ += text[i];
      if (text[i] == '"') ++i;
    }
    return undoubled_;
  }

  const char* at_;
  const char* end_;
  char delimiter_;
  bool quotes_;
  std::array<bool, 256> stops_ = {};
  std::int64_t line_ = 0;
  std::string undoubled_;
};

}  // namespace plumbline
