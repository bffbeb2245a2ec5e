#include "debias/learn_spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/names.h"
#include "debias/assemble.h"
#include "debias/barycentre.h"
#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNoDirection = 1e-4;  // of the variance of w, left by φ
constexpr double kNoShare = 1e-7;      // of the largest variance: nothing is left of such directions
constexpr int kMostSteps = 500;
constexpr std::size_t kMostListed = 5;

// e = (1, z, v) as linear functions of (w, φ − o): z as in sensitive_factor.h, v uncorrelated directions of w of unit
// variance that z does not have.
struct Terms {
  MatrixXd of_inputs;  // (1 + r + d) × (K + p)
  MatrixXd w_to_v;     // d × K:  v = V (w − C (1, z))
  MatrixXd w_on_z;     // C, K × (1 + r)
};

// Sums over rows in working units, over the weight of all rows.
struct RegionSums {
  MatrixXd ee;      // E w_k e eᵀ
  MatrixXd eu;      // E w_k e uᵀ, u = a'
  MatrixXd uu;      // E w_k u uᵀ; for cross-only moments empty
  VectorXd square;  // its diagonal
  double share = 0, rows = 0;
};

Terms terms_of(const RegionMoments& moments, const Problem& problem) {
  const Index k = moments.regions(), p = moments.whole().sensitive(), r = problem.b.rank();
  const double weight = moments.whole().weight();
  MatrixXd all = MatrixXd::Zero(k + p, k + p);
  for (Index at = 0; at < k; ++at) all += moments.products(at).topLeftCorner(k + p, k + p);
  all = MatrixXd(all.selfadjointView<Eigen::Lower>()) / weight;
  MatrixXd first = MatrixXd::Zero(1 + r, k + p);  // (1, z)
  first.row(0).head(k).setOnes();
  const VectorXd offset = problem.b.whitener * (moments.origin_b() - problem.c.b.mean);
  first.bottomLeftCorner(r, k).colwise() = offset;
  first.bottomRightCorner(r, p) = problem.b.whitener;

  const MatrixXd gram = first * all * first.transpose(), with_w = first * all.leftCols(k);
  Terms out;
  out.w_on_z = solve(gram, with_w).transpose();
  const MatrixXd left = all.topLeftCorner(k, k) - out.w_on_z * with_w;
  const VectorXd share = all.topLeftCorner(k, k).rowwise().sum();
  const VectorXd variance = all.topLeftCorner(k, k).diagonal() - share.cwiseAbs2();
  const VectorXd inverse = (variance.array() > 1e-14).select(variance.cwiseMax(1e-14).cwiseSqrt().cwiseInverse(), 0.0);
  const SymmetricEigen eigen =
      symmetric_eigen(inverse.asDiagonal() * ((left + left.transpose()) / 2) * inverse.asDiagonal());
  const Index d = (eigen.values.array() > kNoDirection).count();
  out.w_to_v = eigen.values.head(d).cwiseSqrt().cwiseInverse().asDiagonal() * eigen.vectors.leftCols(d).transpose() *
               inverse.asDiagonal();
  out.of_inputs.resize(1 + r + d, k + p);
  out.of_inputs.topRows(1 + r) = first;
  out.of_inputs.bottomRows(d) = -out.w_to_v * out.w_on_z * first;
  out.of_inputs.bottomLeftCorner(d, k) += out.w_to_v;
  return out;
}

