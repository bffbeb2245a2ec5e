#include "csv/csv_parser.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/printable.h"
#include "base/utf8.h"
#include "csv/cell_values.h"
#include "csv/csv_cursor.h"
#include "csv/grouped_number.h"
#include "csv/level_index.h"

namespace plumbline {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int32_t kMissingCode = -1;

}  // namespace

// One pass over one chunk.
class CsvParser::Pass {
 public:
  Pass(const CsvParser& parser, const CsvChunk& chunk, ParsedChunk& out)
      : parser_(parser),
        dialect_(parser.dialect_),
        chunk_(chunk),
        cursor_(chunk.text, parser.dialect_),
        levels_(parser.categories_),
        out_(out) {}

  void run() {
    while (!out_.problem && cursor_.find_record()) parse_record();
    out_.lines = cursor_.line();
  }

 private:
  // A row is missing at first, so a record that ends too early leaves it padded.
  void resize_to(Index rows) {
    const auto n = static_cast<std::size_t>(rows);
    out_.numbers.resize(n * parser_.numbers_, kMissing);
    out_.codes.resize(n * parser_.categories_, kMissingCode);
    out_.raw.resize(n * parser_.kept_);
  }

  void parse_record() {
    line_ = cursor_.line();
    cells_ = 0;
    try {
      if (dialect_.ragged == Ragged::drop && drop_if_ragged()) return;
      start_row();
      read_cells();
      check_record();
    } catch (const CsvCursor::Fault fault) {
      const auto start = static_cast<std::size_t>(cursor_.at() - chunk_.text.data());
      problem_ = chunk_.is_cut && fault == CsvCursor::Fault::unclosed_quote
                     ? CsvProblem{CsvProblem::Kind::too_long, line_}
                     : quote_problem(fault, cursor_.line(), cells_, chunk_.text.substr(start), dialect_);
    }
    if (problem_) {
      resize_to(out_.rows);
      out_.problem = std::move(problem_);
    } else {
      ++out_.rows;
      out_.line_of_row.push_back(line_);
    }
  }

  Index count() const { return static_cast<Index>(parser_.columns_.size()); }

  // Looks ahead, so that a record which is left out leaves no levels behind.
  bool drop_if_ragged() {
    CsvCursor ahead = cursor_;
    do ahead.cell();
    while (++cells_, ahead.next_cell());
    const bool is_ragged = std::exchange(cells_, 0) != count();
    if (!is_ragged || chunk_.is_cut) return false;
    cursor_ = ahead;
    ++out_.dropped;
    return true;
  }

  void start_row() {
    resize_to(out_.rows + 1);
    const auto row = static_cast<std::size_t>(out_.rows);
    number_ = out_.numbers.data() + row * parser_.numbers_;
    code_ = out_.codes.data() + row * parser_.categories_;
    raw_ = out_.raw.data() + row * parser_.kept_;
    category_ = 0;
  }

  void read_cells() {
    do {
      if (cells_ < count()) {
        read_cell(parser_.columns_[static_cast<std::size_t>(cells_)]);
      } else if (cells_ == count()) {
        extra_ = printable(cursor_.cell().value);
      } else {
        cursor_.cell();
      }
      ++cells_;
    } while (cursor_.next_cell());
  }

  void check_record() {
    if (chunk_.is_cut) {
      problem_ = {CsvProblem::Kind::too_long, line_};
    } else if (cells_ < count() && dialect_.ragged == Ragged::error) {
      problem_ = {CsvProblem::Kind::too_few_cells, line_, cells_, "", cells_};
    } else if (cells_ > count() && dialect_.ragged == Ragged::error) {
      problem_ = {CsvProblem::Kind::too_many_cells, line_, count(), extra_, cells_};
    }
  }

