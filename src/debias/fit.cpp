#include "plumbline/fit.h"

#include <fmt/format.h>

#include <cmath>

#include "data/names.h"
#include "debias/covariance.h"
#include "debias/linear_algebra.h"
#include "debias/residual.h"
#include "debias/sensitive_factor.h"
#include "debias/sob_solver.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kFewProducts = 1e8;

struct Problem {
  Covariance c;
  SensitiveFactor b;
  Residual r;
};

// ã = right leftᵀ r below full rank; scores are leftᵀ r.
struct Factors {
  MatrixXd left, right;
  std::vector<SobStatus> status;
  std::vector<std::string> notes;
  std::vector<int> iterations = {};
};

std::string sparsity_of(const MatrixXd& u) {
  const auto used = (u.array() != 0).eval();
  const auto each = used.colwise().count().eval();
  const Index fewest = each.minCoeff(), most = each.maxCoeff();
  return fmt::format("of {} features a sparse component has {}, and all together have {}", u.rows(),
                     fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most),
                     used.rowwise().any().count());
}

Factors of_components(SobComponents c) {
  Factors out{c.w * c.d.asDiagonal(), std::move(c.u), std::move(c.status), {}, std::move(c.iterations)};
  if (out.right.cols() > 0) out.notes.push_back(sparsity_of(out.right));
  if (std::string warning = warning_of(out.status); !warning.empty()) out.notes.push_back(std::move(warning));
  if (!out.status.empty() && out.status.back() == SobStatus::nothing_left)
    out.notes.push_back(fmt::format("{} sparse components explain all that is left", out.left.cols()));
  return out;
}

// In the order of falling eigenvalues, the entry of largest size of a vector positive.
SymmetricEigen eigen_from_top(const MatrixXd& symmetric) {
  SymmetricEigen eigen = symmetric_eigen(symmetric);
  for (Index j = 0; j < eigen.vectors.cols(); ++j) {
    Index at = 0;
    eigen.vectors.col(j).cwiseAbs().maxCoeff(&at);
    if (eigen.vectors(at, j) < 0) eigen.vectors.col(j) *= -1;
  }
  return eigen;
}

// Directions in which features vary by more than a share of what they did before. Eigenvalues cannot tell: they are
// known to a share of the largest alone.
Index dimensions_of(const MatrixXd& covariance, const VectorXd& before, double share) {
  const VectorXd inverse = (before.array() > 0).select(before, 1.0).cwiseSqrt().cwiseInverse();
  const MatrixXd scaled = inverse.asDiagonal() * covariance * inverse.asDiagonal();
  return static_cast<Index>(pivoted_cholesky(scaled, share).pivots.size());
}

Index rank_for(const Rank& rank, const MatrixXd& basis, const MatrixXd& covariance) {
  if (rank.count() > 0) return std::min(rank.count(), basis.cols());
  const VectorXd variances = (covariance * basis).cwiseProduct(basis).colwise().sum();
  const double wanted = rank.share() * variances.sum() * (1 - 1e-12);
  double sum = 0;
  Index k = 0;
  while (k < basis.cols() && (k == 0 || sum < wanted)) sum += variances[k++];
  return k;
}

// A feature of which the components hold nothing but rounding comes out constant: a scaler would blow rounding up, and
// rounding correlates with anything.
void drop_noisy_features(const Covariance& c, const MatrixXd& residual, Factors& factors) {
  const MatrixXd of_scores = factors.left.transpose() * residual * factors.left;
  const VectorXd kept = (factors.right * of_scores).cwiseProduct(factors.right).rowwise().sum();
  for (Index j = 0; j < kept.size(); ++j)
    if (c.aa_diagonal[j] == 0 || !(kept[j] > kNoVariance * c.aa_diagonal[j])) factors.right.row(j).setZero();
}

Factors orthogonal_factors(const FitOptions& options, const Problem& problem) {
  const Covariance& c = problem.c;
  const Residual& r = problem.r;
  const bool optimal = options.basis == Basis::optimal;
  const MatrixXd& covariance = optimal ? r.covariance : *c.aa;
  const double share = optimal ? no_variance(problem.b.condition, c.bb.rows()) : kNoVariance;
  const SymmetricEigen eigen = eigen_from_top(covariance);
  Factors out;
  Index k = rank_for(options.rank, eigen.vectors, r.covariance);
  // A rank of blind mode counts the dimensions that it gives up.
  if (options.mode == Mode::aware &&
      eigen.values[k - 1] <= share * std::max(eigen.values[0], c.aa_diagonal.maxCoeff())) {
    const Index most = std::max<Index>(1, dimensions_of(covariance, c.aa_diagonal, share));
    if (k > most)
      out.notes.push_back(fmt::format("of {} dimensions {} {} kept: {} no more", k, most, most == 1 ? "is" : "are",
                                      optimal ? "what is left of the features has" : "the features have"));
    k = std::min(k, most);
  }
  out.left = out.right = eigen.vectors.leftCols(k);
  for (const Index j : r.fully_explained) {
    out.left.row(j).setZero();  // r is zero there
    if (optimal) out.right.row(j).setZero();
  }
  for (const Index j : c.a.constant) out.left.row(j).setZero();  // an eigenvector has rounding there
  drop_noisy_features(c, r.covariance, out);
  return out;
}

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

