#include "paper/regression/regression_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "paper/results/results_page.h"

namespace plumbline {
namespace {

constexpr std::string_view kError = "MSE";
constexpr std::string_view kGaps[] = {"CF_abs", "CF_additive", "CF_exact"};

const char* name_of_place(const std::optional<Place>& place) {
  if (!place) return "–";
  if (*place == Place::even) return "even";
  return *place == Place::lower ? "lower" : "higher";
}

// The same method's record of another metric.
const Record* beside(const RecordList& records, const Record& of, std::string_view metric) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record* record) {
    return record->protocol == of.protocol && record->method == of.method && record->rank == of.rank &&
           record->metric == metric;
  });
  return found == records.end() ? nullptr : *found;
}

RecordList errors_of(const RecordList& records, std::string_view prefix) {
  RecordList out;
  for (const Record* record : records)
    if (record->protocol == Protocol::sound && record->metric == kError && record->method.starts_with(prefix))
      out.push_back(record);
  return out;
}

std::string line_of(const RecordList& records, const Record& ours, const Record& theirs) {
  const std::optional<Place> error = place_of(ours, theirs);
  std::string places;
  std::vector<std::string_view> beaten;
  for (const std::string_view gap : kGaps) {
    const Record *mine = beside(records, ours, gap), *other = beside(records, theirs, gap);
    if (!mine || !other) continue;
    const std::optional<Place> place = place_of(*mine, *other);
    places += fmt::format(" {} |", name_of_place(place));
    if (error == Place::lower && place == Place::lower) beaten.push_back(gap);
  }
  return fmt::format("| `{}` | {} | `{}` | {} |{} {} |\n", ours.method, ours.rank ? std::to_string(*ours.rank) : "",
                     theirs.method, name_of_place(error), places,
                     !error           ? "–"
                     : beaten.empty() ? "no"
                                      : fmt::format("by {}", fmt::join(beaten, ", ")));
}

std::string against_adversarial(const RecordList& records) {
  RecordList ours = errors_of(records, "OB");
  const RecordList sparse = errors_of(records, "SOB"), adversarial = errors_of(records, "Adv(");
  ours.insert(ours.end(), sparse.begin(), sparse.end());
  std::string lines;
  for (const Record* theirs : adversarial)
    for (const Record* mine : ours) lines += line_of(records, *mine, *theirs);
  if (lines.empty() || adversarial.front()->by_run.size() < 2) return {};  // one run decides nothing
  std::string head = "| method | k | against | MSE |", rule = "| --- | --- | --- | --- |";
  for (const std::string_view gap : kGaps)
    if (beside(records, *adversarial.front(), gap)) {
      head += fmt::format(" {} |", gap);
      rule += " --- |";
    }
  return fmt::format(
      "\nWhich of ours beats Adv on both axes, MSE and gap, in the sound runs? Lower and higher: by more than two "
      "standard errors of the mean difference over runs of the same seed; even: by less.\n\n{} beats it on both |\n{} "
      "--- |\n{}",
      head, rule, lines);
}

}  // namespace

std::optional<Place> place_of(const Record& ours, const Record& theirs) {
  return place_of(differences({ours.value, ours.by_run}, {theirs.value, theirs.by_run}));
}

std::string regression_table(const RecordList& records) {
  return comparison_table(records) + against_adversarial(records);
}

}  // namespace plumbline
