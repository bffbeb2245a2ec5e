// plumbline export: the map in a form for other programs.
//
// json: ã = c + T_A a + T_B φ(b), with every matrix written out, the same for the scores of a model with a rank, and
// how a and b come from the columns of a table.
#include <fmt/format.h>

#include "command_line/arguments.h"
#include "commands.h"
#include "debias/encoding_json.h"
#include "io/output_file.h"
#include "model_file.h"
#include "plumbline/error.h"

namespace plumbline::app {
namespace {

std::string plain_json(const Fit& fit) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  fit.expect_affine();
  const AffineParts& parts = fit.model.parts();
  Json out = {{"format", "plumbline-affine"}, {"version", 1}};
  out["features"] = parts.feature_names;
  out["sensitive"] = fit.model.needs_sensitive() ? parts.sensitive_names : std::vector<std::string>();
  if (fit.encoding) out["encoding"] = json_of(*fit.encoding);
  if (parts.expansion) out["expansion"] = parse_json(parts.expansion->to_json());
  out["constant"] = json_of(fit.model.constant());
  out["t_a"] = json_of(RowMajor(fit.model.dense_a()));
  if (fit.model.needs_sensitive()) out["t_b"] = json_of(RowMajor(fit.model.dense_b()));
  if (fit.model.scores() > 0) {
    const DenseMap scores = fit.model.dense_scores();
    out["scores"] = {{"constant", json_of(scores.constant)}, {"t_a", json_of(RowMajor(scores.a))}};
    if (fit.model.needs_sensitive()) out["scores"]["t_b"] = json_of(RowMajor(scores.b));
  }
  return dump_json(out, 1) + "\n";
}

class ExportCommand final : public Command {
 public:
  ExportCommand(Flags& program, Console& console)
      : Command(program, "export", "Write the map of a model for other programs", console) {
    Flags& command = flags();
    command.value("--model,-m", model_, "FILE", "The model that plumbline fit has written", Need::required);
    command.value("--format", format_, "json", "json has the constant, T_A and T_B, written out");
    command.value("--output,-o", output_, "FILE", "Where it goes; standard output by default");
    command.flag("--force", force_, "Replace a file that exists");
    command.footer("Example:\n  plumbline export --model fair.json --format json --output map.json");
  }

  int run() override {
    choice_of<bool>("--format", format_, {{"json", true}});
    require_name("--output", output_);
    const Fit fit = read_model(model_);
    OutputFile output(output_, {force_, {model_}});
    output.write(plain_json(fit));
    output.commit();
    return kDone;
  }

 private:
  std::string model_, format_ = "json", output_ = "-";
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_export(Flags& program, Console& console) {
  return std::make_unique<ExportCommand>(program, console);
}

}  // namespace plumbline::app
