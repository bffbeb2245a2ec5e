#include "methods/chain_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Halves {
  explicit Halves(const MatrixXd& draws) {
    if (draws.rows() < 4 || draws.cols() < 1)
      throw Error(fmt::format("there are {} draws of {} chains; at least 4 draws of one chain are needed", draws.rows(),
                              draws.cols()));
    if (!draws.allFinite()) throw Error("a draw is not finite; the chains must be of finite numbers");
    const Index n = draws.rows() / 2, m = draws.cols();
    MatrixXd halves(n, 2 * m);
    halves << draws.topRows(n), draws.bottomRows(n);
    const Eigen::RowVectorXd means = halves.colwise().mean();
    centred = halves.rowwise() - means;
    within = centred.colwise().squaredNorm().mean() / static_cast<double>(n - 1);
    between = (means.array() - means.mean()).square().sum() / static_cast<double>(2 * m - 1);
    total = within * static_cast<double>(n - 1) / static_cast<double>(n) + between;
    // What rounding leaves of a constant is no variance.
    const double size = halves.cwiseAbs().maxCoeff() * 1e-14;
    if (within <= size * size) within = 0;
    if (between <= size * size) between = 0;
  }

  double autocorrelation(Index lag) const {
    const Index n = centred.rows();
    const double covariance =
        centred.topRows(n - lag).cwiseProduct(centred.bottomRows(n - lag)).sum() / static_cast<double>(centred.size());
    return 1 - (within - covariance) / total;
  }

  MatrixXd centred;
  double within = 0, between = 0, total = 0;
};

}  // namespace

double split_rhat(const MatrixXd& draws) {
  const Halves halves(draws);
  if (halves.within == 0) return halves.between == 0 ? 1 : std::numeric_limits<double>::infinity();
  return std::sqrt(halves.total / halves.within);
}

double effective_sample_size(const MatrixXd& draws) {
  const Halves halves(draws);
  const auto count = static_cast<double>(halves.centred.size());
  if (halves.within == 0) return halves.between == 0 ? count : 1;
  double sum = 0, last = std::numeric_limits<double>::infinity();
  for (Index lag = 0; lag + 1 < halves.centred.rows(); lag += 2) {
    const double pair = (lag == 0 ? 1 : halves.autocorrelation(lag)) + halves.autocorrelation(lag + 1);
    if (pair <= 0) break;
    last = std::min(last, pair);
    sum += last;
  }
  return std::min(count / std::max(2 * sum - 1, 1 / std::log10(count)), count * std::log10(count));
}

}  // namespace plumbline
