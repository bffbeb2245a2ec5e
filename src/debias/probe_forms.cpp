#include "debias/probe_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/names.h"
#include "base/printable.h"

namespace plumbline {
namespace {

constexpr std::pair<ReadAs, const char*> kReadAs[] = {
    {ReadAs::number, "number"}, {ReadAs::level, "level"}, {ReadAs::distance, "distance"}};
constexpr std::size_t kShownColumns = 12;

const char* name_of(ReadAs as) {
  for (const auto& [value, name] : kReadAs)
    if (value == as) return name;
  return "";
}

ReadAs read_as(const std::string& text) {
  for (const auto& [value, name] : kReadAs)
    if (text == name) return value;
  bad_member("read_as", "is not number, level or distance");
}

std::string called(const ProbedColumn& column) {
  const std::string name = printable(column.name);
  return column.read_as == ReadAs::distance ? fmt::format("how far '{}' is from its median", name)
                                            : fmt::format("'{}'", name);
}

// Of a level, of 100 pairs of a row with it and one without it, in how many the right one is picked.
double percent(const Reading& reading, ReadAs as) {
  return as == ReadAs::level ? 100 * std::max(reading.value, 0.5) : 100 * std::max(reading.value, 0.0);
}

std::string share(double percent) { return percent > 0 && percent < 0.5 ? "under 1" : fmt::format("{:.0f}", percent); }

std::string read_back(const Probe& probe, const Probe::Exposed& exposed) {
  const ProbedColumn& column = probe.columns[static_cast<std::size_t>(exposed.column)];
  const auto attacker = static_cast<std::size_t>(exposed.attacker);
  // Before, by whichever attacker of that kind did best.
  double before = percent(column.before[attacker], column.read_as);
  for (std::size_t k = attacker == 0 ? column.before.size() : 1; k < column.before.size(); ++k)
    before = std::max(before, percent(column.before[k], column.read_as));
  const double after = percent(column.after[attacker], column.read_as);
  if (column.read_as == ReadAs::level)
    return fmt::format("tells {} from the rest in {:.0f} of 100 pairs of rows (before: {:.0f}; guessing: 50)",
                       called(column), after, before);
  return fmt::format("reads back {}% of {} (before: {}%)", share(after), called(column), share(before));
}

Json reading_json(const Reading& reading) {
  return {{"value", reading.value}, {"low", reading.low}, {"high", reading.high}};
}

std::vector<Reading> readings_at(const Json& in, const char* what, std::size_t attackers) {
  std::vector<Reading> out;
  for (const Json& one : list_at(in, what)) {
    out.push_back({number_at(one, "value"), number_at(one, "low"), number_at(one, "high")});
    const Reading& reading = out.back();
    if (!(reading.low <= reading.value && reading.value <= reading.high && reading.high <= 1))
      bad_member(what, "holds what is no reading with its interval");
  }
  if (out.size() != attackers) bad_member(what, "has not a reading for each attacker");
  return out;
}

}  // namespace

std::string in_words(const Probe& probe) {
  if (probe.columns.empty())
    return "what a model can still read back could not be measured" +
           (probe.not_estimable.empty() ? std::string() : ": " + printable_line(probe.not_estimable.front()));
  const Probe::Exposed by_line = probe.most_exposed(true), by_any = probe.most_exposed(false);
  if (by_any.column < 0) return "on new rows neither a linear nor a flexible model can read a sensitive column back";
  std::string out = by_line.column < 0 ? "on new rows a linear model can read no sensitive column back"
                                       : "on new rows a linear model " + read_back(probe, by_line);
  if (by_any.attacker == 0) return out + "; a flexible model no more";
  return out + "; a flexible model " + read_back(probe, by_any);
}

std::string to_text(const Probe& probe) {
  std::string out =
      "\n  What can be read back from the features, by models that learn on some new rows and are judged on others\n";
  if (!probe.columns.empty()) {
    out += fmt::format("  ({}, {} to learn from; AUC, where .5 is guessing, or R², where 0 is; 95 % intervals)\n",
                       counted(probe.rows, "row"), probe.learned_rows);
    out += fmt::format("  {:<34}{:<6}", "", "");
    for (const std::string& attacker : probe.attackers)
      out += fmt::format("{:>8} {:<22}", "before", attacker + " after");
    out += '\n';
    std::vector<std::size_t> order(probe.columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto most = [&](std::size_t c) {
      double exposure = 0;
      for (const Reading& reading : probe.columns[c].after)
        exposure = std::max(exposure, Probe::exposure(reading, probe.columns[c].read_as));
      return exposure;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return most(i) > most(j); });
    const std::size_t shown = std::min(order.size(), kShownColumns);
    for (std::size_t i = 0; i < shown; ++i) {
      const ProbedColumn& column = probe.columns[order[i]];
      out += fmt::format("  {:<34}{:<6}",
                         printable(column.name) + (column.read_as == ReadAs::distance ? ", distance from median" : ""),
                         column.read_as == ReadAs::level ? "AUC" : "R²");
      for (std::size_t k = 0; k < probe.attackers.size(); ++k)
        out += fmt::format(
            "{:>8.3f} {:<22}", column.before[k].value,
            fmt::format("{:.3f} ({:.3f} to {:.3f})", column.after[k].value, column.after[k].low, column.after[k].high));
      out += '\n';
    }
    if (order.size() > shown)
      out += fmt::format("  and {}\n", counted(static_cast<std::int64_t>(order.size() - shown), "column"));
  }
  for (const std::string& sentence : probe.not_estimable) out += fmt::format("  note: {}\n", printable_line(sentence));
  return out;
}

Json json_of(const Probe& probe) {
  Json columns = Json::array();
  for (const ProbedColumn& column : probe.columns) {
    Json one = {{"name", column.name}, {"read_as", name_of(column.read_as)}};
    for (const auto& [what, side] : {std::pair("before", &column.before), {"after", &column.after}}) {
      Json readings = Json::array();
      for (const Reading& reading : *side) readings.push_back(reading_json(reading));
      one[what] = std::move(readings);
    }
    columns.push_back(std::move(one));
  }
  return {{"rows", probe.rows},
          {"learned_rows", probe.learned_rows},
          {"features", probe.features},
          {"folds", kProbeFolds},
          {"attackers", probe.attackers},
          {"columns", std::move(columns)},
          {"not_estimable", probe.not_estimable}};
}

Probe probe_from(const Json& in) {
  Probe out;
  out.rows = value_at<std::int64_t>(in, "rows");
  out.learned_rows = value_at<std::int64_t>(in, "learned_rows");
  out.features = value_at<Index>(in, "features");
  out.attackers = strings_at(in, "attackers");
  if (out.rows < 0 || out.learned_rows < 0 || out.features < 0) bad_member("rows", "or 'features' is negative");
  if (out.attackers.empty()) bad_member("attackers", "names none");
  for (const Json& one : list_at(in, "columns"))
    out.columns.push_back({value_at<std::string>(one, "name"), read_as(value_at<std::string>(one, "read_as")),
                           readings_at(one, "before", out.attackers.size()),
                           readings_at(one, "after", out.attackers.size())});
  out.not_estimable = strings_at(in, "not_estimable");
  return out;
}

}  // namespace plumbline