std::vector<RegionSums> sums_of(const RegionMoments& moments, const Problem& problem, const Terms& terms) {
  const Index k = moments.regions(), p = moments.whole().sensitive(), q = moments.features();
  const double weight = moments.whole().weight();
  const VectorXd inverse = problem.c.a.scale.cwiseInverse(),
                 offset = (moments.origin_a() - problem.c.a.mean).cwiseProduct(inverse);
  std::vector<RegionSums> out;
  for (Index at = 0; at < k; ++at) {
    const MatrixXd& m = moments.products(at);
    const MatrixXd inputs = m.topLeftCorner(k + p, k + p).selfadjointView<Eigen::Lower>();
    const MatrixXd cross = m.block(k + p, 0, q, k + p);  // (a − o)(w, φ − o)ᵀ
    const VectorXd sums = cross.leftCols(k).rowwise().sum(), of_inputs = inputs.leftCols(k).rowwise().sum();
    const double total = of_inputs.head(k).sum();
    RegionSums s;
    s.ee = terms.of_inputs * inputs * terms.of_inputs.transpose() / weight;
    s.eu = terms.of_inputs * (cross.transpose() * inverse.asDiagonal() + of_inputs * offset.transpose()) / weight;
    const VectorXd scaled = inverse.cwiseProduct(sums);
    s.square = (inverse.cwiseAbs2().cwiseProduct(moments.squares_a(at)) + 2 * scaled.cwiseProduct(offset) +
                total * offset.cwiseAbs2()) /
               weight;
    if (moments.whole().kind() == Moments::Kind::full) {
      const MatrixXd products = m.bottomRightCorner(q, q).selfadjointView<Eigen::Lower>();
      s.uu = (inverse.asDiagonal() * products * inverse.asDiagonal() + scaled * offset.transpose() +
              offset * scaled.transpose() + total * offset * offset.transpose())
                 .eval() /
             weight;
    }
    s.share = total / weight;
    const double squares = of_inputs[at];
    s.rows = squares > 0 ? total * total / squares : 0;
    out.push_back(std::move(s));
  }
  return out;
}

// From sums of u to sums of y = Lᵀ u; an L of no columns stands for all features but those that are left out.
RegionSums projected(RegionSums s, const MatrixXd& left, const std::vector<Index>& without) {
  if (left.cols() > 0) {
    s.eu = s.eu * left;
    s.uu = left.transpose() * s.uu * left;
    s.square = s.uu.diagonal();
    return s;
  }
  for (const Index j : without) {
    s.eu.col(j).setZero();
    s.square[j] = 0;
    if (s.uu.size() == 0) continue;
    s.uu.row(j).setZero();
    s.uu.col(j).setZero();
  }
  return s;
}

// E w_k r rᵀ of r = y − Hᵀe.
MatrixXd residual_products(const RegionSums& s, const MatrixXd& h) {
  const MatrixXd cross = h.transpose() * s.eu;
  const MatrixXd out = s.uu - cross - cross.transpose() + h.transpose() * s.ee * h;
  return (out + out.transpose()) / 2;
}

VectorXd residual_squares(const RegionSums& s, const MatrixXd& h) {
  return s.square + (h.cwiseProduct(s.ee * h - 2 * s.eu)).colwise().sum().transpose();
}

MatrixXd mapped(const MatrixXd& x, const SpreadParts& parts, std::size_t k) {
  if (parts.maps.empty()) return x * parts.scales.row(static_cast<Index>(k)).asDiagonal();
  return x * parts.maps[k];
}

// What H lacks so that Σ_k E w_k e rᵀ T_k = 0: conjugate gradients, for Σ_k E w_k e eᵀ is the identity.
MatrixXd generalised_step(const std::vector<RegionSums>& sums, const MatrixXd& h, const SpreadParts& parts) {
  MatrixXd left = MatrixXd::Zero(h.rows(), h.cols());
  for (std::size_t k = 0; k < sums.size(); ++k) left += mapped(sums[k].eu - sums[k].ee * h, parts, k);
  MatrixXd step = MatrixXd::Zero(h.rows(), h.cols()), direction = left;
  double square = left.squaredNorm();
  const double enough = 1e-32 * static_cast<double>(h.size());
  for (int i = 0; i < kMostSteps && square > enough; ++i) {
    MatrixXd image = MatrixXd::Zero(h.rows(), h.cols());
    for (std::size_t k = 0; k < sums.size(); ++k) image += mapped(sums[k].ee * direction, parts, k);
    const double curvature = direction.cwiseProduct(image).sum();
    if (!(curvature > 0)) break;
    step += square / curvature * direction;
    left -= square / curvature * image;
    const double next = left.squaredNorm();
    direction = left + next / square * direction;
    square = next;
  }
  return step;
}

