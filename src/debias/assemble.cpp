#include "debias/assemble.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXd;

AffineModel assemble(const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion,
                     const Problem& problem, const std::optional<Factors>& factors) {
  const Covariance& c = problem.c;
  const Residual& r = problem.r;
  const Index q = moments.features();
  AffineParts m;
  m.feature_names = moments.feature_names();
  m.sensitive_names = moments.sensitive_names();
  m.expansion = expansion;
  m.mean_a = c.a.mean;
  m.mean_b = c.b.mean;
  m.scale_a = c.a.scale;
  m.scale_b = c.b.scale;
  m.noise_b = problem.noise_b;
  m.alpha = options.alpha;
  const VectorXd inverse_a = c.a.scale.cwiseInverse();
  const bool blind = options.mode == Mode::blind;
  if (!blind) m.reduce_b = problem.b.whitener;

  if (!factors) {
    m.direct = VectorXd::Ones(q);
    MatrixXd removed = blind ? r.f : MatrixXd(r.regression.transpose());
    for (const Index j : r.fully_explained) {
      m.direct[j] = 1 - options.alpha;
      removed.row(j).setZero();
    }
    m.output = -options.alpha * (c.a.scale.asDiagonal() * removed);
    if (blind) m.project_a = r.g * inverse_a.asDiagonal();
    return AffineModel(std::move(m));
  }

  m.direct = VectorXd::Constant(q, 1 - options.alpha);
  m.output = options.alpha * (c.a.scale.asDiagonal() * factors->right);
  const MatrixXd left = factors->left.transpose();
  if (blind) {
    m.project_a = (left - (left * r.f) * r.g) * inverse_a.asDiagonal();
  } else {
    m.project_a = left * inverse_a.asDiagonal();
    m.project_b = -(left * r.regression.transpose());
  }
  m.has_scores = true;
  return AffineModel(std::move(m));
}

Encoding with_fills(Encoding encoding, const AffineModel& model) {
  if (encoding.fill_a.size() > 0) return encoding;
  const AffineParts& parts = model.parts();
  encoding.fill_a = parts.mean_a;
  encoding.fill_b = parts.mean_b;
  if (!parts.expansion) return encoding;
  encoding.fill_b.resize(parts.expansion->inputs());
  for (Index j = 0; j < encoding.fill_b.size(); ++j)
    encoding.fill_b[j] = parts.mean_b[parts.expansion->columns()[static_cast<std::size_t>(j)].first];
  return encoding;
}

}  // namespace plumbline
