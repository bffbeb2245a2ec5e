// Columns from which a ridge regression finds what trees find: the features, steps in the gaps between their values,
// hinges of one feature and of one to three.
//
//   z_j             (x_j − mean) / standard deviation; 0 for a feature that does not vary
//   1[z_j > t]      t in the middle of a gap of z_j that is wider than kWideGap of its range, its outermost 1/200 of
//   rows
//                   on each side left out; the widest gaps first, of a feature of more than two values. An indicator
//                   that became 0 or 1 less γᵀb has one gap, and less the step it is −γᵀb
//   (z_j − t)₊      t a value of the feature
//   (uᵀz − t)₊      u normal, of one to three features, t a value of uᵀz
//
// Which of them is drawn from the seed and from up to kReference rows. A feature of two values has no hinge of its own.
// There are half as many hinges as rows, up to kMostHinges, and fewer where features leave less room in kMostColumns.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace plumbline {

class RandomHinges {
 public:
  static constexpr Eigen::Index kReference = 1024, kMostSteps = 96, kMostColumns = 512, kMostHinges = 300,
                                kLeastHinges = 128, kFewestHinges = 32;
  static constexpr double kWideGap = 0.05;

  // From a row for each column of x: features are its rows.
  RandomHinges(const Eigen::MatrixXd& rows, std::uint64_t seed);

  Eigen::Index features() const { return mean_.size(); }
  Eigen::Index columns() const { return features() + static_cast<Eigen::Index>(steps_.size() + hinges_.size()); }

  // Of rows [first, first + count) of a matrix, scaled by the roots of their weights if there are any. Column j goes to
  // out + j · stride, the features first.
  void write(const Eigen::MatrixXd& rows, Eigen::Index first, Eigen::Index count, const double* scale, double* out,
             Eigen::Index stride) const;

 private:
  struct Step {
    Eigen::Index feature;
    double at, width;
  };
  struct Hinge {
    Eigen::Index features[3];
    double slopes[3];
    int count;
    double at;
  };

  Eigen::VectorXd mean_, inverse_;
  std::vector<Step> steps_;
  std::vector<Hinge> hinges_;
};

}  // namespace plumbline
