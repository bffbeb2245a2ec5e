#include "command_line/flags.h"

#include <CLI/CLI.hpp>

namespace plumbline::app {

void Flags::value(const char* names, std::string& to, const std::string& type, const std::string& help, Need need) {
  CLI::Option* option = app_->add_option(names, to, help)->type_name(type)->required(need == Need::required);
  if (!to.empty() && to != "-") option->capture_default_str();
}

void Flags::value(const char* names, std::vector<std::string>& to, const std::string& type, const std::string& help) {
  app_->add_option(names, to, help)->type_name(type);
}

void Flags::flag(const char* names, bool& to, const std::string& help) { app_->add_flag(names, to, help); }

void Flags::footer(const std::string& text) { app_->footer(text); }

Flags Flags::command(const char* name, const char* description) {
  return Flags(*app_->add_subcommand(name, description));
}

void Flags::require_command() { app_->require_subcommand(1); }

void Flags::hand_over_to(const char* program) {
  app_->prefix_command()->fallthrough(false)->group(program)->set_help_flag();
}

std::string Flags::name() const { return app_->get_name(); }

bool Flags::is_chosen() const { return app_->parsed(); }

bool Flags::is_given(const char* flag) const { return app_->count(flag) > 0; }

}  // namespace plumbline::app
