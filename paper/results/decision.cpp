#include "paper/results/decision.h"

#include <algorithm>
#include <cmath>

namespace plumbline {

std::optional<Place> place_of(const std::vector<double>& differences) {
  double runs = 0, sum = 0, squares = 0;
  for (const double difference : differences) {
    if (!std::isfinite(difference)) continue;
    runs += 1, sum += difference, squares += difference * difference;
  }
  if (runs < 2) return std::nullopt;
  const double mean = sum / runs;
  const double error = std::sqrt(std::max(0.0, squares - runs * mean * mean) / (runs * (runs - 1)));
  if (mean < -2 * error) return Place::lower;
  return mean > 2 * error ? Place::higher : Place::even;
}

std::vector<double> differences(const Sampled& x, const Sampled& y, double share, double slack) {
  std::vector<double> out;
  const auto at = [](const Sampled& of, std::size_t r) { return of.by_run.empty() ? of.mean : of.by_run[r]; };
  const std::size_t runs = x.by_run.empty()   ? y.by_run.size()
                           : y.by_run.empty() ? x.by_run.size()
                                              : std::min(x.by_run.size(), y.by_run.size());
  for (std::size_t r = 0; r < runs; ++r) out.push_back(at(x, r) - share * at(y, r) - slack);
  return out;
}

Answer at_most(const Sampled& x, const Sampled& y, double slack, double share) {
  const std::optional<Place> place = place_of(differences(x, y, share, slack));
  if (!place) return x.mean <= share * y.mean + slack ? Answer::yes : Answer::no;
  if (*place == Place::even) return Answer::even;
  return *place == Place::lower ? Answer::yes : Answer::no;
}

Answer opposite(Answer answer) {
  if (answer == Answer::even) return answer;
  return answer == Answer::yes ? Answer::no : Answer::yes;
}

Answer all_of(const std::vector<Answer>& answers) {
  return answers.empty() ? Answer::yes : *std::min_element(answers.begin(), answers.end());
}

}  // namespace plumbline
