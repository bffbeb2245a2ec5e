// The flags of a program or of one of its commands. CLI11 stands behind it and is included by a few files only: its
// templates take a compiler ten seconds a file.
//
// Names are given as "--output,-o", or as NAME for an argument that stands by itself. A variable keeps its value unless
// its flag is given, and the help shows it as the default; `type` is what the help calls the value, choices as a|b.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace plumbline::app {

enum class Need { optional, required };

class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(&app) {}

  void value(const char* names, std::string& to, const std::string& type, const std::string& help,
             Need need = Need::optional);
  void value(const char* names, std::vector<std::string>& to, const std::string& type, const std::string& help);
  void flag(const char* names, bool& to, const std::string& help);
  void footer(const std::string& text);  // below the help

  Flags command(const char* name, const char* description);  // a command below this one
  void require_command();

  // Another program reads the rest of the words, flags included.
  void hand_over_to(const char* program);

  std::string name() const;
  bool is_chosen() const;                 // the command was named
  bool is_given(const char* flag) const;  // the flag was

  const CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

}  // namespace plumbline::app
