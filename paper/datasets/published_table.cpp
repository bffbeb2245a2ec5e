#include "paper/datasets/published_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/names.h"
#include "csv/csv_table.h"
#include "paper/datasets/datasets.h"
#include "plumbline/error.h"

namespace plumbline {

using Eigen::Index;

namespace {

CsvTable open(const DatasetFile& file, const std::filesystem::path& path, const std::vector<std::string>& missing) {
  CsvDialect dialect;
  dialect.header = file.lines_before_data > 0;
  dialect.missing = missing;
  const auto& columns = find_dataset(file.dataset).columns;
  return CsvTable({path.string()}, std::move(dialect), {columns.begin(), columns.end()});
}

// Why a file was refused, if it was.
std::string difference(const DatasetFile& file, const std::filesystem::path& path) {
  try {
    check_dataset_file(file, path);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

PublishedTable::PublishedTable(std::string_view file_name, const std::vector<std::string>& numbers,
                               const std::vector<std::string>& texts, const DataSource& source,
                               const std::vector<std::string>& missing) {
  const DatasetFile& file = dataset_file(file_name);
  const std::filesystem::path path = find_dataset_file(file_name, source.data_dir);
  warning_ = difference(file, path);
  if (!warning_.empty() && !source.allow_modified)
    throw Error(fmt::format("{}, or allow it with --allow-modified-data", warning_));

  CsvTable table = open(file, path, missing);
  std::vector<CellPlan> plan(table.names().size());
  std::vector<std::size_t> number_place, text_place;  // of the columns in a parsed row
  const auto choose = [&](const std::vector<std::string>& names, CellKind kind) {
    for (const std::string& name : names) plan[choose_columns({name}, table.names(), "column").front()].kind = kind;
  };
  choose(numbers, CellKind::number);
  choose(texts, CellKind::category);
  const auto places = [&](const std::vector<std::string>& names, CellKind kind) {
    std::vector<std::size_t> out;
    for (const std::string& name : names) {
      const Index column = choose_columns({name}, table.names(), "column").front();
      out.push_back(
          std::count_if(plan.begin(), plan.begin() + column, [&](const CellPlan& p) { return p.kind == kind; }));
    }
    return out;
  };
  number_place = places(numbers, CellKind::number);
  text_place = places(texts, CellKind::category);

  std::vector<double> cells;  // row-major
  texts_.resize(texts.size());
  table.scan(
      plan, 1, [](TableChunk&, int) {},
      [&](TableChunk& chunk, int) {
        const ParsedChunk& parsed = chunk.cells;
        for (Index row = 0; row < parsed.rows; ++row) {
          for (std::size_t j = 0; j < numbers.size(); ++j)
            cells.push_back(parsed.numbers[row * numbers.size() + number_place[j]]);
          for (std::size_t j = 0; j < texts.size(); ++j)
            texts_[j].push_back(
                parsed
                    .levels[text_place[j]][static_cast<std::size_t>(parsed.codes[row * texts.size() + text_place[j]])]);
        }
      });
  const auto width = static_cast<Index>(numbers.size());
  const auto count = width > 0 ? static_cast<Index>(cells.size()) / width : static_cast<Index>(texts_.front().size());
  numbers_ = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(cells.data(), count, width);
  if (missing.empty() && !numbers_.allFinite())
    throw Error(fmt::format("'{}' has a cell that is not a finite number in one of the columns {}", path.string(),
                            fmt::join(numbers, ", ")));
}

std::vector<std::string> levels_of(const TextColumn& cells) {
  std::vector<std::string> levels = cells;
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

Eigen::VectorXi codes_of(const TextColumn& cells, const std::vector<std::string>& levels, std::string_view column) {
  Eigen::VectorXi codes(static_cast<Index>(cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto level = std::lower_bound(levels.begin(), levels.end(), cells[i]);
    if (level == levels.end() || *level != cells[i])
      throw Error(fmt::format("column '{}' has '{}', which is not one of its levels {}", column, cells[i],
                              fmt::join(levels, ", ")));
    codes[static_cast<Index>(i)] = static_cast<int>(level - levels.begin());
  }
  return codes;
}

}  // namespace plumbline
