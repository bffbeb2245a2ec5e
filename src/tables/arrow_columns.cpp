#include "tables/arrow_columns.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/printable.h"
#include "base/remedy.h"
#include "base/utf8.h"
#include "csv/cell_values.h"
#include "plumbline/error.h"
#include "tables/column_look.h"

namespace plumbline {
namespace {

bool bit_of(const void* bits, std::int64_t at) {
  return (static_cast<const std::uint8_t*>(bits)[at / 8] >> (at % 8) & 1) != 0;
}

bool is_null(const ArrowArray& column, std::int64_t row) {
  if (column.n_buffers == 0) return true;  // a column of nothing but null
  return column.buffers[0] != nullptr && column.null_count != 0 && !bit_of(column.buffers[0], column.offset + row);
}

bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }

bool is_integer(std::string_view format) {
  return format.size() == 1 && std::string_view("cCsSiIlL").find(format[0]) != std::string_view::npos;
}

// What a person calls a type; the C interface has codes for them, of which the first that fits is meant.
std::string_view type_name(std::string_view format) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"b", "boolean"}, {"e", "half float"}, {"f", "float"},           {"g", "double"},    {"z", "binary"},
      {"Z", "binary"},  {"vz", "binary"},    {"w:", "binary"},         {"d:", "decimal"},  {"td", "date"},
      {"tt", "time"},   {"ts", "timestamp"}, {"tD", "duration"},       {"ti", "interval"}, {"+l", "list"},
      {"+L", "list"},   {"+vl", "list"},     {"+vL", "list"},          {"+w", "list"},     {"+s", "struct"},
      {"+m", "map"},    {"+u", "union"},     {"+r", "run-end encoded"}};
  for (const auto& [code, name] : names)
    if (format.starts_with(code)) return name;
  return format;
}

std::string called(const ArrowSchema& field) {
  const bool is_named = field.name != nullptr && *field.name != '\0';
  return is_named ? fmt::format("column '{}'", printable(field.name)) : "a column without a name";
}

[[noreturn]] void refuse(const ArrowSchema& field) {
  const std::string who = called(field);
  if (field.dictionary != nullptr)
    throw Error(fmt::format("{} is a dictionary of Arrow type {}; categories must be text or integers", who,
                            type_name(field.dictionary->format)));
  if (type_name(field.format) == "date" || type_name(field.format) == "timestamp")
    throw RemediableError(fmt::format("{} is of Arrow type {}, and a date is neither a number nor a category", who,
                                      type_name(field.format)),
                          Remedy::no_dates, field.name == nullptr ? "" : field.name);
  throw Error(fmt::format("{} is of Arrow type {}; columns must be numbers, truth values, categories or text", who,
                          type_name(field.format)));
}

double half_to_double(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double size = exponent == 31  ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                                       : std::numeric_limits<double>::infinity())
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

__extension__ typedef __int128 Int128;

struct Decimal {
  std::uint64_t low;
  std::int64_t high;
};

// How many digits of a decimal128 are behind the point; none: another type.
std::optional<int> decimal_scale(const char* format) {
  int precision = 0, scale = 0, bits = 128;
  if (std::sscanf(format, "d:%d,%d,%d", &precision, &scale, &bits) < 2 || bits != 128) return std::nullopt;
  return scale;
}

// Through its digits, as a text would be read: the nearest double.
double decimal_to_double(Decimal cell, int scale) {
  const Int128 digits = static_cast<Int128>(cell.high) << 64 | cell.low;
  return *number_in(fmt::format("{}e{}", digits, -scale));
}

// Calls use(row, value) for each row that is not null.
template <class T, class Use>
void for_each_cell(const ArrowArray& column, const Use& use) {
  const auto* cells = static_cast<const T*>(column.buffers[1]) + column.offset;
  for (std::int64_t row = 0; row < column.length; ++row)
    if (!is_null(column, row)) use(row, cells[row]);
}

template <class Use>
bool for_each_integer(std::string_view format, const ArrowArray& column, const Use& use) {
  if (format.size() != 1) return false;
  switch (format[0]) {
    case 'c':
      for_each_cell<std::int8_t>(column, use);
      return true;
    case 'C':
      for_each_cell<std::uint8_t>(column, use);
      return true;
    case 's':
      for_each_cell<std::int16_t>(column, use);
      return true;
    case 'S':
      for_each_cell<std::uint16_t>(column, use);
      return true;
    case 'i':
      for_each_cell<std::int32_t>(column, use);
      return true;
    case 'I':
      for_each_cell<std::uint32_t>(column, use);
      return true;
    case 'l':
      for_each_cell<std::int64_t>(column, use);
      return true;
    case 'L':
      for_each_cell<std::uint64_t>(column, use);
      return true;
    default:
      return false;
  }
}

