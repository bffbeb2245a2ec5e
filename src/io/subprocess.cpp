#include "io/subprocess.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace plumbline {

Subprocess::Subprocess(const std::string& program, std::vector<std::string> words, const Streams& streams) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto replace = [&actions](int by, int stream) {
    if (by >= 0) posix_spawn_file_actions_adddup2(&actions, by, stream);
  };
  replace(streams.input, STDIN_FILENO);
  replace(streams.output, STDOUT_FILENO);
  replace(streams.error, STDERR_FILENO);
  problem_ = posix_spawnp(&id_, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
}

int Subprocess::wait() const {
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace plumbline