void solve_diagonal(const std::vector<VectorXd>& squares, const VectorXd& shares, SpreadParts& parts) {
  const auto k = static_cast<Index>(squares.size()), m = squares.front().size();
  VectorXd pooled = VectorXd::Zero(m), root = VectorXd::Zero(m);
  for (Index at = 0; at < k; ++at) pooled += squares[static_cast<std::size_t>(at)];
  MatrixXd sd(k, m);
  for (Index at = 0; at < k; ++at) {
    VectorXd own = pooled;
    if (shares[at] > 0)
      own = (1 - parts.shrunk[at]) * squares[static_cast<std::size_t>(at)].cwiseMax(0.0) / shares[at] +
            parts.shrunk[at] * pooled;
    sd.row(at) = own.cwiseMax(0.0).cwiseSqrt();
    root += shares[at] * sd.row(at).transpose();
  }
  const double least = kNoShare * kNoShare * pooled.maxCoeff();
  parts.scales = SpreadParts::RowMajor::Zero(k, m);
  for (Index j = 0; j < m; ++j)
    for (Index at = 0; at < k && pooled[j] > least; ++at)
      if (sd(at, j) > 0) parts.scales(at, j) = root[j] / sd(at, j);
  parts.centre = root.cwiseAbs2().transpose();
}

void solve_full(const std::vector<MatrixXd>& products, const VectorXd& shares, const SpreadOptions& options,
                const SymmetricEigen& pooled, Index d, const std::vector<Index>& without, SpreadParts& parts) {
  const MatrixXd axes = pooled.vectors.leftCols(d);
  const MatrixXd of_all = pooled.values.head(d).asDiagonal();
  std::vector<MatrixXd> covariances;
  for (std::size_t k = 0; k < products.size(); ++k) {
    const auto at = static_cast<Index>(k);
    covariances.push_back(of_all);
    if (shares[at] > 0)
      covariances.back() =
          (1 - parts.shrunk[at]) * (axes.transpose() * products[k] * axes) / shares[at] + parts.shrunk[at] * of_all;
  }
  const Barycentre found = bures_barycentre(covariances, shares, options.tolerance, options.max_iterations);
  for (const MatrixXd& map : found.maps) {
    SpreadParts::RowMajor& full = parts.maps.emplace_back(axes * map * axes.transpose());
    for (const Index j : without) {  // an axis has rounding there
      full.row(j).setZero();
      full.col(j).setZero();
    }
  }
  parts.centre = axes * found.centre * axes.transpose();
  parts.iterations = found.iterations;
  parts.converged = found.converged;
}

std::vector<std::string> notes_of(const SpreadParts& parts, Index dimensions, const PartitionOptions& asked) {
  const Index k = parts.rows.size();
  std::vector<std::string> out, thin;
  double fewest = parts.rows.size() > 0 ? parts.rows.minCoeff() : 0;
  for (Index at = 0; at < k; ++at)
    if (parts.shrunk[at] > 0.5) thin.push_back(fmt::format("region {} ({:.0f} rows)", at + 1, parts.rows[at]));
  out.push_back(
      fmt::format("{} are made equal over {} regions of the sensitive columns, of {:.0f} effective rows and more",
                  parts.maps.empty() ? "means and variances" : "means and covariances", k, fewest));
  if (k < asked.regions)
    out.push_back(fmt::format("{} regions were asked for and there are {}: each needs {} rows and values of its own",
                              asked.regions, k, asked.least_rows));
  if (!thin.empty()) {
    const std::size_t count = thin.size();
    if (count > kMostListed) thin.resize(kMostListed);
    out.push_back(fmt::format(
        "{} of {} regions take more than half of their spread from all rows, for {} dimensions need {} rows of a "
        "region: {}{}",
        count, k, dimensions, dimensions + 1, fmt::join(thin, ", "), count > kMostListed ? " …" : ""));
  }
  if (!parts.converged)
    out.push_back(fmt::format("the common spread was still moving after {} steps", parts.iterations));
  return out;
}

}  // namespace

