// What training makes small: the mean over all cells of a batch of a loss of the outputs y against targets t.
//
//   mse          (y − t)²                                       slope 2 (y − t)
//   bce          −t log y − (1 − t) log(1 − y),  0 ≤ y ≤ 1      slope (y − t) / (y (1 − y))
//   bce_logits   the same at y = 1 / (1 + e^{−η}), of η         slope y − t
//
// As in PyTorch, bce takes no logarithm below −100 and divides by no less than 1e-12. bce_logits, for a last layer that
// is linear, loses no digits of the loss however sure the network is, and is the one to train with; its slope is exact
// to a rounding of 1, so that where t = 1 it is 0 once 1 − y is below that (in float from η = 17 on). 0 ≤ t ≤ 1 for
// both.
//
// loss_and_slope returns weight × loss and writes its derivative by y to dy; y, t and dy may be some columns of larger
// batches, so that several losses can share the outputs of one network. Error when shapes disagree.
#pragma once

#include "predict/batch.h"

namespace plumbline {

enum class Loss { mse, bce, bce_logits };

const char* name_of(Loss loss);

template <class T>
double loss_and_slope(Loss loss, ReadBatch<T> y, ReadBatch<T> t, BatchView<T> dy, double weight = 1);

}  // namespace plumbline
