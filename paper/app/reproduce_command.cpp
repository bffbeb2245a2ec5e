// plumbline reproduce: the paper's tables and figures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "base/json.h"
#include "base/printable.h"
#include "command_line/arguments.h"
#include "commands.h"
#include "paper/results/results_folder.h"
#include "paper/results/results_page.h"
#include "plumbline/error.h"

namespace plumbline::app {
namespace {

std::string known_names() {
  std::string out = "all";
  for (const Experiment* experiment : experiments()) out += fmt::format("|{}", experiment->name);
  return out;
}

std::string own_repeats() {
  std::string out;
  for (const Experiment* experiment : experiments())
    if (experiment->repeats > 1) out += fmt::format("{} for {}, ", experiment->repeats, experiment->name);
  return out + "1 for the others";
}

Json json_of(const MarkCounts& marks) {
  return {{name_of(Mark::equal), marks.equal},
          {name_of(Mark::near), marks.near},
          {name_of(Mark::different), marks.different}};
}

std::string sentence_of(const RefusedRuns& refused, const std::string& folder) {
  std::vector<std::string> reasons;
  const auto add = [&](int count, const char* why) {
    if (count > 0) reasons.push_back(fmt::format("{} {}", count, why));
  };
  add(refused.damaged, "damaged or of another run");
  add(refused.other_setting, "of another instruction set or other data");
  add(refused.other_build, "of another build of the program, which --any-build would take");
  return fmt::format("{} finished {} in '{}' cannot be used and {} computed again: {}", refused.count(),
                     refused.count() == 1 ? "run" : "runs", folder, refused.count() == 1 ? "is" : "are",
                     fmt::join(reasons, ", "));
}

class ReproduceCommand final : public Command {
 public:
  ReproduceCommand(Flags& program, Console& console)
      : Command(program, "reproduce", "The paper's tables and figures, as published and sound", console) {
    Flags& command = flags();
    command.value("NAME", names_, known_names(), "Which tables; all by default");
    // Required, but a name that is not known is said first.
    command.value("--output,-o", output_, "DIR",
                  "The folder for results.json, results.md, figures and their data; required");
    command.value("--data-dir", data_dir_, "DIR", "Where files of the data sets are looked for first");
    command.value("--seed", seed_, "N", "Of the split; the paper's is 0");
    command.value("--repeats", repeats_, "N",
                  "How many seeds, from --seed on; above 1: mean and standard deviation. By default " + own_repeats());
    command.value("--threads", threads_, "N", "How many; 0 is one a core, or OMP_NUM_THREADS. The result is the same");
    command.flag("--allow-modified-data", allow_modified_, "Take files that are not the published ones");
    command.flag("--any-build", any_build_, "Go on from finished runs of other builds of the program too");
    command.flag("--force", force_, "Replace files that exist");
    command.flag("--json", json_, "The records and what was written as JSON on standard output");
    command.footer(
        "Examples:\n"
        "  plumbline reproduce compas --output results\n"
        "  plumbline reproduce compas loan --repeats 20 --output spread");
  }

  int run() override {
    const std::vector<const Experiment*> chosen = choose();
    ReproductionOptions options{.source = {.data_dir = data_dir_, .allow_modified = allow_modified_}};
    options.seed =
        static_cast<std::uint32_t>(integer_of("--seed", seed_, 0, std::numeric_limits<std::uint32_t>::max()));
    if (flags().is_given("--repeats"))
      options.repeats = static_cast<int>(integer_of("--repeats", repeats_, 1, 100'000));
    options.threads = static_cast<int>(integer_of("--threads", threads_, 0, 1024));
    options.progress = [this](std::uint64_t done, std::uint64_t total) { console().progress(done, total); };
    options.check(chosen);
    if (!flags().is_given("--output"))
      throw Error("--output is required: the folder for results.json, results.md and figures");
    if (output_.empty() || output_ == "-")
      throw Error(fmt::format("--output is '{}'; it must be a folder, for the results are several files", output_));
    ResultsFolder folder(output_, chosen, force_);
    options.kept = folder.runs();
    options.any_build = any_build_;
    options.on_kept = [this, &options, is_first = true](int there, int total) mutable {
      if (is_first && there > 0) console().say(fmt::format("{} of {} runs were already there", there, total));
      is_first = false;
      if (there > 0)
        console().prepare_signal_message(
            fmt::format("stopped; {} of {} runs are kept in '{}', and the same command goes on from there", there,
                        total, options.kept.string()));
    };
    options.on_refused = [this, &options](const RefusedRuns& refused) {
      console().warn(sentence_of(refused, options.kept.string()));
    };
    console().prepare_signal_message("stopped; no run is kept, and the same command starts anew");
    console().start("reproducing", Unit::parts);
    const Reproduction done = reproduce(chosen, options);
    console().end_progress();
    const ResultsFolder::Written written = folder.write(done);
    console().prepare_signal_message("");
    report(done, written);
    return kDone;
  }

 private:
  std::vector<const Experiment*> choose() const {
    std::vector<const Experiment*> chosen;
    bool all = names_.empty();
    for (const std::string& name : names_) {
      if (name == "all") {
        all = true;
        continue;
      }
      const Experiment* experiment = &find_experiment(name);
      if (std::find(chosen.begin(), chosen.end(), experiment) == chosen.end()) chosen.push_back(experiment);
    }
    if (all) chosen.assign(experiments().begin(), experiments().end());
    return chosen;
  }

  void report(const Reproduction& done, const ResultsFolder::Written& written) {
    for (const std::string& warning : done.warnings) console().warn(warning);
    if (!written.problem.empty()) console().warn(written.problem);
    Json marks = Json::object();
    for (const Experiment* experiment : done.experiments) {
      const MarkCounts count = count_marks(done, Protocol::published, experiment->name);
      marks[std::string(experiment->name)] = json_of(count);
      console().say(fmt::format("{:<20}{:3} cells of the paper: {} =, {} ~, {} ≠", experiment->name,
                                count.equal + count.near + count.different, count.equal, count.near, count.different));
    }
    if (json_)
      fmt::print("{}\n", dump_json({{"marks", marks},
                                    {"files", written.files},
                                    {"warnings", done.warnings},
                                    {"records", records_json(done.records)}},
                                   1));
    else
      for (const std::string& file : written.files) fmt::print("{}\n", printable_line(file));
  }

  std::vector<std::string> names_;
  std::string output_, data_dir_, seed_ = "0", repeats_, threads_ = "0";
  bool any_build_ = false, allow_modified_ = false, force_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_reproduce(Flags& program, Console& console) {
  return std::make_unique<ReproduceCommand>(program, console);
}

}  // namespace plumbline::app
