// The commands that every program has: completion, and manual, which the build calls.
#pragma once

#include <functional>

#include "command_line/command.h"

namespace plumbline::app {

// Completions of the program that some commands are handed over to, to be printed first; "" if it is not there.
using OtherCompletion = std::function<std::string(const std::string& shell)>;

std::unique_ptr<Command> make_completion(Flags& program, Console& console, OtherCompletion other = {});
std::unique_ptr<Command> make_manual(Flags& program, Console& console);

}  // namespace plumbline::app
