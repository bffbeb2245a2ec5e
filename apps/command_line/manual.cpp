#include "command_line/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <functional>

namespace plumbline::app {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

// "fit" → app fit, "data generate" → app generate below data: every command with its full name.
void for_each_command(const CLI::App& app, const std::string& prefix,
                      const std::function<void(const std::string&, const CLI::App&)>& use) {
  for (const CLI::App* command : commands_of(app)) {
    const std::string name = prefix + command->get_name();
    use(name, *command);
    for_each_command(*command, name + ' ', use);
  }
}

std::string flags_of(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : options_of(app))
    for (const std::string& name : option->get_lnames()) out += (out.empty() ? "--" : " --") + name;
  return out;
}

// The words that may follow, which the option's type lists as ob|sob; "" if they are not known.
std::string choices_of(const CLI::Option& option) {
  std::string words = option.get_type_name();
  if (words.find('|') == std::string::npos) return "";
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

std::string positional_choices(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options([](const CLI::Option* one) { return !one->nonpositional(); }))
    out += choices_of(*option);
  return out;
}

std::string names_of(const std::vector<const CLI::App*>& commands) {
  std::string out;
  for (const CLI::App* command : commands) out += (out.empty() ? "" : " ") + command->get_name();
  return out;
}

std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += '\\';
    if (c == '-') out += '\\';
    out += c;
  }
  return out;
}

std::string roff_lines(const std::string& text) {
  std::string out;
  bool start = true;
  for (const char c : roff(text)) {
    if (start && (c == '.' || c == '\'')) out += "\\&";
    out += c;
    start = c == '\n';
  }
  return out;
}

void describe_options(const CLI::App& app, std::string& out) {
  for (const CLI::Option* option : options_of(app)) {
    std::string names;
    for (const std::string& name : option->get_snames()) names += fmt::format("\\fB\\-{}\\fR, ", roff(name));
    for (const std::string& name : option->get_lnames()) names += fmt::format("\\fB\\-\\-{}\\fR, ", roff(name));
    names.resize(names.size() - 2);
    if (option->get_type_size() != 0 && !option->get_type_name().empty())
      names += fmt::format(" \\fI{}\\fR", roff(option->get_type_name()));
    out += fmt::format(".TP\n{}\n{}\n", names, roff_lines(option->get_description()));
  }
}

std::string value_in_fish(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  const std::string choices = choices_of(option);
  return choices.empty() ? " -r" : fmt::format(" -x -a '{}'", choices);
}

std::string function_of(std::string program) {
  std::replace(program.begin(), program.end(), '-', '_');
  return '_' + program;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  const std::string program = roff(app.get_name());
  std::string upper = program;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string out = fmt::format(
      ".TH {} 1 \"\" \"plumbline {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n"
      ".B {}\n\\fICOMMAND\\fR [\\fIFLAGS\\fR]\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      upper, roff(version), program, roff(app.get_description()), program, roff_lines(app.get_footer()));
  describe_options(app, out);
  for_each_command(app, "", [&](const std::string& name, const CLI::App& command) {
    out += fmt::format(".SH \"{} {}\"\n{}.\n", program, roff(name), roff_lines(command.get_description()));
    describe_options(command, out);
    if (!command.get_footer().empty()) out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff_lines(command.get_footer()));
  });
  out +=
      ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nthe certificate is not met\n.TP\n2\nbad usage or bad input, said in one "
      "sentence on standard error\n.SH ENVIRONMENT\n.TP\nPLUMBLINE_DATA_DIR\nwhere published data sets are\n.TP\n"
      "XDG_CACHE_HOME\nplumbline below it holds data sets that were downloaded\n.TP\nPLUMBLINE_ISA\navx512, avx2 or "
      "baseline: the instruction set to use\n.TP\nNO_COLOR\nif it is set, no colours\n.TP\nTMPDIR\nwhere a pipe that "
      "must be read twice is kept\n";
  return out;
}

std::string bash_completion(const CLI::App& app) {
  const std::string& program = app.get_name();
  std::string names, cases, values;
  for_each_command(app, "", [&](const std::string& name, const CLI::App& command) {
    const std::string below = names_of(commands_of(command));
    names += name + '|';
    if (command.get_prefix_command()) {
      cases += fmt::format("    '{0}') type {1} >/dev/null 2>&1 && {1}; return ;;\n", name,
                           function_of(command.get_group()));
      return;
    }
    cases += fmt::format("    '{}') flags='{}' words='{}' ;;\n", name, flags_of(command),
                         below.empty() ? positional_choices(command) : below);
    for (const CLI::Option* option : options_of(command))
      for (const std::string& flag : option->get_lnames())
        if (const std::string choices = choices_of(*option); !choices.empty())
          values += fmt::format("    '{} --{}') COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n", name,
                                flag, choices);
  });
  return fmt::format(
      "# Completion of {0} for bash: eval \"$({0} completion bash)\"\n"
      "{1}() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n"
      "  local known='|{2}' command='' flags='{3}' words='{4}' i next\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    next=\"${{command:+$command }}${{COMP_WORDS[i]}}\"\n"
      "    [[ $known == *\"|$next|\"* ]] && command=$next\n"
      "  done\n"
      "  case \"$command\" in\n{5}"
      "  esac\n"
      "  case \"$command $before\" in\n{6}"
      "  esac\n"
      "  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$current\"))\n"
      "  elif [[ -n $words && ( $before != -* || $before == -q || $before == --quiet ) ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$current\")); fi\n"
      "}}\n"
      "complete -o filenames -F {1} {0}\n",
      program, function_of(program), names, flags_of(app), names_of(commands_of(app)), cases, values);
}

std::string zsh_completion(const CLI::App& app) {
  return "autoload -U +X bashcompinit && bashcompinit\n" + bash_completion(app);
}

std::string fish_completion(const CLI::App& app) {
  const std::string& program = app.get_name();
  std::string out = fmt::format("# Completion of {0} for fish: {0} completion fish | source\n", program);
  for (const CLI::App* command : commands_of(app)) {
    out += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d '{}'\n", program, command->get_name(),
                       escaped(command->get_description()));
    const std::string inside = fmt::format("-n '__fish_seen_subcommand_from {}'", command->get_name());
    for (const CLI::App* below : commands_of(*command))
      out += fmt::format("complete -c {} {} -f -a {} -d '{}'\n", program, inside, below->get_name(),
                         escaped(below->get_description()));
    for (const CLI::Option* option : options_of(*command))
      for (const std::string& name : option->get_lnames())
        out += fmt::format("complete -c {} {} -l {}{} -d '{}'\n", program, inside, name, value_in_fish(*option),
                           escaped(option->get_description()));
    if (const std::string choices = positional_choices(*command); !choices.empty())
      out += fmt::format("complete -c {} {} -f -a '{}'\n", program, inside, choices);
  }
  return out;
}

}  // namespace plumbline::app
