// Inputs that are the paper's published data sets. This program knows their names, and plumbline-paper
// (paper_program.h) where they are and what their columns are called.
//
//   adult, compas, crime                         the first file of the set, unless a file has that name
//   adult.data, adult.test, communities.data,    the file, wherever it lies, also compressed; looked for where data
//   compas-scores-two-years.csv                  sets are kept if it is not here
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plumbline::app {

struct PublishedLayout {
  std::vector<std::string> columns;  // their names, which replace those of a header
  bool header = false;               // whether there is one
};

// Puts paths in place of names. Returns how the files are laid out; none if they are not published ones, or are to be
// taken as files without a header. Throws Error if a file is not found, a name is neither a file nor a data set, the
// inputs are not laid out alike, or plumbline-paper is needed and missing.
std::optional<PublishedLayout> find_published(std::vector<std::string>& inputs, const std::string& data_dir,
                                              bool no_header);

}  // namespace plumbline::app
