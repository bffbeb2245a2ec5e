// plumbline fit: a model from tables, or from moments that were collected before.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>

#include "base/names.h"
#include "command_line/arguments.h"
#include "commands.h"
#include "debias/certificate_json.h"
#include "debias/expansion_terms.h"
#include "fit_flags.h"
#include "io/files.h"
#include "io/output_file.h"
#include "plumbline/error.h"
#include "probe_flags.h"
#include "role_flags.h"
#include "table_flags.h"
#include "tables/table_fit.h"
#include "tables/table_transform.h"
#include "tables/telling_columns.h"

namespace plumbline::app {
namespace {

class FitCommand final : public Command {
 public:
  FitCommand(Flags& program, Console& console)
      : Command(program, "fit", "Learn how to remove the sensitive columns, and say how well it went", console) {
    Flags& command = flags();
    table_.add_to(command);
    roles_.add_to(command);
    roles_.add_predictions_to(command);
    fit_.add_to(command);
    probe_.add_to(command);
    command.value("--moments", moments_, "FILE", "Files of plumbline moments, in place of --input");
    command.value("--model,-m", model_, "FILE", "Where the model goes (JSON)");
    command.value("--output,-o", output_, "FILE", "Also transform the input, to this file; - for standard output");
    command.flag("--keep-sensitive", keep_sensitive_, "Leave the sensitive columns in the output");
    command.flag("--force", force_, "Replace files that exist");
    command.flag("--json", json_, "The certificate as JSON on standard output");
    command.footer(
        "Examples:\n"
        "  plumbline fit --input people.csv --sensitive age,income --target repaid --model fair.json --output "
        "fair.csv\n"
        "  plumbline fit --input adult --sensitive race,sex --missing drop --rank 0.95 --mode blind --model "
        "adult.json\n"
        "  plumbline fit --moments part1.plm part2.plm --model fair.json");
  }

  int run() override {
    const FitOptions options = fit_.options();
    if (model_.empty() && output_.empty() && !json_)
      throw Error("nothing would be kept; use --model FILE, --output FILE or --json");
    for (const auto& [flag, name] : {std::pair("--model", &model_), {"--output", &output_}})
      if (flags().is_given(flag)) require_name(flag, *name);
    if (json_ && output_ == "-") throw Error("--json and --output - both want standard output; give --output a file");
    if (json_ && model_ == "-") throw Error("--json and --model - both want standard output; give --model a file");
    if (model_ == "-" && output_ == "-")
      throw Error("--model - and --output - both want standard output; give one of them a file");
    fit_.warn_of_idle_flags(flags(), options, console());
    probe_.rows();
    return moments_.empty() ? from_tables(options) : from_moments(options);
  }

 private:
  int from_moments(const FitOptions& options) {
    if (!table_.inputs.empty()) throw Error("--moments and --input are both given; a fit is from one of them");
    if (!output_.empty()) throw Error("--output needs --input: moments hold no rows to transform");
    if (flags().is_given("--probe") && probe_.rows() > 0)
      throw Error("--probe needs --input: moments hold no rows to learn from");
    if (!fit_.expand.empty()) throw Error("--expand needs --input: moments hold no rows to expand");
    for (const char* flag : {"--sensitive", "--features", "--drop", "--keep", "--target", "--predictions", "--weights",
                             "--categorical", "--missing"})
      if (flags().is_given(flag))
        throw Error(fmt::format("{} needs --input: the moments have settled what their columns are", flag));
    std::optional<OutputFile> model = open_model(moments_);
    std::optional<TableMoments> sum;
    std::map<std::string, std::string> seen;  // bytes to path
    std::string uncounted;
    for (const std::string& path : moments_) {
      try {
        std::string bytes = read_file(path);
        TableMoments part = TableMoments::from_bytes(bytes);
        if (const auto [same, is_new] = seen.emplace(std::move(bytes), path); !is_new)
          console().warn(fmt::format("{} and {} hold the same; their rows count twice", same->second, path));
        if (uncounted.empty() && part.counts.values.empty() && part.moments.features() > 0) uncounted = path;
        if (sum)
          sum->merge(part);
        else
          sum = std::move(part);
      } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", path, error.what()));
      }
    }
    if (!uncounted.empty() && (flags().is_given("--min-level-rows") || !sum->encoding.features.empty()))
      console().warn(
          fmt::format("{} does not say how many rows have each value, so rare ones are not merged{}; collect it anew "
                      "with plumbline moments",
                      uncounted, flags().is_given("--min-level-rows") ? ", and --min-level-rows has no effect" : ""));
    return finish(fit_table_moments(*sum, {.fit = options, .least_rows = roles_.least_rows()}), model, nullptr);
  }

