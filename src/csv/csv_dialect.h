// How a file spells a table: RFC 4180 with the choices that real files make.
//
//   record   cells with `delimiter` between them, up to LF or CRLF; the last one may end with the input
//   cell     plain text, or text in quotes, in which delimiters, line ends and doubled quotes may stand
//
// A byte order mark at the start of an input is skipped, and so are lines of nothing but blanks (spaces and tabs,
// unless they delimit). Blanks around a cell are not part of it; those within quotes are. A cell is missing if, without
// blanks, it equals one of `missing`, quoted or not, or is a number that is not finite as a double (inf, nan, 1e999).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/trimmed.h"

namespace plumbline {

enum class Ragged { error, drop, fill };  // a record of too few or too many cells: refused, left out, padded or cut
enum class TextEncoding { utf8, latin1 };

struct CsvDialect {
  char delimiter = ',';         // an ASCII character that no number, quote or line end holds
  bool find_delimiter = false;  // in place of that one; a table takes it from its first records (find_delimiter.h)
  char decimal = '.';           // or a comma, which must then stand in quotes if it also separates cells
  bool find_decimal = false;    // in place of that one; a table takes it from its first records (find_decimal.h)
  bool header = true;           // whether the first record of each input holds names
  bool quotes = true;           // false: a quote is a character like any other
  Ragged ragged = Ragged::error;
  TextEncoding encoding = TextEncoding::utf8;
  std::vector<std::string> missing = default_missing();

  // Empty, ?, NA, N/A, #N/A, NaN, nan, NULL, null, None, none.
  static std::vector<std::string> default_missing();

  void check() const;  // throws Error naming the field

  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != delimiter; }
  bool is_missing(std::string_view value) const;  // by the markers alone
};

}  // namespace plumbline