LearnedSpread learn_spread(const RegionMoments& moments, const FitOptions& options) {
  const Index regions = moments.regions(), q = moments.features();
  const Moments& whole = moments.whole();
  const SpreadOptions& how = options.spread;
  if (whole.weight() == 0) throw Error("there are no rows of positive weight; spreads cannot be made equal");
  if (regions > whole.rows())
    throw Error(fmt::format("there are {} regions and {} rows; each region needs rows of its own, so take fewer",
                            regions, whole.rows()));
  if (whole.kind() == Moments::Kind::cross && options.moments_needed() == Moments::Kind::full)
    throw Error("covariances within regions need full moments; these are cross-only");

  LearnedSpread out;
  out.problem = set_up(whole, options);
  Problem& problem = out.problem;
  const Terms terms = terms_of(moments, problem);
  std::vector<RegionSums> sums = sums_of(moments, problem, terms);

  // The regression on e, and what it leaves of the features.
  MatrixXd gram = MatrixXd::Zero(terms.of_inputs.rows(), terms.of_inputs.rows()),
           with_u = MatrixXd::Zero(gram.rows(), q);
  for (const RegionSums& s : sums) {
    gram += s.ee;
    with_u += s.eu;
  }
  const MatrixXd regression = solve(gram, with_u);
  const Index d = terms.w_to_v.rows();
  const MatrixXd explained = regression.bottomRows(d);  // v are uncorrelated with 1 and z, of unit variance
  problem.r.variance -= explained.cwiseAbs2().colwise().sum().transpose();
  if (problem.r.covariance.size() > 0) problem.r.covariance -= explained.transpose() * explained;
  for (Index j = 0; j < q; ++j) {
    if (problem.c.aa_diagonal[j] == 0 || problem.r.variance[j] > 1e-12 * problem.c.aa_diagonal[j]) continue;
    std::vector<Index>& gone = problem.r.fully_explained;
    if (std::find(gone.begin(), gone.end(), j) == gone.end())
      gone.insert(std::upper_bound(gone.begin(), gone.end(), j), j);
    problem.r.variance[j] = 0;
    if (problem.r.covariance.size() == 0) continue;
    problem.r.covariance.row(j).setZero();
    problem.r.covariance.col(j).setZero();
  }
  out.factors = factors_of(options, problem);

  // In the coordinates of s.
  std::vector<Index> without = problem.r.fully_explained;
  without.insert(without.end(), problem.c.a.constant.begin(), problem.c.a.constant.end());
  const MatrixXd left = out.factors ? out.factors->left : MatrixXd(q, 0);
  if (out.factors && left.cols() == 0) throw Error("nothing is left of any feature: there is no spread to make equal");
  const std::vector<RegionSums> of_features = sums;
  for (RegionSums& s : sums) s = projected(std::move(s), left, without);
  const Index m = out.factors ? left.cols() : q;
  MatrixXd h = out.factors ? MatrixXd(regression * left) : regression;
  if (!out.factors)
    for (const Index j : without) h.col(j).setZero();

  SpreadParts parts;
  parts.partition = moments.partition();
  parts.alpha = options.alpha;
  parts.kept = VectorXd::Constant(q, 1 - options.alpha);
  VectorXd shares(regions);
  parts.rows.resize(regions);
  parts.shrunk.resize(regions);
  for (Index k = 0; k < regions; ++k) {
    shares[k] = sums[static_cast<std::size_t>(k)].share;
    parts.rows[k] = sums[static_cast<std::size_t>(k)].rows;
  }
  std::vector<MatrixXd> products;
  std::vector<VectorXd> squares;
  SymmetricEigen pooled;
  Index dimensions = 1;
  if (how.diagonal) {
    for (const RegionSums& s : sums) squares.push_back(residual_squares(s, h));
  } else {
    MatrixXd all = MatrixXd::Zero(m, m);
    for (const RegionSums& s : sums) all += products.emplace_back(residual_products(s, h));
    pooled = symmetric_eigen(all);
    if (!(pooled.values[0] > 0)) throw Error("nothing is left of any feature: there is no spread to make equal");
    dimensions = (pooled.values.array() > kNoShare * pooled.values[0]).count();
  }
  const double prior = how.shrinkage * static_cast<double>(dimensions + 1);
  for (Index k = 0; k < regions; ++k) parts.shrunk[k] = prior + parts.rows[k] > 0 ? prior / (prior + parts.rows[k]) : 1;
  if (how.diagonal)
    solve_diagonal(squares, shares, parts);
  else
    solve_full(products, shares, how, pooled, dimensions, out.factors ? std::vector<Index>() : without, parts);
  h += generalised_step(sums, h, parts);

  // e = (1, z, v) in terms of w and z: z stays with the affine model.
  const MatrixXd of_v = terms.w_to_v.transpose() * h.bottomRows(d);  // K × m
  const MatrixXd moved = h.topRows(h.rows() - d) - terms.w_on_z.transpose() * of_v;
  parts.means = of_v.rowwise() + moved.row(0);
  const MatrixXd of_z = moved.bottomRows(moved.rows() - 1);  // r × m

  FitOptions full = options;
  full.alpha = 1;
  AffineParts affine = assemble(whole, full, moments.expansion(), problem, out.factors).parts();
  if (out.factors)
    affine.project_b = -of_z.transpose();
  else
    affine.output = -(problem.c.a.scale.asDiagonal() * of_z.transpose());
  out.model = AffineModel(std::move(affine));

  // What this does to the moments.
  const MatrixXd to_features = out.factors ? out.factors->right : MatrixXd::Identity(m, m);
  MatrixXd with_e = MatrixXd::Zero(h.rows(), m), with_u_after = MatrixXd::Zero(m, q);
  VectorXd own = VectorXd::Zero(m);
  out.most = VectorXd::Zero(q);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    with_e += mapped(sums[k].eu - sums[k].ee * h, parts, k);
    if (how.diagonal && !out.factors) {
      const VectorXd scale = parts.scales.row(static_cast<Index>(k)).transpose();
      own += scale.cwiseProduct(sums[k].square - h.cwiseProduct(sums[k].eu).colwise().sum().transpose());
      out.most += scale.cwiseAbs2().cwiseProduct(residual_squares(sums[k], h));
      continue;
    }
    const MatrixXd lu = out.factors ? MatrixXd(left.transpose() * of_features[k].uu) : sums[k].uu;
    with_u_after += mapped((lu - h.transpose() * of_features[k].eu).transpose(), parts, k).transpose();
    const MatrixXd half = mapped(to_features, parts, k);
    out.most += (half * residual_products(sums[k], h)).cwiseProduct(half).rowwise().sum();
  }
  out.with_a =
      how.diagonal && !out.factors ? own : VectorXd(to_features.cwiseProduct(with_u_after.transpose()).rowwise().sum());
  if (parts.maps.empty())
    out.variance = to_features.cwiseAbs2() * parts.centre.row(0).transpose();
  else
    out.variance = (to_features * parts.centre).cwiseProduct(to_features).rowwise().sum();
  out.with_b = with_e.middleRows(1, problem.b.rank()).transpose() * solve(problem.b.zz, problem.b.bz.transpose());
  out.with_b = to_features * out.with_b;
  out.notes = notes_of(parts, dimensions, how.partition);
  out.spread = Spread(std::move(parts));
  out.spread.check_fits(out.model);
  return out;
}

}  // namespace plumbline
