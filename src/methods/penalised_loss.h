// What Adv makes small (adversarial_method.h), of what f says of rows and of their counterfactuals:
//
//   share Σ_i (y_i − t_i)² + share λ / m Σ_i Σ_d (y'_id − y°_i)²
//
// y: n (m + 2) × 1, one block of n rows after another: y_i of the rows themselves, y°_i of what the generator makes of
// them with their own b, y'_i1 … y'_im with b' 1, …, m. t: n × 1. share: 1 / rows of the whole batch, of which these
// may be a part.
//
// penalised_loss_and_slope returns it and writes its derivative by y to dy. Error when shapes disagree. Nothing is
// allocated.
#pragma once

#include "predict/batch.h"

namespace plumbline {

template <class T>
double penalised_loss_and_slope(ReadBatch<T> y, ReadBatch<T> t, double penalty, T share, BatchView<T> dy);

}  // namespace plumbline
