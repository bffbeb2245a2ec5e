#include "predict/epoch_rows.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <utility>

#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr std::int64_t kFirstDraw = std::int64_t{1} << 40;

void shuffle_rows(std::span<std::int32_t> rows, RandomStream& random) {
  for (std::size_t i = rows.size(); i > 1; --i)
    // The product is below i for every u < 1, also when rounded.
    std::swap(rows[i - 1], rows[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
}

std::size_t checked(Eigen::Index rows) {
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  if (rows < 1 || rows > kMost) throw Error(fmt::format("x has {} rows; a network trains on 1 to {}", rows, kMost));
  return static_cast<std::size_t>(rows);
}

}  // namespace

EpochRows::EpochRows(Eigen::Index rows, std::uint64_t seed)
    : order_(checked(rows)), kept_(order_.size()), random_(seed, 1, kFirstDraw) {
  std::iota(order_.begin(), order_.end(), 0);
}

RowNumbers EpochRows::set_aside(Eigen::Index count) {
  if (count >= static_cast<Eigen::Index>(kept_))
    throw Error(fmt::format("x has {} rows, of which {} are for validation; at least 1 must be left to train on", kept_,
                            count));
  if (count > 0) shuffle_rows(std::span(order_).first(kept_), random_);
  kept_ -= static_cast<std::size_t>(count);
  return RowNumbers(order_).subspan(kept_, static_cast<std::size_t>(count));
}

void EpochRows::shuffle() { shuffle_rows(std::span(order_).first(kept_), random_); }

Divergence::Divergence(int epoch, double learning_rate, Of of)
    : Divergence(fmt::format("training diverged in epoch {} at learning_rate {}: {} no longer finite", epoch,
                             learning_rate, of == Of::loss ? "the loss is" : "parameters are"),
                 "; lower learning_rate, or scale inputs and targets to a spread near 1") {}

void check_divergence(int epoch, double learning_rate, bool is_loss_finite, bool are_parameters_finite) {
  if (!is_loss_finite) throw Divergence(epoch, learning_rate, Divergence::Of::loss);
  if (!are_parameters_finite) throw Divergence(epoch, learning_rate, Divergence::Of::parameters);
}

}  // namespace plumbline
