#include "table_flags.h"

#include <fmt/format.h>

#include <utility>

#include "base/names.h"
#include "command_line/arguments.h"
#include "io/descriptor.h"
#include "plumbline/error.h"
#include "published_files.h"

namespace plumbline::app {
namespace {

void say_what_was_found(const CsvTable& table, const CsvDialect& given, const Console& console) {
  const char delimiter = table.dialect().delimiter;
  if (delimiter != given.delimiter)
    console.warn(fmt::format("cells of {} are separated by {}", in_quotes(table.input_name(0)),
                             delimiter == '\t' ? "tabs" : fmt::format("'{}'", delimiter)));
  if (table.dialect().decimal != given.decimal)
    console.warn(fmt::format("numbers of {} have decimal commas", in_quotes(table.input_name(0))));
}

}  // namespace

void TableFlags::add_to(Flags& command) {
  command.value("--input,-i", inputs, "FILE",
                "CSV files, plain, gzip or zstd; - for standard input; or adult, compas, crime");
  command.value("--delimiter", delimiter, "CHAR",
                "What separates cells: one character, or tab; auto finds a comma, semicolon, tab or pipe");
  command.value("--decimal", decimal, "auto|.|,", "The decimal sign of numbers; auto finds it");
  command.flag("--no-header", no_header, "The first line holds cells, not names; columns are c1, c2 ...");
  command.value(
      "--names", names, "LIST",
      "What the columns of a file without a header are called: a,b,c, with quotes around a name with a comma");
  command.flag("--no-quotes", no_quotes, "A quote is a character like any other");
  command.value("--missing-marker", missing_markers, "TEXT",
                "Also missing, beside empty cells, ?, NA, N/A, #N/A, NaN, NULL, None");
  command.value("--ragged", ragged, "error|drop|fill", "What to do with records of too few or too many cells");
  command.value("--encoding", encoding, "utf8|latin1", "Of the text");
  command.value("--data-dir", data_dir, "DIR", "Where published data sets are looked for first");
  command.value("--threads", threads, "N", "How many; 0 is one a core, or OMP_NUM_THREADS. The result is the same");
}

CsvTable TableFlags::open(const Console& console) {
  if (inputs.empty()) throw Error("no input is named; use --input FILE, or --input - for standard input");
  CsvDialect dialect;
  dialect.find_delimiter = delimiter == "auto";
  if (!dialect.find_delimiter) dialect.delimiter = delimiter_of("--delimiter", delimiter);
  dialect.find_decimal = decimal == "auto";
  dialect.decimal = choice_of<char>("--decimal", decimal, {{"auto", '.'}, {".", '.'}, {",", ','}});
  dialect.header = !no_header && names.empty();
  dialect.quotes = !no_quotes;
  dialect.ragged =
      choice_of<Ragged>("--ragged", ragged, {{"error", Ragged::error}, {"drop", Ragged::drop}, {"fill", Ragged::fill}});
  dialect.encoding =
      choice_of<TextEncoding>("--encoding", encoding, {{"utf8", TextEncoding::utf8}, {"latin1", TextEncoding::latin1}});
  dialect.missing.insert(dialect.missing.end(), missing_markers.begin(), missing_markers.end());
  std::vector<std::string> columns = names_of("--names", names);
  if (std::optional<PublishedLayout> layout = find_published(inputs, data_dir, !dialect.header)) {
    dialect.header = layout->header;
    columns = std::move(layout->columns);
  }
  const CsvDialect given = dialect;
  CsvTable table(inputs, std::move(dialect), std::move(columns));
  say_what_was_found(table, given, console);
  return table;
}

ReadOptions TableFlags::read_options(Console& console) const {
  return {static_cast<int>(integer_of("--threads", threads, 0, 1024)),
          [&console](std::uint64_t done, std::optional<std::uint64_t> total) { console.progress(done, total); }};
}

}  // namespace plumbline::app
