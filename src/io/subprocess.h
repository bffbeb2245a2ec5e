// Another program, found as a shell finds it, with some of its standard streams replaced.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace plumbline {

class Subprocess {
 public:
  // Descriptors that take the place of the program's streams; -1: those of this process.
  struct Streams {
    int input = -1, output = -1, error = -1;
  };

  // The first of `words` is what the program is told that it was called as.
  Subprocess(const std::string& program, std::vector<std::string> words, const Streams& streams);

  int problem() const { return problem_; }  // errno if it could not be started, else 0

  int wait() const;  // its status, as waitpid gives it

 private:
  pid_t id_ = 0;
  int problem_ = 0;
};

}  // namespace plumbline
