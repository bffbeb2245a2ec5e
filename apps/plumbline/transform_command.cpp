// plumbline transform: a table through a model.
#include <fmt/format.h>

#include "arguments.h"
#include "commands.h"
#include "data/files.h"
#include "data/output_file.h"
#include "debias/certificate_json.h"
#include "model_file.h"
#include "plumbline/error.h"
#include "table_flags.h"
#include "tables/table_transform.h"

namespace plumbline::app {
namespace {

class TransformCommand final : public Command {
 public:
  TransformCommand(CLI::App& app, Console& console)
      : Command(app, "transform", "Put a table through a model", console) {
    CLI::App& command = flags();
    table_.add_to(command);
    command.add_option("--model,-m", model_, "The model that plumbline fit has written")->type_name("FILE")->required();
    command.add_option("--output,-o", output_, "Where the table goes; - for standard output")
        ->type_name("FILE")
        ->required();
    command.add_flag("--scores", scores_, "Write the model's k scores in place of the features");
    command.add_flag("--keep-sensitive", keep_sensitive_, "Leave the sensitive columns in the output");
    command.add_flag("--check", check_, "Measure a certificate on the result; exit code 1 if it is not met");
    command.add_option("--tolerance", tolerance_, "Of --check: the largest correlation that meets it")->type_name("R");
    command.add_option("--missing", missing_, "Missing cells: error, drop or mean; as in the fit by default")
        ->type_name("RULE");
    command.add_option("--unknown", unknown_, "Categories that the fit has not seen: error or ignore")
        ->type_name("RULE");
    command.add_flag("--force", force_, "Replace a file that exists");
    command.add_flag("--json", json_, "What was done as JSON on standard output");
    command.footer(
        "Examples:\n"
        "  plumbline transform --model fair.json --input new.csv --output fair.csv\n"
        "  zcat new.csv.gz | plumbline transform --model fair.json --input - --output - | head");
  }

  int run() override {
    if (json_ && output_ == "-") throw Error("--json and --output - both want standard output; give --output a file");
    const double tolerance = number_of("--tolerance", tolerance_, 0, 1);
    require_name("--output", output_);
    Fit fit = read_model(model_);
    if (!fit.encoding) throw Error(fmt::format("{}: the model was not fitted to a table", model_));
    Encoding& encoding = *fit.encoding;
    if (!missing_.empty())
      encoding.missing = choice_of<Missing>(
          "--missing", missing_, {{"error", Missing::error}, {"drop", Missing::drop}, {"mean", Missing::mean}});
    encoding.ignore_unknown = choice_of<bool>("--unknown", unknown_, {{"error", false}, {"ignore", true}});
    CsvTable table = table_.open();
    std::vector<std::string> inputs = table_.inputs;
    inputs.push_back(model_);
    OutputFile output(output_, {force_, inputs});
    console().start("writing");
    const Transformed done = transform_table(table, fit,
                                             {.scores = scores_,
                                              .keep_sensitive = keep_sensitive_,
                                              .header = !table_.is_headerless(),
                                              .check = check_,
                                              .read = table_.read_options(console())},
                                             [&](std::string_view text) { output.write(text); });
    console().end_progress();
    output.commit();
    return report(done, tolerance);
  }

 private:
  int report(const Transformed& done, double tolerance) {
    if (done.dropped > 0) console().warn(fmt::format("{} rows with missing cells were left out", done.dropped));
    if (done.filled > 0)
      console().warn(fmt::format("{} missing cells were filled with the mean of the fit", done.filled));
    if (done.unknown > 0)
      console().warn(fmt::format("{} cells held categories that the fit has not seen", done.unknown));
    const bool met = !done.certificate || done.certificate->holds(tolerance);
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
    const Strongest& left = done.certificate->after.correlation;
    console().fail(
        fmt::format("the certificate is not met: a correlation of {:.3g} is left between '{}' and '{}', above the "
                    "tolerance of {}; on "
                    "rows that the fit has not seen chance alone leaves some {:.2g}, which --tolerance can allow",
                    left.value, left.feature, left.sensitive, tolerance,
                    2 / std::sqrt(static_cast<double>(std::max<std::int64_t>(done.rows, 1)))));
    return kNotMet;
  }

  TableFlags table_;
  std::string model_, output_, missing_, unknown_ = "error", tolerance_ = "1e-8";
  bool scores_ = false, keep_sensitive_ = false, check_ = false, force_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_transform(CLI::App& app, Console& console) {
  return std::make_unique<TransformCommand>(app, console);
}

}  // namespace plumbline::app
