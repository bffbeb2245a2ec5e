// Finished runs, a file each, so that work which was stopped goes on from there.
//
//   FOLDER/NAME-SEED.json   what experiment NAME measured for SEED, in full precision, its warnings, and two digests
//
// Both are SHA-256, and together they cover all that a run depends on but its seed. `program`: of the running program's
// file (its version, where that cannot be read). `setting`: of the instruction set, which decides last bits, and the
// data. The program knows the checksums of the published files; those of others are in the warnings that loading gave.
//
// A file that is cut, edited, of another run or of other digests is as good as none: find returns nothing and counts
// why, and keep replaces it. Who has changed what is written about runs, and not the runs, may take those of any build;
// a warning says so. keep writes a file whole and at once (io/output_file.h). To stop is therefore to end the
// process, at any time: what is finished is there, and nothing else is (io/temporary_file.h).
//
// Error: FOLDER is there and is no folder; a run cannot be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/reproduction/experiment.h"

namespace plumbline {

// Files that are there and are not used.
struct RefusedRuns {
  int damaged = 0;        // or of another run than their names say
  int other_setting = 0;  // of another instruction set or other data
  int other_build = 0;    // and all else is well

  int count() const { return damaged + other_setting + other_build; }
};

class KeptRuns {
 public:
  // Of one experiment. The folder is made for the first run that is kept.
  KeptRuns(std::filesystem::path folder, std::string_view experiment, const std::vector<std::string>& data_warnings,
           bool any_build = false);

  std::optional<RunResult> find(std::uint32_t seed, RefusedRuns& refused) const;
  void keep(std::uint32_t seed, const RunResult& run) const;

 private:
  std::filesystem::path path_of(std::uint32_t seed) const;

  std::filesystem::path folder_;
  std::string experiment_, setting_;
  bool any_build_;
};

}  // namespace plumbline
