// The target of a table, as far as a price needs it (plumbline/price.h): its moments with the columns of A and B, and
// the errors of predictions that were given.
//
// A target is numbers, or has two levels. A level is read as a number that depends on its name alone, so that parts
// that have met levels in another order can be merged; two numbers are as good as 0 and 1 once it is known which they
// are. Where cells are missing, there are more levels, or the moments of the features are cross-only, there is no
// price, and `problem` says why.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/price.h"

namespace plumbline {

inline constexpr std::string_view kNeedsProducts =
    "the products of the features with each other, which it needs, were not collected";

double level_value(std::string_view level);  // from 0 to 1; NaN stands for none

// Mean squares of y − ŷ, row by row in their order. Of a target of levels it is known at last which of them is 1.
class PredictionErrors {
 public:
  // Throws Error if the prediction is missing.
  void add(double y, double prediction, double weight);

  // Of a target of these levels, or of numbers if there are none. Throws Error if there was no row, or another level.
  double mean(const std::vector<std::string>& levels) const;

 private:
  struct Sums {
    double from_0 = 0, from_1 = 0;
  };

  double weight_ = 0, error_ = 0;
  std::map<double, Sums> by_value_;  // of up to kMostValues values of y
};

struct TableTarget {
  std::string name = {}, predictions = {};
  std::vector<std::string> levels = {};  // ascending; none of numbers
  bool is_binary = true;                 // every number is 0 or 1
  TargetMoments moments = {};
  std::string problem = {};
  PredictionErrors errors = {};  // not in files

  // The next rows. `y` has the target and, where there are some, the predictions.
  void update(const Columns& a, const Columns& b, const Columns& y, const UpdateOptions& options);
  void add_levels(const std::vector<std::string>& seen);
  void give_up(std::string why);
  void merge(const TableTarget& other);

  // Sets the problem where there is none.
  std::optional<Price> price(const Moments& of_features);
};

}  // namespace plumbline
