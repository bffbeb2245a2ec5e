#include "paper/results/results_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/kernels.h"
#include "paper/reproduction/notes.h"
#include "paper/results/claims.h"
#include "paper/results/figures.h"

namespace plumbline {
namespace {

constexpr const char* kDash = "–";

// A line of a table: what both protocols say of one method, rank and metric.
struct Line {
  std::string metric, method;
  std::optional<Index> rank;
  const Record *published = nullptr, *sound = nullptr;

  const Record& any() const { return published ? *published : *sound; }
};

// Metric by metric, methods in the order in which they were measured.
std::vector<Line> lines_of(const std::vector<const Record*>& records) {
  std::vector<std::string> metrics;
  std::vector<Line> lines;
  for (const Record* record : records) {
    if (std::find(metrics.begin(), metrics.end(), record->metric) == metrics.end()) metrics.push_back(record->metric);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& known) {
      return known.metric == record->metric && known.method == record->method && known.rank == record->rank;
    });
    if (line == lines.end()) line = lines.insert(lines.end(), {record->metric, record->method, record->rank});
    (record->protocol == Protocol::published ? line->published : line->sound) = record;
  }
  const auto place = [&](const Line& line) { return std::find(metrics.begin(), metrics.end(), line.metric); };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const Line& one, const Line& two) { return place(one) < place(two); });
  return lines;
}

std::string interval_text(const Record* record) {
  if (!record || !record->low || !record->high || !std::isfinite(*record->low)) return kDash;
  return fmt::format("{} … {}", cell_text(*record->low), cell_text(*record->high));
}

std::string difference_text(const Record* record) {
  if (!record || !record->paper || !std::isfinite(record->value)) return kDash;
  const double difference = record->value - *record->paper;
  return std::abs(difference) < 0.5e-4 ? "0" : fmt::format("{:+.4f}", difference);
}

std::string mark_text(const Line& line) {
  const Record& record = line.any();
  std::string out = line.published && record.mark ? name_of(*record.mark) : "";
  if (record.note) out += fmt::format("{}{}", out.empty() ? "" : " ", note_link(*record.note));
  return out;
}

std::string printed_text(const Record& record) {
  if (!record.paper) return kDash;
  return cell_text(*record.paper) + (record.paper_sd ? " ± " + cell_text(*record.paper_sd) : "");
}

std::string claims_table(const std::vector<Claim>& claims, bool is_of_text, std::string_view heading) {
  const auto answer = [](const std::optional<Answer>& holds, const HeldRuns& runs = {}) -> std::string {
    if (!holds) return kDash;
    const std::string of_runs = runs.asked > 1 ? fmt::format(", in {} of {} runs", runs.held, runs.asked) : "";
    return fmt::format("{}{}", *holds == Answer::yes ? "yes" : *holds == Answer::no ? "**no**" : "even", of_runs);
  };
  std::string out;
  for (const Claim& claim : claims)
    if (claim.is_of_text == is_of_text)
      out += fmt::format("| {} | {} | {} | {} |\n", claim.text, answer(claim.in_print),
                         answer(claim.as_published, claim.published_runs), answer(claim.sound, claim.sound_runs));
  return out.empty()
             ? out
             : fmt::format("\n{} | in print | as published | sound |\n| --- | --- | --- | --- |\n{}", heading, out);
}

std::string claims_text(std::string_view experiment, const std::vector<const Record*>& records) {
  const std::vector<Claim> claims = claims_of(experiment, records);
  const bool is_repeated = std::any_of(claims.begin(), claims.end(), [](const Claim& claim) {
    return claim.published_runs.asked > 1 || claim.sound_runs.asked > 1;
  });
  const std::string rule =
      is_repeated ? " Of several runs, yes and no are by more than two standard errors of the mean "
                    "difference over runs of the same seed, for each two cells that are compared; even: "
                    "it is not decided. Beside it: in how many runs all comparisons hold at once, of those "
                    "that can be asked (a gap that Adv never has cannot be held against its curve). "
                    "Means can be close where single runs are not."
                  : "";
  return claims_table(claims, true,
                      "What the paper says of this table, made precise: does it hold?" + rule + "\n\n| claim") +
         claims_table(claims, false, "Orders of the printed cells: do ours have them?\n\n| order");
}

// Experiments that were run alike, and are of as many runs in the paper.
struct Alike {
  int repeats, own_repeats;
  std::string names;
};

