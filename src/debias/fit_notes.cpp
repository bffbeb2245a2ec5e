#include "debias/fit_notes.h"

#include <fmt/format.h>

#include <cmath>

#include "base/names.h"

namespace plumbline {

std::string sparsity_of(const Eigen::MatrixXd& components) {
  const auto used = (components.array() != 0).eval();
  const auto each = used.colwise().count().eval();
  const Index fewest = each.minCoeff(), most = each.maxCoeff();
  return fmt::format("of {} features a sparse component has {}, and all together have {}", components.rows(),
                     fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most),
                     used.rowwise().any().count());
}

std::vector<std::string> notes_on(const FitOptions& options, const std::vector<std::string>& features,
                                  const Problem& problem, const std::optional<Factors>& factors) {
  const Covariance& c = problem.c;
  const Residual& r = problem.r;
  const auto count = static_cast<Index>(features.size());
  std::vector<std::string> notes;
  const double bound = options.sob.bound_for(count);
  if (options.rank.count() > count)
    notes.push_back(fmt::format("rank {} was asked for; there are {} features, so {} are kept", options.rank.count(),
                                count, count));
  if (options.method == Method::sob && count > 1 && bound * bound >= static_cast<double>(count))
    notes.push_back(fmt::format("the bound of the 1-norm is {:.4g}; from √q = {:.4g} on it does not bind", bound,
                                std::sqrt(static_cast<double>(count))));
  if (options.mode == Mode::blind)
    notes.push_back(
        fmt::format("blind mode costs {} of {} dimensions, for it needs no sensitive column later", r.g.rows(), count));
  if (options.mode == Mode::blind && !r.fully_explained.empty()) {
    std::vector<std::string> lost;
    for (const Index j : r.fully_explained) lost.push_back(features[static_cast<std::size_t>(j)]);
    notes.push_back(fmt::format("blind mode leaves nothing of {}", listed(lost)));
  }
  if (r.fully_explained.size() + c.a.constant.size() == static_cast<std::size_t>(count) && !r.fully_explained.empty())
    notes.emplace_back(
        options.mode == Mode::blind
            ? "nothing is left of any feature: in blind mode each independent sensitive column costs a dimension"
            : "nothing is left of any feature: the sensitive columns explain them all");
  if (factors) notes.insert(notes.end(), factors->notes.begin(), factors->notes.end());
  return notes;
}

}  // namespace plumbline
