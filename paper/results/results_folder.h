// The files of a reproduction, in one folder: results.json (records.h), results.md (results_page.h), and for each
// experiment its figures and their data, compas.svg and compas.csv (figures.h). Runs of repeated experiments are kept
// in runs/ (kept_runs.h), which is there before the others, and stays.
//
// The folder is made if it is not there, and gone again if nothing was written to it. Files are opened before anything
// is computed, so that what is in the way is said at once, and appear together at the end, each of them whole
// (io/output_file.h). Where a figure is not drawn, one of older results that `force` would replace is removed. Error:
// a file is there and `force` is not set; the folder cannot be made or written.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/output_file.h"
#include "paper/reproduction/reproduction.h"

namespace plumbline {

class ResultsFolder {
 public:
  ResultsFolder(std::filesystem::path folder, const std::vector<const Experiment*>& experiments, bool force);
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;
  ~ResultsFolder();

  struct Written {
    std::vector<std::string> files;  // paths
    std::string problem;             // why there are no figures, if there are none
  };
  Written write(const Reproduction& reproduction);  // once

  std::filesystem::path runs() const { return folder_ / "runs"; }

 private:
  void leave();  // removes files that were not committed, and folders that were made for nothing
  std::unique_ptr<OutputFile> open(const std::string& name) const;

  std::filesystem::path folder_;
  bool force_;
  std::vector<std::filesystem::path> made_;  // folders, the outermost first
  std::unique_ptr<OutputFile> json_, page_;
  std::vector<std::unique_ptr<OutputFile>> data_, figures_;  // of each experiment in turn
};

}  // namespace plumbline
