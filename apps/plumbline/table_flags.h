// The flags that say what the input is, shared by all commands that read tables, and the table they open.
#pragma once

#include <string>
#include <vector>

#include "command_line/console.h"
#include "command_line/flags.h"
#include "csv/csv_table.h"
#include "tables/learn_encoding.h"
#include "tables/schema.h"

namespace plumbline::app {

struct TableFlags {
  std::vector<std::string> inputs, missing_markers;
  std::string delimiter = "auto", decimal = "auto", names, ragged = "error", encoding = "utf8", threads = "0", data_dir;
  bool no_header = false, no_quotes = false;

  void add_to(Flags& command);

  // Published data sets are found by the name of the set or of its file, and their columns named (published_files.h).
  // What was found of how the files are written is said, if it is not as usual.
  CsvTable open(const Console& console);

  bool is_headerless() const { return no_header; }  // of outputs, too
  ReadOptions read_options(Console& console) const;
};

Missing missing_of(const std::string& text);  // what follows --missing

// Which columns play which part.
struct RoleFlags {
  Roles roles;
  std::string missing = "error";

  void add_to(Flags& command);
  Missing missing_rule() const { return missing_of(missing); }
};

void say_dropped(std::int64_t rows, const Console& console);  // nothing if none was

// Names, ids and dates are text too, and one column a value is hardly what was meant.
void warn_of_many_levels(const Encoding& encoding, const Console& console);

}  // namespace plumbline::app
