#include "plumbline/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "debias/assemble.h"
#include "debias/choose_terms.h"
#include "debias/fit_distribution.h"
#include "debias/fit_notes.h"
#include "debias/fit_spread.h"
#include "debias/linear_algebra.h"
#include "debias/sob_solver.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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

// Variances of the noise in b, in units of b; none without a reliability below 1.
VectorXd noise_of(const FitOptions& options, const Moments& moments, const Covariance& c) {
  const std::vector<std::string>& names = moments.sensitive_names();
  VectorXd noise = VectorXd::Zero(moments.sensitive());
  for (const auto& [name, value] : options.reliability) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw Error(fmt::format("a reliability names '{}', which is no number among the sensitive columns: {}", name,
                              listed(names)));
    const Index l = at - names.begin();
    noise[l] = (1 - value) * static_cast<double>(c.bb(l, l)) * c.b.scale[l] * c.b.scale[l];
  }
  return options.has_noise() ? noise : VectorXd();
}

// What is left in no more dimensions than the rows have is known for all features that vary.
std::optional<PopulationBound> population_of(const FitOptions& options, const Certificate& c) {
  if (options.alpha != 1 || options.remove != Remove::mean || c.varying == 0) return std::nullopt;
  const bool is_known = c.left_rank && *c.left_rank > 0 && *c.left_rank < c.rows - 1 - c.sensitive_rank;
  return population_bound(c.rows, is_known ? *c.left_rank : c.varying, c.sensitive_rank);
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

// With those terms of the candidates that a test of the moments finds.
Fit fit_with_chosen_terms(const Columns& a, const Columns& b, const std::vector<std::string>& features,
                          const Expansion& candidates, const FitOptions& options, const TableOptions& table) {
  if (options.method == Method::sob && options.sob.form == SobForm::matrix_free)
    throw Error("sob.form is matrix_free and expand is automatic, which tests the products of all features; use gram");
  const UpdateOptions update{table.threads, table.weights};
  Moments all(features, candidates.names());
  all.update(a, candidates.transform(b, table.weights), update);
  const ChosenTerms chosen =
      choose_terms(all, candidates, weight_of_row(table.weights), term_rows(a, b, table.weights));
  Moments moments = chosen.moments;
  if (candidates.outputs() > kExtendedColumns) {  // of fewer columns moments are more exact
    moments = Moments(features, moments.sensitive_names());
    moments.update(a, chosen.expansion.transform(b, table.weights), update);
  }
  Fit out = fit(moments, options, chosen.expansion);
  out.certificate.notes.insert(out.certificate.notes.begin(), chosen.note());
  return out;
}

}  // namespace

Problem set_up(const Moments& moments, const FitOptions& options) {
  Problem problem{working_covariance(moments, options.standardize), {}, {}, {}};
  if (problem.c.b.constant.size() == static_cast<std::size_t>(moments.sensitive()))
    throw Error("every sensitive column is constant: there is nothing to be orthogonal to");
  problem.b = factor_sensitive(problem.c);
  problem.noise_b = noise_of(options, moments, problem.c);
  problem.r = options.mode == Mode::blind ? blind_residual(problem.c, problem.b)
                                          : aware_residual(problem.c, problem.b, problem.noise_b);
  return problem;
}

std::optional<Factors> factors_of(const FitOptions& options, const Problem& problem) {
  if (options.method == Method::sob) {
    Factors out = of_components(
        SobSolver(GramOperator(problem.r.covariance / unit_of(problem.r)), options.sob).solve(options.rank));
    drop_noisy_features(problem.c, problem.r.covariance, out);
    return out;
  }
  if (options.rank.is_all()) return std::nullopt;
  return orthogonal_factors(options, problem);
}

void finish(Fit& fit, const Problem& problem, const std::optional<Factors>& factors) {
  fit.certificate.population = population_of(fit.options, fit.certificate);
  fit.certificate.notes = notes_on(fit.options, fit.model.parts().feature_names, problem, factors);
  if (!factors) return;
  fit.sob_status = factors->status;
  fit.sob_iterations = factors->iterations;
}

void Fit::apply(const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how) const {
  if (distribution)
    distribution->apply(a, b, out, how);
  else
    spread ? spread->apply(model, a, b, out, how) : model.apply(a, b, out, how);
}

void Fit::apply_scores(const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how) const {
  spread ? spread->apply_scores(model, a, b, out, how) : model.apply_scores(a, b, out, how);
}

void Fit::apply_row(std::span<const double> a, std::span<const double> b, std::span<double> out) const {
  if (distribution)
    distribution->apply_row(a, b, out);
  else
    spread ? spread->apply_row(model, a, b, out) : model.apply_row(a, b, out);
}

void Fit::expect_affine() const {
  if (distribution)
    throw Error(
        "the model makes the laws of features equal, with quantiles and draws: no affine map does that; apply the "
        "model "
        "itself, or fit it to remove means");
  if (spread)
    throw Error(
        "the model makes spreads equal, region by region of the sensitive columns: no affine map does that; apply the "
        "model itself, or fit it to remove means");
}

void Fit::hold(Index feature) {
  AffineParts parts = model.parts();
  parts.direct[feature] = 0;
  if (parts.project_a) parts.project_a->col(feature).setZero();
  model = AffineModel(std::move(parts));
  if (spread) spread->hold(feature);
}

RowsMap Fit::rows_map() const {
  if (options.remove == Remove::mean) return {};
  return [this](const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how) {
    apply(a, b, out, how);
  };
}

Fit fit(const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion) {
  options.check();
  if (options.remove != Remove::mean) throw Error("moments of all rows show means alone; nothing else can be removed");
  if (moments.kind() == Moments::Kind::cross && options.moments_needed() == Moments::Kind::full)
    throw Error("a rank or blind mode needs full moments; these are cross-only");
  if (options.method == Method::sob && options.sob.form == SobForm::matrix_free)
    throw Error("sob.form is matrix_free, which needs the tables, not their moments");
  if (expansion) options.check_expanded();
  const Problem problem = set_up(moments, options);
  const std::optional<Factors> factors = factors_of(options, problem);
  Fit out{assemble(moments, options, expansion, problem, factors), {}, options, {}};
  out.certificate = certify(out.model, moments);
  finish(out, problem, factors);
  return out;
}

Fit fit(const Columns& a, const Columns& b, const FitOptions& options, const TableOptions& table) {
  options.check();
  table.check(a.cols(), b.cols());
  if (table.expand) options.check_expanded(table.expand->automatic);
  if (options.remove == Remove::spread) return fit_spread(a, b, options, table);
  if (options.remove == Remove::distribution) return fit_distribution(a, b, options, table);
  const Moments unnamed(a.cols(), b.cols(), Moments::Kind::cross);
  const std::vector<std::string>& features =
      table.feature_names.empty() ? unnamed.feature_names() : table.feature_names;
  const std::vector<std::string>& sensitive =
      table.sensitive_names.empty() ? unnamed.sensitive_names() : table.sensitive_names;
  std::optional<Expansion> expansion;
  MatrixXd expanded;
  if (table.expand) {
    expansion = Expansion::fit(b, sensitive, *table.expand, table.weights);
    if (table.expand->automatic) return fit_with_chosen_terms(a, b, features, *expansion, options, table);
    expanded = expansion->transform(b, table.weights);
  }
  const Columns phi = table.expand ? Columns(expanded) : b;
  const bool matrix_free =
      options.method == Method::sob && options.mode == Mode::aware && !options.has_noise() &&
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
  finish(out, problem, factors);
  return out;
}

}  // namespace plumbline
