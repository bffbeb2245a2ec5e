#include "paper/theory/reconstruction.h"

#include <fmt/format.h>

#include <cmath>

#include "debias/svd.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double moved(const MatrixXd& a, const VectorXd& b, Index k, Basis basis) {
  const Fit fitted = fit(a, b, {.basis = basis, .rank = Rank::count(k), .standardize = false}, {.threads = 1});
  return (a - fitted.model.apply(a, b, {.threads = 1})).squaredNorm();
}

}  // namespace

std::vector<Reconstruction> reconstructions(const MatrixXd& a, const VectorXd& b) {
  if (a.rows() <= a.cols() || b.size() != a.rows())
    throw Error(fmt::format("a is {} × {} and b has {} rows; a must have more rows than columns, and b as many",
                            a.rows(), a.cols(), b.size()));
  const MatrixXd centred = a.rowwise() - a.colwise().mean();
  const VectorXd along = (b.array() - b.mean()).matrix().normalized();
  const Svd svd = thin_svd(centred);
  const double all = centred.squaredNorm();
  std::vector<Reconstruction> out;
  for (Index k = 1; k <= a.cols(); ++k) {
    const MatrixXd scores = svd.u.leftCols(k) * svd.values.head(k).asDiagonal();
    const double cut = svd.values.tail(svd.values.size() - k).squaredNorm();
    const double removed = (along.transpose() * scores).squaredNorm();  // of P, 11ᵀ/n meets centred scores
    const auto factor = static_cast<double>(k);
    out.push_back({.paper = moved(centred, b, k, Basis::paper) / all,
                   .optimal = moved(centred, b, k, Basis::optimal) / all,
                   .lemma = (cut + removed) / all,
                   .printed = std::pow(std::sqrt(cut) + factor * std::sqrt(removed), 2) / all,
                   .printed_squared = (cut + factor * factor * removed) / all});
  }
  return out;
}

}  // namespace plumbline
