#include "command_line/completion_command.h"
#include "command_line/program.h"
#include "commands.h"
#include "paper_program.h"

int main(int argc, char** argv) {
  using namespace plumbline::app;
  const auto handed_over = [argv](const char* name, const char* description) {
    return
        [=](Flags& program, Console& console) { return make_paper_command(program, console, name, description, argv); };
  };
  return run_program(
      {.name = "plumbline",
       .description = "makes data fair before a model sees it",
       .footer = "Takes a table with sensitive columns and gives back the other columns with the linear influence of "
                 "all the sensitive ones removed, changed as little as possible, with a certificate that says so.",
       .commands = {make_fit, make_transform, make_moments, make_export,
                    handed_over("data", "The paper's data: list it, download it, simulate it"),
                    handed_over("reproduce", "The paper's tables and figures, as published and sound"),
                    [](Flags& program, Console& console) {
                      return make_completion(program, console, paper_completion);
                    },
                    make_manual}},
      argc, argv);
}
