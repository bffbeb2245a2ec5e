#include "methods/penalised_loss.h"

#include <fmt/format.h>

#include "plumbline/error.h"

namespace plumbline {

using Eigen::Index;

template <class T>
double penalised_loss_and_slope(ReadBatch<T> y, ReadBatch<T> t, double penalty, T share, BatchView<T> dy) {
  const Index n = t.rows(), m = n > 0 ? y.rows() / n - 2 : 0;
  if (m < 1 || y.rows() != n * (m + 2) || dy.rows() != y.rows() || y.cols() != 1 || t.cols() != 1 || dy.cols() != 1)
    throw Error(
        fmt::format("y is {} × {}, t is {} × {} and dy is {} × {}; each must have 1 column, y and dy at least three "
                    "whole blocks of the rows of t",
                    y.rows(), y.cols(), t.rows(), t.cols(), dy.rows(), dy.cols()));
  const T *const own = y.data() + n, *const other = own + n;
  T *const d_own = dy.data() + n, *const d_other = d_own + n;
  const auto pull_share = static_cast<T>(penalty) * share / static_cast<T>(m);
  double loss = 0;
  for (Index i = 0; i < n; ++i) {
    const T off = y.data()[i] - t.data()[i];
    loss += static_cast<double>(share * off * off);
    dy.data()[i] = 2 * share * off;
    T pull = 0;
    for (Index d = 0; d < m; ++d) {
      const T apart = other[d * n + i] - own[i];
      loss += static_cast<double>(pull_share * apart * apart);
      d_other[d * n + i] = 2 * pull_share * apart;
      pull += apart;
    }
    d_own[i] = -2 * pull_share * pull;
  }
  return loss;
}

template double penalised_loss_and_slope<float>(ReadBatch<float>, ReadBatch<float>, double, float, BatchView<float>);
template double penalised_loss_and_slope<double>(ReadBatch<double>, ReadBatch<double>, double, double,
                                                 BatchView<double>);

}  // namespace plumbline