std::vector<std::string> notes_on(const FitOptions& options, const std::vector<std::string>& names, const Covariance& c,
                                  const Residual& r) {
  const auto features = static_cast<Index>(names.size());
  std::vector<std::string> notes;
  const double bound = options.sob.bound_for(features);
  if (options.rank.count() > features)
    notes.push_back(fmt::format("rank {} was asked for; there are {} features, so {} are kept", options.rank.count(),
                                features, features));
  if (options.method == Method::sob && features > 1 && bound * bound >= static_cast<double>(features))
    notes.push_back(fmt::format("the bound of the 1-norm is {:.4g}; from √q = {:.4g} on it does not bind", bound,
                                std::sqrt(static_cast<double>(features))));
  if (options.mode == Mode::blind)
    notes.push_back(fmt::format("blind mode costs {} of {} dimensions, for it needs no sensitive column later",
                                r.g.rows(), features));
  if (options.mode == Mode::blind && !r.fully_explained.empty()) {
    std::vector<std::string> lost;
    for (const Index j : r.fully_explained) lost.push_back(names[static_cast<std::size_t>(j)]);
    notes.push_back(fmt::format("blind mode leaves nothing of {}", listed(lost)));
  }
  if (r.fully_explained.size() + c.a.constant.size() == static_cast<std::size_t>(features) &&
      !r.fully_explained.empty())
    notes.emplace_back(
        options.mode == Mode::blind
            ? "nothing is left of any feature: in blind mode each independent sensitive column costs a dimension"
            : "nothing is left of any feature: the sensitive columns explain them all");
  return notes;
}

Problem set_up(const Moments& moments, const FitOptions& options) {
  Problem problem{working_covariance(moments, options.standardize), {}, {}};
  if (problem.c.b.constant.size() == static_cast<std::size_t>(moments.sensitive()))
    throw Error("every sensitive column is constant: there is nothing to be orthogonal to");
  problem.b = factor_sensitive(problem.c);
  problem.r = options.mode == Mode::blind ? blind_residual(problem.c, problem.b) : aware_residual(problem.c, problem.b);
  return problem;
}

Fit finish(Fit fit, std::vector<std::string> notes, const std::optional<Factors>& factors) {
  if (factors) {
    notes.insert(notes.end(), factors->notes.begin(), factors->notes.end());
    fit.sob_status = factors->status;
    fit.sob_iterations = factors->iterations;
  }
  fit.certificate.notes = std::move(notes);
  return fit;
}

// A power of four near what is left of the variance: to divide by it, or by its root, rounds nothing. SOB runs on G
// over it, for W D and U are the same then, and squares of no data leave the range of a double.
double unit_of(const Residual& r) {
  const double variance = r.variance.sum();
  return variance > 0 ? std::ldexp(1.0, 2 * (std::ilogb(variance) / 2)) : 1.0;
}

// (I − P_B) A' / √n, rows scaled by the roots of their weights.
MatrixXd scaled_residual(const Columns& a, const Columns& b, std::span<const double> weights, const Problem& problem,
                         double total_weight) {
  const Covariance& c = problem.c;
  MatrixXd out(a.rows(), a.cols());
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i) out(i, j) = (a(i, j) - c.a.mean[j]) / c.a.scale[j];
  MatrixXd centred_b(b.rows(), b.cols());
  for (Index l = 0; l < b.cols(); ++l)
    for (Index i = 0; i < b.rows(); ++i) centred_b(i, l) = b(i, l) - c.b.mean[l];
  out -= (centred_b * problem.b.whitener.transpose()) * problem.r.regression;
  for (const Index j : problem.r.fully_explained) out.col(j).setZero();
  for (const Index j : c.a.constant) out.col(j).setZero();
  for (Index i = 0; i < a.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
    if (weight == 0)
      out.row(i).setZero();  // whatever it holds, which need not be finite here
    else
      out.row(i) *= std::sqrt(weight / total_weight);
  }
  return out;
}

}  // namespace

