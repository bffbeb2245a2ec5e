// Errors that a person can do something about, with what that is as data: the library says what is wrong and where, and
// each front end adds how to help in its own words, flags in one and parameters in the other.
#pragma once

#include <string>
#include <utility>

#include "plumbline/error.h"

namespace plumbline {

enum class Remedy {
  accept_ragged,      // records of too few or too many cells
  allow_missing,      // leave rows out, or fill cells in
  allow_unknown,      // a level that the fit has not seen
  as_category,        // read the column as categories, or take `cell`, if there is one, for missing
  as_missing,         // take `cell` for missing
  convert,            // the input is no CSV; `cell` is a command that writes it as such
  fewer_levels,       // of categories: leave columns out, merge more levels, or allow more columns
  fill_missing,       // rows with missing cells are left out, and none remains
  fit_blind,          // the map needs the sensitive columns, and one of a blind fit would not
  fit_with_rank,      // the model has no scores
  leave_out,          // the column
  name_sensitive,     // no column is sensitive
  no_dates,           // the column: leave it out, or make a number or a category of it
  no_header,          // the columns of the model are numbered, those of the table have names
  no_ids,             // the column: leave it out, or make a category of it
  no_text,            // the column holds numbers as text: convert them, or make a category of it
  with_header,        // the other way round
  quotes_as_text,     // a quote is a character like any other
  read_as_latin1,     // text that is not UTF-8
  replace_file,       // a file that exists
  use_decimal_comma,  // numbers as 1,5, or read the column as categories
  use_decimal_point,  // the same with 1.5
  use_delimiter,      // `cell` separates cells
};

class RemediableError : public Error {
 public:
  // `column` and `cell` are what the remedy is about, as they stand in the table; empty if it is about neither.
  RemediableError(const std::string& sentence, Remedy remedy, std::string column = "", std::string cell = "")
      : Error(sentence), remedy_(remedy), column_(std::move(column)), cell_(std::move(cell)) {}

  Remedy remedy() const { return remedy_; }
  const std::string& column() const { return column_; }
  const std::string& cell() const { return cell_; }

 private:
  Remedy remedy_;
  std::string column_, cell_;
};

}  // namespace plumbline