  void read_cell(CellPlan plan) {
    if (plan.kind == CellKind::number && !plan.keep && parser_.reads_plain_numbers_ && cursor_.plain_number(*number_)) {
      ++number_;
      return;
    }
    const std::int64_t line = cursor_.line();
    const CsvCell cell = cursor_.cell();
    switch (plan.kind) {
      case CellKind::number: {
        const std::optional<double> value = number_in(cell.value, dialect_.decimal);
        const bool is_number = value && std::isfinite(*value) &&
                               !(parser_.has_number_markers_ && dialect_.is_missing(trimmed(cell.value)));
        *number_++ = is_number ? *value : kMissing;
        if (!value && !dialect_.is_missing(cell.value)) note(what_is_no_number(cell.value), cell.value, line);
        break;
      }
      case CellKind::boolean: {
        const std::optional<bool> value = boolean_in(cell.value);
        *number_++ = value ? (*value ? 1.0 : 0.0) : kMissing;
        if (!value && !dialect_.is_missing(cell.value)) note(CsvProblem::Kind::not_a_boolean, cell.value, line);
        break;
      }
      case CellKind::category:
        *code_++ = code_of(cell.value, line);
        ++category_;
        break;
      case CellKind::skip:
        break;
    }
    if (plan.keep) {
      *raw_++ = cell.raw;
      check_utf8(cell.raw, line);
    }
  }

  std::int32_t code_of(std::string_view value, std::int64_t line) {
    return levels_[category_].code(value, [&] {
      if (dialect_.is_missing(value)) return kMissingCode;
      check_utf8(value, line);
      std::vector<std::string>& levels = out_.levels[category_];
      levels.emplace_back(value);
      return static_cast<std::int32_t>(levels.size() - 1);
    });
  }

  CsvProblem::Kind what_is_no_number(std::string_view cell) const {
    if (!group_mark(trimmed(cell)).empty()) return CsvProblem::Kind::grouped_number;
    return number_in(cell, dialect_.decimal == '.' ? ',' : '.') ? CsvProblem::Kind::other_decimal
                                                                : CsvProblem::Kind::not_a_number;
  }

  void check_utf8(std::string_view text, std::int64_t line) {
    if (valid_utf8_prefix(text) != text.size()) note(CsvProblem::Kind::bad_utf8, text, line);
  }

  // Of what is wrong within the cells of a record the first counts.
  void note(CsvProblem::Kind kind, std::string_view cell, std::int64_t line) {
    if (!problem_) problem_ = {kind, line, cells_, printable(cell)};
  }

  const CsvParser& parser_;
  const CsvDialect& dialect_;
  const CsvChunk& chunk_;
  CsvCursor cursor_;
  std::vector<LevelIndex> levels_;
  ParsedChunk& out_;

  // Of the record at hand.
  Index cells_ = 0;
  std::int64_t line_ = 0;
  double* number_ = nullptr;
  std::int32_t* code_ = nullptr;
  std::string_view* raw_ = nullptr;
  std::size_t category_ = 0;
  std::string extra_;
  std::optional<CsvProblem> problem_;
};

CsvParser::CsvParser(CsvDialect dialect, std::vector<CellPlan> columns)
    : dialect_(std::move(dialect)), columns_(std::move(columns)) {
  for (const CellPlan& plan : columns_) {
    if (plan.kind == CellKind::number || plan.kind == CellKind::boolean) ++numbers_;
    if (plan.kind == CellKind::category) ++categories_;
    if (plan.keep) ++kept_;
  }
  has_number_markers_ = std::any_of(dialect_.missing.begin(), dialect_.missing.end(), [&](const std::string& marker) {
    const std::optional<double> value = number_in(marker, dialect_.decimal);
    return value && std::isfinite(*value);
  });
  reads_plain_numbers_ = !has_number_markers_ && dialect_.decimal == '.';
}

void CsvParser::parse(const CsvChunk& chunk, ParsedChunk& out) const {
  out.rows = 0;
  out.numbers.clear();
  out.codes.clear();
  out.raw.clear();
  out.levels.assign(categories_, {});
  out.line_of_row.clear();
  out.lines = out.dropped = 0;
  out.problem.reset();
  Pass(*this, chunk, out).run();
}

std::string text_of_cell(std::string_view raw, const CsvDialect& dialect) {
  return std::string(CsvCursor(raw, dialect).cell().value);
}

}  // namespace plumbline
