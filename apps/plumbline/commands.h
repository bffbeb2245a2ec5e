// The commands of plumbline, one file each.
#pragma once

#include "command_line/command.h"

namespace plumbline::app {

std::unique_ptr<Command> make_fit(Flags& program, Console& console);
std::unique_ptr<Command> make_transform(Flags& program, Console& console);
std::unique_ptr<Command> make_moments(Flags& program, Console& console);
std::unique_ptr<Command> make_export(Flags& program, Console& console);

}  // namespace plumbline::app
