#include "paper/theory/theory_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "paper/results/figures.h"
#include "paper/results/results_page.h"

namespace plumbline {
namespace {

void add_new(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

// What stands in a line of a table or of a file, by the columns' names.
class Line {
 public:
  explicit Line(std::string key) : key_(std::move(key)) {}

  const std::string& key() const { return key_; }
  void put(std::string column, const Record* record) { cells_.emplace_back(std::move(column), record); }
  const Record* at(std::string_view column) const {
    const auto cell =
        std::find_if(cells_.begin(), cells_.end(), [&](const auto& known) { return known.first == column; });
    return cell == cells_.end() ? nullptr : cell->second;
  }
  const std::vector<std::pair<std::string, const Record*>>& cells() const { return cells_; }

 private:
  std::string key_;
  std::vector<std::pair<std::string, const Record*>> cells_;
};

struct Grid {
  std::vector<std::string> columns;
  std::vector<Line> lines;

  void put(const std::string& key, const std::string& column, const Record* record) {
    add_new(columns, column);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& known) { return known.key() == key; });
    if (line == lines.end()) line = lines.insert(lines.end(), Line(key));
    line->put(column, record);
  }
};

// A line for each method of each model.
Grid gaps_of(const RecordList& records) {
  Grid out;
  for (const Record* record : records)
    if (record->metric != kDistanceMetric) out.put(record->method, record->metric, record);
  return out;
}

// A line for each k.
Grid distances_of(const RecordList& records) {
  Grid out;
  for (const Record* record : records)
    if (record->metric == kDistanceMetric) out.put(std::to_string(record->rank.value_or(0)), record->method, record);
  return out;
}

// OB[powers][student-t] is the method OB[powers] in the model student-t.
std::string method_of(std::string_view name) { return std::string(name.substr(0, name.rfind('['))); }

std::string model_of(std::string_view name) {
  const std::size_t open = name.rfind('[');
  return std::string(name.substr(open + 1, name.size() - open - 2));
}

// Of CF_exact@1000; none of other metrics.
std::optional<std::string> rows_of(std::string_view metric) {
  const std::size_t at = metric.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  return std::string(metric.substr(at + 1));
}

std::string notes_of(const Line& line) {
  std::set<int> notes;
  for (const auto& [column, record] : line.cells())
    if (record->note) notes.insert(*record->note);
  std::vector<std::string> links;
  for (const int note : notes) links.push_back(note_link(note));
  return fmt::format("{}", fmt::join(links, " "));
}

std::string rule(std::size_t columns) {
  std::string out = "|";
  for (std::size_t i = 0; i < columns; ++i) out += " --- |";
  return out + '\n';
}

std::string gap_table(const Grid& grid) {
  std::string out = "| model | method |";
  for (const std::string& metric : grid.columns) {
    const auto rows = rows_of(metric);
    out += rows ? fmt::format(" {}, n = {} |", kGapMetric, *rows) : fmt::format(" {} |", metric);
  }
  out += " note |\n" + rule(grid.columns.size() + 3);
  for (const Line& line : grid.lines) {
    out += fmt::format("| {} | `{}` |", model_of(line.key()), method_of(line.key()));
    for (const std::string& metric : grid.columns) out += fmt::format(" {} |", value_text(line.at(metric)));
    out += fmt::format(" {} |\n", notes_of(line));
  }
  return out;
}

std::string distance_table(const Grid& grid) {
  std::string out = fmt::format("| {}, k |", kDistanceMetric);
  for (const std::string& method : grid.columns) {
    const Record* any = grid.lines.front().at(method);
    out += fmt::format(" `{}` {}|", method, any && any->note ? note_link(*any->note) + " " : "");
  }
  out += '\n' + rule(grid.columns.size() + 1);
  for (const Line& line : grid.lines) {
    out += fmt::format("| {} |", line.key());
    for (const std::string& method : grid.columns) out += fmt::format(" {} |", value_text(line.at(method)));
    out += '\n';
  }
  return out;
}

std::string csv_cells(const Grid& grid, const Line& line) {
  std::string out;
  for (const std::string& column : grid.columns) {
    const Record* record = line.at(column);
    out += fmt::format(",{},{}", record ? figure_number(record->value) : "",
                       record && record->sd ? figure_number(*record->sd) : "");
  }
  return out + '\n';
}

std::string csv_names(const Grid& grid) {
  std::string out;
  for (const std::string& column : grid.columns) out += fmt::format(",{0},{0}_sd", column);
  return out + '\n';
}

constexpr const char* kColours[] = {"#b5452c", "#1f5f8b", "#3f8f4f", "#888888", "#222222"};

}  // namespace