std::vector<Alike> alike(const Reproduction& reproduction) {
  std::vector<Alike> out;
  for (std::size_t i = 0; i < reproduction.experiments.size(); ++i) {
    const Experiment& experiment = *reproduction.experiments[i];
    const int repeats = reproduction.repeats[i];
    auto group = std::find_if(out.begin(), out.end(), [&](const Alike& known) {
      return known.repeats == repeats && known.own_repeats == experiment.repeats;
    });
    if (group == out.end()) group = out.insert(out.end(), {repeats, experiment.repeats, ""});
    group->names += fmt::format("{}`{}`", group->names.empty() ? "" : ", ", experiment.name);
  }
  return out;
}

std::string seeds_text(const Reproduction& reproduction, const Alike& group) {
  const std::uint32_t seed = reproduction.seed;
  if (group.repeats == 1 && reproduction.wanted_repeats.value_or(1) > 1)
    return fmt::format("one run, seed {}, for the parts are published ones", seed);
  if (group.repeats == 1 && group.own_repeats > 1) return fmt::format("one run, seed {}", seed);
  if (group.repeats == 1)
    return fmt::format("one run, seed {}, {}", seed, seed == 0 ? "which is the paper's" : "where the paper's is 0");
  return fmt::format("mean ± standard deviation over the seeds {} to {}{}", seed,
                     seed + static_cast<std::uint32_t>(group.repeats) - 1,
                     group.own_repeats == 1 ? ", where the paper's cells are of seed 0" : "");
}

std::string seeds_text(const Reproduction& reproduction) {
  const std::vector<Alike> groups = alike(reproduction);
  if (groups.size() == 1) return seeds_text(reproduction, groups.front());
  std::string out;
  for (const Alike& group : groups)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", group.names, seeds_text(reproduction, group));
  return out;
}

std::string command_text(const Reproduction& reproduction) {
  std::string names;
  for (const Experiment* experiment : reproduction.experiments)
    names += fmt::format("{}{}", names.empty() ? "" : " ", experiment->name);
  if (reproduction.experiments.size() == experiments().size()) names = "all";
  std::string out = fmt::format("plumbline reproduce {}", names);
  if (reproduction.seed != 0) out += fmt::format(" --seed {}", reproduction.seed);
  if (reproduction.wanted_repeats) out += fmt::format(" --repeats {}", *reproduction.wanted_repeats);
  return out;
}

constexpr std::string_view kReading =
    "Every number stands twice. **As published** follows the paper's own computation, errors included, so that we can "
    "be checked against the printed cell. **Sound** is fitted on the training part alone, sees groups as indicators, "
    "compares with the true labels and uses one rank for a table; features, encoding and split are the published ones, "
    "so that only the errors differ, where b is a group. Where b is a number, OB stands there at full rank and at the "
    "paper's, and networks are trained otherwise too, as the sections say: at another rate, on standardised inputs, "
    "until they stop early, Adv for fewer epochs. There the two columns differ by the training as well. Variants take "
    "the errors apart and are not sound: `[code]`, in the sound column, is fitted on the training part alone but sees "
    "the group as one number, and `[2000 epochs]`, there too, has its network trained as published; `[recentred]` and "
    "`[refitted]`, in the published one, are refitted on every batch.\n\n"
    "| mark | the printed cell and ours as published |\n| --- | --- |\n"
    "| = | agree to four decimals |\n"
    "| ~ | differ, by at most two standard deviations of ours or of print's, where one is stated; also where ours is a "
    "mean over random starts that agrees to four decimals |\n"
    "| ≠ | differ; the note says why |\n\n"
    "Seconds, train_s, are of another machine than the paper's and have no mark. A number after the mark, or alone, is "
    "that of a note below. ACC is the paper's soft accuracy, mean(p y + (1 − p)(1 − y)); AUC the rank AUC; CF the "
    "largest gap between mean predictions in two groups, for marginal counterfactuals, which send equal values to the "
    "upper end of their tie; AA the same for orthogonal ones; EO when the group alone is set. Intervals are "
    "percentiles of 500 resamples of the test rows. (8 of 10) says that as many runs have a value, for the training of "
    "the others diverged. `[onehot]`, `[code]`, `[recentred]`, `[refitted]` and `[mcmc]` are variants of ours, see "
    "their notes. A claim on a method that stands there with several ranks is asked of the highest, and no rank is "
    "full rank.\n\n"
    "Where b and y are numbers: MSE is the mean square error in units of the training variance of y; CF_abs the mean "
    "of |f(a of b', b') − f(a of b, b)| over test rows and 1,000 values b' each, 100 of `[refitted]`, uniform over the "
    "training range of b, features by a generator that is trained for it, CF_sq that of the squares; CF_additive the "
    "same for 100 values b', if b moves features along the lines of the training part and what is left stays; CF_exact "
    "for 100 values and the true counterfactuals of simulated rows; CF_exact@n for 20 values within three standard "
    "deviations of the mean of b, after a fit to n rows; train_s seconds of training. `[powers]`, `[spline]` and "
    "`[bins]` remove what is linear in these functions of b; `[blind]` sees no b when it predicts.\n";

}  // namespace