struct BrokenText {};

template <class Offset>
std::string_view text_at(const ArrowArray& column, std::int64_t row) {
  const auto* offsets = static_cast<const Offset*>(column.buffers[1]) + column.offset + row;
  if (offsets[0] < 0 || offsets[1] < offsets[0]) throw BrokenText();
  if (offsets[0] == offsets[1]) return {};
  if (column.buffers[2] == nullptr) throw BrokenText();
  return {static_cast<const char*>(column.buffers[2]) + offsets[0], static_cast<std::size_t>(offsets[1] - offsets[0])};
}

// Sixteen bytes a cell: the length, then the text itself if it has up to 12 bytes, else its first four, the number of
// the buffer that holds it, and where it starts there. The last buffer has the sizes of those that hold text.
std::string_view view_at(const ArrowArray& column, std::int64_t row) {
  const char* cell = static_cast<const char*>(column.buffers[1]) + 16 * (column.offset + row);
  std::int32_t length = 0, buffer = 0, start = 0;
  std::memcpy(&length, cell, 4);
  if (length < 0) throw BrokenText();
  if (length <= 12) return {cell + 4, static_cast<std::size_t>(length)};
  std::memcpy(&buffer, cell + 8, 4);
  std::memcpy(&start, cell + 12, 4);
  const std::int64_t with_text = column.n_buffers - 3;
  if (buffer < 0 || buffer >= with_text || start < 0) throw BrokenText();
  const auto* sizes = static_cast<const std::int64_t*>(column.buffers[column.n_buffers - 1]);
  const void* text = column.buffers[2 + buffer];
  if (sizes == nullptr || text == nullptr || std::int64_t{start} + length > sizes[buffer]) throw BrokenText();
  return {static_cast<const char*>(text) + start, static_cast<std::size_t>(length)};
}

std::string_view text_of(std::string_view format, const ArrowArray& column, std::int64_t row) {
  if (format == "u") return text_at<std::int32_t>(column, row);
  if (format == "U") return text_at<std::int64_t>(column, row);
  return view_at(column, row);
}

// How many buffers a column of a type has at least, the bits of validity included.
std::int64_t buffers_of(std::string_view format) {
  if (format == "n") return 0;
  return is_text(format) ? 3 : 2;
}

void check_buffers(const std::string& who, std::string_view format, const ArrowArray& array) {
  if (array.length < 0 || array.offset < 0 || array.offset > std::numeric_limits<std::int64_t>::max() - array.length)
    throw Error(fmt::format("{} has {} rows from row {} on", who, array.length, array.offset));
  const std::int64_t needed = buffers_of(format);
  if (array.n_buffers < needed || (needed > 0 && array.buffers == nullptr))
    throw Error(
        fmt::format("{} has {} buffers; one of Arrow type {} has {}", who, array.n_buffers, type_name(format), needed));
  if (needed == 0 || array.length == 0) return;
  if (array.buffers[1] == nullptr) throw Error(fmt::format("{} has {} rows and no cells", who, array.length));
  if (array.null_count > 0 && array.buffers[0] == nullptr)
    throw Error(fmt::format("{} has {} cells that are null, and does not say which", who, array.null_count));
}

}  // namespace

ArrowKind kind_of(const ArrowSchema& field) {
  const std::string_view format = field.format;
  if (field.dictionary != nullptr) {
    if (!is_text(field.dictionary->format) && !is_integer(field.dictionary->format)) refuse(field);
    return ArrowKind::category;
  }
  if (is_text(format)) return ArrowKind::category;
  if (format == "b") return ArrowKind::boolean;
  if (format.size() == 1 && std::string_view("ncCsSiIlLefg").find(format[0]) != std::string_view::npos)
    return ArrowKind::number;
  if (decimal_scale(field.format)) return ArrowKind::number;
  refuse(field);
}

bool is_plain_text(const ArrowSchema& field) { return field.dictionary == nullptr && is_text(field.format); }

void check_column(const ArrowSchema& field, const ArrowArray& column) {
  check_buffers(called(field), field.format, column);
  if (field.dictionary == nullptr) return;
  if (column.dictionary == nullptr) throw Error(fmt::format("{} has no dictionary, and its type has", called(field)));
  check_buffers(fmt::format("the dictionary of {}", called(field)), field.dictionary->format, *column.dictionary);
}

bool has_nulls(const ArrowArray& column) {
  if (column.null_count == 0) return false;
  for (std::int64_t row = 0; row < column.length; ++row)
    if (is_null(column, row)) return true;
  return false;
}

bool is_float32(const ArrowSchema& field) { return std::string_view(field.format) == "f"; }

