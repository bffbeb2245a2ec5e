#include "command_line/completion_command.h"

#include <fmt/format.h>

#include <utility>

#include "command_line/arguments.h"
#include "command_line/manual.h"
#include "version.h"

namespace plumbline::app {
namespace {

class CompletionCommand final : public Command {
 public:
  CompletionCommand(Flags& program, Console& console, OtherCompletion other)
      : Command(program, "completion", "Print what makes a shell complete commands and flags", console),
        program_(program),
        other_(std::move(other)) {
    flags().value("SHELL", shell_, "bash|zsh|fish", "Of which shell", Need::required);
    flags().footer("Example:\n  eval \"$(" + program.name() + " completion bash)\"");
  }

  int run() override {
    using Writer = std::string (*)(const CLI::App&);
    const auto writer = choice_of<Writer>(
        "SHELL", shell_, {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}});
    fmt::print("{}{}", other_ ? other_(shell_) : "", writer(program_.app()));
    return kDone;
  }

 private:
  Flags& program_;
  OtherCompletion other_;
  std::string shell_;
};

class ManualCommand final : public Command {
 public:
  ManualCommand(Flags& program, Console& console)
      : Command(program, "manual", "Print the manual page", console), program_(program) {
    flags().footer("Example:\n  " + program.name() + " manual | man -l -");
  }

  int run() override {
    fmt::print("{}", manual_page(program_.app(), kVersion));
    return kDone;
  }

 private:
  Flags& program_;
};

}  // namespace

std::unique_ptr<Command> make_completion(Flags& program, Console& console, OtherCompletion other) {
  return std::make_unique<CompletionCommand>(program, console, std::move(other));
}

std::unique_ptr<Command> make_manual(Flags& program, Console& console) {
  return std::make_unique<ManualCommand>(program, console);
}

}  // namespace plumbline::app