std::string comparison_table(const RecordList& records) {
  const bool intervals =
      std::any_of(records.begin(), records.end(), [](const Record* r) { return r->low.has_value(); });
  std::string out = "| metric | method | k | paper | as published | difference | mark | sound |";
  out += intervals ? " 95 % interval, sound |\n" : "\n";
  out += "| --- | --- | --- | --- | --- | --- | --- | --- |";
  out += intervals ? " --- |\n" : "\n";
  for (const Line& line : lines_of(records)) {
    const Record& any = line.any();
    out += fmt::format("| {} | `{}` | {} | {} | {} | {} | {} | {} |", line.metric, line.method,
                       line.rank ? std::to_string(*line.rank) : "", printed_text(any), value_text(line.published),
                       difference_text(line.published), mark_text(line), value_text(line.sound));
    out += intervals ? fmt::format(" {} |\n", interval_text(line.sound)) : "\n";
  }
  return out;
}

std::string cell_text(double value) {
  if (!std::isfinite(value)) return kDash;
  const double size = std::abs(value);
  if (size < 1e-12) return "0";
  return size < 0.5e-4 ? fmt::format("{:.1e}", value) : fmt::format("{:.4f}", value);
}

std::string value_text(const Record* record) {
  if (!record) return kDash;
  std::string out = cell_text(record->value);
  if (record->sd) out += fmt::format(" ± {}", cell_text(*record->sd));
  if (record->repeats < record->runs) out += fmt::format(" ({} of {})", record->repeats, record->runs);
  return out;
}

std::string note_link(int note) { return fmt::format("[{}](#note-{})", note, note); }

MarkCounts count_marks(const Reproduction& reproduction, Protocol protocol, std::string_view experiment) {
  MarkCounts out;
  for (const Record& record : reproduction.records) {
    if (record.protocol != protocol || !record.mark || (!experiment.empty() && record.experiment != experiment))
      continue;
    out.equal += *record.mark == Mark::equal;
    out.near += *record.mark == Mark::near;
    out.different += *record.mark == Mark::different;
  }
  return out;
}

std::string results_page(const Reproduction& reproduction, const std::vector<std::string>& figures) {
  std::string out = fmt::format(
      "# The paper, reproduced\n\nWritten by `{}`: {}.\n\nComputed with the kernels of {}. Networks sum in another "
      "order with another instruction set (`PLUMBLINE_ISA`), and training makes much of a rounding: single cells of "
      "theirs then move, within their spread.\n\n{}\n## Summary\n\nThe paper's cells and ours as published:\n\n"
      "| experiment | cells | = | ~ | ≠ |\n| --- | --- | --- | --- | --- |\n",
      command_text(reproduction), seeds_text(reproduction), kernels::active().name, kReading);
  for (const Experiment* experiment : reproduction.experiments) {
    const MarkCounts marks = count_marks(reproduction, Protocol::published, experiment->name);
    out += fmt::format("| {} | {} | {} | {} | {} |\n", experiment->name, marks.equal + marks.near + marks.different,
                       marks.equal, marks.near, marks.different);
  }
  for (const Experiment* experiment : reproduction.experiments) {
    const auto records = reproduction.of(experiment->name);
    out += fmt::format("\n## {}\n\n{}\n\n", experiment->title, experiment->text);
    for (const FigureKind& kind : figure_kinds(*experiment))
      if (const std::string file = figure_name(*experiment, kind) + ".svg";
          std::find(figures.begin(), figures.end(), file) != figures.end())
        out += fmt::format("![{}]({})\n\n", experiment->title, file);
    out += experiment->table ? experiment->table(records) : comparison_table(records);
    out += claims_text(experiment->name, records);
  }
  std::set<int> used;
  for (const Record& record : reproduction.records)
    if (record.note) used.insert(*record.note);
  out += "\n## Notes\n";
  for (const int note : used) out += fmt::format("\n<a id=\"note-{}\"></a>**{}.** {}\n", note, note, note_text(note));
  out += "\n## Found on the way\n";
  for (const std::string_view finding : findings()) out += fmt::format("\n{}\n", finding);
  if (!reproduction.warnings.empty()) out += "\n## Warnings\n\n";
  for (const std::string& warning : reproduction.warnings) out += fmt::format("- {}\n", warning);
  return out;
}

}  // namespace plumbline