  int from_tables(const FitOptions& options) {
    const std::optional<ExpansionOptions> expand = expansion_of("--expand", fit_.expand);
    CsvSource source(table_.open(console()));
    std::optional<OutputFile> model = open_model(table_.inputs), output;
    if (!output_.empty()) output.emplace(output_, OutputOptions{force_, table_.inputs});
    if (output) source.allow_rereading();
    const ReadOptions read = table_.read_options(console());
    const ChosenColumns chosen = roles_.choose(source, read, console());
    for (const TellingColumn& column : telling_columns(source, chosen.told, chosen.schema, chosen.looks, read))
      console().warn(fmt::format("'{}' is kept, and {} tells {:.0f}% of it", column.name,
                                 column.sensitive.empty() ? "what is sensitive" : "'" + column.sensitive + "'",
                                 100 * column.share));
    TableFit done = fit_table(source, chosen.schema,
                              {.fit = options,
                               .expand = expand,
                               .missing = roles_.missing_rule(),
                               .least_rows = roles_.least_rows(),
                               .most_level_columns = roles_.most_level_columns(),
                               .read = read,
                               .probe_rows = probe_.rows(),
                               .begin = [this](std::string_view step) { console().start(step); }});
    console().end_progress();
    done.fit.encoding->kept = chosen.kept;
    warn_of_many_levels(*done.fit.encoding, console());
    if (done.sample) {
      done.fit.certificate.probe = probe_fit(done.fit, *done.sample, probe_.options(read.threads, console()));
      console().end_progress();
    }
    if (output) {
      console().start("writing");
      transform_table(source, done.fit,
                      {.keep_sensitive = keep_sensitive_, .header = !table_.is_headerless(), .read = read},
                      [&](std::string_view text) { output->write(text); });
      console().end_progress();
    }
    return finish(done, model, output ? &*output : nullptr);
  }

  std::optional<OutputFile> open_model(const std::vector<std::string>& inputs) const {
    std::optional<OutputFile> model;
    if (!model_.empty()) model.emplace(model_, OutputOptions{force_, inputs});
    return model;
  }

  int finish(const TableFit& done, std::optional<OutputFile>& model, OutputFile* output) {
    std::vector<OutputFile*> files;
    if (model) {
      model->write(done.fit.to_json());
      files.push_back(&*model);
    }
    if (output) files.push_back(output);
    commit_all(files);
    say_dropped(done.dropped, console());
    if (done.filled > 0) console().warn(fmt::format("filled with the mean: {}", counted(done.filled, "missing cell")));
    const Certificate& certificate = done.fit.certificate;
    if (json_) {
      const Json out = {{"rows", done.rows},
                        {"dropped", done.dropped},
                        {"filled", done.filled},
                        {"certificate", json_of(certificate)}};
      fmt::print("{}\n", dump_json(out, 2));
    } else {
      console().show(certificate, "Fitted");
    }
    const bool aims_at_none = certificate.alpha == 1 && certificate.removed != Remove::distribution;
    if (certificate.holds() || (!aims_at_none && certificate.varying > 0)) return kDone;
    if (certificate.varying == 0) {
      console().fail("the certificate is not met: nothing is left of any feature");
      return kNotMet;
    }
    console().fail(fmt::format("the certificate is not met: a correlation of {:.3g} is left between '{}' and '{}'",
                               certificate.after.correlation.value, certificate.after.correlation.feature,
                               certificate.after.correlation.sensitive));
    return kNotMet;
  }

  TableFlags table_;
  RoleFlags roles_;
  FitFlags fit_;
  ProbeFlags probe_;
  std::vector<std::string> moments_;
  std::string model_, output_;
  bool keep_sensitive_ = false, force_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fit(Flags& program, Console& console) {
  return std::make_unique<FitCommand>(program, console);
}

}  // namespace plumbline::app
