// Mini-batch training of one network: in each epoch the rows in a new random order, cut into batches; for each batch
//
//   forward,  L = mean over its cells of the loss,  backward,  one step of Adam
//
// x: n × inputs, t: n × outputs. The last batch of an epoch is what is left, of fewer rows. The loss of an epoch is the
// mean over its rows, each at the parameters of its step.
//
// Early stopping: `validation` of the rows, rounded up, are drawn by the seed and kept out of training. After each
// epoch their loss is taken; training stops when it has not fallen for `patience` epochs, and the parameters of the
// epoch with the lowest are the result. Without validation the result is that of the last epoch.
//
// After each epoch the callback is told; when it returns false, training stops as if that epoch had been the last.
//
// All that is random follows from the seed (random_stream.h), and one run uses one thread: the same seed gives the same
// bits for one instruction set. Nothing is allocated from the first epoch to the last.
//
// Trainer is one step at a time, for training of other forms.
//
// Error when an option is out of range, shapes disagree, a cell is not finite, or no rows are left to train on. Error
// too when training diverges: the loss or a parameter stops being finite; the message names the epoch, the learning
// rate and what to change.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>

#include "predict/adam.h"
#include "predict/epoch_rows.h"
#include "predict/loss.h"
#include "predict/network.h"

namespace plumbline {

struct TrainingOptions {
  Loss loss = Loss::mse;
  int epochs = 2000;            // ≥ 1
  Eigen::Index batch = 256;     // ≥ 1
  double learning_rate = 1e-4;  // > 0; Adam's other options are its defaults
  std::uint64_t seed = 0;       // of the order of rows and of the validation part
  double validation = 0;        // 0 ≤ share < 1; 0: no early stopping
  int patience = 50;            // ≥ 1; without validation it does not matter

  void check() const;  // throws Error naming the field
};

struct Epoch {
  int number = 0;              // 1, 2, …
  double loss = 0;             // of the training rows
  double validation_loss = 0;  // 0 without a validation part
};

// False: stop.
using EpochCallback = std::function<bool(const Epoch&)>;

enum class Stopped { at_last_epoch, early, by_callback };

template <class T>
struct Training {
  Vector<T> parameters;
  Epoch last;  // the last epoch run
  Epoch best;  // the one that parameters are of
  Stopped stopped = Stopped::at_last_epoch;
};

// From the given parameters on.
template <class T>
Training<T> train(const Network& network, Vector<T> parameters, const Cells<T>& x, const Cells<T>& t,
                  const TrainingOptions& options, const EpochCallback& callback = {});

// A network, its parameters, Adam, the rows to train on and room for batches of up to most_rows of them.
template <class T>
class Trainer {
 public:
  Trainer(Network network, Vector<T> parameters, Loss loss, const AdamOptions& options, const Cells<T>& x,
          const Cells<T>& t, Eigen::Index most_rows);

  // One step on these rows; the loss is that before the step.
  double step(RowNumbers rows);

  double loss_of(RowNumbers rows);

  const Vector<T>& parameters() const { return parameters_; }

 private:
  double run_forward(RowNumbers rows);

  Network network_;
  Vector<T> parameters_, gradient_;
  Loss loss_;
  Adam<T> adam_;
  Workspace<T> workspace_;
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> table_;  // [x, t]
  Batch<T> batch_, dy_;                                                      // some rows of it
};

}  // namespace plumbline
