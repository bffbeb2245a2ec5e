#include "paper/results/figures.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "io/subprocess.h"

namespace plumbline {
namespace {

// What a logarithmic axis shows of 0.
constexpr double kLeastGap = 1e-4, kLeastError = 1e-6;
constexpr double kWide = 100;  // from here on, the largest error over the smallest, an axis is logarithmic

// What is drawn in one place: all metrics of a method at a rank under a protocol.
struct Point {
  Protocol protocol;
  std::string method;
  std::optional<Index> rank;
  std::map<std::string, const Record*> metrics;

  const Record* at(const std::string& metric) const {
    const auto found = metrics.find(metric);
    return found == metrics.end() ? nullptr : found->second;
  }
};

std::vector<Point> points_of(const RecordList& records) {
  std::vector<Point> points;
  for (const Record* record : records) {
    auto point = std::find_if(points.begin(), points.end(), [&](const Point& known) {
      return known.protocol == record->protocol && known.method == record->method && known.rank == record->rank;
    });
    if (point == points.end())
      point = points.insert(points.end(), {record->protocol, record->method, record->rank, {}});
    point->metrics[record->metric] = record;
  }
  return points;
}

// As gnuplot reads it; on a logarithmic axis what is below its end, `least`, is drawn there.
std::string drawn(std::optional<double> value, std::optional<double> least) {
  if (!value) return "NaN";
  return gnuplot_number(least ? std::max(*value, *least) : *value);
}

bool is_by_rank(const std::vector<Point>& points) {
  return std::all_of(points.begin(), points.end(), [](const Point& point) { return point.rank.has_value(); });
}

bool has_metric(const std::vector<Point>& points, const std::string& metric) {
  return std::any_of(points.begin(), points.end(), [&](const Point& point) { return point.at(metric) != nullptr; });
}

// Of people who are judged by classes, and of numbers.
std::string accuracy_of(const std::vector<Point>& points) { return has_metric(points, "ACC") ? "ACC" : "MSE"; }
std::string gap_of(const std::vector<Point>& points) { return has_metric(points, "CF") ? "CF" : "CF_abs"; }

std::pair<std::optional<double>, std::optional<double>> whisker_of(const Record& record) {
  if (record.low || !record.sd) return {record.low, record.high};
  return {record.value - *record.sd, record.value + *record.sd};
}

// Whether the errors, print's too, are too far apart to be told from each other on a plain axis.
bool is_wide(const std::vector<Point>& points, const std::string& metric) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Point& point : points)
    if (const Record* record = point.at(metric))
      for (const std::optional<double>& value : {std::optional(record->value), record->paper})
        if (value && *value > 0) low = std::min(low, *value), high = std::max(high, *value);
  return high > kWide * low;
}

// A line of text a method, from the top, in a panel for each metric: print, ours as published, sound with its interval.
std::string script_by_method(const std::vector<Point>& points) {
  std::vector<std::pair<std::string, std::optional<Index>>> rows;
  for (const Point& point : points)
    if (std::find(rows.begin(), rows.end(), std::pair(point.method, point.rank)) == rows.end())
      rows.emplace_back(point.method, point.rank);
  std::string out, tics;
  const std::string accuracy = accuracy_of(points);
  const bool is_error_wide = accuracy == "MSE" && is_wide(points, accuracy);
  // A metric, and where its axis ends if it is logarithmic.
  const std::vector<std::pair<std::string, std::optional<double>>> panels = {
      {accuracy, is_error_wide ? std::optional(kLeastError) : std::nullopt}, {gap_of(points), kLeastGap}};
  for (const auto& [metric, least] : panels) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::optional<double> paper, published, sound, low, high;
      for (const Point& point : points) {
        const Record* record = point.at(metric);
        if (!record || std::pair(point.method, point.rank) != rows[i]) continue;
        (point.protocol == Protocol::published ? published : sound) = record->value;
        if (point.protocol == Protocol::published) paper = record->paper;
        if (point.protocol == Protocol::sound) std::tie(low, high) = whisker_of(*record);
      }
      lines.push_back(fmt::format("{} {} {} {} {} {}", i, drawn(paper, least), drawn(published, least),
                                  drawn(sound, least), drawn(low, least), drawn(high, least)));
    }
    out += figure_block(metric, lines);
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    tics += fmt::format("{}'{}{}' {}", i == 0 ? "" : ", ", rows[i].first,
                        rows[i].second ? fmt::format(", k = {}", *rows[i].second) : "", i);
  out += fmt::format("set multiplot layout 1,2\nset yrange [{}:-1]\nset ytics ({})\n", rows.size(), tics);
  for (const auto& [metric, least] : panels)
    out += fmt::format(
        "set xlabel '{0}'\nset xtics rotate by -40\n{1}plot "
        "${0} using 4:1:5:6 with xerrorbars pt 7 ps 0.6 lc rgb '#1f5f8b' title 'sound', "
        "${0} using 3:1 with points pt 6 ps 1.1 lw 1.5 lc rgb '#b5452c' title 'as published', "
        "${0} using 2:1 with points pt 2 ps 0.7 lc rgb '#222222' title 'printed'\n",
        metric, least ? "set logscale x\nset format x '%g'\n" : "");
  return out + "unset multiplot\n";
}

