// The manual page and the shell completions, both out of the flags that the program itself reads. A prefix command
// (CLI11's word for one that hands its words on) is completed by the program that its group names.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace plumbline::app {

std::string manual_page(const CLI::App& app, const std::string& version);  // roff, for man
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace plumbline::app
