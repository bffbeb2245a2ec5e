// A command of a program, one file each: it adds its flags, and runs once they are read. An Error ends the program with
// exit code 2.
#pragma once

#include <memory>

#include "command_line/console.h"
#include "command_line/flags.h"

namespace plumbline::app {

enum ExitCode : int { kDone = 0, kNotMet = 1, kRefused = 2 };

class Command {
 public:
  Command(Flags& program, const char* name, const char* description, Console& console)
      : flags_(program.command(name, description)), console_(console) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  bool is_chosen() const { return flags_.is_chosen(); }
  virtual int run() = 0;

 protected:
  Flags& flags() { return flags_; }
  Console& console() { return console_; }

 private:
  Flags flags_;
  Console& console_;
};

}  // namespace plumbline::app
