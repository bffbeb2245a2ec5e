#include "paper_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/descriptor.h"
#include "io/subprocess.h"
#include "plumbline/error.h"

namespace plumbline::app {
namespace {

constexpr const char* kPaperProgram = "plumbline-paper";

// Beside this program if it is there, else as PATH finds it.
std::string path_of_paper() {
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::filesystem::path beside = self.parent_path() / kPaperProgram;
  return !unknown && access(beside.c_str(), X_OK) == 0 ? beside.string() : kPaperProgram;
}

[[noreturn]] void refuse(std::string_view purpose, int problem) {
  if (problem != ENOENT) throw Error(fmt::format("cannot start {}: {}", kPaperProgram, std::strerror(problem)));
  throw Error(
      fmt::format("'{}' needs the program {}, which is neither beside plumbline nor on PATH; install it, or build it "
                  "with `make build` in Plumbline's sources",
                  purpose, kPaperProgram));
}

class PaperCommand final : public Command {
 public:
  PaperCommand(Flags& program, Console& console, const char* name, const char* description, char** argv)
      : Command(program, name, description, console), argv_(argv) {
    flags().hand_over_to(kPaperProgram);
  }

  int run() override {
    execvp(path_of_paper().c_str(), argv_);
    refuse(flags().name(), errno);
  }

 private:
  char** argv_;
};

}  // namespace

std::unique_ptr<Command> make_paper_command(Flags& program, Console& console, const char* name, const char* description,
                                            char** argv) {
  return std::make_unique<PaperCommand>(program, console, name, description, argv);
}

std::string output_of_paper(const std::string& purpose, const std::vector<std::string>& arguments,
                            const std::string& called_as) {
  std::vector<std::string> words{called_as};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse(purpose, errno);
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  Subprocess paper(path_of_paper(), std::move(words), {.output = writing.number()});
  if (paper.problem() != 0) refuse(purpose, paper.problem());
  writing.close();
  std::string out;
  std::array<char, 1 << 14> part;
  for (std::ptrdiff_t got = 0; (got = read_fully(reading, part.data(), part.size())) != 0;) {
    if (got < 0) refuse(purpose, errno);
    out.append(part.data(), static_cast<std::size_t>(got));
  }
  const int status = paper.wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(fmt::format("{} did not answer: {} {}", kPaperProgram, WIFEXITED(status) ? "exit code" : "signal",
                            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
  return out;
}

std::string paper_completion(const std::string& shell) {
  try {
    return output_of_paper("completion", {"completion", shell}, shell == "fish" ? "plumbline" : kPaperProgram);
  } catch (const Error&) {
    return "";
  }
}

}  // namespace plumbline::app