std::string theory_method(std::string_view method, std::string_view model) {
  return fmt::format("{}[{}]", method, model);
}

std::string theory_metric(Index rows) { return fmt::format("{}@{}", kGapMetric, rows); }

std::string theory_table(const RecordList& records) {
  const Grid gaps = gaps_of(records), distances = distances_of(records);
  return (gaps.lines.empty() ? "" : gap_table(gaps) + '\n') +
         (distances.lines.empty() ? "" : distance_table(distances));
}

std::string theory_gap_csv(const FigureData& figure) {
  const Grid grid = gaps_of(figure.records);
  std::string out = "model,method" + csv_names(grid);
  for (const Line& line : grid.lines)
    out += fmt::format("{},{}", model_of(line.key()), method_of(line.key())) + csv_cells(grid, line);
  return out;
}

std::string theory_distance_csv(const FigureData& figure) {
  const Grid grid = distances_of(figure.records);
  std::string out = "k" + csv_names(grid);
  for (const Line& line : grid.lines) out += line.key() + csv_cells(grid, line);
  return out;
}

// Panels in two rows.
std::string theory_gap_script(const FigureData& figure) {
  const Grid grid = gaps_of(figure.records);
  std::vector<std::string> models;
  for (const Line& line : grid.lines) add_new(models, model_of(line.key()));
  std::vector<std::string> sizes;
  for (const std::string& metric : grid.columns)
    if (const auto rows = rows_of(metric)) sizes.push_back(*rows);
  std::string data, panels;
  std::size_t block = 0;
  for (const std::string& model : models) {
    std::string plots;
    std::size_t style = 0;
    for (const Line& line : grid.lines) {
      if (model_of(line.key()) != model) continue;
      std::vector<std::string> points;
      for (const std::string& metric : grid.columns)
        if (const auto rows = rows_of(metric); rows && line.at(metric))
          points.push_back(fmt::format("{} {}", *rows, gnuplot_number(line.at(metric)->value)));
      data += figure_block(fmt::format("line{}", block), points);
      plots += fmt::format("$line{} using 1:2 with linespoints lw 1.5 pt {} ps 0.7 lc rgb '{}' title '{}', ", block,
                           style + 5, kColours[style % std::size(kColours)], method_of(line.key()));
      ++block;
      ++style;
    }
    panels +=
        fmt::format("set title '{}'\nplot {}root(x) with lines dt 2 lc rgb '#888888' title '1/√n'\n", model, plots);
  }
  return figure_head(figure.experiment.title, 720) + data +
         fmt::format(
             "root(x) = 2 / sqrt(x)\nset logscale xy\nset format x '%g'\nset format y '%g'\nset xlabel 'n'\n"
             "set ylabel '{}'\nset xtics rotate by -40 ({})\nset yrange [0.005:10]\n"
             "set multiplot layout 2,{}\n{}unset multiplot\n",
             kGapMetric, fmt::join(sizes, ", "), (models.size() + 1) / 2, panels);
}

std::string theory_distance_script(const FigureData& figure) {
  const Grid grid = distances_of(figure.records);
  std::string data, plots;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    std::vector<std::string> points;
    for (const Line& line : grid.lines)
      if (const Record* record = line.at(grid.columns[i]))
        points.push_back(fmt::format("{} {}", line.key(), gnuplot_number(record->value)));
    data += figure_block(fmt::format("line{}", i), points);
    // The first is larger: the lemma's points lie on it.
    plots += fmt::format("{}$line{} using 1:2 with linespoints lw 1.5 pt {} ps {} lc rgb '{}' title '{}'",
                         i == 0 ? "" : ", ", i, i + 4, i == 0 ? 1.4 : 0.7, kColours[i % std::size(kColours)],
                         grid.columns[i]);
  }
  return figure_head(fmt::format("{}: the lemma", figure.experiment.title), 540) + data +
         "set xlabel 'k'\nset ylabel '‖A − Ã‖² / ‖A‖²'\nset logscale y\nset format y '%g'\nset xtics 1\nplot " + plots +
         '\n';
}

}  // namespace plumbline
