// A copy of the test's process that does something up to a point and then waits to be ended by a signal.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace plumbline::testing {

class ChildProcess {
 public:
  // Returns once `work` has called the function that it is given, which does not return, or has ended without it.
  template <class Work>
  explicit ChildProcess(const Work& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      work([&] {
        if (::write(ends[1], "!", 1) != 1) ::_exit(1);
        while (true) ::usleep(1000);  // and not pause: the thread sanitizer hands a signal over when a call returns
      });
      ::_exit(0);
    }
    ::close(ends[1]);
    char mark = 0;
    EXPECT_GE(::read(ends[0], &mark, 1), 0);
    ::close(ends[0]);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Which signal it died of; 0 if it ended by itself.
  int end_by(int signal) {
    ::kill(id_, signal);
    return end();
  }

  int end() {
    int status = 0;
    EXPECT_EQ(::waitpid(id_, &status, 0), id_);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t id_ = 0;
};

}  // namespace plumbline::testing
