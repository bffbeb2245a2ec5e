// plumbline transform: a table through a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "command_line/arguments.h"
#include "commands.h"
#include "debias/certificate_json.h"
#include "io/files.h"
#include "io/output_file.h"
#include "model_file.h"
#include "plumbline/error.h"
#include "probe_flags.h"
#include "role_flags.h"
#include "table_flags.h"
#include "tables/table_transform.h"

namespace plumbline::app {
namespace {

class TransformCommand final : public Command {
 public:
  TransformCommand(Flags& program, Console& console)
      : Command(program, "transform", "Put a table through a model", console) {
    Flags& command = flags();
    table_.add_to(command);
    command.value("--model,-m", model_, "FILE", "The model that plumbline fit has written", Need::required);
    command.value("--output,-o", output_, "FILE", "Where the table goes; - for standard output", Need::required);
    command.flag("--scores", scores_, "Write the model's k scores in place of the features");
    command.flag("--keep-sensitive", keep_sensitive_, "Leave the sensitive columns in the output");
    command.value("--keep", keep_, "COLUMN", "Columns that pass through unchanged, beside those that the fit kept");
    command.flag("--check", check_,
                 "Measure a certificate on the result, which is written either way; exit code 1 if it is not met");
    command.value("--tolerance", tolerance_, "R",
                  "Of --check: the largest correlation that meets it; by default what sampling leaves in so many rows");
    probe_.add_to(command);
    command.value("--predictions", predictions_, "COLUMN",
                  "Of --check: predictions of the target; the certificate says how much of the sensitive columns' "
                  "effect they must have kept");
    command.value("--missing", missing_, "error|drop|mean", "What to do with missing cells; as in the fit by default");
    command.value("--unknown", unknown_, "merge|error|ignore",
                  "What to do with levels that the fit has not seen: they join those that it merged, if it merged some "
                  "of the column; else they are refused, or are none of its levels");
    command.flag("--force", force_, "Replace a file that exists");
    command.flag("--json", json_, "What was done as JSON on standard output");
    command.footer(
        "Examples:\n"
        "  plumbline transform --model fair.json --input new.csv --output fair.csv\n"
        "  zcat new.csv.gz | plumbline transform --model fair.json --input - --output - | head");
  }

  int run() override {
    if (json_ && output_ == "-") throw Error("--json and --output - both want standard output; give --output a file");
    const double tolerance = tolerance_.empty() ? 0 : number_of("--tolerance", tolerance_, 0, 1);
    if (!check_ && flags().is_given("--tolerance")) console().warn("--tolerance has no effect without --check");
    if (!check_ && flags().is_given("--probe")) console().warn("--probe has no effect without --check");
    if (!check_ && flags().is_given("--predictions")) console().warn("--predictions has no effect without --check");
    const Index probed_rows = check_ ? probe_.rows() : 0;
    require_name("--output", output_);
    Fit fit = read_model(model_);
    if (!fit.encoding) throw Error(fmt::format("{}: the model was not fitted to a table", model_));
    Encoding& encoding = *fit.encoding;
    if (check_ && !predictions_.empty() && !fit.certificate.price)
      throw Error(fmt::format(
          "{}: the model knows no price of fairness, which --predictions needs; fit it with --target", model_));
    if (!missing_.empty()) encoding.missing = missing_of(missing_);
    encoding.unknown = choice_of<Unknown>(
        "--unknown", unknown_, {{"merge", Unknown::merge}, {"error", Unknown::error}, {"ignore", Unknown::ignore}});
    CsvSource source(table_.open(console()));
    for (const std::string& name : kept_columns(keep_, source.names()))
      if (std::find(encoding.kept.begin(), encoding.kept.end(), name) == encoding.kept.end())
        encoding.kept.push_back(name);
    encoding.check();
    std::vector<std::string> inputs = table_.inputs;
    inputs.push_back(model_);
    OutputFile output(output_, {force_, inputs});
    const auto tell_left_out = [this](const std::vector<std::string>& names) {
      console().say(fmt::format("left out, as the model does not know them and --keep does not name them: {}",
                                all_listed(names)));
    };
    const ReadOptions read = table_.read_options(console());
    CheckProbe probe{probed_rows};
    if (probed_rows > 0) probe.options = probe_.options(read.threads, console());
    console().start("writing");
    const Transformed done = transform_table(source, fit,
                                             {.scores = scores_,
                                              .keep_sensitive = keep_sensitive_,
                                              .header = !table_.is_headerless(),
                                              .check = check_,
                                              .probe = probe,
                                              .predictions = predictions_,
                                              .read = read,
                                              .tell_left_out = tell_left_out},
                                             [&](std::string_view text) { output.write(text); });
    console().end_progress();
    output.commit();
    return report(done, tolerance);
  }

 private:
  std::string why_not_met(const Certificate& certificate) const {
    if (certificate.varying == 0) return "the certificate is not met: nothing is left of any feature";
    const bool by_chance = tolerance_.empty();
    if (by_chance && !certificate.deviation)
      return "the certificate cannot be judged: no feature and sensitive column vary in these rows; check more";
    const Strongest& left = by_chance ? *certificate.deviation : certificate.after.correlation;
    std::string out = fmt::format("the certificate is not met: between '{}' and '{}' a correlation of ", left.feature,
                                  left.sensitive);
    if (by_chance)
      out += fmt::format("{:.3g} standard errors is left, and chance alone would leave {:.3g}", left.value,
                         certificate.chance);
    else
      out += fmt::format("{:.3g} is left, above the tolerance of {}", left.value, tolerance_);
    if (certificate.alpha < 1) return out + "; the model removes part of the influence only, by its --alpha";
    const std::vector<std::string>& constant = certificate.constant_features;
    if (std::find(constant.begin(), constant.end(), left.feature) != constant.end())
      return out +
             "; the feature is constant in these rows, so that all that varies is what was taken away: check more "
             "rows, or leave it out";
    if (!by_chance && certificate.within_chance()) return out + "; that much is what sampling leaves in so many rows";
    return out;
  }

  int report(const Transformed& done, double tolerance) {
    say_dropped(done.dropped, console());
    if (done.filled > 0)
      console().warn(fmt::format("filled with the mean of the fit: {}", counted(done.filled, "missing cell")));
    if (done.unknown > 0)
      console().warn(fmt::format("of categories that the fit has not seen: {}", counted(done.unknown, "cell")));
    const bool by_chance = tolerance_.empty();
    const bool met =
        !done.certificate || (by_chance ? done.certificate->within_chance() : done.certificate->holds(tolerance));
    if (json_) {
      Json out = {{"rows", done.rows}, {"dropped", done.dropped}, {"filled", done.filled}, {"unknown", done.unknown}};
      if (done.certificate) {
        out["certificate"] = json_of(*done.certificate);
        out["met"] = met;
      }
      fmt::print("{}\n", dump_json(out, 2));
    } else if (done.certificate) {
      console().show(*done.certificate, "Checked");
    }
    if (met) return kDone;
    console().fail(why_not_met(*done.certificate));
    return kNotMet;
  }

  TableFlags table_;
  ProbeFlags probe_;
  std::string model_, output_, predictions_, missing_, unknown_ = "merge", tolerance_;
  std::vector<std::string> keep_;
  bool scores_ = false, keep_sensitive_ = false, check_ = false, force_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_transform(Flags& program, Console& console) {
  return std::make_unique<TransformCommand>(program, console);
}

}  // namespace plumbline::app
