// The flags that give the columns of a table their roles, and say what becomes of values that few rows have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_line/console.h"
#include "command_line/flags.h"
#include "tables/csv_source.h"
#include "tables/row_batches.h"
#include "tables/schema.h"

namespace plumbline::app {

Missing missing_of(const std::string& text);  // what follows --missing

// The columns that --keep chooses of a table.
std::vector<std::string> kept_columns(const std::vector<std::string>& keep, const std::vector<std::string>& names);

struct ChosenColumns {
  Schema schema;
  std::vector<std::string> kept;
  std::vector<Index> told;       // of these, those that may tell of sensitive columns
  std::vector<std::string> ids;  // of these, those that were taken for ids
  std::vector<ColumnLook> looks;
};

class RoleFlags {
 public:
  void add_to(Flags& command);

  // Columns that look like ids pass through, unless they are named as features; dates are refused. Says which columns
  // are taken for ids and which are left out. Throws Error, naming the flag and the nearest column, if a role names no
  // column, a column has two roles, or there is nothing sensitive or no feature.
  ChosenColumns choose(CsvSource& source, const ReadOptions& read, const Console& console) const;

  // The same for a part of a table, of which another part may look otherwise: ids are refused.
  ChosenColumns choose_for_part(CsvSource& source, const ReadOptions& read, const Console& console) const;

  Missing missing_rule() const { return missing_of(missing_); }
  std::optional<std::int64_t> least_rows() const;
  Index most_level_columns() const;

  // Predictions of the target, which pass through as it does; an option of commands that have the target at hand.
  void add_predictions_to(Flags& command);

 private:
  std::vector<std::string> features_, drop_, keep_, sensitive_, categorical_;
  std::string target_, predictions_, weights_, missing_ = "error", least_rows_, most_level_columns_;
};

void say_dropped(std::int64_t rows, const Console& console);  // nothing if none was

// Names, ids and dates are text too, and one column a value is hardly what was meant.
void warn_of_many_levels(const Encoding& encoding, const Console& console);

}  // namespace plumbline::app
