// The rows that a network is trained on: in a new random order for each epoch, cut into batches. The last batch of an
// epoch is what is left, of fewer rows.
//
// All follows from the seed, whose stream (random_stream.h) is read far from its start: initial parameters are drawn
// there. Error when there are no rows, more than 32 bits can count, or none are left to train on.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.h"
#include "plumbline/error.h"
#include "plumbline/poll.h"

namespace plumbline {

using RowNumbers = std::span<const std::int32_t>;

class EpochRows {
 public:
  EpochRows(Eigen::Index rows, std::uint64_t seed);

  // Keeps so many random rows out of all epochs, and gives them.
  RowNumbers set_aside(Eigen::Index count);

  void shuffle();
  RowNumbers all() const { return RowNumbers(order_).first(kept_); }

 private:
  std::vector<std::int32_t> order_;  // those set aside are last
  std::size_t kept_;
  RandomStream random_;
};

// Calls visit(rows of a batch), in order, and the caller's way out before each (plumbline/poll.h).
template <class Visit>
void for_each_batch(RowNumbers rows, Eigen::Index batch, const Visit& visit) {
  for (std::size_t first = 0; first < rows.size(); first += static_cast<std::size_t>(batch)) {
    poll();
    visit(rows.subspan(first, std::min(rows.size() - first, static_cast<std::size_t>(batch))));
  }
}

// Of a training whose loss or parameters are no longer finite: what happened, and what to change.
class Divergence : public Error {
 public:
  enum class Of { loss, parameters };
  Divergence(int epoch, double learning_rate, Of of = Of::loss);

  const std::string& event() const { return event_; }  // the first alone

 private:
  Divergence(std::string event, const char* advice) : Error(event + advice), event_(std::move(event)) {}

  std::string event_;
};

// Throws Divergence unless both are finite. A loss is that before a step, so that parameters can be the first to fail.
void check_divergence(int epoch, double learning_rate, bool is_loss_finite, bool are_parameters_finite);

}  // namespace plumbline