// A line for each method under each protocol.
std::string script_by_rank(const std::vector<Point>& points) {
  std::string data, plots;
  std::vector<std::pair<Protocol, std::string>> lines;
  std::set<Index> ranks;
  const std::string gap = gap_of(points);
  for (const Point& point : points) {
    ranks.insert(*point.rank);
    if (std::find(lines.begin(), lines.end(), std::pair(point.protocol, point.method)) == lines.end())
      lines.emplace_back(point.protocol, point.method);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> drawn_points;
    for (const Point& point : points)
      if (const Record* cf = point.at(gap); cf && std::pair(point.protocol, point.method) == lines[i])
        drawn_points.push_back(fmt::format("{} {}", *point.rank, drawn(cf->value, kLeastGap)));
    data += figure_block(fmt::format("line{}", i), drawn_points);
    plots += fmt::format("{}$line{} using 1:2 with linespoints lw 1.5 pt {} title '{}, {}'", plots.empty() ? "" : ", ",
                         i, i + 4, lines[i].second, name_of(lines[i].first));
  }
  return fmt::format("{}set xlabel 'k'\nset ylabel '{}'\nset logscale y\nset format y '%g'\nset xtics ({})\nplot {}\n",
                     data, gap, fmt::join(ranks, ", "), plots);
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string read_all(std::FILE* file) {
  std::rewind(file);
  std::string out;
  char bytes[4096];
  while (const std::size_t count = std::fread(bytes, 1, sizeof bytes, file)) out.append(bytes, count);
  return out;
}

}  // namespace

std::span<const FigureKind> figure_kinds(const Experiment& experiment) {
  static constexpr FigureKind kStandard[] = {{.suffix = "", .csv = figure_csv, .script = figure_script}};
  return experiment.figures.empty() ? std::span<const FigureKind>(kStandard) : experiment.figures;
}

std::string figure_name(const Experiment& experiment, const FigureKind& kind) {
  return fmt::format("{}{}", experiment.name, kind.suffix);
}

std::string figure_number(double value) {
  if (!std::isfinite(value)) return {};
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string gnuplot_number(double value) { return std::isfinite(value) ? figure_number(value) : "NaN"; }

std::string figure_block(std::string_view name, const std::vector<std::string>& lines) {
  return fmt::format("${} << EOD\n{}\nEOD\n", name, fmt::join(lines, "\n"));
}

std::string figure_head(std::string_view title, int height) {
  return fmt::format(
      "set terminal svg size 960,{} dynamic font 'sans-serif,11' name 'figure' noenhanced\n"
      "set encoding utf8\nset title '{}'\n"
      "set key outside bottom center horizontal samplen 1\nset grid lc rgb '#dddddd'\n",
      height, title);
}

std::string figure_csv(const FigureData& figure) {
  const std::vector<Point> points = points_of(figure.records);
  std::vector<std::string> metrics;
  for (const Record* record : figure.records)
    if (std::find(metrics.begin(), metrics.end(), record->metric) == metrics.end()) metrics.push_back(record->metric);
  std::string out = "protocol,method,k";
  for (const std::string& metric : metrics) out += fmt::format(",{0},{0}_paper,{0}_low,{0}_high,{0}_sd", metric);
  out += '\n';
  for (const Point& point : points) {
    out +=
        fmt::format("{},{},{}", name_of(point.protocol), point.method, point.rank ? std::to_string(*point.rank) : "");
    for (const std::string& metric : metrics) {
      const Record* record = point.at(metric);
      if (!record) {
        out += ",,,,,";
        continue;
      }
      for (const std::optional<double>& value :
           {std::optional(record->value), record->paper, record->low, record->high, record->sd})
        out += ',' + (value ? figure_number(*value) : "");
    }
    out += '\n';
  }
  return out;
}

std::string figure_script(const FigureData& figure) {
  std::vector<Point> points = points_of(figure.records);
  // What has neither of the two that are drawn would be an empty line.
  std::erase_if(points, [accuracy = accuracy_of(points), gap = gap_of(points)](const Point& point) {
    return !point.at(accuracy) && !point.at(gap);
  });
  return is_by_rank(points) ? figure_head(figure.experiment.title, 540) + script_by_rank(points)
                            : figure_head(figure.experiment.title, 160 + 20 * static_cast<int>(points.size())) +
                                  script_by_method(points);
}

std::optional<std::string> draw_figure(const std::string& script, std::string& problem, const std::string& gnuplot) {
  const File input(std::tmpfile()), output(std::tmpfile()), words(std::tmpfile());
  if (!input || !output || !words || std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0) {
    problem = fmt::format("figures are not drawn: no temporary file for gnuplot ({})", std::strerror(errno));
    return std::nullopt;
  }
  std::rewind(input.get());
  Subprocess drawing(gnuplot, {gnuplot, "-"},
                     {.input = fileno(input.get()), .output = fileno(output.get()), .error = fileno(words.get())});
  if (drawing.problem() != 0) {
    problem =
        fmt::format("figures are not drawn: '{}' cannot be run ({}); install gnuplot; their data are there, as CSV",
                    gnuplot, std::strerror(drawing.problem()));
    return std::nullopt;
  }
  const int status = drawing.wait();
  std::string svg = read_all(output.get());
  svg.erase(svg.find_last_not_of(" \r\n") + 1);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !svg.ends_with("</svg>")) {
    std::string said = read_all(words.get());
    std::replace(said.begin(), said.end(), '\n', ' ');
    problem = fmt::format("figures are not drawn: {} failed; their data are there, as CSV: {}", gnuplot, said);
    return std::nullopt;
  }
  return svg + '\n';
}

}  // namespace plumbline
