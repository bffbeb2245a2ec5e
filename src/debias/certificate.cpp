#include "plumbline/certificate.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "base/finite.h"
#include "base/names.h"
#include "base/ordered.h"
#include "base/weights.h"
#include "debias/covariance.h"
#include "debias/linear_algebra.h"
#include "debias/sensitive_factor.h"
#include "debias/svd.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kLeafRows = 4096;                // of the moments
constexpr Index kMeasuredRows = 16 * kLeafRows;  // so that threads have work

std::vector<std::string> pick(const std::vector<std::string>& names, const std::vector<Index>& indices) {
  std::vector<std::string> picked;
  for (const Index i : indices) picked.push_back(names[i]);
  return picked;
}

// The singular values of W K for a W with Wᵀ W = Σ_AA⁺. With L Lᵀ = Σ_AA over a basis of the features, K over that
// basis is all of K, and W = L⁻¹. `variance` is the unit in which what a feature adds to the others is too little to be
// whitened; nothing else depends on it.
struct Canonical {
  VectorXd correlations;
  Index rank = 0;  // of A
};

Canonical canonical_correlations(const MatrixXd& aa, const MatrixXd& k, const VectorXd& variance) {
  const VectorXd inverse = variance.cwiseSqrt().cwiseInverse();
  const PivotedCholesky basis = pivoted_cholesky(inverse.asDiagonal() * aa * inverse.asDiagonal(), kNoVariance);
  Canonical out{VectorXd(0), static_cast<Index>(basis.pivots.size())};
  if (basis.pivots.empty() || k.cols() == 0) return out;
  MatrixXd whitened = inverse(basis.pivots).asDiagonal() * k(basis.pivots, Eigen::all);
  solve_lower(basis.l, whitened);
  out.correlations = singular_values(whitened).cwiseMin(1.0);
  return out;
}

VectorXd or_ones(const VectorXd& variance) { return (variance.array() > 0).select(variance, 1.0); }

// |corr| of each feature with each sensitive column; 0 where one is constant.
MatrixXd correlations(const Covariance& c) {
  MatrixXd out = MatrixXd::Zero(c.aa_diagonal.size(), c.bb.rows());
  for (Index l = 0; l < out.cols(); ++l)
    for (Index j = 0; j < out.rows(); ++j) {
      const double square = static_cast<double>(c.bb(l, l)) * c.aa_diagonal[j];
      if (square > 0) out(j, l) = std::min(1.0, std::abs(c.ba(l, j)) / std::sqrt(square));
    }
  return out;
}

// R² of each feature by all of B.
VectorXd explained(const Covariance& c, const SensitiveFactor& b) {
  const VectorXd squares = (c.ba.transpose() * b.whitener_of_working.transpose()).rowwise().squaredNorm();
  return (c.aa_diagonal.array() > 0).select(squares.cwiseQuotient(c.aa_diagonal).cwiseMin(1.0), 0.0);
}

// What each feature was and is; `changed` and `total` are ‖a_j − ã_j‖² and ‖a_j‖², in one unit.
FeatureTable by_feature(const AffineParts& names, const Covariance& before, const Covariance& after,
                        const SensitiveFactor& b, const VectorXd& changed, const VectorXd& total) {
  FeatureTable out{names.feature_names, names.sensitive_names, {}, explained(before, b), explained(after, b), {}, {}};
  out.change = (total.array() > 0).select(changed.cwiseMax(0.0).cwiseQuotient(total).cwiseSqrt(), 0.0);
  if (before.ba.size() > FeatureTable::kMostPairs) return out;
  out.correlation_before = correlations(before);
  out.correlation_after = correlations(after);
  return out;
}

// What a standard normal number exceeds with probability p < 1/2: Newton's method on its tail.
double normal_tail(double p) {
  double x = std::sqrt(-2 * std::log(p));
  for (int i = 0; i < 50; ++i) {
    const double tail = 0.5 * std::erfc(x / std::sqrt(2.0));
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    const double step = (tail - p) / density;
    x += step;
    if (std::abs(step) < 1e-12) break;
  }
  return x;
}

