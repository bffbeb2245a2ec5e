// plumbline-paper, a program of its own beside this one or on PATH: the commands that it runs, and what it knows of the
// published data sets. It may be missing; what needs it then throws Error, which says so and how to get it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command_line/command.h"

namespace plumbline::app {

// A command that is handed over: plumbline-paper takes the place of this process, with the same arguments.
std::unique_ptr<Command> make_paper_command(Flags& program, Console& console, const char* name, const char* description,
                                            char** argv);

// Shell completions of plumbline-paper's commands; "" if it is missing.
std::string paper_completion(const std::string& shell);

// The standard output of plumbline-paper; called_as is the name that it finds itself called by, purpose the user's
// argument that needs it.
std::string output_of_paper(const std::string& purpose, const std::vector<std::string>& arguments,
                            const std::string& called_as);

}  // namespace plumbline::app
