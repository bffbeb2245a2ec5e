#include "paper/figures.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

extern char** environ;

namespace plumbline {
namespace {

constexpr double kLeastGap = 1e-4;  // what a logarithmic axis can show of 0

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

std::vector<Point> points_of(const std::vector<const Record*>& records) {
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

std::string number(double value) {
  if (!std::isfinite(value)) return {};
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// As gnuplot reads it; on a logarithmic axis 0 is drawn at its end.
std::string drawn(std::optional<double> value, bool is_logarithmic) {
  if (!value || !std::isfinite(*value)) return "NaN";
  return number(is_logarithmic ? std::max(*value, kLeastGap) : *value);
}

bool is_by_rank(const std::vector<Point>& points) {
  return std::all_of(points.begin(), points.end(), [](const Point& point) { return point.rank.has_value(); });
}

std::string block(std::string_view name, const std::vector<std::string>& lines) {
  return fmt::format("${} << EOD\n{}\nEOD\n", name, fmt::join(lines, "\n"));
}

// A line of text a method, from the top, in a panel for each metric: print, ours as published, sound with its interval.
std::string script_by_method(const std::vector<Point>& points) {
  std::vector<std::pair<std::string, std::optional<Index>>> rows;
  for (const Point& point : points)
    if (std::find(rows.begin(), rows.end(), std::pair(point.method, point.rank)) == rows.end())
      rows.emplace_back(point.method, point.rank);
  std::string out, tics;
  const std::vector<std::pair<std::string, bool>> panels = {{"ACC", false}, {"CF", true}};
  for (const auto& [metric, is_logarithmic] : panels) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::optional<double> paper, published, sound, low, high;
      for (const Point& point : points) {
        const Record* record = point.at(metric);
        if (!record || std::pair(point.method, point.rank) != rows[i]) continue;
        (point.protocol == Protocol::published ? published : sound) = record->value;
        if (point.protocol == Protocol::published) paper = record->paper;
        if (point.protocol == Protocol::sound) std::tie(low, high) = std::tie(record->low, record->high);
      }
      lines.push_back(fmt::format("{} {} {} {} {} {}", i, drawn(paper, is_logarithmic),
                                  drawn(published, is_logarithmic), drawn(sound, is_logarithmic),
                                  drawn(low, is_logarithmic), drawn(high, is_logarithmic)));
    }
    out += block(metric, lines);
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    tics += fmt::format("{}'{}{}' {}", i == 0 ? "" : ", ", rows[i].first,
                        rows[i].second ? fmt::format(", k = {}", *rows[i].second) : "", i);
  out += fmt::format("set multiplot layout 1,2\nset yrange [{}:-1]\nset ytics ({})\n", rows.size(), tics);
  for (const auto& [metric, is_logarithmic] : panels)
    out += fmt::format(
        "set xlabel '{0}'\nset xtics rotate by -40\n{1}plot "
        "${0} using 4:1:5:6 with xerrorbars pt 7 ps 0.6 lc rgb '#1f5f8b' title 'sound', "
        "${0} using 3:1 with points pt 6 ps 1.1 lw 1.5 lc rgb '#b5452c' title 'as published', "
        "${0} using 2:1 with points pt 2 ps 0.7 lc rgb '#222222' title 'printed'\n",
        metric, is_logarithmic ? "set logscale x\nset format x '%g'\n" : "");
  return out + "unset multiplot\n";
}

std::string script_by_rank(const std::vector<Point>& points) {
  std::string data, plots;
  std::vector<std::string> methods;
  for (const Point& point : points)
    if (std::find(methods.begin(), methods.end(), point.method) == methods.end()) methods.push_back(point.method);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    std::vector<std::string> lines;
    for (const Point& point : points)
      if (const Record* cf = point.at("CF"); cf && point.method == methods[i])
        lines.push_back(fmt::format("{} {}", *point.rank, drawn(cf->value, true)));
    data += block(fmt::format("line{}", i), lines);
    plots += fmt::format("{}$line{} using 1:2 with linespoints lw 1.5 pt {} title '{}'", plots.empty() ? "" : ", ", i,
                         i + 4, methods[i]);
  }
  return data + "set xlabel 'k'\nset ylabel 'CF'\nset logscale y\nset format y '%g'\nset xtics 1\nplot " + plots + "\n";
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

std::string figure_csv(const std::vector<const Record*>& records) {
  const std::vector<Point> points = points_of(records);
  std::vector<std::string> metrics;
  for (const Record* record : records)
    if (std::find(metrics.begin(), metrics.end(), record->metric) == metrics.end()) metrics.push_back(record->metric);
  std::string out = "protocol,method,k";
  for (const std::string& metric : metrics) out += fmt::format(",{0},{0}_paper,{0}_low,{0}_high", metric);
  out += '\n';
  for (const Point& point : points) {
    out +=
        fmt::format("{},{},{}", name_of(point.protocol), point.method, point.rank ? std::to_string(*point.rank) : "");
    for (const std::string& metric : metrics) {
      const Record* record = point.at(metric);
      if (!record) {
        out += ",,,,";
        continue;
      }
      for (const std::optional<double>& value :
           {std::optional(record->value), record->paper, record->low, record->high})
        out += ',' + (value ? number(*value) : "");
    }
    out += '\n';
  }
  return out;
}

std::string figure_script(const Experiment& experiment, const std::vector<const Record*>& records) {
  const std::vector<Point> points = points_of(records);
  return fmt::format(
             "set terminal svg size 960,{} dynamic font 'sans-serif,11' name 'figure' noenhanced\n"
             "set encoding utf8\nset title '{}'\n"
             "set key outside bottom center horizontal samplen 1\nset grid lc rgb '#dddddd'\n",
             is_by_rank(points) ? 540 : 160 + 20 * static_cast<int>(points.size()), experiment.title) +
         (is_by_rank(points) ? script_by_rank(points) : script_by_method(points));
}

std::optional<std::string> draw_figure(const std::string& script, std::string& problem, const std::string& gnuplot) {
  const File input(std::tmpfile()), output(std::tmpfile()), words(std::tmpfile());
  if (!input || !output || !words || std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0) {
    problem = fmt::format("figures are not drawn: no temporary file for gnuplot ({})", std::strerror(errno));
    return std::nullopt;
  }
  std::rewind(input.get());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(output.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(words.get()), STDERR_FILENO);
  std::string program = gnuplot, flag = "-";
  char* arguments[] = {program.data(), flag.data(), nullptr};
  pid_t child = 0;
  const int reason = posix_spawnp(&child, gnuplot.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (reason != 0) {
    problem =
        fmt::format("figures are not drawn: '{}' cannot be run ({}); install gnuplot; their data are there, as CSV",
                    gnuplot, std::strerror(reason));
    return std::nullopt;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
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