// How A, with the covariances of c, depends on B. `before` are the variances of A before, which is its unit.
// `rank` becomes that of A, where it is computed.
BeforeAfter describe(const Covariance& c, const VectorXd& before, const SensitiveFactor& b, const AffineParts& names,
                     std::optional<Index>* rank = nullptr) {
  BeforeAfter out;
  const MatrixXd k = c.ba.transpose() * b.whitener_of_working.transpose();
  for (Index j = 0; j < c.aa_diagonal.size(); ++j) {
    const double variance = c.aa_diagonal[j];
    if (!(variance > 0)) continue;
    const double share = std::min(1.0, k.row(j).squaredNorm() / variance);
    if (share > out.explained.value) out.explained = {share, names.feature_names[j], ""};
    for (Index l = 0; l < c.bb.rows(); ++l) {
      const auto own = static_cast<double>(c.bb(l, l));
      if (!(own > 0)) continue;
      const double r = std::min(1.0, std::abs(c.ba(l, j)) / std::sqrt(own * variance));
      if (r > out.correlation.value) out.correlation = {r, names.feature_names[j], names.sensitive_names[l]};
    }
  }
  if (c.aa) {
    Canonical of = canonical_correlations(*c.aa, k, (before.array() > 0).select(before, or_ones(c.aa_diagonal)));
    out.canonical = std::move(of.correlations);
    if (rank) *rank = of.rank;
  }
  return out;
}

// Second moments of the inner columns s of a model with a, b and each other, in working units.
struct Inner {
  MatrixXd as, bs, ss;  // q × k, p × k, k × k
  MatrixXd output;      // R, so that Ã has the deviations γ ∘ a + R s
};

Inner inner_moments(const AffineParts& m, const Covariance& c) {
  const VectorXd inverse = c.a.scale.cwiseInverse();
  Inner in;
  in.output = inverse.asDiagonal() * m.output;
  SensitiveFactor z;  // what the model makes of b
  z.whitener = m.reduce_b ? *m.reduce_b : AffineParts::RowMajor::Identity(m.mean_b.size(), m.mean_b.size());
  if (!m.project_a || m.project_b) set_covariances(c, z);
  if (!m.project_a) {
    in.as = z.az;
    in.bs = z.bz;
    in.ss = z.zz;
    return in;
  }
  const MatrixXd la = *m.project_a * c.a.scale.asDiagonal();
  in.as = *c.aa * la.transpose();
  in.bs = c.ba * la.transpose();
  in.ss = la * in.as;
  if (m.project_b) {
    const MatrixXd& lz = *m.project_b;
    const MatrixXd cross = la * z.az * lz.transpose();
    in.as += z.az * lz.transpose();
    in.ss += cross + cross.transpose() + lz * z.zz * lz.transpose();
    in.bs += z.bz * lz.transpose();
  }
  return in;
}

// Variances of γ ∘ a + R s.
VectorXd image_variance(const VectorXd& direct, const MatrixXd& output, const Inner& in, const Covariance& c) {
  const VectorXd own = direct.cwiseAbs2().cwiseProduct(c.aa_diagonal);
  const VectorXd cross = direct.cwiseProduct(output.cwiseProduct(in.as).rowwise().sum());
  return own + 2 * cross + (output * in.ss).cwiseProduct(output).rowwise().sum();
}

// Their covariances.
MatrixXd image_covariance(const VectorXd& direct, const Inner& in, const Covariance& c) {
  const MatrixXd cross = direct.asDiagonal() * in.as * in.output.transpose();
  return direct.asDiagonal() * *c.aa * direct.asDiagonal() + cross + cross.transpose() +
         (in.output * in.ss) * in.output.transpose();
}

void drop_noise(const VectorXd& before, Covariance& c) {
  for (Index j = 0; j < before.size(); ++j) {
    if (c.aa_diagonal[j] > kNoVariance * before[j]) continue;
    c.aa_diagonal[j] = 0;
    c.ba.col(j).setZero();
    if (!c.aa) continue;
    c.aa->row(j).setZero();
    c.aa->col(j).setZero();
  }
}