void FitOptions::check() const {
  if (!(alpha >= 0 && alpha <= 1)) throw Error(fmt::format("alpha is {}; it must be from 0 to 1", alpha));
  sob.check();
  if (method == Method::sob && rank.is_all())
    throw Error("method is sob and no rank is given; give a number or a share of variance");
  if (method == Method::sob && mode == Mode::blind && sob.form == SobForm::matrix_free)
    throw Error("sob.form is matrix_free and mode is blind, which needs the products of all features; use gram");
  if (method == Method::sob && basis == Basis::paper)
    throw Error("basis is paper, which is a choice of method ob; sob has its own");
}

void TableOptions::check(Index features, Index sensitive) const {
  const auto check_names = [](const char* field, const std::vector<std::string>& names, const char* table, Index cols) {
    if (!names.empty() && static_cast<Index>(names.size()) != cols)
      throw Error(fmt::format("{} has {} names; {} has {} columns, so give {} or none", field, names.size(), table,
                              cols, cols));
  };
  check_names("feature_names", feature_names, "a", features);
  check_names("sensitive_names", sensitive_names, "b", sensitive);
  if (expand) expand->check(sensitive);
  if (threads < 0) throw Error(fmt::format("threads is {}; it must be at least 1, or 0 for one a core", threads));
}

Moments::Kind FitOptions::moments_needed() const {
  return rank.is_all() && mode == Mode::aware ? Moments::Kind::cross : Moments::Kind::full;
}

Moments::Kind FitOptions::moments_for(Index rows, Index features) const {
  const auto products = static_cast<double>(rows) * static_cast<double>(features) * static_cast<double>(features);
  return products <= kFewProducts ? Moments::Kind::full : moments_needed();
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

Fit fit(const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion) {
  options.check();
  if (moments.kind() == Moments::Kind::cross && options.moments_needed() == Moments::Kind::full)
    throw Error("a rank or blind mode needs full moments; these are cross-only");
  if (options.method == Method::sob && options.sob.form == SobForm::matrix_free)
    throw Error("sob.form is matrix_free, which needs the tables, not their moments");
  const Problem problem = set_up(moments, options);
  std::optional<Factors> factors;
  if (options.method == Method::sob) {
    factors = of_components(
        SobSolver(GramOperator(problem.r.covariance / unit_of(problem.r)), options.sob).solve(options.rank));
    drop_noisy_features(problem.c, problem.r.covariance, *factors);
  } else if (!options.rank.is_all()) {
    factors = orthogonal_factors(options, problem);
  }
  Fit out{assemble(moments, options, expansion, problem, factors), {}, options, {}};
  out.certificate = certify(out.model, moments);
  return finish(std::move(out), notes_on(options, moments.feature_names(), problem.c, problem.r), factors);
}

Fit fit(const Columns& a, const Columns& b, const FitOptions& options, const TableOptions& table) {
  options.check();
  table.check(a.cols(), b.cols());
  const Moments unnamed(a.cols(), b.cols(), Moments::Kind::cross);
  const std::vector<std::string>& features =
      table.feature_names.empty() ? unnamed.feature_names() : table.feature_names;
  const std::vector<std::string>& sensitive =
      table.sensitive_names.empty() ? unnamed.sensitive_names() : table.sensitive_names;
  std::optional<Expansion> expansion;
  MatrixXd expanded;
  if (table.expand) {
    expansion = Expansion::fit(b, sensitive, *table.expand, table.weights);
    expanded = expansion->transform(b, table.weights);
  }
  const Columns phi = table.expand ? Columns(expanded) : b;
  const bool matrix_free =
      options.method == Method::sob && options.mode == Mode::aware &&
      (options.sob.form == SobForm::matrix_free || (options.sob.form == SobForm::automatic && a.cols() > a.rows()));
  Moments moments(features, expansion ? expansion->names() : sensitive,
                  matrix_free ? Moments::Kind::cross : options.moments_for(a.rows(), a.cols()));
  const UpdateOptions update{table.threads, table.weights};
  moments.update(a, phi, update);
  if (!matrix_free) return fit(moments, options, expansion);

  const Problem problem = set_up(moments, options);
  ResidualOperator residual(scaled_residual(a, phi, table.weights, problem, moments.weight()) /
                            std::sqrt(unit_of(problem.r)));
  // Of rows that were cleared of noise before: a feature that is dropped is zero in every component.
  const std::optional<Factors> factors = of_components(SobSolver(std::move(residual), options.sob).solve(options.rank));
  Fit out{assemble(moments, options, expansion, problem, factors), {}, options, {}};
  out.certificate = certify(out.model, a, b, Moments::Kind::cross, update);
  return finish(std::move(out), notes_on(options, moments.feature_names(), problem.c, problem.r), factors);
}

}  // namespace plumbline
