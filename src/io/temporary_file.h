// A file under a random name (.plumbline-….tmp) that is removed unless it is renamed: by its destructor, and on signals
// if the program asked for that. Only kill -9 and a power cut leave it behind.
#pragma once

#include <sys/types.h>

#include <string>

#include "io/descriptor.h"

namespace plumbline {

class TemporaryFile {
 public:
  // Opened for reading and writing, with `mode` less the umask. Throws Error naming the folder if that cannot be.
  TemporaryFile(const std::string& folder, mode_t mode);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { remove(); }

  Descriptor& file() { return file_; }
  const std::string& path() const { return path_; }

  void remove();  // the name; the open file lives on

  // false with errno, and the file keeps its temporary name; EEXIST if the target is there and must not be replaced.
  bool rename_to(const std::string& target, bool replace);

 private:
  void forget();

  std::string path_;  // empty once the name is gone
  Descriptor file_;
  pid_t owner_;
  int slot_ = -1;
};

// From now on, a signal that would end the process and finds no handler (SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ)
// first says what was to be said (signal_message.h), removes the temporary files, up to 32 at a time, and then ends the
// process just as it would have. A signal that is ignored or handled already is left alone. For programs: a library has
// no business with signals.
void remove_temporary_files_on_signals();

}  // namespace plumbline
