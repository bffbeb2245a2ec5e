#include "paper/results/exponential.h"

#include <Eigen/Core>
#include <cmath>

namespace plumbline {

double Exponential::at(double x) const { return alpha * std::exp(beta * x); }

std::optional<Exponential> fit_exponential(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> kept, logs;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double log = std::log(y[i]);
    if (!std::isfinite(x[i]) || !std::isfinite(log)) continue;
    kept.push_back(x[i]);
    logs.push_back(log);
  }
  if (kept.size() < 2) return std::nullopt;
  const auto count = static_cast<Eigen::Index>(kept.size());
  const Eigen::Map<const Eigen::ArrayXd> from(kept.data(), count), to(logs.data(), count);
  const double spread = (from - from.mean()).square().sum();
  if (!(spread > 0)) return std::nullopt;
  const double beta = ((from - from.mean()) * (to - to.mean())).sum() / spread, start = to.mean() - beta * from.mean();
  return Exponential{.alpha = std::exp(start),
                     .beta = beta,
                     .low = from.minCoeff(),
                     .high = from.maxCoeff(),
                     .residual = std::sqrt((to - start - beta * from).square().mean())};
}

}  // namespace plumbline
