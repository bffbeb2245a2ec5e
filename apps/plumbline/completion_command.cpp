// plumbline completion, and plumbline manual, which the build calls.
#include <fmt/format.h>

#include "arguments.h"
#include "commands.h"
#include "manual.h"
#include "version.h"

namespace plumbline::app {
namespace {

class CompletionCommand final : public Command {
 public:
  CompletionCommand(CLI::App& app, Console& console)
      : Command(app, "completion", "Print what makes a shell complete commands and flags", console), app_(app) {
    flags().add_option("SHELL", shell_, "Of which shell")->type_name("bash|zsh|fish")->required();
    flags().footer("Example:\n  eval \"$(plumbline completion bash)\"");
  }

  int run() override {
    using Writer = std::string (*)(const CLI::App&);
    const auto writer = choice_of<Writer>(
        "SHELL", shell_, {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}});
    fmt::print("{}", writer(app_));
    return kDone;
  }

 private:
  CLI::App& app_;
  std::string shell_;
};

class ManualCommand final : public Command {
 public:
  ManualCommand(CLI::App& app, Console& console) : Command(app, "manual", "Print the manual page", console), app_(app) {
    flags().footer("Example:\n  plumbline manual | man -l -");
  }

  int run() override {
    fmt::print("{}", manual_page(app_, kVersion));
    return kDone;
  }

 private:
  CLI::App& app_;
};

}  // namespace

std::unique_ptr<Command> make_completion(CLI::App& app, Console& console) {
  return std::make_unique<CompletionCommand>(app, console);
}

std::unique_ptr<Command> make_manual(CLI::App& app, Console& console) {
  return std::make_unique<ManualCommand>(app, console);
}

}  // namespace plumbline::app