// All but the part after and the change.
Certificate start(const AffineModel& model, const Moments& moments, const Covariance& c, const SensitiveFactor& b) {
  const AffineParts& names = model.parts();
  Certificate out;
  out.rows = moments.rows();
  out.weight = moments.weight();
  out.features = model.features();
  out.sensitive = names.mean_b.size();
  out.rank = model.rank();
  out.alpha = names.alpha;
  out.before = describe(c, c.aa_diagonal, b, names);
  out.sensitive_rank = b.rank();
  out.sensitive_condition = b.condition;
  out.constant_features = pick(names.feature_names, c.a.constant);
  out.constant_sensitive = pick(names.sensitive_names, c.b.constant);
  const VectorXd left = c.aa_diagonal - b.az.rowwise().squaredNorm();
  for (Index j = 0; j < left.size(); ++j)
    if (c.aa_diagonal[j] > 0 && left[j] <= no_variance(b.condition, c.bb.rows()) * c.aa_diagonal[j])
      out.fully_explained.push_back(names.feature_names[j]);
  return out;
}

// `changed` and `total` are ‖A − Ã‖² and ‖A‖² over n, in working units.
void finish(double changed, double total, const Covariance& c, const SensitiveFactor& b, Certificate& out) {
  if (!(total > 0)) {
    out.minimum_change = out.loss = 0.0;
    return;
  }
  out.change = std::sqrt(std::max(0.0, changed) / total);
  const MatrixXd& k = b.az;
  double least = k.squaredNorm();  // ‖P_B A‖²; ‖A‖² less what is kept would leave rounding where B explains little
  if (c.aa) {
    const VectorXd values = symmetric_eigenvalues(*c.aa - k * k.transpose()).cwiseMax(0.0);
    VectorXd shares(values.size());
    double sum = 0;
    for (Index i = 0; i < values.size(); ++i) shares[i] = sum += values[i];
    least += values.tail(values.size() - out.rank).sum();
    if (sum > 0) out.variance_by_rank = shares / sum;
  } else if (out.rank < out.features) {
    return;
  }
  out.minimum_change = out.alpha * std::sqrt(least / total);
  out.loss = std::max(0.0, out.change - *out.minimum_change);
}

// Of features that are independent of each other in these rows: what varies of the others is what was taken away.
std::optional<IndependenceTest> test_of(const Covariance& before, const Covariance& after, const SensitiveFactor& b,
                                        double rows, double rows_of_fit) {
  const VectorXd inverse = or_ones(before.aa_diagonal).cwiseSqrt().cwiseInverse();
  const std::vector<Index> basis =
      pivoted_cholesky(inverse.asDiagonal() * *before.aa * inverse.asDiagonal(), kNoVariance).pivots;
  if (basis.empty()) return std::nullopt;
  const MatrixXd k = after.ba(Eigen::all, basis).transpose() * b.whitener_of_working.transpose();
  const Canonical of = canonical_correlations((*after.aa)(basis, basis), k, VectorXd(before.aa_diagonal(basis)));
  return independence_test(of.correlations, rows, rows_of_fit, of.rank, b.rank());
}

// The least change is known of maps of b as observed alone.
void forget_minimum(const AffineParts& m, Certificate& out) {
  if (m.noise_b.size() == 0) return;
  out.minimum_change.reset();
  out.loss.reset();
}

// The same map of φ(b).
AffineModel without_expansion(AffineParts parts) {
  parts.expansion.reset();
  return AffineModel(std::move(parts));
}

void check_moments(const AffineModel& model, const Moments& moments) {
  const AffineParts& m = model.parts();
  for (const auto& [known, given] :
       {std::pair{&m.feature_names, &moments.feature_names()}, {&m.sensitive_names, &moments.sensitive_names()}})
    if (*given != *known)
      throw Error(fmt::format("the moments are not of the model's columns: {}", first_difference(*given, *known)));
}

