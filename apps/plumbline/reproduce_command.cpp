// plumbline reproduce: the paper's tables and figures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "arguments.h"
#include "commands.h"
#include "data/json.h"
#include "paper/results_folder.h"
#include "paper/results_page.h"
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
  ReproduceCommand(CLI::App& app, Console& console)
      : Command(app, "reproduce", "The paper's tables and figures, as published and sound", console) {
    CLI::App& command = flags();
    command.add_option("NAME", names_, "Which tables; all by default")->type_name(known_names());
    // Required, but a name that is not known is said first.
    command
        .add_option("--output,-o", output_, "The folder for results.json, results.md, figures and their data; required")
        ->type_name("DIR");
    command.add_option("--data-dir", data_dir_, "Where files of the data sets are looked for first")->type_name("DIR");
    command.add_option("--seed", seed_, "Of the split; the paper's is 0")->type_name("N")->capture_default_str();
    command
        .add_option("--repeats", repeats_,
                    "How many seeds, from --seed on; above 1: mean and standard deviation. By default " + own_repeats())
        ->type_name("N");
    command.add_option("--threads", threads_, "How many; 0 is one a core, or OMP_NUM_THREADS. The result is the same")
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--allow-modified-data", allow_modified_, "Take files that are not the published ones");
    command.add_flag("--any-build", any_build_, "Go on from finished runs of other builds of the program too");
    command.add_flag("--force", force_, "Replace files that exist");
    command.add_flag("--json", json_, "The records and what was written as JSON on standard output");
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
    if (flags().count("--repeats") > 0)
      options.repeats = static_cast<int>(integer_of("--repeats", repeats_, 1, 100'000));
    options.threads = static_cast<int>(integer_of("--threads", threads_, 0, 1024));
    options.progress = [this](std::uint64_t done, std::uint64_t total) { console().progress(done, total); };
    options.check(chosen);
    if (flags().count("--output") == 0)
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
        console().prepare_last_words(
            fmt::format("stopped; {} of {} runs are kept in '{}', and the same command goes on from there", there,
                        total, options.kept.string()));
    };
    options.on_refused = [this, &options](const RefusedRuns& refused) {
      console().warn(sentence_of(refused, options.kept.string()));
    };
    console().prepare_last_words("stopped; no run is kept, and the same command starts anew");
    console().start("reproducing", Unit::parts);
    const Reproduction done = reproduce(chosen, options);
    console().end_progress();
    const ResultsFolder::Written written = folder.write(done);
    console().prepare_last_words("");
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
      fmt::print("{}\n", fmt::join(written.files, "\n"));
  }

  std::vector<std::string> names_;
  std::string output_, data_dir_, seed_ = "0", repeats_, threads_ = "0";
  bool any_build_ = false, allow_modified_ = false, force_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_reproduce(CLI::App& app, Console& console) {
  return std::make_unique<ReproduceCommand>(app, console);
}

}  // namespace plumbline::app
