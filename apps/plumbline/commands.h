// The commands, one file each: each adds its flags to the program, and runs once they are read. An Error ends the
// program with exit code 2.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "console.h"

namespace plumbline::app {

enum ExitCode : int { kDone = 0, kNotMet = 1, kRefused = 2 };

class Command {
 public:
  Command(CLI::App& app, const char* name, const char* description, Console& console)
      : flags_(*app.add_subcommand(name, description)), console_(console) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  bool is_chosen() const { return flags_.parsed(); }
  virtual int run() = 0;

 protected:
  CLI::App& flags() { return flags_; }
  Console& console() { return console_; }

 private:
  CLI::App& flags_;
  Console& console_;
};

std::unique_ptr<Command> make_fit(CLI::App& app, Console& console);
std::unique_ptr<Command> make_transform(CLI::App& app, Console& console);
std::unique_ptr<Command> make_moments(CLI::App& app, Console& console);
std::unique_ptr<Command> make_export(CLI::App& app, Console& console);
std::unique_ptr<Command> make_data(CLI::App& app, Console& console);
std::unique_ptr<Command> make_reproduce(CLI::App& app, Console& console);
std::unique_ptr<Command> make_completion(CLI::App& app, Console& console);
std::unique_ptr<Command> make_manual(CLI::App& app, Console& console);

}  // namespace plumbline::app
