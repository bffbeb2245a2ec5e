// A program of commands: it reads the flags, runs the command, and turns what goes wrong into one sentence and an exit
// code.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "command_line/command.h"

namespace plumbline::app {

struct Program {
  std::string name;         // as it was called: in usage and before what it says is wrong
  std::string description;  // one line
  std::string footer;       // below its help
  std::vector<std::function<std::unique_ptr<Command>(Flags&, Console&)>> commands;
};

int run_program(const Program& program, int argc, char** argv);  // the exit code

}  // namespace plumbline::app
