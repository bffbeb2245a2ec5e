#include "command_line/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/names.h"
#include "command_line/remedies.h"
#include "io/output_file.h"
#include "io/temporary_file.h"
#include "plumbline/cpu.h"
#include "plumbline/error.h"
#include "version.h"

namespace plumbline::app {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// As "--missing error|drop|mean [error]".
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    std::string out = ' ' + option->get_type_name();
    if (!option->get_default_str().empty()) out += fmt::format(" [{}]", option->get_default_str());
    if (option->get_expected_max() > 1) out += " ...";
    if (option->get_required()) out += ", required";
    return out;
  }
};

// The innermost command that was named.
const CLI::App& innermost(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) return innermost(*command);
  return app;
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  const std::string name = nearest_name(word, known);
  return name.empty() ? "" : fmt::format(" (did you mean '{}'?)", name);
}

// What was wrong with the words of the call, with the nearest that would have been right.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const std::vector<std::string> below = command_names(command);
  const std::vector<std::string> extras = app.remaining(true);
  std::string name = command.get_name();
  for (const CLI::App* above = command.get_parent(); above; above = above->get_parent())
    name = above->get_name() + ' ' + name;
  const std::string help = name + " --help lists what there is";
  if (!extras.empty()) {
    const std::string word = extras.front().substr(0, extras.front().find('='));
    if (word.starts_with("-"))
      return fmt::format("there is no flag {}{}; {}", word, nearest(word, flag_names(command)), help);
    if (!below.empty()) return fmt::format("there is no command '{}'{}; {}", word, nearest(word, below), help);
    if (command.get_option_no_throw("--input"))
      return fmt::format("'{}' was not expected; files to read are named by --input; {}", word, help);
    return fmt::format("'{}' was not expected; {}", word, help);
  }
  if (const auto* twice = dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const std::string text = twice->what();
    if (text.find("At Most 1 required") != std::string::npos)
      return fmt::format("{} is given more than once", text.substr(0, text.find(':')));
  }
  return fmt::format("{}; {}", error.what(), help);
}

int parse_and_run(const Program& program, Console& console, int argc, char** argv) {
  CLI::App app(program.description, program.name);
  app.footer(program.footer);
  app.set_version_flag("--version",
                       fmt::format("{} {} ({}, {})", program.name, kVersion, kCompiler, instruction_set()));
  app.formatter(std::make_shared<HelpFormat>());
  app.require_subcommand(1);
  app.fallthrough();
  bool quiet = false;
  app.add_flag("--quiet,-q", quiet, "Say nothing but what is wrong");

  Flags flags(app);
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto& make : program.commands) commands.push_back(make(flags, console));
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1) throw Error(fmt::format("{} has no value", word));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    throw Error(explain(app, error));
  }
  if (quiet) console.be_quiet();
  for (const auto& command : commands)
    if (command->is_chosen()) return command->run();
  return kRefused;
}

int run_guarded(const Program& program, Console& console, int argc, char** argv) {
  try {
    return parse_and_run(program, console, argc, argv);
  } catch (const ReaderGone&) {
    return 128 + SIGPIPE;
  } catch (const std::bad_alloc&) {
    console.end_progress();
    console.fail("there is not enough memory; the table has too many columns, or categories with too many values");
  } catch (const RemediableError& error) {
    console.end_progress();
    console.fail(worded(error));
  } catch (const std::exception& error) {
    console.end_progress();
    console.fail(error.what());
  }
  return kRefused;
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  remove_temporary_files_on_signals();
  Console console(program.name);
  const int code = run_guarded(program, console, argc, argv);
  if (code == kRefused || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return code;
  console.fail(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  return kRefused;
}

}  // namespace plumbline::app