// w² ((b_l − origin_l) / scale_l)², origins being the means of the first rows.
MatrixXd squares_of(const Columns& b, std::span<const double> weights, const VectorXd& scale, VectorXd& origin) {
  if (origin.size() == 0) {
    origin.resize(b.cols());
    for (Index l = 0; l < b.cols(); ++l) {
      double sum = 0;
      for (Index i = 0; i < b.rows(); ++i) sum += b(i, l);
      origin[l] = sum / static_cast<double>(b.rows());
    }
  }
  MatrixXd out(b.rows(), b.cols());
  for (Index l = 0; l < b.cols(); ++l)
    for (Index i = 0; i < b.rows(); ++i) {
      const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
      const double distance = weight == 0 ? 0 : weight * (b(i, l) - origin[l]) / scale[l];
      out(i, l) = distance * distance;
    }
  return out;
}

// What became of a feature in a block of rows.
struct MovedFeature {
  const Columns& a;
  const MatrixXd& fair;
  Index feature;
  double inverse;  // of its scale
  std::span<const double> weights;

  // Σ w ((a − ã) / scale)². The square of a row of weight 0 may be beyond a double.
  double squares(Index first, Index count) const {
    double sums[4] = {};
    const auto add = [&](Index i, Index lane) {
      const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
      const double moved = weight == 0 ? 0.0 : (a(i, feature) - fair(i, feature)) * inverse;
      sums[lane] += moved * moved * weight;
    };
    Index i = first;
    for (; i + 4 <= first + count; i += 4)
      for (Index lane = 0; lane < 4; ++lane) add(i + lane, lane);
    for (; i < first + count; ++i) add(i, 0);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  // ((ã − origin) / scale)²
  VectorXd distances(Index first, Index count, double origin) const {
    return ((fair.col(feature).segment(first, count).array() - origin) * inverse).square();
  }
};

}  // namespace

const char* name_of(Remove removed) {
  switch (removed) {
    case Remove::mean:
      return "mean";
    case Remove::spread:
      return "spread";
    case Remove::distribution:
      return "distribution";
  }
  return "";
}

std::string_view certificate_caveat(Remove removed) {
  switch (removed) {
    case Remove::mean:
      return "Zero correlation is counterfactual fairness only for predictors that depend on the mean of the features "
             "when features and sensitive columns are jointly elliptical, and for any predictor when they are jointly "
             "normal.";
    case Remove::spread:
      return "Equal means and covariances in all regions of the sensitive columns are fairness for any predictor only "
             "where nothing but mean and covariance of the features depends on these columns, as with normal features; "
             "a difference of shape stays.";
    case Remove::distribution:
      return "The features have one law for all values of the sensitive columns as far as the rows of the fit tell; "
             "what new rows still show is what the probe reads. It is counterfactual fairness for any predictor where "
             "each feature follows from the sensitive columns, the features before it and its own noise, rising in "
             "that, and the order is that one.";
  }
  return "";
}

Certificate certify(const AffineModel& model, const Moments& moments) {
  check_moments(model, moments);
  const AffineParts& m = model.parts();
  if (m.project_a && moments.kind() != Moments::Kind::full)
    throw Error("the model mixes features, so its certificate needs full moments; these are cross-only");
  const Covariance c = covariance_in_units(moments, m.scale_a, m.scale_b), truth = without_noise(c, m.noise_b);
  const SensitiveFactor b = factor_sensitive(truth);
  Certificate out = start(model, moments, truth, b);

  const Inner in = inner_moments(m, c);
  Covariance after = truth;
  const MatrixXd bs = m.noise_b.size() > 0 ? inner_moments(m, truth).bs : in.bs;
  after.ba = c.ba * m.direct.asDiagonal() + bs * in.output.transpose();
  after.aa_diagonal = image_variance(m.direct, in.output, in, c);
  if (c.aa) after.aa = image_covariance(m.direct, in, c);
  drop_noise(c.aa_diagonal, after);
  out.after = describe(after, c.aa_diagonal, b, m, &out.left_rank);

  // A − Ã deviates by (1 − γ) ∘ a − R s, and its mean is off where the data are not those of the fit.
  const VectorXd rest = VectorXd::Ones(out.features) - m.direct;
  const VectorXd off_a = c.a.mean - m.mean_a, off_b = c.b.mean - m.mean_b;
  const VectorXd off_z = m.reduce_b ? VectorXd(*m.reduce_b * off_b) : off_b;
  VectorXd off_s = m.project_a ? VectorXd(*m.project_a * off_a) : off_z;
  if (m.project_b) off_s += *m.project_b * off_z;
  const VectorXd off = (rest.cwiseProduct(off_a) - m.output * off_s).cwiseQuotient(c.a.scale);
  const VectorXd changed = image_variance(rest, -in.output, in, c) + off.cwiseAbs2();
  const VectorXd total = c.aa_diagonal + off_a.cwiseQuotient(c.a.scale).cwiseAbs2();
  finish(changed.sum(), total.sum(), truth, b, out);
  forget_minimum(m, out);
  out.varying = (after.aa_diagonal.array() > 0).count();
  out.by_feature = by_feature(m, truth, after, b, changed, total);
  return out;
}

