// Columns of a file of the published data sets (datasets.h), in memory, and categories as label encoders number them.
//
//   levels_of   the different cells of a column, ascending
//   codes_of    the place of each cell among the levels, from 0
//
// No cell counts as missing unless its marker is named: `?` is a category like any other, as it was in the published
// computations. A number that is missing is NaN. Blanks around
// cells are not part of them. Error when the file is nowhere (how to get it, where it was looked for), when it is not
// the published one unless that is allowed, when a cell that should be a number is none, and for a cell that is not
// among the levels.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct DataSource {
  std::filesystem::path data_dir = {};  // looked into first
  bool allow_modified = false;          // take a file whose checksum is not the published one
};

using TextColumn = std::vector<std::string>;

class PublishedTable {
 public:
  // `numbers` and `texts` name the columns to keep.
  PublishedTable(std::string_view file_name, const std::vector<std::string>& numbers,
                 const std::vector<std::string>& texts, const DataSource& source,
                 const std::vector<std::string>& missing = {});

  Eigen::Index rows() const { return numbers_.rows(); }
  const Eigen::MatrixXd& numbers() const { return numbers_; }  // rows × columns, in the order in which they were named
  const TextColumn& text(std::size_t column) const { return texts_[column]; }  // in that order, too
  const std::string& warning() const { return warning_; }                      // if the file is not the published one

 private:
  Eigen::MatrixXd numbers_;
  std::vector<TextColumn> texts_;
  std::string warning_;
};

std::vector<std::string> levels_of(const TextColumn& cells);
Eigen::VectorXi codes_of(const TextColumn& cells, const std::vector<std::string>& levels, std::string_view column);

}  // namespace plumbline
