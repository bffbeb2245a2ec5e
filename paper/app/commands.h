// The commands of plumbline-paper, one file each.
#pragma once

#include "command_line/command.h"

namespace plumbline::app {

std::unique_ptr<Command> make_data(Flags& program, Console& console);
std::unique_ptr<Command> make_reproduce(Flags& program, Console& console);

}  // namespace plumbline::app
