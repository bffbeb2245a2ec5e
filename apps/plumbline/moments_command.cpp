// plumbline moments: the statistic of a part of the data, to be merged and fitted elsewhere.
#include <fmt/format.h>

#include "base/names.h"
#include "command_line/arguments.h"
#include "commands.h"
#include "io/output_file.h"
#include "plumbline/error.h"
#include "role_flags.h"
#include "table_flags.h"
#include "tables/learn_encoding.h"
#include "tables/table_moments.h"

namespace plumbline::app {
namespace {

class MomentsCommand final : public Command {
 public:
  MomentsCommand(Flags& program, Console& console)
      : Command(program, "moments", "Collect what a fit needs of a part of the data", console) {
    Flags& command = flags();
    table_.add_to(command);
    roles_.add_to(command);
    command.value("--output,-o", output_, "FILE", "Where the moments go", Need::required);
    command.value("--kind", kind_, "full|cross", "cross is enough for full rank in aware mode, and far smaller");
    command.flag("--force", force_, "Replace a file that exists");
    command.footer(
        "Example:\n"
        "  plumbline moments --input part1.csv --sensitive age,income --output part1.plm\n"
        "  plumbline moments --input part2.csv --sensitive age,income --output part2.plm\n"
        "  plumbline fit --moments part1.plm part2.plm --model fair.json");
  }

  int run() override {
    const auto kind =
        choice_of<Moments::Kind>("--kind", kind_, {{"full", Moments::Kind::full}, {"cross", Moments::Kind::cross}});
    require_name("--output", output_);
    if (flags().is_given("--min-level-rows"))
      console().warn("--min-level-rows has no effect before the parts are together; give it to fit --moments");
    const Missing missing = roles_.missing_rule();
    if (missing == Missing::mean)
      throw Error("--missing mean needs the mean of all parts, which one part does not know; use drop, or fit --input");
    CsvSource source(table_.open(console()));
    OutputFile output(output_, {force_, table_.inputs});
    const ReadOptions read = table_.read_options(console());
    const ChosenColumns chosen = roles_.choose_for_part(source, read, console());
    console().start("reading");
    TableMoments moments =
        collect_part(source, chosen.schema, missing,
                     {.kind = kind, .most_level_columns = roles_.most_level_columns(), .read = read});
    require_rows(source, moments.moments.rows(), moments.dropped, moments.worst);
    moments.encoding.kept = chosen.kept;
    warn_of_many_levels(moments.encoding, console());
    console().end_progress();
    output.write(moments.to_bytes());
    output.commit();
    say_dropped(moments.dropped, console());
    console().say(fmt::format("{}, {}, {}", counted(moments.moments.rows(), "row"),
                              counted(moments.moments.features(), "feature"),
                              counted(moments.moments.sensitive(), "sensitive column")));
    return kDone;
  }

 private:
  TableFlags table_;
  RoleFlags roles_;
  std::string output_, kind_ = "full";
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_moments(Flags& program, Console& console) {
  return std::make_unique<MomentsCommand>(program, console);
}

}  // namespace plumbline::app
