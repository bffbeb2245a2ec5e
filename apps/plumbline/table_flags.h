// The flags that say what the input is, shared by all commands that read tables, and the table they open.
#pragma once

#include <string>
#include <vector>

#include "command_line/console.h"
#include "command_line/flags.h"
#include "csv/csv_table.h"
#include "tables/row_batches.h"

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

}  // namespace plumbline::app
