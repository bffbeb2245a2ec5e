#include "command_line/remedies.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace plumbline::app {
namespace {

std::string flag_value(const std::string& cell) { return cell == "\t" ? "tab" : fmt::format("'{}'", printable(cell)); }

std::string categories(const std::string& column) {
  return fmt::format("a fit with --categorical '{}' reads the column as categories", column);
}

// With what joins it to the sentence.
std::string in_flags(const RemediableError& error) {
  const std::string column = printable(error.column()), cell = printable(error.cell());
  switch (error.remedy()) {
    case Remedy::accept_ragged:
      return "; --ragged drop leaves such records out, --ragged fill pads or cuts them";
    case Remedy::allow_missing:
      return "; --missing drop leaves such rows out, and in fit and transform --missing mean fills in the column's "
             "mean";
    case Remedy::allow_unknown:
      return "; --unknown ignore maps it to none of them";
    case Remedy::as_category:
      return cell.empty()
                 ? "; " + categories(column)
                 : fmt::format("; --missing-marker '{}' takes the cell for missing, and ", cell) + categories(column);
    case Remedy::as_missing:
      return fmt::format(", or take the cell for missing with --missing-marker {}", cell);
    case Remedy::convert:
      return fmt::format("; pass it on as CSV, `{} | plumbline fit --input - ...`, or in Python as a frame",
                         printable_line(error.cell()));
    case Remedy::fewer_levels:
      return "; leave columns out with --drop, merge more levels with --min-level-rows, or allow more columns with "
             "--max-level-columns";
    case Remedy::fill_missing:
      return "; leave that column out with --drop, or fill it with --missing mean";
    case Remedy::fit_blind:
      return ", and a fit with --mode blind would not";
    case Remedy::fit_with_rank:
      return "; fit it with --rank";
    case Remedy::leave_out:
      return column.empty() ? "; leave it out with --drop" : fmt::format("; leave it out with --drop '{}'", column);
    case Remedy::name_sensitive:
      return "; use --sensitive";
    case Remedy::no_dates:
      return "; --drop leaves it out, --keep passes it through, --categorical makes a category of it";
    case Remedy::no_ids:
      return "; --drop leaves it out, --keep passes it through unchanged";
    case Remedy::no_text:
      return "; --decimal , reads decimal commas, and --categorical makes a category of it";
    case Remedy::no_header:
      return "; the model was fitted with --no-header, so perhaps it is lacking here";
    case Remedy::with_header:
      return "; the model knows its columns by name, so perhaps --no-header is wrong here";
    case Remedy::quotes_as_text:
      return "; --no-quotes reads quotes as text";
    case Remedy::read_as_latin1:
      return "; --encoding latin1 reads it as Latin-1";
    case Remedy::replace_file:
      return "; give --force to replace it, or choose another name";
    case Remedy::use_decimal_comma:
      return "; --decimal , reads decimal commas, and " + categories(column);
    case Remedy::use_decimal_point:
      return "; --decimal . reads decimal points, and " + categories(column);
    case Remedy::use_delimiter:
      return fmt::format("; perhaps --delimiter {} is lacking", flag_value(error.cell()));
  }
  return "";
}

}  // namespace

std::string worded(const RemediableError& error) { return error.what() + in_flags(error); }

}  // namespace plumbline::app