Measurement::Measurement(const AffineModel& model, Moments::Kind kind, RowsMap map)
    : model_(model),
      of_terms_(without_expansion(model.parts())),
      map_(std::move(map)),
      before_(model.parts().feature_names, model.parts().sensitive_names, kind),
      after_(before_),
      changed_(VectorXd::Zero(model.features())),
      products_(MatrixXd::Zero(model.features(), model.parts().mean_b.size())) {}

void Measurement::update(const Columns& a, const Columns& b, const UpdateOptions& options) {
  if (a.rows() != b.rows())
    throw Error(fmt::format("a has {} rows and b has {}; they must have the same rows", a.rows(), b.rows()));
  check_weights(options.weights, a.rows());
  const AffineParts& m = model_.parts();
  Moments before = before_, after = after_;
  VectorXd changed = changed_;
  MatrixXd products = products_;
  VectorXd origin_a = origin_a_, origin_b = origin_b_;
  double weight_squares = weight_squares_;
  MatrixXd fair;
  const auto measure = [&](Index first, Index count) {
    const Columns part_a = a.middle_rows(first, count), part_b = b.middle_rows(first, count);
    UpdateOptions part = options;
    if (!options.weights.empty())
      part.weights = options.weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    MatrixXd expanded;
    if (m.expansion) expanded = m.expansion->transform(part_b, part.weights, first);
    const Columns phi = m.expansion ? Columns(expanded) : part_b;
    before.update(part_a, phi, part);
    fair.resize(count, model_.features());
    if (map_)
      map_(part_a, part_b, fair, {.threads = options.threads});
    else
      of_terms_.apply(part_a, phi, fair, {.threads = options.threads});
    if (is_narrow_) fair = fair.cast<float>().cast<double>().eval();
    after.update(fair, phi, part);
    const MatrixXd squares = is_of_fit_ ? MatrixXd(count, 0) : squares_of(phi, part.weights, m.scale_b, origin_b);
    if (origin_a.size() == 0) origin_a = fair.colwise().mean();
    run_parallel(fair.cols(), thread_count(options.threads, fair.cols()), [&](Index j, int) {
      const MovedFeature moved{part_a, fair, j, 1 / m.scale_a[j], part.weights};
      for (Index leaf = 0; leaf < count; leaf += kLeafRows) {
        const Index rows = std::min(kLeafRows, count - leaf);
        changed[j] += moved.squares(leaf, rows);
        if (squares.cols() > 0)
          products.row(j) += moved.distances(leaf, rows, origin_a[j]).transpose() * squares.middleRows(leaf, rows);
      }
    });
    if (part.weights.empty()) weight_squares += static_cast<double>(count);
    for (const double weight : part.weights) weight_squares += weight * weight;
  };
  for (Index first = 0; first < a.rows(); first += kMeasuredRows) {
    const Index count = std::min(kMeasuredRows, a.rows() - first);
    try {
      measure(first, count);
    } catch (const Error&) {  // which counts rows from the first of the part
      check_finite(b, m.expansion ? m.expansion->input_names() : m.sensitive_names, first, count);
      check_finite(a, m.feature_names, first, count);
      throw;
    }
  }
  if (!changed.allFinite())
    throw Error("the rows are so far from those of the fit that a double cannot hold the squares of their change");
  before_ = std::move(before);
  after_ = std::move(after);
  changed_ = std::move(changed);
  products_ = std::move(products);
  weight_squares_ = weight_squares;
  origin_a_ = std::move(origin_a);
  origin_b_ = std::move(origin_b);
  was_narrow_ = was_narrow_ || is_narrow_;
}

