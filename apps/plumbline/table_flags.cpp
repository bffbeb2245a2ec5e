#include "table_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "arguments.h"
#include "data/names.h"
#include "paper/datasets.h"
#include "plumbline/error.h"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

const Dataset* dataset_called(std::string_view name) {
  for (const Dataset& dataset : datasets())
    if (dataset.name == name) return &dataset;
  return nullptr;
}

const DatasetFile* published_file(const std::string& path) {
  fs::path name = fs::path(path).filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  for (const Dataset& dataset : datasets())
    for (const DatasetFile& file : dataset.files)
      if (file.name == name.string()) return &file;
  return nullptr;
}

// A path as it is, unless there is no such file and it is the name of a published data set or of its file.
std::string found(const std::string& input, const std::string& data_dir) {
  if (input == "-" || fs::exists(input)) return input;
  if (const Dataset* dataset = dataset_called(input))
    return find_dataset_file(dataset->files.front().name, data_dir).string();
  if (published_file(input) && fs::path(input).filename() == input) return find_dataset_file(input, data_dir).string();
  if (fs::path(input).has_extension() || fs::path(input).has_parent_path()) return input;
  std::vector<std::string> names;
  for (const Dataset& dataset : datasets()) names.emplace_back(dataset.name);
  throw Error(fmt::format("there is neither a file nor a data set '{}'{}", input, did_you_mean(input, names)));
}

}  // namespace

void TableFlags::add_to(CLI::App& command) {
  command
      .add_option("--input,-i", inputs, "CSV files, plain, gzip or zstd; - for standard input; or adult, compas, crime")
      ->type_name("FILE");
  command.add_option("--delimiter", delimiter, "What separates cells: one character, or tab")
      ->type_name("CHAR")
      ->capture_default_str();
  command.add_flag("--no-header", no_header, "The first line holds cells, not names; columns are c1, c2 ...");
  command.add_flag("--no-quotes", no_quotes, "A quote is a character like any other");
  command
      .add_option("--missing-marker", missing_markers,
                  "Also missing, beside empty cells, ?, NA, N/A, #N/A, NaN, NULL, None")
      ->type_name("TEXT");
  command.add_option("--ragged", ragged, "What to do with records of too few or too many cells")
      ->type_name("error|drop|fill")
      ->capture_default_str();
  command.add_option("--encoding", encoding, "Of the text")->type_name("utf8|latin1")->capture_default_str();
  command.add_option("--data-dir", data_dir, "Where published data sets are looked for first")->type_name("DIR");
  command.add_option("--threads", threads, "How many; 0 is one a core, or OMP_NUM_THREADS. The result is the same")
      ->type_name("N")
      ->capture_default_str();
}

std::vector<std::string> TableFlags::names_of_known_file(CsvDialect& dialect) const {
  if (no_header) return {};
  const DatasetFile* file = published_file(inputs.front());
  if (!file) return {};
  for (const std::string& input : inputs) {
    const DatasetFile* other = published_file(input);
    if (!other || other->dataset != file->dataset || other->lines_before_data != file->lines_before_data)
      throw Error(fmt::format("'{}' and '{}' do not start alike; give them one at a time", inputs.front(), input));
  }
  dialect.header = file->lines_before_data > 0;
  const auto& columns = find_dataset(file->dataset).columns;
  return {columns.begin(), columns.end()};
}

CsvTable TableFlags::open() {
  if (inputs.empty()) throw Error("no input is named; use --input FILE, or --input - for standard input");
  for (std::string& input : inputs) input = found(input, data_dir);
  CsvDialect dialect;
  dialect.delimiter = delimiter_of("--delimiter", delimiter);
  dialect.header = !no_header;
  dialect.quotes = !no_quotes;
  dialect.ragged =
      choice_of<Ragged>("--ragged", ragged, {{"error", Ragged::error}, {"drop", Ragged::drop}, {"fill", Ragged::fill}});
  dialect.encoding =
      choice_of<TextEncoding>("--encoding", encoding, {{"utf8", TextEncoding::utf8}, {"latin1", TextEncoding::latin1}});
  dialect.missing.insert(dialect.missing.end(), missing_markers.begin(), missing_markers.end());
  std::vector<std::string> names = names_of_known_file(dialect);
  return CsvTable(inputs, std::move(dialect), std::move(names));
}

ReadOptions TableFlags::read_options(Console& console) const {
  return {static_cast<int>(integer_of("--threads", threads, 0, 1024)),
          [&console](std::uint64_t done, std::optional<std::uint64_t> total) { console.progress(done, total); }};
}

void RoleFlags::add_to(CLI::App& command) {
  const auto columns = [&](const char* flag, std::vector<std::string>& to, const char* text) {
    command.add_option(flag, to, text)->type_name("COLUMN");
  };
  columns("--sensitive,-s", roles.sensitive, "Columns to be orthogonal to: names, lists a,b and patterns race*");
  columns("--features", roles.features, "Columns to change; all others that have no part if none are named");
  columns("--drop", roles.drop, "Columns that are no features; they pass through");
  command.add_option("--target", roles.target, "The column to be predicted; it passes through")->type_name("COLUMN");
  command.add_option("--weights", roles.weights, "The column of the weights of rows")->type_name("COLUMN");
  columns("--categorical", roles.categorical, "Categories, although they look like numbers");
  command.add_option("--missing", missing, "Missing cells are refused, cost the row, or become the mean")
      ->type_name("error|drop|mean")
      ->capture_default_str();
}

Missing missing_of(const std::string& text) {
  return choice_of<Missing>("--missing", text,
                            {{"error", Missing::error}, {"drop", Missing::drop}, {"mean", Missing::mean}});
}

void say_dropped(std::int64_t rows, const Console& console) {
  if (rows > 0) console.warn(fmt::format("left out for missing cells: {}", counted(rows, "row")));
}

void warn_of_many_levels(const Encoding& encoding, const Console& console) {
  constexpr std::size_t kMany = 100;
  for (const auto* columns : {&encoding.features, &encoding.sensitive})
    for (const TableColumn& column : *columns)
      if (column.levels.size() > kMany)
        console.warn(
            fmt::format("column '{}' has {} different values and becomes as many columns; if it is a name, an id "
                        "or a date, leave it out with --drop '{}'",
                        column.name, column.levels.size(), column.name));
}

}  // namespace plumbline::app
