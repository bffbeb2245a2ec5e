#include "debias/fit_notes.h"

#include <fmt/format.h>

#include <algorithm>
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

// With Λ = Zᵀ K and r = a' − Λᵀ b', cov(b' as observed, r) = −Σ_N Λ and var(r) is that given the true b and Λᵀ Σ_N Λ.
std::string noise_note(const FitOptions& options, const Problem& problem) {
  const Eigen::VectorXd noise = problem.noise_b.cwiseQuotient(problem.c.b.scale.cwiseAbs2());
  const Eigen::MatrixXd lambda = problem.b.whitener_of_working.transpose() * problem.r.regression;
  const Eigen::MatrixXd covariance = noise.asDiagonal() * lambda;
  double most = 0;
  for (Index j = 0; j < covariance.cols(); ++j) {
    if (!(problem.r.variance[j] > 0)) continue;
    const double variance = problem.r.variance[j] + covariance.col(j).dot(lambda.col(j));
    most = std::max(most, covariance.col(j).cwiseAbs().maxCoeff() / std::sqrt(variance));
  }
  std::vector<std::string> given;
  for (const auto& [name, value] : options.reliability)
    if (value < 1) given.push_back(fmt::format("{} {:.4g}", name, value));
  return fmt::format(
      "by the reliability given ({}) correlations are with the sensitive columns without their noise; with these as "
      "observed, features stay correlated by up to {:.3g} at full rank and strength, which is their noise",
      listed(given), most);
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
  if (problem.noise_b.size() > 0) notes.push_back(noise_note(options, problem));
  if (factors) notes.insert(notes.end(), factors->notes.begin(), factors->notes.end());
  return notes;
}

}  // namespace plumbline
