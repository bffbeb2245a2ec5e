// Which of two numbers is the lower one, decided by runs of the same seeds, which share their data and are paired:
//
//   d_r = x_r − y_r;   lower, higher: |mean d| > 2 sd(d) / √runs;   even: neither
//
// Runs that lack one of both are left out.
//
// at_most answers whether x ≤ share · y + slack. Where there are no two runs to compare, by the means; else "even" says
// that it is not decided. Answers of several comparisons are put together by all_of: "no" if one is, else "even" if one
// is.
#pragma once

#include <optional>
#include <vector>

namespace plumbline {

enum class Place { lower, even, higher };

// Of x beside y; none if fewer than two differences are finite.
std::optional<Place> place_of(const std::vector<double>& differences);

enum class Answer { no, even, yes };

struct Sampled {
  double mean = 0;
  std::vector<double> by_run = {};  // none: the same number in every run
};

std::vector<double> differences(const Sampled& x, const Sampled& y, double share = 1, double slack = 0);
Answer at_most(const Sampled& x, const Sampled& y, double slack, double share = 1);

Answer opposite(Answer answer);
Answer all_of(const std::vector<Answer>& answers);

}  // namespace plumbline
