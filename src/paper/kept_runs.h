// Finished runs, a file each, so that work which was stopped goes on from there.
//
//   FOLDER/NAME-SEED.json   what experiment NAME measured for SEED, in full precision, its warnings, and a fingerprint
//
// The fingerprint is the SHA-256 of all that a run depends on but its seed: the running program (its version, where its
// file cannot be read), the instruction set, which decides last bits, and the data. Of these the program knows the
// checksums of the published files; those of others are in the warnings that loading them gave.
//
// A file that is cut, edited, of another run or of another fingerprint is as good as none: find returns nothing, and
// keep replaces it. keep writes a file whole and at once (data/output_file.h). To stop is therefore to end the process,
// at any time: what is finished is there, and nothing else is (data/temporary_file.h).
//
// Error: FOLDER is there and is no folder; a run cannot be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/experiment.h"

namespace plumbline {

class KeptRuns {
 public:
  // Of one experiment. The folder is made for the first run that is kept.
  KeptRuns(std::filesystem::path folder, std::string_view experiment, const std::vector<std::string>& data_warnings);

  std::optional<RunResult> find(std::uint32_t seed) const;
  void keep(std::uint32_t seed, const RunResult& run) const;

 private:
  std::filesystem::path path_of(std::uint32_t seed) const;

  std::filesystem::path folder_;
  std::string experiment_, fingerprint_;
};

}  // namespace plumbline
