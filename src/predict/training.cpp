#include "predict/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "plumbline/error.h"
#include "predict/network_kernels.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Rows = RowNumbers;

template <class T>
void check_cells(const char* what, const Cells<T>& cells, Index rows, Index cols) {
  if (cells.rows() != rows || cells.cols() != cols)
    throw Error(fmt::format("{} is {} × {}; for this network and these rows it must be {} × {}", what, cells.rows(),
                            cells.cols(), rows, cols));
  check_finite(what, cells);
}

// The mean of `loss(rows of a batch)` over all rows.
template <class Function>
double mean_over_batches(Rows rows, Index batch, const Function& loss) {
  double sum = 0;
  for_each_batch(rows, batch, [&](Rows some) { sum += loss(some) * static_cast<double>(some.size()); });
  return sum / static_cast<double>(rows.size());
}

}  // namespace

void TrainingOptions::check() const {
  AdamOptions{.learning_rate = learning_rate}.check();
  if (epochs < 1) throw Error(fmt::format("epochs is {}; it must be at least 1", epochs));
  if (batch < 1) throw Error(fmt::format("batch is {}; it must be at least 1", batch));
  if (!(validation >= 0 && validation < 1))
    throw Error(fmt::format("validation is {}; it must be at least 0 and below 1", validation));
  if (patience < 1) throw Error(fmt::format("patience is {}; it must be at least 1", patience));
}

template <class T>
Trainer<T>::Trainer(Network network, Vector<T> parameters, Loss loss, const AdamOptions& options, const Cells<T>& x,
                    const Cells<T>& t, Index most_rows)
    : network_(std::move(network)),
      parameters_(std::move(parameters)),
      gradient_(Vector<T>::Zero(network_.parameter_count())),
      loss_(loss),
      adam_(network_.parameter_count(), options),
      workspace_(network_, most_rows),
      table_(x.rows(), network_.inputs() + network_.outputs()),
      batch_(most_rows, table_.cols()),
      dy_(most_rows, network_.outputs()) {
  if (parameters_.size() != network_.parameter_count())
    throw Error(fmt::format("the parameters of a network have {} numbers; its layers have {}", parameters_.size(),
                            network_.parameter_count()));
  check_cells("x", x, x.rows(), network_.inputs());
  check_cells("t", t, x.rows(), network_.outputs());
  table_ << x, t;
}

template <class T>
double Trainer<T>::run_forward(Rows rows) {
  for (const std::int32_t row : rows)
    if (row < 0 || row >= table_.rows())
      throw Error(fmt::format("row {} is in a batch; x has rows 0 to {}", row, table_.rows() - 1));
  for (Batch<T>* const batch : {&batch_, &dy_}) batch->set_rows(static_cast<Index>(rows.size()));
  network_kernels<T>().gather(table_.data(), rows.data(), batch_.view().for_kernels());
  const BatchView<const T> all = std::as_const(batch_).view();
  const auto y = network_.forward(parameters_, all.columns(0, network_.inputs()), workspace_);
  return loss_and_slope<T>(loss_, y, all.columns(network_.inputs(), network_.outputs()), dy_.view());
}

template <class T>
double Trainer<T>::loss_of(Rows rows) {
  return mean_over_batches(rows, batch_.most_rows(), [&](Rows some) { return run_forward(some); });
}

template <class T>
double Trainer<T>::step(Rows rows) {
  const double loss = run_forward(rows);
  gradient_.setZero();
  network_.backward(parameters_, dy_.view(), workspace_, gradient_);
  adam_.step(gradient_, parameters_);
  return loss;
}

template <class T>
Training<T> train(const Network& network, Vector<T> parameters, const Cells<T>& x, const Cells<T>& t,
                  const TrainingOptions& options, const EpochCallback& callback) {
  options.check();
  const Index n = x.rows();
  EpochRows rows(n, options.seed);
  const Rows validation = rows.set_aside(static_cast<Index>(std::ceil(options.validation * static_cast<double>(n))));
  const bool held = !validation.empty();

  Trainer<T> trainer(network, std::move(parameters), options.loss, {.learning_rate = options.learning_rate}, x, t,
                     std::min(options.batch, n));
  Training<T> out;
  out.parameters = trainer.parameters();
  for (int number = 1; number <= options.epochs; ++number) {
    rows.shuffle();
    Epoch& epoch = out.last;
    epoch.number = number;
    epoch.loss = mean_over_batches(rows.all(), options.batch, [&](Rows some) { return trainer.step(some); });
    if (held) epoch.validation_loss = trainer.loss_of(validation);
    check_divergence(number, options.learning_rate, std::isfinite(epoch.loss) && std::isfinite(epoch.validation_loss),
                     trainer.parameters().allFinite());
    if (!held || number == 1 || epoch.validation_loss < out.best.validation_loss) {
      out.best = epoch;
      if (held) out.parameters = trainer.parameters();
    }
    const bool goes_on = !callback || callback(epoch);
    if (!goes_on) out.stopped = Stopped::by_callback;
    if (goes_on && held && number - out.best.number >= options.patience) out.stopped = Stopped::early;
    if (out.stopped != Stopped::at_last_epoch) break;
  }
  if (!held) out.parameters = trainer.parameters();
  return out;
}

#define PLUMBLINE_INSTANTIATE(T)                                                                                     \
  template class Trainer<T>;                                                                                         \
  template Training<T> train<T>(const Network&, Vector<T>, const Cells<T>&, const Cells<T>&, const TrainingOptions&, \
                                const EpochCallback&);
PLUMBLINE_INSTANTIATE(double)
PLUMBLINE_INSTANTIATE(float)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline
