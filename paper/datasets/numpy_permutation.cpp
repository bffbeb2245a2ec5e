#include "paper/datasets/numpy_permutation.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "plumbline/error.h"

namespace plumbline {

std::vector<Index> numpy_permutation(std::uint32_t seed, Index n) {
  if (n < 0 || n > Index{1} << 32)
    throw Error(fmt::format("a permutation of {} rows is asked for; it must be from 0 to 2^32", n));
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::mt19937 engine(seed);
  for (Index i = n - 1; i > 0; --i) {
    const auto largest = static_cast<std::uint32_t>(i);
    const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(largest);
    std::uint32_t j = 0;
    do j = static_cast<std::uint32_t>(engine()) & mask;
    while (j > largest);
    std::swap(order[static_cast<std::size_t>(i)], order[j]);
  }
  return order;
}

Split numpy_split(std::uint32_t seed, Index n, double test_share) {
  if (!(test_share > 0 && test_share < 1))
    throw Error(fmt::format("test_share is {}; it must be between 0 and 1", test_share));
  const auto rows = static_cast<double>(n);
  const auto test = static_cast<Index>(std::ceil(test_share * rows));
  const auto train = static_cast<Index>(std::floor((1 - test_share) * rows));
  if (test < 1 || train < 1)
    throw Error(fmt::format("{} rows cannot be split: {} to train on and {} to test on", n, train, test));
  const std::vector<Index> order = numpy_permutation(seed, n);
  return {{order.begin() + test, order.begin() + test + train}, {order.begin(), order.begin() + test}};
}

}  // namespace plumbline