const void* plain_cells(const ArrowSchema& field, const ArrowArray& column) {
  const std::string_view format = field.format;
  if ((format != "g" && format != "f") || field.dictionary != nullptr || column.length == 0 || has_nulls(column))
    return nullptr;
  return static_cast<const char*>(column.buffers[1]) + column.offset * (format == "g" ? 8 : 4);
}

bool is_beyond_double(const ArrowSchema& field, const ArrowArray& column) {
  if (field.dictionary != nullptr) return false;
  bool found = false;
  for_each_integer(field.format, column, [&](std::int64_t, auto value) {
    found |= std::cmp_greater(value, kLargestExact) || std::cmp_less(value, -kLargestExact);
  });
  return found;
}

std::vector<double> numbers_of(const ArrowSchema& field, const ArrowArray& column) {
  std::vector<double> out(static_cast<std::size_t>(column.length), std::numeric_limits<double>::quiet_NaN());
  const auto put = [&](std::int64_t row, auto value) {
    out[static_cast<std::size_t>(row)] = static_cast<double>(value);
  };
  const std::string_view format = field.format;
  if (format == "n") return out;
  if (format == "g") {
    for_each_cell<double>(column, put);
  } else if (format == "f") {
    for_each_cell<float>(column, put);
  } else if (format == "e") {
    for_each_cell<std::uint16_t>(column, [&](std::int64_t row, std::uint16_t half) { put(row, half_to_double(half)); });
  } else if (format == "b") {
    for (std::int64_t row = 0; row < column.length; ++row)
      if (!is_null(column, row)) put(row, bit_of(column.buffers[1], column.offset + row) ? 1 : 0);
  } else if (const std::optional<int> scale = decimal_scale(field.format)) {
    for_each_cell<Decimal>(column, [&](std::int64_t row, Decimal cell) { put(row, decimal_to_double(cell, *scale)); });
  } else if (!for_each_integer(format, column, put)) {
    refuse(field);
  }
  return out;
}

Coded codes_of(const ArrowSchema& field, const ArrowArray& column) {
  Coded out;
  out.codes.assign(static_cast<std::size_t>(column.length), -1);
  std::unordered_map<std::string_view, std::int32_t> places;
  const auto place_of = [&](std::string_view text) {
    const auto [found, is_new] = places.emplace(text, static_cast<std::int32_t>(out.levels.size()));
    if (is_new) out.levels.emplace_back(text);
    return found->second;
  };
  const auto place_of_text = [&](std::string_view format, const ArrowArray& cells, std::int64_t row) {
    const auto where = [&] {
      return field.dictionary == nullptr ? fmt::format("{}, row {}", called(field), row + 1)
                                         : fmt::format("{}, value {} of its dictionary", called(field), row + 1);
    };
    std::string_view text;
    try {
      text = text_of(format, cells, row);
    } catch (const BrokenText&) {
      throw Error(fmt::format("{}: the text lies outside of its buffer", where()));
    }
    const std::size_t known = out.levels.size();
    const std::int32_t place = place_of(text);
    if (out.levels.size() > known && valid_utf8_prefix(text) != text.size())
      throw Error(fmt::format("{}: the text is not UTF-8: '{}'", where(), printable(text)));
    return place;
  };
  if (field.dictionary == nullptr) {
    for (std::int64_t row = 0; row < column.length; ++row)
      if (!is_null(column, row)) out.codes[static_cast<std::size_t>(row)] = place_of_text(field.format, column, row);
    return out;
  }
  const ArrowArray& dictionary = *column.dictionary;
  std::vector<std::int32_t> levels(static_cast<std::size_t>(dictionary.length), -1);
  const std::string_view format = field.dictionary->format;
  std::deque<std::string> numbers;  // what `places` refers to
  const bool is_of_integers = for_each_integer(format, dictionary, [&](std::int64_t at, auto value) {
    levels[static_cast<std::size_t>(at)] = place_of(numbers.emplace_back(std::to_string(value)));
  });
  for (std::int64_t at = 0; !is_of_integers && at < dictionary.length; ++at)
    if (!is_null(dictionary, at)) levels[static_cast<std::size_t>(at)] = place_of_text(format, dictionary, at);
  const bool known = for_each_integer(field.format, column, [&](std::int64_t row, auto code) {
    if (!std::in_range<std::size_t>(code) || static_cast<std::size_t>(code) >= levels.size())
      throw Error(fmt::format("{}, row {}: {} is not an index of its dictionary, which has {} values", called(field),
                              row + 1, code, levels.size()));
    out.codes[static_cast<std::size_t>(row)] = levels[static_cast<std::size_t>(code)];
  });
  if (!known) refuse(field);
  return out;
}

}  // namespace plumbline
