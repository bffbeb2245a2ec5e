// plumbline-paper: the paper's data and experiments. plumbline hands its commands data and reproduce over to it, and
// then it speaks by that name.
#include <filesystem>

#include "command_line/completion_command.h"
#include "command_line/program.h"
#include "commands.h"

int main(int argc, char** argv) {
  using namespace plumbline::app;
  const bool handed_over = argc > 0 && std::filesystem::path(argv[0]).filename() == "plumbline";
  return run_program(
      {.name = handed_over ? "plumbline" : "plumbline-paper",
       .description = "the data, tables and figures of the paper behind Plumbline",
       .footer = "Counterfactual Fairness Through Transforming Data Orthogonal to Bias, computed again: as published, "
                 "and sound.",
       .commands = {make_data, make_reproduce,
                    [](Flags& program, Console& console) { return make_completion(program, console); }, make_manual}},
      argc, argv);
}
