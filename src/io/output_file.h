// Writes a file so that there is never half of it under its name: a crash, a full disk or kill -9 leaves the old file
// or none.
//
//   OutputFile fair("fair.csv.gz", {.inputs = {"people.csv"}});
//   fair.write(…);
//   fair.commit();
//
// Bytes go to a temporary name in the target's folder. commit() = finish(): write what is buffered, synchronise with
// the disk, where all that can fail for lack of space has failed; then rename over the target and synchronise the
// folder. Without commit the destructor removes the temporary file. A target called .gz or .zst is compressed.
//
// Which file is meant
//   -, /dev/stdout, /dev/fd/N   what is open under that number; written directly
//   a pipe, a character device  (/dev/null) opened and written directly
//   a symbolic link             what it points to is replaced or created and the link stays, as with the shell's >;
//                               another user's link in a folder where all may write (/tmp) is refused, as Linux does
//   a file with more names      (hard links) only this name gets the new content
//
// Who may read it: its owner, and of group and others those who may read every input and the file that is replaced,
// less the umask; the owner alone if an input is a pipe. Who cannot reach an input, for a folder above it is closed,
// may not read an output that can be reached. What a group may do counts only if the new file belongs to the same
// group.
//
// Throws Error naming the target or its folder: if it is one of the inputs, under whatever name; if it exists and
// `force` is not set, also if it has come to exist by the time of commit; if it is a directory, a socket or a block
// device; if it cannot be written. After a failed write nothing is left but to destroy the object.
//
// When nobody reads a pipe any more, SIGPIPE ends the process, as it does any filter before `head`. Where that signal
// is ignored, ReaderGone is thrown; a program catches it, says nothing and returns 128 + SIGPIPE. Nothing is committed
// either way.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/compression.h"
#include "io/descriptor.h"
#include "io/temporary_file.h"
#include "plumbline/error.h"

namespace plumbline {

class ReaderGone : public Error {
 public:
  using Error::Error;
};

struct OutputOptions {
  bool force = false;                    // replace a file that exists
  std::vector<std::string> inputs = {};  // what the output is made from, as given to open_bytes
};

class OutputFile {
 public:
  explicit OutputFile(const std::string& target, const OutputOptions& options = {});

  void write(std::string_view bytes);
  void finish();  // once; after it only commit remains
  void commit();  // once; finishes first if need be

  const std::string& name() const { return name_; }  // the target as it was given, or "standard output"

 private:
  enum class State { open, finished, committed, failed };

  void require(State state) const;
  void put(std::string_view bytes);
  void flush();
  void write_through(std::string_view bytes);
  [[noreturn]] void fail(int reason) const;

  friend void commit_all(const std::vector<OutputFile*>& files);

  std::string name_;
  std::string path_;  // what the temporary file will be renamed to
  bool replace_ = false;
  State state_ = State::open;
  std::unique_ptr<TemporaryFile> temporary_;  // or, if there is none:
  Descriptor direct_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
};

// Commits the files of one command in the given order, once all of them are finished: what can fail for lack of space
// fails before the first of them is renamed. Throws Error also if two have the same target.
void commit_all(const std::vector<OutputFile*>& files);

}  // namespace plumbline