Certificate Measurement::certificate(std::optional<std::int64_t> rows_of_fit) const {
  const AffineParts& m = model_.parts();
  const Covariance c = without_noise(covariance_in_units(before_, m.scale_a, m.scale_b), m.noise_b);
  const SensitiveFactor factor = factor_sensitive(c);
  Certificate out = start(model_, before_, c, factor);
  Covariance image = without_noise(covariance_in_units(after_, m.scale_a, m.scale_b), m.noise_b);
  if (m.noise_b.size() > 0)  // that of b is part of the result
    image.ba -= m.noise_b.cwiseQuotient(m.scale_b).asDiagonal() * model_.dense_b().transpose() *
                m.scale_a.cwiseInverse().asDiagonal();
  out.after = describe(image, c.aa_diagonal, factor, m, &out.left_rank);
  const VectorXd off = (c.a.mean - m.mean_a).cwiseQuotient(c.a.scale);
  const VectorXd changed = changed_ / before_.weight(), total = c.aa_diagonal + off.cwiseAbs2();
  finish(changed.sum(), total.sum(), c, factor, out);
  forget_minimum(m, out);
  out.varying = (image.aa_diagonal.array() > 0).count();
  out.by_feature = by_feature(m, c, image, factor, changed, total);
  if (rows_of_fit) {
    measure_deviation(c, image, static_cast<double>(*rows_of_fit), out);
    const double rows = before_.weight() * before_.weight() / weight_squares_;
    if (image.aa) out.independence = test_of(c, image, factor, rows, static_cast<double>(*rows_of_fit));
  }
  if (was_narrow_)
    out.notes.emplace_back("the result is of 32-bit floats, and what their rounding leaves is measured too");
  return out;
}

// Of features that vary in these rows: of one that does not, all that varies is what was taken away.
void Measurement::measure_deviation(const Covariance& before, const Covariance& after, double rows_of_fit,
                                    Certificate& out) const {
  const AffineParts& m = model_.parts();
  const MatrixXd r = correlations(after);
  const double rows = static_cast<double>(before_.rows()), weight = before_.weight();
  const double of_fit = std::sqrt(1 + rows / std::max(rows_of_fit, 1.0));
  out.deviation.emplace();
  Index pairs = 0;
  for (Index j = 0; j < r.rows(); ++j)
    for (Index l = 0; l < r.cols(); ++l) {
      const double squares = after.aa_diagonal[j] * static_cast<double>(after.bb(l, l));
      if (!(before.aa_diagonal[j] > 0) || !(squares > 0) || !(products_(j, l) > 0)) continue;
      ++pairs;
      const double noise = m.noise_b.size() > 0 ? m.noise_b[l] / (m.scale_b[l] * m.scale_b[l]) : 0.0;
      const double spread = std::sqrt(1 + noise / static_cast<double>(after.bb(l, l)));  // of b as observed
      const double error = std::max(std::sqrt(products_(j, l) / squares) / weight, spread / std::sqrt(rows)) * of_fit;
      if (r(j, l) / error > out.deviation->value)
        out.deviation = {r(j, l) / error, m.feature_names[static_cast<std::size_t>(j)],
                         m.sensitive_names[static_cast<std::size_t>(l)]};
    }
  if (pairs == 0)
    out.deviation.reset();
  else
    out.chance = normal_tail(0.01 / (2.0 * static_cast<double>(pairs)));
}

bool FeatureTable::operator==(const FeatureTable& other) const {
  const auto same = [](const auto& x, const auto& y) { return x.rows() == y.rows() && x.cols() == y.cols() && x == y; };
  return features == other.features && sensitive == other.sensitive && same(change, other.change) &&
         same(explained_before, other.explained_before) && same(explained_after, other.explained_after) &&
         same(correlation_before, other.correlation_before) && same(correlation_after, other.correlation_after);
}

Certificate certify(const AffineModel& model, const Columns& a, const Columns& b, Moments::Kind kind,
                    const UpdateOptions& options) {
  Measurement measurement(model, kind);
  measurement.update(a, b, options);
  return measurement.certificate();
}

}  // namespace plumbline
