// The published data sets of the paper: where their files come from, how to tell that a file is the published one, and
// how it is laid out. The files themselves are never part of this project.
//
//   adult    adult.data, adult.test                  UCI, Census Income
//   compas   compas-scores-two-years.csv             ProPublica
//   crime    communities.data                        UCI, Communities and Crime
//
// A file is looked for in the folder given, then in $PLUMBLINE_DATA_DIR, then in the cache, which is
// $XDG_CACHE_HOME/plumbline, or ~/.cache/plumbline if that is unset or not an absolute path.
//
// All throw Error: an unknown name lists the known ones, a file that is nowhere says where it was looked for and how to
// get it, a file of other content names both checksums.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "paper/datasets/sha256.h"

namespace plumbline {

struct DatasetFile {
  std::string_view dataset;             // the name of its data set
  std::string_view name;                // the name of the file
  std::string_view url;                 // where it is published, https
  std::string_view sha256;              // of its bytes, line ends counted as line_ends says
  LineEnds line_ends = LineEnds::kept;  // crlf_as_lf: it has been published with LF and with CRLF
  std::int64_t bytes = 0;               // with CRLF, if it has been published so
  std::int64_t rows = 0;                // of data
  int lines_before_data = 0;            // to leave out: a header, or a comment
};

struct Dataset {
  std::string_view name;
  std::string_view description;  // one line
  std::string_view page;         // that describes it
  std::span<const DatasetFile> files;
  std::span<const std::string_view> columns;  // names, one a column, all different; they replace a file's header
  std::span<const std::string_view> sensitive;
  std::string_view target;
};

std::span<const Dataset> datasets();
const Dataset& find_dataset(std::string_view name);
const DatasetFile& dataset_file(std::string_view file_name);

std::filesystem::path cache_directory();  // throws Error if neither XDG_CACHE_HOME nor HOME says where

// The first place that has a file of that name; whether it is the published one is for check_dataset_file to say.
std::filesystem::path find_dataset_file(std::string_view file_name, const std::filesystem::path& data_dir = {});

// Throws Error if the file at path is not the published one.
void check_dataset_file(const DatasetFile& file, const std::filesystem::path& path);

}  // namespace plumbline
