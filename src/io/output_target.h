// Where an output goes and who may read it, decided before a byte is written; output_file.h says by which rules.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "io/descriptor.h"

namespace plumbline {

struct OutputTarget {
  Descriptor direct;   // what is written directly; none for a file that is written aside and renamed
  std::string folder;  // else: an absolute path
  std::string path;    // in that folder, with links resolved
  mode_t mode = 0600;  // less the umask
};

// Throws Error naming the target if it must not or cannot be written.
OutputTarget find_target(const std::string& target, bool force, const std::vector<std::string>& inputs);

}  // namespace plumbline
